"""The seams: what an engine, a check and a judge must be able to do. Everything composes because it has these shapes.

::

    suite -> dialogue -> transcript -> checks, signals, judge -> finding -> stats -> results -> report
               |  asks                    read
             Engine                    Check, Judge
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

import msgspec

if TYPE_CHECKING:
    from multiturn.finding import CheckResult, Judgment
    from multiturn.transcript import Prompt, Reply, Request, Session, Transcript, TurnRecord


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What is true of an engine with its model, found before the first reply and kept in the run's record.

    ``context_window`` is in tokens, for one conversation; None if unknown. ``open_conversations`` is how many the
    engine can keep warm at once. ``reproducible`` promises: same request history and seed, same text, whatever the
    order and the number of other conversations. ``replays`` asks that an interrupted conversation be held again from
    its first turn, since only then that promise holds. ``identity`` is what decides the texts (weights, adapter,
    template, version, arithmetic): two runs whose identities are equal had the same model. ``notes`` are for people.
    """

    context_window: int | None
    open_conversations: int
    identity: dict[str, str]
    system_role: bool
    template_sha256: str = ""
    fallback_template: bool = False
    reproducible: bool = False
    replays: bool = False
    seeds: bool = True
    logprobs: bool = False
    json_schema: bool = False
    notes: tuple[str, ...] = ()


class EngineOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a user may ask of any engine when it is opened; None leaves the choice to the engine.

    ``context_window`` is in tokens. ``workers`` is how many conversations are held at once, each by itself; ``slots``
    asks for continuous batching instead, where an engine has it. ``template`` is ``model`` or ``plain``.
    ``reproducible`` True refuses an arrangement that can't keep the promise of ``Facts.reproducible``.
    """

    context_window: int | None = None
    workers: int | None = None
    slots: int | None = None
    threads: int | None = None
    gpu_layers: int = 0
    template: str = "model"
    reproducible: bool = False


class Unknown(msgspec.Struct, frozen=True):
    """The engine can't say what it will send; the reason is for the record."""

    reason: str


@runtime_checkable
class Engine(Protocol):
    """Something that replies to messages. It decides no policy: it raises, and ``dialogue`` says what that means.

    Calls for different sessions may overlap, as many as ``facts.open_conversations``; calls for one session do not.
    """

    @property
    def spec(self) -> str:
        """The model spec that opens this engine again."""
        ...

    @property
    def facts(self) -> Facts:
        """What is true of it; does not change while it is open."""
        ...

    async def prompt(self, request: Request) -> Prompt | Unknown:
        """What ``reply`` would send, and its length in tokens. Nothing is sent."""
        ...

    async def reply(self, request: Request) -> Reply:
        """The reply to the last message.

        Raises:
            ContextOverflow: prompt and reply do not fit the window.
            ReplyFailed: the environment failed; the kind says how.
        """
        ...

    async def end(self, session: Session) -> None:
        """The conversation is over: free its slot and cache. Unknown sessions are fine."""
        ...

    async def close(self) -> None:
        """Free everything; replies in flight are given up. May be called twice."""
        ...


class Check(Protocol):
    """A deterministic predicate of one turn: a small frozen value whose fields are its configuration."""

    def __call__(self, so_far: Transcript, turn: TurnRecord) -> CheckResult:
        """What it says of this turn, given the turns before it."""
        ...


class Judge(Protocol):
    """An engine with a rubric. What it can't say, it says why."""

    async def judge(self, transcript: Transcript, turn: int) -> Judgment:
        """Judge the reply at this turn, shown with the whole conversation."""
        ...
