"""What a comparison is to conclude: the plan that is laid down before it, and the exit code that it ends with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from multiturn.errors import EXIT_INCONCLUSIVE, EXIT_REGRESSED, UsageError
from multiturn.measures import BY_NAME, PRIMARY, SECONDARY, measure_called
from multiturn.results import Plan

if TYPE_CHECKING:
    from multiturn.conversation import Suite
    from multiturn.results import Comparison

PANEL: Final = "What is concluded"
EXITS: Final = {"regressed": EXIT_REGRESSED, "inconclusive": EXIT_INCONCLUSIVE}
"""What a build can fail on, with its exit code; the first that holds counts."""

Primary = Annotated[
    str,
    typer.Option(
        "--primary", metavar="MEASURE", help="The one measure that the comparison is about.", rich_help_panel=PANEL
    ),
]
Margins = Annotated[
    list[str] | None,
    typer.Option(
        "--margin",
        metavar="MEASURE=SIZE",
        help="The largest difference that counts as none: 0.05 or 5% (of a length, of base's); repeatable.",
        rich_help_panel=PANEL,
    ),
]
Extend = Annotated[
    bool,
    typer.Option(
        "--extend",
        help="Declare that this comparison may be extended once; both looks are held to 2.5 %. Again: extend it.",
        rich_help_panel=PANEL,
    ),
]
FailOn = Annotated[
    str | None,
    typer.Option(
        "--fail-on",
        metavar="WORDS",
        help="regressed (exit 3: any measure with a verdict), inconclusive (exit 4: the primary), or both by a comma.",
        rich_help_panel=PANEL,
    ),
]


def plan_of(primary: str | None, margins: list[str] | None, stored: Plan = Plan()) -> Plan:  # noqa: B008 - frozen
    """The plan as it was typed; what was not typed is as in ``stored``.

    A stored margin of a measure that has no verdict beside another primary one is left out: it would do nothing.

    Raises:
        UsageError: A measure that there is not, or a margin that is none.
    """
    sizes = [_margin(typed) for typed in margins or ()]
    primary = stored.primary if primary is None else primary
    measure_called(primary)
    for at, (name, _) in enumerate(sizes):
        measure_called(name)
        if name not in (primary, *SECONDARY):
            raise UsageError(
                f"{name} has no verdict, so a margin for it does nothing",
                hint=f"those that have: {', '.join(SECONDARY)}; or make it the primary one: --primary {name}",
            )
        if any(name == other for other, _ in sizes[:at]):
            raise UsageError(f"--margin {name} is given twice", hint="leave out one of them")
    kept = {name: size for name, size in stored.margins.items() if name in (primary, *SECONDARY)}
    return msgspec.structs.replace(stored, primary=primary, margins=kept | dict(sizes))


def _margin(typed: str) -> tuple[str, float]:
    name, _, text = typed.partition("=")
    hint = "such as --margin check_pass=0.05, or check_pass=5%: five points"
    try:
        size = float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise UsageError(f"--margin {typed} is no measure with a size", hint=hint) from None
    share = name not in BY_NAME or BY_NAME[name].share
    if not 0 < size < (1 if share else math.inf):
        told = "lies between 0 and 1 (or 0% and 100%)" if share else "is above 0"
        raise UsageError(f"--margin {typed}: a margin {told}", hint=hint)
    return name, size


def words_of(typed: str | None) -> tuple[str, ...]:
    """The words to fail on.

    Raises:
        UsageError: One is none of them.
    """
    words = tuple(word.strip() for word in (typed or "").split(",") if word.strip())
    if (typed is not None and not words) or any(word not in EXITS for word in words):
        raise UsageError(f"--fail-on {typed!r} names no outcome", hint=f"--fail-on {','.join(EXITS)}, or one of them")
    return words


def require_primary(suite: Suite, plan: Plan) -> None:
    """Raise ``UsageError`` where the suite has no turn that the primary measure is about: nothing could fail."""
    if not any(BY_NAME[plan.primary].of(turn) for one in suite.conversations for turn in one.turns):
        lacks = "has no checks" if plan.primary == PRIMARY else f"has no turn that {plan.primary} is about"
        raise UsageError(
            f"{suite.name} {lacks}, so there is no primary verdict to fail on",
            hint="--primary MEASURE names another (refusal, say), or give turns checks: docs/writing.md",
        )


def exit_code(comparison: Comparison, words: tuple[str, ...]) -> int:
    """0, or that of the first word of ``EXITS`` that was asked for and holds.

    *regressed* holds where any verdict says so; *inconclusive* where the primary one does, where what is missing could
    change it, or where there is none.
    """
    primary = next((verdict for verdict in comparison.verdicts if verdict.role == "primary"), None)
    holds = {
        "regressed": any(verdict.word == "regressed" for verdict in comparison.verdicts),
        "inconclusive": primary is None or primary.word == "inconclusive" or primary.depends_on_missing,
    }
    return next((code for word, code in EXITS.items() if word in words and holds[word]), 0)
