# ruff: noqa: E501 - tables of words of many scripts
"""Does a text say yes or no?

It is read sentence by sentence, in the speaker's own voice; the first sentence that decides does. A sentence decides by
the word that it begins with ("Yes", "Nein", "不是"), by its like ("That's right", "Auf keinen Fall"), or by denying or
granting what was asked ("It is not ...", "You can't ...", "You can ..."). What leads up to that ("Well,", "Unfortunately,",
"Short answer:") is passed over, and so are questions. English, German, French, Spanish, Russian, Chinese and Japanese.
Tables, no grammar; each pattern is tried at one place of a sentence.
"""

from __future__ import annotations

import re
from typing import Final, Literal

import msgspec

from multiturn.finding import Span
from multiturn.text.own_voice import read

YesOrNo = Literal["yes", "no"]

MAX_CHARACTERS: Final = 20_000
"""Only this much of a text is read."""

_LONGEST: Final = 300
"""Of a sentence, only so much."""

_EDGE: Final = r"(?=\s{0,3}(?:[,.!;:)*-]|\Z))"
_FINE: Final = r"(?! (?:problem|worries|doubt|matter|need to worry|hay problema|pasa nada)\b)"
_NOT_ONLY: Final = (
    r"(?! (?:only|just|merely|bad|a problem|a bad|to mention|to worry|sure|nur|schlecht|seulement|solo|только)\b)"
)
_WORD: Final = r"[^\s,.:;]{1,30} "
_AUX: Final = (
    r"(?:is|are|was|were|do|does|did|can|could|will|would|should|must|may|might|has|have|had|need)"  # and not, and n't
)

_NUMBERED: Final = rf"(?!\.[ ]?\d{{1,5}}[ ](?:{_AUX}|goes|runs|leaves|stops|comes|wins|won|es|est|ist)\b)"
"""Behind "no": "No. 5 is the best" speaks of number 5. Any other number behind it is given with the no: "No. 71.1"."""


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in alternatives))


_LEAD: Final = re.compile(
    r"[\W_]*(?:(?:"
    r"(?:well|oh|ah|hm+|so|but|still|actually|honestly|unfortunately|sadly|fortunately|luckily|technically|sorry|then|in that case|in (?:short|brief)"
    r"|(?:the |my |a )?(?:short |quick |simple |final )?(?:answer|verdict|conclusion)(?: is| here is)?|to be (?:honest|clear|fair)|as (?:you|i) said"
    r"|(?:good|great|nice|excellent|interesting|fair) (?:question|point)|thanks?(?: you)?(?: for [^,.!]{1,40})?"
    r"|i(?:'m| am) (?:sorry|afraid|glad)(?: to say)?(?: that)?(?! not\b)|i(?: would|'d)? (?:think|say|believe|guess)(?: that)?(?! so\b)"
    r"|leider|aber|also|na ja|nun|ach|tja|ehrlich gesagt|kurz gesagt|(?:die )?(?:kurze )?antwort(?: ist)?|gute frage|schade|zum gluck"
    r"|malheureusement|mais|helas|alors|eh bien|bonne question|en fait|(?:la )?reponse(?: est)?|desolee?"
    r"|lamentablemente|pero|desafortunadamente|bueno|pues|buena pregunta|en realidad|(?:la )?respuesta(?: es)?|por desgracia"
    r"|no (?:problem|worries|doubt)|kein problem|keine sorge|pas de (?:probleme|souci)|sin (?:problema|duda)s?|без проблем"
    r"|к сожалению|но|ну|увы|хороший вопрос|на самом деле|(?:короткий )?ответ)\b"
    r"|答案(?:是)?|很遗憾|很遺憾|抱歉|嗯|那么|残念ながら|申し訳ありませんが|ええと|答えは)[\W_]*){0,3}"
)

_NO: Final = _any(
    rf"(?:no|nope|nah){_FINE}\b{_NUMBERED}|not{_NOT_ONLY}\b|never(?! mind\b)\b|neither\b|none\b|nothing\b|(?:incorrect|negative)\b|wrong\b|false\b",
    r"(?:absolutely|definitely|certainly|of course|i'm afraid|i am afraid|probably|surely) not\b|by no means\b|i (?:do not|don't) (?:think|believe) so\b",
    r"(?:that|this|it)(?:'s| is) (?:quite |really |entirely |simply )?(?:incorrect|wrong|false|impossible|unsafe|untrue)\b",
    r"nein\b|nee\b|keineswegs\b|keinesfalls\b|auf keinen fall\b|niemals\b|falsch\b|kein\w{0,2}(?! (?:problem|sorge|frage|zweifel)\b)\b",
    r"(?:naturlich |sicher |eher |stimmt |noch |bestimmt )?nicht(?! nur\b)\b|das (?:stimmt nicht|ist falsch|geht nicht)\b",
    r"non\b|(?:absolument )?pas(?! (?:de probleme|de souci|seulement)\b)\b|faux\b|bien sur que non\b|jamais\b|c'est faux\b",
    r"falso\b|incorrecto\b|en absoluto\b|claro que no\b|por supuesto que no\b|nunca\b|tampoco\b",
    r"нет\b|неверно\b|неправильно\b|нельзя\b|не(?! (?:только|беспокой\w{1,4}|волну\w{1,4})\b)\b|ни в коем случае\b|конечно нет\b|никогда\b",
    r"不(?![过過仅僅但只同妨久少客])|[没沒]有|[没沒](?=[,。!\s]|\Z)|否(?![则則])|[并並]不|[错錯](?![过過])|恐怕不|[无無]法|未必",
    r"いいえ|い[えや](?=[、,。!\s]|\Z)|違い?ます|ちがいます|違う|そうではありません|間違い|誤り",
)
_YES: Final = _any(
    r"(?:yes|yeah|yep|yup|absolutely|definitely|certainly|indeed|affirmative|exactly|correct|of course|sure|precisely|by all means)\b",
    rf"(?:right|true|still true|agreed|very much so){_EDGE}|i (?:do )?(?:think|believe|hope) so\b|that (?:works|would work|will work|will do)\b",
    r"(?:that|this|it|you)(?:'s|'re| is| are) (?:still |absolutely |quite |indeed |perfectly )?(?:correct|right|true|fine|ok|okay|safe|possible|allowed)\b",
    r"(?:ja|jawohl|jep|doch|genau|richtig|naturlich|selbstverstandlich|sicher|stimmt|korrekt|klar|auf jeden fall|gewiss)\b",
    rf"das (?:stimmt|ist (?:richtig|korrekt|wahr|moglich)|geht|passt){_EDGE}",
    rf"(?:oui|ouais|exactement|tout a fait|absolument|bien sur|effectivement|en effet|d'accord|certainement)\b|(?:exact|si){_EDGE}",
    rf"c'est (?:exact|vrai|correct|juste|possible|bien ca){_EDGE}",
    r"(?:claro|por supuesto|desde luego|efectivamente|exactamente|correcto|cierto|asi es|es (?:correcto|cierto|verdad|posible))\b",
    r"(?:да|конечно|верно|правильно|точно|разумеется|безусловно|именно|так и есть|можно|это (?:верно|правда|так|правильно))\b",
    r"是(?!否|不是|什么|因为|由|一|这|那)|[对對](?=[的,。!\s]|\Z)|[没沒][错錯]|正[确確]|[当當]然|可以|[会會]的|[能行有](?=[,。!的\s]|\Z)|[确確][实實]",
    r"はい|(?:ええ|うん)(?=[、,。!\s]|\Z)|そうです|その通り|おっしゃる通り|もちろん|正しいです|正解|大丈夫です|可能です",
)
_AFTER_COMMA_NO: Final = _any(rf"[^,:]{{1,100}}[,:] (?:but |so |then )?(?:no|nein|non|нет){_EDGE}")
_AFTER_COMMA_YES: Final = _any(rf"[^,:]{{1,100}}[,:] (?:but |so |then )?(?:yes|ja|oui|да){_EDGE}")
_SI: Final = re.compile(r"sí\b")
"""With its accent: without, it is "if" as often."""

_DENIES: Final = _any(
    r"(?:(?:since|because|if|as|with|given|for|in|at|on|by|after|before|according to)\b[^,]{0,90}, )?"
    r"(?!(?:i|what|who|which|why|how|if|when|where|while|although|whether)\b)"
    rf"(?:{_WORD}){{1,5}}?(?:{_AUX} not|cannot|{_AUX}n't|won't|can't|(?:is|are) no longer){_NOT_ONLY}\b",
    rf"[a-z]{{1,15}}'(?:s|re) not{_NOT_ONLY}\b",
    rf"(?:{_WORD}){{1,5}}?(?:is|are|has|have|contains?|needs?) no{_FINE}\b|i (?:would not|wouldn't|do not recommend|don't recommend)\b",
    rf"(?:{_WORD}){{1,6}}?(?:nicht(?! nur\b)|keine?[mnrs]?(?! (?:problem|sorge|frage)\b))\b",
    rf"(?:{_WORD}){{0,4}}?(?:ne |n')[^\s,.:;]{{1,30}} (?:{_WORD}){{0,2}}?(?:pas|plus|jamais)(?! seulement\b)\b",
    rf"(?:{_WORD}){{0,4}}?no (?:es|son|esta|estan|pued\w{{1,2}}|deb\w{{1,2}}|hay|se|va|has|ha|tiene|tienes|hace|necesitas?|seria|fue|era)\b",
    rf"(?:{_WORD}){{0,4}}?(?:не(?! только\b)|нельзя|нет)\b",
    r"[^,。!?]{0,10}?(?:(?<!是)不是|(?<!能)不能|(?<!可)不可以|(?<!行)不行|(?<!会)不会|(?<![对對])不[对對]|不[应應]|[没沒]有|不需要|不必|不适合|不適合|不含|[无無]法)",
    r"[^。!?]{0,60}?(?<!かもしれ)(?<!構い)(?<!かまい)(?<!問題あり)(?<!問題)(?<!なければなり)(?:ません|ないです|できない|ではない|じゃない)(?=[、。]|\Z)",
)
_GRANTS: Final = _any(
    r"(?!(?:i|what|who|how|which|where|when|if|that) )[a-z]{1,15}(?: certainly| definitely| still| absolutely)? can(?!'|not\b)(?! (?:not|no|vary|depend|be either)\b)\b",
    r"you may\b(?! (?:not|no|want|need|have|be)\b)|(?:it|he|she|this|that) (?:does|did)(?! not\b| n't)\b",
    rf"(?:it|they|he|she|you|that|this|we|i|there) (?:is|are|does|do|did|can|will|would|should|has|have|was|were)(?: indeed)?{_EDGE}",
    r"(?:du kannst|sie konnen|man kann|du darfst|sie durfen|das geht)\b",
    r"(?:tu peux|vous pouvez|on peut)\b|(?:puedes?|pueden|se puede)\b|(?:вы можете|ты можешь|это можно)\b",
    r"[您你]?(?:可以|能够|能夠)|[^。!?]{0,60}?(?:できます|大丈夫です|問題ありません|構いません|可能です)(?=[、。]|\Z)",
)
_OPENS: Final = _any(
    r"(?:sure|certainly|of course|absolutely|okay|ok|klar|gern|naturlich|bien sur|claro|por supuesto|конечно)\b[\s,.!:-]{0,4}",
    r"(?:好的|当然|當然|もちろん(?:です)?|はい)[、,。!]?",
)
_HELPS: Final = _any(
    r"(?:here|let me|let's|i can|i'd be|i'll|i will|happy to|hier (?:ist|sind|kommt)|ich|voici|je vais|aqui|te |le |вот|давайте|以下|这是|让我|以下が)",
)
_IN_ORDER: Final[tuple[tuple[YesOrNo, re.Pattern[str]], ...]] = (
    ("no", _NO),
    ("yes", _YES),
    ("no", _AFTER_COMMA_NO),
    ("yes", _AFTER_COMMA_YES),
    ("no", _DENIES),
    ("yes", _GRANTS),
)


class Polarity(msgspec.Struct, frozen=True):
    """What a text says, and the words of it that say so."""

    says: YesOrNo
    span: Span


def polarity_of(text: str) -> Polarity | None:
    """Whether the text says yes or no; None where no sentence of it decides. Its first 20,000 characters are read."""
    reading = read(text[:MAX_CHARACTERS], ())
    for index, (first, last) in enumerate(reading.sentences):
        sentence = reading.plain[first : min(last, first + _LONGEST)].rstrip()
        if _is_lead_in(sentence, reading.sentence(index + 1) if index + 1 < len(reading.sentences) else ""):
            continue
        lead = _LEAD.match(sentence)
        start = lead.end() if lead else 0
        said = _said(sentence, start, reading.folded.text[first : first + len(sentence)])
        if said is not None:
            says, end = said
            return Polarity(says, reading.folded.span(first + start, first + end))
    return None


def _is_lead_in(sentence: str, following: str) -> bool:
    """Whether it only opens the help that follows: "Sure! Here is the list:"."""
    opened = _OPENS.match(sentence)
    return opened is not None and _HELPS.match(sentence[opened.end() :] or following) is not None


def _said(sentence: str, start: int, accented: str) -> tuple[YesOrNo, int] | None:
    """What the sentence says from there on, and where the words end that say so. Words of denial are tried first."""
    if sentence.endswith("?"):
        return None
    if _SI.match(accented, start):
        return "yes", start + len("si")
    for says, pattern in _IN_ORDER:
        match = pattern.match(sentence, start)
        if match is not None:
            return says, match.end()
    return None
