"""What judging costs, and where it must stop: an engine that counts its calls and tokens and keeps to a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.conversation import require
from multiturn.errors import MultiturnError

if TYPE_CHECKING:
    from multiturn.facts import Facts, Unknown
    from multiturn.protocols import Engine
    from multiturn.transcript import Prompt, Reply, Request, Session


class BudgetSpent(MultiturnError):
    """No further call is within the budget. It is no error: what was answered is kept, and the rest can be asked later.

    ``limit`` names what is spent: ``max_calls`` or ``max_tokens``.
    """

    def __init__(self, limit: str) -> None:
        super().__init__(f"the budget is spent ({limit})")
        self.limit = limit


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """What may be spent on one judge. None for no limit.

    ``max_calls`` is never exceeded. ``max_tokens`` counts prompts and replies together; the calls that are in flight
    when it is reached are still paid for.
    """

    max_calls: int | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        require(self.max_calls is None or self.max_calls >= 0, "max_calls must be 0 or more")
        require(self.max_tokens is None or self.max_tokens >= 0, "max_tokens must be 0 or more")


class Meter:
    """What was spent so far. Tokens that an engine does not tell are not counted; ``untold`` counts such calls.

    ``calls`` were made before and count as part of the budget.
    """

    def __init__(self, budget: Budget = Budget(), *, calls: int = 0) -> None:  # noqa: B008 - frozen
        self._budget: Final = budget
        self.calls = calls
        self.prompt_tokens = self.cached_tokens = self.new_tokens = self.untold = 0

    def begin(self) -> None:
        """A call is about to be made.

        Raises:
            BudgetSpent: it would be one too many.
        """
        if self._budget.max_calls is not None and self.calls >= self._budget.max_calls:
            raise BudgetSpent("max_calls")
        spent = self.prompt_tokens + self.new_tokens
        if self._budget.max_tokens is not None and spent >= self._budget.max_tokens:
            raise BudgetSpent("max_tokens")
        self.calls += 1

    def end(self, reply: Reply) -> None:
        """A call came back."""
        self.untold += reply.prompt_tokens is None
        self.prompt_tokens += reply.prompt_tokens or 0
        self.cached_tokens += reply.cached_tokens or 0
        self.new_tokens += reply.new_tokens or 0


class MeteredEngine:
    """An engine whose replies are counted by a meter, and refused where its budget is spent."""

    def __init__(self, engine: Engine, meter: Meter) -> None:
        self._engine: Final = engine
        self._meter: Final = meter

    @property
    def spec(self) -> str:
        """The spec of the engine behind it."""
        return self._engine.spec

    @property
    def facts(self) -> Facts:
        """The facts of the engine behind it."""
        return self._engine.facts

    async def prompt(self, request: Request) -> Prompt | Unknown:
        """As the engine behind it; not counted, since nothing is sent."""
        return await self._engine.prompt(request)

    async def reply(self, request: Request) -> Reply:
        """As the engine behind it.

        Raises:
            BudgetSpent: the budget allows no further call.
        """
        self._meter.begin()
        try:
            reply = await self._engine.reply(request)
        except BudgetSpent:  # of a meter behind this one, which let no call through
            self._meter.calls -= 1
            raise
        self._meter.end(reply)
        return reply

    async def end(self, session: Session) -> None:
        """As the engine behind it."""
        await self._engine.end(session)

    async def close(self) -> None:
        """As the engine behind it."""
        await self._engine.close()
