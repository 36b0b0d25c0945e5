"""When a reply is over, on a toy tokenizer: a token is a piece of text. Stop strings, budgets, reasoning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from multiturn.cleaning import _REASONING
from multiturn.engines.hf_watching import THINKING, Watch, split_reasoning

END = "<end>"


class Toy:
    """Gives texts ids as they come, and says what a model that writes these pieces is told."""

    def __init__(self) -> None:
        self._pieces: list[str] = [END]

    def decode(self, ids: Sequence[int]) -> str:
        """The pieces in a row; the end token says nothing."""
        return "".join(self._pieces[number] for number in ids if number)

    def held(self, *pieces: str, **settings: Any) -> tuple[str | None, str, str, int]:  # noqa: ANN401 - as Watch
        """How it ended, the reply, the reasoning, and after how many tokens."""
        given: dict[str, Any] = {"stop_ids": frozenset({0}), "stops": (), "budget": 100} | settings
        watch = Watch(self.decode, **given)
        ids: list[int] = []
        ended = None
        for piece in pieces:
            if piece not in self._pieces:
                self._pieces.append(piece)
            ids.append(self._pieces.index(piece))
            ended = watch.after(ids)
            if ended is not None:
                break
        kept = watch.within_budget(ids)
        text = watch.text(kept)
        return ended if kept == ids else "limit", text.reply, text.reasoning, len(kept)


@pytest.fixture
def toy() -> Toy:
    return Toy()


def test_a_stop_token_ends_the_reply_and_is_not_part_of_it(toy: Toy) -> None:
    """At the end, and as the very first token."""
    assert toy.held("Lis", "bon", END, "more") == ("token", "Lisbon", "", 3)
    assert toy.held(END) == ("token", "", "", 1)


def test_a_stop_string_spans_tokens(toy: Toy) -> None:
    """It stops with the token that completes it, and the reply ends where it begins."""
    assert toy.held("Lisbon.", "\n", "Us", "er:", " And", stops=["\nUser:"]) == ("string", "Lisbon.", "", 4)
    assert toy.held("Lisbon.\nUs", "er: And you?", stops=["\nUser:"]) == ("string", "Lisbon.", "", 2)


def test_a_stop_string_at_the_start_leaves_an_empty_reply(toy: Toy) -> None:
    """Position 0 is a position."""
    assert toy.held("\nUser", ":", stops=["\nUser:"]) == ("string", "", "", 2)


def test_the_first_stop_string_in_the_text_cuts(toy: Toy) -> None:
    """Whatever the order in which they are named."""
    assert toy.held("a", "b c d", stops=["d", "b"]) == ("string", "a", "", 2)


def test_what_only_looks_like_a_stop_string_stays(toy: Toy) -> None:
    """In the middle of a reply, and where the budget ends before it could be one."""
    pieces = ["Type User: in front.", "\n", "Use", " it."]
    assert toy.held(*pieces, END, stops=["\nUser:"]) == ("token", "".join(pieces), "", 5)
    assert toy.held("Fine.", "\nUser", stops=["\nUser:"], budget=2) == ("limit", "Fine.\nUser", "", 2)


def test_a_stop_string_far_behind_the_beginning_is_found(toy: Toy) -> None:
    """Only the last tokens are looked at each time."""
    words = [f"word{number} " for number in range(80)]
    assert toy.held(*words, "S", "T", "O", "P", stops=["STOP"]) == ("string", "".join(words), "", 84)


def test_the_budget_is_exact(toy: Toy) -> None:
    """So many tokens and no more."""
    assert toy.held("a", "b", "c", "d", budget=3) == ("limit", "abc", "", 3)


def thinking(**settings: Any) -> dict[str, Any]:  # noqa: ANN401 - as Watch
    return {"budget": 3, "reasoning": 4} | settings


def test_reasoning_has_a_budget_of_its_own(toy: Toy) -> None:
    """The reply has its whole budget after it, however short the reasoning was."""
    pieces = ["<think>", "hm", "</think>", "a", "b", "c", "d"]
    assert toy.held(*pieces, **thinking()) == ("limit", "abc", "hm", 6)
    assert toy.held(*pieces[1:], **thinking(opened=True)) == ("limit", "abc", "hm", 5)


def test_a_reply_without_reasoning_has_the_reply_s_budget_alone(toy: Toy) -> None:
    """What was meant for thinking is not given to it, be it blank or begin like a marker."""
    assert toy.held("a", "b", "c", "d", **thinking()) == ("limit", "abc", "", 3)
    assert toy.held("<", "b", "c", "d", **thinking()) == ("limit", "<bc", "", 3)
    assert toy.held("<", "th", "y", "me", **thinking(budget=2)) == ("limit", "<th", "", 2)
    assert toy.held("\n", " ", "\t", "a", "b", **thinking()) == ("limit", "\n \t", "", 3)
    assert toy.held("<", END, **thinking(budget=1)) == ("limit", "<", "", 1)


def test_reasoning_that_does_not_end_leaves_no_reply(toy: Toy) -> None:
    """After both budgets together; also where the model ends it by itself."""
    long = [f"hm{number}" for number in range(9)]
    assert toy.held("<think>", *long, **thinking()) == ("limit", "", "".join(long[:6]), 7)
    assert toy.held(*long, **thinking(opened=True)) == ("limit", "", "".join(long[:7]), 7)
    assert toy.held("hm", END, **thinking(opened=True)) == ("token", "", "hm", 2)


def test_reasoning_that_ends_late_takes_from_the_reply(toy: Toy) -> None:
    """Both budgets together are never passed."""
    pieces = ["<think>", "1", "2", "3", "4", "</think>", "a", "b"]
    assert toy.held(*pieces, **thinking()) == ("limit", "a", "1234", 7)


def test_markers_may_span_tokens(toy: Toy) -> None:
    """Where they are no tokens of the model's vocabulary."""
    pieces = ["<th", "ink>", "hm", "</", "think", ">\n\n", "Yes", "."]
    assert toy.held(*pieces, END, **thinking(reasoning=9)) == ("token", "Yes.", "hm", 9)


def test_stop_strings_are_not_looked_for_in_reasoning(toy: Toy) -> None:
    """A model that thinks of what the user said is not cut off."""
    pieces = ["<think>", "he said\nUser: hi", "</think>", "Hello", "\nUser:"]
    assert toy.held(*pieces, **thinking(stops=["\nUser:"])) == ("string", "Hello", "he said\nUser: hi", 5)


def test_reasoning_that_says_nothing_keeps_its_end(toy: Toy) -> None:
    """So that who knows of an opened prompt does not take the reply for reasoning."""
    assert toy.held("\n", "</think>", "\n\n", "Yes", END, **thinking(opened=True)) == (
        "token",
        "\n</think>\n\nYes",
        "",
        5,
    )


def test_a_reply_that_is_decoded_again_is_watched_from_its_beginning(toy: Toy) -> None:
    """What a batch that ran out of memory had seen counts no more: here it had thought, and then does not."""
    pieces = ["<think>", "hm", "</think>", "a"]
    toy.held(*pieces, "b")
    ids = [toy.decode([number]) for number in range(6)]
    watch = Watch(toy.decode, stop_ids=frozenset({0}), stops=(), budget=2, reasoning=9)
    numbers = [ids.index(piece) for piece in pieces]
    assert [watch.after(numbers[:length]) for length in range(1, 5)] == [None] * 4
    watch.restart()
    assert (watch.after([numbers[3]]), watch.after([numbers[3], ids.index("b")])) == (None, "limit")
    assert watch.text(numbers[3:]).reply == "a"


def test_a_cleaned_reply_and_a_watched_one_know_the_same_markers() -> None:
    """The two are strangers to each other, so each has its own list."""
    assert THINKING == _REASONING


@pytest.mark.parametrize(
    ("text", "opened", "parts"),
    [
        ("Yes.", False, ("", "Yes.")),
        ("<think>a</think>\n\nb", False, ("a", "b")),
        (" <think>\na\n</think>b", False, ("a", "b")),
        ("a</think>b", True, ("a", "b")),
        ("a</think>b", False, ("", "a</think>b")),
        ("[THINK]a</think>[/THINK]b", False, ("a</think>", "b")),
        ("Say <think>a</think>", False, ("", "Say <think>a</think>")),
        ("a", True, ("a", "")),
    ],
)
def test_taking_reasoning_and_reply_apart(text: str, parts: tuple[str, str], *, opened: bool) -> None:
    """Only in front of a reply, by the markers that belong together."""
    assert split_reasoning(text, opened=opened) == parts
