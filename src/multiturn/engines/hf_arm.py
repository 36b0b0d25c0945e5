"""What one arm brings beside weights: tokenizer, template, stop tokens, window, and what a reader should know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from multiturn.conversation import Message
from multiturn.engines import chat_template
from multiturn.engines.chat_template import Template
from multiturn.engines.hf_folder import TEMPLATE_FILE, Folder, digest
from multiturn.engines.hf_loading import load_tokenizer
from multiturn.engines.hf_tokens import Tokens
from multiturn.errors import EngineSetupError, SpecError
from multiturn.facts import EngineOptions, Inspection

LARGEST_DEFAULT_WINDOW: Final = 8192
_NO_LENGTH: Final = 10**9
"""A ``model_max_length`` above this says that nobody set one."""
_NOT_SAMPLING: Final = frozenset(
    {"bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "transformers_version", "use_cache"}
)
_TOKENIZERS: Final = frozenset({"tokenizer.json", "tokenizer.model", "vocab.json", "spiece.model", "tekken.json"})


class Arm(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """One arm, ready to be sent prompts. ``folder`` has its tokenizer; ``adapter`` is None for the base itself."""

    adapter: Path | None
    folder: Folder
    tokens: Tokens
    template: Template
    stop_ids: frozenset[int]
    window: int
    identity: dict[str, str]
    notes: tuple[str, ...]
    inspection: Inspection


def open_arm(base: Folder, adapter: Folder | None, options: EngineOptions) -> Arm:
    """Read tokenizer and template of an arm; an adapter's folder may bring its own.

    Raises:
        SpecError: a window that the model was not made for. EngineSetupError: no tokenizer, a template that refuses a
            plain conversation, or nothing that ends a reply.
    """
    own = adapter is not None and any(file.name in _TOKENIZERS for file in adapter.tokenizer_files)
    folder = adapter if own and adapter is not None else base
    templates = (adapter.templates if adapter else {}) or base.templates
    source = next(iter(templates.values()), None)
    wanted = options.template_source if options.template_source is not None else source
    tokens = Tokens(load_tokenizer(folder, options.weights), wanted)
    template = chat_template.template_for(options, source, bos=tokens.bos, eos=tokens.eos)
    stops = _stops(base, adapter, tokens, template)
    stop_ids = frozenset(number for ids in stops.values() for number in ids)
    if not stop_ids and not template.stop:
        raise EngineSetupError(
            f"{folder.path}: nothing says which token ends a reply: its tokenizer has no EOS token, and neither "
            "generation_config.json nor the chat template names one",
            hint="set eos_token in tokenizer_config.json to the token that the model was trained to end with, "
            "or add --template plain, whose replies end at stop strings",
        )
    in_use = tuple(sorted(tokens.text_of(number) for number in stop_ids))
    return Arm(
        adapter=adapter.path if adapter else None,
        folder=folder,
        tokens=tokens,
        template=template,
        stop_ids=stop_ids,
        window=_window(folder, base, options),
        identity={
            "adapter": _adapter_digest(adapter),
            "template": template.sha256,
            "template_stop": repr(template.stop),
            "stop_tokens": repr(in_use),
        },
        notes=() if stop_ids else ("no token ends a reply: it ends at a stop string or at its limit",),
        inspection=_inspect(folder, base, adapter, (tokens, template, stops, in_use)),
    )


def _adapter_digest(adapter: Folder | None) -> str:
    if adapter is None or adapter.adapter_weights is None:
        return "none"
    return digest((adapter.adapter_weights, adapter.path / "adapter_config.json", *adapter.tokenizer_files))


def _stops(base: Folder, adapter: Folder | None, tokens: Tokens, template: Template) -> dict[str, tuple[int, ...]]:
    """Ids of tokens that end a reply, by who names them."""
    folders = [folder for folder in (adapter, base) if folder is not None]
    generation = next((folder.generation for folder in folders if folder.generation), {})
    end = None if template.fallback else chat_template.turn_end(template, tuple(tokens.control))
    number = tokens.id_of(end) if end else None
    named = {
        "tokenizer": _ids(tokens.eos_id),
        "generation_config": _ids(generation.get("eos_token_id")),
        "config": _ids(base.config.language.eos_token_id) if base.config else (),
        "template": _ids(number),
    }
    return {who: tuple(one for one in ids if 0 <= one < tokens.size) for who, ids in named.items() if ids}


def _ids(given: object) -> tuple[int, ...]:
    if isinstance(given, list | tuple):
        return tuple(one for one in given if isinstance(one, int))
    return (given,) if isinstance(given, int) else ()


def _window(folder: Folder, base: Folder, options: EngineOptions) -> int:
    trained = base.config.window if base.config else None
    if options.context_window is not None:
        if trained is not None and options.context_window > trained:
            raise SpecError(
                f"a window of {options.context_window} tokens was asked for; {base.path} was made for {trained}",
                hint=f"--context-window {trained}, or less",
            )
        return options.context_window
    known = [length for length in (trained, _tokenizer_length(folder)) if length is not None]
    return min([*known, LARGEST_DEFAULT_WINDOW])


def _tokenizer_length(folder: Folder) -> int | None:
    length = folder.tokenizer.model_max_length if folder.tokenizer else None
    return int(length) if length is not None and 0 < length < _NO_LENGTH else None


Read = tuple[Tokens, Template, Mapping[str, tuple[int, ...]], tuple[str, ...]]


def _inspect(folder: Folder, base: Folder, adapter: Folder | None, read: Read) -> Inspection:
    tokens, template, stops, in_use = read
    generation = (adapter.generation if adapter else {}) or base.generation
    return Inspection(
        template=template.source,
        control_tokens=tuple(sorted(tokens.control, key=tokens.control.__getitem__)),
        bos=tokens.bos,
        stops={who: tuple(map(tokens.text_of, ids)) for who, ids in stops.items()},
        in_use=(*in_use, *template.stop),
        overridden=_overridden(generation),
        warnings=tuple(_warnings(folder, base, read)),
        remarks=tuple(_remarks(tokens, template)),
    )


def _overridden(generation: Mapping[str, Any]) -> dict[str, str]:
    """Fields of a ``generation_config.json`` that would decide how replies are drawn."""
    return {
        name: repr(value)
        for name, value in sorted(generation.items())
        if name not in _NOT_SAMPLING and not name.startswith("_") and value not in (None, False)
    }


def _warnings(folder: Folder, base: Folder, read: Read) -> list[str]:
    tokens, template, stops, _ = read
    found: list[str] = []
    by_tokenizer, by_config, by_template = (
        set(stops.get(who, ())) for who in ("tokenizer", "generation_config", "template")
    )
    if by_config and not by_tokenizer <= by_config:
        found.append(
            f"generation_config.json does not list the tokenizer's EOS token {tokens.eos!r}: a loop that trusts it "
            "never stops there; add its id to eos_token_id"
        )
    if by_template and not by_template <= by_tokenizer | by_config:
        end = ", ".join(map(tokens.text_of, sorted(by_template)))
        found.append(
            f"the template ends a reply with {end}, which neither the tokenizer nor generation_config.json calls an "
            "EOS token: it stops replies here, and would not elsewhere; set eos_token to it"
        )
    if len(set(folder.templates.values())) > 1:
        used, *others = folder.templates
        found.append(f"{used} and {' and '.join(others)} hold different templates; {used} is in use: delete the other")
    length, trained = _tokenizer_length(folder), base.config.window if base.config else None
    if length is not None and trained is not None and length < trained:
        found.append(
            f"model_max_length is {length} and the model was made for {trained}: the smaller one is the window unless "
            "--context-window says otherwise"
        )
    if template.fallback and not folder.templates and not base.templates:
        found.append(f"there is no chat template: the User:/Assistant: form is used; add {TEMPLATE_FILE} if it has one")
    return found


def _remarks(tokens: Tokens, template: Template) -> Iterator[str]:
    """What is no fault, and good to know before a training."""
    _, pieces = chat_template.render_pieces(template, (Message("user", "Hi"),), tuple(tokens.control))
    written, _ = chat_template.split_bos(pieces, tokens.bos, adds_bos=False)
    if tokens.adds_bos and not written:
        yield f"the tokenizer adds {tokens.bos}; the template does not write it"
    if tokens.pad is not None and tokens.pad == tokens.eos:
        yield (
            f"padding and EOS are one token ({tokens.eos!r}): a training that masks padding by its id never learns to "
            "stop; mask by position"
        )
