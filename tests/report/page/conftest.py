"""A browser for the tests of the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.report.page.browser import started

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(name="browser", scope="module")
def running_browser() -> Iterator[Browser]:
    """One for each module: while it runs, no other test can have an event loop of its own."""
    with started() as browser:
        yield browser
