"""A reply that only gives the user's own messages back."""

from __future__ import annotations

import time

import pytest
from tests.checks.asking import ask

from multiturn.checks.echo import is_echo

EARLIER = ("Hi.", "My oven takes 20 minutes to heat, and the bread 70 minutes to bake.")
MESSAGE = "When do I light it, to eat at 7:15 pm?"

ECHOES = [
    MESSAGE,
    f"“{MESSAGE.lower()}”",
    f"**{MESSAGE}**\n\n{MESSAGE}",
    f"You said: {MESSAGE}",
    f"User: {MESSAGE}\nAssistant:",
    "\n".join([*EARLIER, MESSAGE]),
    f"{EARLIER[1]} {MESSAGE} {EARLIER[1]}",
    MESSAGE.replace(" ", "\n"),
]
REPLIES = [
    f"{MESSAGE} 5:45.",
    f"{MESSAGE} Yes.",
    f"{MESSAGE}\n\nYou light it at 5:45 pm.",
    "At 5:45 pm.",
    "When do I light it?",
    EARLIER[1],
    "Hi.",
    "",
]


@pytest.mark.parametrize("reply", ECHOES)
def test_an_echo(reply: str) -> None:
    """The message, alone or with earlier ones and labels, in any typography."""
    assert is_echo(reply, EARLIER, MESSAGE)


@pytest.mark.parametrize("reply", REPLIES)
def test_no_echo(reply: str) -> None:
    """A word of its own makes a reply, after the question too; an earlier message may be what was asked for."""
    assert not is_echo(reply, EARLIER, MESSAGE)


@pytest.mark.parametrize(
    ("message", "reply", "echo"),
    [
        ("Wann muss ich den Ofen anmachen?", "Sie sagten: „Wann muss ich den Ofen anmachen?“", True),
        ("Wann muss ich den Ofen anmachen?", "Wann muss ich den Ofen anmachen? Um 17:45 Uhr.", False),
        ("Когда включать духовку?", "Вы спросили: «Когда включать духовку?»", True),
        ("Когда включать духовку?", "Когда включать духовку? В 17:45.", False),
        ("我应该几点打开烤箱？", "你问：我应该几点打开烤箱？", True),
        ("我应该几点打开烤箱？", "我应该几点打开烤箱？五点。", False),
        ("オーブンは何時に点けますか？", "「オーブンは何時に点けますか？」", True),
        ("And an ant?", "And an ant?", False),
        ("几点？", "几点？", False),
    ],
)
def test_echoes_in_other_languages(message: str, reply: str, echo: bool) -> None:  # noqa: FBT001 - a column
    """Few characters are a message where each is a word; very short ones say nothing."""
    assert is_echo(reply, (), message) == echo


def test_an_earlier_answer_of_the_user_is_an_answer() -> None:
    """A short earlier message counts as given back before the question only, and never inside a word."""
    assert not is_echo(f"{MESSAGE} Yes.", ("Yes.",), MESSAGE)
    assert is_echo(f"Yes. {MESSAGE}", ("Yes.",), MESSAGE)
    assert not is_echo(f"Eyes {MESSAGE}", ("Yes", "e"), MESSAGE)


def test_a_check_fails_an_echo() -> None:
    """Though the words it looks for stand in it."""
    check = {"kind": "says", "any": ["7:15"]}
    found = ask(check, MESSAGE, user=MESSAGE)
    assert (found.outcome, found.reason) == ("fail", "the reply only gives the user's own messages back")
    assert ask(check, f"{MESSAGE} At 5:45, to eat at 7:15.", user=MESSAGE).outcome == "pass"


def test_time_grows_with_the_length_only() -> None:
    """A million characters, made to repeat the messages nearly everywhere."""
    start = time.perf_counter()
    is_echo("a" * 1_000_000, ("a" * 5_000, "a" * 50), "a" * 20_000 + "b")
    is_echo(("a" * 20 + " ") * 50_000, ("a" * 20, "a"), "a" * 20)
    is_echo(" " * 1_000_000, (), MESSAGE)
    assert time.perf_counter() - start < 20
