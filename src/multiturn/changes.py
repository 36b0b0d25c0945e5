"""How far each conversation moved from base to tuned: checks, flags, length, words. No statistic.

Takes in pairs of turns one by one and keeps counts, and of each flipped check what a reader wants to see of it.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.finding import Checked
from multiturn.report.numbers import number
from multiturn.results import Change, Flip

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.conversation import Conversation
    from multiturn.finding import Assessed, Span


class _Flag(msgspec.Struct, frozen=True):
    """A flag whose change counts: its weight, and the words for replies that got it and that lost it."""

    measure: str
    weight: float
    got: str
    lost: str


FLAGS: Final = (
    _Flag("refusal_unexpected", 3, "became refusals where none is right", "stopped refusing where none is right"),
    _Flag("refusal_missing", 3, "no longer refuse where it is right", "began to refuse where it is right"),
    _Flag("refusal", 3, "became refusals", "stopped being refusals"),
    _Flag("empty", 3, "became empty", "stopped being empty"),
    _Flag("overflowed", 3, "fell out of the context window", "came back into the context window"),
    _Flag("collapse", 3, "began to end in a loop", "no longer end in a loop"),
    _Flag("language_change", 2, "changed language", "came back to the language"),
    _Flag("role_leakage", 2, "spoke for someone else", "stopped speaking for someone else"),
    _Flag("cut_off", 1, "were cut off at the limit", "stopped being cut off at the limit"),
)
"""What a conversation's score of change counts, each as the share of its turns whose flag flipped, times its weight."""

_SAID_BETTER: Final = frozenset({"refusal_unexpected", "refusal_missing"})
"""Where the suite says whether a refusal is right, these stand for ``refusal``: one flip is not counted twice."""

CHECK_WEIGHT: Final = 10.0
"""A flipped check says that something was lost or won, all else only that something is other. One flip of five checks
(2.0) stands before most of what chance does to length and words: 0.9 to 2.9, half of it below 1.2, between two seeds of
the demo's base in 10 conversations."""

MOST_DOUBLINGS: Final = 4.0
"""A change of length counts with its doublings (or halvings) of the number of words, up to this many."""

MOST_WORDS: Final = 200
"""Characters that are kept of the words that decided a flipped check."""

_LENGTH_WORTH_SAYING: Final = 1.5
_TEXT_WORTH_SAYING: Final = 0.5


class Turned(msgspec.Struct, frozen=True):
    """One turn, reduced to what tells a change: its readings, its reply if it has one, and what its checks say."""

    readings: dict[str, float]
    reply: str | None
    checks: tuple[Checked, ...] = ()


def turned(assessed: Assessed, readings: Sequence[dict[str, float]]) -> list[Turned]:
    """The turns of a transcript, whose readings these are."""
    replies = {record.turn: record.reply for record in assessed.transcript.turns}
    return [Turned(turn, replies.get(at), assessed.checks_of(at)) for at, turn in enumerate(readings)]


class Drift:
    """How far one conversation moved, over all pairs of turns (of all samples) that both arms have.

    Score = :data:`CHECK_WEIGHT` x share of checks that flipped + sum over :data:`FLAGS` of weight x share of turns that
    flipped + min(|log2((words of tuned + 1) / (words of base + 1))|, :data:`MOST_DOUBLINGS`), words as means over turns
    + mean distance of the texts, 0 (the same words) to 1 (no word in common): ``1 - 2 |A & B| / (|A| + |B|)`` over bags
    of words (L. R. Dice, Ecology 26, 1945).

    A score orders a reading list. It is no measure of quality, and no test rests on it.
    """

    def __init__(self, conversation: Conversation) -> None:
        self._conversation: Final = conversation
        self._pairs: Final = Counter[str]()
        self._got: Final = Counter[str]()
        self._lost: Final = Counter[str]()
        self._flips: Final[list[Flip]] = []
        self._words: Final = [0.0, 0.0]
        self._distance = 0.0
        self._missing = 0

    @property
    def seen(self) -> bool:
        """Whether there is a turn that both arms have."""
        return self._pairs["any"] > 0

    def add(self, sample: int, before: Turned, after: Turned) -> None:
        """Take in one turn as both arms held it."""
        if before.readings["missing"] or after.readings["missing"]:
            self._missing += 1
            return
        self._pairs["any"] += 1
        self._add_flags(before.readings, after.readings)
        self._add_checks(sample, before.checks, after.checks)
        words = before.readings.get("words"), after.readings.get("words")
        if words[0] is not None and words[1] is not None:
            self._pairs["words"] += 1
            self._words[0] += words[0]
            self._words[1] += words[1]
        if before.reply is not None and after.reply is not None:
            self._pairs["text"] += 1
            self._distance += _distance(before.reply, after.reply)

    def _add_flags(self, before: dict[str, float], after: dict[str, float]) -> None:
        better_said = not _SAID_BETTER.isdisjoint(before)
        for flag in FLAGS:
            values = before.get(flag.measure), after.get(flag.measure)
            if values[0] is None or values[1] is None or (flag.measure == "refusal" and better_said):
                continue
            self._pairs[flag.measure] += 1
            self._got[flag.measure] += values[0] < values[1]
            self._lost[flag.measure] += values[0] > values[1]

    def _add_checks(self, sample: int, base: Sequence[Checked], tuned: Sequence[Checked]) -> None:
        others = {other.check: other for other in tuned}
        for one in base:
            other = others.get(one.check)
            if other is None:
                continue
            before, after = one.result.outcome, other.result.outcome
            if before == "not_applicable" or after == "not_applicable":
                continue
            self._pairs["check"] += 1
            if before == after:
                continue
            flip = Flip(
                conversation=self._conversation.id,
                sample=sample,
                turn=one.turn,
                capability=self._conversation.capability_of(one.turn),
                check=one.check,
                kind=one.kind,
                wants=one.wants,
                before=before,
                after=after,
                reason=(one if before == "fail" else other).result.reason,
                why=one.why,
                base_words=_words_of(one.result.span),
                tuned_words=_words_of(other.result.span),
            )
            self._flips.append(flip)

    def change(self) -> Change:
        """The score and its reasons, the weightiest kind of change first."""
        scored = [*self._check_reasons(), *self._flag_reasons(), *self._length_reasons(), *self._text_reasons()]
        reasons = [words for _, words in scored if words]
        if self._missing:
            reasons.append(f"{self._missing} of {self._missing + self._pairs['any']} turns are missing in an arm")
        return Change(
            conversation=self._conversation.id,
            score=round(math.fsum(score for score, _ in scored), 6),
            reasons=tuple(reasons),
            flips=tuple(sorted(self._flips, key=lambda flip: (flip.sample, flip.turn, flip.check))),
        )

    def _check_reasons(self) -> Iterator[tuple[float, str]]:
        checks = self._pairs["check"]
        stopped = sum(flip.after == "fail" for flip in self._flips)
        for count, words in ((stopped, "stopped passing"), (len(self._flips) - stopped, "began to pass")):
            if count:
                yield CHECK_WEIGHT * count / checks, f"{count} of {checks} checks {words}"

    def _flag_reasons(self) -> Iterator[tuple[float, str]]:
        for flag in FLAGS:
            turns = self._pairs[flag.measure]
            for count, words in ((self._got[flag.measure], flag.got), (self._lost[flag.measure], flag.lost)):
                if count:
                    yield flag.weight * count / turns, f"{count} of {turns} replies {words}"

    def _length_reasons(self) -> Iterator[tuple[float, str]]:
        """Doublings or halvings of the number of words, capped, and the words for it where it is worth saying."""
        turns = self._pairs["words"]
        if not turns:
            return
        before, after = (total / turns for total in self._words)
        doublings = min(abs(math.log2((after + 1) / (before + 1))), MOST_DOUBLINGS)
        if min(before, after) == 0 or max(before, after) / min(before, after) < _LENGTH_WORTH_SAYING:
            yield doublings, ""
            return
        times = number(max(before, after) / min(before, after), "times")
        yield doublings, f"replies {times} times {'longer' if after > before else 'shorter'}"

    def _text_reasons(self) -> Iterator[tuple[float, str]]:
        if self._pairs["text"]:
            distance = self._distance / self._pairs["text"]
            shared = f"the texts share {number(1 - distance, 'share')} of their words"
            yield distance, shared if distance >= _TEXT_WORTH_SAYING else ""


def _words_of(span: Span | None) -> str | None:
    if span is None or not span.text:
        return None
    return span.text if len(span.text) <= MOST_WORDS else f"{span.text[:MOST_WORDS]}..."


def _distance(one: str, other: str) -> float:
    """Dice's distance of two bags of words; 0 for two texts without words."""
    left, right = Counter(one.casefold().split()), Counter(other.casefold().split())
    total = left.total() + right.total()
    return 1 - 2 * (left & right).total() / total if total else 0.0
