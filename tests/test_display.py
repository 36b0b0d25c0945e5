"""Values show themselves in a notebook once the Python interface is there, and know nothing of how."""

from __future__ import annotations

import subprocess
import sys

import pytest

from multiturn.display import html_of, show_as

ALONE = """
import sys
from multiturn.transcript import Session, Transcript
transcript = Transcript(session=Session("c"), turns=())
print(transcript._repr_html_())
assert not {"jinja2", "numpy", "sqlalchemy"} & sys.modules.keys()
from multiturn import api
print(transcript._repr_html_().startswith("<div"))
"""


class Thing:
    """Something that a notebook may show."""


def test_a_value_is_shown_as_it_was_said_for_its_type() -> None:
    """Of one of which nothing was said there is no HTML: a notebook then shows its repr."""
    assert html_of(Thing()) is None
    show_as({Thing: lambda one: f"<p>{type(one).__name__}</p>"})
    assert html_of(Thing()) == "<p>Thing</p>"
    assert html_of(type("Other", (Thing,), {})()) is None


def test_values_alone_load_nothing_to_be_shown_with() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["None", "True"], "")


def test_a_fault_in_showing_is_not_hidden() -> None:
    """The notebook tells it, with its place."""

    def broken(_one: object) -> str:
        raise LookupError("no template")

    show_as({Thing: broken})
    with pytest.raises(LookupError):
        html_of(Thing())
