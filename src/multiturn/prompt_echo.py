"""Imported replies that begin with their own prompt: finding where the prompt ends. Pure.

A script that decodes all of what ``generate`` returns gets prompt and reply as one text, sends that text on as history,
and so the next prompt holds the last one twice. The prompt is found again by what it must be made of: every user's
text up to this turn, in order, with the texts of the replies between them, whatever labels or control tokens a template
put around them. White space is not compared, since decoding changes it.

One reply alone proves little: a model may repeat the question, or be asked to recite the conversation. But a script
does it every time. So a reply is cut only where that is the rule: in the whole arm, or all through a conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final

import msgspec

_CONTROL: Final = (
    r"(?:<[|｜][^<>|｜\n]{1,40}[|｜]>|</?s>|<(?:bos|eos|pad|unk)>|<(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>)"  # noqa: RUF001 - some models write their tokens with wide bars
)
"""How control tokens look where they were decoded as text."""
_USERS: Final = r"(?:user|human|instruction|instruct|question|input|you|q)"
_MODELS: Final = r"(?:assistant|ai|bot|model|gpt|response|answer|output|a)"
_USER_LABEL: Final = re.compile(
    rf"(?:(?:\A|\s|{_CONTROL})(?:\*\*|#+[ \t]*)?{_USERS}(?:\*\*)?:(?:\*\*)?"  # User:
    rf"|(?:\A|\n|{_CONTROL})[ \t]*{_USERS}[ \t]*(?:\n|{_CONTROL})"  # user, alone on a line or between control tokens
    rf"|{_CONTROL})\s*\Z",
    re.IGNORECASE,
)
_AT_THE_END: Final = re.compile(rf"(?:\s*{_CONTROL})+\s*\Z", re.IGNORECASE)
_PIPED: Final = re.compile(r"<[|｜][^<>|｜\n]{1,40}[|｜]>")  # noqa: RUF001 - as above
_CONTROLS: Final = re.compile(rf"(?:\s*{_CONTROL})*", re.IGNORECASE)
_MODEL_LABEL: Final = re.compile(
    rf"\s*(?:(?:\*\*|#+[ \t]*)?{_MODELS}(?:\*\*)?:(?:\*\*)?"
    rf"|(?:assistant|model|bot)[ \t]*(?:\n|\Z|(?={_CONTROL})))(?:\s*{_CONTROL})*",
    re.IGNORECASE,
)
_GLUED_MODEL: Final = re.compile(rf"(?:assistant|model)[ \t]*(?:\n|\Z|(?={_CONTROL}))")
_GLUED_USER: Final = re.compile(r"user[ \t]*\n\s*\Z")
"""Role words right behind a text, where the control tokens between them were left out (Llama 3)."""
_LONGEST_LABEL: Final = 60
"""Characters between a user's text and a reply, or the other way round, at most: labels and control tokens."""
_MOST_LEADS: Final = 20
_LEAST_TAIL: Final = 20
"""Characters of the reply before that a prompt which lost its beginning must still hold."""
_ENOUGH: Final = 3
_NEARLY_ALL: Final = 0.9


class Exchange(msgspec.Struct, frozen=True):
    """What a user said and what stands in the file as the reply to it; None where there is none."""

    user: str
    reply: str | None


class Echo(msgspec.Struct, frozen=True):
    """The first ``end`` characters of a reply are its prompt; ``whole`` where the prompt still has its beginning.

    ``sure``: no reply of a model's own begins like this, unless it was asked to recite the conversation. ``lead`` is
    what stands before the first user's text, without white space; ``label`` is how the user's side is marked there
    (``User:``), "" where that is no word with a colon.
    """

    end: int
    sure: bool
    whole: bool = True
    lead: str = ""
    label: str = ""


def echoes(conversations: Sequence[Sequence[Exchange]], systems: Sequence[str] = ()) -> list[list[Echo | None]]:
    """Where each reply of an arm seems to begin with its own prompt, turn by turn; None where it does not.

    Args:
        conversations: all of the arm's.
        systems: texts of system prompts that may stand before the first user's text.
    """
    leads = {"", *map(_squeezed, systems)}
    found = [_of_conversation(exchanges, leads) for exchanges in conversations]
    learnt = {echo.lead for row in found for echo in row if echo is not None and echo.sure} - leads
    return [_of_conversation(exchanges, leads | learnt) for exchanges in conversations] if learnt else found


def to_cut(conversations: Sequence[Sequence[Exchange]], found: Sequence[Sequence[Echo | None]]) -> list[bool]:
    """Of which conversations the echoes are the script's doing, and so to be cut.

    All of them where at least half of the later replies (of all, where there are no later ones) surely begin with their
    prompt, and three or more do; or where nearly all begin with at least the last user's text. Else those conversations
    of several replies in which every reply begins with its prompt.
    """
    rows = [_replied(exchanges, hits) for exchanges, hits in zip(conversations, found, strict=True)]
    every = [echo for row in rows for echo in row]
    later = [echo for row in rows for echo in row[1:]] or every
    surely = sum(echo is not None and echo.sure for echo in later)
    hits = sum(echo is not None for echo in every)
    if (surely >= _ENOUGH and 2 * surely >= len(later)) or (hits >= _ENOUGH and hits >= _NEARLY_ALL * len(every)):
        return [True] * len(rows)
    return [len(row) > 1 and None not in row and any(echo is not None and echo.sure for echo in row) for row in rows]


def still_holding(
    conversations: Sequence[Sequence[Exchange]], found: Sequence[Sequence[Echo | None]], cut: Sequence[bool]
) -> int:
    """How many replies still hold all earlier users' texts, in order, though the prompts of their conversation are cut.

    Args:
        conversations: as :func:`echoes` takes them.
        found: what it found.
        cut: what :func:`to_cut` says.
    """
    held = 0
    for exchanges, row, chosen in zip(conversations, found, cut, strict=True):
        users: list[str] = []
        for exchange, echo in zip(exchanges, row, strict=True):
            left = _squeezed((exchange.reply or "")[echo.end if echo else 0 :])
            held += chosen and len("".join(users)) >= _LEAST_TAIL and _in_order(users, left)
            users.append(_squeezed(exchange.user))
    return held


def _in_order(parts: Sequence[str], text: str) -> bool:
    at = 0
    for part in parts:
        begins = text.find(part, at)
        if begins < 0:
            return False
        at = begins + len(part)
    return True


def without_end(text: str) -> str:
    """A reply without the control tokens that end it, where the script decoded them as text."""
    return text if "<s>" in text else _AT_THE_END.sub("", text)


def before_label(text: str, label: str) -> str:
    """A reply up to where the model goes on as the user, under the label that its prompt has for it."""
    found = re.search(rf"^[ \t]*{re.escape(label)}", text, re.MULTILINE) if label else None
    return text[: found.start()].rstrip() if found else text


def control_texts(text: str, prompt: str = "") -> tuple[str, ...]:
    """What must be control tokens in a reply: those written with bars, and those that stand in its echoed prompt."""
    return tuple(dict.fromkeys([*_PIPED.findall(text), *re.findall(_CONTROL, prompt)]))


def _replied(exchanges: Sequence[Exchange], found: Sequence[Echo | None]) -> list[Echo | None]:
    return [echo for exchange, echo in zip(exchanges, found, strict=True) if (exchange.reply or "").strip()]


def _of_conversation(exchanges: Sequence[Exchange], leads: AbstractSet[str]) -> list[Echo | None]:
    users: list[str] = []
    earlier: list[tuple[str, ...]] = []
    found: list[Echo | None] = []
    for exchange in exchanges:
        users.append(_squeezed(exchange.user))
        text = exchange.reply or ""
        echo = _find(users, earlier, text, leads)
        found.append(echo)
        said = (text, text[echo.end :]) if echo else (text,)
        earlier.append(tuple(filter(None, map(_squeezed, said))))
    return found


def _find(users: Sequence[str], earlier: Sequence[Sequence[str]], text: str, leads: AbstractSet[str]) -> Echo | None:
    """The echo of the whole conversation; of one that lost its beginning; or of the last user's text alone."""
    squeezed = _squeezed(text)
    if not users[-1] or users[-1] not in squeezed:
        return None
    whole = _aligned(users, earlier, text, leads)
    if whole is not None or len(users) == 1:
        return whole
    return _tail(users[-1], earlier[-1], text) or _aligned(users[-1:], (), text, leads)


def _aligned(users: Sequence[str], earlier: Sequence[Sequence[str]], text: str, leads: AbstractSet[str]) -> Echo | None:
    squeezed = _squeezed(text)
    for start in islice(_places(users[0], squeezed), _MOST_LEADS):
        label = _USER_LABEL.search(text[: _offset(text, start)][-2 * _LONGEST_LABEL :])
        labelled = label is not None
        at, close = start + len(users[0]), True
        for said, user in zip(earlier, users[1:], strict=True):
            at, near = _after(said, user, squeezed, at)
            close = close and near
            if at < 0:
                return None
        recited = len(users) > 1 and close
        if not (labelled or recited or squeezed[:start] in leads):
            continue
        end = _offset_after(text, at)
        glued = _GLUED_MODEL.match(text, end) is not None
        if text[end - 1].isalnum() and text[end : end + 1].isalnum() and not glued:
            continue  # "Hell" and "Hello"
        end, called = _after_labels(text, end, labelled=labelled or glued)
        return Echo(end, sure=len(users) > 1 or (labelled and called), lead=squeezed[:start], label=_worded(label))
    return None


def _worded(label: re.Match[str] | None) -> str:
    """``User:`` and its like, as they are written."""
    text = label.group().strip() if label else ""
    return text if text.endswith((":", ":**")) else ""


def _after(said: Sequence[str], user: str, squeezed: str, at: int) -> tuple[int, bool]:
    """Where the next user's text ends (-1: nowhere), and whether the reply before it was found in front of it."""
    for reply in sorted(said, key=len, reverse=True):
        begins = squeezed.find(reply, at, at + _LONGEST_LABEL + len(reply))
        follows = squeezed.find(user, begins + len(reply)) if begins >= 0 else -1
        if 0 <= follows <= begins + len(reply) + _LONGEST_LABEL:
            return follows + len(user), True
    follows = squeezed.find(user, at)
    return (follows + len(user), False) if follows >= 0 else (-1, False)


def _tail(user: str, said: Sequence[str], text: str) -> Echo | None:
    """A prompt whose beginning was cut off: it starts inside the reply before and goes on to the user's text."""
    for start in islice(_places(user, _squeezed(text)), _MOST_LEADS):
        before = text[: _offset(text, start)]
        begins = [_squeezed(label.sub("", before)) for label in (_USER_LABEL, _GLUED_USER)]
        if any(len(begin) >= _LEAST_TAIL and reply.endswith(begin) for begin in begins for reply in said):
            end, _ = _after_labels(text, _offset_after(text, start + len(user)), labelled=True)
            return Echo(end, sure=True, whole=False)
    return None


def _after_labels(text: str, at: int, *, labelled: bool) -> tuple[int, bool]:
    """Past the control tokens and, where the user's side had its label, the model's; and whether any was there."""
    controls = _CONTROLS.match(text, at)
    after = controls.end() if controls else at
    label = _MODEL_LABEL.match(text, after) if labelled else None
    ended = label.end() if label else after
    return ended, ended > at


def _places(part: str, squeezed: str) -> Iterator[int]:
    at = squeezed.find(part)
    while at >= 0:
        yield at
        at = squeezed.find(part, at + 1)


def _squeezed(text: str) -> str:
    """The text without its white space."""
    return "".join(text.split())


def _offset(text: str, count: int) -> int:
    """Where the character that follows the first ``count`` visible ones stands; the text's end where there is none."""
    for run in re.finditer(r"\S+", text):
        if count < len(run.group()):
            return run.start() + count
        count -= len(run.group())
    return len(text)


def _offset_after(text: str, count: int) -> int:
    """Where the first ``count`` visible characters end."""
    return _offset(text, count - 1) + 1
