"""Commands that read what is stored: runs, show, diff, export, import, delete."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.text import Text

import multiturn
from multiturn.cli import options as flags
from multiturn.cli.fastchat import export_files, import_files
from multiturn.cli.prompts import ends
from multiturn.cli.screen import ERR, OUT, counted, read, say, warn
from multiturn.errors import NotFound, UsageError
from multiturn.text.printable import printable
from multiturn.text.spec_names import short_spec

if TYPE_CHECKING:
    from multiturn.conditions import RunRecord
    from multiturn.conversation import Conversation
    from multiturn.finding import Assessed
    from multiturn.store import Store
    from multiturn.store.reading import RunSummary
    from multiturn.two_runs import TwoRuns

Run = Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, or how it begins, or: latest.")]
One = Annotated[str | None, typer.Argument(metavar="[ID]", help="Only this conversation.")]

MANY: Final = 200
"""Conversations from which on it takes a while to find those that changed most: about 30 ms each."""
MOST_NAMED: Final = 5
"""Conversations that are named where there may be very many."""


def add_to(app: typer.Typer) -> None:
    """Register this file's commands."""
    app.command()(runs)
    app.command()(show)
    app.command()(diff)
    app.command()(export)
    app.command("import")(import_what)
    app.command()(delete)


def runs(
    group: Annotated[str | None, typer.Option("--group", metavar="NAME", help="Only the runs of this group.")] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="MODEL", help="Only the runs of this model, by its spec as typed.")
    ] = None,
    suite: Annotated[
        str | None, typer.Option("--suite", metavar="SUITE", help="Only the runs of this suite, a name or a file.")
    ] = None,
    newest_id: Annotated[
        bool, typer.Option("--id", help="Only the id of the newest of them, for the next command of a script.")
    ] = False,
    store: flags.StoreWhere = None,
) -> None:
    """List the runs in the store, newest first."""
    stored = _summaries(store, group)
    summaries = _chosen(stored, model, suite)
    if not summaries and (stored or newest_id):
        raise NotFound("there is no such run", hint="multiturn runs lists all that there are")
    if newest_id:
        print(summaries[0].run.id)
        return
    if not summaries:
        say("no runs yet; begin one with: multiturn run MODEL, or multiturn demo")
    for summary in summaries:
        run = summary.run
        done = sum(count for status, count in summary.progress.items() if status not in {"failed", "not_reached"})
        states = ", ".join(f"{status} {count}" for status, count in summary.progress.items())
        states = f"  [{states}]" if states else ""
        whole = "complete" if done == run.turns else f"{done}/{run.turns} turns"
        how = _sampling_of(run)
        history = ", golden history" if run.conditions.history == "golden" else ""
        what = f"{run.suite_name} ({counted(run.conversations, 'conversation')}{history})"
        groups = f"  in {', '.join(summary.groups)}" if summary.groups else ""
        prompt = "" if run.arm.system is None else f" [{ends(run.arm.system) if run.arm.system else 'no prompt'}]"
        say(f"{run.id}  {short_spec(run.arm.spec)}{prompt}  {what}  {whole}{states}  {how}{groups}")


def _chosen(summaries: tuple[RunSummary, ...], model: str | None, suite: str | None) -> tuple[RunSummary, ...]:
    """Those of a model and of a suite, where one is asked for."""
    name = None if suite is None else multiturn.api.load_suite(suite).name
    return tuple(
        one
        for one in summaries
        if (model is None or one.run.arm.spec == model) and (name is None or one.run.suite_name == name)
    )


def _summaries(store: str | None, group: str | None) -> tuple[RunSummary, ...]:
    """All runs or those of a group; none where the default store is not there yet."""
    try:
        with multiturn.api.open_store(store, create=False) as opened:
            if group is not None:
                multiturn.api.group_runs(opened, group)  # an unknown name is told
            return tuple(one for one in opened.runs() if group is None or group in one.groups)
    except NotFound:
        if store is not None or group is not None:
            raise
        return ()


def _sampling_of(run: RunRecord) -> str:
    sampling, kept = run.conditions.sampling, "reproducible" if run.conditions.reproducible else "not reproducible"
    if sampling is None:
        return "imported, sampling unknown"
    by_category = ", by category" if run.conditions.temperatures else ""
    temperature = f"temperature {sampling.temperature:g}{by_category}"
    return f"{temperature}, {sampling.max_tokens} tokens, seed {sampling.seed}, {kept}"


def show(
    run: Run,
    conversation: One = None,
    refusals: Annotated[bool, typer.Option("--refusals", help="Only conversations with a refusal, marked.")] = False,
    unexpected: Annotated[
        bool, typer.Option("--unexpected-refusals", help="Only conversations with a refusal where none is right.")
    ] = False,
    lacking: Annotated[
        bool, typer.Option("--missing-refusals", help="Only conversations without a refusal where one is right.")
    ] = False,
    failed: Annotated[bool, typer.Option("--failed", help="Only conversations with a check that fails.")] = False,
    prompts: Annotated[bool, typer.Option("--prompts", help="Also what was really sent, as it was rendered.")] = False,
    store: flags.StoreWhere = None,
) -> None:
    """Show transcripts of a run, each with why its conversation is in the suite on top.

    Of several choices (--refusals, --failed ...) each must hold.
    """
    chosen = {
        "refusals": refusals,
        "unexpected refusals": unexpected,
        "missing refusals": lacking,
        "failed checks": failed,
    }
    wanted = [name for name, is_wanted in chosen.items() if is_wanted]
    with multiturn.api.open_store(store, create=False) as opened:
        found = opened.run(run)
        conversations = _conversations(opened, found)
        shown = 0
        for assessed in multiturn.api.assessed(opened, found, conversation):
            item = conversations.get(assessed.transcript.session.conversation)
            if not all(_has(name, assessed, item) for name in wanted):
                continue
            if shown:
                OUT.print()
            read(multiturn.api.transcript_text(assessed, item, prompts=prompts))
            shown += 1
    if not shown:
        where = "" if conversation is None else f" in conversation {conversation!r}"
        say(f"run {found.id} has no {' and '.join(wanted) + where if wanted else 'transcripts yet'}")
    if shown > 1 and conversation is None:
        _tell_of_page(store, found)


def _has(what: str, assessed: Assessed, item: Conversation | None) -> bool:
    """Whether a transcript has what was chosen; what the suite expects can't be told without it."""
    if what == "refusals":
        return bool(assessed.refusals)
    if what == "failed checks":
        return any(checked.result.outcome == "fail" for checked in assessed.checks)
    measure = "refusal_unexpected" if what == "unexpected refusals" else "refusal_missing"
    return item is not None and bool(multiturn.api.turns_where(assessed, item, measure))


def diff(run_a: Run, run_b: Run, conversation: One = None, store: flags.StoreWhere = None) -> None:
    """Show two runs side by side, turn by turn: the conversations that changed most come first.

    The first run is called base, the second tuned. In fewer than 100 columns the one stands above the other.
    """
    with multiturn.api.open_store(store, create=False) as opened:
        runs = opened.run(run_a), opened.run(run_b)
        names = f"{short_spec(runs[0].arm.spec)} ({runs[0].id})", f"{short_spec(runs[1].arm.spec)} ({runs[1].id})"
        two = multiturn.api.TwoRuns(opened, *runs)
        if conversation is None and not two.both:
            raise NotFound(
                f"runs {runs[0].id} and {runs[1].id} have no conversation in common",
                hint="multiturn runs lists their suites",
            )
        if conversation is None and len(two.both) >= MANY and OUT.is_terminal:
            _advise(f"looking through {len(two.both)} conversations for those that changed most ...")
        shown = 0
        for one in two.most_changed_first() if conversation is None else [two.read(conversation)]:
            for both in one.samples:
                if shown:
                    OUT.print()
                read(multiturn.api.SideBySide(both, names, one.conversation, one.change))
                shown += 1
        if conversation is None:
            _tell_of_others(two, runs)
    if shown > 1 and conversation is None and runs[0].conditions.suite_digest == runs[1].conditions.suite_digest:
        _tell_of_page(store, *runs)


def _tell_of_others(two: TwoRuns, runs: tuple[RunRecord, RunRecord]) -> None:
    """Conversations that only one run has are named, and how to read them."""
    for only, run in zip(two.only, runs, strict=True):
        if only:
            named = ", ".join(only[:MOST_NAMED]) + (" ..." if len(only) > MOST_NAMED else "")
            OUT.print()
            say(f"only in {run.id}: {counted(len(only), 'conversation')} ({named}); multiturn show {run.id} ID")


def _tell_of_page(store: str | None, *runs: RunRecord) -> None:
    """How to get the same as a page, to someone who has just seen more than a screen of it go by."""
    if OUT.is_terminal:
        command = ["multiturn", "report", *(run.id for run in runs), *(["--store", store] if store else [])]
        _advise(f"to choose and search, as a page: {shlex.join(command)}")


def _advise(text: str) -> None:
    """A line beside the results."""
    ERR.print(Text(printable(text), "dim"), soft_wrap=True)


def export(
    what: Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, or how it begins, or: latest; or fastchat.")],
    more: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]", help="Where to; by default RUN.jsonl here. fastchat: the runs, of one suite."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FOLDER", help="fastchat: where its folders and files go.")
    ] = None,
    store: flags.StoreWhere = None,
) -> None:
    """Write a run to JSON Lines: everything that is known of it; multiturn import brings it back.

    multiturn export fastchat RUN... writes answers and judgments as FastChat's files, which its show_result reads.
    """
    given = more or []
    if what == "fastchat":
        if not given or output is None:
            hint = "multiturn export fastchat RUN RUN --output FOLDER"
            raise UsageError("export fastchat needs runs and a folder", hint=hint)
        export_files(given, output, store)
        return
    if output is not None:
        raise UsageError("--output goes with fastchat", hint=f"multiturn export {what} FILE")
    if len(given) > 1:
        raise UsageError("one run goes into one file", hint=f"multiturn export {what} {shlex.quote(given[0])}")
    with multiturn.api.open_store(store, create=False) as opened:
        found = opened.run(what)
        target = Path(given[0] if given else re.sub(r"[^\w.-]", "_", found.id) + ".jsonl")  # an imported id is any text
        if target.is_dir():
            raise UsageError(f"{target} is a folder", hint=f"name a file in it: {target / 'run.jsonl'}")
        lines = multiturn.api.export_run(opened, found.id, target)
    say(f"{target}: {lines} turns")


def import_what(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="fastchat: files of MT-Bench; results: of another script; run: of multiturn export (may be left out).",
        ),
    ],
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="FILE", help="The file; fastchat: folders too, and several.")
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option("--suite", help="results: the suite that the script held, for its reasons and capabilities."),
    ] = None,
    questions: Annotated[
        Path | None, typer.Option("--questions", metavar="FILE", help="fastchat: question.jsonl, if it is elsewhere.")
    ] = None,
    references: Annotated[
        Path | None, typer.Option("--references", metavar="FILE", help="fastchat: which reference answers are goldens.")
    ] = None,
    store: flags.StoreWhere = None,
) -> None:
    """Bring into the store: an exported run, the results file of a loop of your own, or FastChat's files (MT-Bench)."""
    kinds = ("run", "results", "fastchat")
    given = paths or []
    if not given and what in kinds and not Path(what).exists():
        raise UsageError(f"import {what} needs a file", hint=f"multiturn import {what} FILE")
    if given and what not in kinds:
        raise UsageError(
            f"{what!r} can't be imported",
            hint=" or ".join(f"multiturn import {kind} {given[0]}" for kind in kinds),
        )
    if what == "fastchat" and given:
        if suite is not None:
            raise UsageError("FastChat's files bring their questions", hint="leave out --suite, or name --questions")
        import_files([Path(path) for path in given], questions, references, store)
        return
    if questions is not None or references is not None:
        raise UsageError("--questions and --references go with fastchat", hint="multiturn import fastchat FOLDER")
    if len(given) > 1:
        raise UsageError(f"import {what} takes one file", hint=f"multiturn import {what} {shlex.quote(given[0])}")
    if what == "results" and given:
        _import_results(given[0], suite, store)
        return
    if suite is not None:
        raise UsageError("a run brings its own suite with it", hint="leave out --suite")
    _import_run(given[0] if given else what, store)


def _import_run(path: str, store: str | None) -> None:
    with multiturn.api.open_store(store) as opened:
        try:
            imported = multiturn.api.import_run(opened, path)
        except NotFound as error:
            hint = f"{error.hint}; the results of a loop of your own: multiturn import results {path}"
            raise NotFound(error.message, hint=hint if Path(path).is_file() else error.hint) from None
    for notice in imported.notices:
        say(f"{path}:{notice.line}: {notice.text}")
    say(f"run {imported.run.id}: {imported.turns} turns")


def _import_results(path: str, suite: str | None, store: str | None) -> None:
    held = multiturn.api.load_suite(suite) if suite is not None else None
    with multiturn.api.open_store(store) as opened:
        imported = multiturn.api.import_results(opened, path, held)
        for arm in imported.arms:
            before = ", imported before" if arm.reused else ""
            say(f"{short_spec(arm.run.arm.spec)}: run {arm.run.id}, {arm.counts.replies} replies{before}")
            for line in arm.told:
                say(f"  {line}")
        for note in imported.notes:
            warn(note)
        runs = [arm.run for arm in imported.arms]
        if len(runs) == 1:
            say(f"read it:  multiturn show {runs[0].id}")
            return
        compared = multiturn.api.compare_stored(opened, runs[0].id, runs[1].id)
    OUT.print()
    OUT.print(multiturn.api.tables(compared.comparison))
    for note in runs[0].notes[:1]:
        say(note)
    changed = compared.comparison.changes
    most = shlex.quote(changed[0].conversation) if changed else "ID"
    say(f"read one:  multiturn show {runs[1].id} {most}")
    say(f"side by side:  multiturn diff {runs[0].id} {runs[1].id} {most}")


def delete(
    run: Run,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    store: flags.StoreWhere = None,
) -> None:
    """Take a run out of the store, with all its transcripts."""
    with multiturn.api.open_store(store, create=False) as opened:
        found = opened.run(run)
        if not yes and not _confirmed(f"delete run {found.id} ({short_spec(found.arm.spec)}) and its transcripts?"):
            raise UsageError("nothing was deleted", hint="answer y, or add --yes")
        opened.delete_run(found.id)
    say(f"run {found.id} is deleted")


def _confirmed(question: str) -> bool:
    """Ask; the end of the input is a no."""
    try:
        return typer.confirm(printable(question), err=True)
    except typer.Abort:
        return False


def _conversations(store: Store, run: RunRecord) -> dict[str, Conversation]:
    suite = store.suite(run.conditions.suite_digest)
    return {item.id: item for item in suite.conversations}
