"""Kinds of someone's own: which may be loaded, what they say of themselves, and how they are asked.

A suite is data: reading one must not run what it names. So a kind is loaded only through one of two doors: a package
that is installed names it in the entry-point group ``multiturn.checks``, or the user allows the package that
``package.module:Name`` lies in. What it does when it is asked may go wrong in any way, and loses no run and no report.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib.metadata
import os
import re
from collections.abc import Callable
from typing import ClassVar, Final

import msgspec

from multiturn.checks.base import Bad, Kind, Look, inapplicable
from multiturn.conversation import require
from multiturn.finding import CheckResult
from multiturn.protocols import Check

GROUP: Final = "multiturn.checks"
ALLOWED_BY: Final = "MULTITURN_CHECKS"
"""The environment variable that names, with commas between, the packages whose kinds may be loaded."""

_PLACE: Final = re.compile(r"([A-Za-z_][\w.]*):[A-Za-z_]\w*")
_SHOWN: Final = 200
_allowed: Final[set[str]] = set()


def allow_checks(*packages: str) -> None:
    """Let suites name kinds in these packages or modules, for as long as the process runs.

    Args:
        packages: ``my_package`` for all that lies in it, or ``my_package.module``.

    Raises:
        ValueError: one is no name of a package.
    """
    for package in packages:
        require(all(map(str.isidentifier, package.split("."))), f"{package!r} is no name of a package")
    _allowed.update(packages)


def own_class(name: str, known: tuple[str, ...], more: str) -> type[Check]:
    """The class behind the name of a kind that is not ours.

    Args:
        name: as the suite has it: of an entry point, or ``package.module:Name``.
        known: the names of ours, to suggest one that is near.
        more: what is said where none is.

    Raises:
        ValueError: it is none, may not be loaded, or can't be.
    """
    place = _PLACE.fullmatch(name)
    if place is None:
        points = {point.name: point for point in importlib.metadata.entry_points(group=GROUP)}
        if name not in points:
            near = difflib.get_close_matches(name, (*known, *points), n=1)
            raise ValueError(f"kind {name!r} is none; " + (f"did you mean {near[0]!r}?" if near else more))
        return _loaded(points[name])
    if not _may_load(place[1]):
        package = place[1].partition(".")[0]
        raise ValueError(
            f"kind {name!r} would run code of {package!r}, which is not allowed; where you trust it, set "
            f"{ALLOWED_BY}={package}, or call multiturn.api.allow_checks({package!r})"
        )
    return _loaded(importlib.metadata.EntryPoint(name, name, GROUP))


def _may_load(module: str) -> bool:
    named = {package.strip() for package in os.environ.get(ALLOWED_BY, "").split(",")} | _allowed
    return any(f"{module}.".startswith(f"{package}.") for package in named if package)


def _loaded(point: importlib.metadata.EntryPoint) -> type[Check]:
    try:
        found = point.load()
    except ModuleNotFoundError as error:
        raise ValueError(f"kind {point.name!r} can't be loaded: {error}; install it, or set PYTHONPATH") from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - importing runs someone else's code
        raise ValueError(f"kind {point.name!r} can't be loaded: {_in_words(error)}") from None
    fault = ""
    if not isinstance(found, type):
        fault = "no class"
    elif not issubclass(found, Callable):  # type: ignore[arg-type]  # the ABC, which looks for __call__
        fault = "a class without __call__(so_far, turn)"
    elif not (dataclasses.is_dataclass(found) or issubclass(found, msgspec.Struct)):
        fault = "neither a msgspec.Struct nor a dataclass"
    if fault:
        raise ValueError(f"kind {point.name!r} is {fault}")
    kind: type[Check] = found
    return kind


class Common(msgspec.Struct, frozen=True):
    """What every check may have and a class need not know of: the reader takes it out of the JSON."""

    why: str = ""
    bad: tuple[Bad, ...] = ()


class Said(msgspec.Struct, frozen=True):
    """What a check says of itself. See ``base.Kind``, which has the same."""

    wants: str
    positive: bool = True
    phrases: tuple[str, ...] = ()
    longest_back: int = 0


class Own(Kind, frozen=True):
    """A check of someone's own, with what the reader took out and what it said of itself when it was made."""

    check: Check
    said: Said

    guarded: ClassVar[bool] = False

    @property
    def positive(self) -> bool:
        """As it said."""
        return self.said.positive

    def wants(self) -> str:
        """As it said."""
        return self.said.wants

    def phrases(self) -> tuple[str, ...]:
        """As it said."""
        return self.said.phrases

    def longest_back(self) -> int:
        """As it said."""
        return self.said.longest_back

    def decide(self, look: Look) -> CheckResult:
        """What it says of a reply that is there; not applicable, with the reason, where it breaks."""
        try:
            return _sound(self.check(look.so_far, look.turn), look.reply)
        except Exception as error:  # noqa: BLE001 - someone else's code must lose neither a run nor a report
            return inapplicable(f"the check broke: {_in_words(error)}")


def with_common(name: str, check: Check, common: Common) -> Own:
    """A check of someone's own, ready to be asked.

    Raises:
        ValueError: what it says of itself is nothing that it could say.
    """
    try:
        said = {
            "wants": _method(check, "wants", name),
            "positive": getattr(check, "positive", True),
            "phrases": _method(check, "phrases", ()),
            "longest_back": _method(check, "longest_back", 0),
        }
        told = msgspec.convert(said, Said, strict=True)
    except Exception as error:  # noqa: BLE001 - someone else's code
        raise ValueError(f"kind {name!r} can't say what it looks for: {_in_words(error)}") from None
    return Own(check=check, said=told, why=common.why, bad=common.bad)


def _method(check: Check, name: str, otherwise: object) -> object:
    """What a method gives that the class may have; a field of that name is another thing."""
    found = getattr(check, name, None)
    return found() if callable(found) else otherwise


def _sound(given: object, reply: str) -> CheckResult:
    """The answer, if it is one: reports trust its outcome, its reason and its span."""
    if not isinstance(given, CheckResult):
        raise TypeError(f"it gave {given!r}, no CheckResult")
    found = msgspec.convert(msgspec.to_builtins(given), CheckResult, strict=True)
    if found.span is not None:
        there = reply[found.span.start : found.span.end]
        require(there == found.span.text, f"its span {found.span.text!r} is not what stands there, {there!r}")
    return found


def _in_words(error: BaseException) -> str:
    told = f"{type(error).__name__}: {error}"
    return told if len(told) <= _SHOWN else f"{told[:_SHOWN]}..."
