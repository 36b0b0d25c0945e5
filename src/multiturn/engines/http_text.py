"""A template of our choice for servers that are asked by text: what it writes, and what must not be written. Pure.

A model's own template knows its tokens; one that is brought along may name ``bos_token`` and ``eos_token``, whose texts
most servers do not tell. Servers put a BOS token in front of a text by themselves, so ours does not begin with one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.conversation import Message
from multiturn.engines.chat_template import Template, render, template_for, turn_end
from multiturn.errors import EngineSetupError, ReplyFailed

if TYPE_CHECKING:
    from multiturn.engines.http_setup import Found
    from multiturn.facts import EngineOptions

PARSED: Final = (
    "prompts are sent as one text: control tokens that are spelled out in a message count as such at the server"
)
BOS_TEXTS: Final = ("<s>", "<bos>", "<|begin_of_text|>", "<\uff5cbegin\u2581of\u2581sentence\uff5c>")
"""How families whose tokenizers add BOS by themselves spell it."""
_MARK: Final = "\ue0f1{}\ue0f1"
_SETS_BOS: Final = re.compile(r"\{%-?\s*set\s+bos_token\s*=\s*(['\"])(.+?)\1")
_TOKEN: Final = re.compile(r"<[^<>\s]{1,64}>")
_ASKED: Final = (Message("user", "Good day"),)
_TWO_TURNS: Final = (*_ASKED, Message("assistant", "Hello."), *_ASKED)
_SYSTEM: Final = (Message("system", "Be brief."),)
_PROBES: Final = (_ASKED, _TWO_TURNS, _SYSTEM + _ASKED, _SYSTEM + _TWO_TURNS)


class TextForm(msgspec.Struct, frozen=True, kw_only=True):
    """A template with what ends a reply in it (``stop``), and the text that is taken off a prompt's beginning."""

    template: Template
    stop: tuple[str, ...]
    off: tuple[str, ...] = ()

    def text(self, messages: tuple[Message, ...]) -> str:
        """The prompt as it is sent.

        Raises:
            ReplyFailed: the template refuses these messages.
        """
        text = render(self.template, messages)
        return text.removeprefix(next((bos for bos in self.off if text.startswith(bos)), ""))


def text_form(options: EngineOptions, found: Found) -> TextForm:
    """The form that ``--template`` asks for.

    Raises:
        EngineSetupError: the template can't be used, or writes a token whose text nobody tells.
    """
    template = template_for(options, None, bos=found.bos, eos=found.eos)
    if template.fallback:
        return TextForm(template=template, stop=template.stop)
    _require_known(options, template)
    sets = _SETS_BOS.search(template.source)
    bos = template.bos or (sets[2] if sets else "")
    end = turn_end(template, _TOKEN.findall(render(template, _TWO_TURNS)))
    return TextForm(
        template=template,
        stop=tuple(dict.fromkeys(stop for stop in (template.eos, end) if stop)),
        off=() if found.adds_bos is False else tuple(text for text in (bos, *BOS_TEXTS) if text),
    )


def _require_known(options: EngineOptions, template: Template) -> None:
    """Raise where the template writes a token whose text is not known; a BOS in front of all is the server's to put."""
    marks = {name: _MARK.format(name) for name in ("bos", "eos") if not getattr(template, name)}
    marked = msgspec.structs.replace(template, **marks)
    written: set[str] = set()
    for messages in _PROBES:
        try:
            text = render(marked, messages)
        except ReplyFailed:
            continue  # one that wants no system prompt, say
        rest = text.removeprefix(marks.get("bos", ""))
        written |= {name for name, mark in marks.items() if mark in rest}
    if written:
        names = sorted(f"{name}_token" for name in written)
        examples = {"bos_token": "<s>", "eos_token": "</s>"}
        lines = "".join(f"\n    {{% set {name} = '{examples[name]}' %}}" for name in names)
        raise EngineSetupError(
            f"the template {options.template} writes {' and '.join(names)}, and the server does not tell the text",
            hint=f"give --template FILE, a copy that begins with the text of the model's own token:{lines}",
        )
