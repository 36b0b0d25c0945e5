"""Kinds that count: count, one_sentence, shorter, longer."""

from __future__ import annotations

import math
from abc import abstractmethod
from decimal import Decimal
from typing import ClassVar

from multiturn.checks.back import back_in_words, require_back
from multiturn.checks.base import Kind, Look, failed, passed
from multiturn.checks.bounds import Bounds, counted
from multiturn.checks.counting import Of, count, first_surplus
from multiturn.checks.lead_ins import without_lead_in
from multiturn.checks.part import Part
from multiturn.checks.scope import part_of
from multiturn.conversation import require
from multiturn.finding import CheckResult
from multiturn.text.measure import count_words, sentence_spans


class Count(Kind, frozen=True, tag="count"):
    """Has so many sentences, words, lines ..."""

    of: Of
    min: int | None = None
    max: int | None = None
    exactly: int | None = None
    tolerance: int = 0

    positive: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _ = self.bounds  # says what is wrong with them

    @property
    def bounds(self) -> Bounds:
        """How many are fine."""
        return Bounds(min=self.min, max=self.max, exactly=self.exactly, tolerance=self.tolerance)

    @property
    def needs_end(self) -> bool:
        """What was cut off would have had more."""
        return self.bounds.most is not None

    def wants(self) -> str:
        """The number, in words."""
        return f"has {self.bounds.told(self.of)}"

    def decide(self, look: Look) -> CheckResult:
        """Where there are too many, the span is the first of them."""
        text = look.part.text
        number = count(self.of, text)
        told = f"has {counted(number, self.of)}"
        if self.bounds.fits(number):
            return passed(told)
        surplus = None if self.bounds.most is None else first_surplus(self.of, text, self.bounds.most)
        span = look.part.span(*surplus) if surplus and number >= self.bounds.least else None
        return failed(f"{told}, not {self.bounds.told(self.of)}", span)


class OneSentence(Kind, frozen=True, tag="one_sentence"):
    """Is one sentence; with ``allow_leadin``, behind "Sure! Here it is:" and the like."""

    allow_leadin: bool = False

    @property
    def needs_end(self) -> bool:
        """A second sentence may have been cut off."""
        return True

    def wants(self) -> str:
        """That it is one."""
        return "is one sentence"

    def decide(self, look: Look) -> CheckResult:
        """The span is the sentence, or the second one."""
        text = look.part.text
        start = without_lead_in(text) if self.allow_leadin else 0
        spans = sentence_spans(text[start:])
        if not spans:
            return failed("has no sentence")
        first, last = spans[min(1, len(spans) - 1)]
        span = look.part.span(start + first, start + last)
        return passed(self.wants(), span) if len(spans) == 1 else failed(f"has {len(spans)} sentences", span)


class _Compared(Kind, frozen=True):
    """What ``shorter`` and ``longer`` have in common: words, counted in the same scope of both replies."""

    back: int = 1
    floor: int = 0

    def __post_init__(self) -> None:
        require_back(self.back)
        require(self.floor >= 0, "floor must be 0 or more")

    def longest_back(self) -> int:
        """The turn whose reply it is compared with."""
        return self.back

    def decide(self, look: Look) -> CheckResult:
        """The words now against the words then."""
        where = back_in_words(self.back)
        then = look.reply_then(self.back)
        if then is None:
            return failed(f"there is no reply {where} to compare with")
        part = part_of(then, self.scope)
        words_then = count_words(then if part is None else part.text)
        if not words_then:
            return failed(f"the reply {where} has no words to compare with")
        text = look.part.text
        words = count_words(text)
        return self._compared(look.part, words, words_then, f"{counted(words, 'words')} against {words_then} {where}")

    @abstractmethod
    def _compared(self, part: Part, words: int, words_then: int, told: str) -> CheckResult:
        """The answer for so many words now and then; ``told`` says both."""


class Shorter(_Compared, frozen=True, tag="shorter"):
    """Has at most ``ratio`` times the words of the reply then, or at most ``floor`` words."""

    ratio: Decimal = Decimal("0.9")

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            self.ratio.is_finite() and 0 < self.ratio <= 1, "ratio must be over 0 and at most 1: words now / words then"
        )

    @property
    def needs_end(self) -> bool:
        """What was cut off would have had more."""
        return True

    def wants(self) -> str:
        """The ratio, in words."""
        floor = f" or of {counted(self.floor, 'words')} at most" if self.floor else ""
        return f"is at most {self.ratio:f} times as long as the reply {back_in_words(self.back)}{floor}"

    def _compared(self, part: Part, words: int, words_then: int, told: str) -> CheckResult:
        most = max(math.floor(self.ratio * words_then), self.floor)
        if words <= most:
            return passed(told)
        surplus = first_surplus("words", part.text, most)
        return failed(f"{told}: {most} would do", part.span(*surplus) if surplus else None)


class Longer(_Compared, frozen=True, tag="longer"):
    """Has at least ``ratio`` times the words of the reply then, and at least ``floor`` words."""

    ratio: Decimal = Decimal("1.1")

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.ratio.is_finite() and self.ratio >= 1, "ratio must be 1 or more: words now / words then")

    def wants(self) -> str:
        """The ratio, in words."""
        floor = f" and of {counted(self.floor, 'words')} at least" if self.floor else ""
        return f"is at least {self.ratio:f} times as long as the reply {back_in_words(self.back)}{floor}"

    def _compared(self, part: Part, words: int, words_then: int, told: str) -> CheckResult:  # noqa: ARG002 - quotes nothing
        least = max(math.ceil(self.ratio * words_then), self.floor)
        return passed(told) if words >= least else failed(f"{told}: {least} are needed")
