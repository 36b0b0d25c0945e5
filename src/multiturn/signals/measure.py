"""All signals of a transcript, turn by turn. Knows the order of the table and what to say where there is no reply."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec

from multiturn.finding import Signal, Span
from multiturn.signals.kinds import KIND_OF, SIGNALS
from multiturn.signals.language_change import language_change
from multiturn.signals.repetition import RUN, collapsed, likeness, repetition
from multiturn.signals.role_leakage import role_leak
from multiturn.text.measure import count_sentences, count_words, is_blank
from multiturn.text.refusal import refusal
from multiturn.transcript import Transcript, TurnRecord

_NO_FINISH: Final = "nobody told why the reply ended"
_UNCOUNTED: Final = "the engine does not say how many tokens it generated"
_NO_EARLIER_REPLY: Final = "the model has not replied before in this conversation"
_BLANK: Final = "the reply is empty"
_TOO_SHORT: Final = f"the reply has fewer than {RUN} words"
_NO_WORDS: Final = "one of the two replies has no word"


class _Found(msgspec.Struct, frozen=True):
    value: float | None
    label: str = ""
    reason: str = ""
    span: Span | None = None


class _Reply(msgspec.Struct, frozen=True):
    """One reply and what is needed to measure it: the text without control tokens, and what came before."""

    text: str
    seen: str
    blank: bool
    turn: TurnRecord
    earlier: Sequence[TurnRecord]
    system: str | None
    control_tokens: tuple[str, ...]


def measure(transcript: Transcript, *, control_tokens: Sequence[str] = ()) -> tuple[Signal, ...]:
    """Every signal of every turn, in the order of the turns and of ``SIGNALS``.

    Args:
        transcript: The conversation as it was held.
        control_tokens: The template's control tokens as text (``<|im_end|>``). They are no part of what is counted;
            where a reply shows one, that is role leakage.

    Returns:
        One signal for each turn and kind. ``value`` is None, with the reason, where it can't be measured; a turn
        without a reply has no value at all.
    """
    tokens = tuple(sorted(filter(None, control_tokens), key=len, reverse=True))
    return tuple(signal for index in range(len(transcript.turns)) for signal in _of_turn(transcript, index, tokens))


def _of_turn(transcript: Transcript, index: int, tokens: tuple[str, ...]) -> Iterator[Signal]:
    turn = transcript.turns[index]
    if turn.reply is None:
        cause = f", by the {turn.cause}'s doing" if turn.cause else ""
        nothing = _Found(None, reason=f"no reply: {turn.status}{cause}")
        yield from (_signal(kind.name, turn, nothing) for kind in SIGNALS)
        return
    seen = turn.reply
    for token in tokens:
        seen = seen.replace(token, "")
    reply = _Reply(
        text=turn.reply,
        seen=seen,
        blank=is_blank(seen),
        turn=turn,
        earlier=transcript.turns[:index],
        system=transcript.system,
        control_tokens=tokens,
    )
    yield from (_signal(kind.name, turn, _MEASURES[kind.name](reply)) for kind in SIGNALS)


def _signal(name: str, turn: TurnRecord, found: _Found) -> Signal:
    unit = KIND_OF[name].unit
    return Signal(
        name=name, turn=turn.turn, value=found.value, unit=unit, label=found.label, reason=found.reason, span=found.span
    )


def _tokens(reply: _Reply) -> _Found:
    count = reply.turn.new_tokens
    return _Found(None, reason=_UNCOUNTED) if count is None else _Found(float(count))


def _cut_off(reply: _Reply) -> _Found:
    if reply.turn.status != "length" and reply.turn.finish == "unknown":
        return _Found(None, reason=_NO_FINISH)
    return _Found(float(reply.turn.status == "length"))


def _refusal(reply: _Reply) -> _Found:
    if reply.blank:
        return _Found(0.0)
    found = refusal(reply.text, control_tokens=reply.control_tokens)
    return _Found(0.0) if found.kind == "none" else _Found(1.0, label=found.kind, span=found.span)


def _repetition(reply: _Reply) -> _Found:
    share = repetition(reply.seen)
    return _Found(None, reason=_BLANK if reply.blank else _TOO_SHORT) if share is None else _Found(share)


def _sameness(reply: _Reply) -> _Found:
    previous = next((turn.reply for turn in reversed(reply.earlier) if turn.reply is not None), None)
    if previous is None:
        return _Found(None, reason=_NO_EARLIER_REPLY)
    share = likeness(reply.seen, previous)
    return _Found(None, reason=_BLANK if reply.blank else _NO_WORDS) if share is None else _Found(share)


def _language_change(reply: _Reply) -> _Found:
    if reply.blank:
        return _Found(None, reason=_BLANK)
    users = [turn.user for turn in (*reply.earlier, reply.turn)]
    found = language_change(reply.seen, users, reply.system)
    value = None if found.changed is None else float(found.changed)
    return _Found(value, label=found.found, reason=found.reason)


def _role_leakage(reply: _Reply) -> _Found:
    leak = role_leak(reply.turn, reply.control_tokens)
    return _Found(0.0) if leak is None else _Found(1.0, label=leak.what, span=leak.span)


_MEASURES: Final[dict[str, Callable[[_Reply], _Found]]] = {
    "characters": lambda reply: _Found(float(len(reply.text))),
    "words": lambda reply: _Found(float(count_words(reply.seen))),
    "sentences": lambda reply: _Found(float(count_sentences(reply.seen))),
    "tokens": _tokens,
    "refusal": _refusal,
    "empty": lambda reply: _Found(float(reply.blank)),
    "cut_off": _cut_off,
    "repetition": _repetition,
    "collapse": lambda reply: _Found(float(collapsed(reply.seen))),
    "sameness": _sameness,
    "language_change": _language_change,
    "role_leakage": _role_leakage,
}
