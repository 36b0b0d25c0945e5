"""A browser for the tests of the page, and reports to open in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.report.page import reports
from tests.report.page.browser import started

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(name="browser", scope="module")
def running_browser() -> Iterator[Browser]:
    """One for each module: while it runs, no other test can have an event loop of its own."""
    with started() as browser:
        yield browser


@pytest.fixture(name="compared", scope="session")
def report_of_a_comparison(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve conversations, held by two scripted models."""
    return reports.compared_report(tmp_path_factory.mktemp("compared"))


@pytest.fixture(name="many", scope="session")
def report_of_many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More conversations than are drawn at once."""
    return reports.many_report(tmp_path_factory.mktemp("many"))


@pytest.fixture(name="odd", scope="session")
def report_of_odd_ids(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Conversations whose ids have to be quoted."""
    return reports.odd_report(tmp_path_factory.mktemp("odd"))
