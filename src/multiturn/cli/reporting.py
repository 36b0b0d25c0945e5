"""The command that writes a report of stored runs, in any form: report."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

import typer

import multiturn
from multiturn.cli import options as flags
from multiturn.cli.concluding import Margins, plan_of
from multiturn.cli.screen import say, warn
from multiturn.errors import UsageError
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from multiturn.reporting import Report
    from multiturn.store import Store

Form = Literal["html", "markdown", "card", "json", "csv", "parquet", "junit"]

PAGE: Final = Path("outputs/report.html")
SCREEN: Final = "-"
"""Where the output goes that is standard output."""
ENDINGS: Final[dict[str, Form]] = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".json": "json",
    ".csv": "csv",
    ".parquet": "parquet",
    ".xml": "junit",
}

Runs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="RUN",
        help="Ids of runs, or how they begin, or: latest. One, or base and tuned, or more; none: the last comparison.",
    ),
]
FormFlag = Annotated[
    Form | None,
    typer.Option(
        "--format",
        help="html: the page. markdown: for a pull request. card: for a model's page. json: all of it. csv, parquet: "
        "a row for each turn. junit: for a build. Default: by the ending of --output, or html.",
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Where to; default: standard output, of html outputs/report.html."
    ),
]
Primary = Annotated[
    str | None,
    typer.Option(
        "--primary",
        metavar="MEASURE",
        help="The one measure that the comparison is about; default: that of the last comparison, or check_pass.",
    ),
]
ForSpreadsheet = Annotated[
    bool,
    typer.Option(
        "--for-spreadsheet", help="csv: an apostrophe before what a spreadsheet would take for a formula (=, +, -, @)."
    ),
]


def add_to(app: typer.Typer) -> None:
    """Register this file's command."""
    app.command()(report)


def report(
    runs: Runs = None,
    form: FormFlag = None,
    output: Output = None,
    vary: flags.Vary = None,
    primary: Primary = None,
    margin: Margins = None,
    for_spreadsheet: ForSpreadsheet = False,
    store: flags.StoreWhere = None,
) -> None:
    """Write a report of stored runs: the page, or Markdown, JSON, CSV, Parquet or JUnit.

    Of one run by itself, of two (base and tuned), or of more, which are ranked and each compared with the first.
    """
    ending = Path(output or "").suffix.lower()
    if form is None and ending and ending not in ENDINGS:
        raise UsageError(f"no form ends in {ending}", hint=f"--format FORM, or one of: {', '.join(ENDINGS)}")
    chosen = form or ENDINGS.get(ending, "html")
    if for_spreadsheet and chosen != "csv":
        raise UsageError(f"--for-spreadsheet is for csv, not for {chosen}", hint="leave it out, or --format csv")
    where = _where(chosen, output)
    typed = _Typed(primary, margin, vary or [])
    with multiturn.api.open_store(store, create=False) as opened:
        of = _of(opened, runs or [], typed)._replace(for_spreadsheet=for_spreadsheet)
        if where is None:
            _to_the_screen(of, chosen)
            return
        of.write(where, chosen)
    say(f"report: {where}  (open it in a browser)" if chosen == "html" else f"{chosen}: {where}")


def _where(form: Form, output: str | None) -> Path | None:
    """The file; None for standard output."""
    if output == SCREEN:
        return None
    if output == "":
        raise UsageError("--output names no file", hint="--output FILE, or - for standard output")
    if output is not None:
        return Path(output)
    if form == "parquet":
        raise UsageError("parquet is no text for standard output", hint="name a file: --output turns.parquet")
    return PAGE if form == "html" else None


class _Typed(NamedTuple):
    """What was typed of how to compare; None or nothing where it was not."""

    primary: str | None
    margin: list[str] | None
    vary: list[str]


def _of(store: Store, runs: list[str], typed: _Typed) -> Report:
    """What is to be reported, as it was typed; of the last comparison the rest is as it was."""
    if runs:
        plan = plan_of(typed.primary, typed.margin)
        if len(runs) == 1 and any(typed):
            raise UsageError(
                "one run is compared with nothing, so --primary, --margin and --vary do nothing",
                hint="leave them out, or name two runs: base and tuned",
            )
        return multiturn.api.report_of(store, runs, plan=plan, vary=typed.vary)
    last = multiturn.api.last_comparison(store)
    base, tuned = (run.id for run in last.runs)
    warn(f"of the last comparison: base {base}, tuned {tuned}")
    return last.asked_otherwise(plan_of(typed.primary, typed.margin, last.asked.plan), typed.vary)


def _to_the_screen(of: Report, form: Form) -> None:
    """The form and nothing else; a terminal is shown no control characters, another program gets every letter."""
    if sys.stdout.isatty() and form == "parquet":
        raise UsageError("parquet is no text for a terminal", hint="name a file: --output turns.parquet")
    if sys.stdout.isatty():
        shown = io.BytesIO()
        of.write(shown, form)
        print(printable(shown.getvalue().decode("utf-8")), end="")
        return
    sys.stdout.flush()
    try:
        of.write(sys.stdout.buffer, form)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(
            f"standard output can't be written: {error.strerror or error}", hint="name a file: --output FILE"
        ) from None
