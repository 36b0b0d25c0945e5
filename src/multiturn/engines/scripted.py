"""An engine whose replies come from a function or a table: for tests, dry runs and plumbing. A feature, not a mock.

    scripted:echo                 says back what the user said
    scripted:replies.json         {"conversation id": ["reply to turn 1", ...], "*": [...]}
    scripted:package.module:name  a function Request -> str | Reply | Awaitable of either

A function may raise any error of ``multiturn.errors`` to play a failing server.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from multiturn.errors import ContextOverflow, NotFound, SpecError
from multiturn.facts import EngineOptions, Facts
from multiturn.transcript import Prompt, Reply, Request, Session, Timing

Script = Callable[[Request], "str | Reply | Awaitable[str | Reply]"]
PREFIX: Final = "scripted:"
FORMS: Final = "use scripted:echo, scripted:replies.json or scripted:package.module:function (on PYTHONPATH)"


class ScriptedEngine:
    """Replies by calling ``script``; counts tokens as words. ``window`` is in those tokens, None for no limit.

    With ``remember`` it keeps in ``asked`` and ``ended`` what it was asked for and which sessions are over.
    """

    def __init__(
        self,
        script: Script,
        *,
        spec: str = "scripted:python",
        window: int | None = None,
        open_conversations: int = 32,
        identity: Mapping[str, str] | None = None,
        system_role: bool = True,
        remember: bool = True,
    ) -> None:
        self.spec = spec
        self._script = script
        self._remember = remember
        self.asked: list[tuple[Session, int]] = []
        self.ended: list[Session] = []
        self.facts = Facts(
            context_window=window,
            open_conversations=open_conversations,
            identity={"engine": "scripted", "weights": spec} | dict(identity or {}),
            system_role=system_role,
            reproducible=True,
        )

    async def prompt(self, request: Request) -> Prompt:
        """The messages as ``role: content`` lines; a token is a word."""
        text = "\n".join(f"{message.role}: {message.content}" for message in request.messages)
        return Prompt(text=text, tokens=len(text.split()))

    async def reply(self, request: Request) -> Reply:
        """What the script says."""
        if self._remember:
            self.asked.append((request.session, request.turn))
        prompt = await self.prompt(request)
        window = self.facts.context_window
        if window is not None and prompt.tokens is not None and prompt.tokens + request.sampling.max_tokens > window:
            raise ContextOverflow("the scripted window is full", needed=prompt.tokens, window=window)
        started = time.perf_counter()
        said = self._script(request)
        if inspect.isawaitable(said):
            said = await said
        if isinstance(said, Reply):
            return said
        words = len(said.split())
        return Reply(
            text=said,
            finish="stop",
            timing=Timing(total=time.perf_counter() - started),
            prompt_tokens=prompt.tokens,
            new_tokens=words,
        )

    async def end(self, session: Session) -> None:
        """Remember that it ended; there is nothing to free."""
        if self._remember:
            self.ended.append(session)

    async def close(self) -> None:
        """Nothing to free."""


def echo(request: Request) -> str:
    """What the user said."""
    return request.messages[-1].content


def from_table(table: Mapping[str, Sequence[str]]) -> Script:
    """A script that reads its replies from ``{conversation id: [reply, ...]}``; ``"*"`` stands for all others."""

    def script(request: Request) -> str:
        replies = table.get(request.session.conversation, table.get("*", ()))
        if request.turn >= len(replies):
            raise NotFound(
                f"the scripted replies have none for {request.session.conversation!r}, turn {request.turn + 1}",
                hint='add it to the table, or give replies under "*"',
            )
        return replies[request.turn]

    return script


def open_engines(specs: Sequence[str], options: EngineOptions) -> list[ScriptedEngine]:
    """Open ``scripted:`` specs; of the options only the context window applies."""
    engines = []
    for spec in specs:
        script, identity = _script_of(spec.removeprefix(PREFIX))
        engines.append(
            ScriptedEngine(
                script, spec=spec, window=options.context_window, identity={"weights": identity}, remember=False
            )
        )
    return engines


def _script_of(name: str) -> tuple[Script, str]:
    if name == "echo":
        return echo, "echo"
    path = Path(name)
    if path.suffix == ".json":
        try:
            data = path.read_bytes()
            table = msgspec.json.decode(data, type=dict[str, list[str]])
        except FileNotFoundError:
            raise NotFound(f"there is no file {path}", hint="give the path of a JSON table of replies") from None
        except OSError as error:
            raise SpecError(f"{path} can't be read: {error.strerror}", hint="give a JSON table of replies") from error
        except msgspec.DecodeError as error:
            raise SpecError(
                f"{path} is no table of replies: {error}", hint='write {"conversation id": ["reply to turn 1", ...]}'
            ) from error
        return from_table(table), hashlib.sha256(data).hexdigest()
    module, _, attribute = name.partition(":")
    if not attribute:
        raise SpecError(f"scripted:{name} names no script", hint=FORMS)
    try:
        function = getattr(importlib.import_module(module), attribute)
        if not callable(function):
            raise TypeError(f"{attribute} is a {type(function).__name__}, not a function")  # noqa: TRY301 - told below
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise SpecError(
            f"scripted:{name} names no script: {error}",
            hint=FORMS,
        ) from error
    return function, name
