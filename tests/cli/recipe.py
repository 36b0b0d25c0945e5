"""Commands that stand on a page, given one after the other as a shell would: variables, ``$(...)``, and ``> FILE``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from string import Template
from typing import Final

Cli = Callable[..., tuple[int, str, str]]

_SET: Final = re.compile(r"([A-Z_]+)=(.*)")
_FENCED: Final = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def lines_of(page: str) -> list[str]:
    """All lines of its ``sh`` blocks that do something."""
    lines = [line.strip() for block in _FENCED.findall(page) for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


class Recipe:
    """Gives commands; ``given`` are variables that have another value here than on the page."""

    def __init__(self, cli: Cli, given: Mapping[str, str]) -> None:
        self._cli: Final = cli
        self._given: Final = given
        self._variables: Final[dict[str, str]] = {}

    def give(self, line: str) -> tuple[str, str]:
        """What the command wrote to standard output and to standard error; it must end well."""
        found = _SET.fullmatch(line)
        if found is None:
            return self._command(line)
        name, value = found.groups()
        if value.startswith("$("):
            self._variables[name] = self._command(value[2:-1])[0].strip()
        else:
            self._variables[name] = self._given.get(name, value)
        return "", ""

    def _command(self, line: str) -> tuple[str, str]:
        words = shlex.split(Template(line).substitute(self._variables), comments=True)
        assert words[0] == "multiturn", f"{line}: only multiturn is given here"
        into = Path(words.pop()) if words[-2:-1] == [">"] else None
        if into is not None:
            words.pop()
        code, out, err = self._cli(*words[1:])
        assert code == 0, f"{line}: {err}{out}"
        if into is not None:
            into.write_text(out, encoding="utf-8")
        return out, err
