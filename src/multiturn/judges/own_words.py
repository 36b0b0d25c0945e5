# ruff: noqa: RUF001 - quotation marks of many scripts
"""What a judge says in its own words: its thoughts, its quotations and the code it shows are blanked.

Blanked means replaced by spaces, one for each character, so that places stay. A judge quotes what it judges, and a
reply may hold a verdict that somebody would like to be given: only what the judge says itself can be one.

One sort of quotation is the judge's own: prompts show the verdict's form in quotation marks, and judges copy the marks
with it (``Output: "[[A]]"``; a quarter of one published judge's). It stays if it holds nothing but a verdict
and the judge announces it as its own.

Knows Markdown's fences and quotations and the tags of reasoning; of verdicts only how one is announced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_TAG: Final = r"think|thinking|thoughts?|reasoning"
_OPENING: Final = re.compile(rf"<(?:{_TAG})>|\[think\]", re.IGNORECASE)
_LEADING: Final = re.compile(rf"\s*(?:{_OPENING.pattern})", re.IGNORECASE)
_CLOSING: Final = re.compile(rf"</(?:{_TAG})>|\[/think\]", re.IGNORECASE)
_FENCE: Final = re.compile(r"^[ \t]{0,12}(?P<marks>`{3,}|~{3,})(?P<info>[^\n`]*)$", re.MULTILINE)
_CITED: Final = re.compile(
    r"^[ \t]{0,3}>[^\n]*"
    r"|(?<!`)`[^`\n]{1,300}`(?!`)"
    r"|(?<![\w\[])\"(?=\S)[^\"\n]{1,600}(?<![\[\s])\"(?!\w)"
    r"|“[^“”\n]{1,600}”|„[^„“”\n]{1,600}[“”]|«[^«»\n]{1,600}»|「[^「」\n]{1,600}」|『[^『』\n]{1,600}』"
    r"|(?<![\w\[])['‘](?=\S)(?:[^'‘’\n]|['’](?=\w)){1,200}(?<!\s)['’](?!\w)",
    re.MULTILINE,
)
_SEARCHED: Final = 100
_ONLY_A_VERDICT: Final = re.compile(
    r".(?:(?:final |overall )?(?:rating|score|grade|verdict|label|winner):\s?)?\[\[[^\[\]]{1,30}\]\]\.?.", re.IGNORECASE
)
_ANNOUNCED: Final = re.compile(
    r"(?:^|[.!?]\s)[\s*_#>-]{0,8}(?:(?:therefore|thus|hence|so|consequently|accordingly|overall|finally|ultimately|in\sconclusion),?\s)?"
    r"(?:(?:my|the)\s)?(?:final\s|overall\s){0,2}"
    r"(?:output|verdict|rating|score|grade|winner|label|decision|choice|judge?ment)"
    r"[*_]{0,3}(?:\sis)?\s?[:=]?[*_\s]{0,6}$"
    r"|\bi(?:['’]d|\swould|\swill)?\s(?:rate|grade|score)\s(?:it|(?:this|the)\s(?:[\w'’]{1,20}\s)?(?:reply|response|answer))"
    r"(?:\s(?:as|a|an|at|with))?(?:\sfollows)?:?\s?$",
    re.IGNORECASE,
)
_CONTROL: Final = re.compile(r"<\|[^|<>\s]{1,30}\|>|</?s>|<(?:end|start)_of_turn>")
_SEEN: Final = re.compile(r"[^\n]")


def own_words(text: str) -> str:
    """The text with all that is not the judge's own statement blanked; as long as ``text``, line for line.

    Thoughts that never end leave nothing after them; an end of thoughts that nothing began leaves nothing before it. A
    fence that is never closed goes to the end.
    """
    shown = _blanked(text, _leading_thoughts(text))
    shown = _blanked(shown, _fenced(shown))
    shown = _CITED.sub(_blank_citation, shown)
    shown = _blanked(shown, _thoughts(shown))
    return _CONTROL.sub(_blank, shown)


def without_leading_thoughts(text: str) -> str:
    """The text with the thoughts before it blanked, and nothing else: what is looked through for JSON."""
    return _blanked(text, _leading_thoughts(text))


def _blank(match: re.Match[str]) -> str:
    return _SEEN.sub(" ", match[0])


def _blank_citation(match: re.Match[str]) -> str:
    """Blanked, but for the marks alone where the judge announces its own verdict and cites nothing else."""
    if _ONLY_A_VERDICT.fullmatch(match[0]) is None:
        return _blank(match)
    near = match.string[max(0, match.start() - _SEARCHED) : match.start()]
    before = near.rpartition("\n")[2] if "\n" in near or len(near) < _SEARCHED else f"x{near}"  # x: no line begins here
    return f" {match[0][1:-1]} " if _ANNOUNCED.search(before) else _blank(match)


def _blanked(text: str, places: Iterator[tuple[int, int]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in places:
        pieces += [text[done:start], _SEEN.sub(" ", text[start:end])]
        done = end
    return "".join([*pieces, text[done:]]) if pieces else text


def _leading_thoughts(text: str) -> Iterator[tuple[int, int]]:
    """Thoughts before anything else is said; what looks like a fence or a quotation in them is neither."""
    at = 0
    while opening := _LEADING.match(text, at):
        end = _CLOSING.search(text, opening.end())
        yield at, end.end() if end else len(text)
        at = end.end() if end else len(text)


def _thoughts(text: str) -> Iterator[tuple[int, int]]:
    """Thoughts further on: from a beginning to the next end, and up to an end that nothing began."""
    orphan = _CLOSING.search(text)
    first = _OPENING.search(text)
    at = 0
    if orphan and (first is None or orphan.start() < first.start()):
        yield 0, orphan.end()
        at = orphan.end()
    while opening := _OPENING.search(text, at):
        end = _CLOSING.search(text, opening.end())
        yield opening.start(), end.end() if end else len(text)
        at = end.end() if end else len(text)


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """Fenced blocks, their fences included.

    Inside a block a fence that names a language begins another one, since models quote replies without a longer fence;
    a fence that is shorter or of the other mark is text.
    """
    open_: list[str] = []
    start = 0
    for fence in _FENCE.finditer(text):
        marks, names = fence["marks"], bool(fence["info"].strip())
        if not open_:
            start = fence.start()
            open_.append(marks)
        elif marks[0] != open_[-1][0] or len(marks) < len(open_[-1]):
            continue
        elif names:
            open_.append(marks)
        else:
            open_.pop()
            if not open_:
                yield start, fence.end()
    if open_:
        yield start, len(text)
