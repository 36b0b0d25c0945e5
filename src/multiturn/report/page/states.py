"""How a turn went, in words: how it ended, whose doing that is, its flags, what is raised, whether it refuses.

What is the model's own doing is told apart from what the environment did, which says nothing about the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from multiturn.finding import REFUSED
from multiturn.report.numbers import label_of
from multiturn.text.declining import refuses_rightly

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multiturn.finding import Signal
    from multiturn.transcript import TurnRecord

Tone = Literal["bad", "unsure", "soft"]
"""Against the model; to be looked at; nothing against it."""

REFUSAL_SIGN: Final = "R"
"""Stands behind the words that refuse, and before what is said of them."""

NO_DOING: Final = "Missing, by no doing of the model."

_ENDED: Final[Mapping[str, str]] = {
    "length": "cut off at the token limit",
    "filtered": "stopped by a content filter",
}
_MODELS_FLAGS: Final[Mapping[str, str]] = {
    "run_on": "went on as the user, which was cut",
    "stop_ignored": "ran on past a stop string, which was cut",
    "role_echo": "began with a role label, which was cut",
    "control_tokens": "wrote control tokens, which were cut",
    "reasoning_unfinished": "was still reasoning at the token limit",
    "prompt_echo": "began with its own prompt, which was cut",
}
_OTHER_FLAGS: Final[Mapping[str, str]] = {
    "dropped_turns": "without the oldest turns, which did not fit into the context window",
    "system_folded": "system prompt put into the first user turn: the template has no place for it",
    "fallback_template": "plain User:/Assistant: form: the model has no chat template",
    "reencoded": "history tokenised again",
    "replay_differs": "after an interruption an earlier reply came out otherwise",
}
_SHOWS_ITS_ROLE: Final = frozenset({"run_on", "role_echo", "control_tokens"})
_RAISED: Final[Mapping[str, str]] = {
    "collapse": "ends in a loop",
    "language_change": "in a language the user did not ask for",
    "role_leakage": "leaves its role",
    "empty": "nothing to be seen",
    "cut_off": "cut off at the token limit",
}


class State(NamedTuple):
    """One thing that is to be known of a reply. ``sign`` is that of its words in the reply, "" for none."""

    tone: Tone
    said: str
    sign: str = ""


def states_of(record: TurnRecord, signals: Sequence[Signal], *, refusal_expected: bool | None) -> Iterator[State]:
    """What is to be known of a turn that was held: its refusal, how it ended, its flags, what is raised.

    ``refusal_expected``: whether a refusal is right here, None where the suite does not say.
    """
    yield from _refusal(record, refusal_of(signals), refusal_expected)
    if record.status in _ENDED:
        yield State("unsure", _ENDED[record.status])
    for flag in record.flags:
        known = flag in _OTHER_FLAGS
        yield State("soft" if known else "unsure", (_OTHER_FLAGS if known else _MODELS_FLAGS).get(flag, label_of(flag)))
    for one in signals:
        if one.unit == "flag" and one.value == 1 and one.name != "refusal" and not _is_told(one, record):
            label = f" ({one.label})" if one.label else ""
            yield State("unsure", _RAISED.get(one.name, label_of(one.name)) + label)


def refusal_of(signals: Sequence[Signal]) -> Signal | None:
    """The signal that says that the reply is a refusal."""
    return next((one for one in signals if one.name == "refusal" and one.label in REFUSED), None)


def _refusal(record: TurnRecord, refusal: Signal | None, expected: bool | None) -> Iterator[State]:  # noqa: FBT001 - a value
    rightly = refuses_rightly(record.reply, expected=expected, refused=refusal is not None)
    if refusal is not None:
        tone: Tone = "unsure" if rightly is None else "soft" if rightly else "bad"
        fit = "" if rightly is None else ", expected" if rightly else ", unexpected"
        yield State(tone, f"{refusal.label} refusal{fit}", REFUSAL_SIGN if refusal.span is not None else "")
    elif rightly is False:
        yield State("bad", "no refusal, though one is right")


def _is_told(signal: Signal, record: TurnRecord) -> bool:
    """Whether status and flags say it."""
    if signal.name == "role_leakage":
        return not _SHOWS_ITS_ROLE.isdisjoint(record.flags)
    return (signal.name, record.status) in {("cut_off", "length"), ("empty", "empty")}


def without_reply(record: TurnRecord | None) -> str:
    """Why there is no reply, and whose doing that is, in sentences; the engine's own words come beside it.

    None is a turn that this arm did not hold.
    """
    if record is None:
        return "Not held by this arm."
    by_model = not record.missing
    if record.status == "not_reached":
        before = "the conversation had outgrown the context window" if by_model else "an earlier turn is missing"
        told = f"Not reached: {before}."
    elif record.status == "overflowed":
        outgrew = (
            "the model's own replies have filled the context window" if by_model else "it is too long for the window"
        )
        told = f"No reply: {outgrew}."
    else:
        told = f"No reply: {record.failure.kind if record.failure is not None else record.status}."
    return told if by_model else f"{told} {NO_DOING}"
