"""Kinds that look at a reply's form: code_block, table, list, no_markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from multiturn.checks.base import Kind, Look, failed, passed
from multiturn.checks.bounds import Bounds, counted
from multiturn.checks.counting import items_of
from multiturn.checks.markup import MarkKind, marks_in
from multiturn.checks.matching import Variants, as_variants, listed
from multiturn.checks.part import Part, Range
from multiturn.checks.scope import After, Scope
from multiturn.checks.structure import CodeBlock, Table, code_blocks, tables
from multiturn.checks.words import Phrases, require_variants
from multiturn.conversation import require
from multiturn.finding import CheckResult, Span

_SAME_LANGUAGE: Final = (
    ("python", "py", "python3"),
    ("javascript", "js", "node", "jsx"),
    ("typescript", "ts", "tsx"),
    ("bash", "sh", "shell", "zsh", "console"),
    ("c++", "cpp", "cc"),
    ("c#", "csharp", "cs"),
    ("yaml", "yml"),
    ("markdown", "md"),
    ("html", "htm"),
    ("rust", "rs"),
    ("ruby", "rb"),
    ("kotlin", "kt"),
    ("go", "golang"),
    ("text", "txt", "plain", "plaintext"),
    ("sql", "postgresql", "mysql", "sqlite"),
)
_CANONICAL: Final = {name: names[0] for names in _SAME_LANGUAGE for name in names}
_SHOWN: Final = 60


def _require_scope(scope: Scope, *names: str) -> None:
    """Raise ValueError for a scope that leaves out what the kind looks for."""
    fine = isinstance(scope, After) or scope in names
    require(fine, f"scope must be {', '.join(names)} or after a label: {scope!r} leaves out what is looked for")


class HasCodeBlock(Kind, frozen=True, tag="code_block"):
    """Has a fenced code block, marked as ``language``, in which each entry of ``says`` stands."""

    language: str = ""
    says: tuple[str | Phrases, ...] = ()

    def __post_init__(self) -> None:
        _require_scope(self.scope, "reply")
        require(len(self.language.split()) <= 1, "language must be one word, as a fence names it: python")
        require_variants(self.says, "says")

    def wants(self) -> str:
        """The block, in words."""
        language = f" in {self.language}" if self.language else ""
        says = " and ".join(listed(as_variants(variants)) for variants in self.says)
        return f"has a code block{language}" + (f" that says {says}" if says else "")

    def phrases(self) -> Phrases:
        """Those that must stand in it."""
        return tuple(phrase for variants in self.says for phrase in as_variants(variants))

    def decide(self, look: Look) -> CheckResult:
        """The span is the first line of the block, or of the one that comes nearest."""
        text = look.part.text
        blocks = [block for block in code_blocks(text) if text[block.start : block.end].strip()]
        if not blocks:
            return failed("has no fenced code block")
        named = [block for block in blocks if not self.language or _is_same(block.language, self.language)]
        if not named:
            languages = listed(tuple(dict.fromkeys(block.language or "no language" for block in blocks)))
            return failed(
                f"its code is marked as {languages}, not {self.language!r}", _first_line(look.part, blocks[0])
            )
        missing = [self._missing(text, block) for block in named]
        best = min(range(len(named)), key=lambda index: len(missing[index]))
        span = _first_line(look.part, named[best])
        if missing[best]:
            return failed(f"the code does not say {listed(as_variants(missing[best][0]))}", span)
        return passed(self.wants(), span)

    def _missing(self, text: str, block: CodeBlock) -> list[str | Phrases]:
        part = Part(text, ((block.start, block.end),))
        return [variants for variants in self.says if Variants(as_variants(variants)).find(part) is None]


class HasTable(Kind, frozen=True, tag="table"):
    """Has a markdown table with so many columns and rows, the header not counted, and these words in its header."""

    columns: Bounds | None = None
    rows: Bounds | None = None
    header: tuple[str | Phrases, ...] = ()

    def __post_init__(self) -> None:
        _require_scope(self.scope, "reply", "artefact")
        require_variants(self.header, "header")

    @property
    def needs_end(self) -> bool:
        """What was cut off may have been a row."""
        return self.rows is not None and self.rows.most is not None

    def wants(self) -> str:
        """The table, in words."""
        parts = [] if self.columns is None else [self.columns.told("columns")]
        parts += [] if self.rows is None else [self.rows.told("rows")]
        parts += [listed(as_variants(variants)) for variants in self.header]
        return "has a table" + (f" with {' and '.join(parts)}" if parts else "")

    def phrases(self) -> Phrases:
        """Those of the header."""
        return tuple(phrase for variants in self.header for phrase in as_variants(variants))

    def decide(self, look: Look) -> CheckResult:
        """The span is the header, or the first row too many; of several tables the first one that fits decides."""
        text = look.part.text
        found = tables(text)
        if not found:
            return failed("has no markdown table")
        faults = [self._fault(look.part, text, table) for table in found]
        fitting = next((table for table, fault in zip(found, faults, strict=True) if fault is None), None)
        if fitting is not None:
            return passed(self.wants(), look.part.span(fitting.header.start, fitting.header.end))
        return faults[0] or failed("has no markdown table")

    def _fault(self, part: Part, text: str, table: Table) -> CheckResult | None:
        header = part.span(table.header.start, table.header.end)
        if self.columns is not None and not self.columns.fits(table.columns):
            told = self.columns.told("columns")
            return failed(f"the table has {counted(table.columns, 'columns')}, not {told}", header)
        rows = len(table.rows)
        if self.rows is not None and not self.rows.fits(rows):
            most = self.rows.most
            surplus = table.rows[most] if most is not None and rows > most else None
            span = part.span(surplus.start, surplus.end) if surplus else header
            return failed(f"the table has {counted(rows, 'rows')}, not {self.rows.told('rows')}", span)
        head = Part(text, ((table.header.start, table.header.end),))
        for variants in self.header:
            if Variants(as_variants(variants)).find(head) is None:
                return failed(f"the table's header does not say {listed(as_variants(variants))}", header)
        return None


class HasList(Kind, frozen=True, tag="list"):
    """Has a list of so many items, numbered or not; nested items are not counted, several lists count as one."""

    items: Bounds | None = None
    ordered: bool | None = None

    def __post_init__(self) -> None:
        _require_scope(self.scope, "reply", "artefact", "prose")
        require(self.items is None or self.items.most != 0, "items: a list without items; say that with not")

    @property
    def needs_end(self) -> bool:
        """What was cut off may have been an item."""
        return self.items is not None and self.items.most is not None

    def wants(self) -> str:
        """The list, in words."""
        return f"has a {self._sort}list" + (f" of {self.items.told('items')}" if self.items else "")

    @property
    def _sort(self) -> str:
        return "" if self.ordered is None else "numbered " if self.ordered else "bulleted "

    def decide(self, look: Look) -> CheckResult:
        """The span is the first item, or the first one too many."""
        text = look.part.text
        found: Sequence[Range] = items_of(text, ordered=self.ordered)
        if not found:
            other = items_of(text, ordered=None)
            span = _first_of(look.part, other[0]) if other else None
            return failed(f"has no {self._sort}list", span)
        if self.items is None or self.items.fits(len(found)):
            return passed(self.wants(), _first_of(look.part, found[0]))
        most = self.items.most
        surplus = found[most] if most is not None and len(found) > most else None
        told = f"its {self._sort}list has {counted(len(found), 'items')}, not {self.items.told('items')}"
        return failed(told, _first_of(look.part, surplus) if surplus else None)


class NoMarkdown(Kind, frozen=True, tag="no_markdown"):
    """Has no marks of markdown, but for what ``allow`` names."""

    allow: tuple[MarkKind, ...] = ()

    positive: ClassVar[bool] = False

    def wants(self) -> str:
        """That it has none."""
        return "has no markdown" + (f" but {' and '.join(self.allow)}" if self.allow else "")

    def decide(self, look: Look) -> CheckResult:
        """The span is the first mark, with what it marks."""
        for mark in marks_in(look.part.text):
            if mark.kind not in self.allow:
                span = _first_of(look.part, (mark.start, mark.end))
                return failed(f"has markdown: {mark.kind}", span)
        return passed(self.wants())


def _is_same(language: str, asked: str) -> bool:
    asked = asked.lower()
    return _CANONICAL.get(language, language) == _CANONICAL.get(asked, asked)


def _first_line(part: Part, block: CodeBlock) -> Span:
    text = part.text[block.start : block.end]
    start = block.start + len(text) - len(text.lstrip())
    return _first_of(part, (start, block.end))


def _first_of(part: Part, place: Range) -> Span:
    """What stands there, of long things the beginning: not over the line's end, and not over some words."""
    shown = part.text[place[0] : min(place[1], place[0] + _SHOWN)].split("\n", 1)[0].rstrip()
    return part.span(place[0], place[0] + len(shown))
