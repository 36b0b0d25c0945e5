"""The command that asks whether a judge can be believed, judge check; and what judge run says of it."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

import multiturn
from multiturn.cli import options as flags
from multiturn.cli.interrupts import run_until_done
from multiturn.cli.judge_flags import JudgesAsked
from multiturn.cli.screen import OUT, PLAIN_EVERY, say, warn
from multiturn.errors import EXIT_REGRESSED
from multiturn.text.spec_names import short_spec

if TYPE_CHECKING:
    from multiturn.api import Card, CheckProgress
    from multiturn.judgment import JudgeRecord

MOST: Final = 60

Material = Annotated[
    str | None,
    typer.Option(
        "--run", metavar="RUN", help="Check on the conversations of this stored run; default: on shipped suites."
    ),
]
Calls = Annotated[int, typer.Option("--calls", min=1, max=MOST, help="Calls of each judge at most.")]
Draw = Annotated[int, typer.Option("--draw", min=0, help="Another number draws other conversations of the same.")]
AsJson = Annotated[bool, typer.Option("--json", help="The cards as JSON, one a line.")]
FailUnfit = Annotated[bool, typer.Option("--fail-unfit", help="End with exit code 3 where a judge is not fit.")]


def check(
    *,
    run: Material = None,
    calls: Calls = MOST,
    draw: Draw = 0,
    json: AsJson = False,
    fail_unfit: FailUnfit = False,
    store: flags.StoreWhere = None,
    quiet: flags.Quiet = False,
    asked: JudgesAsked,
) -> None:
    """Say whether a judge can be believed: ask it what has a known outcome, and show its card.

    The same check is not asked twice: the stored card is shown.
    """
    checking = multiturn.api.Checking(run=run, calls=calls, seed=draw)
    job = msgspec.structs.replace(asked.judges(), checking=checking)
    with multiturn.api.open_store(store) as opened:
        watch = WatchCheck(quiet=quiet or json)
        cards = run_until_done(multiturn.api.acheck_judges(opened, job, watch=watch))
    for card in cards:
        if json:
            sys.stdout.write(msgspec.json.encode(card).decode() + "\n")
        else:
            _show(card)
    if fail_unfit and any(card.conclusion == "not_fit" for card in cards):
        raise typer.Exit(EXIT_REGRESSED)


def tell_card(judge: JudgeRecord, card: Card | None) -> None:
    """A line on the judge before it judges: to standard error where it should make one think."""
    if card is None:
        warn(
            f"judge {short_spec(judge.spec)} is not checked: the budget has no room for it (up to {MOST} calls); "
            "multiturn judge check does it, --no-check leaves it out"
        )
        return
    answered = card.asked - card.failed
    if answered < card.questions:
        warn(f"its check is not whole: {answered} of {card.questions} questions are answered")
    if card.conclusion == "fit":
        say(multiturn.api.card_line(card))
    else:
        warn(f"{multiturn.api.card_line(card)} All of it: multiturn judge check --judge {judge.spec}")


class WatchCheck:
    """Says how far a check is, a line now and then; with ``quiet`` nothing."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet: Final = quiet
        self._last = time.monotonic()

    def __call__(self, done: CheckProgress) -> None:
        """An answer came."""
        now = time.monotonic()
        if self._quiet or now - self._last < PLAIN_EVERY:
            return
        self._last = now
        print(f"check: {done.asked}/{done.questions} questions", file=sys.stderr, flush=True)


def _show(card: Card) -> None:
    OUT.print(multiturn.api.render(multiturn.api.card_table(card)))
    OUT.print()
    for line in multiturn.api.card_lines(card):
        say(line)
    say(f"card {card.id} of judge {card.judge}")
