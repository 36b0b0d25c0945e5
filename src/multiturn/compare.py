"""Two runs -> a comparison: pair them by conversation, contrast every measure in every group, conclude, rank changes.

Both runs are read once, side by side, and let go: what is kept are each turn's numbers. What this module does not do:
decide what a difference means (``verdicts.py``), read from a store, decide whether two runs may be compared
(``comparable.py``).
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final, Literal

from multiturn.changes import Drift, Turned, turned
from multiturn.checks.reading import unread_notes
from multiturn.groups import EVERYTHING, Layout
from multiturn.measures import LENGTHS, MEASURES, PRIMARY, measure_called
from multiturn.pass_rates import FAILS_EVERYWHERE, floor_note, inapplicable_note
from multiturn.report.broken import broken_notes, counted
from multiturn.report.numbers import number
from multiturn.results import SHARES, Change, Comparison, Contrast, Distribution, Orientation, Plan
from multiturn.stats.quantiles import quantiles
from multiturn.study import Study
from multiturn.summary import Summary
from multiturn.transcript import MANY_ENDLESS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from multiturn.conversation import Suite
    from multiturn.finding import Assessed
    from multiturn.transcript import Session

_OTHER_FORMAT: Final = 0.05
"""How much oftener the tuned model leaves its role, as a share of replies, before a note asks about its template."""


def compare(
    suite: Suite,
    base: Iterable[Assessed],
    tuned: Iterable[Assessed],
    *,
    base_run: str,
    tuned_run: str,
    notes: Sequence[str] = (),
    plan: Plan = Plan(),  # noqa: B008 - frozen
    same_model: bool = False,
    samples: tuple[int, int] | None = None,
) -> Comparison:
    """Compare two runs of one suite, conversation by conversation.

    Both are read once and in step. Any order does; when they come in the same order, as a store gives them, no
    transcript is kept beyond its counterpart.

    Args:
        suite: What both runs were held with.
        base: The transcripts of one run, one for each conversation and sample.
        tuned: Those of the other.
        base_run: Id of the run that is compared with.
        tuned_run: Id of the run in question.
        notes: Lines for the reader, before this function's own.
        plan: The primary measure, margins and level.
        same_model: It is an A/A run, so whatever differs is noise.
        samples: How often each conversation was to be held in one run, and in the other, 1 or more; None: as often as
            the one that was held most often in either.

    Raises:
        UsageError: A transcript is of a conversation that the suite does not have, or the plan names no measure.
        ValueError: One run has a conversation and sample twice.
    """
    require_measures(plan)
    layout = Layout(suite)
    arms, changes = _read(layout, base, tuned, samples)
    study = Study(layout, arms, plan, orientations_of(suite), samples=max(arm.most_samples for arm in arms))
    contrasts, verdicts = study.contrasts(), study.verdicts()
    unsound = _unsound(arms, contrasts)
    broken = broken_notes(contrasts, {"base": base_run, "tuned": tuned_run}, unsound)
    return Comparison(
        base_run=base_run,
        tuned_run=tuned_run,
        contrasts=contrasts,
        changes=changes,
        distributions=tuple(_distributions(arms)),
        suite=f"{suite.name}, version {suite.version}",
        expectations=suite.expectations,
        same_model=same_model,
        plan=plan,
        verdicts=verdicts,
        localisation=study.localisation(next(iter(verdicts), None)),
        decay=study.decay(),
        profile=study.profile(),
        noise=tuple(study.noise()),
        ratios=tuple(study.ratios()),
        medians=tuple(study.medians()),
        unsound=unsound,
        notes=(*notes, *broken, *_notes(suite, contrasts, arms)),
    )


def _unsound(arms: tuple[Summary, Summary], contrasts: Sequence[Contrast]) -> tuple[float | None, float | None]:
    """The share of each arm's replies with anything wrong that is to be fixed first."""
    things = counted(contrasts)
    return arms[0].share_of_any(things), arms[1].share_of_any(things)


def require_measures(plan: Plan) -> None:
    """Raise ``UsageError`` unless the plan's primary measure, and each that it gives a margin, is one."""
    for name in (plan.primary, *plan.margins):
        measure_called(name)


def _read(
    layout: Layout, base: Iterable[Assessed], tuned: Iterable[Assessed], samples: tuple[int, int] | None
) -> tuple[tuple[Summary, Summary], tuple[Change, ...]]:
    """Both runs' numbers, and how far each conversation changed, the most changed first."""
    arms = Summary(layout), Summary(layout)
    drifts: dict[int, Drift] = {}
    for session, one, other in _in_step(arms, base, tuned):
        at = layout.conversation(session)
        drift = drifts.setdefault(at, Drift(layout.conversations[at]))
        for before, after in zip(one, other, strict=True):
            drift.add(session.sample, before, after)
    most = max(1, *(arm.most_samples for arm in arms))
    for arm, wanted in zip(arms, samples or (most, most), strict=True):
        arm.samples = wanted
    changes = [drift.change() for _, drift in sorted(drifts.items()) if drift.seen]
    return arms, tuple(sorted(changes, key=lambda change: -change.score))


def _notes(suite: Suite, contrasts: Sequence[Contrast], arms: tuple[Summary, Summary]) -> Iterator[str]:
    """What a reader must know beside the numbers and what is to be fixed first."""
    overall = {one.measure: one for one in contrasts if one.group == EVERYTHING}
    yield from unread_notes(suite)
    yield from _format_note(overall["role_leakage"])
    yield from _floor_notes(overall.get(PRIMARY))
    for name, arm in _by_name(arms).items():
        yield from _arm_notes(name, arm, suite)


def _format_note(leakage: Contrast) -> Iterator[str]:
    """Whether the tuned model looks as if it had been trained on another format than it is asked in."""
    base, tuned = leakage.base.value, leakage.tuned.value
    if base is None or tuned is None or tuned - base < _OTHER_FORMAT:
        return
    yield (
        f"warning: tuned leaves its role (goes on as the user, writes role labels or control tokens) in "
        f"{number(tuned, 'share')} of replies, base in {number(base, 'share')}: was it trained on another format than "
        "it is asked in? multiturn doctor MODEL shows what is sent"
    )


def _floor_notes(checks: Contrast | None) -> Iterator[str]:
    """Of each arm that passes hardly any check."""
    if checks is not None:
        yield from floor_note("base", checks.base)
        yield from floor_note("tuned", checks.tuned, FAILS_EVERYWHERE)


def _by_name(arms: tuple[Summary, Summary]) -> dict[Literal["base", "tuned"], Summary]:
    return {"base": arms[0], "tuned": arms[1]}


def _distributions(arms: tuple[Summary, Summary]) -> Iterator[Distribution]:
    for measure in LENGTHS:
        for name, arm in _by_name(arms).items():
            found = arm.lengths[measure]
            if found:
                yield Distribution(measure=measure, arm=name, n=len(found), quantiles=quantiles(found, SHARES))


def orientations_of(suite: Suite) -> dict[str, Orientation]:
    """Each measure's own; refusals have none where the suite has turns at which a refusal is right."""
    wanted = any(turn.refusal_expected for conversation in suite.conversations for turn in conversation.turns)
    return {
        measure.name: "neither" if wanted and measure.name in ("refusal", "refusal_full") else measure.orientation
        for measure in MEASURES
    }


def _arm_notes(name: str, arm: Summary, suite: Suite) -> Iterator[str]:
    total = len(suite.conversations)
    if arm.held < total:
        yield f"{name}: {total - arm.held} of {total} conversations were not held"
    wanted = arm.held * (arm.samples or arm.most_samples)
    if arm.sessions_held < wanted:
        others = " of the others" if arm.held < total else ""
        yield f"{name}: {wanted - arm.sessions_held} of {wanted} samples{others} were not held"
    if arm.lost:
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(arm.lost.items()))
        yield f"{name}: {arm.lost.total()} of {arm.turns} turns are missing through no doing of the model ({kinds})"
    if arm.endless > MANY_ENDLESS * arm.replies:
        yield (
            f"warning: {name}: {arm.endless} of {arm.replies} replies ended inside their reasoning; "
            "--reasoning-tokens N gives it a budget of its own"
        )
    if arm.overflowed:
        yield f"{name}: {arm.overflowed} of {arm.turns} turns have no reply: they outgrew the context window"
    yield from inapplicable_note(name, arm)


def _in_step(
    arms: tuple[Summary, Summary], base: Iterable[Assessed], tuned: Iterable[Assessed]
) -> Iterator[tuple[Session, list[Turned], list[Turned]]]:
    """Feed both summaries, and give each session that both arms have, as soon as both are there."""
    waiting: dict[tuple[int, Session], list[Turned]] = {}
    for both in zip_longest(base, tuned):
        for arm, assessed in enumerate(both):
            if assessed is None:
                continue
            session = assessed.transcript.session
            held = turned(assessed, arms[arm].add(assessed))
            counterpart = waiting.pop((1 - arm, session), None)
            if counterpart is None:
                waiting[arm, session] = held
            else:
                yield (session, counterpart, held) if arm else (session, held, counterpart)
