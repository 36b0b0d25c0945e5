"""What judges say, in a browser: the page stays quiet, fits every width, can be read by all, and its filters find."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.report.page.browser import MIDDLE, PHONE, WIDE, WIDER_BY, opened
from tests.report.page.filled import OF_CONVERSATION, OF_RUN
from tests.report.page.hostile import TEXTS
from tests.report.page.judged_fields import OF_JUDGES, judged_page
from tests.report.page.judged_report import judged_report
from tests.report.page.reports import written

if TYPE_CHECKING:
    from playwright.sync_api import Browser

OPEN_ALL = "for (const one of document.querySelectorAll('details')) one.open = true"


@pytest.fixture(name="judged", scope="module")
def report_of_judged_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Base and tuned."""
    return judged_report(tmp_path_factory.mktemp("judged"), "base", "tuned")


@pytest.mark.parametrize("size", [WIDE, MIDDLE, PHONE])
def test_it_fits_every_width(browser: Browser, judged: Path, size: tuple[int, int]) -> None:
    """The overview and a sheet, with all that can be opened open."""
    with opened(browser, judged, size=size) as window:
        for place in ("", "#c=school-trip-own-choice&t=3"):
            window.follow(place or "#judges")
            if place:
                window.page.locator("#sheet .judged").first.wait_for()
            window.page.evaluate(OPEN_ALL)
            assert window.page.evaluate(WIDER_BY) == 0
        window.quiet()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_anyone_can_read_it(browser: Browser, judged: Path, colours: str) -> None:
    """Axe-core finds nothing serious in what judges say, whatever is open."""
    with opened(browser, judged, "#judges", color_scheme=colours) as window:
        window.page.evaluate(OPEN_ALL)
        assert window.unfit("#judges") == []
        window.follow("#c=school-trip-own-choice&t=1")
        window.page.locator("#sheet .judged").first.wait_for()
        window.page.evaluate(OPEN_ALL)
        assert window.unfit("#sheet") == []
        window.quiet()


def test_a_filter_of_judges_leads_to_the_turn(browser: Browser, judged: Path) -> None:
    """Chosen in the list, shown as a chip, and marked in the sheet."""
    with opened(browser, judged, "#list") as window:
        window.page.locator("#rows tr").first.wait_for()
        window.page.locator("#choose-judge").select_option(label="tuned: rated 4 or less (3)")
        window.until("#count", "3 of 12 conversations")
        window.page.locator("#rows th a").first.click()
        turn = window.page.locator("#sheet .asked-for").first
        turn.wait_for()
        assert "3 of 10" in turn.locator(".reply").last.inner_text()
        window.quiet()


def test_what_a_judge_writes_does_nothing(browser: Browser, tmp_path: Path) -> None:
    """All hostile texts in all that judges say of a conversation, opened."""
    said = {name: f"{' '.join(TEXTS.values())} ({name})" for name in OF_JUDGES}
    file = written(judged_page([OF_CONVERSATION], OF_RUN, said), tmp_path)
    with opened(browser, file, "#c=kettle") as window:
        window.page.locator("#sheet .judged").first.wait_for()
        window.page.evaluate(OPEN_ALL)
        assert window.page.locator("#sheet .judged").count() > 2
        window.quiet()
