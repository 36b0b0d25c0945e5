"""The whole page: what stands where, its style, script and security policy, and the file.

The policy allows the page's own style and script by their hash, and nothing else: no request, no eval, no style or
handler in an attribute. Transcripts lie in the page compressed, as data that no browser runs.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Final

import msgspec
from markupsafe import Markup

from multiturn.report.page.charts import charts
from multiturn.report.page.collect import packed
from multiturn.report.page.front import front
from multiturn.report.page.listing import listing
from multiturn.report.page.templates import asset, pieces
from multiturn.report.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from multiturn.report.page.shown import Page

STYLES: Final = ("base.css", "front.css", "charts.css", "list.css", "sheet.css")
SCRIPT: Final = "page.js"


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
    style = "".join(map(asset, STYLES))
    script = asset(SCRIPT)
    return pieces(
        "page.html.j2",
        page=page,
        policy=_policy(style, script),
        style=Markup(style),  # noqa: S704 - a file of ours
        script=Markup(script),  # noqa: S704 - a file of ours
        front=front(page),
        charts=charts(page),
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


class _Change(msgspec.Struct, frozen=True):
    score: float
    why: tuple[str, ...]


class _Index(msgspec.Struct, frozen=True):
    """What the script knows before a chunk is opened: rows in the order of how much they changed."""

    arms: tuple[str, ...]
    tags: tuple[tuple[str, str], ...]
    rows: tuple[object, ...]
    changes: tuple[_Change, ...]


def index(page: Page) -> bytes:
    """What the script needs to know of the list, as JSON: rows and their changes, most changed first.

    Of several comparisons the largest change of a conversation counts.
    """
    changes: dict[str, _Change] = {}
    for comparison in page.comparisons:
        for one in comparison.changes:
            known = changes.get(one.conversation)
            if known is None or one.score > known.score:
                changes[one.conversation] = _Change(one.score, one.reasons)
    none = _Change(0.0, ())
    rows = sorted(page.collected.rows, key=lambda row: -changes.get(row.id, none).score)
    return msgspec.json.encode(
        _Index(
            arms=tuple(arm.name for arm in page.collected.arms),
            tags=page.collected.tags,
            rows=tuple(rows),
            changes=tuple(changes.get(row.id, none) for row in rows),
        )
    )
