"""Stored runs -> a report in any form: the page, Markdown, JSON, CSV, Parquet, JUnit.

What this module does not know: how a form looks (``report/``), the screen, flags.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Literal, NamedTuple

import msgspec

from multiturn.again import command_for
from multiturn.comparable import SEED, same_arm, varied
from multiturn.errors import NotFound, UsageError
from multiturn.extension import further_look
from multiturn.finding import failing_means
from multiturn.judged_runs import judged_pair
from multiturn.outputs import DEFAULT_RESULTS, require_place, writing
from multiturn.pages import PAIR, page_of, ranked, shown_arms
from multiturn.report.card import model_card
from multiturn.report.csv_rows import csv_lines
from multiturn.report.dossier import Dossier, FailedCheck
from multiturn.report.flat import Layout
from multiturn.report.junit import junit
from multiturn.report.page.page import page_text
from multiturn.report.page.read_first import read_first
from multiturn.report.parquet import write_parquet
from multiturn.report.plain_json import results_text, run_text, several_text
from multiturn.report.pull_request import pull_request
from multiturn.report.whole_file import whole_file
from multiturn.results import Plan
from multiturn.signals.kinds import SIGNALS
from multiturn.store import Store
from multiturn.stored import assessed, pass_rates
from multiturn.stored_comparison import LATE_PLAN, Asked, conclude

if TYPE_CHECKING:
    from collections.abc import Iterable

    from multiturn.conditions import RunRecord
    from multiturn.conversation import Suite
    from multiturn.report.flat import Row
    from multiturn.report.page.shown import ShownArm, Told

Form = Literal["html", "markdown", "card", "json", "csv", "parquet", "junit"]

MOST_FAILED: Final = 20
"""Failing checks of one run that are told with their words."""


class Report(NamedTuple):
    """What a report is of: runs of a store, and what is asked of their comparison. Nothing is read until it is written.

    ``for_spreadsheet``: see :func:`multiturn.report.csv_rows.csv_lines`.
    """

    store: Store
    runs: tuple[RunRecord, ...]
    asked: Asked
    for_spreadsheet: bool = False

    @property
    def suite(self) -> Suite:
        """What the runs were held with."""
        return self.store.suite(self.runs[0].conditions.suite_digest)

    def asked_otherwise(self, plan: Plan, vary: Sequence[str] = ()) -> Report:
        """The same runs, concluded on by this plan, where ``vary`` may differ too.

        Another plan than the one before comes after the runs, and is no look that was declared: a reader is told.
        """
        asked = msgspec.structs.replace(self.asked, vary=tuple(dict.fromkeys([*self.asked.vary, *vary])))
        if plan != asked.plan:
            asked = msgspec.structs.replace(asked, plan=plan, extend=False, late_plan=True)
        return self._replace(asked=asked)

    def write(self, to: str | Path | IO[bytes], form: Form = "html") -> None:
        """Write it in a form; see :func:`write_report`."""
        if form not in _WRITERS:
            raise UsageError(f"no form of a report is called {form!r}", hint=f"one of: {', '.join(_WRITERS)}")
        if isinstance(to, io.TextIOBase) or not (isinstance(to, str | Path) or hasattr(to, "write")):
            raise UsageError(
                f"a report is written to a path or into a binary file, not into a {type(to).__name__}",
                hint='give a path, open(path, "wb"), or io.BytesIO()',
            )
        if not isinstance(to, str | Path):
            _WRITERS[form](self, to)
            return
        path = Path(to)
        require_place(path, "--output")
        with writing(path, "--output", "nothing is lost: the runs are in the store"), whole_file(path) as file:
            _WRITERS[form](self, file)


def write_report(
    store: Store,
    runs: Sequence[str],
    to: str | Path | IO[bytes],
    *,
    form: Form = "html",
    plan: Plan = Plan(),  # noqa: B008 - frozen
    vary: Sequence[str] = (),
    for_spreadsheet: bool = False,
) -> None:
    """Write a report of stored runs: ``multiturn report``.

    Args:
        store: where the runs are.
        runs: their ids, or how they begin: one by itself; base and tuned; or more, which are ranked, and the first of
            which is compared with each other one.
        to: the file, which appears whole or not at all; or a binary file that is open.
        form: ``html``, ``markdown`` (for a pull request), ``card`` (for a model's page), ``json``, ``csv``,
            ``parquet`` or ``junit``.
        plan: what is to be concluded.
        vary: conditions that may differ beside the model, by name.
        for_spreadsheet: of CSV: put an apostrophe before what a spreadsheet would take for a formula.

    Raises:
        UsageError: the runs can't be compared or shown in this form, there is no such form, runs are not named by a
            list of ids, or the file is no binary one or can't be written.
        MissingExtra: Parquet needs pyarrow.
        NotFound: a run is not in the store.
    """
    report_of(store, runs, plan=plan, vary=vary)._replace(for_spreadsheet=for_spreadsheet).write(to, form)


def report_of(
    store: Store,
    runs: Sequence[str],
    *,
    plan: Plan = Plan(),  # noqa: B008 - frozen
    vary: Sequence[str] = (),
) -> Report:
    """What is to be reported; see :func:`write_report`.

    Raises:
        UsageError: no run is named, one of several is named twice, or runs are not named by a list of ids.
        NotFound: a run is not in the store.
    """
    if isinstance(runs, str):
        raise UsageError(f"runs are named by a list of ids, not by {runs!r}", hint=f"give [{runs!r}]")
    for one in runs:
        if not isinstance(one, str):
            raise UsageError(f"a run is named by its id, not by a {type(one).__name__}", hint="give [run.id, ...]")
    if not runs:
        raise UsageError("no run is named", hint="name one, two or more; multiturn runs lists them")
    records = tuple(store.run(reference) for reference in runs)
    once = {one.id: one for one in records}
    if len(once) < len(records) and len(records) > PAIR:  # two may be one run: a comparison says that nothing differs
        repeated = [run for run, times in Counter(one.id for one in records).items() if times > 1]
        raise UsageError(
            f"run {', '.join(repeated)} is named more than once",
            hint=f"name each once: multiturn report {' '.join(once)}",
        )
    late = len(records) > 1 and plan != Plan()
    return Report(store, records, Asked(plan=plan, vary=tuple(vary), late_plan=late))


class _Named(msgspec.Struct, frozen=True):
    """A run, as a results file names it."""

    id: str


class _Concluded(msgspec.Struct, frozen=True):
    """What was asked of a comparison, and what a reader was told of it."""

    plan: Plan = Plan()
    notes: tuple[str, ...] = ()


class _Results(msgspec.Struct, frozen=True):
    """What a report needs of a results file."""

    base_run: _Named
    tuned_run: _Named
    comparison: _Concluded | None = None


def last_comparison(store: Store, path: Path = DEFAULT_RESULTS) -> Report:
    """The last comparison, as its results file has it: its runs, its plan, and what was declared to differ.

    Raises:
        UsageError: the file is no results of a comparison. NotFound: it is not there, or its runs are not in the store.
    """
    name = "name one run, or two to compare (multiturn runs lists them): multiturn report RUN [RUN]"
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_Results)
    except FileNotFoundError:
        raise NotFound(f"there is no {path}, so no last comparison to report", hint=name) from None
    except (OSError, msgspec.MsgspecError, UnicodeError):
        raise UsageError(f"{path} names no runs of a comparison", hint=name) from None
    known = {one.run.id: one.run for one in store.runs()}
    lost = [run for run in (found.base_run.id, found.tuned_run.id) if run not in known]
    if lost:
        raise NotFound(
            f"{path} is of runs that are not in {store.where}: {', '.join(lost)}",
            hint=f"name the store that they are in (--store), or {name}",
        )
    runs = known[found.base_run.id], known[found.tuned_run.id]
    told = found.comparison or _Concluded()
    names = varied(runs[0].conditions, runs[1].conditions)
    vary = tuple(one for one in names if one != SEED or not same_arm(*runs))
    declared = told.plan.level != Plan().level and bool(further_look(store, *runs))
    plan = msgspec.structs.replace(told.plan, level=Plan().level, look=Plan().look) if declared else told.plan
    return Report(store, runs, Asked(plan=plan, vary=vary, extend=declared, late_plan=LATE_PLAN in told.notes))


def _html(of: Report, file: IO[bytes]) -> None:
    _write(file, page_text(page_of(of.store, of.runs, of.asked)))


def _markdown(of: Report, file: IO[bytes]) -> None:
    _write(file, [pull_request(dossier_of(of))])


def _card(of: Report, file: IO[bytes]) -> None:
    if len(of.runs) > PAIR:
        raise UsageError(
            f"a card is of one model, and here are {len(of.runs)} runs", hint="name one run, or base and tuned"
        )
    _write(file, [model_card(dossier_of(of))])


def _json(of: Report, file: IO[bytes]) -> None:
    held = [assessed(of.store, run) for run in of.runs]
    if len(of.runs) == 1:
        judged = judged_pair(of.store, of.runs)
        file.writelines(run_text(of.runs[0], held[0], pass_rates(of.store, of.runs[0]), judged))
    elif len(of.runs) == PAIR:
        base, tuned = of.runs
        comparison, judged = conclude(of.store, (base, tuned), of.asked), judged_pair(of.store, of.runs)
        file.writelines(results_text((base, tuned), held[0], held[1], comparison, judged))
    else:
        ranking, comparisons = ranked(of.store, of.runs, of.asked)
        names = [arm.name for arm in shown_arms(of.runs)]
        file.writelines(several_text(zip(names, of.runs, held, strict=True), ranking, comparisons))


def _csv(of: Report, file: IO[bytes]) -> None:
    layout = _layout()
    _write(file, csv_lines(layout.columns, _rows(of, layout), for_spreadsheet=of.for_spreadsheet))


def _parquet(of: Report, file: IO[bytes]) -> None:
    layout = _layout()
    write_parquet(file, layout.columns, _rows(of, layout))


def _junit(of: Report, file: IO[bytes]) -> None:
    dossier = dossier_of(of)
    held = [assessed(of.store, run) for run in of.runs[1:] or of.runs]
    base = of.store.transcripts(of.runs[0].id) if len(of.runs) > 1 else ()
    _write(file, junit(dossier, of.suite, held, base))


_WRITERS: Final[dict[Form, Callable[[Report, IO[bytes]], None]]] = {
    "html": _html,
    "markdown": _markdown,
    "card": _card,
    "json": _json,
    "csv": _csv,
    "parquet": _parquet,
    "junit": _junit,
}


def _write(file: IO[bytes], pieces: Iterable[str]) -> None:
    file.writelines(piece.encode("utf-8") for piece in pieces)


def _layout() -> Layout:
    return Layout([(kind.name, kind.unit) for kind in SIGNALS])


def _rows(of: Report, layout: Layout) -> Iterator[Row]:
    """The rows of all runs, one run after the other; each has its own suite, since nothing is compared."""
    for run, arm in zip(of.runs, shown_arms(of.runs), strict=True):
        suite = of.store.suite(run.conditions.suite_digest)
        yield from layout.rows(suite, run, arm.name, assessed(of.store, run))


def dossier_of(of: Report) -> Dossier:
    """What the written forms are made of.

    Raises:
        UsageError, ConditionsDiffer: the runs can't be compared.
    """
    command = command_for(of.runs, of.suite, of.asked.plan, of.asked.vary)
    arms = shown_arms(of.runs)
    if len(of.runs) == 1:
        failed, failing = _failed(of)
        rates = pass_rates(of.store, of.runs[0])
        judged = judged_pair(of.store, of.runs)
        return Dossier(
            runs=of.runs, arms=arms, command=command, rates=rates, failed=failed, failing=failing, judged=judged
        )
    judged = judged_pair(of.store, of.runs) if len(of.runs) == PAIR else None
    page = page_of(of.store, of.runs, of.asked, render=_no_sheet)
    return Dossier(
        runs=of.runs,
        arms=arms,
        command=command,
        comparisons=page.comparisons,
        ranking=page.ranking,
        read=read_first(page),
        judged=judged,
    )


def _no_sheet(_told: Told, _arms: Sequence[ShownArm]) -> str:
    """What a form without transcripts needs of each conversation's sheet."""
    return ""


def _failed(of: Report) -> tuple[tuple[FailedCheck, ...], int]:
    """The first checks that one run fails, and how many there are."""
    conversations = {one.id: one for one in of.suite.conversations}
    first: list[FailedCheck] = []
    failing = 0
    for held in assessed(of.store, of.runs[0]):
        session = held.transcript.session
        for one in held.checks:
            if one.result.outcome != "fail":
                continue
            failing += 1
            if len(first) == MOST_FAILED:
                continue
            failed = FailedCheck(
                conversation=session.conversation,
                sample=session.sample,
                turn=one.turn,
                capability=conversations[session.conversation].capability_of(one.turn),
                what=failing_means(one.why, one.wants, one.result.reason),
                reason=one.result.reason,
                words=one.result.span.text if one.result.span is not None else None,
            )
            first.append(failed)
    return tuple(first), failing
