"""Two runs -> a comparison: refuse what differs, pair what is left by conversation, rank what changed.

Both runs are read once, side by side, and let go: what is kept are each conversation's means. What this module does
not do: verdicts, reading from a store, deciding which runs to compare.
"""

from __future__ import annotations

import difflib
import math
from collections import Counter
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from multiturn.assess import LENGTHS, MEASURES, Group, Layout, Measure, Summary
from multiturn.conditions import MODEL_KEYS, TEMPLATE_KEYS, differences, flatten
from multiturn.engines.chat_template import PLAIN_SHA256
from multiturn.errors import ConditionsDiffer, UsageError
from multiturn.report.tables import number
from multiturn.results import SHARES, Change, Comparison, Contrast, Distribution, Orientation
from multiturn.stats.paired import mean_interval, paired_difference
from multiturn.stats.quantiles import quantiles
from multiturn.stats.rates import share_interval
from multiturn.transcript import MANY_ENDLESS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from multiturn.conditions import Conditions
    from multiturn.conversation import Suite
    from multiturn.finding import Assessed
    from multiturn.transcript import Session

LEVEL: Final = 0.95
_DIFFERENCE_RANGE: Final = (-1.0, 1.0)
_SHOWN: Final = 80
_MAY_DIFFER: Final = frozenset(f"identity.{key}" for key in MODEL_KEYS)
_COMES_WITH_IT: Final = frozenset(f"identity.{key}" for key in TEMPLATE_KEYS)
"""May differ too, where each model is asked with its own template: a note says so."""
_OTHER_FORMAT: Final = 0.05
"""How much oftener the tuned model leaves its role, as a share of replies, before a note asks about its template."""
_NEVER_VARY: Final = frozenset({"suite_digest"})


def refuse_if_different(base: Conditions, tuned: Conditions, vary: Sequence[str] = ()) -> tuple[str, ...]:
    """Raise unless two runs have the same conditions, apart from the model and what ``vary`` names.

    Args:
        base: Those of one run, held or to be held.
        tuned: Those of the other.
        vary: Names of conditions (``system``, ``sampling.temperature``, ``identity.version`` ...) that may differ.

    Returns:
        One line for each declared difference that is really there, and for templates that differ with the models, for
        the notes of the comparison.

    Raises:
        UsageError: ``vary`` names no condition, or one that must never differ (the suite).
        ConditionsDiffer: Something else differs; each is listed with both values and what to type.
    """
    _check_vary(vary, base, tuned)
    found = {name: both for name, both in differences(base, tuned).items() if name not in _MAY_DIFFER}
    own = base.template == tuned.template == "model"
    templates = {name: found.pop(name) for name in _COMES_WITH_IT & found.keys() if own and name not in vary}
    undeclared = {name: both for name, both in found.items() if name not in vary}
    if undeclared:
        lines = "\n".join(f"  {name}: {_both(both)}" for name, both in undeclared.items())
        raise ConditionsDiffer(f"base and tuned differ in more than the model:\n{lines}", hint=_next(undeclared))
    declared = (f"differs as declared: {name}: {_both(both)}" for name, both in found.items())
    return (*_template_notes(templates), *declared)


def _template_notes(differing: Mapping[str, tuple[object, object]]) -> Iterator[str]:
    """What a reader must know where each arm is asked with its own model's template, and they are not the same."""
    both = differing.get("identity.template")
    if both is None:
        if differing:
            yield "warning: base and tuned end their replies at different tokens (multiturn doctor shows them)"
        return
    base_plain, tuned_plain = (template == PLAIN_SHA256 for template in both)
    if tuned_plain or base_plain:
        without, other = ("tuned", "base") if tuned_plain else ("base", "tuned")
        yield (
            f"warning: {without} has no chat template and {other} has one: {without} was asked in the plain "
            f"User:/Assistant: form. If it was trained with the other's, ask both with that: --template from:MODEL, "
            f"with {other}'s spec"
        )
        return
    yield (
        "warning: base and tuned have different chat templates, and each was asked with its own; "
        "--template from:MODEL, with base's spec, asks both with one"
    )


def _check_vary(vary: Sequence[str], *conditions: Conditions) -> None:
    known = sorted({name for one in conditions for name in flatten(one)} - _NEVER_VARY)
    for name in vary:
        if name in _NEVER_VARY:
            raise UsageError(
                f"{name} can't be varied: replies to different conversations can't be compared",
                hint="hold both runs with the same suite",
            )
        if name not in known:
            close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
            close += [candidate for candidate in known if candidate.endswith(f".{name}") and candidate not in close]
            hint = f"did you mean {' or '.join(close)}?" if close else f"one of: {', '.join(known)}"
            raise UsageError(f"no condition is called {name!r}", hint=hint)


def _both(values: tuple[object, object]) -> str:
    return " / ".join(_short(value) for value in values)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"


def _next(undeclared: Mapping[str, object]) -> str:
    if _NEVER_VARY & undeclared.keys():
        return "the runs are of different suites, or of different versions of one: hold both with the same suite"
    options = " ".join(f"--vary {name}" for name in undeclared)
    return f"give both the same conditions, or declare the difference: {options}"


def compare(
    suite: Suite,
    base: Iterable[Assessed],
    tuned: Iterable[Assessed],
    *,
    base_run: str,
    tuned_run: str,
    notes: Sequence[str] = (),
) -> Comparison:
    """Compare two runs of one suite, conversation by conversation.

    Both are read once and in step. Any order does; when they come in the same order, as a store gives them, no
    transcript is kept beyond its counterpart.

    Args:
        suite: What both runs were held with.
        base: The transcripts of one run, one for each conversation and sample.
        tuned: Those of the other.
        base_run: Id of the run that is compared with.
        tuned_run: Id of the run in question.
        notes: Lines for the reader, before this function's own.

    Raises:
        UsageError: A transcript is of a conversation that the suite does not have.
        ValueError: One run has a conversation and sample twice.
    """
    layout = Layout(suite)
    arms = Summary(layout), Summary(layout)
    drifts: dict[int, _Drift] = {}
    for session, one, other in _in_step(arms, base, tuned):
        drift = drifts.setdefault(layout.conversation(session), _Drift())
        for before, after in zip(one, other, strict=True):
            drift.add(before, after)
    orientations = _orientations(suite)
    contrasts = [
        _contrast(measure, group, arms, orientations[measure.name]) for group in layout.groups for measure in MEASURES
    ]
    leakage = next(one for one in contrasts if (one.measure, one.group) == ("role_leakage", ("all", "")))
    changes = [
        drift.change(suite.conversations[at].id) for at, drift in sorted(drifts.items()) if drift.pairs["any"] > 0
    ]
    return Comparison(
        base_run=base_run,
        tuned_run=tuned_run,
        contrasts=tuple(contrasts),
        changes=tuple(sorted(changes, key=lambda change: -change.score)),
        distributions=tuple(_distributions(arms)),
        notes=(
            *notes,
            *_format_note(leakage),
            *_arm_notes("base", arms[0], suite),
            *_arm_notes("tuned", arms[1], suite),
        ),
    )


def _format_note(leakage: Contrast) -> Iterator[str]:
    """Whether the tuned model looks as if it had been trained on another format than it is asked in."""
    base, tuned = leakage.base.value, leakage.tuned.value
    if base is None or tuned is None or tuned - base < _OTHER_FORMAT:
        return
    yield (
        f"warning: tuned leaves its role (goes on as the user, writes role labels or control tokens) in "
        f"{number(tuned, 'share')} of replies, base in {number(base, 'share')}: was it trained on another format than "
        "it is asked in? multiturn doctor MODEL shows what is sent"
    )


def _contrast(measure: Measure, group: Group, arms: tuple[Summary, Summary], orientation: Orientation) -> Contrast:
    base, tuned = (arm.values(measure.name, group) for arm in arms)
    interval = share_interval if measure.share else mean_interval
    both = base.keys() & tuned.keys()  # where it does not apply to one arm, nothing is missing and nothing pairs
    first, second = ({name: value for name, value in arm.items() if name in both} for arm in (base, tuned))
    return Contrast(
        measure=measure.name,
        group=group,
        base=interval(tuple(base.values()), LEVEL),
        tuned=interval(tuple(tuned.values()), LEVEL),
        difference=paired_difference(first, second, LEVEL, within=_DIFFERENCE_RANGE if measure.share else None),
        orientation=orientation,
    )


def _distributions(arms: tuple[Summary, Summary]) -> Iterator[Distribution]:
    for measure in LENGTHS:
        arm_of: dict[Literal["base", "tuned"], Summary] = {"base": arms[0], "tuned": arms[1]}
        for name, arm in arm_of.items():
            found = arm.lengths[measure]
            if found:
                yield Distribution(measure=measure, arm=name, n=len(found), quantiles=quantiles(found, SHARES))


def _orientations(suite: Suite) -> dict[str, Orientation]:
    """Each measure's own; refusals have none where the suite has turns at which a refusal is right."""
    wanted = any(turn.refusal_expected for conversation in suite.conversations for turn in conversation.turns)
    return {
        measure.name: "neither" if wanted and measure.name.startswith("refusal") else measure.orientation
        for measure in MEASURES
    }


def _arm_notes(name: str, arm: Summary, suite: Suite) -> Iterator[str]:
    total = len(suite.conversations)
    if arm.held < total:
        yield f"{name}: {total - arm.held} of {total} conversations were not held"
    if arm.lost:
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(arm.lost.items()))
        yield f"{name}: {arm.lost.total()} of {arm.turns} turns are missing through no doing of the model ({kinds})"
    if arm.endless > MANY_ENDLESS * arm.replies:
        yield (
            f"warning: {name}: {arm.endless} of {arm.replies} replies ended inside their reasoning; "
            "--reasoning-tokens N gives it a budget of its own"
        )
    if arm.overflowed:
        yield f"{name}: {arm.overflowed} of {arm.turns} turns have no reply: they outgrew the context window"


class _Held(msgspec.Struct, frozen=True):
    """One turn, reduced to what tells a change: its readings, and its reply if it has one."""

    readings: dict[str, float]
    reply: str | None


def _in_step(
    arms: tuple[Summary, Summary], base: Iterable[Assessed], tuned: Iterable[Assessed]
) -> Iterator[tuple[Session, list[_Held], list[_Held]]]:
    """Feed both summaries, and give each session that both arms have, as soon as both are there."""
    waiting: dict[tuple[int, Session], list[_Held]] = {}
    for both in zip_longest(base, tuned):
        for arm, assessed in enumerate(both):
            if assessed is None:
                continue
            session = assessed.transcript.session
            replies = {record.turn: record.reply for record in assessed.transcript.turns}
            found = arms[arm].add(assessed)
            held = [_Held(turn, replies.get(index)) for index, turn in enumerate(found)]
            counterpart = waiting.pop((1 - arm, session), None)
            if counterpart is None:
                waiting[arm, session] = held
            else:
                yield (session, counterpart, held) if arm else (session, held, counterpart)


class _Flip(msgspec.Struct, frozen=True):
    """A flag whose change counts: its weight, and the words for replies that got it and that lost it."""

    measure: str
    weight: float
    got: str
    lost: str


FLIPS: Final = (
    _Flip("refusal", 3, "became refusals", "stopped being refusals"),
    _Flip("empty", 3, "became empty", "stopped being empty"),
    _Flip("overflowed", 3, "fell out of the context window", "came back into the context window"),
    _Flip("collapse", 3, "collapsed into repetition", "stopped collapsing into repetition"),
    _Flip("language_change", 2, "changed language", "came back to the language"),
    _Flip("role_leakage", 2, "spoke for someone else", "stopped speaking for someone else"),
    _Flip("cut_off", 1, "were cut off at the limit", "stopped being cut off at the limit"),
)
"""What a conversation's score of change counts, each as the share of its turns whose flag flipped, times its weight."""

MOST_DOUBLINGS: Final = 4.0
"""A change of length counts with its doublings (or halvings) of the number of words, up to this many."""

_LENGTH_WORTH_SAYING: Final = 1.5
_TEXT_WORTH_SAYING: Final = 0.5


class _Drift:
    """How far one conversation moved, over all pairs of turns (of all samples) that both arms have.

    Score = sum over :data:`FLIPS` of weight x share of turns that flipped
    + min(|log2((words of tuned + 1) / (words of base + 1))|, :data:`MOST_DOUBLINGS`), words as means over turns
    + mean distance of the texts, 0 (the same words) to 1 (no word in common): ``1 - 2 |A & B| / (|A| + |B|)`` over bags
    of words (L. R. Dice, Ecology 26, 1945).

    A score orders a reading list. It is no measure of quality, and no test rests on it.
    """

    def __init__(self) -> None:
        self.pairs: Final = Counter[str]()
        self.got: Final = Counter[str]()
        self.lost: Final = Counter[str]()
        self.words: Final = [0.0, 0.0]
        self.distance = 0.0
        self.missing = 0

    def add(self, before: _Held, after: _Held) -> None:
        """Take in one turn as both arms held it."""
        if before.readings["missing"] or after.readings["missing"]:
            self.missing += 1
            return
        self.pairs["any"] += 1
        for flip in FLIPS:
            values = before.readings.get(flip.measure), after.readings.get(flip.measure)
            if values[0] is None or values[1] is None:
                continue
            self.pairs[flip.measure] += 1
            self.got[flip.measure] += values[0] < values[1]
            self.lost[flip.measure] += values[0] > values[1]
        words = before.readings.get("words"), after.readings.get("words")
        if words[0] is not None and words[1] is not None:
            self.pairs["words"] += 1
            self.words[0] += words[0]
            self.words[1] += words[1]
        if before.reply is not None and after.reply is not None:
            self.pairs["text"] += 1
            self.distance += _distance(before.reply, after.reply)

    def change(self, conversation: str) -> Change:
        """The score and its reasons, the weightiest kind of change first."""
        score = 0.0
        reasons: list[str] = []
        for flip in FLIPS:
            turns = self.pairs[flip.measure]
            for count, words in ((self.got[flip.measure], flip.got), (self.lost[flip.measure], flip.lost)):
                if count:
                    score += flip.weight * count / turns
                    reasons.append(f"{count} of {turns} replies {words}")
        doublings, said = self._length()
        score += doublings
        reasons += said
        distance = self.distance / self.pairs["text"] if self.pairs["text"] else 0.0
        score += distance
        if distance >= _TEXT_WORTH_SAYING:
            reasons.append(f"the texts share {number(1 - distance, 'share')} of their words")
        if self.missing:
            reasons.append(f"{self.missing} of {self.missing + self.pairs['any']} turns are missing in an arm")
        return Change(conversation=conversation, score=round(score, 6), reasons=tuple(reasons))

    def _length(self) -> tuple[float, list[str]]:
        """Doublings or halvings of the number of words, capped, and the words for it where it is worth saying."""
        turns = self.pairs["words"]
        if not turns:
            return 0.0, []
        before, after = (total / turns for total in self.words)
        doublings = min(abs(math.log2((after + 1) / (before + 1))), MOST_DOUBLINGS)
        if min(before, after) == 0 or max(before, after) / min(before, after) < _LENGTH_WORTH_SAYING:
            return doublings, []
        times = number(max(before, after) / min(before, after), "times")
        return doublings, [f"replies {times} times {'longer' if after > before else 'shorter'}"]


def _distance(one: str, other: str) -> float:
    """Dice's distance of two bags of words; 0 for two texts without words."""
    left, right = Counter(one.casefold().split()), Counter(other.casefold().split())
    total = left.total() + right.total()
    return 1 - 2 * (left & right).total() / total if total else 0.0
