"""Reports to open: of a real comparison, of one run and of three, of many conversations, of ids that no one would wish."""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any, Final

from tests.report.page import voices
from tests.report.page.filled import page_of
from tests.report.page.reading import Parsed

from multiturn import api
from multiturn.report.page.page import write_page
from multiturn.run import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from multiturn.report.page.shown import Page

ODD_IDS: Final = (
    "a \"quoted\" one, with 'both'",
    "path/to\\somewhere",
    "100 % sure",
    "#c=not-this&t=2",
    "a+b=c?d&e",
    "größer, 更大, أكبر",
    "<b>bold</b>",
    "with\u202eleft",
    "two  blanks ",
    "x" * 200,
)
MANY: Final = 150
CATEGORIES: Final = ("writing", "math", "coding")


def compared_report(folder: Path, *, samples: int = 1, only: tuple[str, ...] = ()) -> Path:
    """The quick suite with two scripted models, held and compared as a user would."""
    file = folder / "report.html"
    api.compare(
        f"scripted:{voices.__name__}:golden",
        f"scripted:{voices.__name__}:spoilt",
        api.Job(suite=voices.SUITE, store=folder / "runs.db", settings=Settings(samples=samples), only=only),
        results=None,
        page=file,
    )
    return file


def written(page: Page, folder: Path) -> Path:
    """The page in a file whose name has to be quoted in an address."""
    file = folder / "a report, 50 % # done.html"
    write_page(file, page)
    return file


def many_report(folder: Path) -> Path:
    """Conversations of three categories and thirty domains; ``teapot 7`` stands in one of them only."""
    fields = [
        {
            "id": f"talk-{at}",
            "category": CATEGORIES[at % 3],
            "domain": f"domain {at % 30}",
            "reply": f"Here is Teapot\n{at} of them; there is <b>no</b> other, & it's green.",
        }
        for at in range(MANY)
    ]
    return written(page_of(fields), folder)


def odd_report(folder: Path) -> Path:
    """Conversations with odd ids, each of which says its place in its reply."""
    return written(page_of([{"id": one, "reply": f"reply {at}"} for at, one in enumerate(ODD_IDS)]), folder)


def report_of(arms: int, folder: Path) -> Path:
    """Four conversations as so many arms held them."""
    return written(page_of([{"id": f"talk-{at}"} for at in range(4)], arms=arms), folder)


def index_of(file: Path) -> dict[str, Any]:
    """What the page knows of its conversations."""
    index: dict[str, Any] = json.loads(unpacked(file)[0])
    return index


def unpacked(file: Path) -> list[str]:
    """What the data blocks of the page hold, the index first."""
    blocks = Parsed(file.read_text(encoding="utf-8")).chunks
    return [zlib.decompress(base64.b64decode(one), -zlib.MAX_WBITS).decode("utf-8") for one in blocks]
