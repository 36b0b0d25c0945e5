"""Runs and judgments as FastChat's files: what its scripts read, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fastchat.fastchat_files import MTBENCH, PUBLISHED, QUESTIONS, answer, bench, pair, single, write

from multiturn import api
from multiturn.conditions import RunRecord
from multiturn.errors import NotFound, UsageError
from multiturn.fastchat.exporting import export_fastchat
from multiturn.fastchat.importing import FastchatCame, import_fastchat
from multiturn.judgment import Judged, JudgeRecord, Label, Preference, Question, Rating
from multiturn.rubric import Rubric, Scale, Template
from multiturn.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store.db") as opened:
        yield opened


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def ids(came: FastchatCame) -> list[str]:
    return [one.run.id for one in came.models]


def everything(store: Store) -> tuple[object, ...]:
    """All that is in a store, apart from when it came and what the suite is called."""
    runs = sorted((one.run for one in store.runs()), key=lambda run: run.id)
    said = [sorted(store.judgments.of_run(run.id), key=lambda one: one.id) for run in runs]
    judges = sorted((judge.id, judge.created) for judge in store.judgments.judges())
    held = [[(one.session, one.turns) for one in store.transcripts(run.id)] for run in runs]
    return [run.conditions for run in runs], held, judges, said


def test_everything_is_where_fastchats_scripts_look_for_it(store: Store, tmp_path: Path) -> None:
    """The field names are its own; ids are numbers."""
    came = import_fastchat(store, [bench(tmp_path / "in")])
    found = export_fastchat(store, ids(came), tmp_path / "out")
    assert {str(file.path.relative_to(tmp_path / "out")): file.lines for file in found.files} == {
        "question.jsonl": 2,
        "reference_answer/golden.jsonl": 1,
        "model_answer/base.jsonl": 2,
        "model_answer/tuned.jsonl": 2,
        "model_judgment/judy_single.jsonl": 5,
        "model_judgment/judy_pair.jsonl": 2,
    }
    assert found.notes == ()
    for name in ("model_answer/tuned.jsonl", "model_judgment/judy_single.jsonl", "model_judgment/judy_pair.jsonl"):
        before = [set(row) for row in rows(tmp_path / "in" / name)]
        assert [set(row) for row in rows(tmp_path / "out" / name)] == before
    questions = rows(tmp_path / "out" / "question.jsonl")
    assert questions[1] == {"question_id": 2, "category": "math", "turns": ["2+2?", "And 3?"]} | {
        "reference": ["four", "seven"]
    }


def test_rows_are_those_that_came_in(store: Store, tmp_path: Path) -> None:
    """Texts, scores, winners and prompts' names; -1 and ``error`` where there is no verdict, ``$ERROR$`` for no reply."""
    came = import_fastchat(store, [bench(tmp_path / "in")])
    export_fastchat(store, ids(came), tmp_path / "out")
    answers = {row["question_id"]: row["choices"] for row in rows(tmp_path / "out" / "model_answer" / "tuned.jsonl")}
    assert answers[2] == [{"index": 0, "turns": ["5", "ERROR"]}]
    for name in ("judy_single", "judy_pair"):
        before, after = (rows(tmp_path / place / "model_judgment" / f"{name}.jsonl") for place in ("in", "out"))
        assert sorted(before, key=_place) == sorted(after, key=_place)


def _place(row: dict[str, object]) -> tuple[str, ...]:
    return tuple(str(row.get(name)) for name in ("question_id", "model", "turn"))


def test_an_export_comes_back_as_the_same_runs_and_judgments(store: Store, tmp_path: Path) -> None:
    """In the same store nothing is new; in another everything is as it was."""
    write(tmp_path / "in" / "model_answer" / "three.jsonl", answer(1, ("a", " "), ("b", "$ERROR$")), answer(2, ("x",)))
    bench(tmp_path / "in")
    write(
        tmp_path / "in" / "model_judgment" / "more_single.jsonl",
        single(1, "three", 1, 5),
        single(1, "three", 1, 6),
        single(1, "three", 2, -1, judgment="$ERROR$"),
        single(2, "three", 1, 7, judge=["judy", "single-reference"], user_prompt="asked"),
    )
    write(tmp_path / "in" / "model_judgment" / "more_pair.jsonl", pair(2, "error", "model_2", model_2="three"))
    came = import_fastchat(store, [tmp_path / "in"])
    before = everything(store)
    export_fastchat(store, ids(came), tmp_path / "mt_bench")
    again = import_fastchat(store, [tmp_path / "mt_bench"])
    assert again.notes == ()
    assert all(one.reused for one in again.models)
    assert everything(store) == before
    with open_store(tmp_path / "other.db") as other:
        import_fastchat(other, [tmp_path / "mt_bench"])
        assert everything(other) == before


def test_a_model_whose_name_can_name_no_file_keeps_it(store: Store, tmp_path: Path) -> None:
    """The rows say it."""
    write(tmp_path / "question.jsonl", *QUESTIONS)
    write(tmp_path / "org-model.jsonl", {**answer(1, ("a", "b")), "model_id": "org/model"})
    came = import_fastchat(store, [tmp_path])
    assert came.models[0].run.arm.spec == "imported:org/model"
    export_fastchat(store, ids(came), tmp_path / "out")
    assert rows(tmp_path / "out" / "model_answer" / "org-model.jsonl")[0]["model_id"] == "org/model"
    assert ids(import_fastchat(store, [tmp_path / "out"])) == ids(came)


def held(tmp_path: Path, spec: str, **suite: object) -> RunRecord:
    conversation = {"id": "a", "turns": [{"text": "One", "golden": "g"}, "Two"], **suite}
    (tmp_path / "suite.json").write_text(json.dumps([conversation]), encoding="utf-8")
    job = api.Job(suite=str(tmp_path / "suite.json"), store=str(tmp_path / "store.db"))
    return api.evaluate(spec, job).run


def again(tmp_path: Path) -> RunRecord:
    """The same suite, held by another model: one that says what a table says."""
    (tmp_path / "said.json").write_text('{"a": ["Yes.", "No."]}', encoding="utf-8")
    job = api.Job(suite=str(tmp_path / "suite.json"), store=str(tmp_path / "store.db"))
    return api.evaluate(f"scripted:{tmp_path / 'said.json'}", job).run


def judge(**fields: object) -> JudgeRecord:
    rubric = Rubric(
        name="quality",
        version="1",
        mode="rating",
        scale=Scale(),
        templates=(Template(name="t", system="", prompt="", turns=1),),
    )
    record = {"created": "2026-01-02T00:00:00+00:00", "spec": "scripted:judge", "rubric": rubric, "sampling": None}
    return JudgeRecord(**{**record, "schema": False, "goldens": False, "identity": {}, **fields})  # type: ignore[arg-type]


def test_runs_of_ours_are_exported_with_what_has_no_place_told(store: Store, tmp_path: Path) -> None:
    """A system prompt, labels, whole conversations, opponents that are elsewhere; one order of two is an error."""
    run, other = (
        held(tmp_path, "scripted:echo", system="Be brief."),
        again(tmp_path),
    )
    quality = judge()
    template = Template(name="pair", system="", prompt="", turns=1)
    prefers = judge(rubric=Rubric(name="fastchat", version="1", mode="preference", templates=(template,)))
    for one in (quality, prefers):
        store.judgments.keep_judge(one)
    asked = Question(mode="preference", run=run.id, opponent=other.id, conversation="a", turn=0, seat="second")
    whole = Question(mode="preference", run=run.id, opponent=other.id, conversation="a")
    store.judgments.keep(
        [
            Judged(
                judge=quality.id,
                question=Question(mode="rating", run=run.id, conversation="a", turn=1),
                judgment=Rating(value=7),
                text="[[7]]",
            ),
            Judged(
                judge=quality.id,
                question=Question(mode="label", run=run.id, conversation="a", turn=1),
                judgment=Label(name="fine"),
            ),
            Judged(judge=prefers.id, question=asked, judgment=Preference(winner="second"), text="[[B]]"),
            Judged(judge=prefers.id, question=whole, judgment=Preference(winner="first")),
        ]
    )
    found = export_fastchat(store, [run.id, other.id], tmp_path / "out")
    assert set(found.notes) == {
        "left out: system prompts, which FastChat's questions do not have",
        "left out: labels",
        "left out: preferences between whole conversations",
        "left out: the other game of pairs that were asked in one order: it is written as an error",
    }
    (graded,) = rows(tmp_path / "out" / "model_judgment" / "scripted-judge-quality_single.jsonl")
    assert (graded["model"], graded["score"], graded["turn"]) == ("scripted:echo", 7, 2)
    (game,) = rows(tmp_path / "out" / "model_judgment" / "scripted-judge_pair.jsonl")
    assert (game["g1_winner"], game["g2_winner"], game["g2_judgment"]) == ("error", "model_1", "[[B]]")
    alone = export_fastchat(store, [run.id], tmp_path / "alone")
    assert "left out: preferences against a run that is not exported" in alone.notes
    (question,) = rows(tmp_path / "out" / "question.jsonl")
    assert (question["question_id"], question["category"], question["reference"]) == ("a", "general", ["g", ""])


def test_two_runs_of_one_model_are_two_models(store: Store, tmp_path: Path) -> None:
    """FastChat knows models by name: the run's id tells them apart."""
    first = held(tmp_path, "scripted:echo")
    job = api.Job(suite=str(tmp_path / "suite.json"), store=str(tmp_path / "store.db"), fresh=True)
    second = api.evaluate("scripted:echo", job).run
    found = export_fastchat(store, [first.id, second.id], tmp_path / "out")
    names = sorted(file.path.name for file in found.files if file.path.parent.name == "model_answer")
    assert names == sorted(f"scripted-echo-{run.id}.jsonl" for run in (first, second))


def test_what_can_not_be_exported_is_told(store: Store, tmp_path: Path) -> None:
    """Runs of two suites; a folder with another file; a run that is not there. Nothing is written then."""
    first = held(tmp_path, "scripted:echo")
    second = held(tmp_path, "scripted:echo", system="Other.")
    with pytest.raises(UsageError, match="are of different suites"):
        export_fastchat(store, [first.id, second.id], tmp_path / "out")
    with pytest.raises(NotFound):
        export_fastchat(store, ["nothing"], tmp_path / "out")
    write(tmp_path / "out" / "question.jsonl", {"other": 1})
    with pytest.raises(UsageError, match=r"question\.jsonl is there already, and is another file"):
        export_fastchat(store, [first.id], tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["question.jsonl"]


published = pytest.mark.skipif(not MTBENCH.is_file(), reason=f"no published data in {PUBLISHED}")


@published
@pytest.mark.parametrize("folder", ["claude", "routellm", "phi3", "repro_en"])
def test_published_judgments_come_back_from_an_export(store: Store, tmp_path: Path, folder: str) -> None:
    """And FastChat's own rules give the same means and win counts on both files."""
    came = import_fastchat(store, [PUBLISHED / folder], questions=MTBENCH)
    before = everything(store)
    export_fastchat(store, ids(came), tmp_path / "mt_bench")
    with open_store(tmp_path / "other.db") as other:
        assert import_fastchat(other, [tmp_path / "mt_bench"]).notes == ()
        assert everything(other) == before
    kinds = {"score": shown_single, "g1_winner": shown_pairs}
    for field, shown in kinds.items():
        both = [
            [row for path in sorted(place.rglob("*.jsonl")) for row in rows(path) if field in row]
            for place in (PUBLISHED / folder, tmp_path / "mt_bench")
        ]
        assert shown(both[0]) == shown(both[1])


def shown_single(judged: list[dict[str, object]]) -> dict[object, list[float]]:
    """What ``show_result`` makes of single judgments: all scores but -1, by model and turn."""
    scores: dict[object, list[float]] = {}
    for row in judged:
        if row["score"] != -1:
            scores.setdefault((row["model"], row["turn"]), []).append(float(str(row["score"])))
    return {key: sorted(values) for key, values in scores.items()}


def shown_pairs(judged: list[dict[str, object]]) -> dict[object, int]:
    """What ``show_result`` makes of pairs: winners of both games, by models."""
    counts: dict[object, int] = {}
    for row in judged:
        key = (row["model_1"], row["model_2"], row["g1_winner"], row["g2_winner"])
        counts[key] = counts.get(key, 0) + 1
    return counts
