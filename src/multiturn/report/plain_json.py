"""The plain export of a base/tuned comparison: one JSON file that other tools and people's scripts read.

::

    {"schema_version": 1, "base_model": "...", "tuned_model": "...",
     "base_results":  [{"id": "...", "sample": 0, "transcript": [{"user": "...", "assistant": "..." or null,
                        "status": "ok", "flags": [], "signals": {"words": 12, ...},
                        "checks": [{"kind": "says", "wants": "says ...", "why": "...", "outcome": "pass",
                                    "reason": "...", "span": {"start", "end", "text"} or null}]}],
                        "refusal_count": 0, "checks_passed": 1, "checks_applied": 1}],
     "tuned_results": [...],
     "base_run": {"id", "created", "arm", "conditions", "versions", ...}, "tuned_run": {...},
     "comparison": {"contrasts": [...], "changes": [...], "distributions": [...], "verdicts": [...], "plan": {...},
                    "localisation": [...], "decay": {...} or null, "profile": [...], "noise": [...], "ratios": [...],
                    "medians": [...], "notes": [...], ...} or null,
     "judged": {"measures": {"score": [...], "helpfulness_win_rate": [...], ...}, "all": {...}} or null}

The values of ``comparison`` are those of :class:`multiturn.results.Comparison`: the verdicts with the plan that they
follow (primary measure, margins, level), where the primary measure moved, late turns against the early one, the profile
by capability and category with turns, the noise floor, and of lengths the ratio and the median difference. A verdict
depends on missing data where one of its ``filled`` words is not its ``word``. A check's ``why`` says what failing
means, and is empty where the suite does not say.

``assistant`` is null where there is no reply, never the text of an error; why is in ``status``, ``cause`` and
``failure``. ``checks_applied`` counts the checks that passed or failed. Strict JSON: UTF-8, no NaN, no Infinity.
Results are written one by one, so memory does not grow with them, and the file appears whole or not at all. One run by
itself, and more than two, have keys of their own (:func:`run_text`, :func:`several_text`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from multiturn.codec import SCHEMA_VERSION, encode
from multiturn.finding import Outcome, Span
from multiturn.report.judged_json import judged_json
from multiturn.report.whole_file import whole_file
from multiturn.transcript import Cause, Failure, Flag, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from multiturn.conditions import RunRecord
    from multiturn.finding import Assessed, Checked, Signal
    from multiturn.judged_pair import JudgedPair
    from multiturn.ranking import Ranking
    from multiturn.results import Comparison, PassRates
    from multiturn.transcript import TurnRecord


def write_results(
    path: Path,
    *,
    base_run: RunRecord,
    tuned_run: RunRecord,
    base: Iterable[Assessed],
    tuned: Iterable[Assessed],
    comparison: Comparison | None = None,
    judged: JudgedPair | None = None,
) -> None:
    """Write the export of two runs.

    Args:
        path: The file; its folder is made if need be. An older file is replaced when the new one is whole.
        base_run: The run that is compared with.
        tuned_run: The run in question.
        base: Its transcripts, each written as it comes.
        tuned: The other's.
        comparison: What was concluded, with its estimates; null in the file where there is none.
        judged: What judges said of both; null in the file where they said nothing.

    Raises:
        OSError: The file can't be written; an older one is untouched.
        StoreError: A text or number does not exist in JSON (half of a surrogate pair); an older file is untouched.
    """
    with whole_file(path) as file:
        file.writelines(results_text((base_run, tuned_run), base, tuned, comparison, judged))


def results_text(
    runs: tuple[RunRecord, RunRecord],
    base: Iterable[Assessed],
    tuned: Iterable[Assessed],
    comparison: Comparison | None,
    judged: JudgedPair | None = None,
) -> Iterator[bytes]:
    """The export of two runs, piece by piece; see :func:`write_results`."""
    base_run, tuned_run = runs
    head = _Head(schema_version=SCHEMA_VERSION, base_model=base_run.arm.spec, tuned_model=tuned_run.arm.spec)
    yield encode(head).removesuffix(b"}")
    yield b',\n"base_results":['
    yield from _list(base)
    yield b'],\n"tuned_results":['
    yield from _list(tuned)
    yield b'],\n"base_run":' + encode(base_run)
    yield b',\n"tuned_run":' + encode(tuned_run)
    yield b',\n"comparison":' + (b"null" if comparison is None else encode(comparison))
    yield b',\n"judged":' + _judged(judged)
    yield b"}\n"


def _judged(found: JudgedPair | None) -> bytes:
    return b"null" if found is None else encode(judged_json(found))


def run_text(
    run: RunRecord, results: Iterable[Assessed], rates: PassRates, judged: JudgedPair | None = None
) -> Iterator[bytes]:
    """The export of one run, piece by piece: ``model``, ``results``, ``run``, ``pass_rates``, ``judged``."""
    yield encode(_One(schema_version=SCHEMA_VERSION, model=run.arm.spec)).removesuffix(b"}")
    yield b',\n"results":['
    yield from _list(results)
    yield b'],\n"run":' + encode(run)
    yield b',\n"pass_rates":' + encode(rates)
    yield b',\n"judged":' + _judged(judged)
    yield b"}\n"


def several_text(
    arms: Iterable[tuple[str, RunRecord, Iterable[Assessed]]],
    ranking: Ranking | None,
    comparisons: Iterable[Comparison],
) -> Iterator[bytes]:
    """The export of several runs, piece by piece.

    ``arms`` (each with ``arm``, ``model``, ``results`` and ``run``), ``ranking``, and the ``comparisons`` of the first
    arm with each other one.
    """
    yield encode(_Several(schema_version=SCHEMA_VERSION)).removesuffix(b"}")
    yield b',\n"arms":['
    separator = b"\n"
    for name, run, results in arms:
        yield separator + encode(_Arm(arm=name, model=run.arm.spec)).removesuffix(b"}")
        yield b',"results":['
        yield from _list(results)
        yield b'],"run":' + encode(run) + b"}"
        separator = b",\n"
    yield b'],\n"ranking":' + (b"null" if ranking is None else encode(ranking))
    yield b',\n"comparisons":[' + b",\n".join(map(encode, comparisons))
    yield b"]}\n"


class _Head(msgspec.Struct, frozen=True, kw_only=True):
    schema_version: int
    base_model: str
    tuned_model: str


class _One(msgspec.Struct, frozen=True, kw_only=True):
    schema_version: int
    model: str


class _Several(msgspec.Struct, frozen=True, kw_only=True):
    schema_version: int


class _Arm(msgspec.Struct, frozen=True, kw_only=True):
    arm: str
    model: str


class PlainCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One check of a turn and what it says, in the order of the suite."""

    kind: str
    wants: str
    why: str
    outcome: Outcome
    reason: str
    span: Span | None


class PlainTurn(msgspec.Struct, frozen=True, kw_only=True):
    """One turn as the export shows it; ``refusal`` is the kind of refusal, null where there is none."""

    user: str
    assistant: str | None
    status: Status
    cause: Cause | None
    failure: Failure | None
    flags: tuple[Flag, ...]
    refusal: str | None
    signals: dict[str, float | None]
    checks: tuple[PlainCheck, ...]


class PlainResult(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation as the export shows it; ``refusal_count`` counts replies that refuse, in full or in part."""

    id: str
    sample: int
    system: str | None
    transcript: tuple[PlainTurn, ...]
    refusal_count: int
    checks_passed: int
    checks_applied: int


def plain(measured: Assessed) -> PlainResult:
    """One conversation, as the export shows it."""
    by_turn: dict[int, list[Signal]] = {}
    for signal in measured.signals:
        by_turn.setdefault(signal.turn, []).append(signal)
    refused = measured.refusals
    turns = tuple(
        _turn(record, by_turn.get(record.turn, []), refused.get(record.turn), measured.checks_of(record.turn))
        for record in measured.transcript.turns
    )
    outcomes = Counter(checked.result.outcome for checked in measured.checks)
    session = measured.transcript.session
    return PlainResult(
        id=session.conversation,
        sample=session.sample,
        system=measured.transcript.system,
        transcript=turns,
        refusal_count=sum(turn.refusal is not None for turn in turns),
        checks_passed=outcomes["pass"],
        checks_applied=outcomes["pass"] + outcomes["fail"],
    )


def _turn(
    record: TurnRecord, signals: Sequence[Signal], refusal: Signal | None, checks: Sequence[Checked]
) -> PlainTurn:
    return PlainTurn(
        user=record.user,
        assistant=record.reply,
        status=record.status,
        cause=record.cause,
        failure=record.failure,
        flags=record.flags,
        refusal=refusal.label if refusal else None,
        signals={signal.name: signal.value for signal in signals},
        checks=tuple(_check(checked) for checked in checks),
    )


def _check(checked: Checked) -> PlainCheck:
    found = checked.result
    return PlainCheck(
        kind=checked.kind,
        wants=checked.wants,
        why=checked.why,
        outcome=found.outcome,
        reason=found.reason,
        span=found.span,
    )


def _list(results: Iterable[Assessed]) -> Iterator[bytes]:
    separator = b"\n"
    for one in results:
        yield separator + encode(plain(one))
        separator = b",\n"
