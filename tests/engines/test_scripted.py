"""The scripted engine: replies from a function, a table or the user's own words."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from multiturn.conversation import Message
from multiturn.engines.scripted import PREFIX, Script, ScriptedEngine, echo, from_table, open_engines
from multiturn.errors import ContextOverflow, MultiturnError, NotFound, ReplyFailed, SpecError
from multiturn.facts import EngineOptions
from multiturn.protocols import Engine
from multiturn.transcript import Prompt, Reply, Request, Sampling, Session, Timing

SCRIPTS = """
from multiturn.transcript import Reply, Timing

NOT_A_SCRIPT = 3

def shout(request):
    return request.messages[-1].content.upper()

async def later(request):
    return Reply(text="later", finish="length", timing=Timing(total=1.0))
"""


def request(*contents: str, turn: int = 0, conversation: str = "c", max_tokens: int = 5) -> Request:
    """A request whose messages are these, system first, the user last."""
    *before, last = contents
    return Request(
        session=Session(conversation),
        turn=turn,
        messages=(*(Message("system", text) for text in before), Message("user", last)),
        sampling=Sampling(max_tokens=max_tokens),
        seed=1,
    )


def reply_of(engine: ScriptedEngine, asked: Request) -> Reply:
    return asyncio.run(engine.reply(asked))


@pytest.fixture(name="package")
def package_of_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module with scripts, as a user would have it."""
    name = f"scripts_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(SCRIPTS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return name


def test_it_is_an_engine() -> None:
    """It has the shape of the seam, and says what is true of it."""
    engine = ScriptedEngine(echo, window=9, open_conversations=3, system_role=False, identity={"version": "2"})
    assert isinstance(engine, Engine)
    assert (engine.facts.context_window, engine.facts.open_conversations, engine.facts.system_role) == (9, 3, False)
    assert engine.facts.identity == {"engine": "scripted", "weights": "scripted:python", "version": "2"}
    assert engine.facts.reproducible
    assert not engine.facts.replays


def test_a_text_becomes_a_whole_reply() -> None:
    """With its finish, the tokens of the prompt and of the reply counted as words, and a time."""
    reply = reply_of(ScriptedEngine(echo), request("Be brief.", "one two"))
    assert (reply.text, reply.finish, reply.prompt_tokens, reply.new_tokens) == ("one two", "stop", 6, 2)
    assert reply.timing.total >= 0


def test_a_reply_is_given_on_as_it_is() -> None:
    """So that a script can play any finish, count or reasoning."""
    made = Reply(text="x", finish="filter", timing=Timing(total=3.0), reasoning="hm", prompt_tokens=1)
    assert reply_of(ScriptedEngine(lambda _: made), request("a")) is made


def test_a_script_may_be_awaited() -> None:
    async def script(asked: Request) -> str:
        await asyncio.sleep(0)
        return asked.messages[-1].content[::-1]

    assert reply_of(ScriptedEngine(script), request("abc")).text == "cba"


def test_the_prompt_is_the_messages_as_lines() -> None:
    prompt = asyncio.run(ScriptedEngine(echo).prompt(request("Be brief.", "one two")))
    assert prompt == Prompt(text="system: Be brief.\nuser: one two", tokens=6)


@pytest.mark.parametrize(("window", "fits"), [(None, True), (8, True), (7, False)])
def test_the_window_is_kept(window: int | None, fits: bool) -> None:  # noqa: FBT001
    """Prompt and budget must fit; else nothing is scripted."""
    engine = ScriptedEngine(echo, window=window)
    if fits:
        assert reply_of(engine, request("one two", max_tokens=5)).text == "one two"
    else:
        with pytest.raises(ContextOverflow):
            reply_of(engine, request("one two", max_tokens=5))


@pytest.mark.parametrize("error", [ReplyFailed("timeout", "t"), ContextOverflow("c"), ZeroDivisionError("z")])
def test_a_script_may_raise(error: Exception) -> None:
    """It plays a failing server, or has a bug: either comes out as it is."""

    def script(_request: Request) -> str:
        raise error

    with pytest.raises(type(error)) as caught:
        reply_of(ScriptedEngine(script), request("a"))
    assert caught.value is error


def test_it_remembers_what_it_was_asked() -> None:
    """Each request, also one that failed, and each end; closing and ending what it does not know is fine."""

    def script(_request: Request) -> str:
        raise ReplyFailed("server", "500")

    async def main() -> ScriptedEngine:
        engine = ScriptedEngine(script)
        for turn in (0, 1):
            with pytest.raises(ReplyFailed):
                await engine.reply(request("a", turn=turn))
        await engine.end(Session("unknown"))
        await engine.close()
        await engine.close()
        return engine

    engine = asyncio.run(main())
    assert engine.asked == [(Session("c"), 0), (Session("c"), 1)]
    assert engine.ended == [Session("unknown")]


# Tables


def test_a_table_of_replies() -> None:
    """By conversation and turn; the star stands for all that are not named."""
    script: Script = from_table({"c": ["one", "two"], "*": ["other"]})
    assert script(request("a", turn=1)) == "two"
    assert script(request("a", conversation="d")) == "other"


@pytest.mark.parametrize(("conversation", "turn"), [("c", 1), ("d", 0)])
def test_a_table_that_is_too_short(conversation: str, turn: int) -> None:
    """It says for which conversation and turn (counted from 1) there is no reply, and what to do."""
    script = from_table({"c": ["one"]})
    with pytest.raises(NotFound, match=f"{conversation!r}, turn {turn + 1}") as caught:
        script(request("a", conversation=conversation, turn=turn))
    assert caught.value.hint


def opened(name: str, **options: int) -> ScriptedEngine:
    (engine,) = open_engines([PREFIX + name], EngineOptions(**options))  # type: ignore[arg-type]  # by name
    return engine


def test_a_table_in_a_file(tmp_path: Path) -> None:
    """Who it is, is what is in the file: the same replies are the same model, wherever they lie."""
    one, same, other = (tmp_path / f"{name}.json" for name in ("one", "same", "other"))
    one.write_text('{"*": ["yes"]}', encoding="utf-8")
    same.write_text('{"*": ["yes"]}', encoding="utf-8")
    other.write_text('{"*": ["no"]}', encoding="utf-8")
    engines = open_engines([f"scripted:{path}" for path in (one, same, other)], EngineOptions(context_window=99))
    identities = [engine.facts.identity for engine in engines]
    assert identities[0] == identities[1] != identities[2]
    assert [reply_of(engine, request("a")).text for engine in engines] == ["yes", "yes", "no"]
    assert {engine.facts.context_window for engine in engines} == {99}
    assert engines[0].spec == f"scripted:{one}"


@pytest.mark.parametrize("content", [b"", b"[]", b'{"a": "text"}', b'{"a": [1]}', b"{", b'{"a": ["\xff"]}'])
def test_a_file_that_is_no_table(tmp_path: Path, content: bytes) -> None:
    """It is named, with the form that is expected."""
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(SpecError, match=r"broken\.json is no table of replies") as caught:
        opened(str(path))
    assert "conversation id" in caught.value.hint


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"there is no file .*none\.json"):
        opened(str(tmp_path / "none.json"))


def test_a_folder_is_no_table(tmp_path: Path) -> None:
    """Whatever keeps a file from being read is told as any other fault of a spec."""
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(MultiturnError, match=r"folder\.json"):
        opened(str(tmp_path / "folder.json"))


# Functions


def test_echo() -> None:
    engine = opened("echo", context_window=50)
    assert reply_of(engine, request("one two")).text == "one two"
    assert engine.facts.identity == {"engine": "scripted", "weights": "echo"}
    assert engine.facts.context_window == 50


@pytest.mark.parametrize(("function", "text", "finish"), [("shout", "ABC", "stop"), ("later", "later", "length")])
def test_a_function_by_its_name(package: str, function: str, text: str, finish: str) -> None:
    """As ``package.module:name``, awaited or not."""
    engine = opened(f"{package}:{function}")
    reply = reply_of(engine, request("abc"))
    assert (reply.text, reply.finish) == (text, finish)
    assert engine.facts.identity["weights"] == f"{package}:{function}"


@pytest.mark.parametrize("name", ["no_such_module:f", "json:no_such_function", "json", ":f", "json:", "..:f", "a b:f"])
def test_a_name_that_names_no_function(name: str) -> None:
    """It is told with the forms that there are."""
    with pytest.raises(SpecError, match="names no script") as caught:
        opened(name)
    assert "scripted:echo" in caught.value.hint


def test_a_name_of_something_that_can_not_be_called(package: str) -> None:
    """That is found when the engine is opened, not at the first reply."""
    with pytest.raises(SpecError, match="names no script"):
        opened(f"{package}:NOT_A_SCRIPT")
