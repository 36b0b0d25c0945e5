"""The proof's steps that hold conversations: mutants of the goldens, and probes without the turn that they need."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from multiturn.arms import open_arms
from multiturn.blocking import finish
from multiturn.checks.reading import check_transcript
from multiturn.conditions import Arm
from multiturn.conversation import Conversation, Suite
from multiturn.dialogue import Manner, hold
from multiturn.engines.mutants import MUTANTS, mutant
from multiturn.engines.scripted import Script, ScriptedEngine
from multiturn.errors import NotFound, UsageError
from multiturn.facts import EngineOptions
from multiturn.protocols import Engine
from multiturn.report.numbers import ABSENT, label_of, number
from multiturn.report.tables import Table
from multiturn.suites.blind import Covered, Held
from multiturn.suites.proof import Shortcoming, Tally, ablations, check_ablated
from multiturn.transcript import Request, Sampling, Transcript, TurnRecord

LOST: Final = "I'm afraid I don't have that from earlier in our conversation. Could you tell me again what you need?"
"""What a good model says that was never told what the golden reply rests on."""

HELD_LINE: Final = 'a line is {"conversation": ID, "style": WORD, "replies": [...]}'

GREEDY: Final = Manner(sampling=Sampling(temperature=0.0))

ENOUGH_HELD: Final = 0.97
"""Share of checks that must pass on replies that were held blind."""

MOST_ABLATED: Final = 0.1
"""Share of probes that may pass without the turn that they need."""


class Ablated(msgspec.Struct, frozen=True, kw_only=True):
    """What was passed without the turn it needs, and which probes were held."""

    tally: Tally
    passed: tuple[Shortcoming, ...]
    coverage: tuple[Covered, ...]

    @property
    def lost(self) -> int:
        """So many probes were not held, or could not be."""
        return sum(len(one.missing) for one in self.coverage)


class Fall(msgspec.Struct, frozen=True, kw_only=True):
    """Of the checks of one capability, how many still pass where a mutant gives the goldens."""

    mutant: str
    capability: str
    passed: int
    of: int

    @property
    def share(self) -> float:
        """How much was lost, 0 (nothing) to 1 (all)."""
        return 1 - self.passed / self.of


def golden_script(suite: Suite) -> Script:
    """Replies of a good model: the golden of the last message, if what it needs was among the messages.

    What a turn needs is the turn that lies its distance back, and the system prompt where it has no distance.
    """
    by_id = {conversation.id: conversation for conversation in suite.conversations}

    def script(request: Request) -> str:
        conversation = by_id[request.session.conversation]
        heard = [message.content for message in request.messages if message.role == "user"]
        system = request.messages[0].role == "system"
        asked = [index for index, turn in enumerate(conversation.turns) if turn.text == heard[-1]]
        index = min(asked, key=lambda index: abs(index - request.turn)) if asked else request.turn
        turn = conversation.turns[index]
        known = (
            conversation.turns[index - turn.distance].text in heard
            if turn.distance
            else system or not conversation.system
        )
        return turn.golden or "" if known else LOST

    return script


async def hold_all(suite: Suite, engine: Engine, manner: Manner) -> list[Transcript]:
    """Each conversation of a suite as this engine holds it; nothing is stored."""
    places = asyncio.Semaphore(engine.facts.open_conversations)

    async def kept(_: TurnRecord) -> None:
        """Nothing is: a proof is quick to repeat."""

    async def held(conversation: Conversation) -> Transcript:
        async with places:
            return await hold(conversation, engine, manner, commit=kept)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(held(conversation)) for conversation in suite.conversations]
    return [task.result() for task in tasks]


def mutant_falls(suite: Suite) -> tuple[Fall, ...]:
    """For each mutant of the goldens and each capability: how many of its checks still pass.

    Checks count at the capability of their turn.
    """
    falls: list[Fall] = []
    for name in MUTANTS:
        engine = mutant(ScriptedEngine(golden_script(suite), remember=False), name)
        counts = _by_capability(suite, finish(hold_all(suite, engine, GREEDY)))
        falls += [Fall(mutant=name, capability=one, passed=passed, of=of) for one, (passed, of) in counts.items()]
    return tuple(falls)


def mutant_table(falls: Sequence[Fall]) -> Table:
    """Mutant by capability: the share of checks that still pass, the largest fall of each mutant marked.

    The header has the number of checks of each capability; where fewer apply to a mutant's replies, its cell says so.
    """
    checks: dict[str, int] = {}
    for fall in falls:
        checks[fall.capability] = max(fall.of, checks.get(fall.capability, 0))
    capabilities = sorted(checks)
    rows = []
    for name in dict.fromkeys(fall.mutant for fall in falls):
        mine = {fall.capability: fall for fall in falls if fall.mutant == name}
        most = max(fall.share for fall in mine.values())
        cells = [_cell(mine[one], checks[one], most) if one in mine else ABSENT for one in capabilities]
        rows.append((name, label_of(MUTANTS[name].breaks), *cells))
    header = ("mutant", "should break", *(f"{label_of(one)} ({checks[one]})" for one in capabilities))
    return Table(
        title="Checks passed by mutants of the goldens",
        header=header,
        rows=tuple(rows),
        footnote="In brackets: checks of the capability. *: the one that falls furthest; of few checks it says little.",
        words=tuple(range(1, len(header))),
    )


def _cell(fall: Fall, checks: int, most: float) -> str:
    """The share that passes, of how many where not all of the capability's apply, and whether none fell further."""
    of = f" of {fall.of}" if fall.of != checks else ""
    return number(1 - fall.share, "share") + of + (" *" if most and fall.share == most else "")


def _by_capability(suite: Suite, transcripts: Sequence[Transcript]) -> dict[str, tuple[int, int]]:
    counts: dict[str, tuple[int, int]] = {}
    for conversation, transcript in zip(suite.conversations, transcripts, strict=True):
        for checked in check_transcript(conversation, transcript):
            capability = conversation.capability_of(checked.turn)
            if capability is not None and checked.result.outcome != "not_applicable":
                passed, of = counts.get(capability, (0, 0))
                counts[capability] = (passed + (checked.result.outcome == "pass"), of + 1)
    return dict(sorted(counts.items()))


async def ablate(suite: Suite, model: str | Arm, options: EngineOptions, sampling: Sampling) -> Ablated:
    """Ask a model every probe of retention, correction and hierarchy without the turn that it needs.

    Raises:
        UsageError: the suite has no such probe. MultiturnError: the model can't be opened.
    """
    asked = ablations(suite)
    if not asked:
        raise UsageError(
            f"{suite.name} has no probe of retention, correction or hierarchy with a distance",
            hint="give turns their capability, distance and checks; docs/writing.md shows how",
        )
    probes = msgspec.structs.replace(suite, conversations=tuple(one.asked for one in asked))
    async with open_arms([model], options) as ((_, engine),):
        window = engine.facts.context_window
        held = await hold_all(probes, engine, Manner(sampling=sampling, window=window))
    replies = [
        Held(
            conversation=transcript.session.conversation,
            style="",
            replies=tuple(record.reply or "" for record in transcript.turns),
        )
        for transcript in held
        if transcript.complete
    ]
    return ablated_as_held(suite, replies)


def ablated_as_held(suite: Suite, held: Sequence[Held]) -> Ablated:
    """The same for replies that somebody gave blind to the probes without the turn that they need.

    Raises:
        UsageError: a probe is not of the suite, has another number of replies than turns, or was held twice in a style.
    """
    tally, passed, coverage = check_ablated(suite, held)
    return Ablated(tally=tally, passed=passed, coverage=coverage)


def read_held(*paths: Path) -> list[Held]:
    """Replies that were held blind, one conversation a line: ``{"conversation", "style", "replies"}``.

    Blank lines are skipped. Each has its ``place``, for messages.

    Raises:
        NotFound: a file is not there. UsageError: a line is none, and is named; or a file has none at all.
    """
    return [one for path in paths for one in _read_file(path)]


def _read_file(path: Path) -> list[Held]:
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}", hint="give a file of replies that were held blind") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}", hint="give a file of JSON lines") from None
    held = []
    for at, line in enumerate(lines, 1):
        place = f"{path}:line {at}"
        if line.strip():
            try:
                held.append(msgspec.structs.replace(msgspec.json.decode(line, type=Held), place=place))
            except msgspec.DecodeError as error:
                raise UsageError(f"{place}: {error}", hint=HELD_LINE) from None
    if not held:
        raise UsageError(f"{path} holds no conversation", hint=HELD_LINE)
    return held
