"""Templates of the page: every value that is put into one is made harmless and escaped, wherever it stands.

Control and reordering characters are shown as their pictures or codes, as in a terminal (``text/printable.py``), and
what HTML gives a meaning is escaped, quotes included. Markup is only what a template itself writes, or another one.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from multiturn.report.numbers import number
from multiturn.report.page.marking import texts_of
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

ASSETS: Final = files("multiturn.report.page") / "assets"


def asset(name: str) -> str:
    """The text of a file that belongs to the page."""
    return (ASSETS / name).read_text(encoding="utf-8")


def render(template: str, **values: object) -> Markup:
    """A template with its values, as markup that other templates take as it is."""
    return Markup(_environment().get_template(template).render(values))  # noqa: S704 - escaped by the environment


def pieces(template: str, **values: object) -> Iterator[str]:
    """The same in pieces, for what is long."""
    return _environment().get_template(template).generate(values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(asset),
        autoescape=True,
        finalize=_harmless,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters["in_blocks"] = texts_of
    environment.filters["number"] = _number
    return environment


def _number(count: int) -> str:
    """A count as the project shows it; places, such as a turn's or an arm's, are names and stand as they are."""
    return number(count, "count")


def _harmless(value: object) -> object:
    """Text without control characters; markup and numbers as they are."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value
