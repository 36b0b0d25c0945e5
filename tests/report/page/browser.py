"""A report opened as a reader opens it: from disk, in headless Chromium, without a network; what it did is kept.

Every test that opens a page ends with :meth:`Opened.quiet`, which says what the page must not have done.
"""

from __future__ import annotations

import re
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Route

INSTALL: Final = "pip install '.[browser]'"
NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
WIDE: Final = (1280, 800)
MIDDLE: Final = (768, 1024)
PHONE: Final = (390, 844)
PATIENCE: Final = 30_000
"""Milliseconds to wait for what must come; a busy machine takes long."""
SERIOUS: Final = frozenset({"serious", "critical"})
VIOLATIONS: Final = """
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) =>
        window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
"""


WIDER_BY: Final = """() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const scrolls = (one) => ["auto", "scroll", "hidden"].includes(getComputedStyle(one).overflowX);
    const inBox = (one) => one !== null && one.localName !== "main" && (scrolls(one) || inBox(one.parentElement));
    const blocks = [...document.querySelectorAll("main:not([hidden]) *")].filter((one) =>
        one.getClientRects().length && getComputedStyle(one).display !== "inline" && !one.closest("svg")
        && !inBox(one.parentElement));
    const rights = blocks.map((one) => one.getBoundingClientRect().right);
    return Math.max(0, scrollWidth - clientWidth, Math.floor(Math.max(0, ...rights) - clientWidth));
}"""


class Opened:
    """One open page, and what it has done: console messages, errors, requests beside the file itself."""

    def __init__(self, page: Page, address: str) -> None:
        self.page: Final = page
        self.console: Final[list[str]] = []
        self.errors: Final[list[str]] = []
        self.requests: Final[list[str]] = []
        self._address: Final = address
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        self.console.append(f"{message.type}: {message.text}")

    def _asked(self, request: Request) -> None:
        if request.url.partition("#")[0] not in {self._address, "about:blank"}:
            self.requests.append(request.url)

    def go(self, place: str) -> None:
        """Open the file anew, at this place of it; nothing of what was there before is kept."""
        self.page.goto("about:blank")
        self.page.goto(self._address + place)

    def follow(self, place: str) -> None:
        """Go to a place of the page as a link in it does, which is much quicker; to where it is already, anew."""
        moved = """place => new Promise(done => {
            const before = location.hash;
            addEventListener("hashchange", () => setTimeout(done, 0, true), { once: true });
            location.hash = place;
            if (location.hash === before) done(false);
        })"""
        if not self.page.evaluate(moved, place):
            self.go(place)

    def until(self, selector: str, text: str) -> None:
        """Wait for an element that says just this; the page's policy forbids to wait for an expression."""
        self.page.locator(selector, has_text=re.compile(f"^{re.escape(text)}$")).first.wait_for()

    @property
    def violations(self) -> list[str]:
        """What the page's own security policy had to stop."""
        found: list[str] = self.page.evaluate("window.violations")
        return found

    def quiet(self) -> None:
        """Nothing in the console, no error, no request, nothing that the policy stopped."""
        done = {
            "console": self.console,
            "errors": self.errors,
            "requests": self.requests,
            "violations": self.violations,
        }
        assert not any(done.values()), f"the page was not quiet: {done}"

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        wider: int = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        return wider

    def cut_off(self) -> int:
        """By how many pixels it would be wider if nothing were clipped at its edge."""
        wider: int = self.page.evaluate("""() => {
            const parts = [...document.querySelectorAll("main")];
            parts.forEach(part => { part.style.overflowX = "visible"; });
            const { scrollWidth, clientWidth } = document.documentElement;
            parts.forEach(part => { part.style.overflowX = ""; });
            return scrollWidth - clientWidth;
        }""")
        return wider

    def unfit(self, part: str = "", *rules: str) -> list[str]:
        """What axe-core finds serious or critical, with the elements that it names.

        ``part`` is a selector of what is looked at, "" for all of the page; ``rules`` are those to look for, none for
        all. The whole of a report takes seconds.
        """
        axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=f"needs axe-core: {INSTALL}")
        options = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
        found: list[dict[str, Any]] = axe.Axe().run(self.page, part or None, options).response["violations"]
        return [
            f"{one['id']}: {node['target']} {node['failureSummary']}"
            for one in found
            if one["impact"] in SERIOUS
            for node in one["nodes"]
        ]


@contextmanager
def started() -> Iterator[Browser]:
    """A running Chromium; whoever asks where there is none is skipped, with what is to be installed.

    While it runs, the thread counts as inside an event loop.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason=f"needs playwright: {INSTALL}")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(
    browser: Browser,
    path: Path,
    place: str = "",
    *,
    size: tuple[int, int] = WIDE,
    **context: Any,  # noqa: ANN401 - as Browser.new_context takes them: color_scheme="dark", java_script_enabled=False
) -> Iterator[Opened]:
    """The file at this place of it (``#list?flip=lost``), in a window of this size (pixels), without a network."""
    address = path.resolve().as_uri()

    def only_the_file(route: Route) -> None:
        if route.request.url.partition("#")[0] == address:
            route.continue_()
        else:
            route.abort()

    made = browser.new_context(viewport={"width": size[0], "height": size[1]}, offline=True, **context)
    try:
        made.set_default_timeout(PATIENCE)
        made.add_init_script(VIOLATIONS)
        made.route("**/*", only_the_file)
        window = Opened(made.new_page(), address)
        window.go(place)
        yield window
    finally:
        made.close()
