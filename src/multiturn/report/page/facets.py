"""By what conversations are found on the page: tags of a conversation, and of each of its turns. Pure.

A tag is a key and a value. What is of one arm has the arm's name before its key: ``tuned.refusal=unexpected``.

of a conversation: ``category``, ``domain``, ``pattern``

of a turn:
``turn``, ``capability``, ``distance`` (as in the tables), ``language`` (of a reply of any arm),
``flip`` (``lost``: a check that the first arm passes and another one fails; ``won``),
``moved`` (a measure by name: a flag that the first arm has and another one has not, or the other way round)

of a turn in one arm:
``status`` (as in the transcript), ``missing`` (``yes``: the environment's doing), ``check`` (``pass``, ``fail``),
``refusal`` (``any``; ``full``, ``partial``; ``none``: a reply that is none; ``unexpected``, ``expected``, ``missing``
where the suite says),
``raised`` (a flag among the signals by name), ``flag`` (of the transcript), ``fluent`` (``wrong``: nothing is raised,
and yet a check fails)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.finding import REFUSED
from multiturn.text.declining import declining, refuses_rightly
from multiturn.text.language import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.conversation import Conversation
    from multiturn.finding import Assessed, Checked, Signal
    from multiturn.report.page.shown import ShownArm, Told
    from multiturn.transcript import TurnRecord

Tag = tuple[str, str]

MOST_REPETITION: Final = 0.2
"""Share of a reply's runs of words that may be repeated in one that reads well: goldens and most replies have less."""
FARTHEST: Final = 4
"""Distances from here on stand together, as in the tables: ``4+``."""
_QUIET: Final = frozenset({"ok"})


def conversation_tags(conversation: Conversation) -> list[Tag]:
    """What can be told of a conversation without a transcript."""
    named = (
        ("category", conversation.category),
        ("domain", conversation.domain),
        ("pattern", conversation.pattern),
    )
    return [(key, value) for key, value in named if value]


def turn_tags(told: Told, arms: Sequence[ShownArm]) -> Iterator[list[Tag]]:
    """The tags of each turn of each sample, sample by sample; each tag once."""
    conversation = told.conversation
    for sample in told.samples:
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
        if self.fluent_but_wrong:
            yield "fluent", "wrong"

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
        """Whether a check fails of a reply in which nothing is raised."""
        record = self._record
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
