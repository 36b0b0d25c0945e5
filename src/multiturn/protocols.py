"""The seams: what an engine, a check and a judge must be able to do. Everything composes because it has these shapes.

::

    suite -> dialogue -> transcript -> checks, signals, judge -> finding -> stats -> results -> report
               |  asks                    read
             Engine                    Check, Judge
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from multiturn.conversation import Message
    from multiturn.facts import Facts, Inspection, Unknown
    from multiturn.finding import CheckResult
    from multiturn.judgment import Exhibit, Judged, JudgeRecord, Question
    from multiturn.transcript import Prompt, Reply, Request, Session, Transcript, TurnRecord


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


@runtime_checkable
class Inspectable(Protocol):
    """An engine that can tell more of its model than a run needs. Optional."""

    async def inspect(self) -> Inspection:
        """What the model brings with it; no reply is asked for."""
        ...


@runtime_checkable
class Renders(Protocol):
    """An engine whose server renders the prompt, and can be asked what it makes of these messages. Optional."""

    async def rendered(self, messages: Sequence[Message]) -> str | None:
        """The text that the model would read; None where the server does not tell."""
        ...


class Check(Protocol):
    """A deterministic predicate of one turn: a small frozen value whose fields are its configuration."""

    def __call__(self, so_far: Transcript, turn: TurnRecord) -> CheckResult:
        """What it says of this turn, given the turns before it."""
        ...


class Judge(Protocol):
    """An engine with a rubric: a model under test and a judge are the same kind of thing.

    Sittings may overlap, as many as ``open_sittings``.
    """

    @property
    def record(self) -> JudgeRecord:
        """Who judges, by what rubric, under which conditions."""
        ...

    @property
    def open_sittings(self) -> int:
        """How many sittings can go on at once."""
        ...

    @property
    def window(self) -> int | None:
        """Its context window in tokens; None where nobody tells."""
        ...

    def key(self, question: Question, exhibit: Exhibit) -> str:
        """SHA-256 of what would be sent and of the conditions; nothing is sent. Equal keys are answered once."""
        ...

    def sitting(self, exhibit: Exhibit, questions: Sequence[Question]) -> AsyncIterator[Judged]:
        """What it says to each question about one exhibit, in order; what it read of it stays warm in between.

        What it can't say, it says why: no failure of the judge is raised.
        """
        ...

    async def close(self) -> None:
        """Free everything. May be called twice."""
        ...
