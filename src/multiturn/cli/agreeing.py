"""The command that says how far judges and people agree: agreement."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

import multiturn
from multiturn.cli import options as flags
from multiturn.cli.screen import OUT, say
from multiturn.errors import UsageError

Runs = Annotated[
    list[str] | None,
    typer.Argument(metavar="RUN", help="Ids of runs, or how they begin, whose stored judgments count; none: files."),
]
VoteFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--votes",
        metavar="FILE",
        help="What people said: FastChat's votes, preferences, LLMBar's pairs, or labels; repeatable.",
    ),
]
Replies = Annotated[
    Path | None,
    typer.Option("--replies", metavar="FILE", help="FastChat's conversations, to find LLMBar's pairs in."),
]
Judges = Annotated[
    list[str] | None,
    typer.Option("--judge", metavar="JUDGE", help="Only this stored judge, by id or model spec; repeatable."),
]
Names = Annotated[
    list[str] | None,
    typer.Option("--name", metavar="RUN=NAME", help="What votes call a run, where not by its model; repeatable."),
]
AsJson = Annotated[bool, typer.Option("--json", help="All numbers as JSON.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of the draws behind the intervals of kappa and alpha.")]


def add_to(app: typer.Typer) -> None:
    """Register this file's command."""
    app.command()(agreement)


def agreement(
    runs: Runs = None,
    votes: VoteFiles = None,
    replies: Replies = None,
    judge: Judges = None,
    name: Names = None,
    json: AsJson = False,
    seed: Seed = 0,
    store: flags.StoreWhere = None,
) -> None:
    """Say how far judges agree: with each other, with people's votes, and with what most people say."""
    if not runs and not votes:
        raise UsageError(
            "nothing to compare", hint="multiturn agreement RUN RUN, or multiturn agreement --votes FILE, or both"
        )
    if (judge or name) and not runs:
        raise UsageError("--judge and --name are about stored runs, and none is named", hint="name the runs too")
    said = multiturn.api.Votes()
    for path in votes or ():
        said = said.and_(multiturn.api.read_votes(path))
    sources = multiturn.api.Sources(
        votes=said,
        replies=multiturn.api.read_replies(replies) if replies is not None else (),
        runs=tuple(runs or ()),
        judges=tuple(judge or ()),
        called=_called(name or ()),
    )
    if runs:
        with multiturn.api.open_store(store, create=False) as opened:
            found = multiturn.api.agreement(opened, sources, seed=seed)
    else:
        found = multiturn.api.agreement(None, sources, seed=seed)
    if json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n")
        return
    for table in multiturn.api.agreement_tables(found):
        OUT.print(multiturn.api.render(table))
        OUT.print()
    for note in found.notes:
        say(note)


def _called(typed: list[str] | tuple[str, ...]) -> dict[str, str]:
    called: dict[str, str] = {}
    for one in typed:
        run, sign, name = one.partition("=")
        if not (run and sign and name):
            raise UsageError(f"--name {one} names no run", hint="such as --name RUN=vicuna-13b: what votes call it")
        called[run] = name
    return called
