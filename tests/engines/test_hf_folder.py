"""What is read of a model's folder without torch: configs, templates, heads of weight files, and what is damaged."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from multiturn.engines.hf import find_source, parse_spec, read_template
from multiturn.engines.hf_folder import bytes_at, digest, read_configs, read_folder, read_tensors
from multiturn.errors import EngineSetupError, MultiturnError, NotFound, SpecError
from multiturn.facts import WeightOptions
from multiturn.registry import read_template as read_template_of_spec

SAFE = WeightOptions()
HUB = "needs huggingface_hub: pip install '.[transformers]'"


def write(path: Path, **files: Any) -> Path:  # noqa: ANN401 - what JSON holds
    """A folder with these files: JSON, or text where the value is one; ``__`` stands for the dot."""
    path.mkdir(parents=True, exist_ok=True)
    for name, value in files.items():
        text = value if isinstance(value, str) else json.dumps(value)
        (path / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return path


def safetensors(path: Path, tensors: dict[str, tuple[str, tuple[int, ...], int]]) -> Path:
    """A weights file with zeros: name -> kind, shape, bytes."""
    header, at = {}, 0
    for name, (kind, shape, size) in tensors.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    raw = json.dumps({"__metadata__": {"format": "pt"}} | header).encode()
    path.write_bytes(len(raw).to_bytes(8, "little") + raw + bytes(at))
    return path


def model(path: Path, **config: Any) -> Path:  # noqa: ANN401 - what JSON holds
    """The least that is a model's folder."""
    write(path, config__json={"model_type": "llama", **config})
    safetensors(path / "model.safetensors", {"w": ("F32", (2, 3), 24)})
    return path


def test_the_head_of_a_weights_file_tells_its_tensors(tmp_path: Path) -> None:
    """Names, shapes and sizes; floating numbers count in the dtype that they are loaded in, others as they are."""
    tensors = read_tensors(safetensors(tmp_path / "m", {"a": ("BF16", (4, 8), 64), "b": ("I8", (10,), 10)}))
    assert {name: (one.kind, one.shape) for name, one in tensors.items()} == {"a": ("BF16", (4, 8)), "b": ("I8", (10,))}
    assert bytes_at(tensors, 32) == 4 * 8 * 4 + 10
    assert bytes_at(tensors, 4) == 4 * 8 // 2 + 10


@pytest.mark.parametrize("keep", [0, 4, 8, 40, -1])
def test_a_torn_weights_file_is_told_with_its_name(tmp_path: Path, keep: int) -> None:
    """Wherever it was torn; nothing of it is loaded."""
    file = safetensors(tmp_path / "model.safetensors", {"a": ("F32", (4, 8), 128)})
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(EngineSetupError, match=r"model\.safetensors") as caught:
        read_tensors(file)
    assert "again" in caught.value.hint


@pytest.mark.parametrize("raw", [b"[]", b"{", b'{"a": 1}', b'{"a": {"dtype": "F32", "shape": 3, "data_offsets": []}}'])
def test_a_damaged_head_is_told_with_the_file(tmp_path: Path, raw: bytes) -> None:
    """A JSON of another form is no traceback."""
    file = tmp_path / "model.safetensors"
    file.write_bytes(len(raw).to_bytes(8, "little") + raw)
    with pytest.raises(EngineSetupError, match=r"model\.safetensors"):
        read_tensors(file)


@pytest.mark.parametrize(
    "name", ["config.json", "generation_config.json", "tokenizer_config.json", "adapter_config.json"]
)
@pytest.mark.parametrize("text", ["{", "[1, 2]", '"text"', "\x00", "[" * 100_000])
def test_a_damaged_config_is_told_with_its_name(tmp_path: Path, name: str, text: str) -> None:
    """Torn, or holding something else than an object."""
    model(tmp_path)
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(EngineSetupError, match=name):
        read_folder(tmp_path)


def test_a_missing_shard_is_told(tmp_path: Path) -> None:
    """An index that lists a file which is not there."""
    write(tmp_path, config__json={"model_type": "llama"})
    table = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors", "c": "model-3.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(table), encoding="utf-8")
    safetensors(tmp_path / "model-1.safetensors", {"a": ("F32", (1,), 4)})
    with pytest.raises(EngineSetupError, match=r"lists 3 files .* model-2.safetensors is missing \(and 1 more\)"):
        read_folder(tmp_path)
    for name in ("model-2.safetensors", "model-3.safetensors"):
        safetensors(tmp_path / name, {"b": ("F32", (1,), 4)})
    assert [file.name for file in read_folder(tmp_path).weights] == sorted(set(table["weight_map"].values()))


def test_the_template_is_found_where_transformers_finds_it(tmp_path: Path) -> None:
    """A file of its own goes before ``tokenizer_config.json``, there a default before other names; or there is none."""
    named = [{"name": "tool_use", "template": "tools"}, {"name": "default", "template": "default"}]
    assert read_configs(write(tmp_path / "none", tokenizer_config__json={"eos_token": "x"})).template is None
    assert read_configs(write(tmp_path / "a", tokenizer_config__json={"chat_template": "one"})).template == "one"
    assert read_configs(write(tmp_path / "b", tokenizer_config__json={"chat_template": named})).template == "default"
    both = write(tmp_path / "c", tokenizer_config__json={"chat_template": "old"}, chat_template__jinja="new")
    assert read_configs(both).templates == {"chat_template.jinja": "new", "tokenizer_config.json": "old"}
    assert read_configs(write(tmp_path / "d", chat_template__json={"chat_template": "legacy"})).template == "legacy"


@pytest.mark.parametrize(
    ("config", "window"),
    [
        ({"max_position_embeddings": 4096}, 4096),
        ({"n_positions": 1024}, 1024),
        ({"seq_length": 2048}, 2048),
        ({}, None),
        ({"text_config": {"max_position_embeddings": 32768}}, 32768),
        ({"max_position_embeddings": 4096, "rope_scaling": {"type": "linear", "factor": 2.0}}, 8192),
        ({"max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, 131072),
        (
            {
                "max_position_embeddings": 32768,
                "rope_parameters": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 32768},
            },
            131072,
        ),
        ({"max_position_embeddings": 8192, "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}, 8192),
    ],
)
def test_the_window_that_a_model_was_made_for(tmp_path: Path, config: dict[str, Any], window: int | None) -> None:
    """By whatever name, with position scaling that is not in the figure yet."""
    read = read_folder(model(tmp_path, **config)).config
    assert read is not None
    assert read.window == window


def test_weights_are_the_same_wherever_they_lie(tmp_path: Path) -> None:
    """By name and content. A link into a hub cache is known by the name of what it points at, and not read."""
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        model(folder)
    assert digest((one / "model.safetensors",)) == digest((other / "model.safetensors",))
    content = (one / "model.safetensors").read_bytes()
    blob = tmp_path / hashlib.sha256(content).hexdigest()
    blob.write_bytes(b"not read")
    (other / "model.safetensors").unlink()
    (other / "model.safetensors").symlink_to(blob)
    assert digest((one / "model.safetensors",)) == digest((other / "model.safetensors",))
    (one / "model.safetensors").write_bytes(content[:-1] + b"\x01")
    assert digest((one / "model.safetensors",)) != digest((other / "model.safetensors",))


def test_a_folder_with_neither_weights_nor_adapter_is_refused(tmp_path: Path) -> None:
    """With what it does hold, and what is wanted."""
    with pytest.raises(EngineSetupError, match="neither weights nor an adapter") as caught:
        find_source(f"hf:{tmp_path}", SAFE)
    assert "model.safetensors" in caught.value.hint
    write(tmp_path, config__json={"model_type": "llama"})
    with pytest.raises(EngineSetupError, match=r"a config\.json but no weights"):
        find_source(f"hf:{tmp_path}", SAFE)
    safetensors(tmp_path / "model.safetensors", {})
    (tmp_path / "config.json").unlink()
    with pytest.raises(EngineSetupError, match=r"no config\.json"):
        find_source(f"hf:{tmp_path}", SAFE)


def test_the_checkpoints_of_a_training_are_pointed_to(tmp_path: Path) -> None:
    """Where nothing was saved at the end: the last one."""
    for step in (500, 1000, 1500):
        model(tmp_path / f"checkpoint-{step}")
    (tmp_path / "logs").mkdir()
    with pytest.raises(EngineSetupError) as caught:
        find_source(f"hf:{tmp_path}", SAFE)
    assert caught.value.hint == f"did you mean {tmp_path / 'checkpoint-1500'}?"


def test_pickles_are_refused_unless_named(tmp_path: Path) -> None:
    """Weights and adapters; safetensors beside them are used."""
    write(tmp_path, config__json={"model_type": "llama"}, pytorch_model__bin="not read")
    with pytest.raises(EngineSetupError, match="pickle") as caught:
        find_source(f"hf:{tmp_path}", SAFE)
    assert "--allow-pickle" in caught.value.hint
    assert find_source(f"hf:{tmp_path}", WeightOptions(pickle=True)).base.pickles == (tmp_path / "pytorch_model.bin",)
    safetensors(tmp_path / "model.safetensors", {})
    assert find_source(f"hf:{tmp_path}", SAFE).base.weights == (tmp_path / "model.safetensors",)
    adapter = write(tmp_path / "adapter", adapter_config__json={"peft_type": "LORA"}, adapter_model__bin="not read")
    with pytest.raises(EngineSetupError, match=r"adapter_model\.bin is a pickle"):
        find_source(f"hf:{tmp_path}+lora={adapter}", SAFE)


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json"])
def test_code_from_a_folder_is_refused_unless_named(tmp_path: Path, name: str) -> None:
    """A config that names Python of the folder's own."""
    model(tmp_path)
    (tmp_path / name).write_text(json.dumps({"auto_map": {"AutoModel": "evil.Model"}}), encoding="utf-8")
    with pytest.raises(EngineSetupError, match=rf"own Python code \({name} names evil\.Model\)") as caught:
        find_source(f"hf:{tmp_path}", SAFE)
    assert "--trust-remote-code" in caught.value.hint
    assert find_source(f"hf:{tmp_path}", WeightOptions(remote_code=True)).base.path == tmp_path


def adapter_of(path: Path, base: str | None, **config: Any) -> Path:  # noqa: ANN401 - what JSON holds
    """An adapter's folder that names this base."""
    write(path, adapter_config__json={"peft_type": "LORA", "base_model_name_or_path": base} | config)
    safetensors(path / "adapter_model.safetensors", {})
    return path


def test_an_adapter_finds_its_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the path that it names: as it is, from where one stands, or from the adapter's folder."""
    base = model(tmp_path / "models" / "base")
    assert find_source(f"hf:{adapter_of(tmp_path / 'a', str(base))}", SAFE).base.path == base
    beside = adapter_of(tmp_path / "models" / "tuned", "../base")
    assert find_source(f"hf:{beside}", SAFE).base.path.resolve() == base
    monkeypatch.chdir(tmp_path)
    source = find_source(f"hf:{adapter_of(tmp_path / 'b', 'models/base')}", SAFE)
    assert source.base.path.resolve() == base
    assert source.adapter is not None


@pytest.mark.parametrize("base", ["/deleted/models/base", "organisation/model-that-is-not-here"])
def test_an_adapter_whose_base_is_not_to_be_had(tmp_path: Path, base: str) -> None:
    """What its config names, and how to give another."""
    if not base.startswith("/"):
        pytest.importorskip("huggingface_hub", reason=HUB)
    adapter = adapter_of(tmp_path, base)
    with pytest.raises(EngineSetupError, match=rf"adapter_config\.json names {base}") as caught:
        find_source(f"hf:{adapter}", SAFE)
    assert caught.value.hint == f"name the base it was trained on: hf:BASE+lora={adapter}"
    with pytest.raises(EngineSetupError, match="names no base model"):
        find_source(f"hf:{adapter_of(tmp_path, None)}", SAFE)


def test_model_and_adapter_are_not_taken_for_each_other(tmp_path: Path) -> None:
    """An adapter as base, a model as adapter, both in one folder, an adapter of a kind that can't be switched."""
    base, adapter = model(tmp_path / "base"), adapter_of(tmp_path / "adapter", str(tmp_path / "base"))
    with pytest.raises(SpecError, match="is an adapter, not a base"):
        find_source(f"hf:{adapter}+lora={adapter}", SAFE)
    with pytest.raises(SpecError, match="is a model, not an adapter"):
        find_source(f"hf:{base}+lora={base}", SAFE)
    with pytest.raises(EngineSetupError, match="holds no adapter"):
        find_source(f"hf:{base}+lora={write(tmp_path / 'empty')}", SAFE)
    prompts = adapter_of(tmp_path / "prompts", str(base), peft_type="PREFIX_TUNING")
    with pytest.raises(EngineSetupError, match="PREFIX_TUNING"):
        find_source(f"hf:{prompts}", SAFE)
    adapter_of(base, str(base))
    with pytest.raises(SpecError, match="which one is meant") as caught:
        find_source(f"hf:{base}", SAFE)
    assert f"hf:BASE+lora={base}" in caught.value.hint


@pytest.mark.parametrize("name", ["no/such/folder/here", "/no/such", "organisation/no-such-model"])
def test_a_model_that_is_not_here(name: str) -> None:
    """A path that is none, or a name of the hub without a connection: told at once, with what to check."""
    if name.startswith("organisation"):
        pytest.importorskip("huggingface_hub", reason=HUB)
    with pytest.raises(NotFound, match="there is no folder") as caught:
        find_source(f"hf:{name}", SAFE)
    assert "folder" in caught.value.hint


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    """The folder is asked for."""
    file = safetensors(tmp_path / "model.safetensors", {})
    with pytest.raises(NotFound, match="is a file") as caught:
        find_source(f"hf:{file}", SAFE)
    assert "config.json" in caught.value.hint


@pytest.mark.parametrize("spec", ["hf:", "hf:a+lora=", "hf:a+lora=b+lora=c", "hf:+lora=b"])
def test_a_spec_without_a_model_is_refused(spec: str) -> None:
    """The form is told."""
    with pytest.raises(SpecError) as caught:
        parse_spec(spec)
    assert "hf:FOLDER" in caught.value.hint


def test_a_template_is_read_for_others(tmp_path: Path) -> None:
    """``--template from:MODEL``: the adapter's own, else its base's; None where neither has one."""
    base = model(tmp_path / "base")
    adapter = adapter_of(tmp_path / "adapter", str(base))
    assert read_template(f"hf:{base}") is None
    write(base, chat_template__jinja="the base's")
    assert read_template(f"hf:{adapter}") == read_template(f"hf:{base}+lora={adapter}") == "the base's"
    write(adapter, chat_template__jinja="its own")
    assert read_template(f"hf:{adapter}") == read_template_of_spec(f"hf:{base}+lora={adapter}") == "its own"


def test_a_template_is_read_without_torch(tmp_path: Path) -> None:
    """So that asking for one is quick, and works where only a server's models are used."""
    write(tmp_path, chat_template__jinja="{{ messages }}")
    code = (
        "import sys; from multiturn.registry import read_template; print(read_template(sys.argv[1]));"
        "assert not {'torch', 'transformers', 'tokenizers', 'peft'} & sys.modules.keys()"
    )
    done = subprocess.run([sys.executable, "-c", code, f"hf:{tmp_path}"], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("{{ messages }}\n", "")


@pytest.mark.parametrize("package", ["torch", "transformers", "accelerate", "peft"])
def test_a_missing_package_is_told_with_the_line_that_installs_it(tmp_path: Path, package: str) -> None:
    """Before anything of it is needed; a base alone needs no peft."""
    base, code = (
        model(tmp_path / "base"),
        "import sys; sys.modules[sys.argv[2]] = None; {}".format(
            "from multiturn.registry import open_engines; from multiturn.facts import EngineOptions;"
            "open_engines([sys.argv[1]], EngineOptions())"
        ),
    )
    spec = f"hf:{base}+lora={adapter_of(tmp_path / 'adapter', None)}"
    done = subprocess.run([sys.executable, "-c", code, spec, package], capture_output=True, text=True, check=False)
    assert "MissingExtra: the hf engine needs" in done.stderr
    assert package in done.stderr.rpartition("MissingExtra")[2]
    assert "next: pip install 'multiturn[transformers]'" in done.stderr


def test_every_fault_says_what_to_do_next(tmp_path: Path) -> None:
    """Whatever is missing from the folder of a model with an adapter."""
    base, adapter = model(tmp_path / "base"), adapter_of(tmp_path / "adapter", None)
    for file in (base / "config.json", base / "model.safetensors", adapter / "adapter_model.safetensors"):
        kept = file.read_bytes()
        file.unlink()
        with pytest.raises(MultiturnError) as caught:
            find_source(f"hf:{base}+lora={adapter}", SAFE)
        assert caught.value.hint
        file.write_bytes(kept)
    assert find_source(f"hf:{base}+lora={adapter}", SAFE).adapter is not None
