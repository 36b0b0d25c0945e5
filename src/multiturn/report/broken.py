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

_DOES: Final = {
    "empty": "has no text in",
    "refusal": "refuses in",
    "refusal_unexpected": "refuses, where it should not, in",
    "cut_off": "is cut off at the limit in",
}
"""What an arm does in such replies."""


class Broken(NamedTuple):
    """One thing that is wrong with one arm: in which share of its replies, and of the other arm's."""

    arm: Literal["base", "tuned"]
    measure: str
    share: float
    other: float | None

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


def broken(contrasts: Sequence[Contrast]) -> list[Broken]:
    """What is wrong with either arm over all turns, the gravest first."""
    found = []
    for measure, one in counted(contrasts).items():
        base, tuned = one.base.value, one.tuned.value
        if base is not None and base > ABOVE:
            found.append(Broken("base", measure, base, tuned))
        if tuned is not None and tuned > ABOVE:
            found.append(Broken("tuned", measure, tuned, base))
    return sorted(found, key=lambda one: (-one.share, one.arm, one.measure))


def broken_notes(contrasts: Sequence[Contrast], runs: Mapping[str, str]) -> Iterator[str]:
    """A note on each; ``runs`` are the ids of the arms' runs."""
    for one in broken(contrasts):
        what, hint = _TOLD[one.measure]
        other = "base" if one.arm == "tuned" else "tuned"
        beside = "" if one.other is None else f" ({other} {number(one.other, 'share')})"
        yield (
            f"{FIX_FIRST}{number(one.share, 'share')} of {one.arm}'s replies are {what}{beside}"
            f"{hint.format(run=runs[one.arm])}"
        )


def together_note(
    contrasts: Sequence[Contrast], arm: Literal["base", "tuned"], share: float | None, run: str
) -> Iterator[str]:
    """A note on an arm of which no one thing is wrong in so many replies, but something is in that many.

    Args:
        contrasts: Of all measures.
        arm: Which.
        share: Of its replies, those of which at least one of the ``counted`` things is so; None where nothing is there.
        run: The id of its run.
    """
    if share is None or share <= ABOVE or any(one.arm == arm for one in broken(contrasts)):
        return
    values = {measure: (one.base if arm == "base" else one.tuned).value for measure, one in counted(contrasts).items()}
    parts = [(value, *_TOLD[measure]) for measure, value in values.items() if value]
    told = ", ".join(f"{number(value, 'share')} {what}" for value, what, _ in parts)
    hints = "".join(sorted({hint.format(run=run) for _, _, hint in parts}))
    yield f"{FIX_FIRST}something is wrong with {number(share, 'share')} of {arm}'s replies: {told}{hints}"


def gravest_fact(contrasts: Sequence[Contrast], names: Mapping[str, str], *, but: str = "") -> Iterator[str]:
    """The first of them as a sentence, if there is one; nothing where it is the measure ``but``, told anyway.

    ``names`` are what the arms are called at the beginning of a sentence.
    """
    found = next(iter(broken(contrasts)), None)
    if found is None or found.measure == but:
        return
    other = names["base" if found.arm == "tuned" else "tuned"]
    share = "none" if found.other == 0 else number(found.other, "share")
    beside = "" if found.other is None else f", {other[:1].lower()}{other[1:]} in {share}"
    therefore = "most of what follows comes from that" if found.differs else "what follows is about such replies too"
    yield (
        f"{names[found.arm]} {_DOES[found.measure]} {number(found.share, 'share')} of its replies{beside}: {therefore}."
    )
