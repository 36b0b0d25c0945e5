"""Comparisons told by letters: ``ppf`` is a conversation that passes the check of turn 2 and 3, and fails that of turn 4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tests.by_hand import checks, says
from tests.comparing import LOST, held

from multiturn.compare import compare
from multiturn.conversation import Capability, Category, Conversation, Suite, Turn
from multiturn.finding import Assessed
from multiturn.results import Comparison, Plan

CAPABILITIES: Final[tuple[Capability, ...]] = ("context_retention", "correction", "follow_up", "recovery")
CATEGORIES: Final[tuple[Category, ...]] = ("writing", "math")
GOOD: Final = (*["pppp"] * 4, *["pppf"] * 4, *["ppff"] * 4)
"""Twelve conversations that pass 100, 75 and 50 % of their checks."""
BAD: Final = (*["pfff"] * 4, *["ffff"] * 4, *["ppff"] * 4)
"""The same after a fall of 75, 75 and 0 points: 50 on average."""


def suite(conversations: int, *, checked: bool = True) -> Suite:
    """Five turns each; the later four have a check and probe one capability after another."""
    check = (says("x"),) if checked else ()
    later = (
        Turn(text="u", capability=name, distance=at, checks=check) for at, name in enumerate(CAPABILITIES, start=1)
    )
    turns = (Turn(text="u"), *later)
    return Suite(
        name="s",
        conversations=tuple(
            Conversation(id=f"c{at}", turns=turns, category=CATEGORIES[at % 2]) for at in range(conversations)
        ),
    )


def arm(letters: Sequence[str], words: int, *, checked: bool, sample: int = 0) -> list[Assessed]:
    """One run; a ``-`` says that the turn was lost, and with it the rest of the conversation."""
    return [
        held(
            f"c{at}",
            *([reply := " ".join(["a"] * words)] + [LOST if letter == "-" else reply for letter in turns]),
            said=checks("", *turns.partition("-")[0]) if checked else (),
            sample=sample,
        )
        for at, turns in enumerate(letters)
    ]


def lettered(
    base: Sequence[str],
    tuned: Sequence[str],
    *,
    words: tuple[int, int] = (4, 4),
    checked: bool = True,
    plan: Plan = Plan(),  # noqa: B008 - frozen
    same_model: bool = False,
    samples: int = 1,
) -> Comparison:
    """The comparison of two runs; ``words`` are those of every reply in base and in tuned, ``samples`` are all alike."""
    arms = (
        [one for at in range(samples) for one in arm(letters, count, checked=checked, sample=at)]
        for letters, count in zip((base, tuned), words, strict=True)
    )
    return compare(
        suite(len(base), checked=checked),
        *arms,
        base_run="r1",
        tuned_run="r2",
        plan=plan,
        same_model=same_model,
        samples=(samples, samples),
    )
