"""FastChat's files: which one it is, and rows that can't be read, each told with its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fastchat.fastchat_files import QUESTIONS, answer, lines, pair, single

from multiturn.fastchat.rows import AnswerRow, FileKind, PairRow, SingleRow, kind_of_file, read_rows

PROMPT = {"name": "single-v1", "type": "single", "system_prompt": "", "prompt_template": "{question}"}


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        (QUESTIONS[1], "questions"),
        (answer(1, ("x",)), "answers"),
        (single(1, "m", 1, 5), "single"),
        (pair(1, "tie", "tie"), "pair"),
        (PROMPT, "prompts"),
        ({"question_id": 1, "model_a": "x", "model_b": "y", "winner": "tie"}, None),
        ([], None),
    ],
)
def test_a_file_is_known_by_its_first_row(row: object, kind: FileKind | None) -> None:
    """Whatever its name, and with blank lines in front; votes of people are none of these."""
    assert kind_of_file(b"\n \n" + lines([row, 5])) == kind


def test_all_of_a_row_is_read() -> None:
    (one,) = read_rows(lines([single(2, "m", 2, 8.5, user_prompt="p")]), "single").of(SingleRow)
    assert (one.question, one.model, one.judge, one.prompt_name) == ("2", "m", "judy", "single-math-v1-multi-turn")
    assert (one.score, one.turn, one.user_prompt, one.tstamp, one.line) == (8.5, 2, "p", 100.0, 1)
    (two,) = read_rows(lines([pair(1, "model_2", "error")]), "pair").of(PairRow)
    assert (two.models, two.winners, two.judgments) == (("base", "tuned"), ("model_2", "error"), ("[[A]]", "[[B]]"))
    (three,) = read_rows(lines([answer(1, ("a", None), ("b",))]), "answers").of(AnswerRow)
    assert three.choices == (("a", None), ("b",))


@pytest.mark.parametrize(
    ("kind", "row", "fault"),
    [
        ("single", single(1, "m", 0, 5), "turn: must be 1 or more, not the number 0; the row is left out"),
        ("single", single(1, "m", 1, "8"), "score: must be a number, not the text '8'; the row is left out"),
        ("single", single(1, "m", 1, None), "score: must be a number, not null; the row is left out"),
        ("single", single(1, "m", 1, 5, judge="judy"), 'judge: must be the judge and its prompt, like ["gpt-4", "sing'),
        ("single", single(1, "", 1, 5), "model: is empty; the row is left out"),
        ("pair", pair(1, "model_3", "tie"), "g1_winner: must be one of model_1, model_2, tie, error, not the text"),
        ("pair", pair(1, "tie", "tie", model_2="base"), "model_2: is model_1 again; the row is left out"),
        ("answers", answer(1), 'choices: must be a list like [{"index": 0, "turns": [...]}]; the row is left out'),
        ("answers", answer(1, ("x", 5)), "choices[0].turns[1]: must be text, not the number 5; left out"),
        ("answers", 5, "must be an object, not the number 5; the row is left out"),
    ],
)
def test_a_row_that_can_not_be_read_is_left_out_and_told(kind: FileKind, row: object, fault: str) -> None:
    """The rows around it are read."""
    good = {"single": single(1, "m", 1, 5), "pair": pair(1, "tie", "tie"), "answers": answer(1, ("x",))}[kind]
    found = read_rows(lines([good, row, good]), kind)
    assert len(found.rows) == 2
    assert found.faults[0].told("f").startswith(f"f:line 2: {fault}")


@given(
    st.dictionaries(st.sampled_from([*single(1, "m", 1, 5), *pair(1, "tie", "tie"), "choices"]), st.text() | st.none())
)
def test_no_row_crashes_a_reader(row: dict[str, object]) -> None:
    """It is read, or left out with a reason."""
    kinds: tuple[FileKind, ...] = ("answers", "single", "pair", "prompts")
    for kind in kinds:
        found = read_rows(json.dumps(row).encode(), kind)
        assert bool(found.rows) != bool(found.faults)
