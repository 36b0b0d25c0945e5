"""Makes the README's pictures from a report: ``python docs/pictures/make.py outputs/report.html``.

The report is that of ``multiturn demo``, a real run. Needs ``pip install '.[browser]'`` and a Chromium of the system's.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HERE: Final = Path(__file__).parent
WINDOW: Final = (1280, 840)
PHONE: Final = (390, 760)
Scheme = Literal["light", "dark"]


def main(report: Path) -> None:
    """Three views of the report, two of them in light and dark."""
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        first = report.resolve().as_uri()
        schemes: tuple[Scheme, ...] = ("light", "dark")
        for scheme in schemes:
            take(browser, first, f"first-screen-{scheme}.png", WINDOW, scheme)
            take(browser, first, f"side-by-side-{scheme}.png", WINDOW, scheme, follow="#first h3 a >> nth=0")
        take(browser, first, "phone-light.png", PHONE, "light")
        browser.close()


def take(browser: Browser, address: str, name: str, size: tuple[int, int], scheme: Scheme, *, follow: str = "") -> None:
    """One picture; ``follow`` is the link that is followed first."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    page.goto(address)
    page.wait_for_selector("#rows tr", state="attached")
    if follow:
        page.click(follow)
        page.wait_for_selector(".led-to")
    page.screenshot(path=HERE / name)
    page.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "outputs/report.html"))
