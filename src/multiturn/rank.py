"""Several arms of one suite, ranked: by what their checks say, and by preferences where there are any.

What this module does not know: files and screens, how the intervals come about (``stats/``), where votes come from:
people's and a judge's are ranked by the same function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from multiturn.checks.reading import unread_notes
from multiturn.comparable import refuse_if_different
from multiturn.conditions import RunRecord
from multiturn.errors import ConditionsDiffer, UsageError
from multiturn.groups import EVERYTHING, Layout
from multiturn.measures import PRIMARY
from multiturn.pass_rates import floor_note, inapplicable_note, summary_of_checks
from multiturn.ranking import Preferred, Ranking, StrengthRanking
from multiturn.stats import bradley_terry
from multiturn.stats.ranking import rank_rates
from multiturn.store import Store
from multiturn.stored_verdicts import judge_votes

LEVEL: Final = 0.95
SEED: Final = 0
FEWEST: Final = 2
"""Arms that a ranking needs."""


def rank(
    store: Store,
    runs: Sequence[str],
    *,
    preferences: Sequence[Preferred] = (),
    vary: Sequence[str] = (),
    seed: int = SEED,
) -> Ranking:
    """Rank stored runs of one suite, held under the same conditions.

    Args:
        store: where the runs are.
        runs: their ids, or how they begin; two or more.
        preferences: votes on their replies. Arms are named by run id or model spec; votes on other arms are left out.
            None given: what judges prefer that compared them, if any did, by a rubric of preference.
        vary: conditions that may differ beside the model, by name.
        seed: of the draws behind the intervals of strengths.

    Raises:
        UsageError: there are fewer than two runs, one is named twice, they can't be compared, the suite has no checks
            and there are no votes, or no vote is on two of the runs.
        NotFound: a run is not in the store.
    """
    if len(runs) < FEWEST:
        given = " ".join([*runs, *("RUN", "RUN", "RUN")[len(runs) :]])
        raise UsageError(
            f"a ranking needs {FEWEST} runs or more, and here is {len(runs) or 'none'}",
            hint=f"multiturn rank {given}; multiturn runs lists what is there",
        )
    records = [store.run(reference) for reference in runs]
    _refuse_repeated(runs, records)
    notes = _refuse_different(records, vary)
    names = _names(records)
    shares, told = _shares(store, records, names)
    if not preferences:
        preferences, left = judge_votes(store, records)
        notes += left
    if not shares and not preferences:
        raise UsageError(
            f"{records[0].suite_name} has no checks, so there is nothing to rank by",
            hint="docs/writing.md shows how a conversation gets them; --preferences FILE ranks by votes",
        )
    notes += told
    voted = Ranking()
    if preferences:
        votes, left_out = _votes_on(preferences, records, names)
        voted = rank_preferences(votes, seed=seed)
        voters = sorted({vote.by for vote in votes if vote.by})
        notes += [*([f"preferences are those of {', '.join(voters)}"] if voters else []), *left_out]
    rates = rank_rates(shares, LEVEL) if shares else None
    if rates is not None:
        notes += floor_note(rates.arms[0].arm, rates.arms[0].estimate)
    return Ranking(
        rates=rates,
        strengths=voted.strengths,
        notes=(*notes, *voted.notes),
    )


def rank_preferences(preferences: Sequence[Preferred], *, seed: int = SEED) -> Ranking:
    """Rank the arms that votes name.

    Raises:
        UsageError: there is no vote.
    """
    if not preferences:
        raise UsageError("there is no preference to rank by", hint="give votes on two arms or more")
    found = bradley_terry.rank_preferences(preferences, level=LEVEL, seed=seed)
    return Ranking(strengths=found, notes=tuple(_strength_notes(found)))


def _refuse_repeated(runs: Sequence[str], records: Sequence[RunRecord]) -> None:
    """Each run once: against itself nothing can differ."""
    repeated = [run for run, times in Counter(record.id for record in records).items() if times > 1]
    if repeated:
        others = list(dict.fromkeys(record.id for record in records))
        more = " RUN" if len(others) < FEWEST else ""
        typed = [reference for reference, record in zip(runs, records, strict=True) if record.id in repeated]
        raise UsageError(
            f"run {', '.join(repeated)} is named more than once ({', '.join(typed)})",
            hint=f"name each once: multiturn rank {' '.join(others)}{more}",
        )


def _refuse_different(records: Sequence[RunRecord], vary: Sequence[str]) -> list[str]:
    """Raise unless all have the first one's conditions, naming the runs; else what a reader must know of each pair."""
    first = records[0]
    suites = [record for record in records if record.conditions.suite_digest != first.conditions.suite_digest]
    if suites:
        told = "\n".join(f"  {record.id}: {record.suite_name}, version {record.suite_version}" for record in suites)
        own = f"{first.suite_name}, version {first.suite_version}"
        raise UsageError(
            f"not all runs are of the suite of run {first.id} ({own}):\n{told}",
            hint="name runs of one suite; multiturn runs lists them",
        )
    notes: list[str] = []
    refused: list[str] = []
    hints: list[str] = []
    for other in records[1:]:
        try:
            found = refuse_if_different(first.conditions, other.conditions, vary)
        except ConditionsDiffer as error:
            refused.append(f"base is run {first.id}, tuned is run {other.id}: {error.message}")
            hints.append(error.hint)
        else:
            notes += [
                f"base is {first.arm.spec} ({first.id}), tuned is {other.arm.spec} ({other.id}): {note}"
                for note in found
            ]
    if refused:
        raise ConditionsDiffer("\n".join(refused), hint="; ".join(dict.fromkeys(hints)))
    return notes


def _names(records: Sequence[RunRecord]) -> tuple[str, ...]:
    """Each arm's model spec, with the run's id where several have one."""
    specs = Counter(record.arm.spec for record in records)
    return tuple(
        record.arm.spec if specs[record.arm.spec] == 1 else f"{record.arm.spec} ({record.id})" for record in records
    )


def _shares(
    store: Store, records: Sequence[RunRecord], names: Sequence[str]
) -> tuple[dict[str, dict[str, float | None]], list[str]]:
    """Each arm's share of checks passed, conversation by conversation, and what to know of it.

    No arm at all where the suite has no checks.
    """
    suite = store.suite(records[0].conditions.suite_digest)
    if not any(turn.checks for conversation in suite.conversations for turn in conversation.turns):
        return {}, [f"{suite.name} has no checks: ranked by preferences alone"]
    layout = Layout(suite)
    notes = [*unread_notes(suite)]
    shares = {}
    for name, record in zip(names, records, strict=True):
        golden = record.conditions.history == "golden"
        arm = summary_of_checks(layout, store.transcripts(record.id), golden_history=golden)
        shares[name] = arm.values(PRIMARY, EVERYTHING)
        notes += inapplicable_note(name, arm)
    return shares, [*notes, *_missing_notes(shares)]


def _missing_notes(shares: Mapping[str, Mapping[str, float | None]]) -> Iterator[str]:
    """Which arms lack conversations: for the others these do not count either."""
    for name, found in shares.items():
        lost = sum(value is None for value in found.values())
        if lost:
            alone = "; without it the others can be ranked" if lost == len(found) and len(shares) > FEWEST else ""
            yield f"{name}: {lost} of {len(found)} conversations are missing, and so count for no arm{alone}"


def _votes_on(
    preferences: Sequence[Preferred], records: Sequence[RunRecord], names: Sequence[str]
) -> tuple[list[Preferred], list[str]]:
    """The votes on two of these runs, with the arms' names in the ranking; and a line on those that are left out.

    Raises:
        UsageError: A vote names a model that several of the runs have, or both its arms are one run, or none is left.
    """
    specs = Counter(record.arm.spec for record in records)
    known = {record.arm.spec: name for record, name in zip(records, names, strict=True) if specs[record.arm.spec] == 1}
    known |= {name: name for name in names}
    known |= {record.id: name for record, name in zip(records, names, strict=True)}
    votes: list[Preferred] = []
    strangers = Counter[str]()
    left_out = 0
    for vote in preferences:
        for name in (vote.a, vote.b):
            if specs[name] > 1:
                runs = ", ".join(record.id for record in records if record.arm.spec == name)
                raise UsageError(
                    f"preferences name {name}, which several of the runs are of",
                    hint=f"name a run in their place: {runs}",
                )
        unknown = {name for name in (vote.a, vote.b) if name not in known}
        if unknown:
            strangers.update(unknown)
            left_out += 1
            continue
        a, b = known[vote.a], known[vote.b]
        if a == b:
            raise UsageError(
                f"a preference on conversation {vote.conversation!r} is between {vote.a} and {vote.b}: one run",
                hint="a preference is between two arms",
            )
        votes.append(msgspec.structs.replace(vote, a=a, b=b))
    if not votes:
        raise UsageError(
            f"no preference is on two of these runs; they name {', '.join(sorted(strangers))}",
            hint="name arms by run id or model spec, or leave out the runs to rank all arms of the file",
        )
    told = f"{left_out} of {len(preferences)} preferences are left out, on arms that are not ranked here"
    return votes, [f"{told}: {', '.join(sorted(strangers))}"] if left_out else []


def _strength_notes(found: StrengthRanking) -> Iterator[str]:
    """What keeps strengths from being compared, or known well."""
    for one in found.separated:
        yield (
            f"separated: {_all(one.over)} won every game against {_all(one.under)}, so that no finite strength says "
            "how far they are apart"
        )
    if found.disconnected:
        sets = "; ".join(_all(names) for names in found.disconnected)
        yield f"disconnected: there is no game between these, so that nothing says which is better: {sets}"
    unplayed = [one.arm for one in found.arms if not one.games.known]
    if unplayed:
        yield f"no game at all: {_all(unplayed)}"
    for group in found.groups:
        if group.separated_draws:
            some = "arms" if len(found.groups) == 1 else f"of {_all(group.arms)}"
            yield (
                f"in {group.separated_draws} of {found.draws} draws behind the intervals some {some} won every game "
                "against the rest, so that strengths are not finite; such a draw counts as beyond both ends"
            )
    if found.missing:
        total = found.missing + found.games
        yield f"missing are {found.missing} of {total} preferences: they count neither as ties nor as losses"


def _all(names: Sequence[str]) -> str:
    return ", ".join(names)
