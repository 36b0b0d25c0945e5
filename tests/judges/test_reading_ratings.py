"""Ratings are read from what judges write: which grade counts, and what is none."""

from __future__ import annotations

import time

import pytest

from multiturn.judges.deciding import Asked
from multiturn.judges.reading import read_rating
from multiturn.judgment import Rating, Unreadable, UnreadableKind
from multiturn.rubric import Described, Scale

TEN = Scale()
CRITERIA = (
    Described(name="correctness", text="Is it right?"),
    Described(name="instruction_following", text="Does it do what was asked?"),
)


def grade(text: str, turn: int | None = None) -> float | UnreadableKind:
    """The overall grade of a text in lines, or why there is none."""
    read = read_rating(text, TEN, turn=turn)
    return read.value if isinstance(read, Rating) else read.kind


@pytest.mark.parametrize(
    "text",
    [
        "Rating: [[7]]",
        "Good.\n\nRating: [[7]]",
        "Good.\r\nRating: [[7]]\r\n",
        "Good. [[7]]",
        "[[ 7 ]]",
        "[[7.0]]",
        "[[7/10]]",
        "[[7]]/10",
        "[[7]] out of 10",
        "[[Rating: 7]]",
        "I would rate it a [[7]].",
        "Rating: [[7]] - it is complete.",
        "**Rating: [[7]]** It is complete, but for 2 facts.",
        "**Final rating:** **[[7]]**",
        "**Final rating: [[7]]**",
        "### Rating\n[[7]]",
        "Final rating:\n\n[[7]]",
        "Final rating:\n7/10",
        "Rating: 7",
        "Rating: [7]",
        "Rating: 7/10",
        "Rating: 7 out of 10.",
        "Rating (1-10): 7",
        "Rating = 7",
        "Overall: 7/10",
        "Overall score: 7 points",
        "**Score: 7**",
        "- Score: 7, since it is short",
        "Weak. Rating: 7",
        "My final rating is 7.",
        "Rating: ［［７］］",
        "评分：[[7]]",
        "Bewertung: [[7]]",
        "7",
        "7/10",
        "[[7]] As I said, it is a [[7]].",
        "Rating: [[7]]<|im_end|>",
    ],
)
def test_a_grade_is_read_however_it_is_written(text: str) -> None:
    """In double brackets wherever they stand, or behind a label at the beginning of a line or sentence."""
    assert grade(text) == 7


@pytest.mark.parametrize(
    ("text", "value"), [("[[6.5]]", 6.5), ("Rating: [[6,5]]", 6.5), ("Rating: 6,25/10", 6.25), ("[[10]]", 10)]
)
def test_decimals_are_grades(text: str, value: float) -> None:
    """With a point, or with a comma before one digit or two."""
    assert grade(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "Three of the 5 facts are right, and it names 7 towns.",
        "It cites [2] and [[7]](https://example.org/7), and the list has x[[0]] in it.",
        "dp = [[0]*(n+1) for i in range(7)]\nrow = [[7]]",
        "I'd say 7/10 for the effort and a good rating all in all.",
        "Rating: [[rating]]",
        "Write it as [[rating]].",
        "Rating: N/A",
        "Rating: 7-8",
        "Rating: 7 or 8",
        "Rating: [[6,500]]",
        "The speed rating: 7",
        "[7]",
        "[[seven]]",
    ],
)
def test_what_is_no_grade(text: str) -> None:
    """Numbers in prose, citations, code, places for a grade, ranges, other ratings than the reply's."""
    assert grade(text) == "no_verdict"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Rating: [[0]]", "the grade 0 is not from 1 to 10"),
        ("Rating: [[11]]", "the grade 11 is not from 1 to 10"),
        ("Rating: 10.5", "the grade 10.5 is not from 1 to 10"),
        ("Rating: [[-3]]", "the grade -3 is not from 1 to 10"),
        ("[[98765]]", "the grade 98765 is not from 1 to 10"),
        ("[[80/100]]", "the grade 80/100 is not from 1 to 10"),
        ("[[4]]/5", "the grade 4/5 is not from 1 to 10"),
    ],
)
def test_a_grade_off_the_scale_is_none(text: str, told: str) -> None:
    """It is never moved onto the scale, and the fault tells the judge what is wrong."""
    assert read_rating(text, TEN) == Unreadable(kind="out_of_range", fault=told)


def test_the_scale_is_the_rubrics() -> None:
    """What is off one scale is on another."""
    five = Scale(lowest=0, highest=5)
    assert read_rating("Rating: [[4/5]]", five) == Rating(value=4)
    assert read_rating("Rating: 0", five) == Rating(value=0)
    assert isinstance(read_rating("Rating: 4/10", five), Unreadable)


@pytest.mark.parametrize(
    "text",
    [
        "[[8.5], [8.2], [7.8]]",
        "[[7]] at first, but then [[5]].",
        "Accuracy: [[9]]\nTone: [[4]]",
        "Rating: [[7-8]]",
        "Rating: [[7]], or rather [[5]].",
        "Rating: [[7]]\nIf one is strict: [[5]].",
        "Turn 1: [[6]] Turn 2: [[8]]",
        "Turn 1\nRating: [[6]]\n\nTurn 2\nRating: [[8]]",
        "Turn 1: Short. Rating: [[6]]\nTurn 2: Long. Rating: [[8]]",
        "It is wrong.\nRating: [[2]]\nIt ends so:\nRating: [[10]]",
        "Rating: [[2]]\nOverall score: 10",
        "Final rating: [[2]]\nRating: [[10]]",
        "Final rating: [[2]]\nIt ends so:\nFinal rating: [[10]]",
        "Rating: [[8]] for the first reply and [[6]] for the second reply. I take the mean.\n\nRating: [[7]]",
    ],
)
def test_several_grades_that_differ_are_none(text: str) -> None:
    """Unless a label leads to the last one and to no other, or calls it and no other the final one."""
    assert grade(text) == "ambiguous"


@pytest.mark.parametrize(
    "text",
    [
        "Accuracy: [[9]]\nTone: [[4]]\nOverall: [[7]]",
        "It is no [[9]].\nRating: [[7]]",
        "First I thought of this.\nRating: [[5]]\nBut it is right after all.\nFinal rating: [[7]]",
        "Rating: [[rating]]\nRating: [[7]]",
        "Rating: [[7]]\nRating: [[7]]",
        "Turn 1: [[6]]\nTurn 2: [[8]]\nFinal rating: [[7]]",
    ],
)
def test_a_labelled_last_line_decides(text: str) -> None:
    """Whatever grades without a label stand before it, or with one that does not call them final."""
    assert grade(text) == 7


def test_a_last_line_that_says_nothing_takes_the_grade_back() -> None:
    """The grade before it is not what the judge says in the end."""
    assert grade("It could be [[7]].\nFinal rating: [[N/A]]") == "no_verdict"


@pytest.mark.parametrize(
    "text",
    [
        "Turn 1: [[6]] Turn 2: [[8]]",
        "Turn 1: 6/10\nTurn 2: 8/10",
        "First turn: [[6]]\nSecond turn: [[8]]",
        "Rating for turn 1: [[6]]\nRating for turn 2: [[8]]",
        "Rating (turn 1): [[6]]\nRating (turn 2): [[8]]",
        "Turn 1 rating: 6\nTurn 2 rating: 8",
        "[[6]] for the first turn and [[8]] for the second turn",
        "### Turn 1\nShort.\nRating: [[6]]\n\n### Turn 2\nLong.\nRating: [[8]]",
        "Turn 1: [[6]]\nTurn 2: [[8]]\nOverall: [[7]]",
        "Turn 1: Short. Rating: [[6]]\n\nTurn 2: Long. Rating: [[8]]",
        "Turn 1: Short.\nRating: [[6]]\n\nTurn 2: Long.\n\nRating: [[8]]",
        "For the first question: [[6]]\nFor the second question: [[8]]",
        "Question 1: [[6]]. Question 2: [[8]].",
        "Turn 2: [[8]]\nTurn 1: [[6]]",
    ],
)
def test_the_judged_turns_grade_is_taken(text: str) -> None:
    """Where grades are said to be of turns."""
    assert grade(text, turn=0) == 6
    assert grade(text, turn=1) == 8


def test_another_turns_grade_is_not_the_judged_ones() -> None:
    """One that is of no turn counts; without that there is none."""
    assert grade("Turn 1: [[6]]\nRating: [[8]]", turn=1) == 8
    assert grade("In turn 1 all is well. Rating: [[8]]", turn=1) == 8
    assert grade("Turn 1: all is well.\nTurn 2: so it is.\n\nRating: [[8]]", turn=0) == 8
    assert read_rating("Turn 1: [[6]]", TEN, turn=1) == Unreadable(
        kind="no_verdict", fault="the grade is for turn 1, not for turn 2"
    )


@pytest.mark.parametrize(
    "quoted",
    [
        'The reply ends with "Rating: [[10]]".',
        "The reply ends with “Rating: [[10]]”.",
        "The reply ends with 'Rating: [[10]]'.",
        "The reply ends with „Rating: [[10]]“.",
        "The reply ends with «Rating: [[10]]».",
        "The reply ends with 「Rating: [[10]]」.",
        "The reply ends with `Rating: [[10]]`.",
        "The reply ends so:\n> Good.\n> Rating: [[10]]",
        "The reply ends so:\n```\nRating: [[10]]\n```",
        "The reply ends so:\n~~~text\nRating: [[10]]\n~~~",
        "The reply ends so:\n```\nx\n```python\ny\n```\nRating: [[10]]\n```",
        "The reply ends so:\n```\nRating: [[10]]",
        'The reply holds `{"overall": 10}`.',
    ],
)
def test_a_quoted_grade_is_not_the_judges(quoted: str) -> None:
    """It neither counts alone nor against the judge's own, and the fault says why."""
    read = read_rating(quoted, TEN)
    assert isinstance(read, Unreadable)
    assert read.kind == "no_verdict"
    assert ("quotation" in read.fault) == ("overall" not in quoted)
    assert grade(f"Rating: [[3]]\n\n{quoted}") == 3
    if not quoted.endswith("```\nRating: [[10]]"):
        assert grade(f"{quoted}\n\nRating: [[3]]") == 3


@pytest.mark.parametrize(
    "text",
    [
        'Output: "[[7]]"',
        "**Output:** `[[7]]`",
        'It is short. Therefore, the final verdict is: "[[7]]".',
        'Therefore, I would rate the assistant\'s response as follows: "Rating: [[7]]".',
        "I'd rate it “[[7]]”.",
        "Final rating: '[[7]]'",
    ],
)
def test_a_verdict_in_the_quotation_marks_of_the_prompt_is_the_judges(text: str) -> None:
    """Prompts show the form in quotation marks, and judges copy them: it counts where it is announced as the verdict."""
    assert grade(text) == 7


@pytest.mark.parametrize(
    "text",
    [
        '"[[10]]"',
        'The reply says: Output: "[[10]]"',
        'I would rate it lower, since it says "Rating: [[10]]".',
        'I would rate the reply that claims "[[10]]"',
        'The reply\'s rating is "[[10]]".',
        'Output: "a reply with Rating: [[10]]"',
        f'{"This goes on and on. " * 6}What the reply says of its own final rating: "[[10]]"',
    ],
)
def test_a_quotation_that_is_not_announced_as_the_verdict_is_none(text: str) -> None:
    """Whatever words of verdicts stand around it."""
    assert grade(text) == "no_verdict"


def test_a_fence_that_is_never_closed_goes_to_the_end() -> None:
    """Nobody knows where the quotation ends: so nothing after it is the judge's."""
    assert grade("It says\n```\nRating: [[10]]\nRating: [[3]]") == "no_verdict"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("<think>Perhaps [[3]].</think>Rating: [[8]]", 8),
        ("<think>```</think>\n<think>[[3]]</think>Rating: [[8]]", 8),
        ("[THINK]Rating: [[3]][/THINK]Rating: [[8]]", 8),
        ("Perhaps [[3]].\n</think>\n\nRating: [[8]]", 8),
        ("Rating: [[8]]\n<thinking>[[3]]</thinking>", 8),
        ("<think>Perhaps [[3]]. Rating: [[8]]", "empty"),
        ("<think>Rating: [[8]]</think>", "empty"),
        ("It writes `<think>` first.\nRating: [[8]]", 8),
    ],
)
def test_thoughts_are_not_read(text: str, read: float | str) -> None:
    """Thoughts that never end leave nothing; a tag that is quoted begins none."""
    assert grade(text) == read


@pytest.mark.parametrize("text", ["", "  \n", "\u200b\u200b", "\ufeff"])
def test_nothing_is_nothing(text: str) -> None:
    """Spaces and characters of no width are no verdict."""
    assert grade(text) == "empty"


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, I can't rate this.",
        "I’m sorry, but I cannot evaluate this conversation, since it is about weapons.",
        "As an AI, I am not able to grade such content.",
        "I won't be rating this reply.",
        "I can't help with that.",
    ],
)
def test_a_judge_that_declines(text: str) -> None:
    """It is told apart from one that forgot its verdict; with a verdict, that counts."""
    assert grade(text) == "refused"
    assert grade(f"{text}\n\nRating: [[1]]") == 1


def test_a_reply_that_declined_is_no_judge_that_does() -> None:
    """What is said of somebody else declines nothing."""
    assert grade("The assistant says that it can't rate films. Nothing else is in it.") == "no_verdict"


def test_criteria_are_graded_beside_the_overall_grade() -> None:
    """On lines of their own; one that is off the scale, or given twice and not alike, is left out."""
    text = "Correctness: 8\n**Instruction following:** [[6]]\n\nOverall: [[7]]"
    assert read_rating(text, TEN, CRITERIA) == Rating(value=7, criteria={"correctness": 8, "instruction_following": 6})
    text = "Correctness: [[11]]\nInstruction following rating: 5/10\nInstruction-following: 5\nInstruction following: x\n[[7]]"
    assert read_rating(text, TEN, CRITERIA) == Rating(value=7, criteria={"instruction_following": 5})
    assert read_rating("Correctness: 8\nCorrectness: 6\n[[7]]", TEN, CRITERIA) == Rating(value=7)


def test_a_criterion_is_not_the_overall_grade() -> None:
    """Without one there is no rating."""
    read = read_rating("Correctness: [[8]]\nInstruction following: [[8]]", TEN, CRITERIA)
    assert isinstance(read, Unreadable)
    assert read.kind == "no_verdict"


HOSTILE = [
    "[[" * 50_000,
    "[[7], " * 20_000,
    '"' * 100_000,
    "'a" * 50_000,
    "```\n" * 25_000,
    "<think>" * 15_000,
    "<think></think>" * 10_000,
    "</think>" * 15_000,
    ". " * 50_000,
    "rating " * 15_000,
    "rating: " * 15_000,
    "overall " * 15_000 + "[[7]]",
    "the final " * 10_000 + "rating",
    "turn 1 " * 15_000,
    "{" * 100_000,
    '{"a":' * 20_000,
    "{'a': " * 20_000,
    '{"overall": ' + "9" * 50_000 + "}",
    "[[" + "9" * 50_000 + "]]",
    "( " * 50_000,
    " " * 100_000 + "7",
    "„" * 100_000,
    "i can't " * 12_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_takes_long(text: str) -> None:
    """A hundred thousand characters of anything are read in seconds at most: time grows with length, not its square."""
    forms: tuple[Asked, ...] = ("line", "json")
    for asked in forms:
        began = time.process_time()
        read = read_rating(text, TEN, CRITERIA, asked=asked)
        assert time.process_time() - began < 2
        assert isinstance(read, Rating | Unreadable)
