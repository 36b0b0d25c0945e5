"""The command that shows what judges said of stored runs: judge show."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

import multiturn
from multiturn.cli import options as flags
from multiturn.cli.screen import OUT
from multiturn.errors import NotFound

if TYPE_CHECKING:
    from multiturn.api import JudgedPair

Run = Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, or how it begins, or latest; of two, base.")]
Tuned = Annotated[str | None, typer.Argument(metavar="TUNED", help="The run in question, beside base.")]
AsJson = Annotated[bool, typer.Option("--json", help="Every number, as the JSON report has it.")]


def add_to(group: typer.Typer) -> None:
    """Register this file's command in the group of judges."""
    group.command()(show)


def show(run: Run, tuned: Tuned = None, *, json: AsJson = False, store: flags.StoreWhere = None) -> None:
    """Show what judges said of one run, or of base and tuned: ratings, preferences, labels, and what is disputed."""
    with multiturn.api.open_store(store, create=False) as opened:
        runs = [opened.run(reference) for reference in ((run,) if tuned is None else (run, tuned))]
        found = multiturn.api.judged_pair(opened, runs)
    if found is None:
        named = " and ".join(one.id for one in runs)
        raise NotFound(f"no judge said anything of {named}", hint=f"multiturn judge run {runs[-1].id} --judge MODEL")
    if json:
        sys.stdout.write(multiturn.api.judged_json_text(found))
        return
    _print(found)


def _print(found: JudgedPair) -> None:
    for table in multiturn.api.judged_tables(found):
        OUT.print(multiturn.api.render(table))
        OUT.print()
