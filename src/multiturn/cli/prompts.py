"""What ``--system`` gives, a file or a text; and what tells two arms with two system prompts apart on the screen."""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from multiturn.errors import NotFound, UsageError
from multiturn.text.measure import is_blank

if TYPE_CHECKING:
    from multiturn.conditions import Arm

_FILE_END: Final = re.compile(r"\.(txt|text|md|markdown|j2|jinja|jinja2|prompt)$", re.IGNORECASE)
"""How files of prompts are called: what ends so is a file's name, also with spaces in it."""
_ANY_END: Final = re.compile(r"[^.\s]\.[A-Za-z]\w{0,9}$")
_WORDS: Final = 24
"""Characters of a prompt that are shown to tell it apart."""
_AS_TEXT: Final = "check the name; if it is the prompt itself, write it with a space at its end"


class Prompt(NamedTuple):
    """A system prompt as it was asked for; ``text`` is None for the conversations' own, ``file`` None for a text."""

    text: str | None = None
    file: str | None = None


def prompt_of(given: str | None, flag: str) -> Prompt:
    r"""The system prompt that a flag gives.

    Args:
        given: What was typed. The name of a file that is there is read (UTF-8; a byte order mark and one line end at
            the end are dropped, ``\r\n`` is one line end). What only looks like a file's name is refused. Anything
            else is the prompt; an empty text is no system prompt, not even the conversations' own.
        flag: The flag, for messages.

    Raises:
        UsageError: It looks like a file and is none, or the file can't be read, is no UTF-8 text, or is empty.
    """
    if given is None or not given or "\n" in given or "\r" in given:
        return Prompt(given)
    path = Path(given)
    try:
        there, folder = path.exists(), path.is_dir()
    except (OSError, ValueError):  # a text can be too long for a name, or hold what no name can
        there = folder = False
    if folder:
        raise UsageError(f"{flag} {given} is a folder", hint=f"name a file in it; {_AS_TEXT}")
    if there:
        return Prompt(_read(path, flag), given)
    if looks_like_a_file(given):
        raise NotFound(f"{flag}: there is no file {given}", hint=_AS_TEXT)
    return Prompt(given)


def looks_like_a_file(given: str) -> bool:
    """Whether one line is a file's name: it ends like one, or has no space and a slash or some suffix."""
    if _FILE_END.search(given):
        return True
    return not re.search(r"\s", given) and ("/" in given or "\\" in given or _ANY_END.search(given) is not None)


def _read(path: Path, flag: str) -> str:
    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").removesuffix("\n")
    except OSError as error:
        raise UsageError(f"{flag}: {path} can't be read: {error.strerror}", hint="check the file's rights") from None
    except UnicodeDecodeError:
        raise UsageError(f"{flag}: {path} is no UTF-8 text", hint="save it as UTF-8") from None
    if is_blank(text):
        raise UsageError(f"{flag}: {path} is empty", hint=f"to ask for no system prompt at all: {flag} ''")
    return text


def marks(arms: tuple[Arm, Arm], prompts: tuple[Prompt, Prompt]) -> tuple[str, str]:
    """What is added to each arm's spec where it is shown: nothing where both have one system prompt, else which.

    ``" [terse.txt]"``, ``" ['Be terse.']"``, ``" [own prompts]"`` (the conversations') or ``" [no prompt]"``.
    """
    base, tuned = arms
    if base.system == tuned.system:
        return "", ""
    names = [Path(prompt.file).name if prompt.file is not None else None for prompt in prompts]
    if names[0] == names[1]:
        names = [prompt.file for prompt in prompts]
    first = names[0] or _words(base.system, tuned.system or "")
    second = names[1] or _words(tuned.system, base.system or "")
    return (f" [{first}]", f" [{second}]") if first != second else (" [base's prompt]", " [tuned's prompt]")


def ends(text: str) -> str:
    """A prompt in a line: whole where it is short, else how it begins and ends."""
    line = " ".join(text.split())
    return f"'{line if len(line) <= 2 * _WORDS else f'{line[:_WORDS]}...{line[-_WORDS:]}'}'"


def _words(text: str | None, other: str) -> str:
    """The first words of a prompt that the other has not."""
    if not text:
        return "own prompts" if text is None else "no prompt"
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(text, other, strict=False)))
    start = max(text.rfind(" ", 0, same + 1), text.rfind("\n", 0, same + 1)) + 1 if same < len(text) else 0
    left = " ".join(text[start:].split())
    cut = left if len(left) <= _WORDS else f"{left[:_WORDS].rstrip()}..."
    return f"'{'...' if start else ''}{cut}'"
