"""The hf engine: what one arm sends and what its reply says. The weights, and who decodes, are in ``hf_base``."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from multiturn.engines import chat_template
from multiturn.engines.hf_arm import Arm, open_arm
from multiturn.engines.hf_base import Base
from multiturn.engines.hf_decoding import Decoded, Order
from multiturn.engines.hf_prompt import Built, Known, build
from multiturn.engines.hf_sampling import SAMPLERS
from multiturn.engines.hf_watching import THINKING, Watch
from multiturn.errors import ContextOverflow, ReplyFailed
from multiturn.facts import EngineOptions, Facts, Inspection
from multiturn.transcript import FinishReason, Prompt, Reply, Request, Session, Timing

if TYPE_CHECKING:
    from multiturn.engines.hf import Source

FINISH: Final[dict[str, FinishReason]] = {"token": "stop", "string": "stop", "limit": "length"}
CONTEXT_TOKENS: Final = 8
_OPENERS: Final = tuple(begin for begin, _ in THINKING)


def open_sources(sources: Sequence[Source], options: EngineOptions) -> list[HfEngine]:
    """One engine per source; those of one base share it.

    Raises:
        SpecError, EngineSetupError, MissingExtra: as :class:`Base` and :func:`open_arm`.
    """
    bases: dict[Path, Base] = {}
    for source in sources:
        path = source.base.path.resolve()
        if path not in bases:
            adapters = {
                one.adapter.path: one.adapter
                for one in sources
                if one.adapter is not None and one.base.path.resolve() == path
            }
            bases[path] = Base(source.base, tuple(adapters.values()), options)
    return [
        HfEngine(source.spec, bases[source.base.path.resolve()], open_arm(source.base, source.adapter, options))
        for source in sources
    ]


class HfEngine:
    """One model with at most one adapter, on a base that it may share."""

    def __init__(self, spec: str, base: Base, arm: Arm) -> None:
        base.check_arm(arm)
        self.spec = spec
        self._base = base
        self._arm = arm
        self._base.join()
        self._open = True
        self._known: dict[Session, Known] = {}
        self._built: dict[Session, Built] = {}
        self._flight: set[Order] = set()
        template = arm.template
        self.facts = Facts(
            context_window=arm.window,
            open_conversations=base.rows,
            identity=base.identity
            | arm.identity
            | {"samplers": ">".join(SAMPLERS), "template_date": f"{chat_template.PINNED_DATE:%Y-%m-%d}"},
            system_role=template.system == "own",
            template_sha256=template.sha256,
            fallback_template=template.fallback,
            thinks=template.thinks,
            keeps_reasoning=template.keeps_reasoning,
            reproducible=base.reproducible,
            replays=base.reproducible,
            logprobs=True,
            notes=(*base.notes, *arm.notes),
        )

    async def prompt(self, request: Request) -> Prompt:
        """What ``reply`` would send: the rendered text and its exact length in tokens."""
        built = self._build(request)
        number = self._arm.tokens.bos_id
        bos = None if number is None else chat_template.leading(built.ids, number)
        return Prompt(text=built.text, tokens=len(built.ids), bos=bos, flags=built.flags)

    async def reply(self, request: Request) -> Reply:
        """The reply to the last message, decoded beside whatever else is asked for at the time."""
        started = time.perf_counter()
        if not self._open:
            raise ReplyFailed("engine", "the engine is closed")
        built = self._build(request)
        watch = self._watch(request, built)
        self._require_room(len(built.ids) + watch.limit)
        decoded = await self._decoded(
            Order(
                ids=built.ids,
                sampling=request.sampling,
                seed=request.seed,
                adapter=self._arm.adapter,
                logprobs=request.logprobs,
                watch=watch,
            )
        )
        text = watch.text(decoded.ids)
        self._built.pop(request.session, None)
        self._known[request.session] = self._remembered(built, decoded)
        return Reply(
            text=text.reply,
            reasoning=text.reasoning,
            finish=FINISH[decoded.ended],
            timing=Timing(total=time.perf_counter() - started, prompt=decoded.prompt_seconds, generate=decoded.seconds),
            token_ids=tuple(decoded.ids),
            logprobs=tuple(decoded.logprobs) if request.logprobs else None,
            prompt_tokens=len(built.ids),
            cached_tokens=0,
            new_tokens=len(decoded.ids),
        )

    async def end(self, session: Session) -> None:
        """Forget the session's token ids."""
        self._built.pop(session, None)
        self._known.pop(session, None)

    async def inspect(self) -> Inspection:
        """What the model's folder brings with it."""
        return self._arm.inspection

    async def close(self) -> None:
        """Give up replies in flight, and free the model once no other engine shares it."""
        for order in self._flight:
            order.given_up.set()
        if self._open:
            self._open = False
            await asyncio.to_thread(self._base.leave)

    def _build(self, request: Request) -> Built:
        ready = self._built.get(request.session)
        if ready is None or ready.messages != request.messages:
            known = self._known.get(request.session, Known())
            ready = build(self._arm.template, self._arm.tokens, known, request.messages)
            self._built[request.session] = ready
        return ready

    def _watch(self, request: Request, built: Built) -> Watch:
        sampling, tokens = request.sampling, self._arm.tokens
        named = {stop: tokens.id_of(stop) for stop in (*sampling.stop, *self._arm.template.stop)}
        return Watch(
            tokens.decode,
            stop_ids=self._arm.stop_ids | {number for number in named.values() if number is not None},
            stops=[stop for stop, number in named.items() if number is None],
            budget=sampling.max_tokens,
            reasoning=sampling.reasoning_tokens,
            opened=self.facts.thinks and built.text.rstrip().endswith(_OPENERS),
        )

    def _require_room(self, needed: int) -> None:
        window = self.facts.context_window
        if window is not None and needed > window:
            raise ContextOverflow(
                f"prompt and reply need {needed} tokens; the window has {window}", needed=needed, window=window
            )

    async def _decoded(self, order: Order) -> Decoded:
        self._flight.add(order)
        try:
            self._base.worker.submit(order)
            return await asyncio.wrap_future(order.done)
        except asyncio.CancelledError:
            order.given_up.set()
            raise
        finally:
            self._flight.discard(order)

    def _remembered(self, built: Built, decoded: Decoded) -> Known:
        """The prompt and the reply as ids; the reply's text as it stands behind the prompt, blanks and all.

        A reply in which the model wrote a control token goes on as the text that the record shows, in letters.
        """
        tokens = self._arm.tokens
        ids = decoded.ids[:-1] if decoded.ended == "token" else decoded.ids
        if tokens.has_control(ids):
            return Known(built.text, built.ids, tokens.decode(ids), None)
        before = built.ids[-CONTEXT_TOKENS:]
        text = tokens.spoken([*before, *ids]).removeprefix(tokens.spoken(before))
        return Known(built.text, built.ids, text, None if decoded.ended == "string" else ids)
