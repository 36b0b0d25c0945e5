# ruff: noqa: E501, RUF001 - tables of words of many scripts
"""Is a phrase denied where it stands: "no walnuts", "instead of Friday", "walnut-free"?

Words before and behind the phrase, within its clause, in English, German, French, Spanish, Russian, Chinese and
Japanese. Rules and tables, no grammar: what is denied in words that nobody listed counts as said. Texts are folded and
unaccented, as ``matching`` has them. At most ``REACH`` characters on each side are read, so that time does not depend
on the length of the reply.
"""

from __future__ import annotations

import re
from typing import Final

REACH: Final = 80
"""So many characters before and behind a phrase are looked at."""

_BREAK: Final = re.compile(r"[.!?;:\n。]|\s-+\s")
_TOKEN: Final = re.compile(r"\w+(?:'\w+)*|,")
_CUT_WORD: Final = re.compile(r"\A\w+")
_ASIDE: Final = re.compile(r"\([^()]*\)")

_CONTRAST: Final = re.compile(
    r"(?<! any)(?<! anything)(?<! every)(?<! everything)(?<! all) but "
    r"| (?:however|although|though|whereas|aber|sondern|jedoch|mais|pero|sino|но|зато|, а) "
)

# What takes a thing away: lists may follow ("without milk, eggs or walnuts").
_AWAY: Final = (
    r"no(?! (?:problems?|worries|doubts?|matter|wonder|question|idea|objections?|harm|issues?|later than|earlier than|"
    r"sooner|fewer|less|more than|solo|solamente|unicamente|hay problemas?|pasa nada|antes|esta mal|importa|longer)\b)"
    r"|without(?! (?:doubt|question|hesitation|fail)\b)|w o|non|neither|nor|none of|free (?:of|from)|zero|0|minus|unlike"
    r"|avoid\w{0,3}|skip\w{0,4}|omit\w{0,4}|exclud\w{1,3}|remov\w{1,3}|bann?\w{0,3}|dislik\w{1,3}|hate[sd]?"
    r"|leav(?:e|es|ing) out|left out|rid of|nothing with|except(?: for)?|allerg(?:ic|y) to|intolerant (?:to|of)"
    r"|(?:any|anything|every|everything|all) but|replac\w{1,3}(?! (?:with|by)\b)|swap\w{0,4}(?! (?:in|for)\b)"
    r"|kein\w{0,2}(?! (?:problem|zweifel|wunder|sorge|frage|thema)\w{0,2}\b)|ohne(?! (?:zweifel|frage|weiteres|probleme)\b)"
    r"|weder|frei von|vermeid\w{1,3}|meid\w{1,3}|verzicht\w{1,3} auf|allergi\w{1,5} gegen|ersetz\w{1,3}"
    r"|pas d(?:e(?! (?:problemes?|soucis?|quoi)\b)|u|es)?|sans(?! (?:doute|problemes?|soucis?|hesiter|oublier)\b)|ni|aucune?"
    r"|evit\w{1,4}|quit(?:ar?|e[ns]?|ado|amos)|allergi(?:que|es?) (?:aux?|a)|remplac\w{1,4}|sin(?! (?:duda|problemas?|embargo|dudar)\b)|ningun\w?"
    r"|libre de|alergi\w{1,2} a|sustitu\w{1,5}|reemplaz\w{1,4}"
    r"|без(?! (?:проблем|сомнени\w|вопросов)\b)|ни|нет(?! (?:проблем|сомнени\w)\b)|никак\w{1,3}|исключ\w{1,6}|избега\w{1,4}"
    r"|кроме|аллерги\w{1,3} на|замен\w{1,4}"
)
# What denies a statement, as far as the next comma.
_NOT: Final = (
    r"(?:not|cannot|\w{2,8}n't|never)(?! (?:only|just|merely|simply|solely|bad|to mention|until|before|later|earlier|unless|"
    r"least|a bad|a problem|worry|mind|hesitate|miss|resist|regret|go wrong|hurt|beat|wait|get enough)\b)"
    r"|(?:nicht|nie|niemals)(?! (?:nur|bloss|allein|zuletzt|schlecht|vor|bis|spater|fruher)\b)"
    r"|(?:pas|jamais)(?! (?:seulement|uniquement|que|mal|avant|grave|d|de|du|des)\b)|nunca|tampoco"
    r"|(?:не|никогда)(?! (?:только|раньше|позже|позднее|проблема|против|исключено|просто|плохо|менее|более)\b)|нельзя"
)
# What stands in another's place, or did once.
_INSTEAD: Final = (
    r"instead of|rather than|in (?:place|lieu) of|other than|as opposed to|no longer|used to be|originally|initially|"
    r"previously|formerly|(?:moved?|chang(?:e|ed|ing)|switch(?:ed)?|shift(?:ed)?|rescheduled)(?: \w+){0,2} from|"
    r"statt|anstatt|anstelle(?: von)?|ursprunglich|au lieu d(?:e|u|es)?|plutot qu(?:e)?|initialement|"
    r"en (?:vez|lugar) del?|originalmente|вместо|изначально"
)
_TURNS_BACK: Final = (
    r"without|ohne|sans|sin|без|avoid\w{0,3}|skip\w{0,4}|omit\w{0,4}|remov\w{1,3}|leav(?:e|es|ing) out|left out"
)

_AND: Final = r"and|und|et|y|и"
_OR: Final = r"or|oder|ou|o|или"
_ADDS: Final = (
    r"add|adds|adding|use|using|with|put|include|some|plus|gib|nimm|mit|ajoutez?|avec|anade|con|добавь\w{0,2}|с"
)
_REASONS: Final = (
    r"because|since|thanks|due|so|then|therefore|instead|if|when|while|weil|denn|dank|dann|deshalb|stattdessen|car|donc|porque|entonces|"
    r"потому|поэтому"
)
_PRONOUNS: Final = r"i|i'd|i'll|you|we|it|it's|they|he|she|let's|ich|du|sie|wir|je|tu|vous|nous|yo|usted|я|ты|вы|мы|just|only|is|are|es|est|c'est|ist|son|sind|это"
_BOTH: Final = rf"(?:{_AND}) (?:{_ADDS})|{_REASONS}|with|by|for|durch|mit|par|avec|con|por|на|с"
_FREE: Final = rf"(?: (?!(?:{_BOTH}) )[^ ,]+)"
_LISTED: Final = rf"(?: (?!(?:{_BOTH}|{_ADDS}|{_PRONOUNS}) )[^ ,]+)"
_DENIED: Final = rf"(?: (?!(?:{_AND}|{_REASONS}|{_TURNS_BACK}) )[^ ,]+)"

_BEFORE: Final = re.compile(
    rf"(?<! why)(?<! warum)(?<! pourquoi)(?<! por que) (?:"
    rf"(?:{_AWAY})(?:{_FREE}{{0,4}}|{_FREE}{{1,4}}(?: ,{_LISTED}{{0,2}}){{1,5}})"
    rf"|(?:{_NOT}){_DENIED}{{0,4}}"
    rf"|(?:{_INSTEAD})(?: (?!(?:to|auf|a|al|на) )[^ ,]+){{0,2}}"
    r") \Z"
)
_TWICE: Final = re.compile(
    r" (?:no|not|never|nothing|nobody|cannot|\w{2,8}n't|nicht|nie|kein\w{0,2}|pas|jamais|rien|nada|nunca|не|нельзя)"
    rf"(?: (?!(?:{_AND}|{_OR}|nor|ni|ни) )[^ ,]+){{0,5}} (?:{_TURNS_BACK})(?: [^ ,]+){{0,4}} \Z"
)
_REMEMBERED: Final = re.compile(
    r"[ '](?:forg[eo]t\w{0,5}|vergiss|vergess\w{1,2}|oubli\w{1,3}|olvid\w{1,4}|забуд\w{1,3}|забыва\w{1,4}) "
)

_AUX: Final = r"is|are|was|were|do|does|did|can|could|will|would|should|must|may|might|has|have|had|needs?"
_BE: Final = r"(?:(?:is|are|was|were|has been|have been|(?:should|must|can|will|to) be) )"
_HELD: Final = r"(?! (?:only|just|merely|bad|a problem|a bad|hurt|matter|nur|schlecht|seulement|solo|только)\b)"
_BEHIND: Final = re.compile(
    rf"\A (?:(?:{_AUX}) (?:not|never){_HELD}|(?:cannot|\w{{2,6}}n't){_HELD}|(?:is|are) no longer"
    rf"|{_BE}(?:out|off|excluded|omitted|removed|avoided|forbidden|banned|gone|impossible|unavailable|replaced|left out)"
    r"|(?:excluded|omitted|removed|left out)\b|at first\b|(?:allerg|intoleran)\w{1,4}|(?:wurde |ist )?auf [^ ,]+ (?:verschoben|verlegt)"
    r"|(?:sind|ist|war|waren|geht|gehen|passt|passen|gehoren|kommt|kommen|darf\w{0,2}|durf\w{1,2}|soll\w{0,4}|wird|werden"
    r"|kann\w{0,2}|konn\w{1,2})"
    rf"(?: (?!{_AND} )[^ ,]+){{0,2}} (?:nicht{_HELD}|tabu|raus|ausgeschlossen|verboten)"
    r"|nicht \Z|(?:weg|weglassen|verzichten|vermeiden|meiden)\b"
    rf"|(?:ne [^ ,]+|n'[^ ,]+)(?: [^ ,]+)? (?:pas|plus|jamais){_HELD}|(?:est|sont) (?:exclu|interdit|a eviter)\w{{0,2}}"
    r"|no (?:es|son|esta|estan|van?|debe|deben|puede|pueden|se|hay|lleva|llevan|entran?|sirven?)\b"
    r"|(?:[^ ,]+ )?(?:не (?:подход|нужн|буд|долж|мо[гж]|вход|добав|использ|рекоменд|стоит|надо|год)\w{0,6}"
    r"|нет|нельзя|исключ\w{1,6}|запрещ\w{1,4}))"
)
_LEFT_OUT: Final = re.compile(r" (?:leav(?:e|es|ing)|left|keep|keeps|kept|cut|take)(?: [^ ,]+){0,2} \Z")
_KEPT_FREE: Final = re.compile(r" (?:have|has|had|keep|keeps|kept|got|leave|is) \Z")
_FREE_OF: Final = re.compile(r"[\"')\]*_]{0,3}-?(?:free|frei(?:e[mnrs]?)?)\b")
_SPACED_FREE: Final = re.compile(r" free\b")
_ANSWERED: Final = re.compile(
    r"['\"*_]{0,3}\s?[:(]\s?(?:no|none|zero|0|nein|keine?|non|aucune?|ningun\w|нет|无|無|没有|なし)(?=\s*(?:[.,;)|\n]|\Z))"
)

_DOUBTED: Final = re.compile(r"(.)[不没沒]\1")
_HAN_BEFORE: Final = re.compile(
    r"(?:不(?![仅僅但只光过過错錯妨同少断斷久管论論然如足明]|一定|得不|可欠|思議|客[气氣])(?:[^,。!?;:\n但而却卻就]{0,10})"
    r"|[没沒](?!问题|問題|错|錯|关系|關係|准)(?:[^,。!?;:\n但而却卻就]{0,10})"
    r"|(?<![特分区區个個级級性告识識类類差])[别別](?![的人名墅忘])(?:[^,。!?;:\n但而却卻就]{0,6})"
    r"|(?:避免|避开|避開|禁止|拒绝|拒絕|去掉|去除|代替|取代|替代|替换|替換|并非|並非|[勿忌])(?:[^,。!?;:\n但而却卻就]{0,6})"
    r"|[无無](?:任何)?|原[定本先](?:是|在|于|於)?|(?:原来|原來)(?:是|定在))\Z"
)
_HAN_BEHIND: Final = re.compile(
    r"(?:[都也就]?不(?:行|能|要|可|用|放|加|合适|合適|方便|适合|適合|需要|包括|在内)|除外|免了|过敏|過敏)"
)
_KANA_BEHIND: Final = re.compile(
    r"(?!だけ|しか)(?:入り|など)?(?:なし|無し|抜き|ぬき|フリー|不使用|アレルギー|以外|の代わり|を除|を避|を控|をやめ|を止め|を抜"
    r"|(?:では|じゃ|には|は|を|が|も|に|の)(?!.{0,8}(?:問題|構い|かまい|間違い|違い|かもしれ|なければ|なくて[はも]|ないと|ませんか))"
    r"[ぁ-ゖァ-ヺー一-鿿]{0,8}?(?:ない|なく|なし|ません|ずに))"
)


def is_negated(text: str, start: int, end: int) -> bool:
    """Whether what stands at ``text[start:end]`` is denied or kept away there. ``text`` is folded and unaccented."""
    clause = _clause_before(text, start)
    before = _words(clause)
    before = f" {_CONTRAST.split(before)[-1].lstrip()}"
    if _REMEMBERED.search(before):
        return False
    if _BEFORE.search(before):
        return not _TWICE.search(before)
    return bool(_HAN_BEFORE.search(_DOUBTED.sub("", clause.rstrip(" *_\"'")))) or _is_denied_behind(text, end, before)


def _clause_before(text: str, start: int) -> str:
    """What stands before, from the beginning of the clause."""
    first = max(0, start - REACH)
    near = text[first:start]
    if first and text[first - 1].isalnum():
        near = _CUT_WORD.sub("", near)
    return _BREAK.split(_ASIDE.sub(" ", near))[-1]


def _words(clause: str) -> str:
    """Its words and commas, each between single spaces."""
    return f" {' '.join(_TOKEN.findall(clause))} ".replace("  ", " ")


def _is_denied_behind(text: str, end: int, before: str) -> bool:
    near = text[end : end + REACH]
    if _FREE_OF.match(near) or _ANSWERED.match(near) or _HAN_BEHIND.match(near) or _KANA_BEHIND.match(near):
        return True
    if _SPACED_FREE.match(near) and not _KEPT_FREE.search(before):
        return True
    behind = _words(_BREAK.split(near)[0].partition(",")[0])
    return bool(_BEHIND.match(behind)) or (behind.startswith((" out ", " off ")) and bool(_LEFT_OUT.search(before)))
