"""In a notebook, the values that a Python user gets show themselves."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.report.page.reading import Parsed

from multiturn import api
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.notebooks import SHOWS
from multiturn.store import open_store
from multiturn.transcript import Request

REFUSES = "scripted:tests.test_notebooks:refusing"
SUITE = Suite(name="s", conversations=(Conversation(id="kettle", turns=(Turn(text="Which colour?"),)),))


@pytest.fixture(name="compared")
def two_runs(tmp_path: Path) -> api.Compared:
    job = api.Job(suite=SUITE, store=tmp_path / "runs.db")
    results, page = tmp_path / "results.json", tmp_path / "report.html"
    return api.compare("scripted:echo", REFUSES, job, results=results, page=page)


def refusing(_request: Request) -> str:
    """A model that declines whatever it is asked."""
    return "I'm sorry, but I can't help with that."


def shown(value: object) -> str:
    """What its own hook gives a notebook, as text."""
    html = value._repr_html_()  # type: ignore[attr-defined]
    assert type(html) is str
    return " ".join(Parsed(html).text.split())


def test_a_comparison_tells_its_runs_and_files(compared: api.Compared, tmp_path: Path) -> None:
    text = shown(compared)
    for told in (compared.base.run.id, compared.tuned.run.id, REFUSES, tmp_path / "report.html"):
        assert str(told) in text
    assert shown(compared.comparison)[:60] == text[:60]


def test_a_run_tells_how_far_it_is(compared: api.Compared) -> None:
    assert "1 of 1 turn, 1 of 1 conversation, 1 reply held now" in shown(compared.base)
    again = msgspec.structs.replace(compared.base, reused=True)
    assert "1 of 1 conversation, it was in the store" in shown(again)
    lost = msgspec.structs.replace(compared.base.progress, missing=2)
    assert "2 turns missing by no doing of the model" in shown(msgspec.structs.replace(compared.base, progress=lost))
    assert "scripted:echo" in shown(compared.base.run)


def test_transcripts_tell_what_was_said(compared: api.Compared, tmp_path: Path) -> None:
    with open_store(tmp_path / "runs.db") as store:
        (assessed,) = api.assessed(store, compared.tuned.run)
    assert "full refusal" in shown(assessed)
    assert "Which colour?" in shown(assessed.transcript)


def test_every_value_that_can_be_shown_shows_itself() -> None:
    assert [one for one in SHOWS if not hasattr(one, "_repr_html_")] == []
