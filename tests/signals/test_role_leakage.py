"""Leaving the role is seen in the flags of the turn and in the text."""

from __future__ import annotations

import pytest

from multiturn.signals.role_leakage import role_leak
from multiturn.transcript import Flag, TurnRecord


def turn(reply: str, user: str = "How are you?", flags: tuple[Flag, ...] = ()) -> TurnRecord:
    return TurnRecord(turn=0, user=user, status="ok", reply=reply, flags=flags)


@pytest.mark.parametrize(
    ("flag", "what"), [("run_on", "plays the user"), ("role_echo", "role label"), ("control_tokens", "control token")]
)
def test_what_was_cut_counts(flag: Flag, what: str) -> None:
    """The run cut it from the reply and flagged it; it was there."""
    leak = role_leak(turn("Fine.", flags=("system_folded", flag)))
    assert leak is not None
    assert (leak.what, leak.span) == (what, None)


@pytest.mark.parametrize(
    ("reply", "what", "quoted"),
    [
        ("Fine.\nUser: And you?\nAssistant: Fine.", "plays the user", "User:"),
        ("Fine.\n\n**Human:** And you?", "plays the user", "**Human:**"),
        ("Assistant: Fine.", "role label", "Assistant:"),
        ("### Instruction:\nGo on.", "role label", "### Instruction:"),
        ("Fine.<|im_end|>", "control token", "<|im_end|>"),
        ("Fine.</s>", "control token", "</s>"),
        ("Fine.\n<start_of_turn>user", "control token", "<start_of_turn>"),
        ("[INST] Go on [/INST]", "control token", "[INST]"),
        ("好的。\n用户：你呢？", "plays the user", "用户："),
        ("Fine.<END>", "control token", "<END>"),
    ],
)
def test_labels_and_tokens_leak(reply: str, what: str, quoted: str) -> None:
    """Labels at the start of a line and the usual control tokens, and those of the template."""
    leak = role_leak(turn(reply), control_tokens=("<END>",))
    assert leak is not None
    assert leak.span is not None
    assert (leak.what, leak.span.text) == (what, quoted)
    assert reply[leak.span.start : leak.span.end] == quoted


@pytest.mark.parametrize(
    ("reply", "user"),
    [
        ("Fine, and you?", "How are you?"),
        ("The user: a person who uses things.", "Define user."),
        ("```\nUser: hi\n<|im_end|>\n```", "Show the template."),
        ("The token `<|im_end|>` ends a turn.", "What ends a turn?"),
        ("User: hi\nAssistant: hello", "Write a dialogue between a user and an assistant."),
        ("Customer: hi\nClerk: hello", "Write a dialogue."),
        ("It is <b>bold</b> and a < b.", "Markup?"),
        ("Dear user,\nall is well.", "Write a note."),
    ],
)
def test_what_was_asked_for_is_no_leak(reply: str, user: str) -> None:
    """Code, dialogues that the user asked for, and ordinary words."""
    assert role_leak(turn(reply, user)) is None
