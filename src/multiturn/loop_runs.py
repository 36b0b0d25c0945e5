"""From the results of another script to runs: a suite, one or two run records, and their transcripts. Pure.

What is known of such a run is what stands in its file; everything else (sampling, seeds, template, window) is recorded
as not known. Replies are freed of their echoed prompts and then cleaned as ``dialogue`` does, the text as it stood is
kept beside; an absent reply is missing, never a text or a number.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from multiturn import __version__
from multiturn.cleaning import Cleaned, clean
from multiturn.codec import clean_surrogates
from multiturn.conditions import Arm, Conditions, RunRecord
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.prompt_echo import (
    Echo,
    Exchange,
    before_label,
    control_texts,
    echoes,
    still_holding,
    to_cut,
    without_end,
)
from multiturn.suites.exchanges import HeldTurn
from multiturn.suites.held import HeldArm, HeldConversation, HeldFile
from multiturn.text.measure import is_blank
from multiturn.text.refusal import refusal
from multiturn.transcript import REPLIED, Failure, Session, Status, Transcript, TurnRecord

ENGINE: Final = "imported"
NO_REASON: Final = "the file holds no reply here, and does not say why"
UNKNOWN: Final = (
    "not known of an imported run: sampling, seeds, template, context window, whether a reply was cut off at a limit"
)
_ERROR_TEXT: Final = re.compile(
    r"\s*(?:\$\w+\$|\[?(?:error|exception)\]?(?:\s*:.{0,1000})?|traceback \(most recent call last\).*|<error>.*"
    r"|none|null|nan|n/a|timeout)\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
_SHOWN: Final = 5


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """The file: its name without folders and ending, the SHA-256 of its bytes, and when it is imported."""

    name: str
    sha256: str
    now: dt.datetime


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """What is in an arm's replies: ``echoes`` were freed of their prompt, ``left`` begin like one and were left whole.

    ``holding`` still hold the earlier users' texts, though the prompts of their conversations were cut.
    ``refusals`` are as they are now; ``own_refusals`` is the file's own count, None where it has none.
    """

    replies: int
    echoes: int
    left: int
    holding: int
    refusals: int
    own_refusals: int | None


class LoopArm(msgspec.Struct, frozen=True, kw_only=True):
    """One arm as a run, with its transcripts."""

    run: RunRecord
    transcripts: tuple[Transcript, ...]
    counts: Counts


class LoopRuns(msgspec.Struct, frozen=True, kw_only=True):
    """All that a file becomes; ``notes`` are for the reader. An empty ``arms`` has its reason in the last note."""

    suite: Suite | None
    arms: tuple[LoopArm, ...]
    notes: tuple[str, ...]


def loop_runs(held: HeldFile, source: Source, known: Sequence[Conversation] = ()) -> LoopRuns:
    """The runs of a file without faults.

    Args:
        held: what stands in the file.
        source: the file itself.
        known: conversations of suites. One with the same id and user's turns gives the file's its reasons and tags.

    Returns:
        Conversations that the arms held with other user's turns or another system prompt can't be compared and are left
        out, named; one that an arm broke off, or does not have, is missing there.
    """
    conversations, differing = _together(held.arms, known)
    notes = []
    if differing:
        notes.append(
            f"{_some(differing)}: base and tuned were asked other things (user's turns or system prompt), so they "
            "can't be compared and are left out"
        )
    if not conversations:
        return LoopRuns(suite=None, arms=(), notes=tuple(notes))
    suite = Suite(name=source.name, conversations=conversations)
    samples = 1 + max(one.sample for arm in held.arms for one in arm.conversations)
    names = _names(held.arms, source.name)
    runs = [_run(name, place, suite, samples, source) for place, name in enumerate(names)]
    arms = [_arm(arm, suite, run) for arm, run in zip(held.arms, runs, strict=True)]
    notes += [note for arm in arms for note in _doubtful(arm)]
    return LoopRuns(suite=suite, arms=tuple(arms), notes=tuple(notes))


def _together(arms: Sequence[HeldArm], known: Sequence[Conversation]) -> tuple[tuple[Conversation, ...], list[str]]:
    """The conversations of all arms, each as far as any arm held it; and the ids of those that differ."""
    asked: dict[str, tuple[str | None, list[str]]] = {}
    differing: dict[str, None] = {}
    for one in (conversation for arm in arms for conversation in arm.conversations):
        said = [turn.user for turn in one.turns]
        system, before = asked.setdefault(one.id, (one.system, said))
        short, long = sorted((before, said), key=len)
        asked[one.id] = system, long
        if system != one.system or long[: len(short)] != short:
            differing[one.id] = None
    tagged = {(one.id, one.system, *(turn.text for turn in one.turns)): one for one in known}
    kept = tuple(
        tagged.get((name, system, *users))
        or Conversation(id=name, turns=tuple(Turn(text=text) for text in users), system=system)
        for name, (system, users) in asked.items()
        if name not in differing
    )
    return kept, list(differing)


def _names(arms: Sequence[HeldArm], file: str) -> list[str]:
    """The models' names; made distinct, since a comparison is of two models."""
    own = [clean_surrogates(arm.model).strip() or file for arm in arms]
    sides = ("base", "tuned")
    return own if len(set(own)) == len(own) else [f"{name} ({side})" for name, side in zip(own, sides, strict=True)]


def _arm(arm: HeldArm, suite: Suite, run: RunRecord) -> LoopArm:
    known = {conversation.id for conversation in suite.conversations}
    held = [one for one in arm.conversations if one.id in known]
    exchanges = [[Exchange(turn.user, _candidate(turn)) for turn in one.turns] for one in held]
    found = echoes(exchanges, [one.system for one in held if one.system])
    cut = to_cut(exchanges, found)
    transcripts = tuple(
        _transcript(one, echo_row if chosen else [None] * len(echo_row))
        for one, echo_row, chosen in zip(held, found, cut, strict=True)
    )
    hits = sum(echo is not None for row in found for echo in row)
    done = sum("prompt_echo" in record.flags for one in transcripts for record in one.turns)
    replies = [record.reply for one in transcripts for record in one.turns if record.reply is not None]
    own = [one.refusals for one in held]
    counts = Counts(
        replies=len(replies),
        echoes=done,
        left=hits - sum(echo is not None for row, chosen in zip(found, cut, strict=True) for echo in row if chosen),
        holding=still_holding(exchanges, found, cut),
        refusals=sum(refusal(reply).kind != "none" for reply in replies),
        own_refusals=sum(one for one in own if one is not None) if None not in own else None,
    )
    noted = msgspec.structs.replace(run, notes=(*run.notes, *told(counts)))
    return LoopArm(run=noted, transcripts=transcripts, counts=counts)


def told(counts: Counts) -> Iterator[str]:
    """What was done to an arm's replies, in numbers."""
    if counts.echoes:
        yield (
            f"{counts.echoes} of {counts.replies} replies began with their own prompt; it was cut (prompt_echo; the "
            "text as it stood is kept)"
        )
    if counts.left:
        yield (
            f"{counts.left} of {counts.replies} replies begin with what the user said; most do not, so they were left "
            "whole"
        )
    if counts.holding:
        yield (
            f"{counts.holding} of {counts.replies} replies still hold what the user said before, though the prompts of "
            "others were cut: read them first, a prompt that was not recognised is judged as a reply"
        )
    if counts.own_refusals is not None and counts.own_refusals != counts.refusals:
        without = "without the echo " if counts.echoes else ""
        yield f"the file's own refusal_count says {counts.own_refusals}; {without}multiturn counts {counts.refusals}"


def _run(name: str, place: int, suite: Suite, samples: int, source: Source) -> RunRecord:
    created = source.now + dt.timedelta(microseconds=place)  # the tuned run is the latest
    conditions = Conditions(
        suite_digest=suite.digest,
        sampling=None,
        samples=samples,
        history="self",
        overflow="stop",
        context_window=None,
        system=None,
        template="model",
        reproducible=False,
        identity={"engine": ENGINE, "weights": name, "file": source.sha256},
    )
    return RunRecord(
        id=f"{source.now:%Y%m%d-%H%M%S}-{conditions.fingerprint[:6]}",
        created=created.isoformat(timespec="microseconds"),
        arm=Arm(spec=f"{ENGINE}:{name}"),
        suite_name=suite.name,
        suite_version=suite.version,
        conversations=len(suite.conversations),
        turns=suite.turn_count * samples,
        conditions=conditions,
        versions={"imported by multiturn": __version__},
        notes=(UNKNOWN,),
    )


def _transcript(held: HeldConversation, found: Sequence[Echo | None]) -> Transcript:
    turns = tuple(_record(index, turn, echo) for index, (turn, echo) in enumerate(zip(held.turns, found, strict=True)))
    return Transcript(session=Session(held.id, held.sample), turns=turns, system=held.system)


def _candidate(turn: HeldTurn) -> str | None:
    """The reply, where an echo may be looked for in it."""
    return None if turn.cleaned or not _replied(turn) else turn.reply


def _replied(turn: HeldTurn) -> bool:
    """Whether the model replied, if with nothing: as the file says of the turn, else whether there is a text."""
    return turn.status in REPLIED if turn.status is not None else turn.reply is not None


def _record(index: int, turn: HeldTurn, echo: Echo | None) -> TurnRecord:
    if not _replied(turn):
        return _without_reply(index, turn)
    raw = turn.reply or ""
    said = Cleaned(text=raw) if turn.cleaned else _said(raw, echo)
    flags = (*(("prompt_echo",) if echo else ()), *turn.flags, *said.flags)
    final = "" if is_blank(said.text) else said.text
    status: Status = "ok" if final else "empty"
    if turn.status == "filtered" or turn.finish == "filter":
        status = "filtered"
    elif final and "run_on" not in flags and (turn.status == "length" or turn.finish == "length"):
        status = "length"
    return TurnRecord(
        turn=index,
        user=turn.user,
        status=status,
        reply=final,
        raw=raw if raw != final else None,
        reasoning=said.reasoning,
        flags=tuple(dict.fromkeys(flags)),
        finish=turn.finish or "unknown",
    )


def _said(raw: str, echo: Echo | None) -> Cleaned:
    """What the model said, freed of its prompt, and cleaned as in a conversation of ours."""
    prompt, rest = (raw[: echo.end], raw[echo.end :].lstrip()) if echo else ("", raw)
    rest = without_end(rest)
    alone = before_label(rest, echo.label) if echo else rest
    cleaned = clean(alone, control_tokens=control_texts(alone, prompt))
    if alone == rest:
        return cleaned
    return msgspec.structs.replace(cleaned, flags=tuple(dict.fromkeys((*cleaned.flags, "run_on"))))


def _without_reply(index: int, turn: HeldTurn) -> TurnRecord:
    """A turn without a reply. A text that stands where the file says that it failed is an error's, not the model's."""
    status: Status = turn.status or "failed"
    message = turn.failure or turn.reply or NO_REASON
    failure = {"failed": Failure("engine", message), "overflowed": Failure("overflow", message)}.get(status)
    cause = turn.cause or ("model" if status == "overflowed" else "environment")
    return TurnRecord(turn=index, user=turn.user, status=status, cause=cause, failure=failure, flags=turn.flags)


def _doubtful(arm: LoopArm) -> Iterator[str]:
    """Replies that read like the text of an error: kept, since a model can say so, and named."""
    found: Mapping[str, str] = {
        f"{one.session.conversation}, turn {record.turn + 1}": record.reply
        for one in arm.transcripts
        for record in one.turns
        if record.reply and _ERROR_TEXT.match(record.reply)
    }
    if found:
        yield (
            f"{arm.run.arm.spec}: {len(found)} replies read like the text of an error, first in "
            f"{next(iter(found))}: {next(iter(found.values()))[:60]!r}; they are kept as replies. If they are "
            "failures, write null in their place and import again"
        )


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return ", ".join(map(repr, ids[:_SHOWN])) + more
