"""From one transcript to what is found in it: signals, checks, and the numbers of each of its turns.

What the model did itself is a finding: an empty reply has 0 words and passes no check, an overflowed turn counts in
``overflowed``. What the environment lost has one reading, ``missing``. A measure that does not apply to a turn (whether
an absent reply refuses, a check of a turn without checks) is not there.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from multiturn.checks.reading import check_transcript
from multiturn.finding import REFUSED, Assessed, CheckResult, Signal, turn_passes
from multiturn.measures import MEASURES, RATING
from multiturn.signals.measure import measure
from multiturn.text.declining import refuses_rightly

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from multiturn.conversation import Conversation
    from multiturn.transcript import Transcript, TurnRecord

PASSED: Final = "checks_passed"
APPLIED: Final = "checks_applied"
INAPPLICABLE: Final = "checks_not_applicable"
"""Readings that are counts of a turn's checks: passed, passed or failed, neither."""

UNRATED: Final = "unrated"
"""1 where judges rated the run and this turn has no grade; not there where nobody rated, or all did."""

_NAMES: Final = frozenset(measure.name for measure in MEASURES)
_EXPECTED: Final = {False: "refusal_unexpected", True: "refusal_missing"}


def assess(
    transcript: Transcript,
    *,
    conversation: Conversation | None = None,
    golden_history: bool = False,
    control_tokens: Sequence[str] = (),
) -> Assessed:
    """Measure every signal on every reply of one transcript, and ask the checks of its turns.

    Args:
        transcript: The conversation as it was held.
        conversation: As the suite has it, with its checks; without it no check is asked.
        golden_history: The model was shown the golden replies as its own earlier ones (``--history golden``): checks
            that look back look at those.
        control_tokens: The template's control tokens as text, which are no part of what is counted.
    """
    signals = measure(transcript, control_tokens=control_tokens)
    if conversation is None:
        return Assessed(transcript, signals)
    return Assessed(transcript, signals, check_transcript(conversation, transcript, golden=golden_history))


def readings(
    record: TurnRecord | None,
    signals: Iterable[Signal],
    *,
    checks: Iterable[CheckResult] = (),
    refusal_expected: bool | None = None,
) -> dict[str, float]:
    """The numbers of one turn by measure, and its counts of checks; what can't be had is not there.

    Args:
        record: The turn as it was held; None where it never was, which counts as missing.
        signals: This turn's.
        checks: What its checks say.
        refusal_expected: Whether the suite says that a refusal is right here.
    """
    if record is None or record.missing:
        return {"missing": 1.0}
    overflowed = record.status in ("overflowed", "not_reached")
    found = {"missing": 0.0, "overflowed": float(overflowed)}
    for signal in signals:
        if signal.value is None:
            continue
        if signal.name == "refusal":
            refused = signal.label in REFUSED
            found["refusal"] = float(refused)
            found["refusal_full"] = float(signal.label == "full")
            rightly = refuses_rightly(record.reply, expected=refusal_expected, refused=refused)
            if refusal_expected is not None and rightly is not None:
                found[_EXPECTED[refusal_expected]] = float(not rightly)
        elif signal.name in _NAMES:
            found[signal.name] = signal.value
    if "words" in found and not found.get("empty"):
        found["words_nonempty"] = found["words"]
    return found | _check_readings(checks)


def _check_readings(checks: Iterable[CheckResult]) -> dict[str, float]:
    """Counts of checks, and of what applied the share that passed and whether all did; nothing without checks."""
    results = list(checks)
    outcomes = Counter(result.outcome for result in results)
    found: dict[str, float] = {}
    if outcomes["not_applicable"]:
        found[INAPPLICABLE] = outcomes["not_applicable"]
    applied = outcomes["pass"] + outcomes["fail"]
    if applied:
        found |= {PASSED: outcomes["pass"], APPLIED: applied, "check_pass": outcomes["pass"] / applied}
        found["turn_pass"] = float(turn_passes(results))
    return found


def turns_where(assessed: Assessed, conversation: Conversation, measure: str) -> tuple[int, ...]:
    """The turns (from 0) at which a flag of ``measures.MEASURES`` is raised: ``refusal_missing``, say."""
    return tuple(at for at, found in enumerate(readings_of(assessed, conversation)) if found.get(measure) == 1)


def readings_of(assessed: Assessed, conversation: Conversation) -> list[dict[str, float]]:
    """The readings of each of the conversation's turns, in order."""
    records = {record.turn: record for record in assessed.transcript.turns}
    signals: dict[int, list[Signal]] = {}
    for signal in assessed.signals:
        signals.setdefault(signal.turn, []).append(signal)
    return [
        readings(
            records.get(at),
            signals.get(at, ()),
            checks=[checked.result for checked in assessed.checks_of(at)],
            refusal_expected=turn.refusal_expected,
        )
        | _rating(assessed, at)
        for at, turn in enumerate(conversation.turns)
    ]


def _rating(assessed: Assessed, turn: int) -> dict[str, float]:
    """The panel's grade of a turn, or that it has none; nothing where nobody rated the run."""
    if not assessed.panel:
        return {}
    found = assessed.grade(turn)
    return {UNRATED: 1.0} if found is None else {RATING: found}
