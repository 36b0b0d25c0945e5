"""How long a reader waits: a page opened in headless Chromium, listed, filtered, read, searched, and what it holds.

Each time ends when the browser has drawn what was asked for. Without playwright and a Chromium nothing is measured.
"""

from __future__ import annotations

import shutil
import statistics
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import CDPSession, Page

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
OPENED: Final = 9
"""Conversations that are opened, from the first to the last; the median counts."""
LISTED: Final = """
    const watch = new MutationObserver(() => {
        if (!document.querySelector("#rows tr")) return;
        watch.disconnect();
        requestAnimationFrame(() => setTimeout(() => { window.listed = performance.now(); }));
    });
    watch.observe(document, { childList: true, subtree: true });
"""
DRAWN: Final = "const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));"
FILTER: Final = f"""async () => {{
    {DRAWN}
    const taken = [];
    for (const select of document.querySelectorAll("select[data-choice]")) {{
        const start = performance.now();
        select.selectedIndex = select.options.length - 1;
        select.dispatchEvent(new Event("change"));
        await drawn();
        taken.push(performance.now() - start);
        select.selectedIndex = 0;
        select.dispatchEvent(new Event("change"));
        await drawn();
    }}
    return taken;
}}"""
READ: Final = f"""async (address) => {{
    {DRAWN}
    const sheet = document.getElementById("sheet");
    const start = performance.now();
    location.hash = address;
    const same = () => !sheet.firstElementChild || sheet.firstElementChild === window.last;
    while (same()) await new Promise((done) => setTimeout(done));
    await drawn();
    window.last = sheet.firstElementChild;
    return performance.now() - start;
}}"""
SEARCH: Final = f"""async (text) => {{
    {DRAWN}
    const count = document.getElementById("count");
    const start = performance.now();
    location.hash = `#list?q=${{encodeURIComponent(text)}}`;
    do await drawn(); while (!/ of .* conversations?/.test(count.textContent));
    return [performance.now() - start, count.textContent];
}}"""
ADDRESSES: Final = "() => [...document.querySelectorAll('#rows th a')].map((one) => one.getAttribute('href'))"
MEGABYTE: Final = 1_000_000


def use(page: Path) -> Iterator[tuple[str, str]]:
    """What was done with the page, and how long it took."""
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - not all who measure have it
    except ImportError:
        yield "in a browser", "not measured: pip install '.[browser]'"
        return
    chromium = next(filter(None, map(shutil.which, NAMES)), None)
    if chromium is None:
        yield "in a browser", "not measured: no chromium"
        return
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        window = browser.new_page()
        window.set_default_timeout(120_000)
        session = window.context.new_cdp_session(window)
        window.add_init_script(LISTED)
        window.goto(page.resolve().as_uri())
        window.locator("#rows tr").first.wait_for()
        yield "the list is there after", _seconds(_wait_for(window, "window.listed"))
        yield "heap then", _heap(session)
        yield "a filter, the slowest", _seconds(max(window.evaluate(FILTER)))
        places = window.evaluate(ADDRESSES)
        chosen = places[:: max(1, len(places) // OPENED)]
        yield "a conversation, median", _seconds(statistics.median(window.evaluate(READ, one) for one in chosen))
        for text in ("solar panels", "this stands nowhere"):
            taken, found = window.evaluate(SEARCH, text)
            yield f"search for {text!r}: {found}", _seconds(taken)
        yield "heap after all were searched", _heap(session)
        browser.close()


def _wait_for(window: Page, expression: str) -> float:
    """The value, once it is there; the page's policy forbids to wait for an expression."""
    while True:
        value: Any = window.evaluate(f"() => {expression}")
        if value is not None:
            return float(value)
        window.wait_for_timeout(10)


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.3f} s"


def _heap(session: CDPSession) -> str:
    session.send("HeapProfiler.collectGarbage")
    return f"{session.send('Runtime.getHeapUsage')['usedSize'] / MEGABYTE:.1f} MB"
