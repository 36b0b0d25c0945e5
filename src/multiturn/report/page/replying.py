"""What a sheet shows of one reply: its text with what is marked in it, states, checks, signals, and how it was drawn.

What this module does not know: the other arms' replies, beside what their checks say; HTML.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from multiturn.finding import FAILS_AS_REFUSAL
from multiturn.report.marks import SIGNS
from multiturn.report.numbers import in_short, number
from multiturn.report.page.marking import Mark, blocks_of, pieces_of
from multiturn.report.page.states import REFUSAL_SIGN, refusal_of, states_of, without_reply
from multiturn.text.measure import is_blank
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multiturn.finding import Assessed, Checked, Outcome, Signal
    from multiturn.report.page.marking import Piece
    from multiturn.report.page.opinions import Opinion
    from multiturn.report.page.states import State
    from multiturn.transcript import TurnRecord

DIFFERS: Final = "differs"
REFUSAL: Final = "refusal"
"""What words are marked as, beside the outcome of the check that they decided."""

ASIDE: Final = 200
"""Characters of what a check wants, or of why it fails: a pattern or a list of variants can be long."""

_WORDS: Final[Mapping[Outcome, str]] = {"pass": "passes", "fail": "fails", "not_applicable": "does not apply"}
_FLIPS: Final[Mapping[tuple[Outcome, Outcome], str]] = {
    ("pass", "fail"): "lost: {} passes it",
    ("fail", "pass"): "won: {} fails it",
}
_PATTERN: Final = "matches '"
"""What wants a pattern says little to most readers."""
_WORD: Final = re.compile(r"\w+")
_SAYS_LITTLE: Final = frozenset({"a", "and", "as", "at", "in", "is", "no", "not", "of", "or", "reply", "the", "to"})


class CheckLine(NamedTuple):
    """What one check says. ``said`` is its sign, its number (from 1, in the suite's order) and a word; ``flip`` is ""
    where nothing flipped.
    """  # noqa: D205 - one sentence

    outcome: Outcome
    said: str
    flip: str
    told: str
    aside: str


class Prompt(NamedTuple):
    """What was really sent, as what it adds to the prompt of the turn before: that one's first ``kept`` characters, as
    they are shown, are its beginning.
    """  # noqa: D205 - one sentence

    kept: int
    adds: str


class Shown(NamedTuple):
    """All of one reply. ``blocks`` are its text, the first of them what is seen at once.

    ``absent`` says why there is no reply, ``failed`` in the engine's own words; "" where there is one. ``summary`` is
    how long it is, what of it is repeated, how like the first arm's it is; ``others`` all else that was measured;
    ``drawn`` is how it came about, ``judged`` what judges said of it.
    """

    blocks: Sequence[Sequence[Piece]] = ()
    absent: str = ""
    failed: str = ""
    states: Sequence[State] = ()
    checks: Sequence[CheckLine] = ()
    summary: str = ""
    others: str = ""
    raw: str = ""
    reasoning: str = ""
    prompt: Prompt | None = None
    drawn: str = ""
    judged: Sequence[Opinion] = ()

    @property
    def folded(self) -> str:
        """How many characters stand behind the first block."""
        return number(sum(len(piece.text) for block in self.blocks[1:] for piece in block), "count")


class Held:
    """One transcript, found again by turn (from 0)."""

    def __init__(self, assessed: Assessed) -> None:
        self.records: Final = {one.turn: one for one in assessed.transcript.turns}
        self.signals: Final[defaultdict[int, list[Signal]]] = defaultdict(list)
        self.checks: Final[defaultdict[int, list[Checked]]] = defaultdict(list)
        for signal in assessed.signals:
            self.signals[signal.turn].append(signal)
        for checked in assessed.checks:
            self.checks[checked.turn].append(checked)
        self.prompts: Final = dict(_prompts(assessed.transcript.turns))

    def reply(self, turn: int) -> str | None:
        """None where there is none."""
        return self.records[turn].reply if turn in self.records else None


def _prompts(records: Sequence[TurnRecord]) -> Iterator[tuple[int, Prompt]]:
    """By turn. Characters are counted as they are shown, which is not as they were sent where some are odd."""
    whole = ""
    for record in records:
        if record.prompt_delta is not None:
            kept = whole[: record.prompt_kept]
            whole = kept + record.prompt_delta
            yield record.turn, Prompt(len(printable(kept)), record.prompt_delta)


def shown_reply(
    held: Held | None,
    turn: int,
    *,
    refusal_expected: bool | None,
    before: Held | None = None,
    base: str = "",
    differs: Sequence[tuple[int, int]] = (),
    likeness: str = "",
) -> Shown:
    """One arm's reply at this turn (from 0).

    Args:
        held: the transcript; None where the arm did not hold this conversation.
        turn: which one, from 0.
        refusal_expected: whether a refusal is right here; None where the suite does not say.
        before: the first arm's transcript, for checks that flipped; None where there is none.
        base: what the first arm is called.
        differs: the words that another arm's reply does not have.
        likeness: how like the first arm's it is, where marks don't say.
    """
    record = None if held is None else held.records.get(turn)
    if held is None or record is None:
        return Shown(absent=without_reply(None))
    signals, checks = held.signals[turn], held.checks[turn]
    measured, others = ("", "") if record.reply is None else _measured(signals)
    outcomes = {} if before is None else {one.check: one.result.outcome for one in before.checks[turn]}
    return Shown(
        blocks=_blocks(record, signals, checks, differs),
        absent=_absent(record),
        failed=record.failure.message if record.failure is not None else "",
        states=tuple(states_of(record, signals, refusal_expected=refusal_expected)),
        checks=tuple(_line(one, outcomes.get(one.check), base) for one in checks),
        summary="; ".join(filter(None, (measured, likeness))),
        others=others,
        raw=record.raw if record.raw is not None and record.raw != record.reply else "",
        reasoning=record.reasoning,
        prompt=held.prompts.get(turn),
        drawn="; ".join(_drawn(record)),
    )


def _absent(record: TurnRecord) -> str:
    if record.reply is None:
        return without_reply(record)
    if not record.reply:
        return "(empty reply)"
    if not is_blank(record.reply):
        return ""
    return (
        f"(empty reply: nothing {'that a reader sees' if is_blank(printable(record.reply)) else 'but control codes'})"
    )


def _blocks(
    record: TurnRecord, signals: Sequence[Signal], checks: Sequence[Checked], differs: Sequence[tuple[int, int]]
) -> Sequence[Sequence[Piece]]:
    if not record.reply or is_blank(printable(record.reply)):
        return ()
    marks = [Mark(start, end, DIFFERS) for start, end in differs]
    refusal = refusal_of(signals)
    if refusal is not None and refusal.span is not None:
        marks.append(Mark(refusal.span.start, refusal.span.end, REFUSAL, REFUSAL_SIGN))
    for one in checks:
        span = one.result.span
        if span is not None:
            marks.append(Mark(span.start, span.end, one.result.outcome, number(one.check + 1, "count")))
    return blocks_of(pieces_of(record.reply, marks))


def _line(checked: Checked, before: Outcome | None, base: str) -> CheckLine:
    outcome, wants = checked.result.outcome, in_short(checked.wants, ASIDE)
    reason = "" if outcome == "pass" else in_short(checked.result.reason, ASIDE)
    meaning = checked.why if outcome == "fail" else ""
    if outcome == "fail" and checked.result.reason == FAILS_AS_REFUSAL:  # what its failing means did not happen
        meaning, reason = checked.result.reason, f"the check's note: {checked.why or wants}"
    elif _PATTERN in wants:
        reason = reason or (f"failing would mean: {checked.why}" if checked.why else "")
    elif meaning and _telling(wants).isdisjoint(_telling(reason)):
        reason = f"{reason}; wanted: {wants}" if reason else f"wanted: {wants}"
    return CheckLine(
        outcome=outcome,
        said=f"{SIGNS[outcome]} check {number(checked.check + 1, 'count')} {_WORDS[outcome]}",
        flip="" if before is None else _FLIPS.get((before, outcome), "").format(base),
        told=meaning or wants,
        aside=reason,
    )


def _telling(text: str) -> set[str]:
    """The words of a check that say what it is about."""
    return {*_WORD.findall(text)} - _SAYS_LITTLE


def _measured(signals: Sequence[Signal]) -> tuple[str, str]:
    """How long a reply is and what of it is repeated, in short; and all else that was measured, by the signals' names.

    Flags that are raised stand among the states.
    """
    short, rest, quiet, unknown = list[str](), list[str](), list[str](), list[str]()
    for one in signals:
        name = one.name.replace("_", " ")
        if one.value is None:
            unknown.append(f"{name} ({one.reason})")
        elif one.unit == "flag":
            quiet += [f"{name} ({one.label})" if one.label else name] if one.value == 0 else []
        elif one.name == "words":
            short.append(_counted(name, one.value))
        elif one.name == "repetition" and one.value > 0:
            short.append(f"{number(one.value, one.unit)} repeated")
        else:
            rest.append(_counted(name, one.value) if one.unit != "share" else f"{name} {number(one.value, one.unit)}")
    rest += [f"not raised: {', '.join(quiet)}"] if quiet else []
    rest += [f"not measured: {', '.join(unknown)}"] if unknown else []
    return ", ".join(short), "; ".join(rest)


def _counted(things: str, count: float) -> str:
    return f"{number(count, 'count')} {things.removesuffix('s') if count == 1 else things}"


def _drawn(record: TurnRecord) -> Iterator[str]:
    """Tokens, seed, how it ended, time."""
    if record.prompt_tokens is not None:
        cached = f", {number(record.cached_tokens, 'count')} of them from the cache" if record.cached_tokens else ""
        yield f"{number(record.prompt_tokens, 'count')} tokens in the prompt{cached}"
    if record.new_tokens is not None:
        yield f"{number(record.new_tokens, 'count')} tokens written"
    if record.finish is not None:
        yield f"finish {record.finish}"
    if record.seed is not None:
        yield f"seed {record.seed}"
    if record.timing is not None:
        parts = (("reading", record.timing.prompt), ("writing", record.timing.generate))
        inside = ", ".join(f"{number(value, 'times')} {what}" for what, value in parts if value is not None)
        yield f"{number(record.timing.total, 'times')} seconds{f' ({inside})' if inside else ''}"
    if record.served_model:
        yield f"served by {record.served_model}"
