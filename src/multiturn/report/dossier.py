"""What the written forms of a report are made of: runs, what was concluded, and the few words that prove it. Values.

A page has all transcripts (``page/shown.py``); a pull request, a model card and a build's log have room for some.
"""

from __future__ import annotations

import msgspec

from multiturn.conditions import RunRecord
from multiturn.conversation import Capability
from multiturn.judged_pair import JudgedPair
from multiturn.ranking import Ranking
from multiturn.report.page.read_first import ReadFirst
from multiturn.report.page.shown import ShownArm
from multiturn.results import Comparison, PassRates


class FailedCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A check that one run fails. ``turn`` and ``sample`` count from 0.

    ``what`` is what its failing means (:func:`multiturn.finding.failing_means`), ``words`` what in the reply decided
    (None: nothing did).
    """

    conversation: str
    sample: int
    turn: int
    capability: Capability | None
    what: str
    reason: str
    words: str | None = None


class Dossier(msgspec.Struct, frozen=True, kw_only=True):
    """One run, two, or more.

    ``arms`` are what the runs are called. ``comparisons`` are those of the first run with each other one: none for one
    run, which has ``rates`` and the first of the checks that it fails (``failing`` counts all); ``ranking`` is there
    for more than two. ``read`` are the conversations to read first, those of the page. ``command`` is what to type to
    hold the runs again. ``judged`` is what judges said of one run or of two.
    """

    runs: tuple[RunRecord, ...]
    arms: tuple[ShownArm, ...]
    command: str
    comparisons: tuple[Comparison, ...] = ()
    ranking: Ranking | None = None
    rates: PassRates | None = None
    read: tuple[ReadFirst, ...] = ()
    failed: tuple[FailedCheck, ...] = ()
    failing: int = 0
    judged: JudgedPair | None = None
