"""Mutants: engines that are broken in one known way."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path

import pytest

from multiturn import api
from multiturn.conversation import Conversation, Message, Suite, Turn
from multiturn.dialogue import Manner, hold
from multiturn.engines import demo
from multiturn.engines.mutants import IN_ENGLISH, LONG, MUTANTS, REFUSAL, SMALL_TALK, mutant
from multiturn.engines.scripted import ScriptedEngine
from multiturn.errors import SpecError
from multiturn.facts import EngineOptions
from multiturn.protocols import Engine
from multiturn.registry import open_engines, read_template, resolve
from multiturn.text.measure import count_words
from multiturn.transcript import Reply, Request, Sampling, Session, Timing, TurnRecord


def heard(request: Request) -> str:
    """What came through, as one text."""
    return " | ".join(message.content for message in request.messages)


def ask(name: str, *said: str, system: str = "", says: str | None = None, conversation: str = "a") -> str:
    """The mutant's reply to the last of these messages, of which every other one is its own."""
    roles = ("user", "assistant")
    messages = [Message(roles[index % 2], text) for index, text in enumerate(said)]  # type: ignore[arg-type]
    if system:
        messages.insert(0, Message("system", system))
    script = heard if says is None else lambda _: says
    engine = mutant(ScriptedEngine(script), name)
    request = Request(
        session=Session(conversation), turn=len(said) // 2, messages=tuple(messages), sampling=Sampling(), seed=1
    )
    return asyncio.run(engine.reply(request)).text


@pytest.mark.parametrize(
    ("name", "said", "expected"),
    [
        ("forgets", ("u1", "a1", "u2", "a2", "u3"), "S | u2 | a2 | u3"),
        ("ignores_corrections", ("Friday.", "ok", "Saturday, not Friday!"), "S | Friday."),
        (
            "ignores_corrections",
            ("Friday.", "ok", "Saturday, not Friday!", "fine", "When?"),
            "S | Friday. | ok | When?",
        ),
        ("first_instruction", ("One word only.", "a1", "Elaborate now."), "S | One word only."),
        ("first_instruction", ("One word only.", "a1", "And ants?"), "S | One word only. | a1 | And ants?"),
    ],
)
def test_what_a_mutant_hears(name: str, said: tuple[str, ...], expected: str) -> None:
    """The engine behind it gets other messages; the last one is always the user's."""
    assert ask(name, *said, system="S") == expected


@pytest.mark.parametrize(
    ("name", "said", "says", "expected"),
    [
        ("keeps_its_form", ("u", "Some words.", "A list!"), "- **one**\n- two", "one two"),
        ("keeps_its_form", ("u", "- a\n- b", "Prose!"), "One here. Two there.", "- One here.\n- Two there."),
        ("keeps_its_form", ("A list!",), "- one\n- two", "- one\n- two"),
        ("drops_the_task", ("Reply only Noted.", "Noted.", "It has a yellow ribbon."), "Noted.", SMALL_TALK),
        ("drops_the_task", ("Reply only Noted.", "Noted.", "Which colour was it?"), "Yellow.", "Yellow."),
        ("drops_the_task", ("Keep a tally.", "0", "Write the total."), "12", "12"),
        ("drops_the_task", ("I collect stamps.",), "Nice.", "Nice."),
        ("repeats_itself", ("u", "First.", "And?"), "Second.", "First."),
        ("english_only", ("Wie viele Beine hat eine Spinne, bitte?",), "Acht.", IN_ENGLISH),
        ("english_only", ("How many legs has a spider got, please?",), "Eight.", "Eight."),
        ("contradicts_itself", ("Pick red, blue or green.", "Blue!", "Which?"), "I chose blue.", "I chose green."),
        ("contradicts_itself", ("6 x 4?", "24.", "Again?"), "It is 24, from 6 x 4.", "It is 27, from 6 x 4."),
        ("contradicts_itself", ("Is it?", "Yes, it is.", "Sure?"), "Yes, it is.", "No, it is."),
        ("contradicts_itself", ("Is it?",), "Yes, it is.", "Yes, it is."),
    ],
)
def test_what_a_mutant_says(name: str, said: tuple[str, ...], says: str, expected: str) -> None:
    """Other words than the engine behind it, where its damage shows."""
    assert ask(name, *said, says=says) == expected


def test_always_as_long_and_sometimes_a_refusal() -> None:
    """400 words whatever is asked, unless there are more; about one refusal in three, the same ones each time."""
    assert count_words(ask("long_winded", "u", says="Short.")) == LONG
    assert ask("long_winded", "u", says="w " * 500) == "w " * 500
    refused = [ask("refuses", "u", says="Fine.", conversation=str(index)) == REFUSAL for index in range(90)]
    assert 20 <= sum(refused) <= 40
    assert refused == [ask("refuses", "u", says="Fine.", conversation=str(index)) == REFUSAL for index in range(90)]


def test_a_model_is_compared_with_its_own_mutant(tmp_path: Path) -> None:
    """The base is closed when it has been held, and the mutant still has a model behind it."""
    if importlib.util.find_spec(demo.PACKAGE) is None or importlib.util.find_spec("xllamacpp") is None:
        pytest.skip(f"needs the demo's model: {demo.INSTALL}")
    turns = (Turn(text="Say one word."), Turn(text="And another."))
    suite = Suite(name="s", conversations=(Conversation(id="a", turns=turns),))
    job = api.Job(suite=suite, settings=api.Settings(sampling=Sampling(max_tokens=4)), store=tmp_path / "runs.db")
    compared = api.compare("demo:base", "mutant:forgets:demo:base", job, results=None, page=None)
    assert [held.progress.replies for held in (compared.base, compared.tuned)] == [2, 2]
    assert all(note.startswith("fix first") for note in compared.comparison.notes), "nothing is lost but to the limit"


def test_a_mutant_is_an_engine_with_an_identity_of_its_own() -> None:
    """Runs of it are never taken for runs of the engine behind it."""
    inner = ScriptedEngine(heard)
    for name in MUTANTS:
        engine = mutant(inner, name)
        assert isinstance(engine, Engine)
        assert engine.facts.identity != inner.facts.identity
        assert engine.facts.context_window == inner.facts.context_window
    with pytest.raises(SpecError, match="forgets"):
        mutant(inner, "sleeps")


def test_what_a_mutant_does_not_hear_is_no_servers_truncation() -> None:
    """The engine behind it counts the tokens of a shorter prompt; the conversation is held to its end all the same."""

    def counted(request: Request) -> Reply:
        words = sum(len(message.content.split()) for message in request.messages)
        return Reply(text="fine, and on", finish="stop", timing=Timing(total=0.0), prompt_tokens=words)

    turns = tuple(Turn(text=f"turn {index}, " + "as you like it " * (9 - index)) for index in range(5))
    conversation = Conversation(id="a", turns=turns)

    async def kept(_: TurnRecord) -> None:
        """Nothing is."""

    manner = Manner(sampling=Sampling())
    engine = mutant(ScriptedEngine(counted), "forgets")
    held = asyncio.run(hold(conversation, engine, manner, commit=kept))
    assert [record.status for record in held.turns] == ["ok"] * 5
    assert [record.prompt_tokens is None for record in held.turns] == [False, False, True, True, True]


def test_a_mutant_by_its_spec() -> None:
    """``mutant:NAME:SPEC``, beside the engine itself or alone."""
    assert resolve("mutant:forgets:scripted:echo") == ("mutant", "mutant:forgets:scripted:echo")
    base, damaged = open_engines(["scripted:echo", "mutant:repeats_itself:scripted:echo"], EngineOptions())
    assert (base.spec, damaged.spec) == ("scripted:echo", "mutant:repeats_itself:scripted:echo")
    for spec in ("mutant:forgets", "mutant::scripted:echo", "mutant:forgets:"):
        with pytest.raises(SpecError):
            resolve(spec)
    with pytest.raises(SpecError, match="no template"):
        read_template("mutant:forgets:scripted:echo")
    with pytest.raises(SpecError, match="no mutant 'sleeps'"):
        open_engines(["mutant:sleeps:scripted:echo"], EngineOptions())
