"""The table of measures: what every comparison and every run has numbers for, and which turns each is about.

What this module does not know: how a turn's number comes about (``assess.py``), and what is made of it.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from multiturn.errors import UsageError
from multiturn.results import Orientation

if TYPE_CHECKING:
    from collections.abc import Callable

    from multiturn.conversation import Turn

About = Literal["any", "checked", "refusal_wrong", "refusal_right"]
"""Turns that a measure is about: any, those with checks, those at which the suite says that a refusal is wrong (right).
A conversation without such a turn is left out of the measure; nothing of it is missing."""

ABOUT: Final[dict[About, Callable[[Turn], bool]]] = {
    "any": lambda _turn: True,
    "checked": lambda turn: bool(turn.checks),
    "refusal_wrong": lambda turn: turn.refusal_expected is False,
    "refusal_right": lambda turn: turn.refusal_expected is True,
}
"""Whether a turn is one of those."""


class Measure(msgspec.Struct, frozen=True):
    """Something a turn can have a number for; ``share``: the number runs from 0 to 1 (a flag is 0 or 1).

    ``margin`` is the largest difference that counts as none: in the same unit where the number has bounds (0.1 of a
    share is ten points), else as a share of base's mean. ``scale`` are the ends of a number that has some and is no
    share, ``outlier`` how far off an interval lets one conversation be that was not held.
    """

    name: str
    share: bool
    orientation: Orientation
    about: About = "any"
    margin: float = 0.05
    scale: tuple[float, float] | None = None
    outlier: float | None = None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """What a turn's number lies between; None where nothing bounds it."""
        return (0.0, 1.0) if self.share else self.scale

    @property
    def most(self) -> float | None:
        """The largest difference there can be; None where there is no largest."""
        return None if self.bounds is None else self.bounds[1] - self.bounds[0]

    @property
    def extreme(self) -> float | None:
        """The largest difference of one conversation that is allowed for; None where none is."""
        return self.most if self.outlier is None else self.outlier

    def of(self, turn: Turn) -> bool:
        """Whether it is about this turn."""
        return ABOUT[self.about](turn)


PRIMARY: Final = "check_pass"
"""The measure that a comparison is about first."""

RATING: Final = "rating"
"""The mean grade of judges, where the replies of both runs were rated."""

RATING_SCALE: Final = (1.0, 10.0)
"""The grades of the measure; ratings on another scale are no part of it."""

MEASURES: Final = (
    Measure(PRIMARY, share=True, orientation="higher_is_better", about="checked", margin=0.1),
    Measure("turn_pass", share=True, orientation="higher_is_better", about="checked", margin=0.1),
    Measure("refusal_unexpected", share=True, orientation="lower_is_better", about="refusal_wrong"),
    Measure("refusal_missing", share=True, orientation="lower_is_better", about="refusal_right"),
    *(
        Measure(name, share=True, orientation="lower_is_better")
        for name in (
            "refusal",
            "refusal_full",
            "empty",
            "cut_off",
            "overflowed",
            "repetition",
            "collapse",
            "sameness",
            "language_change",
            "role_leakage",
        )
    ),
    *(
        Measure(name, share=False, orientation="neither", margin=0.25)
        for name in ("words", "words_nonempty", "sentences", "characters", "tokens")
    ),
    Measure(
        RATING, share=False, orientation="higher_is_better", margin=0.5, scale=RATING_SCALE, outlier=3.0
    ),  # an outlier of three points: benchmarks/README.md, "Ratings"
    Measure("missing", share=True, orientation="neither"),
)
"""Every measure of a comparison, in the order of the report."""

BY_NAME: Final = {measure.name: measure for measure in MEASURES}
"""The same by name."""


def measure_called(name: str) -> Measure:
    """The measure of that name.

    Raises:
        UsageError: There is none; the hint names near ones.
    """
    if name not in BY_NAME:
        close = difflib.get_close_matches(name, BY_NAME, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(close)}?" if close else f"one of: {', '.join(BY_NAME)}"
        raise UsageError(f"no measure is called {name!r}", hint=hint)
    return BY_NAME[name]


SECONDARY: Final = (PRIMARY, "refusal_unexpected", "refusal_missing", "refusal", "repetition", "words", RATING)
"""The family beside the primary measure, without that: each has a verdict, and Holm's adjustment runs over those that
a suite has turns for."""

LENGTHS: Final = ("words", "sentences", "characters", "tokens")
"""The measures whose distribution over replies is kept, in the order of the report."""
