"""From names to code: which engine a model spec means. Loads an engine's module only when it is asked for.

Built-ins use the form that users have in the entry-point group ``multiturn.engines``: a spec's prefix, and the function
below. Each names a function ``(specs, options) -> engines``, which gives one engine a spec. A spec may also name its
function itself: ``package.module:function``, with anything after a further colon. Beside that function a module may
have ``read_template(spec) -> str | None``, which gives a model's own Jinja template without loading the model.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import json
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from multiturn.engines import demo
from multiturn.errors import NotFound, SpecError, UsageError

if TYPE_CHECKING:
    from multiturn.facts import EngineOptions
    from multiturn.protocols import Engine

Opener = Callable[[Sequence[str], "EngineOptions"], Sequence["Engine"]]

ENGINES: Final = {
    "scripted": "multiturn.engines.scripted:open_engines",
    "llamacpp": "multiturn.engines.llamacpp:open_engines",
    "hf": "multiturn.engines.hf:open_engines",
    "openai": "multiturn.engines.http:open_engines",
    "ollama": "multiturn.engines.http:open_engines",
}
MUTANT: Final = "mutant"
"""The prefix of an engine that is damaged on purpose: ``mutant:NAME:SPEC``; see ``multiturn.engines.mutants``."""

GROUP: Final = "multiturn.engines"
FORMS: Final = (
    "DIR or ORG/NAME (transformers; or hf:DIR[+lora=DIR]), model.gguf (llama.cpp; or llamacpp:model.gguf[+lora=FILE]), "
    "openai:NAME[@URL], ollama:NAME, demo:base, demo:tuned, scripted:echo"
)
_HUB_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def resolve(spec: str) -> tuple[str, str]:
    """The engine's name and the full spec behind a model spec.

    Short forms: ``demo:``, the path of a ``.gguf`` file, a model's or an adapter's folder, ``org/name`` of the hub.

    Raises:
        SpecError: it names no engine that is known.
    """
    prefix, colon, rest = spec.partition(":")
    if prefix == MUTANT and colon:
        name, inner = _mutant_and_spec(spec)
        return MUTANT, f"{MUTANT}:{name}:{resolve(inner)[1]}"
    if prefix == "demo" and colon:
        return "llamacpp", demo.llamacpp_spec(rest)
    if _is_gguf_path(spec):
        return "llamacpp", f"llamacpp:{spec}"
    if colon and rest and (prefix in ENGINES or prefix in _plugins()):
        return prefix, spec
    if "." in prefix and rest.partition(":")[0].isidentifier():
        return f"{prefix}:{rest.partition(':')[0]}", spec
    if _is_folder_or_hub_name(spec):
        return "hf", f"hf:{spec}"
    if not colon and "/" in spec and not os.path.exists(spec):  # noqa: PTH110 - as below
        raise SpecError(f"there is no folder or file {spec.split('+lora=', maxsplit=1)[0]}", hint=_near_paths(spec))
    raise SpecError(f"{spec!r} names no engine and model", hint=_advice(spec, prefix, rest))


def read_template(spec: str) -> str | None:
    """The chat template of the model that a spec names, None where it has none; the model is not loaded.

    Raises:
        SpecError: its engine renders no template that could be read. NotFound, EngineSetupError: as the engine finds.
    """
    name, full = resolve(spec)
    if name == MUTANT:
        return read_template(_mutant_and_spec(full)[1])
    module = importlib.import_module(_target(name).partition(":")[0])
    reader: Callable[[str], str | None] | None = getattr(module, "read_template", None)
    if reader is None:
        raise SpecError(
            f"{spec}: a model of this engine has no template that can be read", hint="give a file: --template FILE"
        )
    return reader(full)


def template_source(policy: str) -> str | None:
    """The Jinja template that a policy brings: None for ``model`` and ``plain``, else what the file or model holds.

    Raises:
        NotFound: there is no such file. UsageError: it holds no template.
    """
    if policy in ("model", "plain"):
        return None
    model = policy.removeprefix("from:")
    source = _template_file(Path(policy)) if model == policy else read_template(model)
    if not (source or "").strip():
        raise UsageError(f"{policy} holds no chat template", hint="--template FILE, from:MODEL, plain or model")
    return source


def _template_file(path: Path) -> str | None:
    """A Jinja file, or a tokenizer_config.json with a template in it."""
    try:
        text = path.expanduser().read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise NotFound(
            f"there is no template file {path}", hint="--template model, plain, from:MODEL, or the path of a Jinja file"
        ) from None
    except (OSError, ValueError) as error:
        told = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise UsageError(f"{path} can't be read as a template: {told}", hint="--template FILE") from None
    if path.suffix != ".json":
        return text
    try:
        found = json.loads(text).get("chat_template")
    except (ValueError, AttributeError):
        raise UsageError(f"{path} is no tokenizer_config.json", hint="--template FILE, a Jinja file") from None
    return found if isinstance(found, str) else None


def open_engines(specs: Sequence[str], options: EngineOptions) -> list[Engine]:
    """Open an engine for each spec; specs of one engine are opened together, so that they can share what they load.

    Raises:
        SpecError, MissingExtra, NotFound, EngineSetupError: as the engine finds.
    """
    resolved = [resolve(spec) for spec in specs]
    if any(name == MUTANT for name, _ in resolved):
        return _open_with_mutants([full for _, full in resolved], options)
    opened: dict[str, Engine] = {}
    for name in dict.fromkeys(name for name, _ in resolved):
        mine = list(dict.fromkeys(full for other, full in resolved if other == name))
        opened |= dict(zip(mine, _opener(name)(mine, options), strict=True))
    return [opened[full] for _, full in resolved]


def _mutant_and_spec(spec: str) -> tuple[str, str]:
    """The mutant's name and the spec of the engine behind it; no name where the spec is of an engine itself."""
    if not spec.startswith(f"{MUTANT}:"):
        return "", spec
    name, _, inner = spec.removeprefix(f"{MUTANT}:").partition(":")
    if not (name and inner):
        raise SpecError(
            f"{spec!r} names no mutant and model", hint=f"{MUTANT}:NAME:SPEC, {MUTANT}:forgets:demo:base say"
        )
    return name, inner


def _open_with_mutants(specs: Sequence[str], options: EngineOptions) -> list[Engine]:
    """Engines of which some are mutants. What is behind a mutant is its own, since whoever holds the runs closes one
    engine before it asks the next; weights are loaded at the first reply, so no two of a comparison are in memory.
    """  # noqa: D205 - one sentence and its reason
    behind = [_mutant_and_spec(spec) for spec in specs]
    sound = [spec for name, spec in behind if not name]
    opened = iter(open_engines(sound, options) if sound else ())
    damaged: Callable[[Engine, str], Engine] = importlib.import_module("multiturn.engines.mutants").mutant
    return [damaged(open_engines([spec], options)[0], name) if name else next(opened) for name, spec in behind]


def _is_gguf_path(spec: str) -> bool:
    """Whether it is a path by itself: ``name:rest`` is one only where such a file exists, or behind a drive letter."""
    path = spec.split("+lora=", maxsplit=1)[0]
    prefix, colon, _ = path.partition(":")
    plain = not colon or len(prefix) == 1 or "/" in prefix
    return path.lower().endswith(".gguf") and (plain or os.path.exists(path))  # noqa: PTH110 - as below


def _is_folder_or_hub_name(spec: str) -> bool:
    model = spec.split("+lora=", maxsplit=1)[0]
    return os.path.isdir(model) or _HUB_NAME.fullmatch(model) is not None  # noqa: PTH112 - as below


def _target(name: str) -> str:
    return ENGINES.get(name) or (name if ":" in name else _plugins()[name].value)


def _opener(name: str) -> Opener:
    module, _, attribute = _target(name).partition(":")
    try:
        opener: Opener = getattr(importlib.import_module(module), attribute)
    except (ModuleNotFoundError, AttributeError) as error:
        if name in ENGINES:
            raise
        raise SpecError(f"{name!r} can't be loaded: {error}", hint=f"the forms are {FORMS}") from error
    return opener


def _plugins() -> dict[str, importlib.metadata.EntryPoint]:
    return {point.name: point for point in importlib.metadata.entry_points(group=GROUP)}


def _near_paths(spec: str) -> str:
    """Names like it that lie where it would lie."""
    path = Path(spec.split("+lora=", maxsplit=1)[0])
    try:
        there = [str(one) for one in path.parent.iterdir()]
    except OSError:
        return f"look at the path; the forms are {FORMS}"
    near = difflib.get_close_matches(str(path), there, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(near)}?" if near else f"look at the path; the forms are {FORMS}"


def _advice(spec: str, prefix: str, rest: str) -> str:
    near = difflib.get_close_matches(prefix, [*ENGINES, "demo"], n=1)
    if near and rest:
        return f"did you mean {near[0]}:{rest}?"
    if os.path.exists(spec):  # noqa: PTH110 - False, not an error, for what can be no path at all
        return f"only .gguf files can be given by their path alone; the forms are {FORMS}"
    return f"the forms are {FORMS}"
