"""The command that goes back into a conversation: edit a turn and chat on from there."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

import typer

import multiturn
from multiturn.cli import options as flags
from multiturn.cli.interrupts import run_until_done
from multiturn.cli.screen import OUT, say
from multiturn.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


def add_to(app: typer.Typer) -> None:
    """Register this file's commands."""
    app.command()(replay)


def replay(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, or how it begins, or: latest.")],
    conversation: Annotated[str, typer.Argument(metavar="ID", help="Which conversation.")],
    start: Annotated[int, typer.Option("--from", metavar="TURN", help="The first turn that is said anew, from 1.")],
    says: Annotated[
        list[str] | None, typer.Option("--say", help="What to say, turn by turn; without it you are asked.")
    ] = None,
    store: flags.StoreWhere = None,
) -> None:
    """Go back into a conversation, change a turn, and chat on from there; kept as a run of its own."""
    run_until_done(_chat(run, conversation, start, says, store))


async def _chat(run: str, conversation: str, start: int, says: list[str] | None, store: str | None) -> None:
    with multiturn.api.open_store(store, create=False) as opened:
        run = opened.run(run).id  # the replay will be the latest
        async with multiturn.api.areplay(opened, run, conversation, start) as chat:
            for record in chat.records:
                OUT.print(multiturn.api.turn_text(record))
                OUT.print()
            if says is None:
                say(f"\nturn {start} was: {chat.original}")
                say("say something else (empty line to end):", "dim")
            async for text in _lines(says):
                record = await chat.say(text)
                OUT.print(multiturn.api.turn_text(record, user=says is not None))
        if chat.kept is None:
            raise UsageError("nothing was said", hint='type a turn, or give it with --say "..."')
        say(f"\nkept as run {chat.kept.id}; compare it: multiturn diff {run} {chat.kept.id} {conversation}")


async def _lines(says: list[str] | None) -> AsyncIterator[str]:
    if says is not None:
        for text in says:
            yield text
        return
    while True:
        sys.stdout.write("you: ")
        sys.stdout.flush()
        line = await asyncio.to_thread(sys.stdin.readline)  # the loop stays free for Ctrl-C
        if not line.strip():
            return
        yield line.rstrip("\n")
