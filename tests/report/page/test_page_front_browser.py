"""The first screen in a browser: it is one screen, it fits a phone, and its counts are what the list then shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from tests.report.page.browser import MIDDLE, PHONE, WIDE, opened
from tests.report.page.reports import report_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PARTS: Final = (".said h1", ".drawn svg", ".groups", "#first", ".conditions dl")
NARROW: Final = (360, 740)
WIDER: Final = """
    [...document.querySelectorAll(".top *, .screen *, #fluent *, #tables > *, .small")]
        .filter((one) => !one.closest("table, .unseen") && one.getBoundingClientRect().right > innerWidth + 1)
        .map((one) => one.outerHTML.slice(0, 80))
"""
"""The elements of these parts that reach beyond the window; tables scroll by themselves."""


@pytest.fixture(name="reports_of", scope="module")
def reports_of_one_and_three_arms(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    return {arms: report_of(arms, tmp_path_factory.mktemp("arms")) for arms in (1, 3)}


def test_everything_to_begin_with_is_on_one_screen(browser: Browser, compared: Path) -> None:
    """The verdict, the primary measure drawn, what moved, what to read first, conditions: nobody has to scroll."""
    with opened(browser, compared, size=WIDE) as window:
        ends = {part: window.page.locator(part).bounding_box() for part in PARTS}
        assert {part: box for part, box in ends.items() if box is None or box["y"] + box["height"] > WIDE[1]} == {}
        assert window.page.evaluate("scrollY") == 0
        window.quiet()


@pytest.mark.parametrize("size", [WIDE, MIDDLE, PHONE, NARROW])
@pytest.mark.parametrize("arms", [1, 2, 3])
def test_it_fits_every_width(
    browser: Browser, compared: Path, reports_of: dict[int, Path], size: tuple[int, int], arms: int
) -> None:
    """Also with all that can be opened open: no part of it is wider than the window."""
    with opened(browser, compared if arms == 2 else reports_of[arms], size=size) as window:
        window.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        assert window.page.evaluate(WIDER) == []


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_anyone_can_read_it(browser: Browser, compared: Path, colours: str) -> None:
    """Contrast, names, structure: axe-core finds nothing serious, whatever is open."""
    with opened(browser, compared, color_scheme=colours) as window:
        window.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        assert window.unfit() == []


def test_a_count_is_what_the_list_then_shows(browser: Browser, compared: Path) -> None:
    """Each link of the groups, of what is to be fixed first and of fluent but wrong that says so many conversations."""
    with opened(browser, compared) as window:
        links = window.page.locator(".moves a[href^='#list?'], .wrong a, .counts a")
        told = {one.get_attribute("href"): one.text_content() or "" for one in links.all()}
        assert told
        for address, text in told.items():
            count = re.search(r"(\d+)(?: conversations?)?$", text)
            if count is None:
                continue
            window.go(address or "")
            window.page.locator("#rows tr").first.wait_for()
            assert window.page.locator("#rows th a").count() == int(count[1]), text


def test_a_proof_leads_to_its_turn(browser: Browser, compared: Path) -> None:
    """Side by side, and back to where the reader was."""
    with opened(browser, compared) as window:
        first = window.page.locator(".proofs h3 a").first
        name = (first.text_content() or "").partition(", turn ")[0]
        first.click()
        window.page.locator("#conversation .sheet").wait_for()
        assert name in window.page.locator("#conversation").inner_text()
        window.page.go_back()
        window.page.locator(".said h1").wait_for()
        window.quiet()
