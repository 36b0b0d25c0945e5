# ruff: noqa: E501, RUF001 - tables of phrases of many languages
"""The talk around what was asked for: lead-ins ("Sure! Here it is:") and closings ("Let me know if ...").

Two functions for whoever looks at what was asked for only: ``without_lead_in(text)`` gives the offset at which a text
begins behind its lead-in (0 where it has none), ``without_closing(text)`` the offset at which it ends before its
closing. Both keep a text that is nothing but talk.

A lead-in is made of

* *nods*, which end their sentence: "Sure!", "Of course." - "Sure, nine is fine" is what was asked for;
* a *presentation*: a sentence that opens with "Here is ..." or "Below are ..." and ends in a colon, is a paragraph of
  its own, or stands right before a fenced block; a line that says "here is" further on, or "I have shortened ...", and
  ends in a colon;
* *asides* ("Hello!", "You're right.", "I'd be happy to help."), which count only behind a nod ("Sure, I can help.") or
  before a presentation: by themselves they may be the letter that was asked for.

So "Hi Tom," is none, and neither is a title that ends in a colon ("Shopping list:").

A closing is a last line or last sentence that offers or asks about more of the same work: "Let me know if you'd like
changes", "Want a shorter one?", "I hope this helps". "Let me know if you can come" and "What will you do?" are none.
A remark about the work ("Note: ...", "I kept it short ...") counts only behind a rule (``---``) or in brackets.

Knows the languages of the table, and judges by words alone.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from multiturn.checks.structure import Line, lines_of
from multiturn.text.measure import sentence_spans


class Talk(msgspec.Struct, frozen=True, kw_only=True):
    """One language's phrases, as alternatives of a regular expression; ``'`` stands for any apostrophe.

    ``presents`` may open a sentence; ``presents_late`` may stand anywhere in a line that ends in a colon.
    """

    nods: str
    asides: str
    presents: str
    presents_late: str
    closings: str
    remarks: str


_WORK: Final = (
    r"(?:shorten|lengthen|expand|extend|adjust|adapt|rewrite|rephrase|reword|write|draft|add|change|turn|translate|"
    r"revise|refine|polish|explain|continue|go (?:on|deeper|into)|elaborate|tweak|format|convert|help|provide|suggest|"
    r"include|create|generate|make|put|walk|clarify|modify|tailor|edit|summari[sz]e|simplify|trim|break|do (?:that|this|so|the same)|"
    r"give you|share (?:more|some|another)|answer|assist)\b"
)
_PIECE: Final = (
    r"(?:versions?|drafts?|options?|examples?|details?|suggestions?|alternatives?|variants?|variations?|tweaks?|changes|"
    r"adjustments?|explanations?|ideas|tips|information|(?:\w+er|different|other|another|more \w+) one|help)\b"
)

ENGLISH: Final = Talk(
    nods=(
        r"sure(?: thing)?|of course|certainly|absolutely|definitely|gladly|got it|on it|you bet|no problem|no worries|happy to|okay|ok|alright|all right|understood|"
        r"with pleasure|my pleasure|happy to help|glad to help|great question|good question|sounds good|here you go|here it is|here they are|"
        r"you're (?:absolutely |quite |completely |totally )?right|good catch|will do|you got it"
    ),
    asides=(
        r"hi|hi there|hello|hello there|hello again|hey|hey there|great|perfect|wonderful|awesome|excellent|nice|yes|noted|thanks|thank you|my bad|oops|fair enough|"
        r"(?:thanks|thank you) (?:so much )?for\b<rest>|(?:i'm|i am) (?:so |very |truly )?sorry\b<rest>|sorry\b<rest>|i apologi[sz]e\b<rest>|(?:my )?apologies\b<rest>|"
        r"you(?:'re| are) (?:absolutely |quite |completely )?right\b<rest>|that(?:'s| is) (?:right|correct|a (?:great|good) (?:question|idea|point))\b<rest>|"
        r"(?:i'd|i would) be (?:more than )?(?:happy|glad|delighted) to\b<rest>|(?:i'm )?(?:happy|glad) to\b<rest>|i can (?:certainly |definitely |absolutely |gladly )?(?:help|do)\b<rest>|"
        r"i(?:'ll| will) (?:be happy|gladly|try|do)\b<rest>|i understand\b<rest>|let(?:'s| me) (?:help|try|fix|correct|do|start|get|dive|take|break|go|work)\b<rest>"
    ),
    presents=r"here(?:'s| is| are| it is| you go)|below (?:is|are|you'll find|you will find)|the following (?:is|are)|as (?:you )?(?:requested|asked)|let me (?:explain|show you)|let's (?:break|go through|work through|walk through)",
    presents_late=(
        r"here(?:'s| is| are)|i(?:'ve| have| would have)? (?:just |now |also )?(?:written|wrote|drafted|made|shortened|rewritten|rewrote|revised|updated|put together|"
        r"prepared|created|corrected|changed|adjusted|translated|reworded|rephrased|added|fixed|removed|replaced|expanded|trimmed|turned|converted|reworked)"
    ),
    closings=(
        r"let me know (?:if|whether|in case|should) (?:there(?:'s| is| are)|any|anything|(?:this|that|it) (?:helps|makes sense|looks|sounds|needs|isn't|is what)|"
        r"you(?:'d| would)? (?:like|prefer|want|need) (?:me|any|anything|it|this|more|further|help|another|something|changes|to (?:change|add|adjust|see|explore|know|go|make|have)|an?\b<gap>\b<piece>)|"
        r"you have (?:any|other|more|further|questions|feedback)|you need (?:any|anything|more|further|help))|let me know (?:how|what) (?:else|i can)|let me know what you think of (?:this|the)|"
        r"feel free to (?:ask|adjust|adapt|modify|tweak|custom|change|edit|request|let me know|add)|don't hesitate to ask|"
        r"(?:would|do) you (?:like|want|prefer) (?:me to <work>|(?:an?|another|some|more|any)\b<gap>\b<piece>|to (?:know|hear|see|learn) more|it (?:shorter|longer|more|in|as)|help|anything else)|"
        r"tell me if you(?:'d like| want| need| prefer)\b|need me to <work>|anything (?:you'd like|you want) (?:me )?to\b|want (?:me to <work>|(?:another|more|one more)(?: one)? ?\?|(?:an?|another|some|more|any)\b<gap>\b<piece>|(?:it|this|that) (?:\w+er|more|in|as)\b|more\?)|"
        r"(?:shall|should|can|may) i (?:also )?<work><gap>\?|"
        r"(?:i can|i could|i'd be|i'm|i am|i would be)? ?(?:also|always|certainly|easily|gladly|happy to|glad to|happily)(?: also)? <work>|"
        r"if (?:you(?:'d| would)? (?:like|prefer|want|need|wish)|you have|needed|anything)\b<gap>\b(?:i can|i could|i'd be|i'm happy|i'll|let me know|just (?:say|ask|tell|let)|feel free|happy to)\b|"
        r"i'm (?:always )?here (?:to help[.!]|if you)|i? ?hope (?:this|that|it|these|the)\b<gap>\b(?:helps?|works?|is what|meets|fits|suits|clarif\w+|answers|useful|clear)\b|"
        r"(?:is there |do you need )?(?:any|some)thing else (?:you|i can|i could|that i|with)\b|anything else\?|need (?:any|more|another|an?)\b<gap>\b<piece>|need (?:it|this) (?:\w+er|in|as)\b|need anything else|"
        r"how does (?:that|this)(?: \w+){0,3} (?:sound|look|read)|does (?:that|this) (?:help|make sense|answer)|just (?:say the word|let me know)|say the word|word count\b|\d{1,4} words\W{0,6}\Z"
    ),
    remarks=(
        r"notes?\b|(?:that's |exactly )?\d{1,4} (?:words|sentences|characters)\b|(?:key |main )?changes\b|what (?:i )?changed|why (?:this|it) works|explanation\b|i(?:'ve| have)? (?:kept|made|used|removed|replaced|added|shortened|tried|aimed|left|changed)\b|"
        r"this (?:version|draft|rewrite|text|email)\b|tips?\b"
    ),
)

GERMAN: Final = Talk(
    nods=(
        r"(?:aber |na )?klar|natürlich|(?:sehr |aber )?gern(?:e)?|selbstverständlich|kein problem|sicher|alles klar|verstanden|mit vergnügen|"
        r"in ordnung|na sicher|gute frage|mach ich|wird gemacht|bitte sehr|bitte schön|du hast recht|sie haben recht"
    ),
    asides=(
        r"hallo|hi|hey|guten (?:tag|morgen|abend)|ja|super|prima|perfekt|(?:vielen )?danke?\b<rest>|entschuldig\w*\b<rest>|(?:es )?tut mir leid\b<rest>|"
        r"(?:du hast|sie haben|da hast du|da haben sie) (?:völlig |natürlich )?recht\b<rest>|ich helfe\b<rest>|(?:das|dabei) (?:mache|helfe|kann) ich\b<rest>|ich kann (?:dir|ihnen)\b<rest>"
    ),
    presents=r"hier (?:ist|sind|kommt|kommen|hast du|haben sie|findest du|finden sie|(?:ein|eine|der|die|das|dein|deine|ihr|ihre)\b)|anbei|im folgenden|nachfolgend|so könnte",
    presents_late=r"hier (?:ist|sind|kommt|kommen)|ich habe (?:\w+ ){0,6}?(?:geschrieben|verfasst|erstellt|gekürzt|überarbeitet|aktualisiert|angepasst|korrigiert|übersetzt|formuliert|umformuliert|geändert|ergänzt)",
    closings=(
        r"(?:sag|sagen sie|gib|geben sie) (?:mir )?(?:\w+ ){0,2}bescheid,? (?:wenn|falls)<gap>\b(?:möchte\w*|willst|wollen|brauch\w*|änderung\w*|etwas|noch|kürzer|länger|anders)\b|"
        r"lass(?:en sie)? (?:es )?mich (?:\w+ )?wissen,? (?:wenn|falls)|(?:melde dich|melden sie sich) (?:gern|einfach)|"
        r"(?:möchtest du|möchten sie|willst du|wollen sie|soll ich)\b<gap>(?:anpass|änder|kürz|umschreib|schreib|erstell|hinzufüg|übersetz|ergänz|ausführ|erklär|formulier|mach|version|variante|fassung|beispiel|vorschl)\w*<gap>\?|"
        r"(?:wenn|falls) (?:du|sie)\b<gap>\b(?:kann ich|passe ich|helfe ich|mache ich|schreibe ich|ändere ich|ich (?:kann|passe|helfe|mache|schreibe)|sag|sagen sie|lass|gib|geben sie|melde)\b|"
        r"ich hoffe,? (?:das|es|dies)\b<gap>\b(?:hilft|passt|gefällt|weiter)|(?:brauchst du|brauchen sie) (?:noch )?(?:etwas|mehr|weitere|eine|einen|hilfe)\b|gerne? (?:kann|passe|helfe|schreibe|mache|ändere|kürze) ich|noch (?:etwas|fragen|wünsche)\?"
    ),
    remarks=r"hinweise?\b|anmerkung\w*|\d{1,4} wörter|änderungen\b|erläuterung|ich habe\b|diese (?:version|fassung)\b",
)

FRENCH: Final = Talk(
    nods=r"bien sûr|avec (?:grand )?plaisir|d'accord|certainement|entendu|pas de (?:problème|souci)|volontiers|très bien|c'est noté|absolument|bien entendu|compris|bonne question|tout à fait|(?:vous avez|tu as) (?:tout à fait |entièrement )?raison",
    asides=(
        r"bonjour|salut|oui|parfait|super|merci (?:pour|de|d')\b<rest>|désolée?\b<rest>|je (?:suis|vous prie|te prie)\b<rest>|(?:toutes mes )?excuses\b<rest>|"
        r"(?:vous avez|tu as) (?:tout à fait |entièrement )?raison\b<rest>|je (?:peux|vais) (?:vous|t')\b<rest>"
    ),
    presents=r"voici|voilà|ci-dessous|ci-joint",
    presents_late=r"voici|voilà|j'ai (?:\w+ ){0,3}?(?:écrit|rédigé|raccourci|réécrit|corrigé|modifié|traduit|préparé|reformulé|mis à jour|ajouté)",
    closings=(
        r"(?:dites|dis|faites|fais)-(?:le-)?moi (?:savoir )?si (?:vous|tu) (?:voul|veux|souhait|préfér|avez|as|désir)|n'hésit\w+ pas à (?:me (?:demander|dire|le dire|solliciter)|demander|poser|le modifier|l'adapter|modifier|adapter)|"
        r"(?:souhaitez-vous|souhaites-tu|voulez-vous|veux-tu|voudriez-vous|voudrais-tu|aimeriez-vous|aimerais-tu) (?:que je|une (?:version|variante)|d'autres|plus de)|"
        r"si (?:vous|tu) (?:le )?(?:souhait|voul|veux|préfér|désir|avez besoin|as besoin)\w*<gap>\b(?:je peux|dites|dis|n'hésit\w+|faites|fais)\b|j'espère que (?:cela|ça|ceci|c'est)\b<gap>\b(?:aide|convien\w+|plai\w+|utile|clair)|"
        r"(?:avez-vous |as-tu )?besoin d'(?:autre chose|aide|une)|autre chose \?|je (?:peux|reste)\b<gap>\b(?:si (?:vous|tu)|à (?:votre|ta) disposition)"
    ),
    remarks=r"remarques?\b|notes?\b|\d{1,4} mots|modifications?\b|explications?\b|j'ai\b|cette version\b",
)

SPANISH: Final = Talk(
    nods=r"claro(?: que sí)?|por supuesto|con (?:mucho )?gusto|desde luego|de acuerdo|entendido|sin problema|vale|cómo no|encantad[oa]|buena pregunta|hecho|tienes (?:toda la )?razón|tiene (?:toda la )?razón",
    asides=(
        r"hola|buenos días|buenas tardes|sí|perfecto|genial|estupendo|gracias por\b<rest>|lo siento\b<rest>|perdón\b<rest>|perdona\b<rest>|disculp\w+\b<rest>|(?:tienes|tiene) (?:toda la )?razón\b<rest>|"
        r"(?:te|le) ayudo\b<rest>|puedo ayudar\w*\b<rest>"
    ),
    presents=r"aquí (?:tienes|tiene|está|están|va|van|te dejo|le dejo|hay)|a continuación",
    presents_late=r"aquí (?:tienes|tiene|está|están|va|van|te dejo|le dejo)|(?:he|lo he|la he) (?:\w+ ){0,3}?(?:escrito|redactado|acortado|reescrito|corregido|cambiado|traducido|preparado|actualizado|modificado)",
    closings=(
        r"(?:avísa?me|avíseme|házmelo saber|hágamelo saber|dime|dígame) si (?:quier|necesit|dese|prefier|te gustaría|le gustaría|hay|tien)|no dudes? en (?:pregunt|ped|decir)|"
        r"(?:quieres|quiere|deseas|desea|prefieres|prefiere|te gustaría|le gustaría) (?:que (?:lo|la|te|le|los|las|haga|añada|cambie|escriba|traduzca|agregue|acorte|continúe)|una (?:versión|variante)|otra|más (?:ideas|detalles|ejemplos))\b|"
        r"si (?:lo )?(?:quier|dese|necesit|prefier)\w*<gap>\b(?:puedo|avísame|avíseme|dime|dígame|házmelo)\b|espero que (?:esto |te |le )*(?:ayude|sirva|guste|sea útil)|¿?(?:necesitas|necesita) (?:algo|alguna|más|otra)\b|¿?algo más\?|puedo (?:también )?(?:hacerlo|acortarlo|cambiarlo|adaptarlo|traducirlo)"
    ),
    remarks=r"notas?\b|\d{1,4} palabras|cambios\b|explicación\b|he \w+\b|esta versión\b",
)

RUSSIAN: Final = Talk(
    nods=r"(?:да, )?конечно|разумеется|хорошо|без проблем|с удовольствием|с радостью|понял[аи]?|понятно|договорились|ок(?:ей)?|принято|ладно|хороший вопрос|готово|(?:вы правы|ты прав[а]?)",
    asides=(
        r"привет|здравствуйте|добрый (?:день|вечер)|доброе утро|да|отлично|прекрасно|супер|спасибо за\b<rest>|извини\w*\b<rest>|прошу прощения\b<rest>|простите?\b<rest>|(?:вы|ты) (?:абсолютно |совершенно )?прав\w?\b<rest>|"
        r"(?:я )?(?:помогу|постараюсь|рад\w? помочь)\b<rest>"
    ),
    presents=r"вот|ниже",
    presents_late=r"вот|(?:я )?(?:написал|сократил|переписал|исправил|обновил|перевёл|перевел|подготовил|составил|изменил|добавил)а?",
    closings=(
        r"дай(?:те)? (?:мне )?знать,? если|сообщи(?:те)?,? если (?:нужн|хо[тч]|потреб|понадоб|что-то)|(?:хотите|хочешь|хотели бы вы|нужно),? (?:ли )?(?:чтобы я|я |(?:бы )?(?:сделать|сократить|добавить|изменить|переписать)|более|другой|ещё)|"
        r"если (?:нужн|хо[тч]|потреб|понадоб|что-то|есть|у вас|у тебя|вам|тебе)<gap>\b(?:могу|дай|дайте|скажи|скажите|напиши|напишите|обращайтесь|обращайся|сообщи|сообщите|спрашивай|спрашивайте)\b|"
        r"надеюсь,? (?:это |что |вам |тебе )*(?:помо|подойд|понрав|был)|нужн[оаы]? (?:ли )?(?:что-то|что-нибудь|ещё|еще)\b|могу (?:также |ещё |и )*(?:сделать|сократить|добавить|изменить|переписать|предложить|помочь)|обращайтесь|обращайся|хо(?:чешь|тите) (?:вариант |ещё )?(?:по)?(?:короч|длинн|друг)"
    ),
    remarks=r"примечани[ея]\b|\d{1,4} слов\w?|изменения\b|пояснени[ея]\b",
)

CHINESE: Final = Talk(
    nods=r"好的|好|当然(?:可以|了)?|没问题|明白了?|可以的?|收到|了解|好问题|您说得对|你说得对",
    asides=r"您好|你好|是的|抱歉<rest>|对不起<rest>|不好意思<rest>|谢谢<rest>|感谢<rest>|我(?:很)?(?:乐意|来帮|可以帮)<rest>",
    presents=r"以下(?:是|为)|下面是|如下|这里是|请看",
    presents_late=r"以下(?:是|为)|下面是|如下|这是|我(?:已经|已)?(?:为您|为你|帮您|帮你|把)",
    closings=(
        r"如果?(?:您|你)?(?:还)?(?:需要|想|希望|有|觉得)<gap>(?:告诉我|告知|随时|我可以|我再|请|联系)|如有<gap>(?:告诉|告知|随时|请)|(?:您|你)?需要我<gap>[吗？?]|要不要我|要我<gap>吗|"
        r"希望(?:这|对|以上)<gap>(?:帮助|满意|有用|喜欢)|还(?:需要|有)(?:什么|其他|别的)|有(?:什么|任何)(?:其他|别的)?(?:问题|需要)|请(?:随时)?告诉我"
    ),
    remarks=r"注意?[:：]|备注|说明|字数|（?\d{1,4}字",
)

JAPANESE: Final = Talk(
    nods=r"もちろん(?:です)?|承知(?:しました|いたしました)|かしこまりました|わかりました|分かりました|了解(?:です|しました|いたしました)?|お任せください|喜んで|いいですよ|おっしゃる通りです",
    asides=r"はい|こんにちは|申し訳<rest>|すみません<rest>|ごめんなさい<rest>|ありがとうございます<rest>|失礼<rest>|お手伝い<rest>",
    presents=r"以下|こちら[がはに]|次(?:が|のとおり|の通り)",
    presents_late=r"以下|こちら[がはに]|次のとおり|次の通り|(?:作成|修正|短縮|翻訳|更新)し(?:ました|てみました)",
    closings=(
        r"(?:他に|ほかに|さらに)<gap>(?:か[。？?]?|ください)|(?:必要|ご希望|ご要望|ご質問|ご不明|何か|修正|変更|もし)<gap>(?:ください|お知らせ|ませ|しょうか|できます|ですか)|お役に立て|もっと<gap>(?:か[。？?]?|ください)|いかがでしょうか|お気軽に"
    ),
    remarks=r"注[:：]|補足|備考|文字数|（?\d{1,4}文字",
)

LANGUAGES: Final = (ENGLISH, GERMAN, FRENCH, SPANISH, RUSSIAN, CHINESE, JAPANESE)

_MOST: Final = 6
"""A lead-in or a closing has at most so many sentences."""

_TALK: Final = frozenset({"text", "heading", "more"})
"""The kinds of lines that may hold a closing."""

_TAIL: Final = 1_000
"""A closing sentence is looked for among so many last characters of a line."""

_SMILE: Final = r"(?:[:;]-?[)D]|[\u2600-\u27bf\ufe0f\U0001f300-\U0001faff])"
_INSIDE: Final = r"(?:[^\n:：.!?。！？]|[:.!?](?=[^\s*_]))"
"""A character inside a sentence: the point of 2.5 and the colon of 5:45 end none."""

_ENDS: Final = (
    rf"(?P<ends>[ \t\u00a0\u202f]{{0,3}}(?:[.!…。！~]{{1,6}}|(?={_SMILE})|(?=[*_]{{0,3}}[ \t\r]{{0,9}}\n))"
    rf"[*_]{{0,3}}(?:[ \t]{{0,3}}{_SMILE}){{0,6}}[.!]{{0,3}})"
)
_PAUSE: Final = r"[*_]{0,3}(?:[ \t\u00a0\u202f]{0,3}[,;:，、：–—]|[ \t]{1,3}-(?=\s))"
_COLON: Final = r"[:：][*_]{0,3}"
_MARKS: Final = r"[¡¿*_#>(\[]{0,6}[ \t]{0,3}[*_]{0,3}[¡¿]?"
_NO_LETTER_BEFORE: Final = r"(?<![^\W\u3040-\u9fff])"
_NO_LETTER_BEHIND: Final = r"(?![^\W\u3040-\u9fff])"
_BLANK_LINE: Final = r"(?=[ \t]{0,9}\r?\n[ \t]{0,9}\r?\n)"
_FENCE_NEXT: Final = r"(?=\s{1,9}(?:```|~~~))"
_LINE_END: Final = r"(?=[ \t]{0,9}\r?\n)"
_SALUTATION: Final = (
    r"(?:(?:hi|hello|hey|dear|hallo|liebe\w{0,2}|sehr geehrte\w{0,2}|guten (?:tag|morgen|abend)|bonjour|ch[eè]re?s?|salut|hola|"
    r"estimad\w{1,2}|querid\w{1,2}|привет|здравствуйте|уважаем\w{1,3}|дорог\w{1,3})\b|尊敬的|亲爱的)"
)
_LINK_WORD: Final = r"(?:(?:and|so|but|also|otherwise|please|of course|alternatively|und|et|y|и|а|или),? )"

_TOKENS: Final = {
    "'": "['’]",
    "<gap>": r"[^.!?。！？\n]{0,100}?",
    "<rest>": rf"{_INSIDE}{{0,160}}?(?=[.!:。！：\n]|{_SMILE})",
    "<work>": _WORK,
    "<piece>": _PIECE,
}


def _any(phrases: str) -> str:
    """One pattern for the phrases of all languages: a field of ``Talk``."""
    found = "|".join(getattr(talk, phrases) for talk in LANGUAGES)
    for token, meaning in _TOKENS.items():
        found = found.replace(token, meaning)
    return f"(?:{found}){_NO_LETTER_BEHIND}"


def _stems(phrases: str) -> str:
    """The same for phrases that words may go on from."""
    return _any(phrases).removesuffix(_NO_LETTER_BEHIND)


_NOD: Final = re.compile(rf"{_MARKS}{_any('nods')}(?:{_ENDS}|{_PAUSE})", re.IGNORECASE)
_ASIDE: Final = re.compile(rf"{_MARKS}{_any('asides')}(?:{_ENDS}|{_PAUSE})", re.IGNORECASE)
_PRESENTS: Final = re.compile(
    rf"{_MARKS}{_any('presents')}(?:{_INSIDE}{{0,300}}(?:{_COLON}(?=\s)|{_ENDS}{_BLANK_LINE})|[^\n]{{0,600}}{_FENCE_NEXT})",
    re.IGNORECASE,
)
_PRESENTS_LATE: Final = re.compile(
    rf"{_MARKS}(?!{_SALUTATION}){_INSIDE}{{0,160}}?{_NO_LETTER_BEFORE}{_any('presents_late')}"
    rf"{_INSIDE}{{0,300}}{_COLON}{_LINE_END}",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(
    rf"{_MARKS}(?:{_SMILE}[ \t]?){{0,4}}{_LINK_WORD}{{0,2}}[¿¡]?{_stems('closings')}", re.IGNORECASE
)
_REMARK: Final = re.compile(rf"{_MARKS}{_stems('remarks')}", re.IGNORECASE)
_SETS_OFF: Final = re.compile(rf"(?:[\s=—–*_-]|{_SMILE})*")
_IN_BRACKETS: Final = re.compile(r"[*_]{0,3}[(\[（][^\n]{1,600}[)\]）][.*_]{0,4}\Z")


def without_lead_in(text: str) -> int:
    """The offset at which the text begins behind its lead-in; 0 where it has none, or nothing else."""
    kept = here = 0
    nodded = False
    for _ in range(_MOST):
        at = _behind_space(text, here)
        presents = _PRESENTS.match(text, at) or _PRESENTS_LATE.match(text, at)
        talk = presents or _NOD.match(text, at) or _ASIDE.match(text, at)
        if talk is None:
            break
        here = talk.end()
        nodded = nodded or talk.re is _NOD
        if presents or (nodded and talk["ends"] is not None):
            kept, nodded = here, False
    return _line_start(text, kept) if kept and _says_something(text[here:]) else 0


def without_closing(text: str, start: int = 0) -> int:
    """The offset at which ``text[start:]`` ends before its closing; the end of the text where it has none.

    Spaces, blank lines and rules at the end go too. ``start`` is 0, or what :func:`without_lead_in` gave.
    """
    lines = [line for line in lines_of(text) if line.end > start and line.kind != "blank"]
    lines = _before_remark(text, lines)
    end, talked = len(text), False
    for _ in range(_MOST):
        while lines and (
            lines[-1].kind == "rule" or (talked and _SETS_OFF.fullmatch(text, lines[-1].start, lines[-1].end))
        ):
            lines.pop()
        if not lines:
            return len(text)
        first, end = max(lines[-1].start, start), min(end, lines[-1].end)
        cut = _closing(text, first, end) if lines[-1].kind in _TALK else None
        if cut is None:
            break
        if cut == first:
            lines.pop()
        end, talked = cut, True
    return len(text[:end].rstrip())


def _closing(text: str, start: int, end: int) -> int | None:
    """Where the closing begins that ends this line; None where none does."""
    line = text[start:end].strip()
    if _CLOSING.match(line) or (_IN_BRACKETS.match(line) and _REMARK.match(line)):
        return start
    tail = max(start, end - _TAIL)
    spans = sentence_spans(text[tail:end])
    if len(spans) > 1 and _CLOSING.match(text, tail + spans[-1][0], end):
        return tail + len(text[tail : tail + spans[-1][0]].rstrip())
    return None


def _before_remark(text: str, lines: list[Line]) -> list[Line]:
    """The lines before the last rule, where what follows it is about the work."""
    rule = max((number for number, line in enumerate(lines) if line.kind == "rule"), default=0)
    if 0 < rule < len(lines) - 1:
        behind = lines[rule + 1]
        if _REMARK.match(text, behind.content, behind.end) or _CLOSING.match(text, behind.content, behind.end):
            return lines[:rule]
    return lines


_SPACE: Final = re.compile(r"\s*")


def _behind_space(text: str, start: int) -> int:
    found = _SPACE.match(text, start)
    return found.end() if found else start


def _line_start(text: str, start: int) -> int:
    """Where the text goes on: behind spaces, but with the indent of its line."""
    end = _behind_space(text, start)
    return max(start, text.rfind("\n", start, end) + 1) if "\n" in text[start:end] else end


def _says_something(text: str) -> bool:
    return any(map(str.isalnum, text))
