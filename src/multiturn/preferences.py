"""A file of preferences: JSON Lines -> votes, or every fault at once, each with its line.

::

    {"conversation": "c1", "turn": 2, "a": "model one", "b": "model two", "winner": "a", "by": "Ada"}

``winner`` is ``a``, ``b``, ``tie``, or null where the vote is missing. ``turn`` (from 1) and ``by`` may be left out;
fields of other names are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, get_args

import msgspec

from multiturn.errors import NotFound, UsageError
from multiturn.ranking import Preferred, Winner

WINNERS: Final = get_args(Winner)
LINE: Final = '{"conversation": "c1", "a": "model one", "b": "model two", "winner": "a"}'
HINT: Final = f'each line is like {LINE}; winner is "a", "b", "tie" or null, and "turn" and "by" may be added'
_UTF8_MARK: Final = b"\xef\xbb\xbf"
_SHOWN: Final = 60


def read_preferences(path: str | Path) -> tuple[Preferred, ...]:
    """The votes in a file.

    Raises:
        NotFound: there is no such file.
        UsageError: it can't be read, or has faults; all of them are told.
    """
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise NotFound(f"no file of preferences is called {str(path)!r}", hint="check its name and folder") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}", hint="name a file of JSON Lines") from None
    return parse_preferences(data, str(path))


def parse_preferences(data: bytes, source: str) -> tuple[Preferred, ...]:
    """The votes in these bytes; ``source`` is what messages call them.

    Raises:
        UsageError: with every fault, each as ``file:line 3: what is wrong``.
    """
    if b"\x00" in data:
        raise UsageError(f"{source}: zero bytes: the file is UTF-16, or no text at all", hint="save the file as UTF-8")
    votes: list[Preferred] = []
    faults: list[str] = []
    for number, line in enumerate(data.removeprefix(_UTF8_MARK).split(b"\n"), start=1):
        if not line.strip():
            continue
        found = _read(line)
        if isinstance(found, Preferred):
            votes.append(found)
        else:
            faults += [f"{source}:line {number}: {fault}" for fault in found]
    if not votes and not faults:
        faults.append(f"{source}: no preference is in it")
    if faults:
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        listed = "\n".join(f"  {fault}" for fault in faults)
        raise UsageError(f"{source}: {count}\n{listed}", hint=HINT)
    return tuple(votes)


def _read(line: bytes) -> Preferred | list[str]:
    """The vote of a line, or all that is wrong with it."""
    try:
        raw = msgspec.json.decode(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return [f"byte 0x{line[error.start]:02X} is not UTF-8; save the file as UTF-8"]
    except (msgspec.DecodeError, RecursionError) as error:
        return [f"this is no JSON: {error}"]
    if not isinstance(raw, dict):
        return [f"this is no object, but {_shown(raw)}"]
    faults = list(_faults(raw))
    if faults:
        return faults
    turn = raw.get("turn")
    return Preferred(
        conversation=raw["conversation"],
        a=raw["a"],
        b=raw["b"],
        winner=raw["winner"],
        turn=None if turn is None else turn - 1,
        by=raw.get("by") or "",
    )


def _faults(raw: dict[str, object]) -> Iterator[str]:
    for name in ("conversation", "a", "b"):
        if name not in raw:
            yield f"{name} is missing"
        elif not isinstance(raw[name], str) or not raw[name]:
            yield f"{name} must be text that is not empty, not {_shown(raw[name])}"
    if raw.get("a") == raw.get("b") and isinstance(raw.get("a"), str) and raw["a"]:
        yield f"a and b are both {_shown(raw['a'])}"
    if "winner" not in raw:
        yield "winner is missing (a missing vote is null)"
    elif raw["winner"] is not None and raw["winner"] not in WINNERS:
        yield f'winner must be "a", "b", "tie" or null, not {_shown(raw["winner"])}'
    turn = raw.get("turn")
    if turn is not None and (isinstance(turn, bool) or not isinstance(turn, int) or turn < 1):
        yield f"turn must be a whole number from 1, not {_shown(turn)}"
    if raw.get("by") is not None and not isinstance(raw["by"], str):
        yield f"by must be text, not {_shown(raw['by'])}"


def _shown(value: object) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
