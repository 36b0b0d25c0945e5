"""The table of signals: name, unit, which way is better, and one line of meaning. Docs and reports read it."""

from __future__ import annotations

from typing import Final

import msgspec

from multiturn.finding import SignalUnit


class SignalKind(msgspec.Struct, frozen=True):
    """What one signal is. ``orientation`` says in words which way is better, where one is."""

    name: str
    unit: SignalUnit
    orientation: str
    meaning: str


_NEITHER: Final = "neither way is better as such"
_LESS: Final = "less often is better"

SIGNALS: Final[tuple[SignalKind, ...]] = (
    SignalKind("characters", "characters", _NEITHER, "length of the reply in characters, as the model wrote it"),
    SignalKind("words", "words", _NEITHER, "length of the reply in words; markdown marks are none"),
    SignalKind("sentences", "sentences", _NEITHER, "sentences in the reply; headings and code are none"),
    SignalKind("tokens", "tokens", _NEITHER, "tokens the engine generated for the reply"),
    SignalKind(
        "refusal",
        "flag",
        f"{_LESS}, unless a refusal was right",
        "the reply declines what was asked, in full or in part",
    ),
    SignalKind("empty", "flag", _LESS, "a reader sees nothing: no text, only spaces or only control tokens"),
    SignalKind("cut_off", "flag", _LESS, "the reply ended at the limit of new tokens, not by itself"),
    SignalKind(
        "repetition", "share", "lower is better", "share of the reply's runs of four words that occurred in it before"
    ),
    SignalKind("collapse", "flag", _LESS, "the reply ends in a loop: one short piece again and again"),
    SignalKind(
        "sameness", "share", "lower is better", "likeness to the model's own previous reply, 1 for the same text"
    ),
    SignalKind("language_change", "flag", _LESS, "the reply is in a language the user has not used or asked for"),
    SignalKind("role_leakage", "flag", _LESS, "the reply plays the user, or shows role labels or control tokens"),
)

KIND_OF: Final[dict[str, SignalKind]] = {kind.name: kind for kind in SIGNALS}
