"""The whole page: what stands where, its style, script and security policy, and the file.

The policy allows the page's own style and script by their hash, and nothing else: no request, no eval, no style or
handler in an attribute. Transcripts lie in the page compressed, as data that no browser runs.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from multiturn.report.page.charts import charts
from multiturn.report.page.collect import packed
from multiturn.report.page.front import front
from multiturn.report.page.index import index
from multiturn.report.page.judged_part import judged_part
from multiturn.report.page.listing import listing
from multiturn.report.page.reach import Reach
from multiturn.report.page.templates import asset, pieces
from multiturn.report.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from multiturn.report.page.shown import Page

STYLES: Final = ("base.css", "front.css", "charts.css", "list.css", "sheet.css")
JUDGED: Final = "judged.css"
"""The style of what judges say: a page without judges does without."""
SCRIPTS: Final = ("book.js", "filter.js", "list.js", "reading.js", "page.js")


def write_page(path: Path, page: Page) -> None:
    """Write the page; an older file is replaced when the new one is whole.

    Raises:
        OSError: The file can't be written.
    """
    with whole_file(path) as file:
        for piece in page_text(page):
            file.write(piece.encode("utf-8"))


def page_text(page: Page) -> Iterator[str]:
    """The page's HTML, piece by piece."""
    style = "".join(map(asset, (*STYLES, JUDGED) if page.judges else STYLES))
    script = "".join(map(asset, SCRIPTS))
    reach = Reach(page.collected)
    return pieces(
        "page.html.j2",
        page=page,
        policy=_policy(style, script),
        style=Markup(style),  # noqa: S704 - a file of ours
        script=Markup(script),  # noqa: S704 - a file of ours
        front=front(page, reach),
        charts=charts(page, reach),
        judged=judged_part(page),
        listing=listing(page.collected),
        index=packed(index(page)),
        chunks=page.collected.chunks,
    )


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"
