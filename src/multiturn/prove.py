"""The proof's steps that hold conversations: mutants of the goldens, and probes without the turn that they need."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from multiturn.arms import open_arms
from multiturn.assess import assess
from multiturn.conditions import Arm
from multiturn.conversation import Conversation, Suite
from multiturn.dialogue import Manner, hold
from multiturn.engines.mutants import MUTANTS, mutant
from multiturn.engines.scripted import Script, ScriptedEngine
from multiturn.errors import NotFound, UsageError
from multiturn.facts import EngineOptions
from multiturn.finding import Checked
from multiturn.protocols import Engine
from multiturn.report.numbers import ABSENT, label_of, number
from multiturn.report.tables import Table
from multiturn.suites.proof import Held, Shortcoming, Tally, ablations, check_ablated
from multiturn.transcript import Request, Sampling, Transcript, TurnRecord

LOST: Final = "I'm afraid I don't have that from earlier in our conversation. Could you tell me again what you need?"
"""What a good model says that was never told what the golden reply rests on."""


GREEDY: Final = Manner(sampling=Sampling(temperature=0.0))

ENOUGH_HELD: Final = 0.97
"""Share of checks that must pass on replies that were held blind."""

MOST_ABLATED: Final = 0.1
"""Share of probes that may pass without the turn that they need."""


class Ablated(msgspec.Struct, frozen=True, kw_only=True):
    """What a model passed without the turn it needed; ``lost`` conversations could not be held."""

    tally: Tally
    passed: tuple[Shortcoming, ...]
    lost: int


class Fall(msgspec.Struct, frozen=True, kw_only=True):
    """Of the checks of one capability, how many pass with a mutant that passed with the goldens."""

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

    Checks count at the capability of their turn; the first turn's at its own, if it has one.
    """
    falls: list[Fall] = []
    for name in MUTANTS:
        engine = mutant(ScriptedEngine(golden_script(suite), remember=False), name)
        counts = _by_capability(suite, asyncio.run(hold_all(suite, engine, GREEDY)))
        falls += [Fall(mutant=name, capability=one, passed=passed, of=of) for one, (passed, of) in counts.items()]
    return tuple(falls)


def mutant_table(falls: Sequence[Fall]) -> Table:
    """Mutant by capability: the share of checks that still pass, the largest fall of each mutant marked."""
    capabilities = sorted({fall.capability for fall in falls})
    rows = []
    for name in dict.fromkeys(fall.mutant for fall in falls):
        mine = {fall.capability: fall for fall in falls if fall.mutant == name}
        most = max(fall.share for fall in mine.values())
        cells = [
            number(1 - mine[one].share, "share") + (" *" if most and mine[one].share == most else "")
            if one in mine
            else ABSENT
            for one in capabilities
        ]
        rows.append((name, MUTANTS[name].breaks, *cells))
    return Table(
        title="Checks passed by mutants of the goldens",
        header=("mutant", "should break", *(label_of(one) for one in capabilities)),
        rows=tuple(rows),
        footnote="*: the capability that falls furthest.",
    )


def _by_capability(suite: Suite, transcripts: Sequence[Transcript]) -> dict[str, tuple[int, int]]:
    counts: dict[str, tuple[int, int]] = {}
    for conversation, transcript in zip(suite.conversations, transcripts, strict=True):
        for checked in assess(transcript, conversation=conversation).checks:
            capability = _capability(conversation, checked)
            if capability is not None and checked.result.outcome != "not_applicable":
                passed, of = counts.get(capability, (0, 0))
                counts[capability] = (passed + (checked.result.outcome == "pass"), of + 1)
    return dict(sorted(counts.items()))


def _capability(conversation: Conversation, checked: Checked) -> str | None:
    return conversation.capability_of(checked.turn) if checked.turn else conversation.turns[0].capability


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
    replies = {
        transcript.session.conversation: tuple(record.reply or "" for record in transcript.turns)
        for transcript in held
        if transcript.complete
    }
    tally, passed = check_ablated(suite, replies)
    return Ablated(tally=tally, passed=passed, lost=len(held) - len(replies))


def ablated_as_held(suite: Suite, held: Sequence[Held]) -> Ablated:
    """The same for replies that somebody gave blind to the probes without the turn that they need."""
    replies = {one.conversation: one.replies for one in held}
    tally, passed = check_ablated(suite, replies)
    return Ablated(tally=tally, passed=passed, lost=len(ablations(suite)) - tally.of)


def read_held(path: Path) -> list[Held]:
    """Replies that were held blind, one conversation a line: ``{"conversation", "style", "replies"}``.

    Raises:
        NotFound: there is no such file. UsageError: a line is none; it is named.
    """
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}", hint="give the file that hold_blind.py wrote") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}", hint="give a file of JSON lines") from None
    held = []
    for place, line in enumerate(lines, 1):
        try:
            held.append(msgspec.json.decode(line, type=Held))
        except msgspec.DecodeError as error:
            raise UsageError(
                f"{path}:line {place}: {error}", hint='a line is {"conversation": ID, "style": WORD, "replies": [...]}'
            ) from None
    return held
