"""What every check has and does: its common fields, what it looks at, and the answers that do not depend on its kind.

A kind is a frozen struct with a ``decide``; calling a check settles first what is the same for all (no reply, an empty
one, a refusal, an echo, a scope that is not there, a reply without its end) and asks the kind only then.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import ClassVar, Final

import msgspec

from multiturn.checks.echo import is_echo
from multiturn.checks.part import Part
from multiturn.checks.scope import Scope, part_of, scope_name
from multiturn.conversation import require
from multiturn.finding import FAILS_AS_REFUSAL, CheckResult, Span
from multiturn.protocols import Check
from multiturn.text.measure import is_blank
from multiturn.text.refusal import refusal
from multiturn.transcript import Transcript, TurnRecord

RENAMED: Final = {"is_": "is", "not_": "not", "except_": "except", "from_": "from"}
"""Fields whose names are words of Python."""

_AT_THE_END: Final = frozenset({"last_sentence", "last_line"})
"""Scopes that a reply which was cut off does not have."""


class Bad(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A reply that must fail the check, for proofs; ``span`` is what must be quoted as the reason, where it is said."""

    reply: str
    span: str = ""

    def __post_init__(self) -> None:
        require(bool(self.reply.strip()), "a bad reply is empty; prove tries an empty one by itself")
        require(self.span in self.reply, "span does not stand in the bad reply")


class Look(msgspec.Struct, frozen=True):
    """What a kind decides on: the part of the reply in scope, and the conversation around it."""

    part: Part
    so_far: Transcript
    turn: TurnRecord

    @property
    def reply(self) -> str:
        """The whole reply."""
        return self.turn.reply or ""

    def reply_then(self, back: int) -> str | None:
        """The reply so many turns back (1: the one before); None where there is none."""
        record = self._record(back)
        return None if record is None else record.reply

    def user_then(self, back: int) -> str | None:
        """What the user said so many turns back; None before the first turn."""
        record = self._record(back)
        return None if record is None else record.user

    def _record(self, back: int) -> TurnRecord | None:
        wanted = self.turn.turn - back
        return next((record for record in self.so_far.turns if record.turn == wanted), None)


class _KindMeta(msgspec.StructMeta, ABCMeta):
    """A struct of which no instance is made while what it wants or decides is left open."""


class Kind(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename=RENAMED,
    tag_field="kind",
    metaclass=_KindMeta,
):
    """A kind of check. Subclasses add their fields, and say what they decide.

    ``guarded``: whether a refusal and an echo fail it.
    """

    scope: Scope = "reply"
    why: str = ""
    allow_refusal: bool = False
    bad: tuple[Bad, ...] = ()

    guarded: ClassVar[bool] = True

    @property
    def positive(self) -> bool:
        """Whether a reply about something else fails it; a kind of which none does says so by a ``ClassVar``."""
        return True

    @property
    def needs_end(self) -> bool:
        """Whether a reply that was cut off at the limit can't pass, as with an upper bound of its length."""
        return False

    def is_whole(self, _look: Look) -> bool:
        """Whether a reply that was cut off has all of what ``needs_end`` is about; only the talk behind it was cut."""
        return False

    @abstractmethod
    def wants(self) -> str:
        """What it asks for, in a few words after "the reply ..."."""

    @abstractmethod
    def decide(self, look: Look) -> CheckResult:
        """The answer for a reply that has the part in scope."""

    def phrases(self) -> tuple[str, ...]:
        """The phrases it looks for, right ones and wrong ones: what a guesser would list."""
        return ()

    def longest_back(self) -> int:
        """How many turns back it looks; 0 where it looks at this reply only."""
        return 0

    def __call__(self, so_far: Transcript, turn: TurnRecord) -> CheckResult:
        """What it says of this turn, given the turns before it. See ``protocols.Check``."""
        settled = _without_reply(turn)
        if settled is None and self.guarded:
            settled = _no_real_reply(self, so_far, turn, turn.reply or "")
        if settled is not None:
            return settled
        part = part_of(turn.reply or "", self.scope)
        if part is None:
            return failed(f"the reply has no {scope_name(self.scope)}")
        look = Look(part, so_far, turn)
        if turn.status == "length" and reads_the_end(self) and not self.is_whole(look):
            return failed("the reply was cut off at the limit, before its end")
        return self.decide(look)


class Read(msgspec.Struct, frozen=True):
    """A check ready to be asked: its kind as the suite names it, what it wants in words, and whether it is positive."""

    kind: str
    wants: str
    positive: bool
    check: Check

    def phrases(self) -> tuple[str, ...]:
        """The phrases it looks for."""
        return self.check.phrases() if isinstance(self.check, Kind) else ()

    def longest_back(self) -> int:
        """How many turns back it looks; 0 where it looks at its own reply only."""
        return self.check.longest_back() if isinstance(self.check, Kind) else 0


def passed(reason: str, span: Span | None = None) -> CheckResult:
    """It passes, for this reason."""
    return CheckResult(outcome="pass", reason=reason, span=span)


def failed(reason: str, span: Span | None = None) -> CheckResult:
    """It fails, for this reason."""
    return CheckResult(outcome="fail", reason=reason, span=span)


def inapplicable(reason: str) -> CheckResult:
    """It can't be said, for this reason."""
    return CheckResult(outcome="not_applicable", reason=reason)


def reads_the_end(check: Kind) -> bool:
    """Whether it looks at the end of a reply, by its kind or by its scope."""
    return check.needs_end or check.scope in _AT_THE_END


def _without_reply(turn: TurnRecord) -> CheckResult | None:
    """The answer of every check where there is no reply, or an empty one; None where there is something to look at."""
    if turn.missing:
        told = f": {turn.failure.kind}" if turn.failure is not None else ""
        return inapplicable(f"no reply, through no doing of the model ({turn.status}{told})")
    if turn.reply is None:
        return failed(f"no reply: {turn.status.replace('_', ' ')}, by the model's own doing")
    if is_blank(turn.reply):
        return failed("the reply is empty")
    return None


def _no_real_reply(check: Kind, so_far: Transcript, turn: TurnRecord, reply: str) -> CheckResult | None:
    """The fault of a reply that declines, or that is the user's own words."""
    if not check.allow_refusal:
        found = refusal(reply)
        if found.kind == "full":
            return failed(FAILS_AS_REFUSAL, found.span)
    if is_echo(reply, [record.user for record in so_far.turns if record.turn < turn.turn], turn.user):
        return failed("the reply only gives the user's own messages back")
    return None
