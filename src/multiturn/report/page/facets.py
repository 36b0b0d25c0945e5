"""By what conversations are found on the page: tags of a conversation, and of each of its turns. Pure.

A tag is a key and a value. What is of one arm has the arm's name before its key: ``tuned.refusal=unexpected``.

of a conversation: ``category``, ``domain``, ``pattern``, ``preferred_whole`` (an arm by name, or ``tie``: which of two
a judge prefers as a whole)

of a turn:
``turn``, ``capability``, ``distance`` (as in the tables), ``language`` (of a reply of any arm),
``flip`` (``lost``: a check that the first arm passes and another one fails; ``won``),
``moved`` (a measure by name: a flag that the first arm has and another one has not, or the other way round),
``preferred`` (an arm by name, or ``tie``: whose reply a judge prefers, of two arms of the page)

of a turn in one arm:
``status`` (as in the transcript), ``missing`` (``yes``: the environment's doing), ``check`` (``pass``, ``fail``),
``refusal`` (``any``; ``full``, ``partial``; ``none``: a reply that is none; ``unexpected``, ``expected``, ``missing``
where the suite says),
``raised`` (a flag among the signals by name), ``flag`` (of the transcript), ``fluent`` (``wrong``: judges rate it
highly, or where none rated the run nothing is raised, and yet a check fails), ``grade`` (where judges rated the run:
``high``, ``middle``, ``low``, or ``none`` where one of them has none)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.finding import REFUSED
from multiturn.judged_pair import HIGH, LOW
from multiturn.text.declining import declining, refuses_rightly
from multiturn.text.language import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.conversation import Conversation
    from multiturn.finding import Assessed, Checked, Signal
    from multiturn.report.page.shown import Heard, ShownArm, Told
    from multiturn.transcript import TurnRecord

Tag = tuple[str, str]

MOST_REPETITION: Final = 0.2
"""Share of a reply's runs of words that may be repeated in one that reads well: goldens and most replies have less."""
FARTHEST: Final = 4
"""Distances from here on stand together, as in the tables: ``4+``."""
_QUIET: Final = frozenset({"ok"})


def conversation_tags(conversation: Conversation, heard: Heard | None = None) -> list[Tag]:
    """What can be told of a conversation without its turns."""
    named = (
        ("category", conversation.category),
        ("domain", conversation.domain),
        ("pattern", conversation.pattern),
    )
    return list(dict.fromkeys([*((key, value) for key, value in named if value), *_preferred(heard, None)]))


def _preferred(heard: Heard | None, turn: int | None, sample: int | None = None) -> Iterator[Tag]:
    """What judges prefer of two arms of the page at this turn, or as whole conversations; each once."""
    key = "preferred_whole" if turn is None else "preferred"
    for one in () if heard is None else heard.compared:
        here = one.a.at is not None and one.b.at is not None and one.turn == turn and sample in {None, one.sample}
        if here and one.winner is not None:
            yield key, {"a": one.a.name, "b": one.b.name, "tie": "tie"}[one.winner]


def turn_tags(told: Told, arms: Sequence[ShownArm]) -> Iterator[list[Tag]]:
    """The tags of each turn of each sample, sample by sample; each tag once."""
    conversation = told.conversation
    for place, sample in enumerate(told.samples):
        read = [None if one is None else _Read(one) for one in sample]
        for turn in range(len(conversation.turns)):
            tags = [*_planned(conversation, turn)]
            found = [_ArmTurn(conversation, turn, one) if one is not None else None for one in read]
            for arm, one in zip(arms, found, strict=True):
                tags += [(f"{arm.name}.{key}", value) for key, value in (one.tags() if one is not None else ())]
            there = [one for one in found if one is not None]
            tags += [("language", one.language) for one in there if one.language]
            first = found[0]
            if first is not None:
                for other in found[1:]:
                    tags += first.against(other) if other is not None else ()
            tags += _preferred(told.heard, turn, place)
            yield list(dict.fromkeys(tags))


def _planned(conversation: Conversation, turn: int) -> Iterator[Tag]:
    yield "turn", str(turn + 1)
    capability, distance = conversation.capability_of(turn), conversation.turns[turn].distance
    if capability:
        yield "capability", capability
    if distance is not None:
        yield "distance", f"{FARTHEST}+" if distance >= FARTHEST else str(distance)


class _Read:
    """One transcript, found again by turn."""

    def __init__(self, assessed: Assessed) -> None:
        self.records: Final[dict[int, TurnRecord]] = {one.turn: one for one in assessed.transcript.turns}
        self.signals: Final[dict[int, list[Signal]]] = {}
        self.checks: Final[dict[int, list[Checked]]] = {}
        self.rated: Final = bool(assessed.panel)
        self.grade: Final = assessed.grade
        for signal in assessed.signals:
            self.signals.setdefault(signal.turn, []).append(signal)
        for checked in assessed.checks:
            self.checks.setdefault(checked.turn, []).append(checked)


class _ArmTurn:
    """One turn as one arm held it."""

    def __init__(self, conversation: Conversation, turn: int, read: _Read) -> None:
        self._record: Final = read.records.get(turn)
        self._signals: Final = read.signals.get(turn, [])
        self._expected: Final = conversation.turns[turn].refusal_expected
        self._checks: Final = {one.check: one.result.outcome for one in read.checks.get(turn, [])}
        self._raised: Final = {one.name for one in self._signals if one.unit == "flag" and one.value == 1}
        self._rated: Final = read.rated
        self._grade: Final = read.grade(turn) if read.rated else None
        self.language: Final = next(
            (one.label for one in self._signals if one.name == "language_change" and one.label != UNKNOWN), ""
        )

    def tags(self) -> Iterator[Tag]:
        """Of this arm alone, without its name."""
        record = self._record
        if record is None:
            yield "status", "not_held"
            return
        yield "status", record.status
        if record.missing:
            yield "missing", "yes"
        yield from (("flag", flag) for flag in record.flags)
        yield from (("raised", name) for name in sorted(self._raised - {"refusal"}))
        yield from (("check", outcome) for outcome in ("pass", "fail") if outcome in self._checks.values())
        yield from self._refusals(record)
        if self._rated:
            yield "grade", self._level
        if self.fluent_but_wrong:
            yield "fluent", "wrong"

    @property
    def _level(self) -> str:
        if self._grade is None:
            return "none"
        return "high" if self._grade >= HIGH else "low" if self._grade <= LOW else "middle"

    def _refusals(self, record: TurnRecord) -> Iterator[Tag]:
        kind = next((one.label for one in self._signals if one.name == "refusal"), "")
        rightly = refuses_rightly(record.reply, expected=self._expected, refused=kind in REFUSED)
        if kind in REFUSED:
            yield "refusal", "any"
            yield "refusal", kind
            if rightly is not None:
                yield "refusal", "expected" if rightly else "unexpected"
            return
        if record.reply:
            yield "refusal", "none"
        if rightly is False:
            yield "refusal", "missing"

    @property
    def fluent_but_wrong(self) -> bool:
        """Whether a check fails of a reply that judges rate highly; without any, of one in which nothing is raised."""
        record = self._record
        if self._rated:
            high = record is not None and record.reply is not None and self._level == "high"
            return high and "fail" in self._checks.values()
        if record is None or record.status not in _QUIET or record.flags or self._raised:
            return False
        repeats = any((one.value or 0) > MOST_REPETITION for one in self._signals if one.name == "repetition")
        return "fail" in self._checks.values() and not repeats and declining(record.reply or "") is None

    def against(self, other: _ArmTurn) -> Iterator[Tag]:
        """What differs between this, the first arm's, and another one's."""
        for check, before in self._checks.items():
            after = other._checks.get(check)
            if (before, after) == ("pass", "fail"):
                yield "flip", "lost"
            elif (before, after) == ("fail", "pass"):
                yield "flip", "won"
        yield from (("moved", name) for name in sorted(self._raised ^ other._raised))
