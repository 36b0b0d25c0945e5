"""From a spec, what its servers say and what is asked for: how they are asked, and what is true of the engine. Pure.

The identity holds what decides the texts and no address: two arms on two servers of one kind are comparable. The
address stands in ``weights``, which is what a comparison is about, since a name alone does not say what a server runs.
"""

from __future__ import annotations

from typing import Final

import msgspec

from multiturn.engines.chat_template import Template, open_template
from multiturn.engines.http_ollama import DEFAULT_WINDOW, OPTIONS, OllamaWire, Shown
from multiturn.engines.http_openai import DIALECTS, OpenAIWire
from multiturn.engines.http_setup import Found
from multiturn.engines.http_spec import Endpoint
from multiturn.engines.http_text import PARSED, TextForm, text_form
from multiturn.errors import EngineSetupError
from multiturn.facts import EngineOptions, Facts, Inspection

AT_ONCE: Final = 32
"""Requests in flight at each server, where nobody says how many."""
AT_ONCE_OLLAMA: Final = 4
"""Ollama decodes one to four at once and lets the others wait, where their time-out runs."""
OWN_END: Final = "the server's own EOS"
"""What ends a reply where a server tells nothing of it."""
AHEAD: Final = 2
"""Conversations open for each request in flight, so that none is missing while turns are stored. Servers with slots
keep no more conversations than those in memory: there it is one."""
OURS: Final = frozenset({
    "model", "messages", "prompt", "stream", "n", "max_tokens", "max_completion_tokens", "response_format", "logprobs",
    "format", "raw", "truncate", "shift",
})  # fmt: skip
"""Fields of a body that can't be set from a file."""


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """How a model is asked. ``form`` is ours, None where the server renders; ``at_once`` is for each server."""

    wire: OpenAIWire | OllamaWire
    form: TextForm | None
    facts: Facts
    at_once: int


def asking(endpoint: Endpoint, found: Found, options: EngineOptions) -> Asking:
    """All that follows from spec, servers and options.

    Raises:
        EngineSetupError: the template that is asked for can't be used, or a file sets what is not its to set.
    """
    form = None if options.template == "model" else text_form(options, found)
    ours = form.template if form else None
    own = _own_template(found) if ours is None else None
    window = _window(endpoint, found, options)
    wire: OpenAIWire | OllamaWire
    if endpoint.kind == "ollama":
        wire = _ollama(endpoint, found.shown, window or DEFAULT_WINDOW, rendered=form is not None)
    else:
        wire = _openai(endpoint, found, window, own, form)
    _require_free(endpoint, wire)
    at_once, opened = _at_once(endpoint, found, options)
    shown = ours or own
    return Asking(
        wire=wire,
        form=form,
        at_once=at_once,
        facts=Facts(
            context_window=window,
            open_conversations=opened,
            identity=_identity(endpoint, found, wire, form, own),
            system_role=shown is None or shown.system == "own",
            template_sha256=shown.sha256 if shown else found.shown.template_sha256 if found.shown else "",
            fallback_template=ours is not None and ours.fallback,
            thinks=shown.thinks if shown else found.shown is not None and found.shown.thinks,
            keeps_reasoning=shown is not None and shown.keeps_reasoning,
            seeds=False if "seed" in endpoint.omit else None,
            logprobs=endpoint.kind == "openai" and "logprobs" not in endpoint.omit,
            json_schema=True,
            notes=(*_notes(endpoint, found, window), *((PARSED,) if form else ())),
        ),
    )


def _at_once(endpoint: Endpoint, found: Found, options: EngineOptions) -> tuple[int, int]:
    """Requests in flight at each server, and conversations open over all of them."""
    places = len(endpoint.places)
    if options.workers:
        return endpoint.at_once or options.workers, options.workers
    if endpoint.at_once or found.slots:
        at_once = endpoint.at_once or found.slots or 1
        return at_once, at_once * places
    if endpoint.kind == "ollama":
        return AT_ONCE_OLLAMA, AT_ONCE_OLLAMA * places
    return AT_ONCE, AHEAD * AT_ONCE * places


def inspection(asked: Asking, found: Found) -> Inspection:
    """What the model brings with it, as far as its server tells."""
    shown = found.shown
    stops: dict[str, tuple[str, ...]] = {}
    if found.eos:
        stops["the server (EOS)"] = (found.eos,)
    if shown and shown.stop:
        stops["the Modelfile"] = shown.stop
    ours = asked.form.stop if asked.form else ()
    in_use = tuple(dict.fromkeys([*(stop for named in stops.values() for stop in named), *ours]))
    defaults = dict(found.defaults)
    if shown:
        defaults = {name: ", ".join(values) for name, values in shown.parameters.items() if name in OPTIONS}
        defaults.pop("stop", None)
    return Inspection(
        template=asked.form.template.source if asked.form else found.template,
        control_tokens=tuple(dict.fromkeys(token for token in (found.bos, found.eos) if token)),
        bos=found.bos or None,
        stops=stops,
        in_use=in_use or (OWN_END,),
        overridden=defaults,
        warnings=tuple(_warnings(shown)),
    )


def _warnings(shown: Shown | None) -> list[str]:
    if shown is None:
        return []
    unset = sorted(shown.parameters.keys() - set(OPTIONS))
    told = []
    if unset:
        told.append(f"the Modelfile sets {', '.join(unset)}, which multiturn leaves as they are")
    if shown.system:
        told.append("the Modelfile brings a system prompt, used where none is given: --system gives one to both arms")
    return told


def _own_template(found: Found) -> Template | None:
    """The model's own template where its server shows it in Jinja: what it does with system prompts and reasoning."""
    if found.template is None or found.shown is not None:
        return None
    try:
        return open_template(found.template, bos=found.bos, eos=found.eos)
    except EngineSetupError:
        return None  # the server renders it, not we


def _window(endpoint: Endpoint, found: Found, options: EngineOptions) -> int | None:
    asked = options.context_window or endpoint.context_window
    if endpoint.kind == "ollama":
        trained = found.shown.context_length if found.shown else None
        return min(asked or DEFAULT_WINDOW, trained or asked or DEFAULT_WINDOW)
    return min((one for one in (asked, found.window) if one is not None), default=None)


def _openai(
    endpoint: Endpoint, found: Found, window: int | None, own: Template | None, form: TextForm | None
) -> OpenAIWire:
    return OpenAIWire(
        model=endpoint.model,
        server=found.server or "other",
        max_tokens_field=endpoint.max_tokens_field,
        extra=endpoint.body,
        rendered=form is not None,
        ends_in_control=form is not None and not form.template.fallback and bool(form.stop),
        window=found.window or window,
        reasoning_field=own is not None and own.keeps_reasoning,
        omit=endpoint.omit,
    )


def _ollama(endpoint: Endpoint, shown: Shown | None, window: int, *, rendered: bool) -> OllamaWire:
    thinks = shown is not None and shown.thinks and endpoint.body.get("think") is not False
    return OllamaWire(
        model=endpoint.model,
        window=window,
        stop=shown.stop if shown and not rendered else (),
        thinks=thinks and not rendered,
        extra=endpoint.body,
        rendered=rendered,
    )


def _require_free(endpoint: Endpoint, wire: OpenAIWire | OllamaWire) -> None:
    """Raise where a file's body sets what multiturn sets itself."""
    taken = sorted(endpoint.body.keys() & (OURS | (set(wire.fields) - {"think"})))
    inner = endpoint.body.get("options")
    if isinstance(wire, OllamaWire) and isinstance(inner, dict):
        taken += sorted(f"options.{name}" for name in inner.keys() & set(OPTIONS))
    if taken:
        raise EngineSetupError(
            f"{endpoint.spec}: [body] sets {', '.join(taken)}, which multiturn sets in every request",
            hint="leave it out of the file, and use the flag (--temperature, --max-tokens, --context-window ...)",
        )


def _identity(
    endpoint: Endpoint, found: Found, wire: OpenAIWire | OllamaWire, form: TextForm | None, own: Template | None
) -> dict[str, str]:
    served = f" ({found.served})" if found.served else ""
    identity = {
        "engine": endpoint.kind,
        "weights": found.digest or f"{endpoint.model}@{endpoint.places[0].base.partition('://')[2]}{served}",
        "route": "text" if wire.rendered else "chat",
        "fields": " ".join(wire.fields),
        "headers": " ".join(endpoint.header_names),
        "body": endpoint.body_text,
    }
    if found.server:
        identity["server"] = found.server
    if found.version:
        identity["server_version"] = found.version
    if form:
        identity |= {"template": form.template.sha256, "template_stop": repr(form.stop)}
    elif own:
        identity |= {"template": own.sha256, "template_stop": repr(own.stop)}
    elif found.shown:
        identity |= {"template": found.shown.template_sha256, "template_stop": repr(found.shown.stop)}
    return identity


def _notes(endpoint: Endpoint, found: Found, window: int | None) -> tuple[str, ...]:
    notes = [f"asked at {', '.join(place.base for place in endpoint.places)}", *found.notes]
    if window is None:
        notes.append("the server does not tell its context window: --context-window says it")
    if endpoint.kind == "openai" and DIALECTS[found.server or "other"].only_if_asked:
        notes.append(
            "the server does not say what kind it is: top-k, min-p and repeat penalty are sent only where they are not "
            "off, else its own defaults hold for them"
        )
    if endpoint.omit:
        notes.append(f"not sent, as {endpoint.spec} asks: {', '.join(endpoint.omit)}")
    trained = found.shown.context_length if found.shown else None
    if window is not None and trained is not None and (endpoint.context_window or 0) > trained:
        notes.append(f"the model was trained for {trained} tokens: that is the window")
    return tuple(notes)
