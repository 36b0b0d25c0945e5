"""llama.cpp inside the process: GGUF models, LoRA adapters, a conversation pinned to its slot.

    llamacpp:model.gguf
    llamacpp:model.gguf+lora=adapter.gguf

Two arrangements. By default one single-slot, single-threaded server per core: a conversation has a server to itself
from its first turn to its last, its first turn starts from an empty cache and later turns add to it, so a text depends
on nothing but its own conversation; on a CPU that is also the fast way. With ``slots`` one server batches continuously
over all threads: for GPUs, and for models that do not fit once per core; then texts depend on what else is decoded.

Prompts are sent as token ids: the history is what was generated, never decoded and encoded again, and text that looks
like a control token stays text. Specs that share a model file share its servers; the adapter is switched per request.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from multiturn.conversation import Message
from multiturn.engines import chat_template
from multiturn.engines.gguf import read_header
from multiturn.engines.llamacpp_fields import GREEDY, SAMPLERS, SWITCHED_OFF
from multiturn.engines.llamacpp_pool import Pool, Seat
from multiturn.engines.llamacpp_server import Decoded, Flight, Server, adapters_on, package_version, processor
from multiturn.errors import ReplyFailed, SpecError
from multiturn.facts import EngineOptions, Facts, Inspection
from multiturn.transcript import MOST_LIKELY, FinishReason, Flag, Prompt, Reply, Request, Sampling, Session, Timing

PREFIX: Final = "llamacpp:"
FINISH: Final[dict[str, FinishReason]] = {"eos": "stop", "word": "stop", "limit": "length"}


class Sources(msgspec.Struct, frozen=True):
    """The files a spec names."""

    model: Path
    adapter: Path | None


def parse_spec(spec: str) -> Sources:
    """The files that ``llamacpp:model.gguf[+lora=adapter.gguf]`` names.

    Raises:
        SpecError: it names no model, or more than one adapter.
    """
    model, *adapters = spec.removeprefix(PREFIX).split("+lora=")
    if not model or len(adapters) > 1 or not all(adapters):
        raise SpecError(f"{spec!r} is no llamacpp spec", hint="write llamacpp:model.gguf[+lora=adapter.gguf]")
    return Sources(Path(model).expanduser(), Path(adapters[0]).expanduser() if adapters else None)


def open_engines(specs: Sequence[str], options: EngineOptions) -> list[LlamaCppEngine]:
    """Open one engine per spec; those of one model file share its servers, loaded once.

    Raises:
        NotFound, SpecError, EngineSetupError: as :class:`multiturn.engines.llamacpp_pool.Pool`.
    """
    sources = [parse_spec(spec) for spec in specs]
    pools: dict[Path, Pool] = {}
    for model in dict.fromkeys(source.model for source in sources):
        adapters = dict.fromkeys(source.adapter for source in sources if source.model == model and source.adapter)
        pools[model] = Pool(model, tuple(adapters), options)
    return [
        LlamaCppEngine(spec, pools[source.model], source.adapter) for spec, source in zip(specs, sources, strict=True)
    ]


def read_template(spec: str) -> str | None:
    """The chat template in the model file that a spec names; None where it has none."""
    return read_header(parse_spec(spec).model).chat_template


class _Built(msgspec.Struct, frozen=True):
    """A prompt as text and as token ids, for the messages it was built from."""

    messages: tuple[Message, ...]
    text: str
    ids: list[int]
    flags: tuple[Flag, ...]


class _Held(msgspec.Struct):
    """A session: where it sits, and what its cache holds as text and as token ids."""

    seat: Seat
    server: Server
    prompt: str = ""
    prompt_ids: list[int] = msgspec.field(default_factory=list)
    reply: str = ""
    reply_ids: list[int] | None = None


class LlamaCppEngine:
    """One model with at most one adapter, on a pool of servers that it may share."""

    def __init__(self, spec: str, pool: Pool, adapter: Path | None) -> None:
        self.spec = spec
        self._pool = pool
        self._pool.join()
        self._open = True
        self._adapter = adapter
        self._held: dict[Session, _Held] = {}
        self._built: dict[Session, _Built] = {}
        template, header = pool.template, pool.header
        self._control_tokens = tuple(header.control_ids)
        self._control_ids = header.control_ids
        self._controls = frozenset(header.control_ids.values())
        self.facts = Facts(
            context_window=pool.window,
            open_conversations=pool.size,
            identity={
                "engine": "llamacpp",
                "engine_version": package_version(),
                "processor": processor(),
                "weights": pool.digests[header.path],
                "adapter": pool.digests[adapter] if adapter else "none",
                "arrangement": f"{pool.size} slots, {pool.threads} threads, {pool.gpu_layers} layers on a GPU"
                if pool.batched
                else f"a server per conversation, threads: {pool.threads}",
                "samplers": ">".join(SAMPLERS),
                "fixed": ", ".join(f"{name}={value}" for name, value in SWITCHED_OFF.items() if name != "samplers"),
                "template_date": f"{chat_template.PINNED_DATE:%Y-%m-%d}",
                "template_stop": repr(template.stop),
                "template": template.sha256,
            },
            system_role=template.system == "own",
            template_sha256=template.sha256,
            fallback_template=template.fallback,
            thinks=template.thinks,
            keeps_reasoning=template.keeps_reasoning,
            reproducible=not pool.batched and pool.threads == 1,
            replays=not pool.batched,
            logprobs=True,
            json_schema=True,
            notes=pool.notes,
        )

    async def prompt(self, request: Request) -> Prompt:
        """What ``reply`` would send: the rendered text and its exact length in tokens."""
        built = await self._build(request)
        number = self._pool.header.number("tokenizer.ggml.bos_token_id")
        bos = None if number is None else chat_template.leading(built.ids, number)
        return Prompt(text=built.text, tokens=len(built.ids), bos=bos, flags=built.flags)

    async def inspect(self) -> Inspection:
        """What the model file brings with it. GGUF names no sampling fields; llama.cpp's own defaults never apply."""
        template, header = self._pool.template, self._pool.header
        ends = chat_template.turn_end(template, self._control_tokens)
        eos = header.token("eos")
        return Inspection(
            template=template.source,
            control_tokens=self._control_tokens,
            bos=header.token("bos"),
            stops={
                "the model file (EOS)": (eos,) if eos else (),
                "the template (behind a reply)": (ends,) if ends else template.stop,
            },
            in_use=tuple(dict.fromkeys([*((eos,) if eos else ()), *template.stop])),
        )

    async def reply(self, request: Request) -> Reply:
        """The reply to the last message, decoded in this session's own slot."""
        held = await self._seated(request.session)
        started = time.perf_counter()
        built = await self._build(request)
        body = self._body(request, built.ids, slot=held.seat.slot, cache=bool(held.prompt_ids))
        decoded = await self._pool.work(lambda flight: held.server.decode(body, flight))
        generated, text = self._generated(decoded), decoded.content
        if generated is not None and not self._controls.isdisjoint(generated):
            said = generated  # llama.cpp leaves control tokens out of a text; the model did write them
            text = await self._pool.work(lambda flight: held.server.spell(said, flight))
            generated = None
        self._built.pop(request.session, None)
        held.prompt, held.prompt_ids = built.text, built.ids
        held.reply, held.reply_ids = text, generated
        timings = decoded.timings
        return Reply(
            text=text,
            finish=FINISH.get(decoded.stop_type, "unknown"),
            timing=Timing(
                total=time.perf_counter() - started,
                prompt=timings.prompt_ms / 1000,
                generate=timings.predicted_ms / 1000,
            ),
            token_ids=tuple(decoded.tokens),
            logprobs=tuple(one.logprob for one in decoded.completion_probabilities) if request.logprobs else None,
            pieces=decoded.pieces if request.logprobs else None,
            prompt_tokens=len(built.ids),
            cached_tokens=timings.cache_n,
            new_tokens=timings.predicted_n,
        )

    async def end(self, session: Session) -> None:
        """Free the session's slot."""
        self._built.pop(session, None)
        held = self._held.pop(session, None)
        if held is not None:
            self._pool.give(held.seat)

    async def close(self) -> None:
        """Free the servers, once no other engine shares them."""
        if self._open:
            self._open = False
            self._pool.leave()

    def _body(self, request: Request, ids: list[int], *, slot: int, cache: bool) -> dict[str, Any]:
        sampling: Sampling = request.sampling
        return (
            SWITCHED_OFF
            | {
                "prompt": ids,
                "n_predict": sampling.max_tokens + sampling.reasoning_tokens,
                "temperature": sampling.temperature,
                "top_p": sampling.top_p,
                "top_k": sampling.top_k,
                "min_p": sampling.min_p,
                "repeat_penalty": sampling.repeat_penalty,
                "presence_penalty": sampling.presence_penalty,
                "frequency_penalty": sampling.frequency_penalty,
                "stop": [*sampling.stop, *self._pool.template.stop],
                "seed": request.seed,
                "id_slot": slot,
                "cache_prompt": cache,
                "return_tokens": True,
                "lora": adapters_on(self._pool.adapters, self._adapter),
            }
            | (GREEDY if sampling.temperature == 0 else {})
            | ({"json_schema": msgspec.json.decode(request.json_schema)} if request.json_schema else {})
            | ({"n_probs": MOST_LIKELY} if request.logprobs else {})
        )

    def _generated(self, decoded: Decoded) -> list[int] | None:
        """The ids of the reply's text; None where a stop string was cut from it, so that they would say more."""
        if decoded.stop_type == "word":
            return None
        ids = list(decoded.tokens)
        while ids and ids[-1] in self._controls:
            ids.pop()
        return ids

    async def _seated(self, session: Session) -> _Held:
        """The session with its seat, taken when it first needs one."""
        if not self._open:
            raise ReplyFailed("engine", "the engine is closed")
        held = self._held.get(session)
        if held is None:
            held = self._held[session] = _Held(*await self._pool.take())
        return held

    async def _build(self, request: Request) -> _Built:
        ready = self._built.get(request.session)
        if ready is not None and ready.messages == request.messages:
            return ready
        held = await self._seated(request.session)
        built = await self._pool.work(lambda flight: self._encode(held, flight, request))
        self._built[request.session] = built
        return built

    def _encode(self, held: _Held, flight: Flight, request: Request) -> _Built:
        template, messages = self._pool.template, request.messages
        text, pieces = chat_template.render_pieces(template, messages, self._control_tokens)
        known, ids = self._kept(held, text)
        rest = chat_template.after(pieces, known)
        if known and self._joins_badly(rest):
            known, ids, rest = 0, [], pieces
        if not known:
            ids, rest = self._begin(rest)
        ids = ids + self._tokenize(held.server, flight, rest, messages)
        flags: list[Flag] = []
        if template.system == "folded" and messages[0].role == "system":
            flags.append("system_folded")
        if template.fallback:
            flags.append("fallback_template")
        if held.prompt and known < len(held.prompt) + len(held.reply):
            flags.append("reencoded")
        return _Built(messages=request.messages, text=text, ids=ids, flags=tuple(flags))

    def _kept(self, held: _Held, text: str) -> tuple[int, list[int]]:
        """How many characters of the prompt this session holds as token ids already, and those ids."""
        if not held.prompt or not text.startswith(held.prompt):
            return 0, []
        whole = held.prompt + held.reply
        if held.reply_ids is not None and text.startswith(whole):
            return len(whole), held.prompt_ids + held.reply_ids
        return len(held.prompt), list(held.prompt_ids)

    def _joins_badly(self, rest: list[tuple[str, bool]]) -> bool:
        """SentencePiece puts a space before text that it is given alone: then the whole prompt is encoded at once."""
        return self._pool.header.text("tokenizer.ggml.model") == "llama" and bool(rest) and not rest[0][1]

    def _begin(self, pieces: list[tuple[str, bool]]) -> tuple[list[int], list[tuple[str, bool]]]:
        """The ids a prompt starts with (one BOS, or none), and the pieces after it."""
        header = self._pool.header
        begins, rest = chat_template.split_bos(pieces, header.token("bos"), adds_bos=header.adds_bos)
        number = header.number("tokenizer.ggml.bos_token_id")
        return ([number] if begins and number is not None else []), rest

    def _tokenize(
        self, server: Server, flight: Flight, pieces: list[tuple[str, bool]], messages: Sequence[Message]
    ) -> list[int]:
        if not any(token in message.content for message in messages for token in self._control_tokens):
            return server.tokenize("".join(text for text, _ in pieces), control=True, flight=flight)
        ids: list[int] = []
        for text, control in pieces:
            ids += [self._control_ids[text]] if control else server.tokenize(text, control=False, flight=flight)
        return ids
