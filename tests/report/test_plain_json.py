"""The export: its shape, strict JSON, whole or not at all, and memory that does not grow."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from multiturn.conditions import Arm, Conditions, RunRecord
from multiturn.finding import Assessed, Checked, CheckResult, Signal, Span
from multiturn.report.plain_json import write_results
from multiturn.results import Comparison, Contrast, Estimate
from multiturn.transcript import Failure, Sampling, Session, Transcript, TurnRecord


def run(name: str, spec: str) -> RunRecord:
    conditions = Conditions(
        suite_digest="d",
        sampling=Sampling(),
        samples=1,
        history="self",
        overflow="stop",
        context_window=512,
        system=None,
        template="model",
        reproducible=True,
        identity={"weights": spec},
    )
    return RunRecord(
        id=name,
        created="2026-01-01T00:00:00Z",
        arm=Arm(spec=spec),
        suite_name="s",
        suite_version="1",
        conversations=1,
        turns=2,
        conditions=conditions,
        versions={"multiturn": "0"},
    )


BASE, TUNED = run("r1", "scripted:a"), run("r2", "scripted:b")


def strict(path: Path) -> dict[str, Any]:
    def refuse(name: str) -> NoReturn:
        raise AssertionError(name)

    found = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    assert isinstance(found, dict)
    return found


HELD = Assessed(
    Transcript(
        session=Session("c1"),
        turns=(
            TurnRecord(turn=0, user="Hi", status="ok", reply='No. "\u2028<b>', flags=("run_on",)),
            TurnRecord(
                turn=1, user="And?", status="failed", cause="environment", failure=Failure("timeout", "no reply")
            ),
        ),
    ),
    (
        Signal(name="refusal", turn=0, value=1, unit="flag", label="full"),
        Signal(name="refusal", turn=1, value=None, unit="flag", reason="no reply"),
        Signal(name="words", turn=0, value=1, unit="words"),
    ),
)


def test_the_shape_that_people_read(tmp_path: Path) -> None:
    path = tmp_path / "outputs" / "mtbench_results.json"
    write_results(path, base_run=BASE, tuned_run=TUNED, base=[HELD], tuned=[HELD, HELD])
    found = strict(path)
    assert (found["base_model"], found["tuned_model"]) == ("scripted:a", "scripted:b")
    assert len(found["tuned_results"]) == 2
    result = found["base_results"][0]
    assert (result["id"], result["refusal_count"]) == ("c1", 1)
    first, second = result["transcript"]
    assert (first["user"], first["assistant"], first["status"]) == ("Hi", 'No. "\u2028<b>', "ok")
    assert (first["flags"], first["refusal"], first["signals"]) == (["run_on"], "full", {"refusal": 1.0, "words": 1.0})
    assert second["assistant"] is None
    assert (second["status"], second["failure"]["kind"], second["signals"]) == ("failed", "timeout", {"refusal": None})


def test_each_turn_has_its_checks_and_each_result_its_counts(tmp_path: Path) -> None:
    """Passed and applied: what is not applicable is in neither. A run without checks has empty lists and zeros."""
    results = (
        CheckResult(outcome="pass", reason="says 'No'", span=Span(0, 2, "No")),
        CheckResult(outcome="fail", reason="does not say 'Hi'"),
        CheckResult(outcome="not_applicable", reason="no reply"),
    )
    checks = tuple(
        Checked(turn=turn, check=check, kind="says", wants=f"wish {check}", result=result, why=f"why {check}")
        for turn, check, result in ((0, 0, results[0]), (0, 1, results[1]), (1, 0, results[2]))
    )
    path = tmp_path / "r.json"
    write_results(path, base_run=BASE, tuned_run=TUNED, base=[HELD], tuned=[Assessed(HELD.transcript, (), checks)])
    found = strict(path)
    (plain,), (checked,) = found["base_results"], found["tuned_results"]
    assert (plain["checks_passed"], plain["checks_applied"], plain["transcript"][0]["checks"]) == (0, 0, [])
    assert (checked["checks_passed"], checked["checks_applied"]) == (1, 2)
    first, second = checked["transcript"]
    assert first["checks"] == [
        {
            "kind": "says",
            "wants": "wish 0",
            "why": "why 0",
            "outcome": "pass",
            "reason": "says 'No'",
            "span": {"start": 0, "end": 2, "text": "No"},
        },
        {
            "kind": "says",
            "wants": "wish 1",
            "why": "why 1",
            "outcome": "fail",
            "reason": "does not say 'Hi'",
            "span": None,
        },
    ]
    assert [check["outcome"] for check in second["checks"]] == ["not_applicable"]


def test_what_the_numbers_rest_on_stands_beside_them(tmp_path: Path) -> None:
    none = Estimate(value=None, n=0, missing=1, note="nothing measured")
    comparison = Comparison(
        base_run="r1",
        tuned_run="r2",
        contrasts=(Contrast(measure="words", group=("all", ""), base=none, tuned=none, difference=none),),
        changes=(),
    )
    path = tmp_path / "r.json"
    write_results(path, base_run=BASE, tuned_run=TUNED, base=[], tuned=[], comparison=comparison)
    found = strict(path)
    assert found["schema_version"] == 1
    assert found["base_results"] == []
    assert found["tuned_run"]["conditions"]["sampling"]["max_tokens"] == 220
    assert found["comparison"]["contrasts"][0]["base"]["missing"] == 1
    assert found["comparison"]["contrasts"][0]["base"]["value"] is None


def test_an_older_file_stays_when_writing_fails(tmp_path: Path) -> None:
    """Whatever stops the export, the file is the old one or the new one, and nothing is left beside it."""

    def broken() -> Iterator[Assessed]:
        yield HELD
        raise RuntimeError("the store went away")

    path = tmp_path / "r.json"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(RuntimeError, match="went away"):
        write_results(path, base_run=BASE, tuned_run=TUNED, base=broken(), tuned=[])
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]
    write_results(path, base_run=BASE, tuned_run=TUNED, base=[HELD], tuned=[])
    assert strict(path)["base_results"][0]["id"] == "c1"
    assert list(tmp_path.iterdir()) == [path]


def test_memory_does_not_grow_with_the_results(tmp_path: Path) -> None:
    def many(count: int) -> Iterator[Assessed]:
        for index in range(count):
            record = TurnRecord(turn=0, user="u", status="ok", reply="word " * 2000)
            yield Assessed(Transcript(session=Session(f"c{index}"), turns=(record,)), ())

    tracemalloc.start()
    try:
        write_results(tmp_path / "r.json", base_run=BASE, tuned_run=TUNED, base=many(300), tuned=many(300))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (tmp_path / "r.json").stat().st_size > 6_000_000
    assert peak < 1_000_000
