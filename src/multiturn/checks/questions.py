# ruff: noqa: E501, RUF001 - tables of words of many scripts
"""Which questions a text puts to its reader, in its own voice.

Every sentence that ends as a question does, but for headings, quotations, code, letters, and a question that the very
next sentence plainly answers ("Why? Because ...", "What is that? It is ..."). English, German, French, Spanish,
Russian, Chinese and Japanese.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from multiturn.checks.part import Part
from multiturn.checks.structure import lines_of
from multiturn.finding import Span
from multiturn.text.fold import fold
from multiturn.text.own_voice import Reading, read

MAX_CHARACTERS: Final = 20_000
"""Only the last so many characters are searched for questions."""

_ASKS: Final = re.compile(r"(?:[?؟][!?؟]{0,5}|[すんのうたるい]か[なね]?[。!]?|[吗嗎][。!]?)[\s)\]\"'」』*_~]{0,9}\Z")
_I_SEE: Final = re.compile(r"(?:そうです|なるほど|かどう)か[。!\s]*\Z")
_TO_USER: Final = re.compile(
    r"\b(?:you|your|yours|u|du|dich|dir|dein\w{0,2}|ihr|euch|ihnen|sie|tu|te|toi|vous|votre|vos|tes|ton|ta|usted(?:es)?|"
    r"tienes|quieres|prefieres|puedes|necesitas|вы|вас|вам|ваш\w{0,2}|ты|тебя|тебе|тво\w{1,2})\b|[你您]|あなた|ご[一-鿿]|お[一-鿿]"
)
_ANSWERED: Final = tuple(
    (re.compile(rf"[\W_]*(?:{question})"), re.compile(rf"[\W_]*(?:{answer})"))
    for question, answer in (
        (
            r"(?:and |but |so )?(?:what|why|how|who|where|when|which)\b",
            r"because\b|(?:it|they|that|this|these|he|she)(?: is| are| was| were|'s|'re)\b(?! (?:not|no|needed|important|required|missing|unclear|unknown|unreadable|cut|for|only|so that|hard|in case)\b)",
        ),
        (
            r"(?:und |aber |also )?(?:was|warum|wieso|weshalb|wie|wer|wo|wann|welche\w?)\b",
            r"weil\b|(?:es|das|sie|er) (?:ist|sind|war)\b(?! (?:nicht|wichtig|notig|unklar)\b)",
        ),
        (
            r"(?:et |mais )?(?:que|qu'|pourquoi|comment|qui|ou|quand|quel\w{0,3})\b",
            r"parce qu|car\b|(?:c'est|ce sont|c'etait)\b(?! (?:pas|important|pour)\b)",
        ),
        (
            r"(?:y |pero )?(?:que|por que|como|quien|donde|cuando|cual)\b",
            r"porque\b|(?:es|son|fue)\b(?! (?:para|importante|necesari\w)\b)",
        ),
        (
            r"(?:а |и |но )?(?:что|почему|зачем|как|кто|где|когда|како\w{1,2})\b",
            r"потому что\b|это\b(?! (?:не|важно|нужно)\b)",
        ),
        (r".{0,40}(?:什么|為什麼|为什么|怎么|怎麼|谁|誰|哪)", r"(?:是|那是|这是|這是)?因[为為]|[它这這那]是(?!否)"),
        (r".{0,40}(?:なぜ|何|どうして|誰)", r"なぜなら|.{1,60}からです"),
    )
)
"""A question that a text puts to itself, and how the next sentence then begins; each pair is of one language."""

_RHETORICAL: Final = re.compile(
    r"[\W_]*(?:(?:and |but |so )?the (?:answer|result|catch|best part|problem|reason|trick|secret|point|upshot|verdict)"
    r"|guess what|(?:do )?you know what)\?"
)
"""They only lead up to the next sentence."""

_BOLD_LINE: Final = re.compile(r"[ \t]*(\*\*|__)[^\n]*\1:?[ \t]*\Z")
_PRESENTS: Final = re.compile(r"[:：][\s*_]{0,4}\Z")
_FIRST_CHOICE: Final = re.compile(r"[\s*_-]{0,6}\(?[Aa][).]")


def questions_in(part: Part) -> Iterator[Span]:
    """The questions that the text puts to the user, in order; of a very long one, those near its end."""
    skipped = max(0, len(part.text) - MAX_CHARACTERS)
    reading = read(_without_titles(part.text[skipped:]), ())
    for index, (start, end) in enumerate(reading.sentences):
        sentence = reading.plain[start:end]
        if _ASKS.search(sentence) and not _I_SEE.search(sentence) and not _is_answered(reading, index):
            found = reading.folded.span(start, end)
            yield part.span(skipped + found.start, skipped + found.end)


def _without_titles(text: str) -> str:
    """The text with its headings blanked, and with the bold lines that stand above other text as headings do."""
    pieces: list[str] = []
    done = 0
    lines = [line for line in lines_of(text) if text[line.start : line.end].strip()]
    for before, line, behind in zip([None, *lines], lines, [*lines[1:], None], strict=False):
        written = text[line.start : line.end]
        above = text[before.start : before.end] if before else ""
        title = behind is not None and _is_title(written, above, text[behind.start : behind.end])
        if line.kind == "heading" or title:
            pieces += [text[done : line.start], " " * len(written)]
            done = line.end
    return "".join([*pieces, text[done:]])


def _is_title(written: str, above: str, below: str) -> bool:
    """Whether a bold line heads what follows: no colon presents it, it offers no choice, and it says no "you"."""
    return (
        _BOLD_LINE.match(written) is not None
        and not _PRESENTS.search(above)
        and not _FIRST_CHOICE.match(below)
        and not _TO_USER.search(fold(written))
    )


def _is_answered(reading: Reading, index: int) -> bool:
    """Whether the next sentence plainly answers what this one asks."""
    sentence = reading.sentence(index)
    following = reading.sentence(index + 1) if index + 1 < len(reading.sentences) else ""
    if not following or _ASKS.search(following):
        return False
    if _RHETORICAL.match(sentence):
        return True
    return not _TO_USER.search(sentence) and any(
        asked.match(sentence) and answered.match(following) for asked, answered in _ANSWERED
    )
