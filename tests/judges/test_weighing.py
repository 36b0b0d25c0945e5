"""The weighted grade: against hand-worked examples, against counting all continuations, and what can't be known."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.judges.reading import read_judgment
from multiturn.judges.rubrics import load_rubric
from multiturn.judges.weighing import weighted_grade
from multiturn.judgment import Rating, Unreadable
from multiturn.rubric import Scale
from multiturn.transcript import Piece, Reply, Timing

TEN = Scale()
NINE = Scale(lowest=1, highest=9)


def choice(text: str, probabilities: dict[str, float]) -> Piece:
    """A token with the probabilities of others in its place; what is left is its own."""
    all_of = {text: 1 - sum(probabilities.values())} | probabilities
    return Piece(
        text=text,
        logprob=math.log(all_of[text]),
        alternatives=tuple((token, math.log(number)) for token, number in all_of.items() if number > 0),
    )


def plain(*texts: str) -> list[Piece]:
    """Tokens that nothing else could have stood for."""
    return [Piece(text=text, logprob=0.0, alternatives=((text, 0.0),)) for text in texts]


def test_the_mean_over_grades_weighted_by_their_probabilities() -> None:
    """Half of 7, three tenths of 8, a fifth of 9: 7.7."""
    pieces = [*plain("Good.\n", "Rating", ": [["), choice("7", {"8": 0.3, "9": 0.2}), *plain("]]")]
    assert weighted_grade(pieces, TEN, 7) == pytest.approx(7.7)


def test_probabilities_are_of_grades_on_the_scale() -> None:
    """What is no grade, or none on the scale, is left out, and the rest counts as all there is."""
    pieces = [*plain("[["), choice("7", {"8": 0.2, "0": 0.1, "11": 0.1, "x": 0.2, " 9": 0.1}), *plain("]]")]
    assert weighted_grade(pieces, TEN, 7) == pytest.approx((0.3 * 7 + 0.2 * 8) / 0.5)


@pytest.mark.parametrize(
    "pieces",
    [
        [*plain('{"reason": "', "7", '", "overall": '), choice("7", {"8": 0.5}), *plain("}")],
        [*plain('{"correctness": ', "7", ', "overall":'), choice(" 7", {" 8": 0.5}), *plain("}")],
        [*plain('{"overall": "'), choice("7", {"8": 0.5}), *plain('"}')],
        [*plain("At first [[", "7", "]].\nRating: "), choice("[[7", {"[[8": 0.5}), *plain("]]")],
        [*plain("Rating: [["), choice("7]]", {"8]]": 0.2, "8": 0.3})],
        [*plain("Overall", ":"), choice(" 7", {" 8": 0.5}), *plain("/", "10")],
    ],
)
def test_the_grades_place_is_found(pieces: list[Piece]) -> None:
    """The last one where the grade stands behind its name or in double brackets, wherever tokens begin and end."""
    assert weighted_grade(pieces, TEN, 7) == pytest.approx(7.5)


def test_ten_in_one_token() -> None:
    """Then 1 is 1 and 10 is 10."""
    pieces = [*plain("[["), choice("8", {"10": 0.3, "1": 0.2}), *plain("]]")]
    assert weighted_grade(pieces, TEN, 8) == pytest.approx(0.5 * 8 + 0.3 * 10 + 0.2 * 1)


def test_ten_in_two_tokens() -> None:
    """What begins with 1 is 10 as often as 0 follows; a digit that leads off the scale is no grade."""
    pieces = [*plain("[["), choice("1", {"9": 0.5}), choice("0", {"]]": 0.15, "2": 0.05}), *plain("]]")]
    shares = {10: 0.5 * 0.8, 1: 0.5 * 0.15, 9: 0.5}
    assert weighted_grade(pieces, TEN, 10) == pytest.approx(
        sum(grade * share for grade, share in shares.items()) / sum(shares.values())
    )
    pieces = [*plain("[["), choice("1", {"9": 0.5}), choice("]]", {"0": 0.4})]
    assert weighted_grade(pieces, TEN, 1) == pytest.approx(0.5 * 9 + 0.5 * (0.4 * 10 + 0.6 * 1))


def test_a_beginning_that_nobody_followed() -> None:
    """1 where 7 was drawn may be 1 or 10: if that could matter, there is no weighted grade; on a scale to 9 it is 1."""
    pieces = [*plain("[["), choice("7", {"1": 0.1}), *plain("]]")]
    assert weighted_grade(pieces, TEN, 7) is None
    assert weighted_grade(pieces, NINE, 7) == pytest.approx(6.4)
    pieces = [*plain("[["), choice("7", {"1": 0.001}), *plain("]]")]
    assert weighted_grade(pieces, TEN, 7) == pytest.approx(7)


def test_scales_of_more_digits() -> None:
    """Digit by digit where they were drawn."""
    hundred = Scale(lowest=0, highest=100)
    pieces = [*plain("[["), *plain("8"), choice("5", {"6": 0.5}), *plain("]]")]
    assert weighted_grade(pieces, hundred, 85) == pytest.approx(85.5)
    assert weighted_grade([*plain("[["), choice("8", {"7": 0.4}), *plain("5", "]]")], hundred, 85) is None


@pytest.mark.parametrize(
    "pieces",
    [
        [],
        plain("Good."),
        plain("It is ", "7", "."),
        plain("[[", "8", "]]"),
        plain("[[", "7", ".", "5", "]]"),
        [*plain("[["), Piece(text="7", logprob=-1000.0, alternatives=(("good", 0.0),)), *plain("]]")],
    ],
)
def test_where_there_is_no_weighted_grade(pieces: list[Piece]) -> None:
    """No place, another grade in it, a decimal one, or no probability that is a number."""
    assert weighted_grade(pieces, TEN, 7) is None


@given(
    st.lists(st.floats(0.01, 1), min_size=9, max_size=9),
    st.floats(0.01, 0.99),
    st.booleans(),
)
def test_against_counting_every_grade(weights: list[float], ten: float, split: bool) -> None:  # noqa: FBT001
    """A twin that knows each grade's probability: single tokens 1 to 9, and 10 as a token or as 1 and 0."""
    share = {str(grade): weight / sum(weights) for grade, weight in enumerate(weights, start=1)}
    if split:
        first = Piece(
            text="1", logprob=math.log(share["1"]), alternatives=tuple((n, math.log(p)) for n, p in share.items())
        )
        then = Piece(text="0", logprob=math.log(ten), alternatives=(("0", math.log(ten)), ("]]", math.log(1 - ten))))
        found = weighted_grade([*plain("[["), first, then, *plain("]]")], TEN, 10)
        twin = sum(int(n) * p for n, p in share.items() if n != "1") + share["1"] * (ten * 10 + (1 - ten))
    else:
        whole = {name: number * (1 - ten) for name, number in share.items()} | {"10": ten}
        first = Piece(text="10", logprob=math.log(ten), alternatives=tuple((n, math.log(p)) for n, p in whole.items()))
        found = weighted_grade([*plain("[["), first, *plain("]]")], TEN, 10)
        twin = sum(int(name) * number for name, number in whole.items())
    assert found == pytest.approx(twin)
    assert found is not None
    assert 1 <= found <= 10


@given(st.lists(st.tuples(st.text(max_size=4), st.floats(-50, 0)), max_size=6), st.text(max_size=12))
def test_no_tokens_make_it_raise(tokens: list[tuple[str, float]], text: str) -> None:
    """Whatever a server sends: a mean on the scale, or none."""
    pieces = [
        Piece(text=one, logprob=number, alternatives=tuple(tokens))
        for one, number in [("[[", 0.0), ("1", -1.0), ("", -1.0), (text, -2.0), *tokens]
    ]
    for grade in range(1, 11):
        found = weighted_grade(pieces, TEN, grade)
        assert found is None or 1 <= found <= 10


def test_a_rating_carries_the_weighted_grade() -> None:
    """Where the judge's engine tells; the plain grade stays what it is."""
    pieces = (*plain("Rating", ": [["), choice("7", {"8": 0.5}), *plain("]]"))
    reply = Reply(text="Rating: [[7]]", finish="stop", timing=Timing(total=0), pieces=pieces)
    assert read_judgment(reply, load_rubric("quality"), schema=False) == Rating(value=7, weighted=7.5)
    other = Reply(text="Rating: [[11]]", finish="stop", timing=Timing(total=0), pieces=pieces)
    assert isinstance(read_judgment(other, load_rubric("quality"), schema=False), Unreadable)
