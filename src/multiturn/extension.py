"""One declared extension of a comparison: two looks, which share the 5 % between them.

Who looks, finds nothing, holds more and looks again has two chances of a false alarm. Where the extension is declared
before the first look, each look is taken at 2.5 % (Bonferroni), so that both together err in 5 of 100 cases at most,
however much is added. That holds only for two looks at one plan, the second of which has all of the first and more,
and for runs that are whole: one that lacks turns would be looked at again, as the same look, whenever it has grown.
Anything else is refused. Which arm is called base and which tuned makes no other comparison: its differences are the
same ones with the other sign. What this module does not know: how runs are held, and what a comparison says.
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
    from collections.abc import Iterable, Mapping, Sequence

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
        for again in ((look.base_run, look.tuned_run), (look.tuned_run, look.base_run)):
            if [known[run].conditions for run in again if run in known] == list(arms):
                return Looking(again=again, held_before=look.held_before)
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
        UsageError: A run lacks turns that can be asked for, or it would be a third look, one by another plan, or no
            extension of the first.
    """
    _require_whole(store, (base, tuned))
    arms = base.conditions, tuned.conditions
    key = _key(base.suite_name, *arms)
    looks = store.looks(key)
    _require_plan(looks, plan)
    look = next((one for one in looks if {one.base_run, one.tuned_run} == {base.id, tuned.id}), None)
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


def _require_whole(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    """Raise where turns failed or were not asked for yet: held later, they would make of one look several.

    What does not fit the window is missing for good, and so is all that an import lacks: neither grows any more.
    """
    lacking = []
    for run in {run.id: run for run in runs}.values():
        if run.conditions.sampling is None:
            continue
        stored = store.progress(run.id)
        failed, never = stored.get("failed", 0), run.turns - sum(stored.values())
        told = [*([f"{failed} failed"] if failed else []), *([f"{never} were not asked for yet"] if never else [])]
        if told:
            lacking.append(f"of {run.turns} turns of run {run.id} {' and '.join(told)}")
    if lacking:
        raise UsageError(
            f"{'; '.join(lacking)}: a declared look is taken once both runs are whole, and none was taken; all is kept",
            hint="give the command that holds them again: it asks for what is missing (or leave out --extend)",
        )


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
    seed = _seed(runs[0].conditions) or 0
    before, after = _in_order(run.conditions for run in runs), _in_order(arms)
    for then, now in zip(before, after, strict=True):
        if None not in (_seed(then), _seed(now)) and _seed(then) != _seed(now):
            raise UsageError(
                f"{named} was drawn with another seed: {_seed(then)} then, {_seed(now)} now",
                hint=f"an extension keeps the seed: --seed {seed}",
            )
        if now.samples < then.samples:
            raise UsageError(
                f"{named} had more samples of each conversation: {then.samples} then, {now.samples} now",
                hint=f"an extension has all of the first look and more: --samples {then.samples} or more",
            )
    _require_more(named, _asked(store.suite(before[0].suite_digest), before[0]), _asked(suite, after[0]), before, after)


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
    not_this = (
        f"this is not the {'first' if look.look == 1 else 'second'} look, and false alarms are more frequent than is "
        "said"
    )
    if look.held_before:
        told.append(
            "warning: both runs were held before this look was declared: if they were compared without --extend "
            f"before, {not_this}"
        )
    earlier = _earlier(store, look, runs)
    if earlier:
        told.append(
            f"warning: {', '.join(earlier[:4])} held part of this before: if that was looked at without --extend, "
            f"{not_this}"
        )
    return tuple(told)


def _earlier(store: Store, look: Look, runs: tuple[RunRecord, RunRecord]) -> list[str]:
    """Runs from before a look that could be compared as its own are, at whatever size, and that no look is known of.

    One arm alone, held for another comparison, is none of them: that could not be looked at.
    """
    looked = [{one.base_run, one.tuned_run} for one in store.looks(look.key) if one.look <= look.look]
    before = [one.run for one in store.runs() if one.run.created < look.created]
    kinds = [_grown(run.conditions) for run in runs]
    of_arm = [
        [run for run in before if run.suite_name == runs[0].suite_name and _grown(run.conditions) == kind]
        for kind in kinds
    ]
    found = {
        run.id
        for base in of_arm[0]
        for tuned in of_arm[1]
        if base.id != tuned.id and _size(base) == _size(tuned) and _drawn_alike(base, tuned) == _drawn_alike(*runs)
        for run in (base, tuned)
    }.difference(*looked)
    return [run.id for run in before if run.id in found]


def _size(run: RunRecord) -> tuple[str, int]:
    return run.conditions.suite_digest, run.conditions.samples


def _drawn_alike(base: RunRecord, tuned: RunRecord) -> bool:
    return _seed(base.conditions) == _seed(tuned.conditions)


def _key(suite: str, base: Conditions, tuned: Conditions) -> str:
    """What makes a comparison the same one, however much of it is held, whatever is laid down, and whoever is base."""
    told = msgspec.json.encode((suite, *(_grown(one) for one in _in_order((base, tuned)))), order="sorted")
    return hashlib.sha256(told).hexdigest()


def _in_order(arms: Iterable[Conditions]) -> list[Conditions]:
    """Both arms in an order of their own, which does not tell base from tuned; the seed decides in an A/A run."""
    return sorted(arms, key=lambda one: (msgspec.json.encode(_grown(one), order="sorted"), _seed(one) or 0))


def _seed(conditions: Conditions) -> int | None:
    return None if conditions.sampling is None else conditions.sampling.seed


def _grown(conditions: Conditions) -> Conditions:
    """The conditions without what an extension changes, and without the seed, which it must not change."""
    sampling = conditions.sampling
    unseeded = None if sampling is None else msgspec.structs.replace(sampling, seed=0)
    return msgspec.structs.replace(conditions, suite_digest="", samples=1, sampling=unseeded)
