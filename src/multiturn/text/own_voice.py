# ruff: noqa: RUF001 - quotation marks and words of many scripts
"""A reply read for what its speaker says in its own voice: what is quoted, coded or written for others is blanked.

Blanked means replaced by spaces, so that offsets still point into the reply as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from multiturn.text.fold import Folded, fold_mapped, unaccented
from multiturn.text.measure import sentence_spans


class Reading(msgspec.Struct, frozen=True):
    """A reply ready for matching: folded and unaccented, and where its sentences are (offsets into ``plain``)."""

    folded: Folded
    plain: str
    sentences: tuple[tuple[int, int], ...]
    in_list: tuple[bool, ...]

    def sentence(self, index: int) -> str:
        """The sentence of this index, as it is matched."""
        start, end = self.sentences[index]
        return self.plain[start:end]


_CODE: Final = re.compile(r"```[\s\S]*?(?:```|\Z)|`[^`\n]{1,300}`(?!\w)|^[ ]{0,3}>[^\n]*|https?://\S+", re.MULTILINE)
_HEADING: Final = re.compile(r"^[ ]{0,3}#{1,6}(?=[ \t])", re.MULTILINE)
_QUOTED: Final = re.compile(
    r"\"[^\"\n]{1,600}\"|“[^”\n]{1,600}”|„[^“”\n]{1,600}[“”]|«[^»\n]{1,600}»|»[^«\n]{1,600}«|「[^」\n]{1,600}」|『[^』\n]{1,600}』"
    r"|(?<!\w)‘[^’\n]{1,300}’(?!\w)|(?<!\w)'(?=\S)(?:[^'\n]|'(?=\w)){1,300}'(?!\w)"
)
_QUOTE_MARK: Final = re.compile(r"[\"“”„«»「」『』]")
_LETTER: Final = re.compile(
    r"^[\s*_]{0,6}(?:subject|betreff|objet|asunto|oggetto|assunto|тема)[*_]{0,2}\s{0,2}[:：]"
    r"|^[\s*_]{0,6}(?:dear|liebe[rs]?|sehr geehrte\w{0,2}|chère?|cher|estimad[oa]s?|querid[oa]s?|gentile|caro|cara|"
    r"уважаем\w{2}|дорог\w{2}|尊敬的|亲爱的)\b[^\n]{0,60}[,:!，：][ \t]*$"
    r"|(?<=\n)[\s*_]{0,6}(?:hi|hello|hey|hallo|bonjour|hola)\s+[^\n,]{1,40}[,!][ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL: Final = re.compile(
    r"^[ \t*_-]{0,6}(?P<name>[^\W\d_][^\n:：.!?,;\"“]{0,30}?)[*_]{0,3}[:：][*_]{0,3}[ \t]+(?=\S)", re.MULTILINE
)
_OWN_LABELS: Final = frozenset(
    [
        *("assistant", "ai", "bot", "chatbot", "model", "answer", "response", "reply", "output", "a", "final_answer"),
        *("the_answer", "my_answer", "ai_assistant", "note", "disclaimer", "warning", "important", "antwort"),
        *(
            "réponse",
            "respuesta",
            "risposta",
            "resposta",
            "ответ",
            "回答",
            "回复",
            "答",
            "答案",
            "助手",
            "アシスタント",
            "답변",
        ),
    ]
)
_NO_NAMES: Final = frozenset(
    [
        *("say", "write", "reply_with", "try", "example", "text", "send", "message"),
        *("no", "yes", "nein", "ja", "non", "oui", "sí", "si", "нет", "да", "不", "是", "否", "いいえ", "はい"),
    ]
)
_LONGEST_NAME: Final = 3


def _blank(match: re.Match[str]) -> str:
    """Spaces in place of what was matched, so that offsets stay; line breaks are kept."""
    return re.sub(r"[^\n]", " ", match[0])


def read(text: str, control_tokens: Iterable[str]) -> Reading:
    """The reply with what is not the speaker's own voice blanked: code, quotations, other speakers, letters.

    A reply that is nothing but a quotation is taken at its word.
    """
    masked = text
    for token in sorted(filter(None, control_tokens), key=len, reverse=True):
        masked = masked.replace(token, " " * len(token))
    masked = _without_speakers(_HEADING.sub(_blank, _CODE.sub(_blank, masked)))
    unquoted = _QUOTED.sub(_blank, masked)
    masked = unquoted if any(char.isalnum() for char in unquoted) else _QUOTE_MARK.sub(" ", masked)
    letter = _LETTER.search(masked)
    if letter:
        masked = masked[: letter.start()] + re.sub(r"[^\n]", " ", masked[letter.start() :])
    folded = fold_mapped(masked)
    folded = msgspec.structs.replace(folded, original=text)
    spans = sentence_spans(masked)
    return Reading(
        folded=folded,
        plain=unaccented(folded.text),
        sentences=tuple((folded.index(start), folded.index(end)) for start, end in spans),
        in_list=tuple(_after_marker(masked, start) for start, _ in spans),
    )


def _without_speakers(text: str) -> str:
    """Blank the lines of a dialogue; of a single speaker's label, only the label, and only where it comes first."""
    labels = [match for match in _LABEL.finditer(text) if len(match["name"].split()) <= _LONGEST_NAME]
    if not labels:
        return text
    names = {_label_name(match) for match in labels}
    opens = not any(char.isalnum() for char in text[: labels[0].start()])
    others = names - _OWN_LABELS
    first = labels[0]
    dialogue = len(others) > 1 or (bool(others) and not opens)
    blanked: list[tuple[int, int]] = []
    if opens and (_label_name(first) in _OWN_LABELS or _is_a_name(_label_name(first))):
        blanked.append(first.span())
    if dialogue:
        spoken = [match for match in labels if match is not first or _label_name(match) in others]
        blanked += [(match.start(), _end_of_line(text, match.end())) for match in spoken]
    return _with_blanks(text, blanked)


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _with_blanks(text: str, spans: Iterable[tuple[int, int]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        pieces += [text[done:start], " " * (end - max(start, done))]
        done = max(done, end)
    return "".join([*pieces, text[done:]])


def _label_name(match: re.Match[str]) -> str:
    return "_".join(match["name"].strip(" *_").lower().split())


def _is_a_name(label: str) -> bool:
    """Whether a label can be what a model calls itself: one word that announces nothing."""
    return "_" not in label and label not in _NO_NAMES


_LONGEST_MARKER: Final = 400
"""A marker, its indent and what is blanked behind it are no longer than this."""


def _after_marker(text: str, start: int) -> bool:
    """Whether something (a list marker) stands before this place on its line."""
    near = max(0, start - _LONGEST_MARKER)
    line_start = text.rfind("\n", near, start) + 1
    if not line_start and near:
        return False
    line = text[line_start:start]
    return bool(re.search(r"[-*+•–]|\d[.)]", line)) and not re.search(r"[^\W\d_]", line)
