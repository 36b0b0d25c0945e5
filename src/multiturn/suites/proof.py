"""Proof that the checks of a suite do what they say: goldens pass, bad replies fail, cheap tricks pass nothing.

Pure: replies in, findings out. Who wrote the replies (goldens, bad ones, a blind replier, a model) is the caller's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Literal

import msgspec

from multiturn.checks.base import Bad, Read
from multiturn.checks.reading import read_check
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.finding import CheckResult, turn_passes
from multiturn.suites.attackers import ATTACKERS, Scene
from multiturn.suites.blind import Covered, Held, covered, require_of_suite
from multiturn.transcript import Session, Transcript, TurnRecord

Step = Literal["golden", "bad", "attack", "held", "ablation"]

ABLATED: Final = frozenset({"context_retention", "correction", "instruction_hierarchy"})
"""Capabilities whose probes must fail where the needed turn is taken away."""


class Shortcoming(msgspec.Struct, frozen=True, kw_only=True):
    """Where the proof does not hold: the turn counts from 0, and so does the check (None: all of the turn's)."""

    step: Step
    conversation: str
    turn: int
    check: int | None = None
    text: str

    def __str__(self) -> str:
        check = "" if self.check is None else f".checks[{self.check}]"
        return f"{self.conversation} turns[{self.turn}]{check}: {self.step}: {self.text}"


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """So many of so many."""

    name: str
    passed: int
    of: int


class Attacked(Tally, frozen=True, kw_only=True):
    """How many probing turns an attacker passes, and how many of their checks, of those that apply to what it says."""

    checks_passed: int
    checks: int


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """What was tried, and where it does not hold."""

    checks: int
    bads: int
    probes: int
    attacks: tuple[Attacked, ...]
    shortcomings: tuple[Shortcoming, ...]


def prove(suite: Suite) -> Proof:
    """Steps that need no model: goldens, bad replies, cheap attackers."""
    found: list[Shortcoming] = []
    for conversation in suite.conversations:
        found += _goldens(conversation)
        found += _bads(conversation)
    attacks = [_attacked(suite, name) for name in ATTACKERS]
    probes = sum(1 for conversation in suite.conversations for _ in probing_turns(conversation))
    return Proof(
        checks=sum(len(turn.checks) for conversation in suite.conversations for turn in conversation.turns),
        bads=sum(len(bads_of(read_check(check))) for _, turn in _turns(suite) for check in turn.checks),
        probes=probes,
        attacks=tuple(tally for tally, _ in attacks),
        shortcomings=(*found, *(one for _, passed in attacks for one in passed)),
    )


def probing_turns(conversation: Conversation) -> Iterator[int]:
    """The turns (from 0) that probe something with a check; the first probes only what its own capability says."""
    for index, turn in enumerate(conversation.turns):
        if turn.checks and (index or conversation.capability_of(index) is not None):
            yield index


def bads_of(read: Read) -> tuple[Bad, ...]:
    """The bad replies of a check; none where it can't be read here."""
    bads: tuple[Bad, ...] = getattr(read.check, "bad", ())
    return bads


def golden_transcript(conversation: Conversation, before: int) -> Transcript:
    """The conversation with its goldens, up to (not with) a turn; a turn without a golden is left out."""
    records = tuple(
        TurnRecord(turn=index, user=turn.text, status="ok", reply=turn.golden)
        for index, turn in enumerate(conversation.turns[:before])
        if turn.golden is not None
    )
    return Transcript(session=Session(conversation.id), turns=records, system=conversation.system)


def ask_all(conversation: Conversation, index: int, reply: str, so_far: Transcript | None = None) -> list[CheckResult]:
    """What each check of a turn says of a reply, after the goldens of the turns before or after what was said."""
    turn = conversation.turns[index]
    earlier = golden_transcript(conversation, index) if so_far is None else so_far
    record = TurnRecord(turn=index, user=turn.text, status="ok" if reply.strip() else "empty", reply=reply)
    return [read_check(written).check(earlier, record) for written in turn.checks]


def _turns(suite: Suite) -> Iterator[tuple[Conversation, Turn]]:
    for conversation in suite.conversations:
        for turn in conversation.turns:
            yield conversation, turn


def _goldens(conversation: Conversation) -> Iterator[Shortcoming]:
    for index, turn in enumerate(conversation.turns):
        if not turn.checks:
            continue
        if turn.golden is None:
            text = "has checks and no golden reply to try them on"
            yield Shortcoming(step="golden", conversation=conversation.id, turn=index, text=text)
            continue
        for number, result in enumerate(ask_all(conversation, index, turn.golden)):
            if result.outcome != "pass":
                text = f"the golden reply does not pass ({result.outcome}): {told(result)}"
                yield Shortcoming(step="golden", conversation=conversation.id, turn=index, check=number, text=text)


def _bads(conversation: Conversation) -> Iterator[Shortcoming]:
    for index, turn in enumerate(conversation.turns):
        for number, written in enumerate(turn.checks):
            bads = bads_of(read_check(written))
            if not bads:
                text = "has no bad reply; give one that a real model might write and that fails only this check"
                yield Shortcoming(step="bad", conversation=conversation.id, turn=index, check=number, text=text)
            for bad in bads:
                for text in _faults_of_bad(conversation, index, number, bad):
                    yield Shortcoming(step="bad", conversation=conversation.id, turn=index, check=number, text=text)


def _faults_of_bad(conversation: Conversation, index: int, number: int, bad: Bad) -> Iterator[str]:
    results = ask_all(conversation, index, bad.reply)
    mine = results[number]
    if mine.outcome != "fail":
        yield f"the bad reply {_short(bad.reply)} does not fail it ({mine.outcome}: {mine.reason})"
    elif bad.span and (mine.span is None or mine.span.text != bad.span):
        quoted = repr(mine.span.text) if mine.span else "nothing"
        yield f"the bad reply {_short(bad.reply)} fails on {quoted}, not on {bad.span!r}"
    for other, result in enumerate(results):
        if other != number and result.outcome != "pass":
            yield f"the bad reply {_short(bad.reply)} also fails checks[{other}]: {told(result)}"


def _attacked(suite: Suite, name: str) -> tuple[Attacked, list[Shortcoming]]:
    """How many probing turns and checks an attacker passes, and which turns."""
    passed: list[Shortcoming] = []
    outcomes: Counter[str] = Counter()
    total = 0
    for conversation in suite.conversations:
        for index in probing_turns(conversation):
            total += 1
            reply = ATTACKERS[name](scene_of(conversation, index))
            if reply is None:
                continue
            results = ask_all(conversation, index, reply)
            outcomes.update(result.outcome for result in results)
            if turn_passes(results):
                text = f"the attacker {name!r} passes with {_short(reply)}"
                passed.append(Shortcoming(step="attack", conversation=conversation.id, turn=index, text=text))
    checks = outcomes["pass"] + outcomes["fail"]
    return Attacked(name=name, passed=len(passed), of=total, checks_passed=outcomes["pass"], checks=checks), passed


def scene_of(conversation: Conversation, index: int) -> Scene:
    """What an attacker sees: what the user said, the goldens before, and the phrases that the checks look for."""
    checks = map(read_check, conversation.turns[index].checks)
    return Scene(
        users=tuple(turn.text for turn in conversation.turns[: index + 1]),
        replies=tuple(turn.golden or "" for turn in conversation.turns[:index]),
        phrases=tuple(phrase for check in checks for phrase in check.phrases()),
        refusal_expected=bool(conversation.turns[index].refusal_expected),
    )


class HeldFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A check that a held reply does not pass."""

    style: str
    shortcoming: Shortcoming
    reply: str
    kind: str


def check_held(
    suite: Suite, held: Sequence[Held]
) -> tuple[tuple[Tally, ...], tuple[HeldFailure, ...], tuple[Covered, ...]]:
    """How many checks pass on replies that were held blind, which do not, and which conversations were not held.

    Tallies are for each style, the last for all. Checks that look back see the replies of the same holding. What is not
    applicable is left out.

    Raises:
        UsageError: a conversation is not of the suite, has another number of replies than turns, or was held twice in
            one style.
    """
    by_id = {conversation.id: conversation for conversation in suite.conversations}
    turns = {name: len(conversation.turns) for name, conversation in by_id.items()}
    require_of_suite(suite.name, turns, held, "conversation")
    counts: dict[str, list[int]] = {}
    failures: list[HeldFailure] = []
    for one in held:
        conversation = by_id[one.conversation]
        for index, result, number in _held_results(conversation, one.replies):
            if result.outcome == "not_applicable":
                continue
            count = counts.setdefault(one.style, [0, 0])
            count[0] += result.outcome == "pass"
            count[1] += 1
            if result.outcome == "fail":
                where = Shortcoming(
                    step="held", conversation=conversation.id, turn=index, check=number, text=told(result)
                )
                kind = read_check(conversation.turns[index].checks[number]).kind
                failures.append(HeldFailure(style=one.style, shortcoming=where, reply=one.replies[index], kind=kind))
    tallies = [Tally(name=style, passed=count[0], of=count[1]) for style, count in sorted(counts.items())]
    total = Tally(name="all", passed=sum(one.passed for one in tallies), of=sum(one.of for one in tallies))
    return (*tallies, total), tuple(failures), covered(tuple(by_id), held, "conversations")


def _held_results(conversation: Conversation, replies: Sequence[str]) -> Iterator[tuple[int, CheckResult, int]]:
    said = Transcript(session=Session(conversation.id), turns=(), system=conversation.system)
    for index, (turn, reply) in enumerate(zip(conversation.turns, replies, strict=True)):
        for number, result in enumerate(ask_all(conversation, index, reply, said)):
            yield index, result, number
        record = TurnRecord(turn=index, user=turn.text, status="ok", reply=reply)
        said = msgspec.structs.replace(said, turns=(*said.turns, record))


class Ablation(msgspec.Struct, frozen=True, kw_only=True):
    """A probe whose needed turn is taken away: what is still said, under an id of its own."""

    id: str
    conversation: str
    turn: int
    without: int | None
    asked: Conversation


def ablations(suite: Suite) -> tuple[Ablation, ...]:
    """Each probe of retention, correction and hierarchy without the turn that it needs.

    The turn that lies ``distance`` turns back is left out, and everything after the probe; where a turn has no distance
    and the conversation has a system prompt, that is left out instead.
    """
    found: list[Ablation] = []
    for conversation in suite.conversations:
        for index in probing_turns(conversation):
            turn = conversation.turns[index]
            if conversation.capability_of(index) not in ABLATED or not (turn.distance or conversation.system):
                continue
            needed = index - turn.distance if turn.distance else None
            kept = [Turn(text=one.text) for at, one in enumerate(conversation.turns[: index + 1]) if at != needed]
            name = f"{conversation.id}.{index}"
            system = conversation.system if turn.distance else None
            asked = Conversation(id=name, turns=tuple(kept), system=system)
            found.append(Ablation(id=name, conversation=conversation.id, turn=index, without=needed, asked=asked))
    return tuple(found)


def check_ablated(suite: Suite, held: Sequence[Held]) -> tuple[Tally, tuple[Shortcoming, ...], tuple[Covered, ...]]:
    """How many probes pass although the turn that they need was never said, which, and which were not held.

    Args:
        suite: with its checks.
        held: under the id of the ablation, the reply to each turn that was still said.

    Raises:
        UsageError: as :func:`check_held`.
    """
    by_id = {conversation.id: conversation for conversation in suite.conversations}
    known = {one.id: one for one in ablations(suite)}
    require_of_suite(suite.name, {name: len(one.asked.turns) for name, one in known.items()}, held, "probe")
    passed: list[Shortcoming] = []
    for one in held:
        ablation, said = known[one.conversation], one.replies
        kept = [index for index in range(ablation.turn + 1) if index != ablation.without]
        records = tuple(
            TurnRecord(turn=index, user=turn.text, status="ok" if reply.strip() else "empty", reply=reply)
            for index, turn, reply in zip(kept, ablation.asked.turns, said, strict=True)
        )
        so_far = Transcript(session=Session(ablation.id), turns=records[:-1], system=ablation.asked.system)
        conversation = by_id[ablation.conversation]
        checks = conversation.turns[ablation.turn].checks
        results = [read_check(written).check(so_far, records[-1]) for written in checks]
        if turn_passes(results):
            text = f"passes without the turn it needs, with {_short(said[-1])}"
            passed.append(Shortcoming(step="ablation", conversation=conversation.id, turn=ablation.turn, text=text))
    tally = Tally(name="ablated", passed=len(passed), of=len(held))
    return tally, tuple(passed), covered(tuple(known), held, "probes")


def told(result: CheckResult) -> str:
    """The reason, with the span that decided."""
    return f"{result.reason} ({_short(result.span.text)})" if result.span else result.reason


def _short(text: str) -> str:
    return repr(text if len(text) <= 70 else f"{text[:67]}...")  # noqa: PLR2004 - a line of a terminal
