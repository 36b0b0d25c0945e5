"""A rubric in TOML becomes a Rubric, or one error with all that is wrong with it. Pure.

TOML's own faults have their line; for those of fields, Python's reader keeps no lines, and the field's path is told.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from typing import TYPE_CHECKING, Final, cast, get_args

import msgspec

from multiturn.errors import RubricError
from multiturn.rubric import (
    MAY_BE_EMPTY,
    PLACES,
    Described,
    Mode,
    Notes,
    Rubric,
    Scale,
    Wording,
    misfits,
    wording_faults,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HINT: Final = "mend the file; docs/judging.md shows the form of a rubric"
_FIELDS: Final = tuple(name for name in ("like", *Rubric.__struct_fields__) if name != "templates")
_OWN: Final = frozenset({"name", "version", "description", "like"})
"""What a rubric that is like another never takes from it."""

_TAKE: Final = 'write it, or take the words of a shipped rubric: like = "quality"'
_SHOWN: Final = 40


def parse_rubric(data: bytes, source: str, *, like: Callable[[str], Rubric], names: Sequence[str]) -> Rubric:
    """The rubric in these bytes.

    Args:
        data: TOML in UTF-8.
        source: what it is called in messages.
        like: gives the rubric of a name, from which this one takes what it does not say itself.
        names: those names.

    Raises:
        RubricError: with every fault, each as ``file: field: what is wrong``.
    """
    reader = _Reader(_table_of(data, source), like, names)
    rubric = reader.rubric()
    if rubric is None:
        raise RubricError(source, [f"{source}:{fault}" for fault in reader.faults], hint=HINT)
    return rubric


def _table_of(data: bytes, source: str) -> dict[str, object]:
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fault = f"line {line}: byte 0x{data[error.start]:02X} is not UTF-8; save the file as UTF-8"
    except tomllib.TOMLDecodeError as error:
        said = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", str(error), re.DOTALL)
        what = said[1] if said else str(error)
        place = f"line {said[2]}: column {said[3]}: " if said and said[2] else ""
        fault = f"{place} not TOML: {what[:1].lower()}{what[1:]}" + ("" if place else "; is the text cut off here?")
    except RecursionError:
        fault = " lists or tables are nested too deeply to be read"
    raise RubricError(source, [f"{source}:{fault}".replace(":  ", ": ")], hint=HINT)


class _Reader:
    """Reads one file field by field and goes on after a fault."""

    def __init__(self, table: dict[str, object], like: Callable[[str], Rubric], names: Sequence[str]) -> None:
        self.faults: list[str] = []
        self._table: Final = table
        self._like: Final = like
        self._names: Final = names

    def rubric(self) -> Rubric | None:
        """The rubric; None where there are faults."""
        self._known(self._table, _FIELDS, "")
        table = self._completed()
        if table is None:
            return None
        name = self._text(table, "name", needed='write name = "my_rubric"')
        version = self._text(table, "version", needed='write version = "1"')
        language = self._text(table, "language") or "en"
        description, measure = self._text(table, "description"), self._text(table, "measure")
        mode = self._mode(table)
        scale = self._scale(table) or (Scale() if mode == "rating" else None)
        criteria, labels = self._described(table, "criteria"), self._described(table, "labels")
        flagged = self._texts(table, "flagged")
        wording = self._wording(table)
        if mode and wording:
            self.faults += [f" {fault}" for fault in misfits(mode, wording)]
        if self.faults or mode is None:
            return None
        try:
            return Rubric(
                name=name,
                version=version,
                mode=mode,
                language=language,
                description=description,
                measure=measure,
                scale=scale,
                criteria=criteria,
                labels=labels,
                flagged=flagged,
                wording=wording,
            )
        except ValueError as error:
            self.faults.append(f" {error}")
            return None

    def _completed(self) -> dict[str, object] | None:
        """The table, with what it does not say taken from the rubric that it is like; None where there is none such."""
        name = self._text(self._table, "like")
        if not name:
            return self._table
        if name not in self._names:
            self._fault("like", f"no shipped rubric is called {name!r}; {_meant(name, self._names)}")
            return None
        base = self._like(name)
        if self._table.get("mode", base.mode) != base.mode:
            self._fault("mode", f"{name} is for mode {base.mode}, and a rubric that is like it is too; leave mode out")
        plain: dict[str, object] = msgspec.json.decode(msgspec.json.encode(base))
        taken = {key: value for key, value in plain.items() if key not in _OWN}
        return _merged(taken, self._table)

    def _mode(self, table: dict[str, object]) -> Mode | None:
        mode = self._text(table, "mode", needed='write mode = "rating", "preference" or "label"')
        if mode and mode not in get_args(Mode):
            self._fault("mode", f"must be rating, preference or label, not {_kind(mode)}")
            return None
        return cast("Mode", mode) if mode else None

    def _scale(self, table: dict[str, object]) -> Scale | None:
        raw = self._sub_table(table, "scale")
        self._known(raw, Scale.__struct_fields__, "scale")
        ends: dict[str, float] = {}
        for name in [name for name in Scale.__struct_fields__ if name in raw]:
            value = raw[name]
            if isinstance(value, bool) or not isinstance(value, int | float):
                self._fault(f"scale.{name}", f"must be a number, not {_kind(value)}")
            else:
                ends[name] = float(value)
        try:
            return Scale(**ends) if raw else None
        except ValueError as error:
            self._fault("scale", str(error))
            return None

    def _described(self, table: dict[str, object], field: str) -> tuple[Described, ...]:
        raw = table.get(field, [])
        if not isinstance(raw, list) or not all(isinstance(item, dict) for item in raw):
            self._fault(field, f"must be tables, each under [[{field}]], with name and text; not {_kind(raw)}")
            return ()
        found = []
        for index, item in enumerate(raw):
            path = f"{field}[{index}]"
            self._known(item, Described.__struct_fields__, path)
            name = self._text(item, "name", path, needed='write name = "one_word"')
            text = self._text(item, "text", path, needed='write text = "what it means"')
            if not name.strip() or not text.strip():
                continue
            try:
                found.append(Described(name=name, text=text))
            except ValueError as error:
                self._fault(path, str(error))
        return tuple(found)

    def _wording(self, table: dict[str, object]) -> Wording | None:
        if "wording" not in table:
            self._fault("wording", f"is missing; {_TAKE}")
            return None
        raw = self._sub_table(table, "wording")
        self._known(raw, Wording.__struct_fields__, "wording")
        notes = self._sub_table(raw, "notes", "wording")
        self._known(notes, Notes.__struct_fields__, "wording.notes")
        texts = {name: self._text(raw, name, "wording") for name in PLACES}
        said = {name: self._text(notes, name, "wording.notes") for name in Notes.__struct_fields__}
        lacking = [name for name in PLACES if name not in raw and name not in MAY_BE_EMPTY]
        lacking += [f"notes.{name}" for name in said if name not in notes]
        if lacking:
            self._fault("wording", f"{', '.join(lacking)}: missing; {_TAKE}")
        for name in [name for name in PLACES if isinstance(raw.get(name), str)]:
            self.faults += [f" wording.{name}: {fault}" for fault in wording_faults(name, texts[name])]
        self.faults += [f" wording.notes.{name}: is empty" for name in notes if not said.get(name, "-").strip()]
        return None if self.faults else Wording(**texts, notes=Notes(**said))

    def _text(self, table: dict[str, object], name: str, path: str = "", *, needed: str = "") -> str:
        """The text under this name; "" where there is none, or it is wrong, which is put down."""
        value = table.get(name, "")
        where = f"{path}.{name}" if path else name
        if not isinstance(value, str):
            self._fault(where, f'must be a text, not {_kind(value)}; write {name} = "..."')
            return ""
        if needed and not value.strip():
            self._fault(where, f"is {'empty' if name in table else 'missing'}; {needed}")
        return value

    def _texts(self, table: dict[str, object], name: str) -> tuple[str, ...]:
        value = table.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self._fault(name, f'must be a list of texts, not {_kind(value)}; write {name} = ["..."]')
            return ()
        return tuple(value)

    def _sub_table(self, table: dict[str, object], name: str, path: str = "") -> dict[str, object]:
        value = table.get(name, {})
        where = f"{path}.{name}" if path else name
        if not isinstance(value, dict):
            self._fault(where, f"must be a table, not {_kind(value)}; write [{where}] on a line of its own")
            return {}
        return value

    def _known(self, table: dict[str, object], known: Sequence[str], path: str) -> None:
        """Put down the names that are no fields here."""
        for name in [name for name in table if name not in known]:
            where = f"{path}.{name}" if path else name
            self._fault(where, f"is no field of {path or 'a rubric'}; {_meant(name, known)}")

    def _fault(self, path: str, text: str) -> None:
        self.faults.append(f" {path}: {text}")


def _meant(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"


def _merged(base: dict[str, object], over: dict[str, object]) -> dict[str, object]:
    """The first table with what the second says in its place; tables in it likewise, lists whole."""
    merged = dict(base)
    for name, value in over.items():
        there = base.get(name)
        merged[name] = _merged(there, value) if isinstance(there, dict) and isinstance(value, dict) else value
    return merged


def _kind(value: object) -> str:
    if isinstance(value, str):
        return f"the text {value if len(value) <= _SHOWN else value[: _SHOWN - 3] + '...'!r}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {value}"
    return "a list" if isinstance(value, list) else "a table" if isinstance(value, dict) else "a date"
