"""Commands about suites: list, show, lint."""

from __future__ import annotations

from typing import Annotated

import typer

import multiturn
from multiturn.cli.screen import counted, say
from multiturn.errors import EXIT_USAGE


def add_to(app: typer.Typer) -> None:
    """Register this file's commands."""
    group = typer.Typer(help="List, show and check suites.", no_args_is_help=True)
    group.command("list")(list_suites)
    group.command("show")(show)
    group.command("lint")(lint)
    group.command("prove")(prove)
    app.add_typer(group, name="suite")


def list_suites() -> None:
    """List the suites that are shipped."""
    for name in (*multiturn.api.shipped_suites(), *multiturn.api.shipped_parts()):
        suite = multiturn.api.load_suite(name)
        say(f"{name}  version {suite.version}, {len(suite.conversations)} conversations, {suite.turn_count} turns")
        if suite.description:
            say(f"  {suite.description}")


def show(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="A suite file, or the name of one that is shipped.")],
    conversation: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Only this conversation, with its turns.")
    ] = None,
) -> None:
    """Show the conversations of a suite, or one of them in full."""
    loaded = multiturn.api.load_suite(suite)
    if conversation is None:
        for item in loaded.conversations:
            tags = [item.capability, item.category, item.domain, item.pattern, item.link]
            say(f"{item.id}  {counted(len(item.turns), 'turn')}  {' / '.join(tag for tag in tags if tag)}")
        return
    (item,) = multiturn.api.select(loaded, only=(conversation,)).conversations
    say(item.id, "bold")
    if item.why:
        say(f"why: {item.why}")
    if item.system:
        say(f"system: {item.system}")
    for index, turn in enumerate(item.turns):
        probes = item.capability_of(index) if index else turn.capability
        back = f", {turn.distance} back" if turn.distance else ""
        say(f"\n{index + 1}. {turn.text}")
        if probes:
            say(f"   probes {probes}{back}{': ' + turn.why if turn.why else ''}", "dim")
        if turn.golden:
            say(f"   golden: {turn.golden}", "dim")


def lint(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="A suite file, or the name of one that is shipped.")],
) -> None:
    """Check a suite: faults end with code 2; remarks are advice, but for the suites that are shipped."""
    loaded = multiturn.api.load_suite(suite)
    remarks = multiturn.api.lint(loaded)
    for name in multiturn.api.unread_names(suite):
        say(name)
    for remark in remarks:
        say(str(remark))
    say(f"{loaded.name}: no faults, {counted(len(remarks), 'remark')}")
    if remarks and suite in (*multiturn.api.shipped_suites(), *multiturn.api.shipped_parts()):
        raise typer.Exit(EXIT_USAGE)


def prove(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="A suite file, or the name of one that is shipped.")],
) -> None:
    """Prove a suite's checks: goldens pass, bad replies fail, cheap attackers pass nothing. Code 2 where not."""
    loaded = multiturn.api.load_suite(suite)
    proof = multiturn.api.prove(loaded)
    for shortcoming in proof.shortcomings:
        say(str(shortcoming))
    for tally in proof.attacks:
        say(f"attacker {tally.name}: passes {tally.passed} of {tally.of} probing turns")
    say(
        f"{loaded.name}: {counted(proof.checks, 'check')}, {proof.bads} bad replies, "
        f"{counted(proof.probes, 'probing turn')}: {counted(len(proof.shortcomings), 'shortcoming')}"
    )
    if proof.shortcomings:
        raise typer.Exit(EXIT_USAGE)
