"""What a page shows: its arms, a conversation as all of them held it, what is kept of all. Pure values."""

from __future__ import annotations

from collections import Counter
from typing import Final

import msgspec

from multiturn.conditions import RunRecord
from multiturn.conversation import Conversation, require
from multiturn.finding import Assessed
from multiturn.judge_card import Card
from multiturn.judged_pair import JudgedPair
from multiturn.judgment import Judged, JudgeRecord
from multiturn.ranking import Ranking, Winner
from multiturn.results import Comparison, PassRates

BASE: Final = "base"
TUNED: Final = "tuned"


class ShownArm(msgspec.Struct, frozen=True, kw_only=True):
    """One column of the page: ``name`` is what it is called everywhere (``base``), ``label`` its model, in short."""

    name: str
    label: str
    run: str


class Side(msgspec.Struct, frozen=True):
    """One of two runs that a judge compared: its name, and its place on the page, None where it is not there."""

    name: str
    at: int | None


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs as a judge compared them at a turn (from 0), or as a whole conversation where ``turn`` is None.

    ``games`` are the same question with the seats one way and the other; ``a`` is the run that it names first.
    ``winner`` and ``consistent`` are what both come to: ``a``, ``b``, ``tie``, or None where one can't be read;
    whether the orders agree, None where they can't be compared.
    """

    judge: str
    sample: int
    turn: int | None
    a: Side
    b: Side
    winner: Winner | None
    consistent: bool | None
    games: tuple[Judged, ...]


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What judges said of a conversation: of replies by themselves (``judged``), and of two runs beside each other.

    ``judges`` are all judges of the page by id.
    """

    judges: dict[str, JudgeRecord]
    judged: tuple[Judged, ...] = ()
    compared: tuple[Compared, ...] = ()


class AskedJudge(msgspec.Struct, frozen=True, kw_only=True):
    """A judge, with how many judgments of the page's runs it gave, how many can't be read, and how often it failed.

    ``card`` is that of its self-check; None where it was not checked.
    """

    judge: JudgeRecord
    judgments: int
    unreadable: int = 0
    failed: int = 0
    card: Card | None = None


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation as all arms held it.

    ``samples`` has an entry for each sample, and in it one for each arm: None where that arm did not hold it. ``heard``
    is what judges said of it; None where they said nothing.
    """

    conversation: Conversation
    samples: tuple[tuple[Assessed | None, ...], ...]
    heard: Heard | None = None

    def __post_init__(self) -> None:
        require(len({len(arms) for arms in self.samples}) == 1, "each sample has an entry for each arm")


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """One turn in short: what the user said, and what each arm replied (None: no reply). Turn and sample are from 0.

    ``what`` is what went wrong there in the suite's words, "" where no check says. ``sound``: the arm that passes the
    check that flipped replied well there.
    """

    turn: int
    sample: int
    user: str
    replies: tuple[str | None, ...]
    what: str = ""
    sound: bool = False


class Fluent(msgspec.Struct, frozen=True, kw_only=True):
    """A reply that reads well and fails a check: where it is, what it says in short, and which check it fails.

    ``lost``: the first arm passes that check. ``arm`` is the arm's place, ``grade`` what judges gave the reply; None
    where none rated the runs.
    """

    conversation: str
    turn: int
    sample: int
    arm: int
    reply: str
    what: str
    reason: str
    lost: bool
    grade: float | None = None


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation in the page's list.

    ``tags`` and those of each turn (sample by sample) are places in :attr:`Collected.tags`. ``passed``, ``applied``
    and ``refusals`` have one count for each arm: of checks, and of replies. ``chunk`` and ``place`` say where its sheet
    is.
    """

    id: str
    turns: int
    samples: int
    tags: tuple[int, ...]
    turn_tags: tuple[tuple[int, ...], ...]
    passed: tuple[int, ...]
    applied: tuple[int, ...]
    refusals: tuple[int, ...]
    chunk: int
    place: int
    proof: Proof | None


class Collected(msgspec.Struct, frozen=True, kw_only=True):
    """All that the page keeps of the transcripts.

    ``chunks`` are JSON lists of sheets (HTML), deflated and in base64. ``words`` counts replies by their number of
    words, for each arm. ``fluent`` are the first of the fluent but wrong replies, those of lost checks first.
    """

    arms: tuple[ShownArm, ...]
    tags: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    chunks: tuple[str, ...]
    words: tuple[Counter[int], ...]
    fluent: tuple[Fluent, ...]


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """What a page is made of.

    ``runs`` has one run for each of ``collected.arms``. ``comparisons`` are those of the first arm with each other one,
    in order: none for one arm, one for two. ``ranking`` is there for more than two arms, ``rates`` for one. ``judges``
    are those that said something of the runs, ``judged`` what that comes to, which is there for one arm and for two.
    """

    runs: tuple[RunRecord, ...]
    collected: Collected
    comparisons: tuple[Comparison, ...] = ()
    ranking: Ranking | None = None
    rates: PassRates | None = None
    judges: tuple[AskedJudge, ...] = ()
    judged: JudgedPair | None = None
