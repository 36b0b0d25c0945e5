"""Replies of transformers models on small folders: nothing leaks in, rows keep apart, adapters switch cleanly."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import importlib.util
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from multiturn.conversation import Conversation, Message, Turn
from multiturn.dialogue import Dialogue, Manner, hold
from multiturn.errors import ContextOverflow, ReplyFailed
from multiturn.facts import EngineOptions, Unknown
from multiturn.protocols import Engine, Inspectable
from multiturn.registry import open_engines
from multiturn.signals.role_leakage import role_leak
from multiturn.transcript import Prompt, Reply, Request, Sampling, Session, Transcript, TurnRecord

if importlib.util.find_spec("torch") is None or importlib.util.find_spec("transformers") is None:
    pytest.skip("needs torch and transformers: pip install '.[transformers]'", allow_module_level=True)

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

from multiturn.engines.hf_decoding import Order, decode
from multiturn.engines.hf_watching import Watch

Folders = Callable[..., Path]
GREEDY = Sampling(temperature=0.0, max_tokens=24)
CHANCE = Sampling(temperature=1.0, top_p=0.95, max_tokens=24)
QUESTIONS = ("Hi", "Tell me about tea, please.", "Why?", "1 + 1", "A" * 60, "Où est la gare ?", "Hi!!", "And now?")
"""Of several lengths; the exclamation mark is token 0, which prompts are padded with."""


def with_engines(
    paths: Sequence[str | Path],
    work: Callable[[list[Engine]], Awaitable[Any]],
    **options: Any,  # noqa: ANN401 - as EngineOptions takes them
) -> Any:  # noqa: ANN401 - what the work returns
    """Open a folder each, work, close."""

    async def run() -> Any:  # noqa: ANN401
        engines = open_engines([f"hf:{path}" for path in paths], EngineOptions(**({"threads": 1} | options)))
        try:
            return await work(engines)
        finally:
            for engine in engines:
                await engine.close()

    return asyncio.run(run())


def request(*texts: str, sampling: Sampling = GREEDY, name: str = "c", seed: int = 1, **fields: Any) -> Request:  # noqa: ANN401
    roles = ("user", "assistant")
    messages = tuple(Message(roles[index % 2], text) for index, text in enumerate(texts))  # type: ignore[arg-type]
    turn = len(texts) // 2
    return Request(session=Session(name), turn=turn, messages=messages, sampling=sampling, seed=seed, **fields)


def ask(path: str | Path, asked: Request, **options: Any) -> Reply:  # noqa: ANN401 - as EngineOptions takes them
    """One reply."""
    reply: Reply = with_engines([path], lambda engines: engines[0].reply(asked), **options)
    return reply


async def replies(engine: Engine, sampling: Sampling, questions: Sequence[str] = QUESTIONS) -> list[Reply]:
    """All questions asked at once, each with a seed of its own."""
    asked = [
        request(text, sampling=sampling, name=f"c{index}", seed=index, logprobs=True)
        for index, text in enumerate(questions)
    ]
    return list(await asyncio.gather(*(engine.reply(one) for one in asked)))


def ids_of(found: Sequence[Reply]) -> list[tuple[int, ...] | None]:
    return [reply.token_ids for reply in found]


async def nothing(_record: TurnRecord) -> None:
    """Keep nothing."""


@pytest.mark.parametrize("sampling", [GREEDY, CHANCE], ids=["greedy", "sampled"])
def test_a_generation_config_never_leaks_into_a_reply(model_folder: Folders, sampling: Sampling) -> None:
    """Repetition penalty 5, top-k 1, forbidden words, a length of 20: the same texts as the folder without it."""
    plain, penalised = (
        with_engines([model_folder(kind)], lambda engines: replies(engines[0], sampling))
        for kind in ("plain-chat", "penalised")
    )
    assert ids_of(penalised) == ids_of(plain)
    assert [reply.logprobs for reply in penalised] == [reply.logprobs for reply in plain]


def test_greedy_replies_are_those_of_transformers(model_folder: Folders) -> None:
    """Token by token, what its own ``generate`` gives without any sampling."""
    path = model_folder("plain-chat")
    model, tokenizer = AutoModelForCausalLM.from_pretrained(path), AutoTokenizer.from_pretrained(path)
    found = with_engines([path], lambda engines: replies(engines[0], GREEDY))
    config: Any = GenerationConfig
    plain = config(do_sample=False, max_new_tokens=GREEDY.max_tokens, eos_token_id=tokenizer.eos_token_id)
    for question, reply in zip(QUESTIONS, found, strict=True):
        chat = [{"role": "user", "content": question}]
        encoded: Any = tokenizer.apply_chat_template(chat, add_generation_prompt=True, return_tensors="pt")
        ids = encoded["input_ids"]
        theirs = model.generate(ids, attention_mask=torch.ones_like(ids), generation_config=plain, pad_token_id=0)
        assert reply.token_ids == tuple(theirs[0, ids.shape[1] :].tolist())


@pytest.mark.parametrize("sampling", [GREEDY, CHANCE], ids=["greedy", "sampled"])
def test_a_reply_does_not_depend_on_what_else_is_in_the_batch(model_folder: Folders, sampling: Sampling) -> None:
    """Prompts of many lengths together, alone, and in another order: each has its own numbers and its own padding."""
    path = model_folder("plain-chat")
    together = with_engines([path], lambda engines: replies(engines[0], sampling))

    async def one_by_one(engines: list[Engine]) -> list[Reply]:
        asked = [request(text, sampling=sampling, seed=index) for index, text in enumerate(QUESTIONS)]
        return [await engines[0].reply(one) for one in reversed(asked)][::-1]

    assert ids_of(with_engines([path], one_by_one, workers=1)) == ids_of(together)
    assert len(set(ids_of(together))) == len(QUESTIONS)


def test_a_seed_decides_a_sampled_reply(model_folder: Folders) -> None:
    """The same again, another with another seed."""
    path = model_folder("plain-chat")
    one, same, other = (ask(path, request("Hi", sampling=CHANCE, seed=seed)).token_ids for seed in (1, 1, 2))
    assert one == same != other


def test_log_probabilities_are_the_model_s_own(model_folder: Folders) -> None:
    """Of each drawn token, before temperature, top-p and penalties."""
    path = model_folder("plain-chat")
    strange = msgspec.structs.replace(CHANCE, temperature=0.5, repeat_penalty=1.5, presence_penalty=1.0)
    asked = request("Hi", sampling=strange, logprobs=True)
    reply = ask(path, asked)
    prompt = AutoTokenizer.from_pretrained(path)("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n")["input_ids"]
    ids = [*prompt, *(reply.token_ids or ())]
    with torch.inference_mode():
        logs = AutoModelForCausalLM.from_pretrained(path)(torch.tensor([ids])).logits[0].log_softmax(dim=-1)
    wanted = [float(logs[at - 1, ids[at]]) for at in range(len(prompt), len(ids))]
    assert reply.logprobs == pytest.approx(wanted, abs=1e-4)
    assert ask(path, request("Hi")).logprobs is None


def test_rows_have_settings_and_stops_of_their_own(model_folder: Folders) -> None:
    """Budgets, temperatures and stop strings differ within one batch; who is done first is told first."""
    path = model_folder("plain-chat")

    async def mixed(engines: list[Engine]) -> tuple[list[Reply], list[str]]:
        order: list[str] = []

        async def one(name: str, sampling: Sampling) -> Reply:
            reply = await engines[0].reply(request("Hi", sampling=sampling, name=name))
            order.append(name)
            return reply

        settings = {"long": (GREEDY, 24), "short": (GREEDY, 3), "chance": (CHANCE, 9)}
        work = [
            one(name, msgspec.structs.replace(sampling, max_tokens=budget))
            for name, (sampling, budget) in settings.items()
        ]
        return list(await asyncio.gather(*work)), order

    (long, short, chance), order = with_engines([path], mixed)
    assert order == ["short", "chance", "long"]
    assert (long.new_tokens, short.new_tokens, chance.new_tokens) == (24, 3, 9)
    assert long.token_ids[:3] == short.token_ids
    assert long.token_ids[:9] != chance.token_ids
    assert short.timing.total < long.timing.total


def test_what_ends_a_reply(model_folder: Folders) -> None:
    """A stop token is not part of it; the budget cuts it; the end of a turn may come first of all."""
    path = model_folder("plain-chat", says="\nI am.<|im_end|>")
    assert (ask(path, request("Hi")).text, ask(path, request("Hi")).finish) == ("I am.", "stop")
    cut = ask(path, request("Hi", sampling=Sampling(temperature=0.0, max_tokens=3)))
    assert (cut.text, cut.finish, cut.new_tokens) == ("I a", "length", 3)
    silent = ask(model_folder("plain-chat", says="\n<|im_end|>"), request("Hi"))
    assert (silent.text, silent.finish, silent.new_tokens) == ("", "stop", 1)


@pytest.mark.parametrize(
    ("stop", "text"), [("am", "I "), ("I", ""), ("m.", "I a"), ("<|im_end|>", "I am."), ("zz", "I am.")]
)
def test_stop_strings_cut_wherever_they_stand(model_folder: Folders, stop: str, text: str) -> None:
    """In the middle, at the first letter, at the end; one that is a token of the model too; one that never comes."""
    path = model_folder("plain-chat", says="\nI am.<|im_end|>")
    reply = ask(path, request("Hi", sampling=Sampling(temperature=0.0, max_tokens=9, stop=(stop,))))
    assert (reply.text, reply.finish) == (text, "stop")


def test_a_base_model_without_a_template_does_not_play_the_user(model_folder: Folders) -> None:
    """This one would go on as the user for ever; the plain form's stop strings end it, turn after turn."""
    path = model_folder("no-template", says=": Ok.\nUser:")
    talk = Conversation(id="talk", turns=(Turn(text="Hi"), Turn(text="Again")))

    async def chat(engines: list[Engine]) -> Transcript:
        return await hold(talk, engines[0], Manner(sampling=GREEDY), commit=nothing)

    transcript = with_engines([path], chat)
    assert [turn.reply for turn in transcript.turns] == ["Ok.", "Ok."]
    assert [turn.finish for turn in transcript.turns] == ["stop", "stop"]
    assert transcript.turns[0].flags == ("fallback_template",)


RUN_ON = "\nHi.<|im_start|>user:<|endoftext|>"


def test_a_control_token_that_the_model_writes_itself_is_seen(model_folder: Folders) -> None:
    """It would say that the model was trained on another format: it stands in the reply as text, also at its end.

    What the record shows is what the next prompt holds: letters, and a flag that says so.
    """
    path = model_folder("plain-chat", says=RUN_ON)
    talk = Conversation(id="talk", turns=(Turn(text="Hi"), Turn(text="Again")))
    leaked = "Hi.<|im_start|>user:<|endoftext|>"

    async def chat(engines: list[Engine]) -> tuple[Transcript, Prompt]:
        short = Manner(sampling=Sampling(temperature=0.0, max_tokens=10))
        transcript = await hold(talk, engines[0], short, commit=nothing)
        fresh = await engines[0].prompt(request("Hi", leaked, "Again", name="fresh"))
        assert not isinstance(fresh, Unknown)
        return transcript, fresh

    transcript, fresh = with_engines([path], chat)
    first, second = transcript.turns
    assert first.reply == leaked
    assert role_leak(first) is not None
    assert "reencoded" in second.flags
    assert second.prompt_tokens == fresh.tokens
    assert second.prompt_sha256 == hashlib.sha256(fresh.text.encode()).hexdigest()
    assert first.new_tokens == 10


THOUGHT = "\nhm</think>Done.<|im_end|>"


def test_reasoning_is_kept_apart_and_has_its_own_budget(model_folder: Folders) -> None:
    """The prompt opens it; five tokens of reply fit behind it whatever it took, and no more."""
    path = model_folder("thinks", says=THOUGHT)
    whole = ask(path, request("Hi"))
    assert (whole.text, whole.reasoning, whole.finish) == ("Done.", "hm", "stop")
    exact = Sampling(temperature=0.0, max_tokens=4, reasoning_tokens=50)
    cut = ask(path, request("Hi", sampling=exact))
    assert (cut.text, cut.reasoning, cut.finish, cut.new_tokens) == ("Done", "hm", "length", 7)
    unfinished = ask(path, request("Hi", sampling=Sampling(temperature=0.0, max_tokens=2)))
    assert (unfinished.text, unfinished.reasoning, unfinished.finish) == ("", "hm", "length")


@pytest.mark.parametrize("template", ["plain-chat", "no-template"])
def test_a_training_may_teach_thinking_that_the_template_does_not_know(model_folder: Folders, template: str) -> None:
    """As a LoRA trained on traces of a reasoning model: the budget for thinking is there, and is not for the reply."""
    end = "<|im_end|>" if template == "plain-chat" else "<|endoftext|>"
    path = model_folder(template, says=f"<think>hm</think>Done.{end}")
    exact = Sampling(temperature=0.0, max_tokens=4, reasoning_tokens=50)
    cut = ask(path, request("Hi", sampling=exact))
    assert (cut.text, cut.reasoning, cut.finish, cut.new_tokens) == ("Done", "hm", "length", 8)
    whole = ask(path, request("Hi", sampling=msgspec.structs.replace(exact, max_tokens=5)))
    assert (whole.text, whole.reasoning, whole.finish, whole.new_tokens) == ("Done.", "hm", "length", 9)
    quick = ask(model_folder(template, says="Donuts."), request("Hi", sampling=exact))
    assert (quick.text, quick.reasoning, quick.finish, quick.new_tokens) == ("Donu", "", "length", 4)


def test_a_conversation_with_a_model_that_thinks(model_folder: Folders) -> None:
    """Its template takes earlier reasoning off: the record has it, the next prompt does not."""
    talk = Conversation(id="talk", turns=(Turn(text="Hi"), Turn(text="Again")))

    async def chat(engines: list[Engine]) -> Transcript:
        return await hold(talk, engines[0], Manner(sampling=GREEDY), commit=nothing)

    first, second = with_engines([model_folder("thinks", says=THOUGHT)], chat).turns
    assert (first.reply, first.reasoning, second.reply) == ("Done.", "hm", "Done.")
    assert second.prompt_delta is not None
    assert "Done.<|im_end|>" in second.prompt_delta
    assert "hm" not in second.prompt_delta


def test_an_adapter_never_reaches_the_base(model_folder: Folders, adapter_folder: Path) -> None:
    """On, off, on, off over one set of weights: off is a model that never saw the adapter, on is a model of its own."""
    base = model_folder("plain-chat")
    tuned = f"{base}+lora={adapter_folder}"
    for sampling in (GREEDY, CHANCE):

        async def switched(engines: list[Engine], sampling: Sampling = sampling) -> list[Any]:
            off, on = engines
            return [ids_of(await replies(engine, sampling)) for engine in (on, off, on, off)]

        on, off, on_again, off_again = with_engines([base, tuned], switched)
        alone = [
            ids_of(with_engines([spec], lambda e, s=sampling: replies(e[0], s)))  # type: ignore[misc]
            for spec in (base, tuned)
        ]
        assert off == off_again == alone[0]
        assert on == on_again == alone[1]
        assert on != off


def test_both_arms_at_once(model_folder: Folders, adapter_folder: Path) -> None:
    """Requests with and without the adapter come mixed; no batch holds both."""
    base = model_folder("plain-chat")

    async def mixed(engines: list[Engine]) -> list[list[Reply]]:
        return list(await asyncio.gather(*(replies(engine, CHANCE) for engine in engines)))

    specs: list[str | Path] = [base, f"{base}+lora={adapter_folder}"]
    both = with_engines(specs, mixed, workers=3)
    for spec, found in zip(specs, both, strict=True):
        assert ids_of(found) == ids_of(with_engines([spec], lambda engines: replies(engines[0], CHANCE)))


def loaded_networks() -> int:
    """How many models with numbers there are in this process."""
    gc.collect()
    kinds = [one for one in gc.get_objects() if type(one).__name__ == "LlamaForCausalLM"]
    return sum(one.get_input_embeddings().weight.device.type != "meta" for one in kinds)


def test_weights_are_loaded_once_and_not_before_the_first_reply(model_folder: Folders, adapter_folder: Path) -> None:
    """By what is in memory. The base's arm may be closed before the other; the last one frees it."""
    base = model_folder("plain-chat")
    before = loaded_networks()

    async def watch(engines: list[Engine]) -> list[int]:
        off, on = engines
        seen = [loaded_networks()]
        await off.prompt(request("Hi"))
        assert isinstance(off, Inspectable)
        await off.inspect()
        seen.append(loaded_networks())
        await asyncio.gather(*(engine.reply(request("Hi")) for engine in engines))
        seen.append(loaded_networks())
        await off.close()
        await off.close()
        with pytest.raises(ReplyFailed, match="closed"):
            await off.reply(request("Hi"))
        assert (await on.reply(request("Hi"))).new_tokens
        await on.close()
        return [*seen, loaded_networks()]

    seen = with_engines([base, f"{base}+lora={adapter_folder}"], watch)
    assert [count - before for count in seen] == [0, 0, 1, 0]


def endless(budget: int = 1900) -> Request:
    return request("Count.", sampling=Sampling(temperature=0.0, max_tokens=budget), name="endless")


def test_a_cancelled_reply_is_given_up_at_once(model_folder: Folders) -> None:
    """The next one does not wait for it."""

    async def cancel(engines: list[Engine]) -> float:
        loop = asyncio.get_running_loop()
        await engines[0].reply(request("warm up"))
        task = asyncio.create_task(engines[0].reply(endless()))
        await asyncio.sleep(0.3)
        task.cancel()
        begun = loop.time()
        await engines[0].reply(request("Hi", sampling=Sampling(temperature=0.0, max_tokens=2)))
        assert task.cancelled()
        return loop.time() - begun

    assert with_engines([model_folder("plain-chat", says="ab")], cancel) < 1


def test_closing_gives_up_what_is_in_flight(model_folder: Folders) -> None:
    """Those who wait are told in words, and the thread is gone."""

    async def close(engines: list[Engine]) -> float:
        loop = asyncio.get_running_loop()
        tasks = [asyncio.create_task(engines[0].reply(endless())) for _ in range(12)]
        await asyncio.sleep(0.5)
        begun = loop.time()
        await engines[0].close()
        for task in tasks:
            with pytest.raises(ReplyFailed, match="closed"):
                await task
        return loop.time() - begun

    assert with_engines([model_folder("plain-chat", says="ab")], close) < 2
    assert not [thread for thread in threading.enumerate() if thread.name == "hf"]


def test_a_full_window_is_an_overflow_with_its_figures(model_folder: Folders) -> None:
    """Before anything is decoded."""
    with pytest.raises(ContextOverflow) as caught:
        ask(model_folder("plain-chat"), request("tea " * 200), context_window=512)
    assert (caught.value.window, caught.value.needed) == (512, 800 + 19 + 24)


def test_an_interrupted_conversation_goes_on_as_if_nothing_had_happened(model_folder: Folders) -> None:
    """One row at a time: held again from its start, the committed replies come out the same, and so does the rest."""
    talk = Conversation(id="talk", turns=tuple(Turn(text=text) for text in QUESTIONS[:4]))
    manner = Manner(sampling=CHANCE)
    path = model_folder("plain-chat")

    async def whole(engines: list[Engine]) -> Transcript:
        return await hold(talk, engines[0], manner, commit=nothing)

    async def broken_off(engines: list[Engine]) -> list[TurnRecord]:
        async with Dialogue(engines[0], manner, Session("talk"), None) as dialogue:
            return [await dialogue.say(turn) for turn in talk.turns[:2]]

    transcript = with_engines([path], whole, reproducible=True)
    committed = with_engines([path], broken_off, reproducible=True)

    async def gone_on(engines: list[Engine]) -> Transcript:
        return await hold(talk, engines[0], manner, committed=committed, commit=nothing)

    again = with_engines([path], gone_on, reproducible=True)
    assert [turn.reply for turn in again.turns] == [turn.reply for turn in transcript.turns]
    assert not any("replay_differs" in turn.flags for turn in again.turns)


class Cramped:
    """A model in a memory that holds so many rows; of more it holds the first ``tokens``."""

    def __init__(self, model: Any, rows: int, tokens: int = 0) -> None:  # noqa: ANN401 - a model of transformers
        self._model = model
        self._rows = rows
        self._tokens = tokens
        self.batches: list[int] = []

    def generate(self, *, input_ids: Any, generation_config: Any, **options: Any) -> Any:  # noqa: ANN401 - as transformers
        """Decode, or run out of memory."""
        self.batches.append(len(input_ids))
        if len(input_ids) <= self._rows:
            return self._model.generate(input_ids=input_ids, generation_config=generation_config, **options)
        if self._tokens:
            generation_config.max_new_tokens = self._tokens
            self._model.generate(input_ids=input_ids, generation_config=generation_config, **options)
        raise torch.OutOfMemoryError("out of memory")


def orders(count: int) -> list[Order]:
    watch = [Watch(str, stop_ids=frozenset(), stops=(), budget=5) for _ in range(count)]
    return [
        Order(ids=[index + 5] * 9, sampling=CHANCE, seed=index, adapter=None, logprobs=False, watch=watch[index])
        for index in range(count)
    ]


@pytest.mark.parametrize("tokens", [0, 3], ids=["at once", "in the middle"])
def test_a_batch_that_memory_does_not_hold_is_split(model_folder: Folders, tokens: int) -> None:
    """The replies are those of the whole batch, seeds and all; a single one that does not fit fails in words."""
    model = AutoModelForCausalLM.from_pretrained(model_folder("plain-chat"))
    cramped, roomy, split = Cramped(model, 2, tokens), orders(7), orders(7)
    decode(model, roomy, torch.device("cpu"))
    decode(cramped, split, torch.device("cpu"))
    assert cramped.batches == [7, 4, 2, 2, 3, 2, 1]
    assert [one.done.result().ids for one in split] == [one.done.result().ids for one in roomy]
    with pytest.raises(ReplyFailed, match="no memory for a prompt of 9 tokens"):
        decode(Cramped(model, 0), orders(1), torch.device("cpu"))


def test_nothing_is_written_to_the_terminal(
    model_folder: Folders, adapter_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Progress bars and advice of the libraries stay away."""
    ask(f"{model_folder('plain-chat')}+lora={adapter_folder}", request("Hi"))
    assert capfd.readouterr() == ("", "")
