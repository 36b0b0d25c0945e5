"""Stored judgments and files of votes, put side by side: whose votes are on which run, and how far they agree.

What this module does not know: how agreement is computed (``agreement.py``, ``accuracy.py``), the screen.
"""

from __future__ import annotations

import difflib
import itertools
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.accuracy import accuracies_of, corrected_of
from multiturn.agreement import LEVEL, Asked, ReplyKey, Verdicts, agreements_of, alphas_of
from multiturn.errors import Faulty, UsageError
from multiturn.judged_scores import outcomes_of
from multiturn.judges.games import pair_from_ratings, rule_of
from multiturn.judgment import Judged, Label, Rating
from multiturn.panels import one_a_model
from multiturn.ranking import Preferred
from multiturn.scores import Agreements
from multiturn.text.spec_names import short_spec
from multiturn.votes import ShownReply, Votes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from multiturn.conditions import RunRecord
    from multiturn.judges.games import Rule
    from multiturn.judgment import JudgeRecord
    from multiturn.store import Store

PREFERENCE: Final = "preference"
"""What winning is called by rubrics of which reply is better on the whole."""
BY_GRADES: Final = ", by its grades"
"""Behind the name of a judge that rated both arms: the higher grade is preferred."""


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """What agreement is looked for in: ``votes`` of files, ``replies`` to find labelled pairs by, stored ``runs``.

    ``judges`` narrows stored judges to these (ids or how they begin, or model specs). ``called`` says what votes call
    a run, by run: beside its id, its model spec and its model's name.
    """

    votes: Votes = Votes()
    replies: tuple[ShownReply, ...] = ()
    runs: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    called: dict[str, str] = {}


def agreement(store: Store | None, sources: Sources, level: float = LEVEL, seed: int = 0) -> Agreements:
    """How far judges agree with each other and with people.

    Args:
        store: Where the runs and judgments are; None where only files are compared.
        sources: Votes, runs, or both.
        level: Of the intervals, in (0, 1).
        seed: Of the draws behind intervals of kappa and alpha.

    Raises:
        UsageError: There is nothing to compare: no votes and no judgments of two judges. Or a name in the votes is that
            of several runs, or a label is no word of any judge's rubric.
        NotFound: A run or a judge is not in the store.
    """
    votes, verdicts = sources.votes, Verdicts()
    notes: list[str] = []
    replies = sources.replies
    if store is not None and sources.runs:
        records = [store.run(reference) for reference in sources.runs]
        arms = _arms(votes, records, {store.run(one).id: name for one, name in sources.called.items()})
        votes, notes = _on_these(votes, arms)
        judges = _judges(store, sources.judges)
        verdicts = verdicts_of(store, records, judges)
        _refuse_strange_labels(votes, verdicts)
        replies = (*replies, *(_shown(store, records) if votes.pairs else ()))
    in_files: dict[str, list[Preferred]] = {}
    for vote in votes.judges:
        in_files.setdefault(vote.by, []).append(vote)
    both = {**verdicts.preferences, **{name: tuple(some) for name, some in in_files.items()}}
    verdicts = msgspec.structs.replace(verdicts, preferences=both)
    accuracies, located = accuracies_of(votes.people, votes.pairs, replies, verdicts, level)
    found = Agreements(
        agreements=tuple(one for one in agreements_of(votes.people, verdicts, level, seed) if one.comparisons),
        alphas=alphas_of(verdicts, level, seed),
        accuracies=accuracies,
        corrected=corrected_of(votes.people, votes.labels, verdicts, level),
        notes=(*notes, *_of_authors(votes), *located),
    )
    if not (found.agreements or found.alphas or found.accuracies or found.corrected):
        raise UsageError(
            "nothing here was judged by two: no reply, and no pair of them",
            hint="name runs that two judges judged (multiturn judge run RUN --judge MODEL), or --votes FILE on them",
        )
    return found


def verdicts_of(store: Store, records: Sequence[RunRecord], judges: Sequence[JudgeRecord]) -> Verdicts:
    """What these judges said of these runs, by the judges' names.

    Raises:
        StoreError: The store can't be read.
    """
    names = _judge_names(judges)
    said: dict[str, list[Judged]] = {}
    runs = {record.id for record in records}
    for record in records:
        for one in store.judgments.of_run(record.id):
            if one.judge in names and (not one.question.opponent or one.question.opponent in runs):
                said.setdefault(one.judge, []).append(one)
    preferences: dict[str, tuple[Preferred, ...]] = {}
    grades: dict[str, dict[ReplyKey, tuple[float, ...]]] = {}
    flags: dict[str, dict[ReplyKey, bool]] = {}
    asked: dict[str, Asked] = {}
    for judge in judges:
        every, name = said.get(judge.id, []), names[judge.id]
        asked[name] = asked[name + BY_GRADES] = _asked(judge)
        if judge.rubric.mode == "preference" and every:
            preferences[name] = tuple(_preferred(every, name, rule_of(judge)))
        elif judge.rubric.mode == "rating" and every:
            grades[name] = _grades(every)
            preferences[name + BY_GRADES] = tuple(_by_grades(grades[name], name + BY_GRADES))
        elif every:
            flags[name] = _flags(every, judge.rubric.flagged)
    preferences = {name: some for name, some in preferences.items() if some}
    return Verdicts(preferences=preferences, grades=grades, flags=flags, asked=asked)


def judge_votes(store: Store, records: Sequence[RunRecord]) -> tuple[tuple[Preferred, ...], tuple[str, ...]]:
    """What judges that compared these runs prefer, each by its name, one judge a model; and what to know of it.

    Grades that were given one by one are no votes, and who is more helpful, or does less harm, is another question.
    """
    judges = [one for one in _judges(store, ()) if one.rubric.mode == "preference"]
    wanted = [one for one in judges if one.rubric.measure in {"", PREFERENCE}]
    found = verdicts_of(store, records, wanted)
    models = {name: found.model(name) for name in found.preferences}
    chosen = one_a_model(models, {name: len(votes) for name, votes in found.preferences.items()})
    others = verdicts_of(store, records, [one for one in judges if one not in wanted]).preferences
    left_out = sorted({*others, *(name for name in models if name not in chosen)})
    told = f"judges' votes that are left out: {', '.join(left_out)}; a ranking is by preference, of one judge a model"
    return tuple(vote for name in chosen for vote in found.preferences[name]), ((told,) if left_out else ())


def _asked(judge: JudgeRecord) -> Asked:
    rubric = judge.rubric
    return Asked(
        model=judge.spec,
        rubric=rubric.digest,
        measure="" if rubric.mode == "label" else rubric.measure or PREFERENCE,
        labels=tuple(one.name for one in rubric.labels),
        flagged=rubric.flagged,
    )


def _refuse_strange_labels(votes: Votes, verdicts: Verdicts) -> None:
    """A label that no judge could have given can't be held beside what judges say.

    Raises:
        UsageError: There is one.
    """
    known = sorted({word for judge in verdicts.flags for word in verdicts.asked[judge].labels})
    strange = [one for one in votes.labels if one.label not in known]
    if not (known and strange):
        return
    by_case = {word.casefold(): word for word in known}
    faults = []
    for one in strange:
        close = difflib.get_close_matches(one.label.casefold(), by_case, n=1)
        meant = f"; did you mean {by_case[close[0]]}?" if close else ""
        faults.append(f"{one.place}: no judge's rubric has a label {one.label!r}{meant}")
    sources = dict.fromkeys(one.place.rpartition(":line ")[0] for one in strange)
    raise Faulty(", ".join(sources), faults, hint=f"labels are written as in the rubric: {', '.join(known)}")


def _preferred(judged: Sequence[Judged], by: str, rule: Rule) -> Iterator[Preferred]:
    pairs: dict[tuple[str, str], list[Judged]] = {}
    for one in judged:
        low, high = sorted((one.question.run, one.question.opponent))
        pairs.setdefault((low, high), []).append(one)
    for (a, b), some in pairs.items():
        for (conversation, _, turn, _), (outcome, _) in outcomes_of(some, a, b, rule).items():
            yield Preferred(conversation=conversation, turn=turn, a=a, b=b, winner=outcome.winner, by=by)


def _grades(judged: Iterable[Judged]) -> dict[ReplyKey, tuple[float, ...]]:
    found: dict[ReplyKey, list[float]] = {}
    for one in judged:
        if isinstance(one.judgment, Rating):
            found.setdefault(_key(one), []).append(one.judgment.value)
    return {reply: tuple(some) for reply, some in found.items()}


def _flags(judged: Iterable[Judged], flagged: Sequence[str]) -> dict[ReplyKey, bool]:
    """Of several labels of one reply more than half decide; where there is no such half, it has none."""
    found: dict[ReplyKey, list[bool]] = {}
    for one in judged:
        if isinstance(one.judgment, Label):
            found.setdefault(_key(one), []).append(one.judgment.name in flagged)
    return {reply: sum(some) > len(some) / 2 for reply, some in found.items() if sum(some) != len(some) / 2}


def _by_grades(grades: Mapping[ReplyKey, tuple[float, ...]], by: str) -> Iterator[Preferred]:
    """The higher mean grade of two runs' replies to the same turn, sample by sample."""
    runs: dict[tuple[str, int, int], dict[str, float]] = {}
    for reply, some in grades.items():
        place = (reply.conversation, reply.sample, reply.turn)
        runs.setdefault(place, {})[reply.run] = sum(some) / len(some)
    for (conversation, _, turn), means in runs.items():
        for a, b in itertools.combinations(sorted(means), 2):
            better = pair_from_ratings(Rating(value=means[a]), Rating(value=means[b]))
            yield Preferred(conversation=conversation, turn=turn, a=a, b=b, winner=better.winner, by=by)


def _key(one: Judged) -> ReplyKey:
    asked = one.question
    return ReplyKey(asked.run, asked.conversation, asked.sample, asked.turn or 0)


def _judge_names(judges: Sequence[JudgeRecord]) -> dict[str, str]:
    """A judge's model and rubric; of those that would be called the same the mode too, and if need be the id."""
    forms = [(f"{short_spec(one.spec)} {one.rubric.name}", one.rubric.mode, one.id[:6]) for one in judges]
    names: dict[str, str] = {}
    for judge, form in zip(judges, forms, strict=True):
        lengths = (length for length in (1, 2) if sum(other[:length] == form[:length] for other in forms) == 1)
        names[judge.id] = " ".join(form[: next(lengths, 3)])
    return names


def _judges(store: Store, wanted: Sequence[str]) -> list[JudgeRecord]:
    """The judges with these ids (or how they begin) or model specs, oldest first; all where none is named.

    Raises:
        NotFound: There is none of a name.
    """
    every = store.judgments.judges()[::-1]
    for reference in wanted:
        if not any(_is(one, reference) for one in every):
            store.judgments.judge(reference)  # says which there are
    return [one for one in every if not wanted or any(_is(one, reference) for reference in wanted)]


def _is(judge: JudgeRecord, reference: str) -> bool:
    return bool(reference) and (judge.id.startswith(reference) or judge.spec == reference)


def _arms(votes: Votes, records: Sequence[RunRecord], called: Mapping[str, str]) -> dict[str, str]:
    """What votes may call each run -> its id: the id itself, its model spec, the model's name, or what is given.

    Raises:
        UsageError: Votes use a name that several runs go by.
    """
    names: dict[str, list[str]] = {}
    for record in records:
        spec = record.arm.spec
        for name in dict.fromkeys((record.id, spec, spec.partition(":")[2], called.get(record.id, spec))):
            names.setdefault(name, []).append(record.id)
    for name in sorted(_arms_of(votes)):
        if len(names.get(name, [])) > 1:
            raise UsageError(
                f"votes are on {name}, which several of the runs are: {', '.join(names[name])}",
                hint=f"say which one is meant: --name RUN={name}, and leave out the others",
            )
    return {name: runs[0] for name, runs in names.items()}


def _arms_of(votes: Votes) -> set[str]:
    voted = {name for vote in (*votes.people, *votes.judges) for name in (vote.a, vote.b)}
    return voted | {one.arm for one in votes.labels}


def _on_these(votes: Votes, arms: Mapping[str, str]) -> tuple[Votes, list[str]]:
    """The votes on two of the runs, which they name by id then; and a line on those that are left out."""

    def kept(some: Iterable[Preferred]) -> tuple[Preferred, ...]:
        return tuple(
            msgspec.structs.replace(vote, a=arms[vote.a], b=arms[vote.b])
            for vote in some
            if vote.a in arms and vote.b in arms and arms[vote.a] != arms[vote.b]
        )

    labels = tuple(msgspec.structs.replace(one, arm=arms[one.arm]) for one in votes.labels if one.arm in arms)
    found = msgspec.structs.replace(votes, people=kept(votes.people), judges=kept(votes.judges), labels=labels)
    before = len(votes.people) + len(votes.judges) + len(votes.labels)
    left_out = before - len(found.people) - len(found.judges) - len(found.labels)
    strangers = sorted(_arms_of(votes) - arms.keys())
    told = f"{left_out} of {before} votes are left out, on arms that are none of these runs: {', '.join(strangers)}"
    return found, [told] if left_out else []


def _of_authors(votes: Votes) -> tuple[str, ...]:
    if not votes.authors:
        return ()
    return (f"{votes.authors} votes of the benchmark's authors are left out, as FastChat does",)


def _shown(store: Store, records: Sequence[RunRecord]) -> Iterator[ShownReply]:
    for record in records:
        for transcript in store.transcripts(record.id):
            name = transcript.session.conversation
            for turn in transcript.turns:
                if turn.reply is not None:
                    yield ShownReply(
                        conversation=name, turn=turn.turn, arm=record.id, question=turn.user, reply=turn.reply
                    )
