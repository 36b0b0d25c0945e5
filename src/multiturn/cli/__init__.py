"""The command line: flags -> job -> api -> exit code, nothing else. One file per group of commands."""

from __future__ import annotations

import sys

import typer

from multiturn.cli import holding, reading, replaying, suites
from multiturn.cli.screen import complain
from multiturn.errors import EXIT_OK, MultiturnError

app = typer.Typer(
    name="multiturn",
    help="Does your chat model still hold a conversation? Hold scripted conversations with a base and a tuned model "
    "under identical conditions, keep every transcript, and see what changed.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
holding.add_to(app)
reading.add_to(app)
replaying.add_to(app)
suites.add_to(app)


def main() -> None:
    """Run the command line; every foreseen error ends in a message, its next step and its exit code."""
    try:
        app()
    except MultiturnError as error:
        complain(error)
        sys.exit(error.exit_code)
    except BrokenPipeError:  # the reader (head, less) has seen enough
        sys.stderr.close()
        sys.exit(EXIT_OK)
