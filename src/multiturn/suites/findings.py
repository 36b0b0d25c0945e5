"""What is found wrong in a suite file, and how its values are named in the message."""

from __future__ import annotations

from typing import Final

from multiturn.suites.places import Fault, Raw, Refused

SHOWN_LENGTH: Final = 40
"""Of what stands in a file, so many characters are repeated in a fault."""


class Findings:
    """The faults and notes of one file, in the order found."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.notes: list[Fault] = []


class Place:
    """A value's line and path, and where what is found there is put down."""

    def __init__(self, findings: Findings, line: int | None, path: str) -> None:
        self.findings = findings
        self.line = line
        self.path = path

    def at(self, name: str) -> Place:
        """The place of a named field of this value."""
        step = name if name.isidentifier() and len(name) <= SHOWN_LENGTH else f"[{shown(name)}]"
        glue = "." if self.path and not step.startswith("[") else ""
        return Place(self.findings, self.line, f"{self.path}{glue}{step}")

    def item(self, index: int) -> Place:
        """The place of an item of this list."""
        return Place(self.findings, self.line, f"{self.path}[{index}]")

    def fault(self, text: str) -> None:
        """Put down what is wrong here."""
        self.findings.faults.append(Fault(line=self.line, path=self.path, text=text))

    def note(self, text: str) -> None:
        """Put down what a reader should know of this place; no fault."""
        self.findings.notes.append(Fault(line=self.line, path=self.path, text=text))


def shown(value: str) -> str:
    """A text from the file, quoted and shortened, safe to print."""
    short = value if len(value) <= SHOWN_LENGTH else value[: SHOWN_LENGTH - 3] + "..."
    return repr(short)


def kind_of(value: object) -> str:
    """What a raw value is, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {str(value)[:SHOWN_LENGTH]}"
    if isinstance(value, str):
        return f"the text {shown(value)}"
    return "a list" if isinstance(value, list) else "an object"


def plain(value: object) -> object:
    """What stands in a file as plain JSON values; what was refused (and told) becomes null."""
    if isinstance(value, Raw):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return None if isinstance(value, Refused) else value
