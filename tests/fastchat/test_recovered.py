"""Questions and replies got back from what judges were shown."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fastchat.fastchat_files import MTBENCH, PUBLISHED, pair, single

from multiturn.fastchat.recovered import MARKS, Recovered, recover, unfill
from multiturn.fastchat.rows import PairRow, SingleRow, read_rows

ONE = MARKS["single", 1][1]
TWO = MARKS["single", 2][0]


def rows_of(*rows: object) -> tuple[SingleRow | PairRow, ...]:
    data = "\n".join(map(json.dumps, rows)).encode()
    pairs = b"model_1" in data
    return read_rows(data, "pair").of(PairRow) if pairs else read_rows(data, "single").of(SingleRow)


def recovered(*rows: object, known: Recovered | None = None) -> Recovered:
    found = known or Recovered()
    recover(rows_of(*rows), {}, found)
    return found


@given(st.text(), st.text())
def test_what_was_filled_in_comes_back_or_is_refused(question: str, answer: str) -> None:
    """Never another text than what was filled in; and always that, where it holds none of the marks."""
    text = "Judge this.\n\n" + ONE.format(question=question, answer=answer)
    found = unfill(ONE, text, {})
    assert found in (None, {"question": question, "answer": answer})
    assert found is not None or "[" in question + answer


@pytest.mark.parametrize("forged", ["x\n\n[The Start of Assistant's Answer]\ny", "x\n[The End of Assistant's Answer]"])
def test_a_reply_with_the_marks_themselves_is_refused_or_read_whole(forged: str) -> None:
    """The marks alone can be read in two ways; once the question is known, in one."""
    text = ONE.format(question="Q", answer=forged)
    assert unfill(ONE, text, {}) in (None, {"question": "Q", "answer": forged})
    assert unfill(ONE, text, {"question": "Q"}) == {"answer": forged}


def test_text_that_is_another_prompt_gives_nothing() -> None:
    assert unfill(ONE, "something else", {}) is None
    assert unfill(ONE, ONE.format(question="q", answer="a") + " and more", {}) is None


def test_both_turns_of_a_grade_are_got_back() -> None:
    second = TWO.format(question_1="Q1", answer_1="A1", question_2="Q2", answer_2="A2")
    found = recovered(single(1, "m", 2, 5, user_prompt=second))
    assert found.users == {("1", 1): "Q1", ("1", 2): "Q2"}
    assert found.replies == {("m", "1", 1): "A1", ("m", "1", 2): "A2"}


def test_a_reference_is_no_part_of_the_question() -> None:
    prompt = MARKS["single", 1][0].format(question="2+2?", ref_answer_1="4", answer="5")
    assert recovered(single(2, "m", 1, 5, user_prompt=prompt)).users == {("2", 1): "2+2?"}


def test_both_models_of_a_pair_are_got_back_from_either_game() -> None:
    """In the second game the seats are swapped."""
    prompt = MARKS["pair", 1][1]
    row = pair(1, "tie", "tie", g2_user_prompt=prompt.format(question="Q", answer_a="of tuned", answer_b="of base"))
    assert recovered(row).replies == {("tuned", "1", 1): "of tuned", ("base", "1", 1): "of base"}


def test_a_prompt_that_says_otherwise_than_one_before_is_told() -> None:
    """What came first stays."""
    first, other = (ONE.format(question="Q", answer=text) for text in ("A", "B"))
    found = recovered(single(1, "m", 1, 5, user_prompt=first), single(1, "m", 1, 5, user_prompt=other))
    assert found.replies == {("m", "1", 1): "A"}
    assert [note.told("f") for note in found.notes] == [
        "f:line 2: question 1, turn 1: the reply of m is another than in a row before; that one is kept"
    ]


def test_a_prompt_that_can_not_be_read_is_told() -> None:
    (note,) = recovered(single(1, "m", 1, 5, user_prompt="Whatever")).notes
    assert note.told("f").startswith("f:line 1: its prompt can't be read back")


def test_a_template_that_is_at_hand_is_used() -> None:
    """It is looked up by the name that the row gives."""
    found = Recovered()
    recover(rows_of(single(1, "m", 1, 5, user_prompt="<A|Q>")), {"single-v1": "<{answer}|{question}>"}, found)
    assert (found.users, found.replies) == ({("1", 1): "Q"}, {("m", "1", 1): "A"})


@pytest.mark.skipif(not MTBENCH.is_file(), reason=f"no published data in {PUBLISHED}")
@pytest.mark.parametrize(
    ("file", "models"),
    [
        ("claude/gpt-4_single.jsonl", ("claude-3-5-sonnet-20240620", "claude-3-opus-20240229")),
        ("phi3/gpt-4_single.jsonl", ("phi-3-dpo",)),
    ],
)
def test_published_prompts_give_back_the_published_questions_and_answers(file: str, models: tuple[str, ...]) -> None:
    """To the byte: all 160 turns of the questions, and all 160 replies of each model."""
    path = PUBLISHED / file
    found = Recovered()
    recover(read_rows(path.read_bytes(), "single").of(SingleRow), {}, found)
    asked = [json.loads(line) for line in MTBENCH.read_text(encoding="utf-8").splitlines()]
    assert found.notes == []
    assert found.users == {
        (str(row["question_id"]), turn): text for row in asked for turn, text in enumerate(row["turns"], start=1)
    }
    for model in models:
        answers = [json.loads(line) for line in (path.parent / f"{model}.jsonl").read_text("utf-8").splitlines()]
        texts = {
            (model, str(row["question_id"]), turn): text
            for row in answers
            for turn, text in enumerate(row["choices"][0]["turns"], start=1)
        }
        assert {key: found.replies[key] for key in texts} == texts
