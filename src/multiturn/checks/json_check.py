"""The kind ``json``: whether a reply gives valid JSON, of a certain shape."""

from __future__ import annotations

from typing import Any, Final

from multiturn.checks.base import Kind, Look, failed, passed
from multiturn.checks.json_schema import schema_fault, violation
from multiturn.checks.json_text import Broken, json_block, json_in, only_json
from multiturn.checks.part import Part, whole
from multiturn.checks.scope import Scope
from multiturn.conversation import require
from multiturn.finding import CheckResult, Span

_SHOWN: Final = 60


class IsJson(Kind, frozen=True, tag="json"):
    """Gives valid JSON, which fits the ``schema``, if there is one.

    With the scope ``artefact``, which is the default here, talk around the JSON is no fault; with ``reply`` it is.
    """

    scope: Scope = "artefact"
    schema: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        fault = schema_fault(self.schema) if self.schema is not None else ""
        require(not fault, fault)

    @property
    def needs_end(self) -> bool:
        """What was cut off may have broken it."""
        return True

    def is_whole(self, look: Look) -> bool:
        """A fence was closed behind it, and more than that may stand in the reply."""
        block = json_block(self._part(look).text)
        return self.scope != "reply" and block is not None and block.closed

    def wants(self) -> str:
        """That it is valid."""
        return "gives valid JSON" + (" that fits the schema" if self.schema is not None else "")

    def decide(self, look: Look) -> CheckResult:
        """The span is the JSON, or the rest of the line where it breaks."""
        part = self._part(look)
        text = part.text
        found = only_json(text) if self.scope == "reply" else json_in(text)
        if isinstance(found, Broken):
            return failed(f"gives no valid JSON: {found.fault}", _where(part, text, found))
        fault = violation(self.schema, found.value) if self.schema is not None else ""
        span = part.span(found.start, found.end)
        return failed(f"the JSON does not fit: {fault}", span) if fault else passed(self.wants(), span)

    def _part(self, look: Look) -> Part:
        """Where JSON is looked for: of ``artefact`` it knows more than the scope does."""
        return whole(look.reply) if self.scope == "artefact" else look.part


def _where(part: Part, text: str, broken: Broken) -> Span | None:
    """The rest of the line in which the JSON breaks; what stands before, where it ends there."""
    if broken.at is None:
        return None
    shown = text[broken.at : broken.at + _SHOWN].split("\n", 1)[0].rstrip()
    if shown:
        return part.span(broken.at, broken.at + len(shown))
    before = text[max(0, broken.at - _SHOWN) : broken.at].rstrip().rsplit("\n", 1)[-1]
    end = len(text[: broken.at].rstrip())
    return part.span(end - len(before), end) if before else None
