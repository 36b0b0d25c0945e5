"""The command line: flags -> job -> api -> exit code, nothing else. One file per group of commands."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

import multiturn
from multiturn.cli import agreeing, doctor, holding, judging, ranking, reading, replaying, reporting, suites, trending
from multiturn.cli.screen import complain, say
from multiturn.errors import EXIT_OK, MultiturnError

app = typer.Typer(
    name="multiturn",
    help="Does your chat model still hold a conversation? Hold scripted conversations with a base and a tuned model "
    "under identical conditions, keep every transcript, and see what changed.",
    no_args_is_help=True,
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def common(
    version: Annotated[bool, typer.Option("--version", help="Say which version this is.", is_eager=True)] = False,
) -> None:
    """Does your chat model still hold a conversation?"""
    if version:
        say(f"multiturn {multiturn.__version__}")
        raise typer.Exit


holding.add_to(app)
reading.add_to(app)
reporting.add_to(app)
trending.add_to(app)
ranking.add_to(app)
judging.add_to(app)
agreeing.add_to(app)
replaying.add_to(app)
suites.add_to(app)
doctor.add_to(app)


def main() -> None:
    """Run the command line; every foreseen error ends in a message, its next step and its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # an old code page loses letters, not the command
    try:
        app()
    except MultiturnError as error:
        complain(error)
        sys.exit(error.exit_code)
    except BrokenPipeError:  # the reader (head, less) has seen enough
        sys.stderr.close()
        sys.exit(EXIT_OK)
