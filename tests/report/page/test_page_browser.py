"""The harness itself: what a page must not do is seen when it does it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.report.page.browser import opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

POLICY = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'">"""
HEAD = f'<!DOCTYPE html><html lang="en"><meta charset="utf-8">{POLICY}<title>t</title><main><h1>t</h1>'


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("<script>console.warn('here')</script>", "console"),
        ("<script>throw new Error('here')</script>", "errors"),
        ("<script>location.href = 'http://127.0.0.1/here'</script>", "requests"),
        ("<p style='color: red'>here</p>", "violations"),
        ("<img src='https://example.com/here' alt=''>", "violations"),
    ],
)
def test_what_a_page_does_is_seen(browser: Browser, tmp_path: Path, body: str, kind: str) -> None:
    """Each kind of misdeed, and :meth:`Opened.quiet` fails for it."""
    file = tmp_path / "report.html"
    file.write_text(HEAD + body, encoding="utf-8")
    with opened(browser, file) as window:
        window.page.wait_for_timeout(50)
        assert getattr(window, kind)
        with pytest.raises(AssertionError, match=r"here|style"):
            window.quiet()


def test_a_page_that_does_nothing_is_quiet(browser: Browser, tmp_path: Path) -> None:
    """Opening the file itself is no request, at whatever place; what can't be seen well is found."""
    file = tmp_path / "a # report%.html"
    file.write_text(HEAD + "<p>here</p><input>", encoding="utf-8")
    with opened(browser, file, "#here") as window:
        window.quiet()
        assert window.overflow() == 0
        assert [one.partition(":")[0] for one in window.unfit()] == ["label"]
        window.page.set_viewport_size({"width": 50, "height": 50})
        window.page.evaluate("document.querySelector('p').textContent = 'x'.repeat(100)")
        assert window.overflow() > 0
