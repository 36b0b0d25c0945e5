"""The command that ranks runs, or arms by votes: rank."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import multiturn
from multiturn.cli import options as flags
from multiturn.cli.screen import OUT, say
from multiturn.errors import UsageError
from multiturn.text.spec_names import short_spec

Runs = Annotated[
    list[str] | None,
    typer.Argument(metavar="RUN", help="Ids of runs of one suite, or how they begin; none: the arms of --preferences."),
]
Votes = Annotated[
    Path | None,
    typer.Option("--preferences", metavar="FILE", help="Votes on pairs of replies, JSON Lines; see docs/rank.md."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of the draws behind the intervals of strengths.")]


def add_to(app: typer.Typer) -> None:
    """Register this file's command."""
    app.command()(rank)


def rank(
    runs: Runs = None,
    preferences: Votes = None,
    vary: flags.Vary = None,
    seed: Seed = 0,
    store: flags.StoreWhere = None,
) -> None:
    """Rank two or more runs of one suite, or arms by votes on their replies, and say which can't be told apart."""
    if not runs and preferences is None:
        raise UsageError("nothing to rank", hint="multiturn rank RUN RUN RUN, or multiturn rank --preferences FILE")
    votes = multiturn.api.read_preferences(preferences) if preferences is not None else ()
    if votes and not runs:
        ranking = multiturn.api.rank_preferences(votes, seed=seed)
    else:
        with multiturn.api.open_store(store, create=False) as opened:
            ranking = multiturn.api.rank(opened, runs or (), preferences=votes, vary=vary or (), seed=seed)
    for table in multiturn.api.ranking_tables(ranking, short_spec):
        OUT.print(multiturn.api.render(table))
        OUT.print()
    for note in ranking.notes:
        say(note)
