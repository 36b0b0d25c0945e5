"""A session's prompts as text and token ids: what was generated stays the ids that were generated."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from multiturn.conversation import Message
from multiturn.engines import chat_template
from multiturn.engines.chat_template import Template
from multiturn.engines.hf_tokens import Tokens
from multiturn.transcript import Flag


class Built(msgspec.Struct, frozen=True):
    """A prompt as text and as token ids, for the messages it was built from."""

    messages: tuple[Message, ...]
    text: str
    ids: list[int]
    flags: tuple[Flag, ...]


class Known(msgspec.Struct, frozen=True):
    """What a session was last sent and what came back; ``reply_ids`` is None where they say more than ``reply``."""

    prompt: str = ""
    prompt_ids: list[int] = []
    reply: str = ""
    reply_ids: list[int] | None = None


def build(template: Template, tokens: Tokens, known: Known, messages: tuple[Message, ...]) -> Built:
    """The next prompt of a session.

    Raises:
        ReplyFailed: the template refuses these messages.
    """
    text, pieces = chat_template.render_pieces(template, messages, tuple(tokens.control))
    kept, ids, rest = _kept(known, text)
    text = kept + rest
    pieces = chat_template.after(pieces, sum(len(piece) for piece, _ in pieces) - len(rest))
    starts = not ids
    if starts:
        begins, pieces = chat_template.split_bos(pieces, tokens.bos, adds_bos=tokens.adds_bos)
        written = text.startswith(tokens.bos or "") and begins
        ids = [tokens.bos_id] if begins and tokens.bos_id is not None else []
        starts = not (begins and written)
    spelled = any(control in one.content + one.reasoning for one in messages for control in tokens.control)
    ids = ids + tokens.encode(pieces, starts=starts, spelled=spelled)
    return Built(messages=messages, text=text, ids=ids, flags=_flags(template, known, messages, kept))


def _kept(known: Known, text: str) -> tuple[str, list[int], str]:
    """How the prompt begins with what this session holds as ids: that text, those ids, and the rest of the prompt.

    A template may strip a reply of blanks that were generated; what was generated is what goes on.
    """
    if not known.prompt or not text.startswith(known.prompt):
        return "", [], text
    after = text.removeprefix(known.prompt)
    if known.reply_ids is not None:
        blanks = len(after) - len(after.lstrip())
        for reply, start in ((known.reply, 0), (known.reply.strip(), blanks)):
            if after.startswith(reply, start):
                whole = known.prompt + known.reply
                return whole, known.prompt_ids + known.reply_ids, after[start + len(reply) :]
    return known.prompt, list(known.prompt_ids), after


def _flags(template: Template, known: Known, messages: Sequence[Message], kept: str) -> tuple[Flag, ...]:
    flags: list[Flag] = []
    if template.system == "folded" and messages[0].role == "system":
        flags.append("system_folded")
    if template.fallback:
        flags.append("fallback_template")
    if known.prompt and len(kept) < len(known.prompt) + len(known.reply):
        flags.append("reencoded")
    return tuple(flags)
