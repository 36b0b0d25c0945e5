"""The kind that looks for the model's own earlier words: quotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from multiturn.checks.back import Back, back_in_words, require_back, turns_back
from multiturn.checks.base import Kind, Look, failed, inapplicable, passed
from multiturn.checks.part import Part, whole
from multiturn.conversation import require
from multiturn.finding import CheckResult

MOST_WORDS: Final = 50

_ALONE: Final = (
    r"\u0e00-\u0eff\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
"""Each of these characters is a word: Thai, Lao, kana, Han."""

_WORD: Final = re.compile(rf"[{_ALONE}]|[^\W{_ALONE}]+")


class Quotes(Kind, frozen=True, tag="quotes"):
    """Repeats so many words in a row of an earlier reply, of each of them where there are several.

    A word is a run of letters and digits, in any case and typography; in Chinese, Japanese and Thai, one character.
    """

    back: Back
    words: int = 5

    def __post_init__(self) -> None:
        require_back(self.back)
        require(1 <= self.words <= MOST_WORDS, f"words must be from 1 to {MOST_WORDS}")

    def wants(self) -> str:
        """How many words, of which replies."""
        turns = " and ".join(back_in_words(back) for back in turns_back(self.back))
        return f"repeats {self.words} words in a row of the reply of {turns}"

    def longest_back(self) -> int:
        """To the furthest of the replies."""
        return max(turns_back(self.back))

    def decide(self, look: Look) -> CheckResult:
        """The span is the first run that is repeated."""
        said = _Words(look.part)
        spans = []
        for back in turns_back(self.back):
            reply = look.reply_then(back)
            if reply is None:
                return inapplicable(f"there is no reply of {back_in_words(back)}")
            then = _Words(whole(reply))
            if len(then.words) < self.words:
                return failed(f"the reply of {back_in_words(back)} has only {len(then.words)} words to repeat")
            start = said.first_run(then, self.words)
            if start is None:
                return failed(f"repeats no {self.words} words in a row of the reply of {back_in_words(back)}")
            spans.append(look.part.span_of_folded(*said.range_of(start, self.words)))
        return passed(self.wants(), spans[0])


class _Words:
    """The words of a part, and where they stand in its folded text."""

    def __init__(self, part: Part) -> None:
        matches = list(_WORD.finditer(part.folded.text))
        self.words: Sequence[str] = [match[0] for match in matches]
        self._places = [match.span() for match in matches]

    def runs(self, length: int) -> zip[tuple[str, ...]]:
        """Every run of so many words, in order."""
        return zip(*(self.words[start:] for start in range(length)), strict=False)

    def first_run(self, other: _Words, length: int) -> int | None:
        """The number of the first word of the first run that the other has too."""
        theirs = set(other.runs(length))
        return next((number for number, run in enumerate(self.runs(length)) if run in theirs), None)

    def range_of(self, first: int, length: int) -> tuple[int, int]:
        """Where so many words from this one stand."""
        return self._places[first][0], self._places[first + length - 1][1]
