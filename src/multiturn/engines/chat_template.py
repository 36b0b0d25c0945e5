"""Chat templates: from messages to the exact text a model reads. Pure: no model, no tokenizer, no clock.

Knows the Jinja dialect that transformers defines for chat templates, what to do where a template has no system role or
where there is no template at all, and how to keep text that looks like a control token from becoming one.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.parser
import jinja2.sandbox
import msgspec

from multiturn.conversation import Message
from multiturn.errors import EngineSetupError, ReplyFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from multiturn.facts import EngineOptions

PLAIN_TEMPLATE: Final = (
    "{% for message in messages %}"
    "{% if message['role'] == 'system' %}{{ message['content'] + '\n\n' }}"
    "{% elif message['role'] == 'user' %}{{ 'User: ' + message['content'] + '\n' }}"
    "{% else %}{{ 'Assistant: ' + message['content'] + '\n' }}{% endif %}"
    "{% endfor %}{{ 'Assistant:' }}"
)
"""The fallback for models without a template; with it go the stop strings below."""
PLAIN_STOP: Final = ("\nUser:", "\nAssistant:")

PLAIN_SHA256: Final = hashlib.sha256(PLAIN_TEMPLATE.encode()).hexdigest()

PINNED_DATE: Final = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
"""What templates that print today's date are told, so that a run of tomorrow is sent what a run of today was."""

SystemRole = Literal["own", "folded"]


class Template(msgspec.Struct, frozen=True, kw_only=True):
    """A chat template that renders, and how it takes a system prompt.

    ``system`` is ``own`` where the template has a system role, ``folded`` where the system prompt must go into the
    first user turn. ``fallback`` says that the plain form is used. ``bos`` and ``eos`` are token texts. ``parts``: it
    takes a message's content as a list of parts. ``thinks``: it knows of reasoning; ``keeps_reasoning``: it shows the
    model the reasoning of earlier replies where it is given apart from their content.
    """

    source: str
    bos: str
    eos: str
    system: SystemRole = "own"
    fallback: bool = False
    parts: bool = False
    thinks: bool = False
    keeps_reasoning: bool = False

    @property
    def sha256(self) -> str:
        """Which template it is."""
        return hashlib.sha256(self.source.encode()).hexdigest()

    @property
    def stop(self) -> tuple[str, ...]:
        """Stop strings without which a reply would not end."""
        return PLAIN_STOP if self.fallback else ()


def open_template(source: str | None, *, bos: str | None, eos: str | None, plain: bool = False) -> Template:
    """Check a template before the first reply and find out how it takes a system prompt.

    Args:
        source: the model's own template; None where it has none (then the plain form is used).
        bos: text of the BOS token, where there is one.
        eos: text of the EOS token, where there is one.
        plain: use the plain form even where the model has a template.

    Raises:
        EngineSetupError: the template can't be read, or refuses the simplest conversation.
    """
    fallback = plain or not (source or "").strip()
    made = Template(
        source=PLAIN_TEMPLATE if fallback else source or "", bos=bos or "", eos=eos or "", fallback=fallback
    )
    in_parts = msgspec.structs.replace(made, parts=True)
    made = in_parts if not speaks(made) and speaks(in_parts) else made
    try:
        for messages in ((_USER,), (_USER, Message("assistant", "Hello."), _USER)):
            _render(made, messages)
    except _FAULTS as error:
        raise EngineSetupError(
            f"the model's chat template refuses a plain conversation: {error}",
            hint="mend the template, or add --template plain to use the User:/Assistant: form",
        ) from error
    own = _shows(made, Message("system", _PROBE), _USER)
    knows = any(mark in made.source.casefold() for mark in ("think", "reasoning_content"))
    keeps = knows and _shows(made, _USER, Message("assistant", "Hello.", reasoning=_PROBE), _USER, field=True)
    return msgspec.structs.replace(made, system="own" if own else "folded", thinks=knows, keeps_reasoning=keeps)


def template_for(options: EngineOptions, own: str | None, *, bos: str | None, eos: str | None) -> Template:
    """The template that is asked for: the model's ``own``, the plain form, or the text that the options bring.

    Raises:
        EngineSetupError: as :func:`open_template`.
    """
    source = own if options.template_source is None else options.template_source
    return open_template(source, bos=bos, eos=eos, plain=options.template == "plain")


_PROBE: Final = "the words of this probe"
_USER: Final = Message("user", "Good day")
_FAULTS: Final = (jinja2.TemplateError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
"""What a template's own code can raise when it is given values that it does not expect."""


def speaks(template: Template) -> bool:
    """Whether it renders what both sides say, over two turns."""
    asked = Message("user", _PROBE)
    return _shows(template, asked) and _shows(template, _USER, Message("assistant", _PROBE), _USER)


def _shows(template: Template, *messages: Message, field: bool = False) -> bool:
    """Whether the probe's words, somewhere in these messages, come through."""
    try:
        return _PROBE in _render(template, messages, reasoning_field=field)
    except _FAULTS:
        return False


def turn_end(template: Template, control_tokens: Sequence[str]) -> str | None:
    """The control token that the template writes behind an assistant's reply: what a trained model ends with.

    None where it writes none, or none that is known as a control token.
    """
    rendered = _render(template, (_USER, Message("assistant", _PROBE), _USER))
    _, _, after = rendered.partition(_PROBE)
    before_user, _, _ = after.partition(_USER.content)
    controls = [text for text, control in split_control(before_user, control_tokens) if control]
    return controls[0] if controls and before_user.lstrip().startswith(controls[0]) else None


def render(template: Template, messages: Sequence[Message]) -> str:
    """The text of a prompt that asks for the next assistant message.

    Raises:
        ReplyFailed: the template refuses these messages.
    """
    if template.system == "folded":
        messages = fold_system(messages)
    try:
        return _render(template, messages, reasoning_field=template.keeps_reasoning)
    except _FAULTS as error:
        raise ReplyFailed("engine", f"the model's chat template refuses this conversation: {error}") from error


def fold_system(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with a leading system prompt put in front of the first user message."""
    if not messages or messages[0].role != "system":
        return tuple(messages)
    system, first, *rest = messages
    return (Message(first.role, f"{system.content}\n\n{first.content}", first.reasoning), *rest)


def split_control(rendered: str, control_tokens: Sequence[str]) -> list[tuple[str, bool]]:
    """Cut a rendered prompt at its control tokens: ``(text, is_control)`` in order, no empty pieces."""
    if not control_tokens:
        return [(rendered, False)] if rendered else []
    pieces = _control_pattern(tuple(control_tokens)).split(rendered)
    return [(piece, index % 2 == 1) for index, piece in enumerate(pieces) if piece]


def render_pieces(
    template: Template, messages: Sequence[Message], control_tokens: Sequence[str]
) -> tuple[str, list[tuple[str, bool]]]:
    """Render, and say which control tokens are the template's own.

    Returns the text, and that text in pieces ``(text, is_control)``. Control-token text inside a message stays part of
    an ordinary piece: it must be tokenised as letters, or a user could end a turn by typing its end token.
    """
    plain = render(template, messages)
    if not any(token in text for one in messages for text in (one.content, one.reasoning) for token in control_tokens):
        return plain, split_control(plain, control_tokens)
    pattern = _control_pattern(tuple(control_tokens))
    written = "".join(message.content + message.reasoning for message in messages)
    mark = next(chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in written)
    hidden: list[str] = []

    def hide(match: re.Match[str]) -> str:
        hidden.append(match.group())
        return f"{mark}{len(hidden) - 1}{mark}"

    def show(text: str) -> str:
        return re.sub(f"{mark}(\\d+){mark}", lambda match: hidden[int(match.group(1))], text)

    masked = [
        Message(message.role, pattern.sub(hide, message.content), pattern.sub(hide, message.reasoning))
        for message in messages
    ]
    pieces = [(show(text), control) for text, control in split_control(render(template, masked), control_tokens)]
    return "".join(text for text, _ in pieces), pieces


def split_bos(
    pieces: Sequence[tuple[str, bool]], bos: str | None, *, adds_bos: bool
) -> tuple[bool, list[tuple[str, bool]]]:
    """Whether the prompt begins with a BOS token, and its pieces without one.

    A template may write BOS as text while the tokenizer adds its own: taking it off and putting one id back gives the
    model exactly one, where it should have one, in every turn.
    """
    if bos and pieces and pieces[0] == (bos, True):
        return True, list(pieces[1:])
    return adds_bos and bool(bos), list(pieces)


def after(pieces: Sequence[tuple[str, bool]], characters: int) -> list[tuple[str, bool]]:
    """The pieces of a text without its first characters; what is left of a control token is text."""
    rest: list[tuple[str, bool]] = []
    for text, control in pieces:
        if characters >= len(text):
            characters -= len(text)
            continue
        rest.append((text[characters:], control and characters == 0))
        characters = 0
    return rest


def leading(ids: Sequence[int], number: int) -> int:
    """How many of the first ids are this one."""
    return next((at for at, one in enumerate(ids) if one != number), len(ids))


@lru_cache(maxsize=16)
def _control_pattern(control_tokens: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("(" + "|".join(re.escape(token) for token in sorted(control_tokens, key=len, reverse=True)) + ")")


def _render(template: Template, messages: Sequence[Message], *, reasoning_field: bool = False) -> str:
    return _compile(template.source).render(
        messages=[_plain(message, parts=template.parts, reasoning_field=reasoning_field) for message in messages],
        add_generation_prompt=True,
        bos_token=template.bos,
        eos_token=template.eos,
        tools=None,
        documents=None,
    )


def _plain(message: Message, *, parts: bool, reasoning_field: bool) -> dict[str, Any]:
    """A message as templates take it: reasoning in a field of its own, or in front of the content."""
    thought = message.reasoning and not reasoning_field
    text = f"<think>\n{message.reasoning}\n</think>\n\n{message.content}" if thought else message.content
    plain: dict[str, Any] = {"role": message.role, "content": [{"type": "text", "text": text}] if parts else text}
    return plain | ({"reasoning_content": message.reasoning} if message.reasoning and reasoning_field else {})


class _Generation(jinja2.ext.Extension):
    """``{% generation %}``: marks what an assistant says, for training; here the block is just its content."""

    tags: set[str] = {"generation"}  # noqa: RUF012 - jinja2 declares it so

    def parse(self, parser: jinja2.parser.Parser) -> list[jinja2.nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


@lru_cache(maxsize=16)
def _compile(source: str) -> jinja2.Template:
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols, _Generation]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _raise
    environment.globals["strftime_now"] = PINNED_DATE.strftime
    return environment.from_string(source)


def _raise(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)


def _to_json(value: Any, indent: int | None = None, **options: Any) -> str:  # noqa: ANN401 - a template passes anything
    allowed: dict[str, Callable[[Any], Any] | bool | None] = {
        "ensure_ascii": options.get("ensure_ascii", False),
        "sort_keys": options.get("sort_keys", False),
    }
    return json.dumps(value, indent=indent, **allowed)  # type: ignore[arg-type]
