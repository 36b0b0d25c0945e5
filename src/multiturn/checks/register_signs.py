# ruff: noqa: E501, RUF001 - tables of words of many languages
"""How a text addresses its reader: the words that are formal or informal, in seven languages.

*Signs* decide: du and Sie, tu and vous, ты and вы, 你 and 您, です and だ, "I'm" and "Dear Sir". *Hints* decide only where a
text has no sign at all: "!" or "it is" in English, ``su`` in Spanish, a German sentence that begins with "Sie" (you, or
they). Words that are both, and forms that are rare, are left out.

Knows no grammar: the words stand in tables, and what they miss is missed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from multiturn.text.language import READ, without_code

Register = Literal["formal", "informal"]
Language = Literal["en", "de", "fr", "es", "ru", "zh", "ja"]
Place = tuple[int, int]


class Signs(msgspec.Struct, frozen=True):
    """Where a text is first formal and first informal (offsets; None where it never is): signs, else hints."""

    formal: Place | None = None
    informal: Place | None = None


def signs_of(text: str, language: Language) -> Signs:
    """The first formal and the first informal sign of a text; code has none.

    Where it has no sign, its first hint; nothing where its hints disagree. Its first ``READ`` characters are read.
    """
    first: dict[str, Place] = {}
    for match in _PATTERNS[language].finditer(without_code(text[:READ])):
        if match.lastgroup is not None:
            first.setdefault(match.lastgroup, match.span())
        if "formal" in first and "informal" in first:
            break
    if "formal" in first or "informal" in first:
        return Signs(first.get("formal"), first.get("informal"))
    if "formal_hint" in first and "informal_hint" in first:
        return Signs()
    return Signs(first.get("formal_hint"), first.get("informal_hint"))


_START: Final = r"(?:\A|(?<=\n)|(?<=[.!?:…¡¿] )|(?<=[¡¿\"“„«*_])|(?<=[-*>•] )|(?<=\d[.)] ))"
"""Where a sentence may start; what is bold may be one."""

_SMILE: Final = r"[\u2600-\u27bf\U0001f300-\U0001faff]|[:;]-?[)D]"
_WORD: Final = r"\b(?=\w)"


def _pattern(
    *, formal: str, informal: str, formal_hint: str = "(?!)", informal_hint: str = "(?!)", begins: str = _WORD
) -> re.Pattern[str]:
    """One pattern with a group for each sort of words, all of which begin where ``begins`` matches.

    ``'`` stands for any apostrophe, ``<start>`` for a sentence's start.
    """
    groups = {"formal": formal, "informal": informal, "formal_hint": formal_hint, "informal_hint": informal_hint}
    joined = "|".join(f"(?P<{name}>{words})" for name, words in groups.items())
    return re.compile(f"{begins}(?:{joined})".replace("'", "['’]").replace("<start>", _START))


ENGLISH: Final = _pattern(
    formal=(
        r"(?i:dear (?:sirs?|madam|ms|mrs?|mx|dr|prof\w*|council\w*|customers?|colleagues?|members?|guests?|neighbou?rs)\b|to whom it may concern"
        r"|yours (?:sincerely|faithfully|truly)|i (?:am writing|write) to\b|i would be (?:most |very )?(?:grateful|obliged)|please find (?:enclosed|attached)"
        r"|kindly (?:note|let|inform|confirm|send|reply|accept)|pursuant to|hereby|herewith|we regret to|i regret to|at your earliest convenience"
        r"|with reference to|should you (?:have|require|need|wish)|do not hesitate|it would be appreciated)"
        r"|<start>(?:Sincerely|Respectfully)(?: yours)?,"
    ),
    informal=(
        r"(?i:[a-z]{2,8}n't|(?:i|you|we|they|he|she|it|that|there|who|what|this)'(?:re|ll|ve|m|d)|(?:he|she|it|that|there|here|what|who|where|how|let|when|why)'s"
        r"|y'all|gonna|wanna|gotta|kinda|sorta|dunno|lemme|gimme|yeah|yep|yup|nope|nah|hey+|hiya|howdy|dude|buddy|bro|lol|omg|btw|tbh|imho|thx|cuz|oops|yay|woohoo"
        r"|no worries|see ya|catch (?:you|ya) later|xoxo|xx|heads-up|a bunch of|tons of|super (?:easy|fun|nice|cool|good|happy|excited|quick))\b|<start>(?:Hi|hi|Cheers)\b"
    ),
    formal_hint=(
        r"(?i:(?:do|does|did|is|are|was|were|will|would|can|could|should|have|has|had|must|may) not|cannot|(?:i|you|we|they) (?:have|will|would|are)|i am|(?:it|that|there|he|she) (?:is|will)"
        r"|(?:kind|best|warm) regards|furthermore|moreover|regarding|therefore|thank you|sincerely)\b|<start>Dear [A-Z]"
    ),
    informal_hint=rf"!|{_SMILE}|(?i:ok|okay|thanks|cool|awesome|guys|folks|stuff|mate|see you|take care)\b",
    begins=rf"(?:{_WORD}|(?=!|{_SMILE}))",
)

_DU_VERBS: Final = (
    "bist|hast|kannst|willst|musst|darfst|sollst|wirst|magst|möchtest|könntest|würdest|solltest|weißt|brauchst|findest|"
    "siehst|gehst|machst|hättest|wärst|kommst|nimmst|gibst|bekommst|fährst|isst du|liest du"
)
_IHR_VERBS: Final = "habt|seid|könnt|wollt|müsst|sollt|wisst|werdet|dürft|mögt|braucht|kommt|macht"
_DU_ORDERS: Final = (
    "Nimm|Gib|Lies|Sieh|Schau|Komm|Geh|Mach|Schreib|Denk|Frag|Hol|Schick|Sag|Probier|Probiere|Stell|Leg|Bring|Klick|"
    "Wähle?|Iss|Trink|Hilf|Sprich|Triff|Wirf|Vergiss|Warte|Öffne|Achte|Nutze|Verwende|Füge|Rühre|Gieße|Lass|Melde|Setz|"
    "Entscheide|Steig|Fahr|Zieh"
)
GERMAN: Final = _pattern(
    formal=(
        rf"(?:(?<=[\w,;–] )|(?<=[\w,;–] [*_])|(?<=[\w,;–] \*\*))(?:Sie|Ihnen|Ihr(?! (?:{_IHR_VERBS})\b)|Ihre[mnrs]?)\b|(?i:sehr geehrte\w{{0,2}}|hochachtungsvoll)\b"
    ),
    informal=(
        rf"(?i:du|dich|dir|dein(?:e[mnrs]?|s)?|euch|euer|eure[mnrs]?|{_DU_VERBS})\b|[Ii]hr (?:{_IHR_VERBS})\b|(?:{_IHR_VERBS}) [Ii]hr\b"
        rf"|(?:<start>|\b[Bb]itte )(?i:{_DU_ORDERS})\b(?! (?:ich|er|sie|es|Sie)\b)"
    ),
    formal_hint=r"<start>(?:Sie (?:\w{2,20}(?:en|ern|eln)|sind)|Ihnen)\b|(?:Mit freundlichen Grüßen|Guten Tag)\b",
    informal_hint=r"(?:Hey|Hi|Hallöchen|Liebe Grüße|LG|Tschüss|Ciao|Bis bald|Bis dann)\b",
)

FRENCH: Final = _pattern(
    formal=(
        r"(?<![Rr]endez-)\b(?i:vous|votre|vos|vôtres?)\b|(?i:êtes|soyez|ayez|sachez)\b"
        r"|(?:(?=[a-zàâçéèêëîïôû])|<start>(?=[A-ZÉÈÊ]))(?!(?:[Cc]hez|[Aa]ssez|nez|rez|riez|merguez|[Rr]endez(?=-vous))\b)[^\W\d_]{2,18}ez\b"
    ),
    informal=(
        r"[Tt](?:u|e|oi|a|es)\b|(?i:l[ea]s? tien(?:ne)?s?)\b|(?<![\w-])[Tt]'(?=\w)"
        r"|(?<!\b[Ll]e )(?<!\bun )(?<!\b[Dd]u )(?<!\bce )(?<!\bau )(?<!\bde )(?<!\bmon )(?<!\bson )(?<!\bbon )(?<!\bmême )(?i:ton)\b"
        r"|<start>(?:Prends|Fais|Viens|Mets|Vas-y|Va|Dis|Écris|Choisis|Lis|Ajoute|Essaie|Regarde|Appelle|Pense|N'oublie|Apporte|Utilise|Clique|Sois|Attends|Mélange|Évite)\b(?! (?:je|il|elle|on)\b)"
    ),
    formal_hint=r"(?:Monsieur|Madame|Cordialement|Veuillez)\b",
    informal_hint=r"(?i:salut|coucou|bisous|bises|à plus)\b",
)

SPANISH: Final = _pattern(
    formal=(
        r"(?i:usted(?:es)?|dígame|avíseme|permítame|disculpe|indíqueme|infórmeme)\b|[UV]ds?\.|[Ee]stimad[oa]s? (?:señor|señora|sr|sra|Sr|Sra|dr|dra|Dr|Dra|client)"
    ),
    informal=(
        r"[Tt](?:ú|e|i|us?|uy[oa]s?)\b(?![\u0300-\u036f])|(?i:contigo|vos|vosotr[oa]s|vuestr[oa]s?|eres|tienes|puedes|quieres|debes|sabes|haces|vas|estás|necesitas|prefieres|podés|tenés|querés|sabés|dime|avísame|disculpa)\b"
        r"|os\b|has\b|<start>(?:Haz|Pon|Ten|No olvides|No te)\b"
    ),
    formal_hint=r"(?i:sus?|suy[oa]s?|atentamente)\b|<start>(?:Haga|Ponga|Tenga|Escriba|Añada|Mezcle|Tome|Lleve|Pruebe|Elija|Use|Busque|Llame|Recuerde|No olvide)\b",
    informal_hint=r"<start>(?:Escribe|Añade|Mezcla|Toma|Lleva|Prueba|Elige|Usa|Busca|Llama|Mira|Recuerda|Ven)\b|(?i:hola|oye|besos|un abrazo)\b",
)

RUSSIAN: Final = _pattern(
    formal=(
        r"(?i:вы|вас|вам|вами|ваш(?:а|е|и|его|ей|ему|им|ими|их|у|ем)?|здравствуйте|уважаем(?:ый|ая|ые)|можете|хотите|знаете|будете|сможете|увидите|получите|найд[её]те|"
        r"возьмите|напишите|скажите|подождите|сделайте|добавьте|используйте|попробуйте|выберите|нажмите|приходите|посмотрите|запомните|забудьте|позвоните|извините|простите|сообщите|положите|нарежьте|помните)\b"
    ),
    informal=(
        r"(?i:ты|тебя|тебе|тобой|тобою|тво(?:й|я|[её]|и|его|ей|ему|им|ими|их|ю|[её]м)|(?!(?:лишь|брешь|плешь|тишь|гуашь)\b)[а-яё]{2,16}(?:ешь|ёшь|ишь)(?:ся)?|"
        r"возьми|напиши|скажи|подожди|сделай|добавь|используй|попробуй|выбери|нажми|приходи|посмотри|запомни|забудь|позвони|извини|прости|сообщи|положи|нарежь|помни|давай)\b"
    ),
    formal_hint=r"(?i:с уважением|добрый день)\b",
    informal_hint=r"(?i:привет|пока-пока|чао)\b",
)

CHINESE: Final = _pattern(
    formal=r"您|尊敬的|此致",
    informal=r"(?<!迷)[你妳](?!死我活)",
    formal_hint=r"敬请|贵(?:公司|校|方|司)|敬上",
    informal_hint=r"嗨|哈喽|哈啰|嘿",
    begins="",
)

_SENTENCE_END: Final = r"(?=[。！？!?…♪〜～\u2600-\u27bf\U0001f300-\U0001faff]|[」』）)]{0,2}\s*\Z)"
_POLITE: Final = (
    r"(?:ませんでした|でしょう|ましょう|ました|ません|でした|ください(?:ませ)?|下さい|ませ|です|ます)"
    r"(?:よね|かね|ので|けど|から|か|ね|よ|な|わ|が|し)?"
)
_PLAIN: Final = (
    r"(?:(?<!ま)だ|だった|である|だろう|じゃん|かった|ない|たい|しい|いい|った|んだ|[るたうくぐすつぬぶむ])(?:よね|かな|かも|けど|から|よ|ね|な|ぞ|ぜ|さ|わ|の|し)?"
    r"|[よねぞぜさ]|って|[てで](?:ね|よ)"
)
JAPANESE: Final = _pattern(
    formal=rf"(?:{_POLITE}){_SENTENCE_END}|ございま(?:す|した|せん)",
    informal=rf"(?:{_PLAIN}){_SENTENCE_END}|(?:\A|(?<=[。！？!?\n]))うん(?=[、。！])",
    begins="",
)

_PATTERNS: Final[Mapping[Language, re.Pattern[str]]] = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
    "ru": RUSSIAN,
    "zh": CHINESE,
    "ja": JAPANESE,
}
