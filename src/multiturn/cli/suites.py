"""Commands about suites: list, show, lint, prove, get, convert."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

import multiturn
from multiturn.cli import options as flags
from multiturn.cli.interrupts import run_until_done
from multiturn.cli.screen import OUT, counted, say, warn
from multiturn.errors import EXIT_USAGE
from multiturn.text.spec_names import short_spec


def add_to(app: typer.Typer) -> None:
    """Register this file's commands."""
    group = typer.Typer(help="List, show and check suites.", no_args_is_help=True)
    group.command("list")(list_suites)
    group.command("show")(show)
    group.command("lint")(lint)
    group.command("prove")(prove)
    group.command("get")(get)
    group.command("convert")(convert)
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
        probes = item.capability_of(index)
        back = f", {turn.distance} back" if turn.distance else ""
        say(f"\n{index + 1}. {turn.text}")
        if probes:
            say(f"   probes {probes}{back}{': ' + turn.why if turn.why else ''}", "dim")
        if turn.golden:
            say(f"   golden: {turn.golden}", "dim")
        for written in turn.checks:
            say(f"   check: {multiturn.api.read_check(written).wants}", "dim")


def lint(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="A suite file, or the name of one that is shipped.")],
) -> None:
    """Check a suite: faults end with code 2; remarks are advice, but for the suites that are shipped."""
    loaded = multiturn.api.load_suite(suite)
    shipped = multiturn.api.shipped_name(suite)
    remarks = multiturn.api.lint(loaded, quota=None if shipped is None else multiturn.api.QUOTAS[shipped])
    for name in multiturn.api.unread_names(suite):
        say(name)
    for remark in remarks:
        say(str(remark))
    say(f"{loaded.name}: no faults, {counted(len(remarks), 'remark')}")
    if remarks and shipped is not None:
        raise typer.Exit(EXIT_USAGE)


def prove(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="A suite file, or the name of one that is shipped.")],
    held: Annotated[
        list[Path] | None, typer.Option("--held", metavar="FILE", help="Replies that were held blind; may come again.")
    ] = None,
    ablated: Annotated[
        list[Path] | None,
        typer.Option("--ablated", metavar="FILE", help="Replies that were held blind without the turn a probe needs."),
    ] = None,
    ablate: Annotated[
        str | None,
        typer.Option("--ablate", metavar="MODEL", help="Ask this model the probes without the turn that they need."),
    ] = None,
    mutants: Annotated[bool, typer.Option("--mutants", help="Show what each mutant of the goldens fails.")] = False,
    template: flags.TemplateFlag = "model",
    max_tokens: Annotated[int, typer.Option("--max-tokens", help="With --ablate: tokens of a reply at most.")] = 96,
    workers: flags.Workers = None,
) -> None:
    """Prove a suite's checks: goldens pass, bad replies fail, cheap attackers pass nothing. Code 2 where not."""
    loaded = multiturn.api.load_suite(suite)
    checked = multiturn.api.check_held(loaded, multiturn.api.read_held(*held)) if held else None
    tried = multiturn.api.ablated_as_held(loaded, multiturn.api.read_held(*ablated)) if ablated else None
    proof = multiturn.api.prove(loaded)
    for shortcoming in proof.shortcomings:
        say(str(shortcoming))
    for tally in proof.attacks:
        share = f"{tally.checks_passed / tally.checks:.1%}" if tally.checks else "none"
        say(f"attacker {tally.name}: passes {tally.passed} of {counted(tally.of, 'probing turn')}, {share} of checks")
    shortcomings = len(proof.shortcomings)
    if checked is not None:
        shortcomings += _shortcomings_of_held(*checked)
    if tried is not None:
        shortcomings += _shortcomings_of_ablated(tried, "held blind")
    if ablate is not None:
        asked = flags.Asked(template=template, workers=workers)
        sampling = multiturn.api.Sampling(temperature=0.0, max_tokens=max_tokens)
        arm = flags.arm(ablate, template=template)
        found = run_until_done(multiturn.api.ablate(loaded, arm, asked.engine_options(), sampling))
        shortcomings += _shortcomings_of_ablated(found, short_spec(ablate))
    if mutants:
        OUT.print(multiturn.api.render(multiturn.api.mutant_table(multiturn.api.mutant_falls(loaded))))
    say(
        f"{loaded.name}: {counted(proof.checks, 'check')}, {proof.bads} bad replies, "
        f"{counted(proof.probes, 'probing turn')}: {counted(shortcomings, 'shortcoming')}"
    )
    if shortcomings:
        raise typer.Exit(EXIT_USAGE)


def get(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which published suite: mtbench.")],
    source: Annotated[
        str, typer.Option("--from", metavar="FILE|URL", help="Its questions: FastChat's question.jsonl.")
    ],
    references: Annotated[
        str | None,
        typer.Option("--references", metavar="FILE|URL", help="Reference answers, which become the golden replies."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Where the suite goes; by default NAME.json here.")
    ] = None,
    sha256: Annotated[
        list[str] | None,
        typer.Option("--sha256", metavar="HEX|any", help="Accept a file of this hash too; repeatable."),
    ] = None,
) -> None:
    """Fetch a published suite from where it is, check that it is the published one, and write it as a suite file."""
    suite, held = multiturn.api.get_published(name, source, references=references, accepted=sha256 or ())
    path = output or Path(f"{name}.json")
    multiturn.api.write_suite(suite, path)
    goldens = sum(turn.golden is not None for one in suite.conversations for turn in one.turns)
    size = f"{counted(len(suite.conversations), 'conversation')}, {counted(suite.turn_count, 'turn')}"
    say(f"{path}: {size}, {goldens} with a golden reply")
    say(f"hold it as published:  {shlex.join(['multiturn', 'run', 'MODEL', '--suite', str(path), *held])}")


def convert(
    source: Annotated[str, typer.Argument(metavar="FILE", help="Chat logs, or a suite of another tool.")],
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Where to; by default NAME.suite.json here.")
    ] = None,
    form: Annotated[
        Literal["multiturn", "fastchat", "mtbench101", "messages", "sharegpt"] | None,
        typer.Option("--format", help="Whose form it has, where its first object could be of two."),
    ] = None,
    replies: Annotated[
        Literal["golden", "drop"], typer.Option("--replies", help="Replies in the file: kept as golden ones, or not.")
    ] = "golden",
    references: Annotated[
        str | None,
        typer.Option("--references", metavar="FILE", help="FastChat's reference answers, as the golden replies."),
    ] = None,
    faulty: Annotated[
        Literal["refuse", "leave-out"], typer.Option("--faulty", help="Conversations that can't be read.")
    ] = "refuse",
) -> None:
    """Make a suite file of chat logs (OpenAI messages, ShareGPT) or of questions of FastChat or MT-Bench-101."""
    found = multiturn.api.convert_suite(source, form=form, replies=replies, references=references, faulty=faulty)
    path = output or Path(f"{found.suite.name}.suite.json")
    multiturn.api.write_suite(found.suite, path)
    for line in (*found.left_out, *found.notes):
        warn(line)
    goldens = sum(turn.golden is not None for one in found.suite.conversations for turn in one.turns)
    size = f"{counted(len(found.suite.conversations), 'conversation')}, {counted(found.suite.turn_count, 'turn')}"
    left = f"; {counted(len(found.left_out), 'fault')} left out" if found.left_out else ""
    say(f"{path}: {size}, {goldens} with a golden reply{left}")
    say(f"hold it:  {shlex.join(['multiturn', 'run', 'MODEL', '--suite', str(path)])}")


def _shortcomings_of_held(
    tallies: Sequence[multiturn.api.Tally],
    failures: Sequence[multiturn.api.HeldFailure],
    coverage: Sequence[multiturn.api.Covered],
) -> int:
    """Say how many checks pass on what was held blind, and which do not.

    Each conversation that was not held is a shortcoming, and so is it that too few checks pass.
    """
    for failure in failures:
        say(f"{failure.style}: {failure.shortcoming}")
        say(f"  {failure.reply}", "dim")
    for covered in coverage:
        say(str(covered))
    total = tallies[-1]
    few = not total.of or total.passed < multiturn.api.ENOUGH_HELD * total.of
    for tally in tallies:
        share = f"{tally.passed / tally.of:.1%}" if tally.of else "none"
        wanted = f"; at least {multiturn.api.ENOUGH_HELD:.0%} are wanted" if few and tally is total else ""
        say(f"held {tally.name}: {tally.passed} of {counted(tally.of, 'check')} pass ({share}){wanted}")
    return sum(len(one.missing) for one in coverage) + few


def _shortcomings_of_ablated(found: multiturn.api.Ablated, who: str) -> int:
    """Say which probes were passed without the turn they need.

    Each probe that was not held is a shortcoming, and so is it that too many pass.
    """
    for shortcoming in found.passed:
        say(str(shortcoming))
    for covered in found.coverage:
        say(str(covered))
    many = found.tally.passed > multiturn.api.MOST_ABLATED * found.tally.of
    wanted = f"; at most {multiturn.api.MOST_ABLATED:.0%} may" if many else ""
    say(f"ablated, {who}: passes {found.tally.passed} of {counted(found.tally.of, 'probe')}{wanted}")
    return found.lost + many
