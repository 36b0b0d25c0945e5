"""What doctor says of a model: each finding on a model that has it, and on one that has not."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Sequence

import msgspec
import pytest

from multiturn import api
from multiturn.conversation import Message
from multiturn.doctor import EARLIER, FIRST, LAST, SYSTEM, examine, probe_seed
from multiturn.engines import demo
from multiturn.engines.chat_template import open_template, render
from multiturn.engines.scripted import Script, ScriptedEngine, echo
from multiturn.errors import ContextOverflow, ReplyFailed
from multiturn.examination import Examination, Level
from multiturn.facts import Inspection, Unknown
from multiturn.transcript import FinishReason, Prompt, Reply, Request, Timing


class Model(ScriptedEngine):
    """A scripted engine with something to inspect."""

    def __init__(
        self,
        script: Script = echo,
        *,
        inspection: Inspection | None = None,
        bos: int | None = None,
        text: str | None = None,
    ) -> None:
        super().__init__(script)
        self.inspection = inspection or Inspection(template="t")
        self._bos, self._text = bos, text

    async def prompt(self, request: Request) -> Prompt:
        """As it is told to say."""
        told = await super().prompt(request)
        return Prompt(text=told.text if self._text is None else self._text, tokens=told.tokens, bos=self._bos)

    async def inspect(self) -> Inspection:
        """As it was made."""
        return self.inspection


class Server(Model):
    """One that renders by itself: nobody here sees the prompt."""

    def __init__(self, script: Script = echo, *, window: int | None = None, renders: str | None = None) -> None:
        super().__init__(script)
        self._renders = renders
        self.facts = msgspec.structs.replace(self.facts, context_window=window)

    async def prompt(self, _request: Request) -> Unknown:  # type: ignore[override]
        """Unknown."""
        return Unknown("the server renders the prompt")

    async def rendered(self, _messages: Sequence[Message]) -> str | None:
        """What the server would tell."""
        return self._renders

    async def reply(self, request: Request) -> Reply:
        """What the script says."""
        said = self._script(request)
        assert isinstance(said, Reply)
        return said


def said(text: str, *, read: int | None = 5, finish: FinishReason = "stop", reasoning: str = "") -> Reply:
    return Reply(
        text=text, finish=finish, timing=Timing(total=0.0), prompt_tokens=read, new_tokens=3, reasoning=reasoning
    )


def examined(engine: ScriptedEngine, *, ask: bool = True) -> Examination:
    return asyncio.run(examine(engine, ask=ask))


def remark(examination: Examination, topic: str, says: str = "") -> Level:
    """The level of the remark on this topic that says so."""
    found = [one for one in examination.remarks if one.topic == topic and says in one.text]
    assert len(found) == 1, examination.remarks
    return found[0].level


def test_the_prompt_of_a_small_conversation_is_shown_with_its_control_tokens() -> None:
    """In pieces, so that a control token is seen to be one."""
    found = examined(Model(inspection=Inspection(template="t", control_tokens=("user:",))))
    assert [text for text, control in found.rendered if control] == ["user:", "user:"]
    assert "".join(text for text, _ in found.rendered).endswith(LAST.content)
    assert found.reply == FIRST.content


@pytest.mark.parametrize(("count", "level"), [(0, "note"), (1, "fine"), (2, "warning"), (5, "warning")])
def test_how_many_bos_a_prompt_begins_with(count: int, level: Level) -> None:
    """A model was trained with one."""
    assert remark(examined(Model(bos=count), ask=False), "BOS") == level


def test_what_a_template_leaves_out_is_found() -> None:
    """The system prompt, or what was said."""
    lost = examined(Model(text=f"user: {LAST.content}\nassistant:"), ask=False)
    assert remark(lost, "system prompt", "leaves it out") == "warning"
    assert remark(lost, "history", FIRST.content) == "warning"
    whole = examined(Model(), ask=False)
    assert remark(whole, "system prompt") == "fine"
    assert not [one for one in whole.remarks if one.topic == "history"]


TURN = "{% for m in messages %}<s>{{ m.role }}\n{{ m.content }}</s>\n{% endfor %}"
INST = "{% for m in messages %}{% if m.role == 'assistant' %} {{ m.content }}</s>{% else %}[INST] {{ m.content }} [/INST]{% endif %}{% endfor %}"


@pytest.mark.parametrize(
    ("source", "level"),
    [
        (TURN, "warning"),
        (TURN + "<s>assistant\n", "fine"),
        (TURN + "<s>assistant\n<think>\n", "fine"),
        (TURN + "<s>user\n", "warning"),
        (INST, "fine"),
        (None, "fine"),
    ],
)
def test_whether_a_prompt_opens_the_reply_as_earlier_ones_were(source: str | None, level: Level) -> None:
    """Else the model writes the header itself, or goes on as the user; an end token alone opens nothing."""
    text = render(open_template(source, bos=None, eos=None), (SYSTEM, FIRST, EARLIER, LAST))
    assert remark(examined(Model(text=text), ask=False), "generation prompt") == level


@pytest.mark.parametrize(
    ("stops", "level"),
    [
        ({"tokenizer": ("</s>",), "template": ("</s>",)}, "fine"),
        ({"tokenizer": ("</s>",), "generation_config": ("</s>", "<end>"), "template": ()}, "fine"),
        ({"tokenizer": ("</s>",), "template": ("<end>",)}, "warning"),
    ],
)
def test_whether_those_who_name_stop_tokens_agree(stops: dict[str, tuple[str, ...]], level: Level) -> None:
    """One that the tokenizer does not know of ends no reply in most programs."""
    assert remark(examined(Model(inspection=Inspection(template="t", stops=stops)), ask=False), "stops") == level


def test_a_model_that_nothing_stops_is_found() -> None:
    assert remark(examined(Model(), ask=False), "stops in use") == "warning"
    stopped = Model(inspection=Inspection(template="t", in_use=("</s>",)))
    assert remark(examined(stopped, ask=False), "stops in use") == "fine"


def test_defaults_of_the_models_folder_are_shown_as_set_aside() -> None:
    """Nobody's arm gets them without a word."""
    inspection = Inspection(template="t", overridden={"repetition_penalty": "1.3", "top_k": "20"})
    found = examined(Model(inspection=inspection), ask=False)
    assert remark(found, "own defaults", "repetition_penalty=1.3, top_k=20: set aside") == "note"


def test_what_the_engine_warns_of_is_shown() -> None:
    found = examined(Model(inspection=Inspection(template="t", warnings=("the pad token ends a reply",))), ask=False)
    assert remark(found, "model", "pad token") == "warning"


def random_text(_request: Request) -> str:
    random_text.count = getattr(random_text, "count", 0) + 1  # type: ignore[attr-defined]
    return f"text {random_text.count}"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("script", "honoured"),
    [
        (lambda request: f"text of {request.seed}", True),
        (random_text, False),
        (lambda _request: "always this", None),
    ],
)
def test_whether_the_seed_decides_the_text(script: Script, honoured: bool | None) -> None:  # noqa: FBT001 - a table
    """A request that is accepted is not one that is honoured; where all texts are alike nobody can tell."""
    assert asyncio.run(probe_seed(ScriptedEngine(script), 7)) is honoured


def test_a_seed_that_is_not_honoured_is_a_warning() -> None:
    assert remark(examined(Model(random_text)), "seed", "not honoured") == "warning"
    assert remark(examined(Model(lambda request: f"text of {request.seed}")), "seed", "honoured") == "fine"
    assert remark(examined(Model()), "seed", "can't be told") == "note"


def test_a_model_that_gives_no_reply_is_a_finding_and_nothing_more_is_asked() -> None:
    """Whatever is wrong with it."""
    asked: list[str] = []

    def fails(request: Request) -> str:
        asked.append(request.session.conversation)
        raise ReplyFailed("server", "the server says 500")

    found = examined(Model(fails))
    assert remark(found, "reply", "the server says 500") == "warning"
    assert found.reply is None
    assert asked == ["doctor-first"]


def test_nothing_is_asked_where_nothing_is_to_be_asked() -> None:
    engine = Model()
    assert examined(engine, ask=False).reply is None
    assert engine.asked == []


def test_sessions_are_over_afterwards() -> None:
    """Slots and caches are free again."""
    engine = Model()
    examined(engine)
    assert len(set(engine.ended)) == len(engine.ended) >= 5


def test_a_prompt_that_the_server_renders() -> None:
    """What can be asked of the server is shown; what can't is said, with the messages."""
    hidden = examined(Server(lambda _: said("A")), ask=False)
    assert (hidden.rendered, hidden.unrendered) == ((), "the server renders the prompt")
    assert hidden.said[1] == ("user", FIRST.content)
    shown = examined(Server(lambda _: said("A"), renders="[INST] Hm [/INST]"), ask=False)
    assert (shown.rendered, shown.unrendered) == ((("[INST] Hm [/INST]", False),), "")


def cuts(request: Request) -> Reply:
    return said("A", read=min(40, len(request.messages[-1].content.split())))


def refuses(request: Request) -> Reply:
    if len(request.messages[-1].content.split()) > 40:
        raise ContextOverflow("too long")
    return said("A")


@pytest.mark.parametrize(
    ("script", "window", "level", "told"),
    [
        (cuts, 50, "warning", "cut to 40 tokens without a word"),
        (refuses, 50, "fine", "no reply, and told: too long"),
        (lambda _: said("A", read=None), 50, "warning", "no count of tokens is told"),
        (lambda request: said("A", read=len(request.messages[-1].content.split())), 50, "note", "more than the window"),
        (cuts, None, "note", "the window is not known"),
        (cuts, 1_000_000, "note", "1000000 tokens would have to be sent"),
    ],
)
def test_a_server_that_cuts_a_long_prompt_without_a_word_is_found(
    script: Script, window: int | None, level: Level, told: str
) -> None:
    """By the number of tokens that it says it read."""
    assert remark(examined(Server(script, window=window)), "too long a prompt", told) == level


def test_a_server_that_thinks_and_tells_no_counts() -> None:
    found = examined(Server(lambda _: said("A", read=None, reasoning="Hm.")))
    assert remark(found, "thinking", "--reasoning-tokens") == "note"
    assert remark(found, "token counts", "not told") == "note"


def test_a_reply_in_another_format_is_found() -> None:
    """A role label in front: as of a model that was trained on another template."""
    found = examined(Server(lambda _: said("Assistant: meat.")))
    assert remark(found, "reply", "role_echo") == "warning"


def test_a_real_model_is_in_order() -> None:
    """The demo's: one BOS, stops that agree, a seed that is honoured; nothing to warn of."""
    if importlib.util.find_spec(demo.PACKAGE) is None or importlib.util.find_spec("xllamacpp") is None:
        pytest.skip(f"needs the demo's model: {demo.INSTALL}")
    found = api.examine("demo:base")
    assert [one for one in found.remarks if one.level == "warning"] == []
    assert remark(found, "BOS", "one <|im_start|>") == "fine"
    assert remark(found, "seed", "honoured") == "fine"
    controls = [text for text, control in found.rendered if control]
    assert (controls.count("<|im_start|>"), controls.count("<|im_end|>")) == (5, 4)


def test_the_plain_form_of_a_real_model_is_told_with_its_stops() -> None:
    if importlib.util.find_spec(demo.PACKAGE) is None or importlib.util.find_spec("xllamacpp") is None:
        pytest.skip(f"needs the demo's model: {demo.INSTALL}")
    found = api.examine("demo:base", api.EngineOptions(template="plain"), ask=False)
    assert remark(found, "template", "the plain User:/Assistant: form") == "note"
    assert remark(found, "stops in use", r"'\nUser:'") == "fine"
