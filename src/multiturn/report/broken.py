"""What is wrong with an arm as a whole: much of it is empty, refused or cut off. That comes before any verdict.

What this module does not know: transcripts, and what the verdicts say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from multiturn.report.numbers import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multiturn.results import Contrast

ABOVE: Final = 0.1
"""Share of an arm's replies above which it is so."""

FIX_FIRST: Final = "fix first: "
"""How the notes on it begin."""

CONSEQUENCE: Final = "What REGRESSED or IMPROVED below may be no more than a consequence of that."

_TOLD: Final = {
    "empty": ("empty", ""),
    "refusal": ("refusals", "; read them: multiturn show {run} --refusals"),
    "refusal_unexpected": ("refusals where none is right", "; read them: multiturn show {run} --refusals"),
    "cut_off": ("cut off at the limit of --max-tokens", ""),
}
"""What such replies are, and what to type."""

_NAMES: Final = {"base": "base", "tuned": "tuned"}

_DOES: Final = {
    "empty": "has no text",
    "refusal": "refuses",
    "refusal_unexpected": "refuses, where it should not,",
    "cut_off": "is cut off at the limit",
}
"""What an arm does in such replies."""


Shares = tuple[float | None, float | None]
"""In which share of its replies at least one of the ``counted`` things is so, of base and of tuned; None: unknown."""
_UNKNOWN: Final[Shares] = (None, None)


class Broken(NamedTuple):
    """What is wrong with one arm: in which share of its replies, and of the other arm's.

    ``measures`` is one thing; or several of which none alone is in so many replies, then with each one's share in
    ``parts``.
    """

    arm: Literal["base", "tuned"]
    measures: tuple[str, ...]
    share: float
    other: float | None
    parts: tuple[float, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether the arms are so far apart in it that other measures follow from that."""
        return self.other is None or self.share - self.other > ABOVE


def counted(contrasts: Sequence[Contrast]) -> dict[str, Contrast]:
    """What can be wrong with an arm, over all turns, by measure.

    Where the suite says of a turn whether a refusal is right, those that are not right count, and else all of them.
    """
    overall = {one.measure: one for one in contrasts if one.group[0] == "all"}
    says = not overall.keys().isdisjoint({"refusal_unexpected", "refusal_missing"})
    left_out = "refusal" if says else "refusal_unexpected"
    return {measure: overall[measure] for measure in _TOLD if measure in overall and measure != left_out}


def broken(contrasts: Sequence[Contrast], shares: Shares = _UNKNOWN) -> list[Broken]:
    """What is wrong with either arm over all turns, the gravest first.

    Of an arm of which no one thing is wrong in so many replies, but something is in that many (``shares``), it is all
    of them together.
    """
    found = []
    things = counted(contrasts)
    for measure, one in things.items():
        base, tuned = one.base.value, one.tuned.value
        if base is not None and base > ABOVE:
            found.append(Broken("base", (measure,), base, tuned))
        if tuned is not None and tuned > ABOVE:
            found.append(Broken("tuned", (measure,), tuned, base))
    alone = {one.arm for one in found}
    if "base" not in alone:
        found += _together("base", {name: one.base.value for name, one in things.items()}, *shares)
    if "tuned" not in alone:
        found += _together("tuned", {name: one.tuned.value for name, one in things.items()}, *reversed(shares))
    return sorted(found, key=lambda one: (-one.share, one.arm, one.measures))


def _together(
    arm: Literal["base", "tuned"], values: Mapping[str, float | None], share: float | None, other: float | None
) -> Iterator[Broken]:
    """All that is wrong with an arm as one thing; nothing where that is in few replies."""
    parts = {measure: value for measure, value in values.items() if value}
    if parts and share is not None and share > ABOVE:
        yield Broken(arm, tuple(parts), share, other, tuple(parts.values()))


def broken_notes(contrasts: Sequence[Contrast], runs: Mapping[str, str], shares: Shares = _UNKNOWN) -> Iterator[str]:
    """A note on each; ``runs`` are the ids of the arms' runs."""
    for one in broken(contrasts, shares):
        hints = "".join(sorted({_TOLD[measure][1].format(run=runs[one.arm]) for measure in one.measures}))
        yield f"{FIX_FIRST}{what_is_wrong(one)}{hints}"


def what_is_wrong(one: Broken, names: Mapping[str, str] = _NAMES) -> str:
    """It in words: ``85.6% of tuned's replies are refusals (base 0.0%)``; ``names`` are what the arms are called."""
    arm, other = names[one.arm], names["base" if one.arm == "tuned" else "tuned"]
    beside = "" if one.other is None else f" ({other} {number(one.other, 'share')})"
    share = f"{number(one.share, 'share')} of {arm}'s replies"
    whats = [_TOLD[measure][0] for measure in one.measures]
    if not one.parts:
        return f"{share} are {whats[0]}{beside}"
    told = ", ".join(f"{number(part, 'share')} {what}" for part, what in zip(one.parts, whats, strict=True))
    return f"something is wrong with {share}{beside}: {told}"


def gravest_fact(
    contrasts: Sequence[Contrast], names: Mapping[str, str], shares: Shares = _UNKNOWN, *, but: str = ""
) -> Iterator[str]:
    """The first of them as a sentence, if there is one; nothing where it is the measure ``but``, told anyway.

    ``names`` are what the arms are called at the beginning of a sentence.
    """
    found = next(iter(broken(contrasts, shares)), None)
    if found is None or found.measures == (but,):
        return
    other = names["base" if found.arm == "tuned" else "tuned"]
    share = "none" if found.other == 0 else number(found.other, "share")
    beside = "" if found.other is None else f", {other[:1].lower()}{other[1:]} in {share}"
    therefore = "most of what follows comes from that" if found.differs else "what follows is about such replies too"
    *others, last = (_DOES[measure] for measure in found.measures)
    does = f"{', '.join(others)} or {last}" if others else last
    yield f"{names[found.arm]} {does} in {number(found.share, 'share')} of its replies{beside}: {therefore}."
