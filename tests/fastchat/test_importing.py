"""FastChat's files in the store: answers as runs, judgments as what judges said, nothing lost in silence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fastchat.fastchat_files import MTBENCH, PUBLISHED, QUESTIONS, answer, bench, pair, single, write

from multiturn import api
from multiturn.errors import NotFound, SuiteError, UsageError
from multiturn.fastchat.importing import FastchatCame, import_fastchat
from multiturn.fastchat.recovered import MARKS
from multiturn.judgment import Failed, Judged, Preference, Rating, Unreadable
from multiturn.store import Store, open_store
from multiturn.transcript import Session, TurnRecord

JUDGE = 'must be the judge and its prompt, like ["gpt-4", "single-v1"]; the row is left out'


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store.db") as opened:
        yield opened


def run_of(came: FastchatCame, model: str) -> str:
    return next(one.run.id for one in came.models if one.run.arm.spec == f"imported:{model}")


def graded(store: Store, came: FastchatCame, model: str) -> dict[tuple[str, int | None], Judged]:
    judged = store.judgments.of_run(run_of(came, model))
    return {(one.question.conversation, one.question.turn): one for one in judged if one.question.mode == "rating"}


def games(store: Store, came: FastchatCame, model: str) -> dict[str, Judged]:
    judged = store.judgments.of_run(run_of(came, model))
    return {one.question.seat: one for one in judged if one.question.mode == "preference"}


def records(store: Store, came: FastchatCame, model: str, question: str, sample: int = 0) -> tuple[TurnRecord, ...]:
    return store.records(run_of(came, model), Session(question, sample))


def test_a_whole_folder_becomes_runs_of_one_suite_and_what_a_judge_said(store: Store, tmp_path: Path) -> None:
    """A model has the name of its file; references are the goldens, and take the place of the questions' own."""
    came = import_fastchat(store, [bench(tmp_path / "mt_bench")])
    assert [(one.run.arm.spec, one.replies, one.failed) for one in came.models] == [
        ("imported:base", 4, 0),
        ("imported:tuned", 3, 1),
    ]
    run = came.models[0].run
    assert (run.suite_name, run.conversations, run.turns, run.conditions.sampling) == ("mt_bench", 2, 4, None)
    suite = store.suite(run.conditions.suite_digest)
    assert [one.category for one in suite.conversations] == ["writing", "math"]
    assert [turn.golden for turn in suite.conversations[1].turns] == ["four", "seven"]
    assert [record.reply for record in records(store, came, "base", "1")] == ["A line.", "Line."]
    assert [(one.judge.spec, one.judge.rubric.name, one.judgments, one.read) for one in came.judges] == [
        ("imported:judy", "fastchat", 4, 3),
        ("imported:judy", "fastchat", 5, 4),
    ]
    assert came.notes == ()


def test_two_imported_models_can_be_compared(store: Store, tmp_path: Path) -> None:
    """Nothing need be declared: they were asked the same, and what they replied is what differs."""
    came = import_fastchat(store, [bench(tmp_path / "mt_bench")])
    compared = api.compare_stored(store, run_of(came, "base"), run_of(came, "tuned"))
    assert not any("differs" in note for note in compared.comparison.notes)


def test_a_failed_answer_is_missing_and_an_empty_one_is_a_reply(store: Store, tmp_path: Path) -> None:
    """``ERROR``, ``$ERROR$`` and null are the environment's doing; blank text is the model's."""
    write(tmp_path / "question.jsonl", *QUESTIONS)
    write(tmp_path / "m.jsonl", answer(1, ("ERROR", "$ERROR$")), answer(2, (None, " \n")))
    came = import_fastchat(store, [tmp_path])
    first, second = records(store, came, "m", "1"), records(store, came, "m", "2")
    assert [(one.status, one.cause) for one in (*first, second[0])] == [("failed", "environment")] * 3
    assert (second[1].status, second[1].reply, second[1].raw) == ("empty", "", " \n")


def test_several_choices_are_samples_and_the_last_of_several_rows_counts(store: Store, tmp_path: Path) -> None:
    """The row that does not count is told with its line."""
    write(tmp_path / "question.jsonl", *QUESTIONS)
    write(tmp_path / "m.jsonl", answer(1, ("old", "old")), answer(1, ("a", "b"), ("c", "d")), answer(2, ("4",)))
    came = import_fastchat(store, [tmp_path])
    assert [record.reply for record in records(store, came, "m", "1", 1)] == ["c", "d"]
    assert [record.reply for record in records(store, came, "m", "2")] == ["4"], "a turn that is not there is absent"
    assert came.models[0].run.conditions.samples == 2
    assert came.notes == (f"{tmp_path / 'm.jsonl'}:line 1: question 1 is answered again in line 2, which counts",)


def test_what_is_left_out_is_told_with_its_line(store: Store, tmp_path: Path) -> None:
    """Answers to unknown questions or of too many turns, judgments of what is not there, other files."""
    bench(tmp_path)
    write(tmp_path / "model_answer" / "more.jsonl", answer(9, ("x",)), answer(1, ("a", "b", "c")), answer(2, ("4",)))
    judged = [single(2, "more", 2, 5), single(1, "more", 1, 5), single(2, "more", 1, 5), single(2, "more", 1, 5)]
    write(tmp_path / "model_judgment" / "x_single.jsonl", *judged, {"question_id": 2, "judge": "x"})
    write(tmp_path / "votes.jsonl", {"winner": "model_a"})
    came = import_fastchat(store, [tmp_path])
    assert [note.replace(f"{tmp_path}/", "") for note in came.notes] == [
        "votes.jsonl: is none of FastChat's files, and is not read",
        f"model_judgment/x_single.jsonl:line 5: judge: {JUDGE}",
        "model_judgment/x_single.jsonl:line 5: model: must be text, not null; left out",
        "model_judgment/x_single.jsonl:line 5: score: must be a number, not null; the row is left out",
        "model_judgment/x_single.jsonl:line 5: turn: must be 1 or more, not null; the row is left out",
        "model_answer/more.jsonl:line 1: question 9 is not among the questions",
        "model_answer/more.jsonl:line 2: choices: question 1 has 2 turns, and more are answered; the row is left out",
        "model_judgment/x_single.jsonl:line 1: more has no answer to turn 2 of question 2; the row is left out",
        "model_judgment/x_single.jsonl:line 2: more has no answer to turn 1 of question 1; the row is left out",
        "model_judgment/x_single.jsonl:line 4: is line 3 again; the row is left out",
    ]


def test_grades_and_what_is_none(store: Store, tmp_path: Path) -> None:
    """-1 is unreadable, off the scale is unreadable, an error of the judge is a failure: never a number."""
    bench(tmp_path)
    write(
        tmp_path / "model_judgment" / "judy_single.jsonl",
        single(1, "base", 1, 8.5, user_prompt="asked", judgment="Good. [[8.5]]"),
        single(1, "base", 2, -1, judgment=""),
        single(2, "base", 1, -1, judgment="$ERROR$"),
        single(2, "base", 2, 11),
        single(1, "tuned", 1, -1, judgment="I like it."),
    )
    came = import_fastchat(store, [tmp_path])
    of = graded(store, came, "base")
    first = of["1", 0]
    assert (first.judgment, first.text, first.prompt) == (Rating(value=8.5), "Good. [[8.5]]", "asked")
    assert of["1", 1].judgment == Unreadable(
        kind="empty", fault="the file's score is -1, and the judge's text is empty"
    )
    assert of["2", 0].judgment == Failed(kind="engine", message="$ERROR$")
    assert of["2", 1].judgment == Unreadable(kind="out_of_range", fault="11 is not from 1 to 10")
    other = graded(store, came, "tuned")["1", 0].judgment
    assert isinstance(other, Unreadable)
    assert other.kind == "no_verdict"


@pytest.mark.parametrize(
    ("winner", "by_seat"), [("model_1", ("first", "second")), ("model_2", ("second", "first")), ("tie", ("tie", "tie"))]
)
def test_a_pair_is_two_judgments_and_winners_are_seats_again(
    store: Store, tmp_path: Path, winner: str, by_seat: tuple[str, str]
) -> None:
    """In the second game the first model sat in the second seat."""
    bench(tmp_path)
    write(tmp_path / "model_judgment" / "judy_pair.jsonl", pair(1, winner, winner))
    came = import_fastchat(store, [tmp_path])
    found = games(store, came, "base")
    assert {one.question.opponent for one in found.values()} == {run_of(came, "tuned")}
    assert tuple(getattr(found[seat].judgment, "winner", None) for seat in ("first", "second")) == by_seat


def test_an_error_in_one_game_leaves_the_other(store: Store, tmp_path: Path) -> None:
    bench(tmp_path)
    write(tmp_path / "model_judgment" / "judy_pair.jsonl", pair(1, "tie", "error", g2_judgment=""))
    came = import_fastchat(store, [tmp_path])
    found = games(store, came, "base")
    assert found["first"].judgment == Preference(winner="tie")
    assert isinstance(found["second"].judgment, Unreadable)


def test_the_same_question_again_is_a_repeat(store: Store, tmp_path: Path) -> None:
    bench(tmp_path)
    write(tmp_path / "model_judgment" / "judy_single.jsonl", single(1, "base", 1, 5), single(1, "base", 1, 6))
    came = import_fastchat(store, [tmp_path])
    found = [one for one in store.judgments.of_run(run_of(came, "base")) if one.question.mode == "rating"]
    assert sorted((one.question.repeat, one.judgment.value) for one in found if isinstance(one.judgment, Rating)) == [
        (0, 5.0),
        (1, 6.0),
    ]


def test_prompts_of_another_family_are_another_judge(store: Store, tmp_path: Path) -> None:
    """FastChat's own prompts are one; ``single`` and ``single-reference`` of somebody else are two."""
    bench(tmp_path)
    rows = [single(1, "base", 1, 5, judge=["judy", name]) for name in ("single", "single-reference", "single-v1")]
    rows.append(single(1, "base", 2, 5, judge=["judy", "single-multi-turn"]))
    write(tmp_path / "model_judgment" / "judy_single.jsonl", *rows)
    came = import_fastchat(store, [tmp_path])
    ratings = {one.judge.rubric.name: one.judgments for one in came.judges if one.judge.rubric.mode == "rating"}
    assert ratings == {"fastchat-single": 2, "fastchat-single-reference": 1, "fastchat": 1}


def test_the_same_files_again_bring_nothing_new(store: Store, tmp_path: Path) -> None:
    """Runs and judges keep their ids, also where the answers stand in another file."""
    came = import_fastchat(store, [bench(tmp_path / "one")])
    again = import_fastchat(store, [bench(tmp_path / "mt_bench")])
    assert [one.run.id for one in again.models] == [one.run.id for one in came.models]
    assert all(one.reused for one in again.models)
    assert [one.judge.id for one in again.judges] == [one.judge.id for one in came.judges]
    assert len(store.runs()) == 2
    assert len(list(store.judgments.of_run(run_of(came, "base")))) == 8


def test_answers_and_questions_that_are_not_there_are_got_back_from_prompts(store: Store, tmp_path: Path) -> None:
    """The run says where its replies are from."""
    prompts = (
        MARKS["single", 1][1].format(question="Q", answer="A1"),
        MARKS["single", 2][0].format(question_1="Q", answer_1="A1", question_2="R", answer_2="A2"),
    )
    rows = [single(1, "x/m", turn, 5, user_prompt=prompt) for turn, prompt in enumerate(prompts, start=1)]
    came = import_fastchat(store, [write(tmp_path / "judgements.jsonl", *rows)])
    (model,) = came.models
    assert re.fullmatch(r"x-m-[0-9a-f]{8}", model.run.id)
    assert "its replies were got back from the prompts of a judge" in model.run.notes
    assert [(one.user, one.reply) for one in records(store, came, "x/m", "1")] == [("Q", "A1"), ("R", "A2")]
    assert len(graded(store, came, "x/m")) == 2


def test_what_is_missing_is_told_with_what_to_name(store: Store, tmp_path: Path) -> None:
    """No questions, no answers, nothing at all; nothing is kept then."""
    answers = write(tmp_path / "a" / "m.jsonl", answer(1, ("x", "y")))
    with pytest.raises(UsageError, match=r"no questions(.|\n)*--questions question\.jsonl"):
        import_fastchat(store, [answers])
    questions = write(tmp_path / "q.jsonl", *QUESTIONS)
    judged = write(tmp_path / "j" / "x.jsonl", single(1, "org/other", 1, 5))
    with pytest.raises(UsageError, match=r"'org/other' was judged(.|\n)*other\.jsonl"):
        import_fastchat(store, [answers, judged], questions=questions)
    with pytest.raises(UsageError, match="neither answers nor judgments"):
        import_fastchat(store, [questions])
    with pytest.raises(UsageError, match="holds no questions"):
        import_fastchat(store, [answers], questions=answers)
    with pytest.raises(NotFound, match="there is no file"):
        import_fastchat(store, [tmp_path / "none"])
    assert store.runs() == ()


def test_a_model_without_an_answer_to_the_questions_is_no_run(store: Store, tmp_path: Path) -> None:
    """It is told; where that is all there is, nothing is imported, and the reasons are given."""
    questions = write(tmp_path / "question.jsonl", *QUESTIONS)
    other = write(tmp_path / "other.jsonl", answer(9, ("x", "y")))
    with pytest.raises(UsageError, match=r"nothing can be imported:(.|\n)*line 1: question 9 is not among"):
        import_fastchat(store, [questions, other])
    came = import_fastchat(store, [questions, other, write(tmp_path / "m.jsonl", answer(1, ("x", "y")))])
    assert [one.run.arm.spec for one in came.models] == ["imported:m"]
    assert f"{other}: holds no answer to one of the questions" in came.notes


def test_what_is_not_clear_is_refused(store: Store, tmp_path: Path) -> None:
    """Two files of questions, two of one model's answers, several of references without the usual one."""
    bench(tmp_path)
    write(tmp_path / "old" / "question.jsonl", *QUESTIONS)
    with pytest.raises(UsageError, match="2 files of questions"):
        import_fastchat(store, [tmp_path])
    write(tmp_path / "old" / "question.jsonl", {"x": 1})
    write(tmp_path / "old" / "base.jsonl", answer(1, ("x", "y")))
    with pytest.raises(UsageError, match="both hold answers of base"):
        import_fastchat(store, [tmp_path])
    (tmp_path / "old" / "base.jsonl").unlink()
    folder = tmp_path / "reference_answer"
    write(folder / "b.jsonl", answer(2, ("b", "b")))
    (note,) = [one for one in import_fastchat(store, [tmp_path]).notes if "references" in one]
    assert "gpt-4.jsonl: taken as the references" in note
    (folder / "gpt-4.jsonl").rename(folder / "c.jsonl")
    with pytest.raises(UsageError, match="2 files of reference answers"):
        import_fastchat(store, [tmp_path])
    came = import_fastchat(store, [tmp_path], references=folder / "b.jsonl")
    suite = store.suite(came.models[0].run.conditions.suite_digest)
    assert suite.conversations[1].turns[0].golden == "b"


def test_faulty_questions_are_all_told(store: Store, tmp_path: Path) -> None:
    bench(tmp_path)
    write(tmp_path / "question.jsonl", {"question_id": 1, "turns": []}, {"question_id": 2, "turns": [5]})
    with pytest.raises(SuiteError) as caught:
        import_fastchat(store, [tmp_path])
    assert len(caught.value.faults) == 2


published = pytest.mark.skipif(not MTBENCH.is_file(), reason=f"no published data in {PUBLISHED}")


@published
@pytest.mark.parametrize(
    ("folder", "model", "means"),
    [
        ("claude", "claude-3-5-sonnet-20240620", (9.2375, 9.175, 9.20625)),
        ("claude", "claude-3-opus-20240229", (9.04375, 8.30625, 8.675)),
        ("routellm", "gpt-4-1106-preview", (9.40625, 9.05, 9.228125)),
    ],
)
def test_published_grades_give_the_published_means(
    store: Store, folder: str, model: str, means: tuple[float, float, float]
) -> None:
    """First turn, second turn, all; the answers of ``routellm`` are got back from the prompts."""
    came = import_fastchat(store, [PUBLISHED / folder])
    grades = {
        (question, turn): one.judgment.value
        for (question, turn), one in graded(store, came, model).items()
        if isinstance(one.judgment, Rating)
    }
    turns = [[grade for (_, turn), grade in grades.items() if turn == wanted] for wanted in (0, 1)]
    everything = [*turns[0], *turns[1]]
    assert tuple(sum(of) / len(of) for of in (*turns, everything)) == means
    assert came.notes == ()


@published
def test_the_published_answers_of_31_models_with_the_four_that_are_none(store: Store) -> None:
    """Three texts are ERROR and one is empty."""
    came = import_fastchat(store, [PUBLISHED / "original_answers"], questions=MTBENCH)
    assert len(came.models) == 31
    assert {one.run.arm.spec: one.failed for one in came.models if one.failed} == {
        "imported:dolly-v2-12b": 1,
        "imported:oasst-sft-4-pythia-12b": 2,
    }
    empty = [one for one in store.runs() if one.progress.get("empty")]
    assert [one.run.arm.spec for one in empty] == ["imported:llama-13b"]


@published
def test_published_pairs_keep_both_games(store: Store) -> None:
    """73 of 75 pairs of phi3 are whole: 18 won, 20 lost, and 35 are ties or disagree."""
    came = import_fastchat(store, [PUBLISHED / "phi3"], questions=MTBENCH)
    pairs: dict[str, dict[str, object]] = {}
    for one in store.judgments.of_run(run_of(came, "phi-3")):
        pairs.setdefault(one.question.conversation, {})[one.question.seat] = one.judgment
    whole = [
        [judgment.winner for _, judgment in sorted(both.items()) if isinstance(judgment, Preference)]
        for both in pairs.values()
    ]
    whole = [both for both in whole if len(both) == 2]
    assert (len(pairs), len(whole)) == (75, 73)
    assert sum(both == ["first", "second"] for both in whole) == 18
    assert sum(both == ["second", "first"] for both in whole) == 20
