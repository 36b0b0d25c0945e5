"""A page whose every field holds what a test asks for: made of values alone, without a store and without a model.

Fields are named in ``OF_CONVERSATION`` and ``OF_RUN``; one that is not given holds plain words. Values are made
directly, so that even fields which a suite's reader restricts (a category, say) can hold any text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from multiturn.compare import compare
from multiturn.conditions import Arm, Conditions, RunRecord
from multiturn.conversation import MAX_ID_LENGTH, CheckJson, Conversation, Suite, Turn
from multiturn.finding import Assessed, Checked, CheckResult, Signal, Span
from multiturn.pages import shown_arms
from multiturn.pass_rates import pass_rates
from multiturn.ranking import Ranking
from multiturn.report.page.collect import Collector
from multiturn.report.page.shown import Page
from multiturn.stats.ranking import rank_rates
from multiturn.transcript import Failure, Sampling, Session, Transcript, TurnRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from multiturn.report.page.shown import Heard
    from multiturn.results import Comparison

    Fields = Mapping[str, str]
    Hears = Callable[[str], Heard | None]

OF_CONVERSATION: Final = {
    "id": "kettle",
    "why": "A kettle has to stay the kettle that was spoken of.",
    "domain": "household",
    "category": "writing",
    "capability": "context_retention",
    "pattern": "recall",
    "link": "backward",
    "system": "Be brief.",
    "user": "Which colour does the kettle have?",
    "turn_why": "The colour was told a turn before.",
    "golden": "The kettle is green.",
    "reply": "The kettle is green, as far as I know.",
    "aside": "",
    "raw": "The kettle is green. User: And the cup?",
    "reasoning": "Green was said first.",
    "failure": "the server went away",
    "failure_kind": "server",
    "prompt": "User: Which colour does the kettle have?",
    "served_model": "kettle-model",
    "check_kind": "says",
    "wants": "says green",
    "check_why": "The colour is lost.",
    "reason": "green is not there",
    "signal": "tempo",
    "signal_label": "calm",
    "signal_reason": "nothing to measure",
    "language": "en",
    "flag": "run_on",
}
"""Fields of a conversation, with what they hold where nothing is asked for. ``aside`` is of one reply alone."""

OF_RUN: Final = {
    "run": "20260101-000000-0000",
    "created": "2026-01-01T00:00:00Z",
    "base_spec": "scripted:base",
    "spec": "scripted:tuned",
    "arm_system": "Be brief, all of you.",
    "template": "model",
    "suite": "kettles",
    "suite_version": "1",
    "identity_name": "weights",
    "identity": "kettle.gguf",
    "version_name": "multiturn",
    "version": "0.1.0",
    "stop": "User:",
    "run_note": "The run was held on a rainy day.",
    "note": "Both runs were held on a rainy day.",
}
"""Fields of a run or of the comparison, likewise. ``base_spec`` is the first arm's, ``spec`` is of all others."""

TURNS: Final = 3
REFUSAL: Final = "I'm sorry, but I can't help with that."


def page_of(
    conversations: Sequence[Fields], run: Fields = OF_RUN, *, arms: int = 2, heard: Hears = lambda _conversation: None
) -> Page:
    """A page of these conversations, each as its fields say. In turn 1 the tuned models lose a check, in turn 2 they
    decline, in turn 3 the first arm is cut off and the others are lost. ``heard`` is what judges said of each.
    """  # noqa: D205 - one story
    run = OF_RUN | dict(run)
    suite = suite_of(conversations, run)
    runs = [run_of(suite, run, arm) for arm in range(arms)]
    collector = Collector(suite, shown_arms(runs), [1] * arms, heard=heard)
    held = [
        [_held(one.id, {**OF_CONVERSATION, **fields}, arm) for one, fields in _paired(suite, conversations)]
        for arm in range(arms)
    ]
    for arm, transcripts in enumerate(held):
        assert list(collector.watch(arm, transcripts)) == transcripts
    comparisons = tuple(_compared(suite, runs, held, arm, run["note"]) for arm in range(1, arms))
    rates = pass_rates(suite, [one.transcript for one in held[0]], name=runs[0].arm.spec) if arms == 1 else None
    ranking = _ranking(suite, runs, run["note"]) if arms > 2 else None
    return Page(
        runs=tuple(runs), collected=collector.collected(), comparisons=comparisons, ranking=ranking, rates=rates
    )


def suite_of(conversations: Sequence[Fields], run: Fields) -> Suite:
    """The suite that these conversations make."""
    made = tuple(_conversation({**OF_CONVERSATION, **fields}) for fields in conversations)
    return Suite(name=run["suite"], version=run["suite_version"], conversations=made)


def run_of(suite: Suite, fields: Fields, arm: int) -> RunRecord:
    """The run of the arm at this place."""
    conditions = Conditions(
        suite_digest=suite.digest,
        sampling=Sampling(stop=(fields["stop"],)),
        samples=1,
        history="self",
        overflow="stop",
        context_window=4096,
        system=fields["arm_system"],
        template=fields["template"],
        reproducible=True,
        identity={fields["identity_name"]: fields["identity"]},
    )
    return RunRecord(
        id=f"{fields['run']}{arm}",
        created=fields["created"],
        arm=Arm(
            spec=fields["spec"] if arm else fields["base_spec"],
            system=fields["arm_system"],
            template=fields["template"],
        ),
        suite_name=suite.name,
        suite_version=suite.version,
        conversations=len(suite.conversations),
        turns=suite.turn_count,
        conditions=conditions,
        versions={fields["version_name"]: fields["version"]},
        notes=(fields["run_note"],),
    )


def _paired(suite: Suite, conversations: Sequence[Fields]) -> list[tuple[Conversation, Fields]]:
    return list(zip(suite.conversations, conversations, strict=True))


def _conversation(fields: Fields) -> Conversation:
    turn = Turn(
        text=fields["user"],
        why=fields["turn_why"],
        golden=fields["golden"],
        refusal_expected=False,
        checks=(CheckJson(b'{"kind": "says", "any": ["Well"]}'),),
    )
    return Conversation(
        id=fields["id"][:MAX_ID_LENGTH],
        turns=(turn,) * TURNS,
        why=fields["why"],
        domain=fields["domain"],
        category=cast("Any", fields["category"]),
        capability=cast("Any", fields["capability"]),
        pattern=cast("Any", fields["pattern"]),
        link=cast("Any", fields["link"]),
        system=fields["system"],
    )


def _held(conversation: str, fields: Fields, arm: int) -> Assessed:
    """One transcript with signals that do not depend on its texts, and a check of each reply."""
    transcript = Transcript(session=Session(conversation), turns=tuple(_records(fields, arm)), system=fields["system"])
    said = tuple(_checked(fields, record, arm) for record in transcript.turns if record.reply is not None)
    return Assessed(transcript, tuple(_signals(fields, transcript)), said)


def _signals(fields: Fields, transcript: Transcript) -> Iterator[Signal]:
    for record in transcript.turns:
        at, refused = record.turn, (record.reply or "").startswith(REFUSAL)
        if record.reply is None:
            yield Signal(name="words", turn=at, value=None, unit="words", reason=fields["signal_reason"])
            continue
        yield Signal(name="words", turn=at, value=12, unit="words")
        yield Signal(name="empty", turn=at, value=0, unit="flag")
        yield Signal(name="language_change", turn=at, value=0, unit="flag", label=fields["language"])
        yield Signal(
            name="refusal",
            turn=at,
            value=float(refused),
            unit="flag",
            label="full" if refused else "none",
            span=Span(start=0, end=len(REFUSAL), text=REFUSAL) if refused else None,
        )
        yield Signal(name=fields["signal"], turn=at, value=1, unit="flag", label=fields["signal_label"])


def _records(fields: Fields, arm: int) -> list[TurnRecord]:
    reply = fields["reply"]
    replies = [f"Well. {reply} So it is.{fields['aside']}", f"{REFUSAL} {reply}"] if arm else [reply] * 3
    told: dict[str, Any] = {
        "user": fields["user"],
        "raw": fields["raw"],
        "reasoning": fields["reasoning"],
        "prompt_delta": fields["prompt"],
        "served_model": fields["served_model"],
        "flags": (fields["flag"],),
    }
    held = [TurnRecord(turn=at, status="ok", reply=one, **told) for at, one in enumerate(replies[:2])]
    if arm == 0:
        return [*held, TurnRecord(turn=2, status="length", reply=reply, **told)]
    failure = Failure(cast("Any", fields["failure_kind"]), fields["failure"])
    lost = TurnRecord(turn=2, user=fields["user"], status="failed", cause="environment", failure=failure)
    return [*held, lost]


def _checked(fields: Fields, record: TurnRecord, arm: int) -> Checked:
    start = (record.reply or "").index(fields["reply"])
    span = Span(start=start, end=start + len(fields["reply"]), text=fields["reply"])
    result = CheckResult(outcome="fail" if arm else "pass", reason=fields["reason"], span=span)
    return Checked(
        turn=record.turn,
        check=0,
        kind=fields["check_kind"],
        wants=fields["wants"],
        why=fields["check_why"],
        result=result,
    )


def _compared(
    suite: Suite, runs: Sequence[RunRecord], held: Sequence[Sequence[Assessed]], arm: int, note: str
) -> Comparison:
    return compare(suite, held[0], held[arm], base_run=runs[0].id, tuned_run=runs[arm].id, notes=(note,))


def _ranking(suite: Suite, runs: Sequence[RunRecord], note: str) -> Ranking:
    shares = {
        f"{run.arm.spec} ({run.id})": {one.id: float(at == 0) for one in suite.conversations}
        for at, run in enumerate(runs)
    }
    return Ranking(rates=rank_rates(shares), notes=(note,))
