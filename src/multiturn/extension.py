"""One declared extension of a comparison: two looks, which share the 5 % between them.

Who looks, finds nothing, holds more and looks again has two chances of a false alarm. Where the extension is declared
before the first look, each look is taken at 2.5 % (Bonferroni), so that both together err in 5 of 100 cases at most,
however much is added. That holds only for two looks at one plan, the second of which has all of the first and more:
anything else is refused. What this module does not know: how runs are held, and what a comparison says.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.errors import UsageError
from multiturn.looks import MOST_LOOKS, Look
from multiturn.measures import BY_NAME
from multiturn.results import Plan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from multiturn.conditions import Conditions, RunRecord
    from multiturn.conversation import Conversation, Suite
    from multiturn.store import Store

LEVEL: Final = 0.975
"""Of every interval of either look: two times 2.5 % are 5 %."""
_SHOWN: Final = 5


class Looking(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a look before anything is held.

    ``again`` are the runs of the same look taken before, which are to be gone on with; None where it is a new look.
    ``held_before`` says that both runs are there and have replies already.
    """

    again: tuple[str | None, str | None] = (None, None)
    held_before: bool = False


UNDECLARED: Final = Looking()
"""A comparison without an extension."""


def allow_look(store: Store, plan: Plan, suite: Suite, arms: tuple[Conditions, Conditions], *, fresh: bool) -> Looking:
    """Raise before anything is held if this look would be no look at one plan, or no extension of the first.

    Args:
        store: Where looks are kept.
        plan: What is laid down.
        suite: What is to be held.
        arms: Conditions of both runs, to be held.
        fresh: Whether replies that are stored would be drawn anew.

    Raises:
        UsageError: As it says; the hint says what to type.
    """
    looks = store.looks(_key(suite.name, *arms))
    if looks and fresh:
        raise UsageError(
            "a look at this comparison was taken already; --fresh would draw its replies once more",
            hint="leave out --fresh: the same look is shown again, more --samples or a higher --limit extend it",
        )
    _require_plan(looks, plan)
    known = {summary.run.id: summary.run for summary in store.runs()}
    for look in looks:
        runs = known.get(look.base_run), known.get(look.tuned_run)
        if [run.conditions for run in runs if run is not None] == list(arms):
            return Looking(again=(look.base_run, look.tuned_run), held_before=look.held_before)
    _require_extension(store, looks, known, suite, arms)
    found = [store.find(one.fingerprint)[:1] for one in arms]
    return Looking(held_before=not fresh and all(any(store.progress(run.id) for run in runs) for runs in found))


def take_look(
    store: Store, plan: Plan, base: RunRecord, tuned: RunRecord, *, held_before: bool
) -> tuple[Plan, tuple[str, ...]]:
    """Keep that these runs are looked at, durably, and give the plan by which to look and what a reader must know.

    Args:
        store: Where looks are kept.
        plan: What was laid down.
        base: The run that is compared with.
        tuned: The run in question.
        held_before: Whether both had replies before this look was declared.

    Raises:
        UsageError: It would be a third look, one by another plan, or no extension of the first.
    """
    arms = base.conditions, tuned.conditions
    key = _key(base.suite_name, *arms)
    looks = store.looks(key)
    _require_plan(looks, plan)
    look = next((one for one in looks if (one.base_run, one.tuned_run) == (base.id, tuned.id)), None)
    if look is None:
        known = {summary.run.id: summary.run for summary in store.runs()}
        _require_extension(store, looks, known, store.suite(base.conditions.suite_digest), arms)
        look = Look(
            key=key,
            look=len(looks) + 1,
            created=dt.datetime.now(dt.UTC).isoformat(timespec="microseconds"),
            base_run=base.id,
            tuned_run=tuned.id,
            level=round(1 - LEVEL, 6),
            plan=_laid_down(plan),
            held_before=held_before,
        )
        store.add_look(look)
    return msgspec.structs.replace(plan, level=LEVEL, look=look.look), _notes(store, look, (base, tuned))


def further_look(store: Store, base: RunRecord, tuned: RunRecord) -> tuple[str, ...]:
    """What a reader of a plain comparison must know where looks at it were declared; nothing where none were."""
    looks = store.looks(_key(base.suite_name, base.conditions, tuned.conditions))
    if not looks:
        return ()
    taken = "look 1 was" if len(looks) == 1 else "looks 1 and 2 were"
    told = (
        f"warning: this comparison was declared extendable, and {taken} taken at 2.5 %; at 5 %, without --extend, this "
        "is a further look, and false alarms are more frequent than is said"
    )
    return (told,)


def _require_plan(looks: Sequence[Look], plan: Plan) -> None:
    """Raise unless all looks were taken at this plan."""
    for look in looks:
        if look.plan != _laid_down(plan):
            then, now = (_as_flags(one) for one in (look.plan, _laid_down(plan)))
            raise UsageError(
                f"look {look.look} at this comparison had another plan: {then} then, {now} now",
                hint=f"give the plan that was laid down ({then}), or leave out --extend",
            )


def _require_extension(
    store: Store,
    looks: Sequence[Look],
    known: Mapping[str, RunRecord],
    suite: Suite,
    arms: tuple[Conditions, Conditions],
) -> None:
    """Raise unless this may be the next look: the first, or one that has all of the first and more."""
    if not looks:
        return
    if len(looks) >= MOST_LOOKS:
        raise UsageError(
            "this comparison was extended once already; a third look would raise false alarms beyond what is said",
            hint="leave out --extend and hold conversations that neither look had (another suite), as a new comparison",
        )
    first = looks[0]
    named = f"the first look (runs {first.base_run} and {first.tuned_run})"
    runs = [known[run] for run in (first.base_run, first.tuned_run) if run in known]
    if len(runs) < len(arms):
        raise UsageError(
            f"runs of {named} were deleted, so that nothing shows whether this extends it",
            hint="bring them back from an export (multiturn import FILE), or leave out --extend",
        )
    before = [run.conditions for run in runs]
    for then, now in zip(before, arms, strict=True):
        if then.sampling is not None and now.sampling is not None and then.sampling.seed != now.sampling.seed:
            raise UsageError(
                f"{named} was drawn with another seed: {then.sampling.seed} then, {now.sampling.seed} now",
                hint=f"an extension keeps the seed: --seed {before[0].sampling.seed if before[0].sampling else 0}",
            )
        if now.samples < then.samples:
            raise UsageError(
                f"{named} had more samples of each conversation: {then.samples} then, {now.samples} now",
                hint=f"an extension has all of the first look and more: --samples {then.samples} or more",
            )
    _require_more(named, _asked(store.suite(before[0].suite_digest), before[0]), _asked(suite, arms[0]), before, arms)


def _require_more(
    named: str,
    then: Mapping[str, bytes],
    now: Mapping[str, bytes],
    before: Sequence[Conditions],
    arms: Sequence[Conditions],
) -> None:
    """Raise unless all that was asked is asked again, and more of it, or more often."""
    lost = [name for name, asked in then.items() if now.get(name) != asked]
    if lost:
        shown = ", ".join(lost[:_SHOWN]) + (f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else "")
        raise UsageError(
            f"{named} had conversations that are left out now, or ask something else: {shown}",
            hint="an extension has all of the first look and more: look at --suite, --only and --limit",
        )
    if len(now) == len(then) and [one.samples for one in before] == [one.samples for one in arms]:
        raise UsageError(
            f"{named} was at as much as this",
            hint="an extension holds more: more --samples, or more of the suite (a higher --limit)",
        )


def _asked(suite: Suite, conditions: Conditions) -> dict[str, bytes]:
    """What models are asked in each conversation: the digest of a suite of that one."""

    def alone(conversation: Conversation) -> bytes:
        one = msgspec.structs.replace(suite, conversations=(conversation,))
        return one.digest_for(conditions.history).encode()

    return {conversation.id: alone(conversation) for conversation in suite.conversations}


def _laid_down(plan: Plan) -> str:
    """Primary and margins as JSON; a margin that is the measure's own says nothing."""
    own = {name: measure.margin for name, measure in BY_NAME.items()}
    margins = {name: margin for name, margin in plan.margins.items() if own.get(name) != margin}
    return msgspec.json.encode({"primary": plan.primary, "margins": margins}, order="sorted").decode()


def _as_flags(laid_down: str) -> str:
    plan = msgspec.json.decode(laid_down, type=Plan)
    return " ".join([f"--primary {plan.primary}", *(f"--margin {name}={size}" for name, size in plan.margins.items())])


def _notes(store: Store, look: Look, runs: tuple[RunRecord, RunRecord]) -> tuple[str, ...]:
    told = [
        "look 1 of 2: held to 2.5 % instead of 5 %, since it may be extended once (--extend with more --samples, or "
        "more of the suite)"
        if look.look == 1
        else "look 2 of 2, the extension: held to 2.5 % instead of 5 %; there is no third"
    ]
    if look.held_before:
        told.append(
            "warning: both runs were held before this look was declared: if they were compared without --extend "
            f"before, this is not the {'first' if look.look == 1 else 'second'} look, and false alarms are more "
            "frequent than is said"
        )
    earlier = [
        summary.run.id
        for summary in store.runs()
        if summary.run.id not in {run.id for run in runs}
        and any(
            summary.run.created < run.created
            and summary.run.suite_name == run.suite_name
            and _grown(summary.run.conditions) == _grown(run.conditions)
            for run in runs
        )
    ]
    if look.look == 1 and earlier:
        told.append(
            f"warning: {', '.join(earlier[:4])} held part of this before: if that was looked at without --extend, this "
            "is not the first look, and false alarms are more frequent than is said"
        )
    return tuple(told)


def _key(suite: str, base: Conditions, tuned: Conditions) -> str:
    """What makes a comparison the same one, however much of it is held, and whatever is laid down."""
    told = msgspec.json.encode((suite, _grown(base), _grown(tuned)), order="sorted")
    return hashlib.sha256(told).hexdigest()


def _grown(conditions: Conditions) -> Conditions:
    """The conditions without what an extension changes, and without the seed, which it must not change."""
    sampling = conditions.sampling
    unseeded = None if sampling is None else msgspec.structs.replace(sampling, seed=0)
    return msgspec.structs.replace(conditions, suite_digest="", samples=1, sampling=unseeded)
