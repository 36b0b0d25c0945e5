"""One turn, exactly: what is asked, what is kept, how a turn ends, and what that means for the next one."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.codec import decode, encode
from multiturn.conversation import Conversation, Message, Turn
from multiturn.dialogue import Manner, hold, turn_seed
from multiturn.engines.scripted import Script, ScriptedEngine, echo
from multiturn.errors import ContextOverflow, EngineSetupError, FailureKind, ReplyFailed
from multiturn.facts import Unknown
from multiturn.protocols import Engine
from multiturn.transcript import (
    Cause,
    Failure,
    FinishReason,
    Flag,
    Prompt,
    Reply,
    Request,
    Sampling,
    Session,
    Status,
    ThinkPolicy,
    Timing,
    Transcript,
    TurnRecord,
)

THREE = Conversation(id="three", turns=(Turn(text="one"), Turn(text="two"), Turn(text="three")))
MANNER = Manner(sampling=Sampling(max_tokens=5))


def said(text: str, finish: FinishReason = "stop", *, reasoning: str = "", prompt_tokens: int | None = None) -> Reply:
    return Reply(text=text, finish=finish, timing=Timing(total=0.0), reasoning=reasoning, prompt_tokens=prompt_tokens)


def in_order(*replies: str | Reply | Exception) -> Script:
    """A script that gives these one after the other, whatever it is asked."""
    left = iter(replies)

    def script(_request: Request) -> str | Reply:
        reply = next(left)
        if isinstance(reply, Exception):
            raise reply
        return reply

    return script


class Watched(ScriptedEngine):
    """A scripted engine that keeps what it was asked."""

    def __init__(self, script: Script = echo, *, replays: bool = False, window: int | None = None) -> None:
        super().__init__(script, window=window)
        self.requests: list[Request] = []
        self.facts = msgspec.structs.replace(self.facts, replays=replays)

    async def reply(self, request: Request) -> Reply:
        """What the script says."""
        self.requests.append(request)
        return await super().reply(request)

    @property
    def sent(self) -> list[list[str]]:
        """The messages of each request, each as ``role: content``."""
        return [[f"{message.role}: {message.content}" for message in request.messages] for request in self.requests]


def held(
    engine: Engine,
    conversation: Conversation = THREE,
    manner: Manner = MANNER,
    *,
    sample: int = 0,
    committed: Sequence[TurnRecord] = (),
) -> tuple[Transcript, list[TurnRecord]]:
    """The transcript of a conversation held to its end, and what was committed on the way."""
    kept: list[TurnRecord] = []

    async def keep(record: TurnRecord) -> None:
        kept.append(record)

    transcript = asyncio.run(hold(conversation, engine, manner, sample=sample, committed=committed, commit=keep))
    return transcript, kept


def statuses(records: Sequence[TurnRecord]) -> list[tuple[Status, Cause | None]]:
    return [(record.status, record.cause) for record in records]


# Step 1: messages


def test_the_history_is_the_models_own_replies() -> None:
    """Each request holds all turns before it with what the model said, and ends with the user."""
    engine = Watched(in_order("A", "B", "C"))
    transcript, kept = held(engine)
    assert engine.sent == [
        ["user: one"],
        ["user: one", "assistant: A", "user: two"],
        ["user: one", "assistant: A", "user: two", "assistant: B", "user: three"],
    ]
    assert transcript.turns == tuple(kept)
    assert [(record.turn, record.user, record.reply, record.status) for record in kept] == [
        (0, "one", "A", "ok"),
        (1, "two", "B", "ok"),
        (2, "three", "C", "ok"),
    ]
    assert transcript.session == Session("three", 0)
    assert transcript.complete


def test_a_golden_history_is_the_golden_replies() -> None:
    """What the model says is kept in its record, and the next turn follows the golden reply."""
    conversation = Conversation(id="g", turns=(Turn(text="one", golden="A"), Turn(text="two", golden="B")))
    engine = Watched(in_order("wrong", "right"))
    _, kept = held(engine, conversation, msgspec.structs.replace(MANNER, history="golden"))
    assert engine.sent[1] == ["user: one", "assistant: A", "user: two"]
    assert [record.reply for record in kept] == ["wrong", "right"]


@pytest.mark.parametrize(
    ("own", "override", "sent"),
    [
        (None, None, None),
        ("Be brief.", None, "Be brief."),
        ("Be brief.", "Be kind.", "Be kind."),
        (None, "Be kind.", "Be kind."),
        ("Be brief.", "", None),
        ("", None, None),
    ],
)
def test_the_system_prompt(own: str | None, override: str | None, sent: str | None) -> None:
    """The arm's takes the place of the conversation's own; an empty one is none, and no message."""
    conversation = Conversation(id="s", turns=(Turn(text="one"), Turn(text="two")), system=own)
    engine = Watched(in_order("A", "B"))
    transcript, _ = held(engine, conversation, msgspec.structs.replace(MANNER, system=override))
    head = [f"system: {sent}"] if sent else []
    assert engine.sent == [[*head, "user: one"], [*head, "user: one", "assistant: A", "user: two"]]
    assert transcript.system == sent


# Step 2: the prompt as it is recorded


def whole_prompts(records: Sequence[TurnRecord]) -> list[str]:
    """The prompts that the records say were sent, put together from what each adds to the one before."""
    prompts = [""]
    for record in records:
        assert record.prompt_delta is not None
        prompts.append(prompts[-1][: record.prompt_kept] + record.prompt_delta)
    return prompts[1:]


@given(st.lists(st.sampled_from(["", "a", "yes\n", "漢字", "user: no", "\ud800"]), min_size=4, max_size=4))
def test_the_prompt_can_be_put_together_again(replies: list[str]) -> None:
    """Kept characters of the prompt before and what was added are the prompt; its hash is over the whole."""
    conversation = Conversation(id="p", turns=tuple(Turn(text=text) for text in ("x", "x", "yes", "no")), system="s")
    manner = msgspec.structs.replace(MANNER, window=14, overflow="drop-oldest")
    engine = Watched(in_order(*replies))
    _, kept = held(engine, conversation, manner)
    answered = [record for record in kept if record.reply is not None]
    assert whole_prompts(answered) == ["\n".join(messages) for messages in engine.sent][: len(answered)]
    assert [record.prompt_sha256 for record in answered] == [
        hashlib.sha256(prompt.encode()).hexdigest() for prompt in whole_prompts(answered)
    ]


def test_an_engine_that_can_not_say_what_it_sends() -> None:
    """The conversation is held all the same; of the prompt there is nothing to record."""

    class Silent(ScriptedEngine):
        async def prompt(self, request: Request) -> Prompt | Unknown:  # type: ignore[override]  # the seam allows it
            return Unknown(f"turn {request.turn} is rendered by the server")

        async def reply(self, request: Request) -> Reply:
            return said(request.messages[-1].content)

    _, kept = held(Silent(echo), manner=msgspec.structs.replace(MANNER, window=1))
    assert [record.reply for record in kept] == ["one", "two", "three"]
    assert {(record.prompt_delta, record.prompt_sha256, record.prompt_kept) for record in kept} == {(None, None, 0)}


class Marked(Watched):
    """An engine that has something to say of its prompts."""

    flags: tuple[Flag, ...] = ()
    ending = ""

    async def prompt(self, request: Request) -> Prompt:
        """The scripted one, with the flags and the ending."""
        prompt = await super().prompt(request)
        return msgspec.structs.replace(prompt, text=prompt.text + self.ending, flags=self.flags)


def test_flags_stand_beside_each_other() -> None:
    """What was done to the prompt and to the reply is all recorded, each once, with the uncut reply."""
    raw = "Assistant: Lisbon.\nUser: And?\nAssistant: No."
    engine = Marked(in_order(said(raw, "length"), "B", "C"))
    engine.flags = ("system_folded", "fallback_template", "reencoded")
    _, kept = held(engine)
    assert set(kept[0].flags) == {"system_folded", "fallback_template", "reencoded", "run_on", "role_echo"}
    assert len(kept[0].flags) == 5
    assert (kept[0].reply, kept[0].raw) == ("Lisbon.", raw)
    assert kept[1].flags == ("system_folded", "fallback_template", "reencoded")
    assert engine.sent[1][1] == "assistant: Lisbon."


# Step 3: what does not fit

FOUR_WORDS = Conversation(id="w", turns=tuple(Turn(text=f"{number} b c d") for number in range(4)), system="s s")
"""A prompt of turn n (from 0) has 3 + 5 (n + 1) + 2 n words where each reply is one word."""


def window(size: int, overflow: str = "stop") -> Manner:
    return msgspec.convert({"sampling": Sampling(max_tokens=5), "window": size, "overflow": overflow}, Manner)


def test_prompt_and_reply_that_just_fit() -> None:
    """The window counts both; to the token it is no overflow."""
    _, kept = held(Watched(lambda _: "ok"), FOUR_WORDS, window(15 + 5))
    assert statuses(kept)[:2] == [("ok", None), ("ok", None)]
    assert kept[1].prompt_tokens == 15


def test_one_token_too_many_stops_the_conversation() -> None:
    """Nothing is sent; it is the model's own doing where its replies are in the prompt; the rest is not reached."""
    engine = Watched(lambda _: "ok")
    transcript, kept = held(engine, FOUR_WORDS, window(15 + 4))
    assert statuses(kept) == [("ok", None), ("overflowed", "model"), ("not_reached", "model"), ("not_reached", "model")]
    assert kept[1].failure == Failure("overflow", "prompt and reply need 20 tokens; the window has 19")
    assert [record.reply for record in kept[1:]] == [None, None, None]
    assert len(engine.requests) == 1
    assert transcript.complete


def test_an_overflow_at_the_first_turn_is_the_environments_doing() -> None:
    """The model has said nothing yet: what does not fit is the suite in this window."""
    engine = Watched(lambda _: "ok")
    transcript, kept = held(engine, FOUR_WORDS, window(12))
    assert statuses(kept) == [("overflowed", "environment")] + [("not_reached", "environment")] * 3
    assert engine.requests == []
    assert not transcript.complete


def test_an_overflow_in_a_golden_history_is_the_environments_doing() -> None:
    """There the model's own replies are not in the prompt."""
    conversation = Conversation(id="g", turns=(Turn(text="a", golden="b " * 20), Turn(text="c")))
    _, kept = held(Watched(), conversation, msgspec.structs.replace(window(20), history="golden"))
    assert statuses(kept) == [("ok", None), ("overflowed", "environment")]


def test_the_budget_for_reasoning_counts() -> None:
    """A reasoning model may think beside its reply; both must fit."""
    manner = Manner(sampling=Sampling(max_tokens=5, reasoning_tokens=3), window=8 + 5 + 2)
    _, kept = held(Watched(), FOUR_WORDS, manner)
    assert kept[0].status == "overflowed"


@pytest.mark.parametrize("turn", [0, 1])
def test_an_overflow_that_the_engine_finds(turn: int) -> None:
    """Said by the engine it means the same as found beforehand."""
    replies: list[str | Reply | Exception] = ["A", ContextOverflow("640 tokens asked for, 512 there are")]
    engine = Watched(in_order(*replies[1 - turn :]))
    _, kept = held(engine)
    cause: Cause = "model" if turn else "environment"
    assert statuses(kept)[turn:] == [("overflowed", cause)] + [("not_reached", cause)] * (2 - turn)
    assert kept[turn].failure == Failure("overflow", "640 tokens asked for, 512 there are")
    assert len(engine.requests) == turn + 1


def test_drop_oldest_leaves_out_whole_turns() -> None:
    """As few of the oldest turns as needed, with the replies to them; the system prompt stays; it is recorded."""
    engine = Watched(lambda request: f"r{request.turn}")
    _, kept = held(engine, FOUR_WORDS, window(15 + 5, "drop-oldest"))
    assert engine.sent == [
        ["system: s s", "user: 0 b c d"],
        ["system: s s", "user: 0 b c d", "assistant: r0", "user: 1 b c d"],
        ["system: s s", "user: 1 b c d", "assistant: r1", "user: 2 b c d"],
        ["system: s s", "user: 2 b c d", "assistant: r2", "user: 3 b c d"],
    ]
    assert [record.flags for record in kept] == [(), (), ("dropped_turns",), ("dropped_turns",)]
    assert [record.status for record in kept] == ["ok"] * 4


def test_drop_oldest_without_a_system_prompt() -> None:
    """Then the first message may go too, and the prompt still begins with the user."""
    engine = Watched(lambda _: "ok")
    _, kept = held(engine, msgspec.structs.replace(FOUR_WORDS, system=None), window(12 + 5, "drop-oldest"))
    assert engine.sent[3] == ["user: 2 b c d", "assistant: ok", "user: 3 b c d"]
    assert [record.status for record in kept] == ["ok"] * 4


def test_turns_left_out_on_purpose_are_no_truncation_by_the_server() -> None:
    """The prompt then has fewer tokens than the one before; that was this program's doing, and no overflow."""
    texts = (" ".join("a" * 20), " ".join(["w" * 40] * 3), "c")
    conversation = Conversation(id="shrinks", turns=tuple(Turn(text=text) for text in texts))
    _, kept = held(Watched(lambda _: "ok"), conversation, window(30, "drop-oldest"))
    assert [record.status for record in kept] == ["ok", "ok", "ok"]
    assert "dropped_turns" in kept[1].flags


def test_a_turn_that_can_not_fit_by_itself_overflows() -> None:
    """With all older turns left out it is still too long; at the first turn that is the environment's doing."""
    long = Conversation(id="long", turns=(Turn(text=" ".join("a" * 30)), Turn(text="b")), system="s")
    engine = Watched()
    _, kept = held(engine, long, window(20, "drop-oldest"))
    assert statuses(kept) == [("overflowed", "environment"), ("not_reached", "environment")]
    assert engine.requests == []


def test_a_later_turn_that_can_not_fit_by_itself_is_not_the_models_doing() -> None:
    """Its own replies were all left out, so they are not what filled the window."""
    long = Conversation(id="long", turns=(Turn(text="b"), Turn(text=" ".join("a" * 30))), system="s")
    _, kept = held(Watched(), long, window(20, "drop-oldest"))
    assert statuses(kept) == [("ok", None), ("overflowed", "environment")]


@pytest.mark.parametrize(("second", "told"), [(9, "9 prompt tokens after 10"), (10, "10 prompt tokens after 10")])
def test_prompt_tokens_that_fall_or_stand_still_are_an_overflow(second: int, told: str) -> None:
    """The text grew, so the server has cut it; what it replied to another conversation is kept, but is no reply."""
    engine = Watched(in_order(said("A", prompt_tokens=10), said("B", prompt_tokens=second)))
    _, kept = held(engine)
    assert statuses(kept) == [("ok", None), ("overflowed", "model"), ("not_reached", "model")]
    assert (kept[1].reply, kept[1].raw) == (None, "B")
    assert kept[1].failure is not None
    assert told in kept[1].failure.message


class Uncounted(Watched):
    """A server that renders the prompt by itself."""

    async def prompt(self, _request: Request) -> Unknown:  # type: ignore[override]
        """Unknown."""
        return Unknown("the server renders the prompt")

    async def reply(self, request: Request) -> Reply:
        """What the script says."""
        said_now = self._script(request)
        assert isinstance(said_now, Reply)
        return said_now


WORDS = "many words that were said before " * 30


@pytest.mark.parametrize(
    ("reply", "tokens", "status"),
    [
        (WORDS, (100, 103, 106), "overflowed"),
        (WORDS, (100, 320, 540), "ok"),
        ("=" * 900, (100, 108, 116), "ok"),
        ("short", (100, 103, 106), "ok"),
    ],
)
def test_a_servers_prompt_that_grows_by_less_than_was_said_was_cut(
    reply: str, tokens: tuple[int, ...], status: Status
) -> None:
    """A window that slides lets the count go on growing a little; signs that make one token of many do not count."""
    _, kept = held(Uncounted(in_order(*(said(reply, prompt_tokens=count) for count in tokens))))
    assert [record.status for record in kept][1] == status


def test_prompt_tokens_that_grow_or_are_not_told_are_no_overflow() -> None:
    """A server that does not count is not suspected."""
    counts = (10, None, 11, 12)
    conversation = Conversation(id="c", turns=tuple(Turn(text=text) for text in "abcd"))
    _, kept = held(Watched(in_order(*(said("x", prompt_tokens=count) for count in counts))), conversation)
    assert [record.status for record in kept] == ["ok"] * 4


def test_tokens_that_fall_are_seen_across_an_interruption() -> None:
    """The first turn after a resume is compared with the committed one before it."""
    committed = [TurnRecord(turn=0, user="one", status="ok", reply="A", prompt_tokens=10)]
    _, kept = held(Watched(in_order(said("B", prompt_tokens=4))), committed=committed)
    assert statuses(kept) == [("overflowed", "model"), ("not_reached", "model")]


# Step 4: seeds


@pytest.mark.parametrize(
    ("run_seed", "conversation", "turn", "sample", "seed"),
    [
        (0, "c", 0, 0, 1074580162),
        (0, "c", 1, 0, 930636331),
        (0, "c", 0, 1, 330199255),
        (0, "d", 0, 0, 1606701197),
        (1, "c", 0, 0, 547065337),
        (2**63 - 1, "größe 漢字", 12, 3, 463359388),
    ],
)
def test_seeds_never_change(run_seed: int, conversation: str, turn: int, sample: int, seed: int) -> None:
    """These were held with: another value would make every stored run impossible to hold again."""
    assert turn_seed(run_seed, conversation, turn, sample) == seed


def test_seeds_are_distinct() -> None:
    """Over runs, conversations, turns and samples; also where names and numbers run into each other."""
    names = ("c", "c1", "1", "", "c\x1f1", "1\x1f1", "C")
    seeds = [turn_seed(run, name, turn, k) for run in (0, 1, 11) for name in names for turn in range(8) for k in (0, 1)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_each_request_has_the_seed_of_its_turn() -> None:
    """Sampling goes to the engine as it is, with the run's seed; the turn's own stands beside it and in the record."""
    manner = Manner(sampling=Sampling(max_tokens=5, seed=7))
    engine = Watched()
    _, kept = held(engine, manner=manner, sample=2)
    seeds = [turn_seed(7, "three", turn, 2) for turn in range(3)]
    assert [request.seed for request in engine.requests] == seeds == [record.seed for record in kept]
    assert {request.sampling for request in engine.requests} == {manner.sampling}
    assert {request.session for request in engine.requests} == {Session("three", 2)}
    assert [request.turn for request in engine.requests] == [0, 1, 2]


def test_a_seed_does_not_depend_on_what_was_said() -> None:
    """After dropped turns, an interruption or another reply, a turn's seed is the same."""
    usual = [record.seed for record in held(Watched())[1]]
    assert [record.seed for record in held(Watched(lambda _: ""))[1]] == usual
    committed = [TurnRecord(turn=0, user="one", status="ok", reply="A")]
    assert [record.seed for record in held(Watched(), committed=committed)[1]] == usual[1:]


# Step 5: replies


@pytest.mark.parametrize(
    ("reply", "status", "text"),
    [
        (said("Lisbon."), "ok", "Lisbon."),
        (said("Lisb", "length"), "length", "Lisb"),
        (said("Lisbon.", "unknown"), "ok", "Lisbon."),
        (said(""), "empty", ""),
        (said(" \n\t"), "empty", ""),
        (said("\u200b\ufeff\u2060"), "empty", ""),
        (said("", "length"), "empty", ""),
        (said("I", "filter"), "filtered", "I"),
        (said("", "filter"), "filtered", ""),
        (said("$ERROR$"), "ok", "$ERROR$"),
        (said("None"), "ok", "None"),
        (said("assistant\n"), "empty", ""),
    ],
)
def test_how_an_answered_turn_ends(reply: Reply, status: Status, text: str) -> None:
    """All of these are replies: they are the history of the next turn, and the conversation goes on."""
    engine = Watched(in_order(reply, "B", "C"))
    _, kept = held(engine)
    assert (kept[0].status, kept[0].reply, kept[0].cause) == (status, text, None)
    assert kept[0].raw == (None if reply.text == text else reply.text)
    assert kept[0].finish == reply.finish
    assert engine.sent[1] == ["user: one", f"assistant: {text}", "user: two"]
    assert [record.status for record in kept[1:]] == ["ok", "ok"]


KINDS: tuple[FailureKind, ...] = (
    "timeout",
    "connection",
    "rate_limited",
    "server",
    "auth",
    "not_found",
    "bad_request",
    "protocol",
    "engine",
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_failed_reply_stops_the_conversation(kind: FailureKind) -> None:
    """It is the environment's doing, with its kind; there is no text that stands for it; the rest is not reached."""
    engine = Watched(in_order("A", ReplyFailed(kind, "it did not work")))
    transcript, kept = held(engine)
    assert statuses(kept) == [("ok", None), ("failed", "environment"), ("not_reached", "environment")]
    assert kept[1].failure == Failure(kind, "it did not work")
    assert (kept[1].reply, kept[1].raw) == (None, None)
    assert len(engine.requests) == 2
    assert not transcript.complete


def test_a_prompt_that_can_not_be_rendered_is_a_failed_turn() -> None:
    """An engine may find its failure before it sends anything."""

    class Lost(ScriptedEngine):
        async def prompt(self, request: Request) -> Prompt:
            raise ReplyFailed("connection", f"no server for turn {request.turn}")

    _, kept = held(Lost(echo))
    assert kept[0].failure == Failure("connection", "no server for turn 0")


def test_reasoning_is_kept_apart_and_out_of_the_history() -> None:
    """Whether it stands in the text or comes in a field of its own."""
    engine = Watched(in_order("<think>Hm.</think>\n\nA", said("B", reasoning="Ah."), "C"))
    _, kept = held(engine)
    assert [(record.reply, record.reasoning) for record in kept] == [("A", "Hm."), ("B", "Ah."), ("C", "")]
    assert kept[0].raw == "<think>Hm.</think>\n\nA"
    assert engine.sent[2] == ["user: one", "assistant: A", "user: two", "assistant: B", "user: three"]


def test_reasoning_that_never_ends_leaves_an_empty_reply() -> None:
    """The budget went into thinking: the model's own doing, and no thought becomes a reply."""
    engine = Watched(in_order(said("<think>Hm. Hm.", "length"), "B", "C"))
    _, kept = held(engine)
    assert (kept[0].status, kept[0].reply, kept[0].reasoning, kept[0].finish) == ("empty", "", "Hm. Hm.", "length")
    assert engine.sent[1] == ["user: one", "assistant: ", "user: two"]


@pytest.mark.parametrize(
    ("think", "wanted", "kept"),
    [
        ("auto", False, False),
        ("auto", True, True),
        ("keep", False, True),
        ("drop", True, False),
    ],
)
def test_whether_earlier_reasoning_goes_back_into_the_history(think: ThinkPolicy, wanted: bool, kept: bool) -> None:  # noqa: FBT001 - a table
    """As the template wants it, or as it was asked for; beside the reply, never as its words."""
    engine = Watched(in_order("<think>Hm.</think>A", said("B", reasoning="Ah."), "C"))
    engine.facts = msgspec.structs.replace(engine.facts, keeps_reasoning=wanted)
    held(engine, manner=Manner(sampling=Sampling(max_tokens=5), think=think))
    assert engine.requests[2].messages[1::2] == (
        Message("assistant", "A", "Hm." if kept else ""),
        Message("assistant", "B", "Ah." if kept else ""),
    )


def test_a_golden_reply_has_no_reasoning() -> None:
    """What the model thought before its own reply does not belong to it."""
    goldens = Conversation(id="g", turns=(Turn(text="one", golden="G"), Turn(text="two")))
    engine = Watched(in_order("<think>Hm.</think>A", "B"))
    held(engine, goldens, Manner(sampling=Sampling(max_tokens=5), think="keep", history="golden"))
    assert engine.requests[1].messages[1] == Message("assistant", "G")


@pytest.mark.parametrize(
    ("reply", "endless"),
    [
        (said("<think>Hm. Hm.", "length"), True),
        (said("", "length", reasoning="Hm. Hm."), True),
        (said("<think>Hm.</think>A", "length"), False),
        (said("A", "length", reasoning="Hm."), False),
        (said("", "stop", reasoning="Hm."), False),
        (said("", "length"), False),
    ],
)
def test_a_budget_that_ended_inside_the_reasoning_is_flagged(reply: Reply, endless: bool) -> None:  # noqa: FBT001 - a table
    """So that a budget that is too small is not taken for a model that says nothing."""
    _, kept = held(Watched(in_order(reply, "B", "C")))
    assert ("reasoning_unfinished" in kept[0].flags) is endless


def test_reasoning_that_the_prompt_opened() -> None:
    """The raw reply begins inside it, though nothing in it says so."""
    engine = Marked(in_order("Hm.</think>A", said("Hm. Hm.", "length"), "</think>\nC"))
    engine.ending = "\nassistant: <think>\n"
    _, kept = held(engine)
    assert [(record.status, record.reply, record.reasoning) for record in kept] == [
        ("ok", "A", "Hm."),
        ("empty", "", "Hm. Hm."),
        ("ok", "C", ""),
    ]


def test_reasoning_that_the_prompt_opened_and_the_server_took_out() -> None:
    """A server that gives the reasoning in a field of its own has cut it from the text: the text is the reply."""
    engine = Marked(in_order(said("A", reasoning="Hm."), said("B", reasoning="Ah."), said("C", reasoning="Oh.")))
    engine.ending = "\nassistant: <think>\n"
    _, kept = held(engine)
    assert [(record.status, record.reply, record.reasoning) for record in kept] == [
        ("ok", "A", "Hm."),
        ("ok", "B", "Ah."),
        ("ok", "C", "Oh."),
    ]


def test_a_reply_cut_at_a_stop_string_was_not_cut_off() -> None:
    """What the model wrote after it used up the budget; the reply before it is whole."""
    manner = Manner(sampling=Sampling(max_tokens=5, stop=("\nUser:",)))
    engine = Watched(in_order(said("Lisbon.\nUser: And the ri", "length"), "B", "C"))
    _, kept = held(engine, manner=manner)
    assert (kept[0].status, kept[0].reply, kept[0].flags) == ("ok", "Lisbon.", ("stop_ignored",))
    assert kept[0].finish == "length"
    assert engine.sent[1][1] == "assistant: Lisbon."


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (said("a\ud800b"), "a\ufffdb"),
        (said("\udc00"), "\ufffd"),
        (said("a\ud83d\ude00b"), "a\U0001f600b"),
        (said("<think>\ud800</think>a"), "a"),
        (said("a", reasoning="\ud800"), "a"),
        (msgspec.structs.replace(said("a"), served_model="m\ud800"), "a"),
    ],
)
def test_halves_of_surrogate_pairs_from_an_engine(reply: Reply, text: str) -> None:
    """What no store can hold is replaced before it gets into the record, wherever an engine put it."""
    engine = Watched(in_order(reply, "B", "C"))
    _, kept = held(engine)
    assert kept[0].reply == text
    for record in kept:
        assert decode(encode(record), TurnRecord) == record


def test_halves_of_surrogate_pairs_in_the_words_of_a_failure() -> None:
    """A server's message is a text like any other."""
    _, kept = held(Watched(in_order("A", ReplyFailed("protocol", "not JSON: \ud800"))))
    assert decode(encode(kept[1]), TurnRecord) == kept[1]


def test_what_the_engine_tells_is_recorded() -> None:
    """Token counts, ids, times and the served model go into the record unchanged."""
    reply = Reply(
        text="A",
        finish="stop",
        timing=Timing(total=2.0, prompt=0.5, generate=1.5),
        token_ids=(1, 2),
        prompt_tokens=9,
        cached_tokens=4,
        new_tokens=2,
        served_model="m-2",
    )
    _, (record,) = held(Watched(in_order(reply)), Conversation(id="c", turns=(Turn(text="x"),)))
    for name in ("timing", "token_ids", "prompt_tokens", "cached_tokens", "new_tokens", "served_model", "finish"):
        assert getattr(record, name) == getattr(reply, name)


# Step 6: commit before the next request


def test_a_turn_is_committed_before_the_next_one_is_asked_for() -> None:
    """A commit that takes its time holds up the conversation."""
    engine = Watched()

    async def main() -> None:
        waiting, gate = asyncio.Event(), asyncio.Event()
        kept: list[TurnRecord] = []

        async def commit(record: TurnRecord) -> None:
            waiting.set()
            await gate.wait()
            kept.append(record)

        task = asyncio.create_task(hold(THREE, engine, MANNER, commit=commit))
        await waiting.wait()
        for _ in range(50):
            await asyncio.sleep(0)
        assert (len(engine.requests), kept) == (1, [])
        gate.set()
        await task
        assert len(engine.requests) == len(kept) == 3

    asyncio.run(main())


def test_a_commit_that_raises_stops_the_conversation() -> None:
    """Its error comes out as it is, nothing more is asked, and the engine hears that the conversation is over."""
    engine = Watched()

    async def commit(record: TurnRecord) -> None:
        if record.turn == 1:
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        asyncio.run(hold(THREE, engine, MANNER, commit=commit))
    assert len(engine.requests) == 2
    assert engine.ended == [Session("three")]


def test_turns_that_are_not_reached_are_committed_too() -> None:
    """One record for each turn, in order, whatever happened."""
    transcript, kept = held(Watched(in_order(ReplyFailed("server", "down"))), sample=1)
    assert [record.turn for record in kept] == [0, 1, 2]
    assert [record.user for record in kept] == ["one", "two", "three"]
    assert transcript.turns == tuple(kept)


# The end


@pytest.mark.parametrize(
    "ending", ["", ReplyFailed("timeout", "t"), ContextOverflow("c"), EngineSetupError("e"), ZeroDivisionError("bug")]
)
def test_the_engine_hears_once_that_a_conversation_is_over(ending: str | Exception) -> None:
    """Whatever ended it; setup errors and programming errors come out as they are."""
    engine = Watched(in_order("A", ending, "C"))
    if isinstance(ending, EngineSetupError | ZeroDivisionError):
        with pytest.raises(type(ending)):
            held(engine)
    else:
        held(engine)
    assert engine.ended == [Session("three")]


@pytest.mark.parametrize("where", ["reply", "commit"])
def test_the_engine_hears_once_of_a_cancelled_conversation(where: str) -> None:
    """Cancelled while it waits for a reply or for a commit."""

    async def main() -> list[Session]:
        waiting, never = asyncio.Event(), asyncio.Event()

        async def wait() -> None:
            waiting.set()
            await never.wait()

        async def script(_request: Request) -> str:
            if where == "reply":
                await wait()
            return "A"

        async def commit(_record: TurnRecord) -> None:
            await wait()

        engine = Watched(script)
        task = asyncio.create_task(hold(THREE, engine, MANNER, commit=commit))
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return engine.ended

    assert asyncio.run(main()) == [Session("three")]


def test_a_second_cancel_does_not_keep_the_engine_from_ending_it() -> None:
    """Freeing the slot is finished even if nobody waits for it any more."""

    async def main() -> list[Session]:
        waiting, freeing, gate = asyncio.Event(), asyncio.Event(), asyncio.Event()
        finished: list[Session] = []

        class Slow(Watched):
            async def end(self, session: Session) -> None:
                freeing.set()
                await gate.wait()
                finished.append(session)

        async def script(_request: Request) -> str:
            waiting.set()
            await asyncio.Event().wait()
            return ""

        async def commit(_record: TurnRecord) -> None:
            raise AssertionError

        task = asyncio.create_task(hold(THREE, Slow(script), MANNER, commit=commit))
        await waiting.wait()
        task.cancel()
        await freeing.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.set()
        for _ in range(5):
            await asyncio.sleep(0)
        return finished

    assert asyncio.run(main()) == [Session("three")]


# After an interruption

COMMITTED = (
    TurnRecord(turn=0, user="one", status="ok", reply="A"),
    TurnRecord(turn=1, user="two", status="ok", reply="B"),
)


def test_committed_turns_are_taken_over() -> None:
    """They are the history of what follows, are neither asked for nor committed again, and stand in the transcript."""
    engine = Watched(in_order("C"))
    transcript, kept = held(engine, committed=COMMITTED)
    assert engine.sent == [["user: one", "assistant: A", "user: two", "assistant: B", "user: three"]]
    assert [record.turn for record in kept] == [2]
    assert transcript.turns == (*COMMITTED, *kept)
    assert kept[0].flags == ()


def test_an_engine_that_replays_is_asked_again() -> None:
    """So that it is in the state that the uninterrupted conversation would have had; nothing is committed twice."""
    engine = Watched(in_order("A", "B", "C"), replays=True)
    transcript, kept = held(engine, committed=COMMITTED)
    assert engine.asked == [(Session("three"), 0), (Session("three"), 1), (Session("three"), 2)]
    assert [request.seed for request in engine.requests] == [turn_seed(0, "three", turn, 0) for turn in range(3)]
    assert [(record.reply, record.flags) for record in kept] == [("C", ())]
    assert transcript.turns == (*COMMITTED, *kept)


def test_a_replay_that_comes_out_otherwise_is_flagged() -> None:
    """What was committed stays and is the history; each turn from there on carries the flag, once."""
    conversation = msgspec.structs.replace(THREE, turns=(*THREE.turns, Turn(text="four")))
    engine = Watched(in_order("X", "Y", "C", "D"), replays=True)
    transcript, kept = held(engine, conversation, committed=COMMITTED)
    assert transcript.turns[:2] == COMMITTED
    assert engine.sent[1] == ["user: one", "assistant: A", "user: two"]
    assert engine.sent[2] == ["user: one", "assistant: A", "user: two", "assistant: B", "user: three"]
    assert [(record.reply, record.flags) for record in kept] == [("C", ("replay_differs",)), ("D", ("replay_differs",))]


def test_a_replay_that_differs_only_in_what_was_cut_is_flagged() -> None:
    """The raw text is what the cache holds."""
    engine = Watched(in_order("Assistant: A", "B", "C"), replays=True)
    _, kept = held(engine, committed=COMMITTED)
    assert kept[0].flags == ("replay_differs",)


def test_a_replay_that_overflows_is_flagged() -> None:
    """The same prompt fitted before: something is not what it was."""
    engine = Watched(in_order(ContextOverflow("full"), "B", "C"), replays=True)
    transcript, kept = held(engine, committed=COMMITTED)
    assert transcript.turns[:2] == COMMITTED
    assert "replay_differs" in kept[0].flags


@pytest.mark.parametrize("at", [0, 1])
def test_a_failure_during_a_replay_loses_nothing(at: int) -> None:
    """What was committed stays; the next turn failed by the environment's doing and can be asked for once more."""
    replies: list[str | Reply | Exception] = ["A", "B", "C"]
    replies[at] = ReplyFailed("timeout", "nobody there")
    engine = Watched(in_order(*replies), replays=True)
    transcript, kept = held(engine, committed=COMMITTED)
    assert transcript.turns[:2] == COMMITTED
    assert statuses(kept) == [("failed", "environment")]
    assert kept[0].failure == Failure("timeout", "nobody there")
    assert len(engine.requests) == at + 1


def test_a_committed_overflow_is_not_asked_for_again() -> None:
    """What follows it is not reached, by the same cause, whether the engine replays or not."""
    overflowed = TurnRecord(
        turn=1, user="two", status="overflowed", cause="model", failure=Failure("overflow", "too long")
    )
    for replays in (False, True):
        engine = Watched(in_order("A"), replays=replays)
        _, kept = held(engine, committed=(COMMITTED[0], overflowed))
        assert statuses(kept) == [("not_reached", "model")]
        assert len(engine.requests) == replays


def test_a_replayed_conversation_records_the_same_prompts() -> None:
    """What a resumed turn records of its prompt fits the committed records before it."""
    engine = Watched(in_order("A", "B", "C"))
    whole, _ = held(engine)
    for replays in (False, True):
        for count in range(3):
            rest: list[str | Reply | Exception] = [*"ABC"] if replays else [*"ABC"][count:]
            again, _ = held(Watched(in_order(*rest), replays=replays), committed=whole.turns[:count])
            assert whole_prompts(again.turns) == whole_prompts(whole.turns)


def test_samples_of_a_conversation_are_sessions_of_their_own() -> None:
    """Each with its own slot and its own seeds."""
    engine = Watched(lambda request: str(request.seed))
    texts = {tuple(record.reply for record in held(engine, sample=sample)[1]) for sample in range(3)}
    assert len(texts) == 3
    assert engine.ended == [Session("three", 0), Session("three", 1), Session("three", 2)]


@given(
    st.lists(
        st.sampled_from(["ok", "", "\u200b", "long", "filter", "overflow", "failed", "<think>x", "assistant\nyes"]),
        min_size=5,
        max_size=5,
    )
)
def test_whatever_happens_a_transcript_is_sound(events: list[str]) -> None:
    """One record a turn; after the first turn without a reply all are not reached, by its cause; nothing more asked."""
    made: dict[str, Callable[[], Reply | Exception]] = {
        "long": lambda: said("cut", "length"),
        "filter": lambda: said("cut", "filter"),
        "overflow": lambda: ContextOverflow("full"),
        "failed": lambda: ReplyFailed("server", "500"),
    }
    replies = [made[event]() if event in made else said(event) for event in events]
    conversation = Conversation(id="any", turns=tuple(Turn(text=text) for text in "abcde"))
    engine = Watched(in_order(*replies))
    _, kept = held(engine, conversation)
    stop = next((at for at, event in enumerate(events) if event in ("overflow", "failed")), len(events))
    assert [record.turn for record in kept] == [0, 1, 2, 3, 4]
    assert len(engine.requests) == min(stop + 1, 5)
    assert all(record.reply is not None for record in kept[:stop])
    if stop < len(events):
        assert kept[stop].status == {"overflow": "overflowed", "failed": "failed"}[events[stop]]
        assert {record.status for record in kept[stop + 1 :]} <= {"not_reached"}
        assert {record.cause for record in kept[stop + 1 :]} <= {kept[stop].cause}
    assert engine.ended == [Session("any")]


def test_messages_are_values_that_nobody_changes() -> None:
    """What an engine got is a tuple of frozen messages; the history of one request is not that of another."""
    engine = Watched(in_order("A", "B", "C"))
    held(engine)
    assert engine.requests[0].messages == (Message("user", "one"),)
    assert engine.requests[2].messages[:1] == engine.requests[0].messages
