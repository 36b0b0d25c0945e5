"""The proof's steps that hold conversations: mutants of the goldens, and probes without the turn that they need."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from multiturn.assess import assess
from multiturn.conversation import Conversation, Suite
from multiturn.dialogue import Manner, hold
from multiturn.engines.mutants import MUTANTS, mutant
from multiturn.engines.scripted import Script, ScriptedEngine
from multiturn.finding import Checked
from multiturn.protocols import Engine
from multiturn.suites.proof import ablations
from multiturn.transcript import Request, Sampling, Transcript, TurnRecord

LOST: Final = "I'm afraid I don't have that from earlier in our conversation. Could you tell me again what you need?"
"""What a good model says that was never told what the golden reply rests on."""


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


async def _held(suite: Suite, engine: Engine, manner: Manner) -> list[Transcript]:
    async def committed(_: TurnRecord) -> None:
        """Nothing is kept: a proof is quick to repeat."""

    return [await hold(conversation, engine, manner, commit=committed) for conversation in suite.conversations]


def held_by(suite: Suite, engine: Engine, manner: Manner | None = None) -> list[Transcript]:
    """Each conversation of a suite as this engine holds it, one after the other; nothing is stored."""
    return asyncio.run(_held(suite, engine, manner or Manner(sampling=Sampling(temperature=0.0))))


def mutant_falls(suite: Suite) -> tuple[Fall, ...]:
    """For each mutant of the goldens and each capability: how many of its checks still pass.

    Checks count at the capability of their turn; the first turn's at its own, if it has one.
    """
    falls: list[Fall] = []
    for name in MUTANTS:
        engine = mutant(ScriptedEngine(golden_script(suite), remember=False), name)
        counts = _by_capability(suite, held_by(suite, engine))
        falls += [Fall(mutant=name, capability=one, passed=passed, of=of) for one, (passed, of) in counts.items()]
    return tuple(falls)


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


def ablated_replies(suite: Suite, engine: Engine, manner: Manner) -> Mapping[str, Sequence[str]]:
    """What an engine replies in each ablation, by its id, for ``suites.proof.check_ablated``.

    An ablation that the engine could not hold to its end is left out.
    """
    asked = ablations(suite)
    probes = msgspec.structs.replace(suite, conversations=tuple(one.asked for one in asked))
    held = held_by(probes, engine, manner)
    return {
        transcript.session.conversation: tuple(record.reply or "" for record in transcript.turns)
        for transcript in held
        if transcript.complete
    }
