"""What the checks of one run say: the share that passes, in every group of turns, and what to know of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.checks.reading import check_transcript, unread_notes
from multiturn.finding import Assessed
from multiturn.groups import EVERYTHING, Layout
from multiturn.measures import PRIMARY
from multiturn.report.numbers import number
from multiturn.results import Measured, PassRates
from multiturn.stats.rates import share_interval
from multiturn.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from multiturn.conversation import Suite
    from multiturn.results import Estimate
    from multiturn.transcript import Transcript

LEVEL: Final = 0.95
FLOOR: Final = 0.25
"""Share of checks passed below which a reader is told that a model is near the floor."""
LITTLE_TO_LOSE: Final = (
    "it has hardly anything to lose, so differences from it say little about how well a conversation is held"
)
FAILS_EVERYWHERE: Final = "it fails nearly everywhere, so where it fails most says little"
"""Said of a tuned model: that its base passed more is no matter of the floor."""


def pass_rates(
    suite: Suite, transcripts: Iterable[Transcript], *, name: str, golden_history: bool = False
) -> PassRates:
    """The pass rate of one run. No signal is measured, so it is quick; nothing is kept of the transcripts.

    Args:
        suite: What the run was held with.
        transcripts: One for each conversation and sample.
        name: What the notes call the run.
        golden_history: It was held with golden replies as the history.

    Returns:
        No rate at all where the suite has no checks.

    Raises:
        UsageError: A transcript is of a conversation that the suite does not have.
    """
    layout = Layout(suite)
    if not layout.has(EVERYTHING, "checked"):
        return PassRates(rates=(), notes=())
    arm = summary_of_checks(layout, transcripts, golden_history=golden_history)
    rates = tuple(
        Measured(
            measure=PRIMARY,
            group=group,
            estimate=share_interval(tuple(arm.values(PRIMARY, group).values()), LEVEL),
        )
        for group in layout.groups
        if layout.has(group, "checked")
    )
    notes = (*unread_notes(suite), *inapplicable_note(name, arm), *floor_note(name, rates[0].estimate))
    return PassRates(rates=rates, notes=notes)


def summary_of_checks(layout: Layout, transcripts: Iterable[Transcript], *, golden_history: bool) -> Summary:
    """What the checks say of a run's transcripts, and nothing else of them.

    Raises:
        UsageError: A transcript is of a conversation that the suite does not have.
    """
    arm = Summary(layout)
    for transcript in transcripts:
        conversation = layout.conversations[layout.conversation(transcript.session)]
        arm.add(Assessed(transcript, (), check_transcript(conversation, transcript, golden=golden_history)))
    return arm


def floor_note(name: str, passed: Estimate, therefore: str = LITTLE_TO_LOSE) -> Iterator[str]:
    """What a reader must know of a model that passes hardly any check; nothing of one that passes enough."""
    if passed.value is not None and passed.value < FLOOR:
        yield f"{name} passes {number(passed.value, 'share')} of checks, near the floor: {therefore}"


def inapplicable_note(name: str, arm: Summary) -> Iterator[str]:
    """How many checks could say neither pass nor fail of a reply that is there; nothing where all could."""
    if arm.inapplicable:
        total = arm.applied + arm.inapplicable
        yield f"{name}: {arm.inapplicable} of {total} checks not applicable to their replies, and so not counted"
