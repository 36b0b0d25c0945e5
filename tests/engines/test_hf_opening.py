"""Opening transformers models: what is wrong is found before any conversation, what is right is told; no weights yet."""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from multiturn.errors import EngineSetupError, MissingExtra, SpecError
from multiturn.facts import EngineOptions, Facts, Inspection, WeightOptions
from multiturn.registry import open_engines

if importlib.util.find_spec("torch") is None or importlib.util.find_spec("transformers") is None:
    pytest.skip("needs torch and transformers: pip install '.[transformers]'", allow_module_level=True)

import torch
from safetensors.torch import load_file, save_file

from multiturn.engines import hf_machine

Folders = Callable[..., Path]


def look(spec: str | Path, **options: Any) -> tuple[Facts, Inspection]:  # noqa: ANN401 - as EngineOptions takes them
    """Open, read what it says, close."""

    async def run() -> tuple[Facts, Inspection]:
        (engine,) = open_engines([f"hf:{spec}"], EngineOptions(**options))
        try:
            return engine.facts, await engine.inspect()  # type: ignore[attr-defined]
        finally:
            await engine.close()

    return asyncio.run(run())


def change(path: Path, name: str, **values: Any) -> None:  # noqa: ANN401 - what JSON holds
    """Set fields of a JSON file; None takes one out."""
    file = path / name
    fields = (json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}) | values
    kept = {key: value for key, value in fields.items() if value is not None}
    file.write_text(json.dumps(kept), encoding="utf-8")


@pytest.fixture
def folder(model_folder: Folders, tmp_path: Path) -> Path:
    """A good model's folder, to be spoiled."""
    return shutil.copytree(model_folder("plain-chat"), tmp_path / "model")


@pytest.fixture
def adapter(adapter_folder: Path, tmp_path: Path) -> Path:
    """A good adapter's folder, to be spoiled."""
    return shutil.copytree(adapter_folder, tmp_path / "adapter")


def refused(spec: str | Path, **options: Any) -> tuple[str, str]:  # noqa: ANN401 - as EngineOptions takes them
    """What is said of a model that can't be used, and what to do next."""
    with pytest.raises(EngineSetupError) as caught:
        look(spec, **options)
    assert caught.value.hint
    return caught.value.message, caught.value.hint


def test_a_good_folder_opens(folder: Path) -> None:
    """And nothing is wrong with it."""
    facts, found = look(folder)
    assert facts.system_role
    assert facts.context_window == 2048
    assert found.warnings == ()


def test_a_vocabulary_larger_than_the_embeddings(folder: Path) -> None:
    """A tokenizer that was extended without the model: an index error in the middle of a run, elsewhere."""
    change(folder, "tokenizer.json")
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    added = tokenizer["added_tokens"][-1] | {"id": 261, "content": "<|new|>", "special": True}
    tokenizer["added_tokens"].append(added)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    message, hint = refused(folder)
    assert "ids up to 261; the model has 261 embeddings" in message
    assert "resize_token_embeddings" in hint


def test_an_adapter_whose_tokenizer_is_larger_than_its_base(folder: Path, adapter: Path) -> None:
    """It was trained on a base with more tokens: to be merged, or the base to be resized."""
    for file in folder.glob("*token*"):
        shutil.copy(file, adapter / file.name)
    tokenizer = json.loads((adapter / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["added_tokens"].append(tokenizer["added_tokens"][-1] | {"id": 261, "content": "<|new|>"})
    (adapter / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    message, hint = refused(f"{folder}+lora={adapter}")
    assert "the base has 261 embeddings" in message
    assert "merge" in hint


def test_an_adapter_with_embeddings_of_another_size(folder: Path, adapter: Path) -> None:
    """The same, found in its weights."""
    tensors = load_file(adapter / "adapter_model.safetensors")
    tensors["base_model.model.model.embed_tokens.weight"] = torch.zeros(270, 64)
    save_file(tensors, adapter / "adapter_model.safetensors")
    message, hint = refused(f"{folder}+lora={adapter}")
    assert "is 270 x 64; model.embed_tokens.weight" in message
    assert "merge" in hint


def test_an_adapter_of_another_model(folder: Path, adapter: Path) -> None:
    """Layers that the base does not have, and layers of another size."""
    file = adapter / "adapter_model.safetensors"
    tensors = load_file(file)
    name = "base_model.model.model.layers.1.self_attn.q_proj.lora_A.weight"
    save_file(tensors | {name.replace("layers.1", "layers.7"): tensors[name].clone()}, file)
    message, hint = refused(f"{folder}+lora={adapter}")
    assert "adapts model.layers.7.self_attn.q_proj, which" in message
    assert "hf:BASE+lora=" in hint
    save_file(tensors | {name: torch.zeros(8, 96)}, file)
    assert "lora_A.weight is 8 x 96" in refused(f"{folder}+lora={adapter}")[0]


def test_a_tokenizer_without_an_end(model_folder: Folders) -> None:
    """Nothing says what ends a reply: refused with what to set; the plain form has stop strings and goes."""
    path = model_folder("no-eos")
    message, hint = refused(path)
    assert "no EOS token" in message
    assert "eos_token" in hint
    assert "--template plain" in hint
    facts, found = look(path, template="plain")
    assert facts.notes == ("no token ends a reply: it ends at a stop string or at its limit",)
    assert found.in_use == ("\nUser:", "\nAssistant:")


def test_a_generation_config_may_be_what_names_the_end(model_folder: Folders, tmp_path: Path) -> None:
    """One source is enough."""
    path = shutil.copytree(model_folder("no-eos"), tmp_path / "model")
    change(path, "generation_config.json", eos_token_id=[256, 258])
    assert look(path)[1].in_use == ("<|endoftext|>", "<|im_end|>")


def test_weights_that_do_not_belong_to_their_config(folder: Path) -> None:
    """One is missing, one has another size: transformers would make them up and warn. Found without loading them."""
    file = folder / "model.safetensors"
    name = "model.layers.1.mlp.up_proj.weight"
    tensors = load_file(file)
    save_file(tensors | {name: torch.zeros(3, 64)}, file, metadata={"format": "pt"})
    assert f"{name} is [3, 64] in its files and [128, 64] by its config" in refused(folder)[0]
    del tensors[name]
    save_file(tensors, file, metadata={"format": "pt"})
    assert f"1 of the weights that its config asks for are not in its files ({name}" in refused(folder)[0]


def test_an_adapter_without_all_its_weights(folder: Path, adapter: Path) -> None:
    """What is missing would be left at nothing, and the arm would be its base in disguise."""
    tensors = load_file(adapter / "adapter_model.safetensors")
    save_file(
        {name: one for name, one in tensors.items() if "layers.1" not in name}, adapter / "adapter_model.safetensors"
    )
    assert "6 of the weights" in refused(f"{folder}+lora={adapter}")[0]


@pytest.mark.parametrize("name", ["tokenizer.json", "model.safetensors"])
def test_a_damaged_file_is_told_by_its_name(folder: Path, name: str) -> None:
    """Torn in the middle."""
    file = folder / name
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    message, _ = refused(folder)
    assert str(folder) in message


def test_a_folder_without_a_tokenizer(folder: Path) -> None:
    """What to copy from where."""
    for file in folder.glob("*token*"):
        file.unlink()
    message, hint = refused(folder)
    assert "holds no tokenizer" in message
    assert "tokenizer.json" in hint


def test_a_template_that_can_t_be_used(folder: Path) -> None:
    """Found before any reply, with the way round it."""
    (folder / "chat_template.jinja").write_text("{{ raise_exception('no') }}", encoding="utf-8")
    assert "--template plain" in refused(folder)[1]


def test_a_model_that_transformers_does_not_know(folder: Path) -> None:
    """Too new, or no language model; its own code is not run for that."""
    change(folder, "config.json", model_type="nobody_knows")
    assert "nobody_knows" in refused(folder)[0]
    change(folder, "config.json", model_type="t5")
    assert "can't be used as a language model" in refused(folder)[0]


def test_code_of_a_folder_runs_only_when_it_is_named(folder: Path, tmp_path: Path) -> None:
    """Refused with nothing run; with the flag it is, and the record says so."""
    mark = tmp_path / "ran"
    code = (
        "from pathlib import Path\nfrom transformers import LlamaConfig, LlamaForCausalLM\n"
        f"Path({str(mark)!r}).write_text('ran')\n\n\nclass OwnConfig(LlamaConfig):\n    model_type = 'own'\n\n\n"
        "class OwnModel(LlamaForCausalLM):\n    config_class = OwnConfig\n"
    )
    (folder / "own.py").write_text(code, encoding="utf-8")
    change(folder, "config.json", auto_map={"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.OwnModel"})
    message, hint = refused(folder)
    assert "own Python code" in message
    assert "--trust-remote-code" in hint
    assert not mark.exists()
    facts, _ = look(folder, weights=WeightOptions(remote_code=True))
    assert mark.exists()
    assert facts.identity["remote_code"] == "yes"
    assert any("--trust-remote-code" in note for note in facts.notes)


def test_pickles_are_read_only_when_that_is_named(folder: Path) -> None:
    """And the record says so."""
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    message, hint = refused(folder)
    assert "pickle" in message
    assert "--allow-pickle" in hint
    facts, _ = look(folder, weights=WeightOptions(pickle=True))
    assert facts.identity["pickle"] == "yes"
    assert any("--allow-pickle" in note for note in facts.notes)


def test_weights_that_memory_does_not_hold(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they need in the dtype asked for, what there is, and what would help."""
    monkeypatch.setattr(hf_machine, "_meminfo", lambda: 300_000)
    message, hint = refused(folder)
    assert "need 0.0" in message
    assert "--dtype" in hint
    assert "--quantization" in hint
    assert look(folder, weights=WeightOptions(dtype="bfloat16"))[0].identity["dtype"] == "bfloat16"


def test_a_device_that_is_not_there(folder: Path) -> None:
    """A GPU where torch sees none, a name that is no device."""
    with pytest.raises(SpecError, match="no device") as caught:
        look(folder, weights=WeightOptions(device="toaster"))
    assert "--device cpu" in caught.value.hint
    with pytest.raises(SpecError, match="cuda:77 was asked for; torch sees"):
        look(folder, weights=WeightOptions(device="cuda:77"))


@pytest.mark.skipif(importlib.util.find_spec("bitsandbytes") is not None, reason="bitsandbytes is installed")
def test_quantization_without_its_package(folder: Path) -> None:
    """The line that installs it."""
    with pytest.raises(MissingExtra) as caught:
        look(folder, weights=WeightOptions(quantization="4bit"))
    assert caught.value.hint == "pip install bitsandbytes"


@pytest.mark.parametrize(
    ("config", "package"),
    [
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "bitsandbytes"),
        ({"load_in_8bit": True}, "bitsandbytes"),
        ({"quant_method": "gptq", "bits": 4}, "gptqmodel"),
        ({"quant_method": "awq", "bits": 4}, "gptqmodel"),
        ({"quant_method": "compressed-tensors"}, "compressed-tensors"),
    ],
    ids=str,
)
def test_a_base_that_was_quantized_without_the_package_that_reads_it(
    folder: Path, config: dict[str, Any], package: str
) -> None:
    """As a QLoRA training names its base: told when it is opened, with the line that installs it."""
    if importlib.util.find_spec(package.replace("-", "_")) is not None:
        pytest.skip(f"{package} is installed")
    change(folder, "config.json", quantization_config=config)
    with pytest.raises(MissingExtra, match="was quantized with") as caught:
        look(folder)
    assert caught.value.hint.startswith("pip install ")
    assert package in caught.value.hint


def test_a_quantization_that_nobody_knows(folder: Path) -> None:
    """Told when it is opened, not at the first reply; so is one that transformers itself finds it can't load here."""
    change(folder, "config.json", quantization_config={"quant_method": "folded"})
    message, hint = refused(folder)
    assert "was quantized with folded, and can't be loaded here: Unknown quantization type" in message
    assert "before it was quantized" in hint
    change(folder, "config.json", quantization_config={"quant_method": "vptq", "config_for_layers": {}})
    with pytest.raises(MissingExtra, match="needs vptq"):
        look(folder)


def test_a_quantization_in_the_folder_is_in_the_record(folder: Path) -> None:
    """By its name; nothing is quantized twice."""
    change(folder, "config.json", quantization_config={"quant_method": "fp8", "dequantize": True})
    assert look(folder)[0].identity["quantization"] == "fp8 (in the folder)"


def test_versions_leave_out_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A base alone needs no peft."""
    monkeypatch.setattr(hf_machine, "_COMPUTING", ("torch", "no-such-package"))
    assert hf_machine.versions() == f"torch {importlib.metadata.version('torch')}"


def test_a_window_larger_than_the_model_was_made_for(folder: Path) -> None:
    """Refused with the figure that fits; a smaller one is taken, and a tokenizer's own limit counts by default."""
    with pytest.raises(SpecError) as caught:
        look(folder, context_window=4096)
    assert "--context-window 2048" in caught.value.hint
    assert look(folder, context_window=512)[0].context_window == 512
    change(folder, "tokenizer_config.json", model_max_length=1024)
    facts, found = look(folder)
    assert facts.context_window == 1024
    assert any("model_max_length is 1024" in warning for warning in found.warnings)


def test_reproducible_is_one_row_at_a_time(folder: Path) -> None:
    """Promised for it alone, and refused for more."""
    facts, _ = look(folder, reproducible=True)
    assert (facts.reproducible, facts.replays, facts.open_conversations) == (True, True, 1)
    assert look(folder, workers=1)[0].reproducible
    facts, _ = look(folder)
    assert (facts.reproducible, facts.open_conversations) == (False, 8)
    with pytest.raises(SpecError, match="decoded together") as caught:
        look(folder, reproducible=True, workers=4)
    assert "--workers 1" in caught.value.hint


def test_what_a_reply_is_computed_with_is_in_the_record(folder: Path) -> None:
    """Whatever may change a text."""
    facts, _ = look(folder, threads=1, weights=WeightOptions(attention="eager"))
    known = {"device": "cpu", "dtype": "float32", "attention": "eager", "quantization": "none", "adapter": "none"}
    assert known.items() <= facts.identity.items()
    assert facts.identity["arrangement"] == "8 rows at once, threads: 1"
    assert facts.identity["stop_tokens"] == "('<|im_end|>',)"
    assert all(name in facts.identity["engine_version"] for name in ("torch", "transformers", "peft"))


def test_arms_of_one_base_differ_in_the_adapter_alone(folder: Path, adapter: Path) -> None:
    """Unless the adapter's folder brings a template of its own, which then is its arm's."""
    spec = f"{folder}+lora={adapter}"
    base, tuned = look(folder)[0].identity, look(spec)[0].identity
    assert {key for key in base if base[key] != tuned[key]} == {"adapter"}
    own = "{% for m in messages %}{{ m.role }}: {{ m.content }}<|im_end|>{% endfor %}"
    (adapter / "chat_template.jinja").write_text(own, encoding="utf-8")
    tuned = look(spec)[0].identity
    assert {key for key in base if base[key] != tuned[key]} == {"adapter", "template"}
    assert look(spec)[1].template == own


def test_an_adapter_finds_its_base_by_itself(folder: Path, adapter: Path) -> None:
    """By what its config names."""
    change(adapter, "adapter_config.json", base_model_name_or_path=str(folder))
    assert look(adapter)[0].identity == look(f"{folder}+lora={adapter}")[0].identity


def test_a_tuned_folder_without_a_template_is_told(model_folder: Folders) -> None:
    """It is held in the plain form, and says so."""
    facts, found = look(model_folder("no-template"))
    assert facts.fallback_template
    assert "no chat template" in found.warnings[0]


def test_what_doctor_shows(model_folder: Folders, tmp_path: Path) -> None:
    """Template, control tokens, who names which stop, and the sampling fields that are set aside."""
    _, found = look(model_folder("penalised"))
    assert found.template is not None
    assert "<|im_start|>" in found.template
    assert {"<|im_start|>", "<|im_end|>"} <= set(found.control_tokens)
    assert found.stops == dict.fromkeys(("tokenizer", "generation_config", "template"), ("<|im_end|>",))
    assert found.overridden["repetition_penalty"] == "5.0"
    assert found.overridden["top_k"] == "1"
    assert "eos_token_id" not in found.overridden
    path = shutil.copytree(model_folder("plain-chat"), tmp_path / "model")
    change(path, "tokenizer_config.json", eos_token="<|endoftext|>", pad_token="<|endoftext|>", chat_template="old")  # noqa: S106
    change(path, "generation_config.json", eos_token_id=257)
    warnings = "\n".join(look(path)[1].warnings)
    assert "generation_config.json does not list the tokenizer's EOS token '<|endoftext|>'" in warnings
    assert "the template ends a reply with <|im_end|>, which neither" in warnings
    assert "padding and EOS are one token" not in warnings
    assert "padding and EOS are one token" in "\n".join(look(path)[1].remarks)
    assert "chat_template.jinja and tokenizer_config.json hold different templates" in warnings
    assert look(path)[1].in_use == ("<|endoftext|>", "<|im_end|>", "<|im_start|>")
