"""Commands for runs over time: group, trend."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

import multiturn
from multiturn.cli import options as flags
from multiturn.cli.concluding import Margins, plan_of
from multiturn.cli.screen import OUT, counted, say
from multiturn.errors import NotFound
from multiturn.measures import PRIMARY
from multiturn.text.spec_names import short_spec

Run = Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, or how it begins, or: latest.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The group's name; in one line, 100 characters at most.")]
Group = Annotated[str, typer.Argument(metavar="GROUP", help="The group's name; multiturn runs shows them.")]
Measured = Annotated[
    str, typer.Option("--measure", metavar="NAME", help="What to follow: check_pass, words, refusal ...")
]


def add_to(app: typer.Typer) -> None:
    """Register this file's commands."""
    app.command()(group)
    app.command()(trend)


def group(
    run: Run,
    name: Name,
    remove: Annotated[bool, typer.Option("--remove", help="Take it out of the group.")] = False,
    store: flags.StoreWhere = None,
) -> None:
    """Put a stored run into a group.

    multiturn trend follows the runs of a group; a run may be in several.
    """
    with multiturn.api.open_store(store, create=False) as opened:
        found = opened.run(run)
        if remove:
            if not opened.remove_from_group(found.id, name):
                groups = ", ".join(opened.groups_of(found.id)) or "no group"
                raise NotFound(f"run {found.id} is not in group {name!r}", hint=f"it is in: {groups}")
            say(f"run {found.id} is taken out of group {name!r}")
            return
        new = opened.add_to_group(found.id, name)
        runs = opened.groups()[name]
    say(f"run {found.id} is {'' if new else 'already '}in group {name!r}, which has {counted(runs, 'run')}")
    if runs > 1:
        say(f"follow it:  multiturn trend {shlex.quote(name)}")


def trend(group: Group, measure: Measured = PRIMARY, margin: Margins = None, store: flags.StoreWhere = None) -> None:
    """Follow a model's versions over time.

    Each run of the group is compared with the one before and with the first, under identical conditions, with the false
    alarms to expect of so many steps. The newest run's conditions count; runs whose conditions differ are listed apart,
    with what differs.
    """
    with multiturn.api.open_store(store, create=False) as opened:
        found = multiturn.api.trend(opened, group, measure, plan_of(measure, margin))
    OUT.print(multiturn.api.trend_tables(found, naming=short_spec))
    fallen = [step for step in found.before if step.stands and step.verdict.word == "regressed"]
    for step in fallen[-1:]:
        runs = (found.versions[at].run.id for at in (step.earlier, step.later))
        say(f"the newest fall, side by side:  multiturn diff {' '.join(runs)}")
