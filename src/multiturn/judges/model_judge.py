"""A model with a rubric as a judge: shown once, asked question after question, asked again once where it can't be read.

Knows an engine, prompts and how verdicts are read. Knows no store, no budget beyond what its engine says, and no other
judge.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import platform
import time
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn import __version__
from multiturn.errors import ContextOverflow, ReplyFailed
from multiturn.facts import Unknown
from multiturn.judges.meter import BudgetSpent
from multiturn.judges.prompts import Asked, again, asked
from multiturn.judges.reading import read_judgment
from multiturn.judges.schemas import schema_for
from multiturn.judgment import Failed, Judged, JudgeRecord, Unreadable
from multiturn.transcript import Request, Sampling, Session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from multiturn.judgment import Exhibit, Judgment, Question
    from multiturn.protocols import Engine
    from multiturn.rubric import Rubric
    from multiturn.transcript import Reply

GREEDY: Final = Sampling(temperature=0.0, top_p=1.0, max_tokens=600)
"""How a judge's replies are drawn unless asked otherwise: the likeliest ones, with room for a reason."""


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """How a judge is asked.

    ``schema`` binds its replies to a JSON schema: None does where the engine can and the rubric is not one of
    FastChat's, whose prompts ask for another form. ``goldens`` shows it the suite's golden replies. ``weigh`` asks for
    log-probabilities where the engine has them, for the weighted grade.
    """

    sampling: Sampling = GREEDY
    schema: bool | None = None
    goldens: bool = True
    weigh: bool = True


class ModelJudge:
    """An engine with a rubric. Closing it closes the engine."""

    def __init__(self, engine: Engine, rubric: Rubric, manner: Manner = Manner()) -> None:  # noqa: B008 - frozen
        self._engine: Final = engine
        self._weigh: Final = manner.weigh and engine.facts.logprobs and rubric.mode == "rating"
        able = engine.facts.json_schema and rubric.wording is not None
        self._schema: Final = schema_for(rubric) if (able if manner.schema is None else manner.schema) else ""
        now = dt.datetime.now(dt.UTC)
        self.record: Final = JudgeRecord(
            created=now.isoformat(timespec="microseconds"),
            spec=engine.spec,
            rubric=rubric,
            sampling=manner.sampling,
            schema=bool(self._schema),
            goldens=manner.goldens,
            identity=engine.facts.identity,
            versions={"multiturn": __version__, "python": platform.python_version()},
            notes=engine.facts.notes,
        )

    @property
    def open_sittings(self) -> int:
        """As many conversations as the engine keeps warm."""
        return self._engine.facts.open_conversations

    @property
    def window(self) -> int | None:
        """The engine's."""
        return self._engine.facts.context_window

    def key(self, question: Question, exhibit: Exhibit) -> str:
        """SHA-256 of judge, messages and repeat: repeats are meant to be independent, so they never share one."""
        return self._key(self._asked(question, exhibit), question.repeat)

    async def sitting(self, exhibit: Exhibit, questions: Sequence[Question]) -> AsyncIterator[Judged]:
        """What it says to each question, in order; the engine keeps what it has read of the exhibit until the end."""
        session = Session(f"judge {_name(questions, self.record.id)}", questions[0].sample) if questions else None
        try:
            for turn, question in enumerate(questions):
                assert session is not None  # noqa: S101 - for the type checker
                yield await self._answer(session, 2 * turn, question, exhibit)
        finally:
            if session is not None:
                await self._engine.end(session)

    async def close(self) -> None:
        """Close the engine."""
        await self._engine.close()

    async def _answer(self, session: Session, turn: int, question: Question, exhibit: Exhibit) -> Judged:
        """Ask, and once more with the fault named where nothing can be read.

        Where the budget ends between the two, or the second prompt does not fit the window, what was said the first
        time is what it said: it is paid for, and asked anew it might end there again.

        Raises:
            BudgetSpent: there was no call left for the first time.
        """
        asking = self._asked(question, exhibit)
        key = self._key(asking, question.repeat)
        blank = Judged(
            judge=self.record.id,
            question=question,
            judgment=Failed(kind="engine", message="not asked yet"),
            key=key,
            prompt_sha256=_sha256([(one.role, one.content) for one in asking.messages]),
        )
        started = time.perf_counter()
        judged, reply = await self._try(blank, session, turn, asking)
        if isinstance(judged.judgment, Unreadable) and reply is not None:
            first = msgspec.structs.replace(judged, first=judged.judgment, first_text=judged.text)
            once_more = again(asking, reply.text, judged.judgment.fault, self.record.rubric)
            try:
                second, _ = await self._try(first, session, turn + 1, once_more)
            except BudgetSpent:
                second = first
            too_long = isinstance(second.judgment, Failed) and second.judgment.kind == "overflow"
            judged = first if too_long else second
        return msgspec.structs.replace(judged, seconds=time.perf_counter() - started)

    async def _try(self, so_far: Judged, session: Session, turn: int, asking: Asked) -> tuple[Judged, Reply | None]:
        """One reply of the judge, read; what fails is a judgment too."""
        sampling = self.record.sampling or GREEDY
        request = Request(
            session=session,
            turn=turn,
            messages=asking.messages,
            sampling=sampling,
            seed=int(_sha256([so_far.key, turn % 2])[:8], 16) & 0x7FFFFFFF,
            json_schema=self._schema,
            logprobs=self._weigh,
        )
        try:
            overflow = await self._overflow(request)
            if overflow is not None:
                return msgspec.structs.replace(so_far, judgment=overflow), None
            reply = await self._engine.reply(request)
        except ContextOverflow as error:
            overflow = Failed(kind="overflow", message=error.message, window=self.window)
            return msgspec.structs.replace(so_far, judgment=overflow), None
        except ReplyFailed as error:
            return msgspec.structs.replace(so_far, judgment=Failed(kind=error.kind, message=error.message)), None
        judgment: Judgment = read_judgment(
            reply, self.record.rubric, schema=bool(self._schema), turn=so_far.question.turn
        )
        read = msgspec.structs.replace(
            so_far,
            judgment=judgment,
            text=reply.text,
            reasoning=reply.reasoning,
            prompt_tokens=reply.prompt_tokens,
            cached_tokens=reply.cached_tokens,
            new_tokens=reply.new_tokens,
        )
        return read, reply

    async def _overflow(self, request: Request) -> Failed | None:
        """Why this does not fit the engine's window; None where it does, or nobody can tell before."""
        window = self.window
        if window is None:
            return None
        prompt = await self._engine.prompt(request)
        budget = request.sampling.max_tokens + request.sampling.reasoning_tokens
        if isinstance(prompt, Unknown) or prompt.tokens is None or prompt.tokens + budget <= window:
            return None
        return Failed(
            kind="overflow",
            message=f"the prompt has {prompt.tokens} tokens and the verdict may have {budget}: "
            f"the judge's window of {window} is too small",
            window=window,
        )

    def _asked(self, question: Question, exhibit: Exhibit) -> Asked:
        seed = self.record.sampling.seed if self.record.sampling else 0
        return asked(
            self.record.rubric,
            question,
            exhibit,
            schema=bool(self._schema),
            goldens=self.record.goldens,
            seed=seed,
        )

    def _key(self, asking: Asked, repeat: int) -> str:
        return _sha256([self.record.id, [(one.role, one.content) for one in asking.messages], self._schema, repeat])


def _name(questions: Sequence[Question], judge: str) -> str:
    """A name for a sitting: no two that are open at once have one, of one conversation with golden history either."""
    one = questions[0]
    turns = [question.turn for question in questions]
    return _sha256([judge, one.run, one.opponent, one.conversation, one.seat, one.repeat, turns])[:16]


def _sha256(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value)).hexdigest()
