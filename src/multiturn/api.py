"""What a Python user imports: hold runs, compare them, read them. Works in a script and inside a running event loop.

    from multiturn import api

    compared = api.compare("demo:base", "demo:tuned")
    first = compared.comparison.changes[0]  # the conversation that changed most: first.conversation, first.reasons

Every function that holds conversations has an ``async`` twin with an ``a`` in front. What is held lands in the store
(``outputs/multiturn.db`` unless said otherwise), so that the same call goes on after an interruption and uses again
what is there.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Final

from multiturn.arms import open_arms
from multiturn.assess import assess, turns_where
from multiturn.blocking import finish
from multiturn.checks.own import allow_checks
from multiturn.checks.reading import read_check
from multiturn.conditions import Arm, RunRecord
from multiturn.conversation import Suite
from multiturn.display import show_as
from multiturn.doctor import examine as examine_engine
from multiturn.examination import Examination
from multiturn.facts import EngineOptions
from multiturn.fastchat.exporting import FastchatExport, export_fastchat
from multiturn.fastchat.importing import FastchatCame, import_fastchat
from multiturn.finding import Assessed
from multiturn.history import history_gap
from multiturn.jobs import (
    DEFAULT_SUITE,
    Compared,
    Held,
    Job,
    acompare,
    aestimate,
    aevaluate,
    compare,
    compare_stored,
    evaluate,
    unwatched,
)
from multiturn.judge_card import Card
from multiturn.judge_check import Checking, CheckProgress
from multiturn.judge_jobs import (
    Costs,
    JudgedBy,
    JudgeJob,
    Onlookers,
    TellCard,
    WatchJudge,
    acheck_judges,
    ajudge,
    ajudging_costs,
    check_judges,
    judge,
    judging_costs,
)
from multiturn.judged_pair import JudgedPair
from multiturn.judged_runs import judged_pair
from multiturn.judges.meter import Budget
from multiturn.judges.model_judge import GREEDY, Manner
from multiturn.judges.planning import Expected
from multiturn.judges.rubrics import load_rubrics, shipped_rubrics
from multiturn.judging import Asking, Judging
from multiturn.loop_results import ImportedResults, import_results
from multiturn.notebooks import SHOWS
from multiturn.preferences import read_preferences
from multiturn.prove import (
    ENOUGH_HELD,
    MOST_ABLATED,
    Ablated,
    ablate,
    ablated_as_held,
    mutant_falls,
    mutant_table,
    read_held,
)
from multiturn.rank import rank, rank_preferences
from multiturn.ranking import Preferred, Ranking
from multiturn.replay import Replay
from multiturn.report.agreement import agreement_tables
from multiturn.report.examination import examination_text
from multiturn.report.history import history_gap as history_gap_table
from multiturn.report.judge_card import card_line, card_lines, card_table
from multiturn.report.judged import judged_tables
from multiturn.report.judged_json import judged_json_text
from multiturn.report.ranking import ranking_tables
from multiturn.report.side_by_side import SideBySide
from multiturn.report.text import render
from multiturn.report.text import render_comparison as tables
from multiturn.report.text import render_pass_rates as pass_rate_table
from multiturn.report.transcripts import transcript_text, turn_text
from multiturn.report.trend import render_trend as trend_tables
from multiturn.reporting import Report, last_comparison, report_of, write_report
from multiturn.results import Comparison, PassRates, Plan
from multiturn.run import Progress, Settings
from multiturn.scores import Agreements
from multiturn.series import Trend
from multiturn.store import Store, export_run, import_run, open_store
from multiturn.stored import assessed, pass_rates, transcripts
from multiturn.stored_verdicts import Sources, agreement
from multiturn.suite_files import Converted, convert_suite, get_published, write_suite
from multiturn.suites.blind import Covered
from multiturn.suites.lint import lint
from multiturn.suites.proof import HeldFailure, Tally, check_held, prove
from multiturn.suites.quotas import QUOTAS
from multiturn.suites.reading import load_suite, shipped_name, shipped_parts, shipped_suites, unread_names
from multiturn.suites.selection import select
from multiturn.transcript import Sampling, Transcript
from multiturn.trend import group_runs, trend
from multiturn.two_runs import TwoRuns
from multiturn.votes import Votes, read_replies, read_votes

__all__ = [
    "DEFAULT_SUITE",
    "ENOUGH_HELD",
    "GREEDY",
    "MOST_ABLATED",
    "QUOTAS",
    "Ablated",
    "Agreements",
    "Arm",
    "Asking",
    "Assessed",
    "Budget",
    "Card",
    "CheckProgress",
    "Checking",
    "Compared",
    "Comparison",
    "Converted",
    "Costs",
    "Covered",
    "EngineOptions",
    "Expected",
    "FastchatCame",
    "FastchatExport",
    "Held",
    "HeldFailure",
    "ImportedResults",
    "Job",
    "JudgeJob",
    "JudgedBy",
    "JudgedPair",
    "Judging",
    "Manner",
    "Onlookers",
    "PassRates",
    "Plan",
    "Preferred",
    "Progress",
    "Ranking",
    "Replay",
    "Report",
    "RunRecord",
    "Sampling",
    "Settings",
    "SideBySide",
    "Sources",
    "Store",
    "Suite",
    "Tally",
    "TellCard",
    "Transcript",
    "Trend",
    "TwoRuns",
    "Votes",
    "WatchJudge",
    "ablate",
    "ablated_as_held",
    "acheck_judges",
    "acompare",
    "aestimate",
    "aevaluate",
    "aexamine",
    "agreement",
    "agreement_tables",
    "ajudge",
    "ajudging_costs",
    "allow_checks",
    "areplay",
    "assess",
    "assessed",
    "card_line",
    "card_lines",
    "card_table",
    "check_held",
    "check_judges",
    "compare",
    "compare_stored",
    "convert_suite",
    "evaluate",
    "examination_text",
    "examine",
    "export_fastchat",
    "export_run",
    "get_published",
    "group_runs",
    "history_gap",
    "history_gap_table",
    "import_fastchat",
    "import_results",
    "import_run",
    "judge",
    "judged_json_text",
    "judged_pair",
    "judged_tables",
    "judging_costs",
    "last_comparison",
    "lint",
    "load_rubrics",
    "load_suite",
    "mutant_falls",
    "mutant_table",
    "open_store",
    "pass_rate_table",
    "pass_rates",
    "prove",
    "rank",
    "rank_preferences",
    "ranking_tables",
    "read_check",
    "read_held",
    "read_preferences",
    "read_replies",
    "read_votes",
    "render",
    "report_of",
    "select",
    "shipped_name",
    "shipped_parts",
    "shipped_rubrics",
    "shipped_suites",
    "tables",
    "transcript_text",
    "transcripts",
    "trend",
    "trend_tables",
    "turn_text",
    "turns_where",
    "unread_names",
    "unwatched",
    "write_report",
    "write_suite",
]

DEFAULT_OPTIONS: Final = EngineOptions()

show_as(SHOWS)  # in a notebook


async def aexamine(model: str | Arm, options: EngineOptions = DEFAULT_OPTIONS, *, ask: bool = True) -> Examination:
    """Look at a model; see :func:`examine`."""
    async with open_arms([model], options) as ((_, engine),):
        return await examine_engine(engine, ask=ask)


def examine(model: str | Arm, options: EngineOptions = DEFAULT_OPTIONS, *, ask: bool = True) -> Examination:
    """What will really be sent to a model, and whether what it brings with it agrees: ``multiturn doctor``.

    Args:
        model: a model spec, or an arm.
        options: for its engine.
        ask: also ask for a few short replies.

    Raises:
        MultiturnError: of the kind that says what is wrong.
    """
    return finish(aexamine(model, options, ask=ask))


@contextlib.asynccontextmanager
async def areplay(
    store: Store, run: str, conversation: str, start: int, options: EngineOptions | None = None
) -> AsyncIterator[Replay]:
    """Take up a stored conversation again at a turn, and ``say`` what comes next.

    Args:
        store: where the run is.
        run: its id, or how it begins.
        conversation: which of its conversations.
        start: the first turn that is said anew, from 1.
        options: for the engine; the run's own template policy and context window by default.

    Raises:
        NotFound: there is no such run or conversation. UsageError: a turn before has no reply.
    """
    found = store.run(run)
    transcript = transcripts(store, found, conversation)[0]
    suite = store.suite(found.conditions.suite_digest)
    (held,) = select(suite, only=(conversation,)).conversations
    replay = Replay(store, found, transcript, held, start)
    own = EngineOptions(template=found.arm.template, context_window=found.conditions.context_window)
    async with open_arms([found.arm], options or own) as ((_, engine),), replay.on(engine):
        yield replay
