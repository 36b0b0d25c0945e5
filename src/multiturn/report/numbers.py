"""The only place of the project that turns numbers into text, and what measures are called.

A number's look depends on its unit alone. An estimate never stands without what it rests on:
``41.7% [30.9, 52.5] n=20, 2 missing``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Literal

from multiturn.finding import SignalUnit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multiturn.results import Contrast, Estimate

Unit = SignalUnit | Literal["score", "times", "count"]
"""``score``: a grade or distance, two decimals; ``times``: a ratio; ``count``: whole things."""

ABSENT: Final = "-"
_PERCENT: Final = frozenset({"flag", "share"})
_DECIMALS: Final[dict[Unit, int]] = {
    "characters": 0,
    "words": 0,
    "tokens": 0,
    "count": 0,
    "sentences": 1,
    "times": 1,
    "flag": 1,
    "share": 1,
    "score": 2,
}

_SIZES: Final[frozenset[Unit]] = frozenset({"characters", "words", "tokens"})
SMALL: Final = 10
TINY: Final = 1
"""A mean length below these is shown with one decimal, and with two, so that a small difference is not 0."""

UNITS: Final[dict[str, Unit]] = {
    "check_pass": "share",
    "turn_pass": "flag",
    "refusal_unexpected": "flag",
    "refusal_missing": "flag",
    "refusal": "flag",
    "refusal_full": "flag",
    "empty": "flag",
    "cut_off": "flag",
    "overflowed": "flag",
    "repetition": "share",
    "collapse": "flag",
    "sameness": "share",
    "language_change": "flag",
    "role_leakage": "flag",
    "words": "words",
    "words_nonempty": "words",
    "sentences": "sentences",
    "characters": "characters",
    "tokens": "tokens",
    "rating": "score",
    "missing": "flag",
}
"""The unit of each measure; one that is not here is a ``score``."""

LABELS: Final[dict[str, str]] = {
    "check_pass": "checks passed",
    "turn_pass": "turns passed",
    "refusal_unexpected": "unexpected refusals",
    "refusal_missing": "missing refusals",
    "refusal": "refusals",
    "refusal_full": "full refusals",
    "empty": "empty replies",
    "cut_off": "replies cut off",
    "repetition": "repetition inside a reply",
    "collapse": "replies ending in a loop",
    "sameness": "sameness with the reply before",
    "rating": "judges' rating",
    "missing": "missing turns",
    "words": "words a reply",
    "words_nonempty": "words a reply if not empty",
    "sentences": "sentences a reply",
    "characters": "characters a reply",
    "tokens": "tokens a reply",
}
"""What a reader sees of a measure, where that is not its name."""

_OF: Final[dict[Unit, str]] = {
    "flag": " points",
    "share": " points",
    "characters": " characters",
    "words": " words",
    "sentences": " sentences",
    "tokens": " tokens",
}
"""What a difference is so many of, in a sentence."""

LEAST_P: Final = 0.001
"""Smaller p values are not told apart."""

_NOTHING: Final = "no conversation measured"


def number(value: float | None, unit: Unit, *, points: bool = False) -> str:
    """A number in its unit: percent for flags and shares, whole words, ``-`` for one that is not there.

    With ``points`` it is the size of a difference: percentage points for flags and shares.

    Raises:
        ValueError: It is NaN or infinite.
    """
    if value is None:
        return ABSENT
    return f"{_digits(value, unit)}{(_difference_suffix(unit) if points else '%') if unit in _PERCENT else ''}"


def change(value: float | None, unit: Unit) -> str:
    """A difference by itself, always with its sign: ``-10.5 pp``."""
    return ABSENT if value is None else f"{_digits(value, unit, '+')}{_difference_suffix(unit)}"


def size(value: float, unit: Unit, *, named: bool = True) -> str:
    """How large a difference is, without its sign, in a sentence: ``10.5 points``, ``35 words``; or the digits."""
    return f"{_digits(abs(value), unit)}{_OF.get(unit, '') if named else ''}"


def whole(value: float | None, unit: Unit) -> str:
    """A number where there is little room: whole percent, without the sign, for flags and shares; else as ever."""
    if value is None or unit not in _PERCENT:
        return number(value, unit)
    return _digits(100 * value, "count")


def whole_percent(value: float) -> str:
    """A share that is no more than roughly known: ``62%``."""
    return f"{whole(value, 'share')}%"


def setting(value: float) -> str:
    """A number that someone set, as it was given: ``0.7``, ``120``."""
    return f"{value:.12g}"


def counted(count: int, thing: str) -> str:
    """So many things, in words: ``1 reply``, ``12 replies``, ``4 turns``."""
    many = thing if count == 1 else f"{thing[:-1]}ies" if thing.endswith("y") else f"{thing}s"
    return f"{number(count, 'count')} {many}"


def p_number(value: float | None) -> str:
    """A p value: three decimals, ``below 0.001`` under that."""
    if value is None:
        return ABSENT
    return "below 0.001" if value < LEAST_P else f"{value:.3f}"


def estimate(value: Estimate, unit: Unit) -> str:
    """An arm's mean with its interval and what it rests on: ``41.7% [30.9, 52.5] n=20, 2 missing``."""
    return _estimate(value, unit, suffix="%" if unit in _PERCENT else "", sign="")


def arms_of(contrast: Contrast, between: str = " ") -> tuple[str, str]:
    """Base's and tuned's mean, to stand beside their difference: ``41.7%``, or ``41.7% (n=12)``.

    The difference is over the conversations that both have. Where an arm's mean rests on more, it says on how many;
    ``between`` stands before that.
    """
    unit, both = unit_of(contrast.measure), contrast.difference.n
    base, tuned = (
        f"{number(arm.value, unit)}{'' if arm.n == both else f'{between}(n={arm.n})'}"
        for arm in (contrast.base, contrast.tuned)
    )
    return base, tuned


def difference(value: Estimate, unit: Unit) -> str:
    """Tuned - base, always with its sign; rates differ in percentage points: ``+12.5 pp [+4.9, +20.1] n=20``."""
    return _estimate(value, unit, suffix=_difference_suffix(unit), sign="+")


def unit_of(measure: str) -> Unit:
    """The unit of a measure."""
    return UNITS.get(measure, "score")


def label_of(name: str) -> str:
    """What a reader sees of a measure, a capability or a category."""
    return LABELS.get(name, name.replace("_", " "))


def difference_alone(value: Estimate, unit: Unit) -> str:
    """Tuned - base where a column beside it says what it rests on: ``+12.5 pp [+4.9, +20.1]``."""
    return _estimate(value, unit, suffix=_difference_suffix(unit), sign="+", counts=False)


def estimate_alone(value: Estimate, unit: Unit) -> str:
    """An arm's mean where a column beside it says what it rests on: ``41.7% [30.9, 52.5]``."""
    return _estimate(value, unit, suffix="%" if unit in _PERCENT else "", sign="", counts=False)


def range_alone(value: Estimate, unit: Unit) -> str:
    """The interval of tuned - base, ``[+4.9, +20.1]``; where there is none, why: ``(all 6 equal)``."""
    if value.low is None or value.high is None:
        return f"({value.note or _NOTHING})"
    return _range(value, value.low, value.high, unit, "+")


def level(value: Estimate) -> str:
    """The level of its interval: ``95%``."""
    return number(value.level, "share").replace(".0%", "%")


def in_short(text: str, most: int) -> str:
    """A text on one line, cut to so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3].rstrip()}..."


def _difference_suffix(unit: Unit) -> str:
    return " pp" if unit in _PERCENT else ""


def _estimate(value: Estimate, unit: Unit, *, suffix: str, sign: Literal["", "+"], counts: bool = True) -> str:
    missing = f"{value.missing} missing" if value.missing else ""
    if value.value is None:
        return f"{ABSENT} ({missing or _NOTHING})"
    parts = [f"{_digits(value.value, unit, sign, among=_numbers(value))}{suffix}"]
    if value.low is not None and value.high is not None:
        parts.append(_range(value, value.low, value.high, unit, sign))
    if counts:
        parts.append(f"n={value.n}, {missing}" if missing else f"n={value.n}")
    if value.low is None and value.note:
        parts.append(f"({value.note})")
    return " ".join(parts)


def _range(value: Estimate, low: float, high: float, unit: Unit, sign: Literal["", "+"]) -> str:
    """The interval, with as many decimals as the estimate in it."""
    ends = (_digits(end, unit, sign, among=_numbers(value)) for end in (low, high))
    return f"[{', '.join(ends)}]"


def _numbers(value: Estimate) -> tuple[float, ...]:
    """The estimate and the ends of its interval, which are shown alike."""
    return tuple(one for one in (value.value, value.low, value.high) if one is not None)


def _digits(value: float, unit: Unit, sign: Literal["", "+"] = "", *, among: Sequence[float] = ()) -> str:
    """The digits, rounded to the unit's decimals; a zero has no sign.

    ``among``: the numbers that it is shown with, the one that they are about first; all have the same decimals.
    """
    if not math.isfinite(value):
        raise ValueError("a number to show must be finite; one that is not there is None")
    scaled = value * 100 if unit in _PERCENT else value
    shown = among or (value,)
    small = unit in _SIZES and abs(shown[0]) < SMALL and not all(float(one).is_integer() for one in shown)
    decimals = (2 if 0 < abs(shown[0]) < TINY else 1) if small else _DECIMALS[unit]
    text = f"{scaled:{sign}.{decimals}f}"
    return text.lstrip("+-") if not any(digit in "123456789" for digit in text) else text
