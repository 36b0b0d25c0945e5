"""Judgments in the store: one answer to a question, found again by what was sent, and gone with their run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from multiturn.conditions import RunRecord
from multiturn.errors import NotFound, StoreError
from multiturn.judgment import Failed, Judged, JudgeRecord, Judgment, Preference, Question, Rating, Unreadable
from multiturn.rubric import Rubric, Scale, Template
from multiturn.store import Store, export_run, import_run, open_store
from multiturn.transcript import Sampling

MakeRun = Callable[..., RunRecord]
RATING = Rubric(
    name="short",
    version="1",
    mode="rating",
    scale=Scale(),
    templates=(Template(name="one", system="Judge.", prompt="{question} {answer}", turns=1),),
)


def judge_called(spec: str, created: str = "2026-01-01T00:00:00+00:00") -> JudgeRecord:
    return JudgeRecord(
        created=created,
        spec=spec,
        rubric=RATING,
        sampling=Sampling(temperature=0),
        schema=False,
        goldens=False,
        identity={"weights": spec},
    )


JUDGE = judge_called("scripted:judge")


def rated(conversation: str, turn: int, judgment: Judgment, *, key: str = "k", run: str = "run-1") -> Judged:
    question = Question(mode="rating", run=run, conversation=conversation, turn=turn)
    return Judged(judge=JUDGE.id, question=question, judgment=judgment, key=key)


@pytest.fixture(name="judged")
def store_with_a_judge(store: Store) -> Store:
    store.judgments.keep_judge(JUDGE)
    return store


def test_what_is_kept_comes_back_conversation_by_conversation(judged: Store) -> None:
    kept = [
        rated("zebra", 0, Rating(value=7, criteria={"correctness": 8}, weighted=6.8, reason="fine")),
        rated("apple", 1, Unreadable(kind="ambiguous", fault="two grades")),
        rated("apple", 0, Failed(kind="timeout", message="no reply")),
    ]
    judged.judgments.keep(kept)
    back = list(judged.judgments.of_run("run-1"))
    assert sorted(back, key=lambda one: one.id) == sorted(kept, key=lambda one: one.id)
    assert [one.question.conversation for one in back] == ["apple", "apple", "zebra"]
    assert list(judged.judgments.of_run("run-1", judge="another")) == []


def test_more_judgments_than_a_page_come_back_once_each(judged: Store) -> None:
    kept = [rated("zebra", turn, Rating(value=5)) for turn in range(1203)]
    judged.judgments.keep(kept)
    assert sorted(one.question.turn or 0 for one in judged.judgments.of_run("run-1")) == list(range(1203))


def test_an_answer_stays_and_a_failure_gives_way(judged: Store) -> None:
    """A question has one answer; only a judge that could not be asked is asked again."""
    judged.judgments.keep([rated("zebra", 0, Failed(kind="timeout", message="no reply"))])
    judged.judgments.keep([rated("zebra", 0, Rating(value=3))])
    judged.judgments.keep([rated("zebra", 0, Rating(value=9))])
    assert [one.judgment for one in judged.judgments.of_run("run-1")] == [Rating(value=3)]


def test_one_judgment_without_its_run_keeps_all_of_them_out(judged: Store) -> None:
    with pytest.raises(StoreError, match="judge or run is not in"):
        judged.judgments.keep([rated("zebra", 0, Rating(value=3)), rated("zebra", 0, Rating(value=3), run="gone")])
    assert list(judged.judgments.of_run("run-1")) == []


def test_what_was_sent_before_is_found_by_its_key(judged: Store, make_run: MakeRun) -> None:
    """In whatever run it stands; a judge that could not be asked has said nothing."""
    judged.create_run(make_run("run-2"))
    said = rated("zebra", 0, Rating(value=4), key="same", run="run-2")
    judged.judgments.keep([said, rated("zebra", 1, Failed(kind="timeout", message="-"), key="lost")])
    assert judged.judgments.by_key(JUDGE.id, ["same", "lost", "new", *map(str, range(500))]) == {"same": said}
    assert judged.judgments.by_key("another judge", ["same"]) == {}


def test_a_pair_is_found_from_both_sides_and_goes_with_either(judged: Store, make_run: MakeRun) -> None:
    judged.create_run(make_run("run-2"))
    asked = Question(mode="preference", run="run-1", opponent="run-2", conversation="zebra", turn=0, seat="second")
    said = Judged(judge=JUDGE.id, question=asked, judgment=Preference(winner="tie"))
    judged.judgments.keep([said])
    assert (
        list(judged.judgments.of_pair("run-1", "run-2")) == list(judged.judgments.of_pair("run-2", "run-1")) == [said]
    )
    assert judged.judgments.counts() == {(JUDGE.id, "run-1", "run-2", "preference"): 1}
    judged.delete_run("run-2")
    assert judged.judgments.counts() == {}


def test_a_judge_is_named_by_its_id_its_beginning_or_its_spec(store: Store) -> None:
    others = [judge_called("scripted:other", "2026-02-01T00:00:00+00:00"), JUDGE]
    for one in others:
        assert store.judgments.keep_judge(one) == store.judgments.keep_judge(one) == one.id
    assert store.judgments.judges() == tuple(others)
    for reference in (JUDGE.id, JUDGE.id[:9], JUDGE.spec):
        assert store.judgments.judge(reference) == JUDGE
    with pytest.raises(NotFound, match="no judge 'nobody'") as none:
        store.judgments.judge("nobody")
    assert JUDGE.id in none.value.hint


def test_judgments_travel_with_their_run(judged: Store, tmp_path: Path) -> None:
    """There and back is the same file, byte for byte; of a pair either run can come first."""
    pair = Question(mode="preference", run="run-1", opponent="elsewhere", conversation="zebra", turn=None)
    judged.judgments.keep(
        [rated("zebra", 0, Rating(value=7)), Judged(judge=JUDGE.id, question=pair, judgment=Preference(winner="first"))]
    )
    export_run(judged, "run-1", tmp_path / "one.jsonl")
    with open_store(tmp_path / "other.db") as other:
        assert import_run(other, tmp_path / "one.jsonl").notices == ()
        assert list(other.judgments.of_run("run-1")) == list(judged.judgments.of_run("run-1"))
        export_run(other, "run-1", tmp_path / "two.jsonl")
    assert (tmp_path / "two.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()


def test_a_judgment_that_has_no_place_is_left_out_with_its_line(judged: Store, tmp_path: Path) -> None:
    judged.judgments.keep([rated("zebra", 0, Rating(value=7))])
    export_run(judged, "run-1", tmp_path / "one.jsonl")
    lines = (tmp_path / "one.jsonl").read_text(encoding="utf-8").splitlines()
    told = [lines[0], lines[1], lines[3], lines[2], lines[3], lines[3], lines[3].replace("run-1", "run-9")]
    (tmp_path / "mixed.jsonl").write_text("\n".join(told), encoding="utf-8")
    with open_store(tmp_path / "other.db") as other:
        notices = import_run(other, tmp_path / "mixed.jsonl").notices
        assert [one.line for one in notices] == [3, 6, 7]
        assert [text for one in notices for text in ("no earlier", "earlier line", "another run") if text in one.text]
        assert len(list(other.judgments.of_run("run-1"))) == 1
