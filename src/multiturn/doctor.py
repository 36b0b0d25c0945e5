"""What will really be sent to a model, and whether what it brings with it agrees: looked at before a run rests on it.

Knows the Engine seam and values; asks for a handful of short replies at most. Nothing is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from multiturn.cleaning import clean
from multiturn.conversation import Message
from multiturn.engines.chat_template import split_control
from multiturn.errors import ContextOverflow, ReplyFailed
from multiturn.examination import Examination, Remark
from multiturn.facts import Facts, Inspection, Unknown
from multiturn.protocols import Engine, Inspectable, Renders
from multiturn.transcript import Prompt, Reply, Request, Sampling, Session

SYSTEM: Final = Message("system", "Answer in one short sentence.")
FIRST: Final = Message("user", "My cat is called Biscuit. What do cats eat?")
EARLIER: Final = Message("assistant", "Cats eat mostly meat.")
LAST: Final = Message("user", "And what is my cat called?")

REASONING: Final = "They are carnivores."

SMALL_BUDGET: Final = 48
"""New tokens of each reply that is asked for."""
LONGEST_PROBE: Final = 40_000
"""Tokens of a window above which it is not tried to overflow it: somebody may pay for them."""
OTHER_SEED: Final = 1


async def examine(engine: Engine, *, ask: bool = True) -> Examination:
    """Look at a model through its engine.

    Args:
        engine: who would be asked.
        ask: also ask for a few short replies: whether it replies at all, whether the seed decides the text, whether a
            server cuts a prompt that is too long without a word.

    Raises:
        EngineSetupError: as the engine finds. A reply that fails is a remark.
    """
    session = Session("doctor")
    reasoning = REASONING if engine.facts.keeps_reasoning else ""
    messages = (SYSTEM, FIRST, msgspec.structs.replace(EARLIER, reasoning=reasoning), LAST)
    try:
        prompt = await engine.prompt(_request(session, 1, messages, Sampling(max_tokens=SMALL_BUDGET)))
        text = prompt.text if isinstance(prompt, Prompt) else await _rendered_elsewhere(engine, messages)
        inspection = await engine.inspect() if isinstance(engine, Inspectable) else Inspection(template=None)
    finally:
        await engine.end(session)
    remarks = [
        *_of_the_prompt(engine.facts, inspection, prompt, text),
        *_of_the_model(engine.facts, inspection),
    ]
    reply = None
    if ask:
        reply, found = await _first_reply(engine)
        remarks += found
        if reply is not None:
            remarks += [await _of_the_seed(engine), *await _of_the_window(engine, prompt)]
    return Examination(
        spec=engine.spec,
        said=tuple((message.role, message.content) for message in messages),
        rendered=tuple(split_control(text or "", inspection.control_tokens)),
        unrendered="" if text or isinstance(prompt, Prompt) else prompt.reason,
        reply=reply,
        remarks=tuple(remarks),
    )


async def probe_seed(engine: Engine, seed: int) -> bool | None:
    """Whether the seed decides the text: two replies with it are alike, and one with another seed is not.

    None where that can't be told: all three are alike.

    Raises:
        ReplyFailed, ContextOverflow: a reply could not be had.
    """
    sampling = Sampling(temperature=1.0, top_p=1.0, max_tokens=SMALL_BUDGET)
    texts = []
    for number, drawn in enumerate((seed, seed, seed ^ OTHER_SEED)):
        reply = await _ask(engine, f"doctor-seed-{number}", (FIRST,), sampling, seed=drawn)
        texts.append((reply.reasoning, reply.text))
    if texts[0] != texts[1]:
        return False
    return True if texts[0] != texts[2] else None


def _request(session: Session, turn: int, messages: Sequence[Message], sampling: Sampling, *, seed: int = 0) -> Request:
    return Request(session=session, turn=turn, messages=tuple(messages), sampling=sampling, seed=seed)


async def _ask(engine: Engine, name: str, messages: Sequence[Message], sampling: Sampling, *, seed: int = 0) -> Reply:
    session = Session(name)
    request = _request(session, 0, messages, sampling, seed=seed)
    try:
        await engine.prompt(request)
        return await engine.reply(request)
    finally:
        await engine.end(session)


async def _rendered_elsewhere(engine: Engine, messages: Sequence[Message]) -> str | None:
    return await engine.rendered(messages) if isinstance(engine, Renders) else None


def _of_the_prompt(
    facts: Facts, inspection: Inspection, prompt: Prompt | Unknown, text: str | None
) -> Iterator[Remark]:
    """What can be read off the rendered prompt."""
    if facts.fallback_template:
        yield Remark("note", "template", "the plain User:/Assistant: form, with stop strings")
    elif facts.template_sha256:
        yield Remark("fine", "template", f"sha256 {facts.template_sha256[:12]}")
    if text is None:
        return
    lost = [message.content for message in (FIRST, EARLIER, LAST) if message.content not in text]
    if lost:
        yield Remark("warning", "history", f"the template leaves out what was said: {' / '.join(lost)}")
    if SYSTEM.content not in text:
        yield Remark("warning", "system prompt", "the template leaves it out without a word")
    elif facts.system_role:
        yield Remark("fine", "system prompt", "the template has a system role")
    else:
        yield Remark("note", "system prompt", "no system role: it goes in front of the first user turn, in every turn")
    yield _of_the_opening(text)
    if isinstance(prompt, Prompt) and prompt.bos is not None:
        yield _of_the_bos(inspection, prompt.bos)
    if isinstance(prompt, Prompt) and prompt.tokens is not None:
        yield Remark("fine", "prompt tokens", f"{prompt.tokens}, counted before anything is sent")


def _of_the_opening(text: str) -> Remark:
    """Whether the prompt's end opens a reply as the earlier one was opened."""
    opening = text.rpartition(LAST.content)[2]
    before = text.partition(FIRST.content)[2].partition(EARLIER.content)[0]
    wanted = before.partition("<think")[0].partition(REASONING)[0].rstrip()
    if wanted and not opening.startswith(wanted):
        told = f"{opening!r} ends the prompt, while {before!r} stood before the earlier reply: nothing opens this one"
        return Remark("warning", "generation prompt", told)
    return Remark("fine", "generation prompt", f"{opening!r} behind the last message, as before the earlier reply")


def _of_the_bos(inspection: Inspection, count: int) -> Remark:
    name = inspection.bos or "BOS"
    if count > 1:
        return Remark("warning", "BOS", f"the prompt begins with {count} of {name}; a model was trained with one")
    if count == 1:
        return Remark("fine", "BOS", f"the prompt begins with one {name}")
    return Remark("note", "BOS", f"the prompt begins without {name}, as the tokenizer and the template have it")


def _of_the_model(facts: Facts, inspection: Inspection) -> Iterator[Remark]:
    """What the model brings with it: stops, window, defaults, thinking."""
    named = {who: stops for who, stops in inspection.stops.items() if stops}
    if named:
        sides = [set(stops) for stops in named.values()]
        agree = all(not one.isdisjoint(other) for one in sides for other in sides)
        told = "; ".join(f"{who}: {_listed(stops)}" for who, stops in named.items())
        yield Remark("fine" if agree else "warning", "stops", told if agree else f"they disagree: {told}")
    if inspection.in_use:
        yield Remark("fine", "stops in use", _listed(inspection.in_use))
    elif inspection.template is not None:
        yield Remark("warning", "stops in use", "none: every reply goes on to the limit, unless you add --stop")
    window = facts.context_window
    yield (
        Remark("note", "context window", "unknown: --context-window N sets it, so that a full one is noticed")
        if window is None
        else Remark("fine", "context window", f"{window} tokens for prompt and reply")
    )
    if inspection.overridden:
        fields = ", ".join(f"{name}={value}" for name, value in inspection.overridden.items())
        yield Remark("note", "own defaults", f"{fields}: set aside, both arms get what the command line says")
    if facts.thinks:
        keeps = "back into the history" if facts.keeps_reasoning else "out of the history"
        yield Remark("note", "thinking", f"the template knows of it; with --think auto earlier reasoning goes {keeps}")
    yield (
        Remark("fine", "reproducible", "the same text again on this machine, whatever else is held")
        if facts.reproducible
        else Remark("note", "reproducible", "not promised: what else is asked for may change a reply")
    )
    yield from (Remark("warning", "model", text) for text in inspection.warnings)
    yield from (Remark("note", "model", text) for text in (*inspection.remarks, *facts.notes))


def _listed(stops: Sequence[str]) -> str:
    return ", ".join(repr(stop) for stop in stops)


async def _first_reply(engine: Engine) -> tuple[str | None, list[Remark]]:
    """A real reply, and what can be read off it; None where it failed."""
    sampling = Sampling(temperature=0.0, max_tokens=SMALL_BUDGET)
    try:
        reply = await _ask(engine, "doctor-first", (SYSTEM, FIRST), sampling)
    except (ReplyFailed, ContextOverflow) as error:
        return None, [Remark("warning", "reply", f"none could be had: {error.message}")]
    opened = not reply.reasoning and engine.facts.thinks
    cleaned = clean(reply.text, opened=opened and "</think>" in reply.text)
    remarks = [Remark("fine" if reply.finish == "stop" else "note", "reply", f"finish reason: {reply.finish}")]
    remarks += [Remark("warning", "reply", f"{flag}: as of another format") for flag in cleaned.flags]
    if reply.reasoning or cleaned.reasoning:
        remarks.append(
            Remark("note", "thinking", "it thinks before it replies; --reasoning-tokens N gives that a budget")
        )
    counts = (reply.prompt_tokens, reply.new_tokens)
    remarks.append(
        Remark("fine", "token counts", f"told: {counts[0]} read, {counts[1]} written")
        if None not in counts
        else Remark("note", "token counts", "not told: a cut prompt could not be noticed")
    )
    if reply.served_model:
        remarks.append(Remark("fine", "served model", reply.served_model))
    return cleaned.text, remarks


async def _of_the_seed(engine: Engine) -> Remark:
    try:
        honoured = await probe_seed(engine, 7)
    except (ReplyFailed, ContextOverflow) as error:
        return Remark("warning", "seed", f"could not be tried: {error.message}")
    if honoured is None:
        return Remark("note", "seed", "can't be told: three replies are alike whatever the seed")
    if honoured:
        return Remark("fine", "seed", "honoured: the same one gives the same text, another one another text")
    return Remark("warning", "seed", "not honoured: the same one gave two texts; use --samples to average over chance")


async def _of_the_window(engine: Engine, prompt: Prompt | Unknown) -> list[Remark]:
    """Whether a prompt that is too long is refused, where we do not count tokens ourselves."""
    window = engine.facts.context_window
    if isinstance(prompt, Prompt) and prompt.tokens is not None:
        return [Remark("fine", "too long a prompt", "noticed before it is sent: nothing is ever cut without a word")]
    if window is None or window > LONGEST_PROBE:
        why = "the window is not known" if window is None else f"{window} tokens would have to be sent"
        return [Remark("note", "too long a prompt", f"not tried, since {why}")]
    return [await _of_too_long_a_prompt(engine, window)]


async def _of_too_long_a_prompt(engine: Engine, window: int) -> Remark:
    topic = "too long a prompt"
    words = Message("user", "apple " * (window + window // 4) + "How many apples?")
    try:
        reply = await _ask(engine, "doctor-window", (words,), Sampling(temperature=0.0, max_tokens=1))
    except ContextOverflow as error:
        return Remark("fine", topic, f"no reply, and told: {error.message}")
    except ReplyFailed as error:
        return Remark("note", topic, f"fails: {error.message}")
    read = reply.prompt_tokens
    if read is None:
        return Remark("warning", topic, "accepted, and no count of tokens is told: it may have been cut")
    if read <= window:
        return Remark("warning", topic, f"cut to {read} tokens without a word")
    return Remark("note", topic, f"none: it read {read} tokens, more than the window of {window}")
