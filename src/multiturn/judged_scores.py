"""Judgments -> what they come to: scores, rates of winning and of labels, panels. Pure; one look at each judgment.

FastChat's rules hold where they say something: what can't be read is dropped and counted, and a mean pools what
remains. Repeats of a question are judgments like others. What this module does not know: where judgments are stored,
what is sent to a judge, how numbers are shown.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final, Literal

from multiturn.errors import UsageError
from multiturn.judges.games import Outcome, Rule, combine
from multiturn.judgment import Failed, Judged, Judgment, Label, Preference, Rating, Unreadable
from multiturn.rubric import Scale
from multiturn.scores import LabelRates, Pooled, Reduction, Scores, Undefined, Unjudged, Wins, Won
from multiturn.stats.pooled import pooled_mean, pooled_share
from multiturn.stats.rates import UNIT_RANGE
from multiturn.stats.risk_ratio import Flagged, risk_ratio

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from multiturn.conversation import Suite
    from multiturn.judgment import Question
    from multiturn.ranking import Winner

LEVEL: Final = 0.95
Group = tuple[Literal["all", "first", "later", "whole", "turn", "category", "criterion", "weighted"], str | int]
ALL: Final[Group] = ("all", "")
FIRST: Final[Group] = ("first", "")
LATER: Final[Group] = ("later", "")
WHOLE: Final[Group] = ("whole", "")
WEIGHTED: Final[Group] = ("weighted", "")
CREDIT: Final[dict[Winner, float]] = {"a": 1.0, "tie": 0.5, "b": 0.0}
"""What an outcome is worth to the run in the tie-adjusted rate."""

Pair = tuple[str, int, int | None, int]
"""What two orders are asked about: conversation, sample, turn and repeat."""


class Pools:
    """Values by group and conversation; a conversation without a value in a group that it belongs to is missing."""

    def __init__(self) -> None:
        self._values: Final[dict[Group, dict[str, list[float]]]] = {}

    def add(self, groups: Iterable[Group], conversation: str, value: float | None) -> None:
        """A value, or that there is none."""
        for group in groups:
            values = self._values.setdefault(group, {}).setdefault(conversation, [])
            if value is not None:
                values.append(value)

    def named(self, kind: str) -> list[str | int]:
        """The groups of a kind, in the order in which they first came."""
        return [name for found, name in self._values if found == kind]

    def pooled(self, group: Group, scale: tuple[float, float] = UNIT_RANGE, level: float = LEVEL) -> Pooled:
        """The mean of a group."""
        conversations = self._values.get(group, {}).values()
        sums, counts = [math.fsum(values) for values in conversations], [len(values) for values in conversations]
        estimate = pooled_share(sums, counts, level) if scale == UNIT_RANGE else pooled_mean(sums, counts, scale, level)
        return Pooled(estimate=estimate, judgments=sum(counts))


def scores_of(judged: Iterable[Judged], suite: Suite, scale: Scale, level: float = LEVEL) -> Scores:
    """What one judge's ratings of one run come to.

    Args:
        judged: Of this judge about this run; what are no ratings by mode is refused.
        suite: What the run holds, for the categories.
        scale: The rubric's.
        level: Of the intervals, in (0, 1).

    Raises:
        UsageError: They are of several judges or runs, of another mode, or of a conversation that the suite lacks; or
            there are none.
        ValueError: A grade is off the scale.
    """
    every = tuple(judged)
    judge, run = _one_of(every, "rating")
    categories, pools = _categories(suite), Pools()
    for one in every:
        said = one.judgment
        groups = list(_groups(one.question, categories))
        name = one.question.conversation
        if not isinstance(said, Rating):
            pools.add(groups, name, None)
            continue
        pools.add(groups, name, said.value)
        for criterion, grade in said.criteria.items():
            pools.add([("criterion", criterion)], name, grade)
        if said.weighted is not None:
            pools.add([WEIGHTED], name, said.weighted)
    ends = (scale.lowest, scale.highest)
    weighted = pools.pooled(WEIGHTED, ends, level)
    return Scores(
        judge=judge,
        run=run,
        overall=pools.pooled(ALL, ends, level),
        first=pools.pooled(FIRST, ends, level),
        later=pools.pooled(LATER, ends, level),
        turns={int(turn): pools.pooled(("turn", turn), ends, level) for turn in sorted(pools.named("turn"), key=int)},
        categories={str(one): pools.pooled(("category", one), ends, level) for one in pools.named("category")},
        criteria={str(one): pools.pooled(("criterion", one), ends, level) for one in pools.named("criterion")},
        weighted=weighted if weighted.judgments else None,
        unjudged=unjudged(one.judgment for one in every),
    )


def wins_of(
    judged: Iterable[Judged],
    suite: Suite,
    run: str,
    opponent: str,
    level: float = LEVEL,
    *,
    rule: Rule = combine,
) -> Wins:
    """What one judge's preferences between two runs come to, seen from ``run``, whichever of them was the judged one.

    ``rule`` makes an outcome of two orders (:func:`multiturn.judges.games.rule_of` says which is this judge's).

    Raises:
        UsageError: They are of several judges or of other runs, or of a conversation that the suite lacks; or there are
            none.
    """
    every = tuple(judged)
    judge = _one_judge(every)
    categories = _categories(suite)
    outcomes = outcomes_of(every, run, opponent, rule)
    tallies: dict[Group, Tally] = {}
    for (name, _, turn, _), (outcome, question) in outcomes.items():
        groups = [WHOLE] if turn is None else _groups(question, categories)
        for group in groups:
            tallies.setdefault(group, Tally()).add(name, outcome)
    return Wins(
        judge=judge,
        run=run,
        opponent=opponent,
        turns=tallies.get(ALL, Tally()).won(level),
        first=tallies.get(FIRST, Tally()).won(level),
        later=tallies.get(LATER, Tally()).won(level),
        whole=tallies.get(WHOLE, Tally()).won(level),
        categories={str(name): tally.won(level) for (kind, name), tally in tallies.items() if kind == "category"},
        unjudged=unjudged(one.judgment for one in every),
    )


def outcomes_of(
    judged: Iterable[Judged], run: str, opponent: str, rule: Rule = combine
) -> dict[Pair, tuple[Outcome, Question]]:
    """The outcome of every pair, ``a`` being ``run``, with one of the questions that it comes from.

    Where base was judged beside tuned and tuned beside base, that is one pair: of an order that was asked twice, the
    first answer that can be read counts.

    Raises:
        UsageError: A judgment is not a preference between these two.
    """
    games: dict[Pair, dict[bool, Judgment]] = {}
    questions: dict[Pair, Question] = {}
    for one in judged:
        asked = one.question
        if {asked.run, asked.opponent} != {run, opponent} or asked.mode != "preference":
            raise UsageError(
                f"a judgment is not a preference between runs {run} and {opponent}, but a {asked.mode} of {asked.run}",
                hint="give the judgments of this pair alone",
            )
        pair = (asked.conversation, asked.sample, asked.turn, asked.repeat)
        first = (asked.run == run) == (asked.seat == "first")
        both = games.setdefault(pair, {})
        if not isinstance(both.get(first), Preference):
            both[first] = one.judgment
        questions[pair] = asked
    return {
        pair: (rule(both.get(True), both.get(False)), questions[pair])  # True: ``run`` sat in the first seat
        for pair, both in games.items()
    }


class Tally:
    """Outcomes of pairs by conversation, ``a`` being the run that they are seen from."""

    def __init__(self) -> None:
        self._outcomes: Final[dict[str, list[Outcome]]] = {}

    def add(self, conversation: str, outcome: Outcome) -> None:
        """One pair's."""
        self._outcomes.setdefault(conversation, []).append(outcome)

    def won(self, level: float = LEVEL) -> Won:
        """What they come to."""
        every = [outcome for outcomes in self._outcomes.values() for outcome in outcomes]
        count = Counter(outcome.winner for outcome in every)
        known = [[one.winner for one in outcomes if one.winner] for outcomes in self._outcomes.values()]
        sizes = [len(winners) for winners in known]
        return Won(
            wins=count["a"],
            losses=count["b"],
            ties=count["tie"],
            inconsistent=sum(outcome.consistent is False for outcome in every),
            one_order=sum(outcome.consistent is None and outcome.winner is not None for outcome in every),
            missing=count[None],
            strict=pooled_share([winners.count("a") for winners in known], sizes, level),
            adjusted=pooled_share([math.fsum(CREDIT[one] for one in winners) for winners in known], sizes, level),
        )


def label_rates(judged: Iterable[Judged], suite: Suite, flagged: Collection[str], level: float = LEVEL) -> LabelRates:
    """What one judge's labels of one run come to; ``flagged`` are the labels that count as found.

    Raises:
        UsageError: As :func:`scores_of`.
    """
    every = tuple(judged)
    judge, run = _one_of(every, "label")
    categories, pools = _categories(suite), Pools()
    counts: Counter[str] = Counter()
    for one in every:
        said = one.judgment
        counts.update([said.name] if isinstance(said, Label) else [])
        pools.add(_groups(one.question, categories), one.question.conversation, _flag(said, flagged))
    return LabelRates(
        judge=judge,
        run=run,
        labels=dict(counts),
        flagged=pools.pooled(ALL, level=level),
        first=pools.pooled(FIRST, level=level),
        later=pools.pooled(LATER, level=level),
        categories={str(one): pools.pooled(("category", one), level=level) for one in pools.named("category")},
        unjudged=unjudged(one.judgment for one in every),
    )


def reduction(
    base: Iterable[Judged], tuned: Iterable[Judged], flagged: Collection[str], level: float = LEVEL
) -> Reduction:
    """How much rarer flagged replies are in tuned than in base, over the turns that both arms have labels for.

    Raises:
        UsageError: An arm's judgments are of several judges or runs, of another mode, or there are none; or the two
            arms' are of different judges.
    """
    arms = [tuple(base), tuple(tuned)]
    (judge, base_run), (other, tuned_run) = (_one_of(arm, "label") for arm in arms)
    if judge != other:
        raise UsageError(f"base was labelled by judge {judge}, tuned by {other}", hint="have one judge label both runs")
    cells: list[dict[tuple[str, int | None], list[float]]] = [{}, {}]
    asked: set[str] = set()
    for arm, found in zip(arms, cells, strict=True):
        for one in arm:
            asked.add(one.question.conversation)
            flag = _flag(one.judgment, flagged)
            if flag is not None:
                found.setdefault((one.question.conversation, one.question.turn), []).append(flag)
    both = sorted(cells[0].keys() & cells[1].keys(), key=lambda cell: (cell[0], cell[1] or 0))
    names = list(dict.fromkeys(name for name, _ in both))
    rates, missing = [], len(asked) - len(names)
    for found in cells:
        values: dict[str, list[float]] = {name: [] for name in names}
        for cell in both:
            values[cell[0]] += found[cell]
        rates.append(Flagged([math.fsum(one) for one in values.values()], [len(one) for one in values.values()]))
    ratio = risk_ratio(rates[0], rates[1], level, missing=missing)
    return Reduction(
        judge=judge,
        base=base_run,
        tuned=tuned_run,
        base_rate=_pooled(rates[0], level, missing),
        tuned_rate=_pooled(rates[1], level, missing),
        ratio=_why_undefined(len(names)) if ratio is None else ratio,
    )


def unjudged(judgments: Iterable[Judgment]) -> Unjudged:
    """What has no verdict, by why."""
    kinds: Counter[str] = Counter()
    failed = 0
    for said in judgments:
        if isinstance(said, Unreadable):
            kinds[said.kind] += 1
        failed += isinstance(said, Failed)
    return Unjudged(unreadable=dict(kinds), failed=failed)  # type: ignore[arg-type]  # keys are kinds


def _pooled(rate: Flagged, level: float, missing: int) -> Pooled:
    estimate = pooled_share(rate.flagged, rate.replies, level, missing=missing)
    return Pooled(estimate=estimate, judgments=int(sum(rate.replies)))


def _why_undefined(n: int) -> Undefined:
    if n == 0:
        return Undefined(reason="no turn has a label in both arms")
    return Undefined(reason="base has no flagged reply, so there is nothing to reduce", n=n)


def _flag(said: Judgment, flagged: Collection[str]) -> float | None:
    return float(said.name in flagged) if isinstance(said, Label) else None


def _groups(asked: Question, categories: dict[str, str | None]) -> Iterator[Group]:
    """The groups that a question about one turn is in.

    Raises:
        UsageError: The suite has no such conversation.
    """
    if asked.conversation not in categories:
        raise UsageError(
            f"a judgment is of conversation {asked.conversation!r}, which the suite does not have",
            hint="give the suite that the run was held with",
        )
    turn, category = asked.turn or 0, categories[asked.conversation]
    yield from (ALL, LATER if turn else FIRST, ("turn", turn + 1))
    if category is not None:
        yield ("category", category)


def _categories(suite: Suite) -> dict[str, str | None]:
    return {one.id: one.category for one in suite.conversations}


def _one_of(judged: Sequence[Judged], mode: str) -> tuple[str, str]:
    """The judge and the run that all of them are of.

    Raises:
        UsageError: There is no such one, or one is of another mode.
    """
    judge = _one_judge(judged)
    runs = sorted({one.question.run for one in judged})
    modes = sorted({one.question.mode for one in judged})
    if len(runs) > 1:
        raise UsageError(f"these are judgments of {len(runs)} runs: {', '.join(runs)}", hint="give those of one run")
    if modes != [mode]:
        raise UsageError(f"these are judgments of mode {' and '.join(modes)}, not {mode}", hint="choose another judge")
    return judge, runs[0]


def _one_judge(judged: Sequence[Judged]) -> str:
    judges = sorted({one.judge for one in judged})
    if not judges:
        raise UsageError("there is no judgment", hint="judge the run first: multiturn judge run RUN --judge MODEL")
    if len(judges) > 1:
        raise UsageError(f"these are of {len(judges)} judges: {', '.join(judges)}", hint="give those of one judge")
    return judges[0]
