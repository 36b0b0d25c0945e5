"""Can this judge be believed? It is asked what has a known outcome, and its card says what came of it.

The same check is not asked twice: a card is found again by who was asked what, and so is every answer, so a check that
was broken off goes on where it stopped. What this module does not know: what a finding means (``judge_findings.py``),
model specs, screens.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.errors import EngineError, UsageError
from multiturn.judge_card import Card
from multiturn.judge_desk import Desk
from multiturn.judge_findings import Answer, conclusion_of, findings_of
from multiturn.judges.meter import Budget, BudgetSpent, Meter, MeteredEngine
from multiturn.judges.model_judge import Manner, ModelJudge
from multiturn.judges.planning import Expected, Sitting, estimate
from multiturn.judges.probes import MOST_CALLS, Probe, Trial, Variant, about_harm, digest_of, probes_for
from multiturn.judges.rubrics import load_rubric
from multiturn.judges.specimens import Specimen, from_run, from_suites
from multiturn.judges.specimens import about_harm as harm_specimens
from multiturn.judges.templates import judged_turns
from multiturn.judging import GIVE_UP_AFTER
from multiturn.judgment import Failed, Judged, Unreadable
from multiturn.suites.reading import load_suite
from multiturn.tasks import together

if TYPE_CHECKING:
    from multiturn.judgment import JudgeRecord
    from multiturn.protocols import Engine, Judge
    from multiturn.rubric import Rubric
    from multiturn.store import Store

SUITES: Final = ("mtbench_conversations", "safety_conversations")
"""Whose goldens a judge is tried with where no run is named."""

REWORDED: Final = {"quality": "quality_reworded", "quality_reworded": "quality"}
OTHER_TEMPERATURE: Final = 0.7
"""For a greedy judge; one that draws its verdicts is asked greedily."""


class Checking(msgspec.Struct, frozen=True, kw_only=True):
    """How a judge is checked: with the replies of a run or of the shipped suites, in so many calls at most."""

    run: str | None = None
    calls: int = MOST_CALLS
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.calls <= MOST_CALLS:
            raise UsageError(
                f"a check takes 1 to {MOST_CALLS} calls, not {self.calls}", hint="give --calls such a number"
            )


class CheckProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a check is."""

    questions: int
    asked: int


Watch = Callable[[CheckProgress], None]


def unwatched(_progress: CheckProgress) -> None:
    """A watch that looks away."""


Keep = Callable[[Judged], Awaitable[None]]
"""Keeps an answer; when it returns, that is durable."""


async def kept_nowhere(_judged: Judged) -> None:
    """For who needs the answers once."""


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge is tried with, and what that is in words."""

    specimens: tuple[Specimen, ...]
    called: str


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What was said, and what ended it early, where something did."""

    answers: tuple[Answer, ...]
    spent: BudgetSpent | None = None


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """A check before it is asked: all its probes, the answers that are known, what is left, and the card there is.

    ``material`` says in words what the probes are made of.
    """

    probes: tuple[Probe, ...]
    material: str
    known: tuple[Answer, ...]
    left: tuple[Probe, ...]
    card: Card | None = None

    @property
    def calls(self) -> int:
        """How many calls the known answers took, at most: one whose prompt did not fit may have taken none."""
        return sum(1 if one.judged.first is None else 2 for one in self.known)


def material_for(rubric: Rubric, checking: Checking, store: Store) -> Material:
    """The specimens that a rubric is tried with.

    Raises:
        NotFound: the run is not in the store.
    """
    able = judged_turns(rubric)
    if about_harm(rubric):
        return Material(
            specimens=harm_specimens(checking.seed), called="harmless and harmful replies of multiturn's own"
        )
    if checking.run is None:
        conversations = [one for name in SUITES for one in load_suite(name).conversations]
        found, called = from_suites(conversations, checking.seed), "goldens of the shipped suites"
    else:
        run = store.run(checking.run)
        conversations = list(store.suite(run.conditions.suite_digest).conversations)
        found = from_run(conversations, store.transcripts(run.id), checking.seed)
        called = f"conversations of run {run.id}"
    fitting = tuple(one for one in found if able is None or len(one.said) in able)
    return Material(specimens=fitting, called=called)


def reworded(rubric: Rubric) -> Rubric | None:
    """The shipped rubric that asks the same in other words; None where there is none."""
    twin = REWORDED.get(rubric.name)
    if twin is None or load_rubric(rubric.name).digest != rubric.digest:
        return None
    return load_rubric(twin)


def judges_for(engine: Engine, rubric: Rubric, manner: Manner) -> dict[Variant, Judge]:
    """The judge as it is to be used, and its variants, on one engine."""
    sampling = manner.sampling
    heat = OTHER_TEMPERATURE if sampling.temperature == 0 else 0.0
    other = msgspec.structs.replace(manner, sampling=msgspec.structs.replace(sampling, temperature=heat))
    judges: dict[Variant, Judge] = {
        "plain": ModelJudge(engine, rubric, manner),
        "temperature": ModelJudge(engine, rubric, other),
    }
    twin = reworded(rubric)
    if twin is not None:
        judges["reworded"] = ModelJudge(engine, twin, manner)
    return judges


def prepared(store: Store, judges: Mapping[Variant, Judge], checking: Checking) -> Prepared:
    """What this check of a judge asks, and what it was told before. Nothing is asked.

    Raises:
        NotFound: the run is not in the store.
        UsageError: there is too little to try it with.
    """
    record = judges["plain"].record
    material = material_for(record.rubric, checking, store)
    probes = probes_for(
        Trial(
            rubric=record.rubric,
            specimens=material.specimens,
            calls=checking.calls,
            reworded="reworded" in judges,
            seed=checking.seed,
        )
    )
    keys = [judges[probe.slot.variant].key(probe.question, probe.exhibit) for probe in probes]
    window = judges["plain"].window
    said = {key: one for key, one in store.cards.answers(keys).items() if one.stands(window)}
    asked = list(zip(probes, keys, strict=True))
    return Prepared(
        probes=probes,
        material=material.called,
        known=tuple(Answer(probe=probe, judged=said[key]) for probe, key in asked if key in said),
        left=tuple(probe for probe, key in asked if key not in said),
        card=store.cards.find(record.id, digest_of(probes)),
    )


def due(store: Store, judges: Mapping[Variant, Judge], checking: Checking) -> Prepared | None:
    """The check that is to be asked before a judge is believed; None where it has a card: any whole one will do.

    Raises:
        NotFound, UsageError: as :func:`prepared`.
    """
    standing = store.cards.standing(judges["plain"].record.id)
    if standing is not None and _is_whole(standing, checking):
        return None
    before = prepared(store, judges, checking)
    begun = standing is None or (standing.probes == digest_of(before.probes) and bool(before.left))
    return before if begun else None


def expected(before: Prepared, judges: Mapping[Variant, Judge], checking: Checking) -> Expected:
    """What the rest of a check would take; nothing is asked."""
    found = Expected()
    for probe in before.left[: max(0, checking.calls - before.calls)]:
        record = judges[probe.slot.variant].record
        sitting = Sitting(probe.exhibit, (probe.question,))
        one = estimate([sitting], record.rubric, schema=record.schema, goldens=record.goldens)
        found = Expected(calls=found.calls + one.calls, prompt_tokens=found.prompt_tokens + one.prompt_tokens)
    return found


async def check_judge(
    store: Store, engine: Engine, rubric: Rubric, manner: Manner, checking: Checking, *, watch: Watch = unwatched
) -> Card:
    """The judge's card for this check: the stored one, or one of what it says now and said before, which is stored.

    Every answer is kept as it comes, unless the judge could not be asked (a timeout, a lost server), and is not asked
    for again. A card that lacks some is made all the same, and made anew when the rest is there.

    Args:
        store: where cards are, and the run to try it with.
        engine: the judge's model, not closed here.
        rubric: by which it is to judge.
        manner: how it is to be asked.
        checking: with what, and in how many calls at most, verdicts asked for again included.
        watch: called after each answer.

    Raises:
        BudgetSpent: the engine's own budget ended before there was any answer.
        EngineError: the judge could not be asked several times in a row; what it said is kept.
        UsageError: there is too little to try it with.
    """
    before = prepared(store, judges_for(engine, rubric, manner), checking)
    if before.card is not None and _is_whole(before.card, checking):
        return before.card
    meter = Meter(Budget(max_calls=checking.calls), calls=before.calls)
    judges = judges_for(MeteredEngine(engine, meter), rubric, manner)
    async with Desk(store.cards.keep_answers) as desk:
        asked = await ask(judges, before.left, watch, known=before.known, keep=desk.keep)
    if asked.spent is not None and not asked.answers:
        raise asked.spent
    record = judges["plain"].record
    card = card_of(record, before.probes, asked.answers, material=before.material, calls=meter.calls)
    store.judgments.keep_judge(record)
    store.cards.keep(card)
    return store.cards.find(card.judge, card.probes) or card


async def ask(
    judges: Mapping[Variant, Judge],
    probes: Sequence[Probe],
    watch: Watch = unwatched,
    *,
    known: Sequence[Answer] = (),
    keep: Keep = kept_nowhere,
) -> Asked:
    """What the judge says to these, each shown by itself, as far as its budget goes.

    Args:
        judges: the judge, and its variants.
        probes: what is asked.
        watch: called after each answer.
        known: answers to other probes of the same check, which come first in what is returned.
        keep: called with each answer that needs not be asked for again, before the watch hears of it.

    Raises:
        EngineError: the judge could not be asked several times in a row.
    """
    tally = _Tally(len(probes), known, watch)
    waiting = iter(probes)

    async def work() -> None:
        for probe in waiting:
            if tally.spent is not None:
                return
            try:
                async for judged in judges[probe.slot.variant].sitting(probe.exhibit, [probe.question]):
                    answer = Answer(probe=probe, judged=judged)
                    if not _is_lost(answer):
                        await keep(judged)
                    tally.take(answer)
            except BudgetSpent as spent:
                tally.spent = spent

    await together(work, min(judges["plain"].open_sittings, len(probes)))
    return Asked(answers=tuple(tally.answers), spent=tally.spent)


def card_of(
    record: JudgeRecord, probes: Sequence[Probe], answers: Sequence[Answer], *, material: str, calls: int
) -> Card:
    """The card that these answers make."""
    findings = findings_of(answers, record.rubric, probes)
    conclusion, reasons = conclusion_of(findings)
    return Card(
        created=dt.datetime.now(dt.UTC).isoformat(timespec="microseconds"),
        judge=record.id,
        spec=record.spec,
        rubric=record.rubric.name,
        mode=record.rubric.mode,
        probes=digest_of(probes),
        material=material,
        questions=len(probes),
        asked=len(answers),
        calls=calls,
        unreadable=sum(isinstance(one.judged.judgment, Unreadable) for one in answers),
        failed=sum(isinstance(one.judged.judgment, Failed) for one in answers),
        findings=findings,
        conclusion=conclusion,
        reasons=reasons,
    )


class _Tally:
    """Takes answers in, tells who watches, and notices that the judge is gone or its budget spent."""

    def __init__(self, left: int, known: Sequence[Answer], watch: Watch) -> None:
        self._questions: Final = left + len(known)
        self._watch: Final = watch
        self._in_a_row = 0
        self.answers: list[Answer] = list(known)
        self.spent: BudgetSpent | None = None

    def take(self, answer: Answer) -> None:
        """An answer came.

        Raises:
            EngineError: too many in a row could not be asked for.
        """
        self.answers.append(answer)
        self._watch(CheckProgress(questions=self._questions, asked=len(self.answers)))
        self._in_a_row = self._in_a_row + 1 if _is_lost(answer) else 0
        failure = answer.judged.judgment
        if isinstance(failure, Failed) and self._in_a_row >= GIVE_UP_AFTER:
            raise EngineError(
                f"the judge could not be asked {self._in_a_row} times in a row; the last time: {failure.message}",
                hint="once it or its server is well, give the same command again: it goes on from there",
            )


def _is_whole(card: Card, checking: Checking) -> bool:
    """Whether asking on would change nothing: all was asked and answered, or the calls of a check are used up."""
    return card.failed == 0 and (card.asked == card.questions or card.calls >= checking.calls)


def _is_lost(answer: Answer) -> bool:
    """Whether the environment is why there is no verdict: a prompt that does not fit will not fit next time either."""
    judgment = answer.judged.judgment
    return isinstance(judgment, Failed) and judgment.kind != "overflow"
