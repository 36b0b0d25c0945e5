"""``multiturn agreement``: published votes to the last digit, stored judgments, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from tests.published_judgments import PUBLISHED

from multiturn.judges.rubrics import load_rubrics
from multiturn.judgment import Judged as JudgedOnce
from multiturn.judgment import JudgeRecord, Judgment, Label, Preference, Question, Rating, Seat, Winner
from multiturn.rubric import Mode, Rubric, Scale, Template
from multiturn.store import Store, open_store
from multiturn.transcript import Sampling

Cli = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]

VOTES = PUBLISHED / "human_votes" / "votes_light.jsonl"
TALKS = PUBLISHED / "human_votes" / "conversations_light.jsonl"
PAIRS = PUBLISHED / "llmbar" / "mt_bench_pairs.json"
published = pytest.mark.skipif(not VOTES.is_file(), reason=f"no published votes in {VOTES}")
CONVERSATIONS = 4


@published
def test_published_agreement_to_the_last_digit(cli: Cli) -> None:
    """GPT-4 and people, people and people, with ties and without, turn by turn: agreements of comparisons."""
    code, out, _ = cli("agreement", "--votes", str(VOTES))
    assert code == 0
    judge, people = out.split("Agreement among people")
    assert "Agreement of gpt-4 pair-v2 with people" in judge
    for row in ("1 kept 465 698", "2 kept 470 687", "1 out 373 444", "2 out 388 456"):
        assert f"\n{row} " in squeezed(judge)
    for row in ("1 kept 129 200", "2 kept 131 195", "1 out 105 123", "2 out 106 126"):
        assert f"\n{row} " in squeezed(people)
    assert "366 votes of the benchmark's authors are left out" in out


@published
@pytest.mark.skipif(not PAIRS.is_file(), reason=f"no published pairs in {PAIRS}")
def test_published_pairs_with_a_majoritys_label(cli: Cli) -> None:
    """LLMBar's pairs, found in the published conversations by their texts: a plain count says the same."""
    arguments = ("--votes", str(VOTES), "--votes", str(PAIRS), "--replies", str(TALKS))
    _, out, _ = cli("agreement", *arguments, "--json")
    (one,) = [one for one in json.loads(out)["accuracies"] if one["labels"] == "label of a pair"]
    assert (one["right"], one["wrong"], one["ties"], one["unjudged"]) == plain_count()
    assert one["rate"]["value"] == pytest.approx(one["right"] / (one["right"] + one["wrong"] + one["ties"]))


def plain_count() -> tuple[int, int, int, int]:
    """Right, wrong, ties and pairs that GPT-4 has no verdict on, of pairs that can only be of two models."""
    said = {}
    for line in VOTES.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if isinstance(row["judge"], list) and row["turn"] == 1:
            said[row["question_id"], row["model_a"], row["model_b"]] = row.get(row["winner"], "tie")
            said[row["question_id"], row["model_b"], row["model_a"]] = row.get(row["winner"], "tie")
    wrote: dict[str, list[tuple[int, str]]] = {}
    for line in TALKS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        wrote.setdefault(row["conversation"][1]["content"].strip(), []).append((row["question_id"], row["model"]))
    counts = {"right": 0, "wrong": 0, "tie": 0, "none": 0}
    for pair in json.loads(PAIRS.read_text(encoding="utf-8")):
        good, bad = (pair["output_1"], pair["output_2"]) if pair["label"] == 1 else (pair["output_2"], pair["output_1"])
        found = [
            (one, other)
            for one in wrote.get(good.strip(), [])
            for other in wrote.get(bad.strip(), [])
            if one[0] == other[0] and one[1] != other[1]
        ]
        sides = {one[1] < other[1] for one, other in found}
        if len(sides) != 1:
            continue
        known = [(key, one[1]) for one, other in sorted(found) if (key := (one[0], one[1], other[1])) in said]
        if not known:
            counts["none"] += 1
            continue
        (key, better), *_ = known
        counts["tie" if said[key] == "tie" else "right" if said[key] == better else "wrong"] += 1
    return counts["right"], counts["wrong"], counts["tie"], counts["none"]


def squeezed(out: str) -> str:
    """With one blank between cells."""
    return re.sub(" +", " ", out)


# Stored judgments


def rubric(mode: Mode) -> Rubric:
    if mode == "label":
        return load_rubrics("harm")[0]
    places = "{question} {answer}" if mode == "rating" else "{question} {answer_a} {answer_b}"
    return Rubric(
        name=f"short_{mode}",
        version="1",
        mode=mode,
        scale=Scale() if mode == "rating" else None,
        templates=(Template(name="one", system="Judge.", prompt=places, turns=1),),
    )


def judge(spec: str, mode: Mode) -> JudgeRecord:
    return JudgeRecord(
        created="2026-01-01T00:00:00+00:00",
        spec=spec,
        rubric=rubric(mode),
        sampling=Sampling(temperature=0),
        schema=False,
        goldens=False,
        identity={"weights": spec},
    )


@pytest.fixture
def runs(cli: Cli, folder: Path) -> tuple[str, str]:
    """The ids of two held runs of four conversations with one turn each."""
    suite = [{"id": f"c{at}", "turns": ["hello"]} for at in range(CONVERSATIONS)]
    (folder / "s.json").write_text(json.dumps(suite), encoding="utf-8")
    for name in "xy":
        replies = {f"c{at}": [f"I am {name}"] for at in range(CONVERSATIONS)}
        (folder / f"{name}.json").write_text(json.dumps(replies), encoding="utf-8")
        assert cli("run", f"scripted:{name}.json", "--suite", "s.json", "--quiet")[0] == 0
    with open_store(None, create=False) as store:
        ids = {found.run.arm.spec: found.run.id for found in store.runs()}
    return ids["scripted:x.json"], ids["scripted:y.json"]


def keep(store: Store, by: JudgeRecord, question: Question, said: Judgment) -> None:
    store.judgments.keep_judge(by)
    store.judgments.keep([JudgedOnce(judge=by.id, question=question, judgment=said)])


def prefer(
    store: Store, by: JudgeRecord, runs: tuple[str, str], conversation: str, winners: tuple[Winner, Winner]
) -> None:
    """Both orders of one pair."""
    seats: tuple[Seat, Seat] = ("first", "second")
    for seat, winner in zip(seats, winners, strict=True):
        asked = Question(mode="preference", run=runs[0], opponent=runs[1], conversation=conversation, turn=0, seat=seat)
        keep(store, by, asked, Preference(winner=winner))


def votes_on(folder: Path, *winners: str, names: tuple[str, str] = ("x.json", "y.json")) -> str:
    path = folder / "votes.jsonl"
    rows = [
        {"conversation": f"c{at}", "turn": 1, "a": names[0], "b": names[1], "winner": winner}
        for at, winner in enumerate(winners)
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


def test_stored_preferences_against_votes(cli: Cli, folder: Path, runs: tuple[str, str]) -> None:
    """Votes name the runs by their models; orders that disagree are a tie; a rating judge prefers the higher grade."""
    comparing, rating = judge("scripted:j", "preference"), judge("scripted:k", "rating")
    with open_store(None, create=False) as store:
        prefer(store, comparing, runs, "c0", ("first", "second"))
        prefer(store, comparing, runs, "c1", ("first", "first"))
        for run, grade in zip(runs, (9, 4), strict=True):
            asked = Question(mode="rating", run=run, conversation="c0", turn=0)
            keep(store, rating, asked, Rating(value=grade))
    code, out, _ = cli("agreement", *runs, "--votes", votes_on(folder, "a", "a", "b"), "--json")
    assert code == 0
    found = {
        (*sorted((one["first"], one["second"])), one["ties"]): (one["agreements"], one["comparisons"])
        for one in json.loads(out)["agreements"]
    }
    assert found["people", "scripted:j short_preference", "with ties"] == (1, 2)
    assert found["people", "scripted:j short_preference", "without ties"] == (1, 1)
    assert found["people", "scripted:k short_rating, by its grades", "with ties"] == (1, 1)
    assert found["scripted:j short_preference", "scripted:k short_rating, by its grades", "with ties"] == (1, 1)


def test_one_judge_alone_is_asked_for_by_name(cli: Cli, folder: Path, runs: tuple[str, str]) -> None:
    """And a run goes by the name that it is given."""
    judges = judge("scripted:j", "preference"), judge("scripted:k", "preference")
    with open_store(None, create=False) as store:
        for one in judges:
            prefer(store, one, runs, "c0", ("first", "second"))
    votes = votes_on(folder, "a", "b", names=("mine", "y.json"))
    _, out, _ = cli(
        "agreement", *runs, "--votes", votes, "--judge", "scripted:k", "--name", f"{runs[0]}=mine", "--json"
    )
    found = json.loads(out)["agreements"]
    assert {one["first"] for one in found} == {"scripted:k short_preference"}
    assert found[0]["comparisons"] == 1


def test_labels_of_two_judges_and_a_corrected_rate(cli: Cli, folder: Path, runs: tuple[str, str]) -> None:
    """Both judges flag; people labelled what one of them saw."""
    judges = judge("scripted:j", "label"), judge("scripted:k", "label")
    with open_store(None, create=False) as store:
        for one in judges:
            for at, name in enumerate(("harmful", "harmless", "harmful", "harmless")):
                asked = Question(mode="label", run=runs[0], conversation=f"c{at}", turn=0)
                keep(store, one, asked, Label(name=name))
    rows = [
        {"conversation": f"c{at}", "turn": 1, "arm": "x.json", "label": name}
        for at, name in enumerate(("harmful", "harmless"))
    ]
    (folder / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    code, out, _ = cli("agreement", runs[0], "--votes", "labels.jsonl")
    assert code == 0
    assert "labels" in out
    assert "All judges together" in out
    assert "Corrected for the judge's errors" in out
    _, out, _ = cli("agreement", runs[0], "--votes", "labels.jsonl", "--json")
    found = json.loads(out)
    assert [one["what"] for one in found["corrected"]] == [f"flagged in {runs[0]}"] * 2
    assert found["corrected"][0]["sensitivity"]["value"] == found["alphas"][0]["alpha"]["value"] == 1


def test_a_label_that_no_rubric_has_is_told_with_its_line(
    refused: Refused, folder: Path, runs: tuple[str, str]
) -> None:
    by = judge("scripted:j", "label")
    with open_store(None, create=False) as store:
        keep(store, by, Question(mode="label", run=runs[0], conversation="c0", turn=0), Label(name="harmful"))
    rows = [{"conversation": "c0", "turn": 1, "arm": "x.json", "label": name} for name in ("harmless", "Harmfull")]
    (folder / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    told = refused("agreement", runs[0], "--votes", "labels.jsonl")
    assert "labels.jsonl:line 2: no judge's rubric has a label 'Harmfull'; did you mean harmful?" in told


def test_labelled_pairs_are_found_in_the_runs(cli: Cli, folder: Path, runs: tuple[str, str]) -> None:
    """By question and replies; one with a reply that no run has is left out."""
    with open_store(None, create=False) as store:
        prefer(store, judge("scripted:j", "preference"), runs, "c0", ("first", "second"))
    pairs = [
        {"input": "hello", "output_1": "I am y", "output_2": "I am x", "label": 2},
        {"input": "hello", "output_1": "I am y", "output_2": "I am z", "label": 1},
    ]
    (folder / "pairs.json").write_text(json.dumps(pairs), encoding="utf-8")
    _, out, _ = cli("agreement", *runs, "--votes", "pairs.json", "--json")
    found = json.loads(out)
    (one,) = found["accuracies"]
    assert (one["right"], one["wrong"], one["ties"], one["unjudged"]) == (1, 0, 0, 0)
    assert found["notes"] == ["1 of 2 labelled pairs are left out: it can't be told here whose replies they are"]


def test_comparisons_with_a_run_that_is_not_named_do_not_count(cli: Cli, runs: tuple[str, str]) -> None:
    """Both judges compared one of the two with a third as well."""
    assert cli("run", "scripted:x.json", "--suite", "s.json", "--seed", "7", "--quiet")[0] == 0
    one, other = judge("scripted:j", "preference"), judge("scripted:k", "preference")
    with open_store(None, create=False) as store:
        (third,) = [found.run.id for found in store.runs() if found.run.id not in runs]
        for by in (one, other):
            prefer(store, by, (runs[0], third), "c0", ("first", "second"))
            prefer(store, by, runs, "c1", ("first", "second"))
    _, out, _ = cli("agreement", *runs, "--json")
    assert {found["comparisons"] for found in json.loads(out)["agreements"]} == {1}
    _, out, _ = cli("agreement", *runs, third, "--json")
    assert {found["comparisons"] for found in json.loads(out)["agreements"]} == {2}


def test_judges_of_one_model_and_rubric_are_told_apart(cli: Cli, runs: tuple[str, str]) -> None:
    """By their mode where that is enough, else by id; a model's spec names all of its judges."""
    one = judge("scripted:j", "preference")
    other = msgspec.structs.replace(one, goldens=True)
    rating = judge("scripted:j", "rating")
    rating = msgspec.structs.replace(rating, rubric=msgspec.structs.replace(rating.rubric, name=one.rubric.name))
    with open_store(None, create=False) as store:
        for by in (one, other):
            prefer(store, by, runs, "c0", ("first", "second"))
        for run in runs:
            keep(store, rating, Question(mode="rating", run=run, conversation="c0", turn=0), Rating(value=5))
    _, out, _ = cli("agreement", *runs, "--judge", "scripted:j", "--json")
    names = {name for found in json.loads(out)["agreements"] for name in (found["first"], found["second"])}
    name = "scripted:j short_preference"
    assert names == {f"{name} preference {by.id[:6]}" for by in (one, other)} | {f"{name} rating, by its grades"}


def test_votes_on_other_arms_are_left_out_and_told(cli: Cli, folder: Path, runs: tuple[str, str]) -> None:
    with open_store(None, create=False) as store:
        for one in (judge("scripted:j", "preference"), judge("scripted:k", "preference")):
            prefer(store, one, runs, "c0", ("first", "second"))
    _, out, _ = cli("agreement", *runs, "--votes", votes_on(folder, "a", names=("strange", "y.json")))
    assert "1 of 1 votes are left out, on arms that are none of these runs: strange" in out


def test_what_is_refused(refused: Refused, folder: Path, runs: tuple[str, str]) -> None:
    assert "nothing to compare" in refused("agreement")
    assert "no run is named" not in refused("agreement", runs[0], "--name", "x")
    assert "about stored runs" in refused("agreement", "--votes", votes_on(folder, "a"), "--judge", "j")
    assert "nothing here was judged by two" in refused("agreement", *runs)
    assert "there is no judge" in refused("agreement", *runs, "--judge", "nobody")
    assert "no file" in refused("agreement", "--votes", "gone.jsonl")
    (folder / "bad.jsonl").write_text('{"model_a": "x", "model_b": "y"}\n', encoding="utf-8")
    assert "bad.jsonl:line 1" in refused("agreement", "--votes", "bad.jsonl")


def test_a_name_of_several_runs_is_refused(cli: Cli, refused: Refused, folder: Path, runs: tuple[str, str]) -> None:
    """Two runs of one model: whose replies did people see?"""
    assert cli("run", "scripted:x.json", "--suite", "s.json", "--seed", "7", "--quiet")[0] == 0
    with open_store(None, create=False) as store:
        ids = [found.run.id for found in store.runs() if found.run.arm.spec == "scripted:x.json"]
    assert len(ids) == 2
    told = refused("agreement", *ids, runs[1], "--votes", votes_on(folder, "a"))
    assert "x.json, which several of the runs are" in told
