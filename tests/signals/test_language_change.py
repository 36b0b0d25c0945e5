"""A change of language is said only where it is plain and nobody asked for it."""

from __future__ import annotations

from multiturn.signals.language_change import language_change

ENGLISH = "Could you recommend a board game for four people who like maps?"
GERMAN = "Gerne, ich würde euch ein Spiel empfehlen, das man zu viert gut spielen kann."


def test_another_language_is_a_change() -> None:
    """The user writes English, the reply is German."""
    found = language_change(GERMAN, [ENGLISH])
    assert (found.changed, found.found) == (True, "de")


def test_the_same_language_is_none() -> None:
    """Also where the user changed over in an earlier turn."""
    assert language_change(ENGLISH, [ENGLISH]).changed is False
    assert language_change(GERMAN, [GERMAN, ENGLISH]).changed is False


def test_a_named_language_may_have_been_asked_for() -> None:
    """In any turn so far or in the system prompt; then nothing is claimed."""
    for users, system in (
        (["Please answer in German from now on.", ENGLISH], None),
        ([f"Translate this for me: {ENGLISH}"], None),
        ([ENGLISH], "Always reply in German."),
    ):
        found = language_change(GERMAN, users, system)
        assert found.changed is None
        assert "named" in found.reason


def test_a_language_inside_the_message_was_used() -> None:
    """The user pastes a German text into an English message."""
    message = f"{ENGLISH} I mean it, it should be for a long evening with friends, and not too hard to learn.\n{GERMAN}"
    assert language_change(GERMAN, [message]).changed is False


def test_short_texts_say_nothing() -> None:
    """Too short a reply, or only short messages: not known, with the reason."""
    assert language_change("Ja.", [ENGLISH]).reason.startswith("the reply's language")
    assert language_change(GERMAN, ["Go on."]).reason.startswith("the user's language")
    assert language_change(GERMAN, [ENGLISH, "Go on."]).changed is True
