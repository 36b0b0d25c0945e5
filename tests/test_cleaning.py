"""From a raw reply to the reply: what is cut, what is set apart, what is flagged, and what is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.cleaning import Cleaned, clean

MARKS = ["<think>", "</think>", "User:", "Assistant:", "**Human:**", "AI:", "STOP", "<|im_end|>", "<|im_start|>"]
PIECES = st.lists(
    st.sampled_from([*MARKS, "\n", " ", "Lisbon", "漢字", "assistant\n", "# User:", "\u200b"]), max_size=12
).map("".join)


@pytest.mark.parametrize("text", ["Lisbon.", "", " two  spaces ", "a\n\nb\n", "\u200b", "$ERROR$", "漢字", "assistant"])
def test_a_plain_reply_stays_as_it_is(text: str) -> None:
    """Nothing is stripped that is not known to be no part of the reply, not even spaces."""
    assert clean(text) == Cleaned(text=text)


# Reasoning


@pytest.mark.parametrize(
    ("raw", "reasoning", "text"),
    [
        ("<think>2 + 2 is 4.</think>Four.", "2 + 2 is 4.", "Four."),
        ("\n <think>\n2 + 2 is 4.\n</think>\n\nFour.\n", "2 + 2 is 4.", "Four.\n"),
        ("<think></think>Four.", "", "Four."),
        ("<think>2 + 2 ...", "2 + 2 ...", ""),
        ("<think>one</think>Two.<think>three</think>", "one", "Two.<think>three</think>"),
    ],
)
def test_reasoning_is_set_apart(raw: str, reasoning: str, text: str) -> None:
    """What stands between the marks is reasoning; reasoning that never ends leaves no reply."""
    assert clean(raw) == Cleaned(text=text, reasoning=reasoning)


@pytest.mark.parametrize(
    ("raw", "reasoning", "text"),
    [
        ("2 + 2 is 4.</think>\nFour.", "2 + 2 is 4.", "Four."),
        ("2 + 2 ...", "2 + 2 ...", ""),
        ("<think>2 + 2 is 4.</think>Four.", "2 + 2 is 4.", "Four."),
        ("</think>Four.", "", "Four."),
        ("", "", ""),
    ],
)
def test_reasoning_that_the_prompt_opened(raw: str, reasoning: str, text: str) -> None:
    """Where the prompt opened the reasoning, the raw reply begins inside it."""
    assert clean(raw, opened=True) == Cleaned(text=text, reasoning=reasoning)


def test_the_marks_of_reasoning_inside_a_reply_are_text() -> None:
    """A reply that speaks of the tag is not taken apart."""
    text = "Models write <think> before and </think> after their reasoning."
    assert clean(text) == Cleaned(text=text)


def test_a_stop_string_inside_the_reasoning_cuts_nothing() -> None:
    """Stop strings end the reply, and reasoning is no part of it."""
    assert clean("<think>STOP?</think>Go on.", stop=["STOP"]) == Cleaned(text="Go on.", reasoning="STOP?")


def test_a_stop_string_right_after_the_reasoning() -> None:
    """The line end that a stop string begins with is not taken off before it is looked for."""
    cleaned = clean("<think>Nothing to say.</think>\nUser: And now?", stop=["\nUser:"])
    assert (cleaned.text, "stop_ignored" in cleaned.flags) == ("", True)


# Stop strings


@pytest.mark.parametrize(
    ("raw", "stop", "text", "cut"),
    [
        ("Lisbon.\nUser: And?", ["\nUser:"], "Lisbon.", True),
        ("\nUser: next", ["\nUser:"], "", True),
        ("Type User: before the name.", ["\nUser:"], "Type User: before the name.", False),
        ("a SECOND b FIRST c", ["FIRST", "SECOND"], "a ", True),
        ("a STOP b STOP c", ["STOP"], "a ", True),
        ("ends withSTOP", ["STOP"], "ends with", True),
        ("a stop b", ["STOP"], "a stop b", False),
        ("Lisbon.", [], "Lisbon.", False),
        ("a.b", ["."], "a", True),
    ],
)
def test_the_text_ends_at_the_first_stop_string(raw: str, stop: list[str], text: str, cut: bool) -> None:  # noqa: FBT001
    """Of several the one that stands first; letter for letter, not as a pattern; wherever it stands."""
    cleaned = clean(raw, stop=stop)
    assert (cleaned.text, "stop_ignored" in cleaned.flags) == (text, cut)


# Role labels


@pytest.mark.parametrize(
    "label",
    [
        "assistant\n\n",
        "Assistant: ",
        "assistant:",
        "ASSISTANT:\n",
        "**Assistant:** ",
        "### Assistant\n",
        "\n assistant\n",
    ],
)
def test_a_role_label_in_front_is_cut(label: str) -> None:
    assert clean(f"{label}Lisbon.") == Cleaned(text="Lisbon.", flags=("role_echo",))


@pytest.mark.parametrize(
    "text",
    [
        "assistant professors earn less than full ones.",
        "Assistants: three of them.",
        "The assistant: a history.",
        "My assistant\nis ill.",
    ],
)
def test_assistant_as_a_word_is_text(text: str) -> None:
    assert clean(text) == Cleaned(text=text)


def test_a_header_of_control_tokens_is_a_role_label() -> None:
    """Only where these tokens were generated as such; spelled with letters they are text."""
    raw = "<|start|>assistant<|end|>\n\nLisbon.<|eot|>"
    cleaned = clean(raw, control_tokens=["<|start|>", "<|end|>", "<|eot|>"])
    assert cleaned == Cleaned(text="Lisbon.", flags=("role_echo", "control_tokens"))
    assert clean(raw) == Cleaned(text=raw)


@pytest.mark.parametrize("token", ["<|im_end|>", "</s>", "[INST]", "<|eot|>(*"])
def test_the_text_ends_at_the_first_control_token(token: str) -> None:
    """What follows a control token is another message; its text may hold signs that patterns use."""
    cleaned = clean(f"Lisbon.{token}more{token}", control_tokens=["<|unused|>", token])
    assert cleaned == Cleaned(text="Lisbon.", flags=("control_tokens",))


# Playing the user


@pytest.mark.parametrize("user", ["User:", "user:", "Human:", "**User:**", "### Human:", "  User:"])
@pytest.mark.parametrize("answer", ["Assistant:", "AI:", "**Assistant:**", "# assistant:"])
def test_a_model_that_plays_both_sides_is_cut(user: str, answer: str) -> None:
    """The text ends where a user label follows some text and is answered."""
    raw = f"Lisbon.\n{user} And the river?\n{answer} The Tagus."
    assert clean(raw) == Cleaned(text="Lisbon.", flags=("run_on",))


@pytest.mark.parametrize(
    "text",
    [
        "User: Hello.\nAssistant: Hello.",
        "Here it is:\nAssistant: Hello.\nUser: Hello.\nAssistant: Bye.",
        "The form has these fields:\nUser: your name\nHost: its address",
        "Ask the\nuser: he knows. The assistant: too.",
    ],
)
def test_a_dialogue_that_was_asked_for_stays_whole(text: str) -> None:
    """A dialogue from the start, or labels that nobody answers, are the reply."""
    assert clean(text) == Cleaned(text=text)


def test_several_at_once() -> None:
    """Reasoning, a label, the user's part, a stop string: each is dealt with, and each is flagged once."""
    raw = "<think>Hm.</think>Assistant: Lisbon.\nUser: And?\nAssistant: The Tagus.STOP more"
    cleaned = clean(raw, stop=["STOP"])
    assert cleaned == Cleaned(text="Lisbon.", reasoning="Hm.", flags=("stop_ignored", "role_echo", "run_on"))


@given(PIECES, st.booleans())
def test_cleaning_only_takes_away(raw: str, opened: bool) -> None:  # noqa: FBT001
    """Whatever was written: no error, no stop string and no control token left, and the text is a part of the raw."""
    cleaned = clean(raw, stop=["STOP", "\nUser:"], control_tokens=["<|im_end|>", "<|im_start|>"], opened=opened)
    assert cleaned.text in raw
    assert cleaned.reasoning in raw
    assert not any(part in cleaned.text for part in ("STOP", "\nUser:", "<|im_end|>", "<|im_start|>"))
    assert len(set(cleaned.flags)) == len(cleaned.flags)
