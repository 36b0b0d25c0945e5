"""A sheet by itself in a browser, without any script: beside each other where there is room, else one below the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import pytest
from tests import by_hand
from tests.report.page.browser import MIDDLE, PHONE, WIDE, Opened, opened

from multiturn.conversation import Conversation, Turn
from multiturn.finding import Assessed, Checked, CheckResult, Span
from multiturn.report.page.sheet import sheet
from multiturn.report.page.shown import ShownArm, Told
from multiturn.report.page.templates import asset
from multiturn.signals.measure import measure
from multiturn.transcript import Session, Transcript

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    Scheme = Literal["light", "dark"]

ARMS = tuple(
    ShownArm(name=name, label=f"llamacpp:models/{'a-long-name-' * 6}{name}.gguf", run=name)
    for name in ("base", "tuned", "arm 3", "arm 4")
)
BASE = "The kettle on the old stove is green, and it whistles.\n\tSo it is."
OTHER = "The kettle on the old stove is blue, and it whistles.\n\tSo it is."
DECLINES = "I'm sorry, but I can't help with that."


def held(first: str, second: str) -> Assessed:
    """Two turns, a check of the first one whose deciding words lie over one that differs; every sort of extra."""
    record = msgspec.structs.replace(
        by_hand.ok(0, first), raw=f"{first} User:", reasoning="Hm.", prompt_delta="x" * 200, flags=("run_on",)
    )
    transcript = Transcript(session=Session("kettle"), turns=(record, by_hand.ok(1, second)), system="Be brief.")
    result = CheckResult(outcome="pass" if first == BASE else "fail", reason="no green", span=Span(28, 40, ""))
    said = Checked(turn=0, check=0, kind="says", wants="says green", why="The colour is lost.", result=result)
    return Assessed(transcript, measure(transcript), (said,))


Written = Callable[[int], Path]


@pytest.fixture(name="written")
def sheet_in_a_file(tmp_path: Path) -> Written:
    """A page with nothing but the style and the sheet of so many arms."""

    def write(arms: int) -> Path:
        conversation = Conversation(
            id="kettle", turns=(Turn(text="Which colour?", golden="Green.", refusal_expected=False), Turn(text="And?"))
        )
        told = Told(conversation=conversation, samples=((held(BASE, "Well."), *[held(OTHER, DECLINES)] * (arms - 1)),))
        file = tmp_path / f"{arms}.html"
        style = "".join(map(asset, ("base.css", "sheet.css")))
        file.write_text(
            '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>t</title>'
            f"<style>{style}</style><main><h1>t</h1>{sheet(told, ARMS[:arms])}</main>",
            encoding="utf-8",
        )
        return file

    return write


def corners(window: Opened) -> list[tuple[int, int]]:
    """Where the first turn's replies begin: pixels from the left and from above."""
    found: list[list[int]] = window.page.evaluate(
        "[...document.querySelector('.turn').querySelectorAll('.reply')]"
        ".map(one => one.getBoundingClientRect()).map(box => [Math.round(box.left), Math.round(box.top)])"
    )
    return [(left, top) for left, top in found]


@pytest.mark.parametrize("size", [WIDE, MIDDLE])
@pytest.mark.parametrize("arms", [2, 4])
def test_replies_stand_beside_each_other(browser: Browser, written: Written, arms: int, size: tuple[int, int]) -> None:
    """More than fit scroll in a box of their own; the page itself is never wider than the window."""
    with opened(browser, written(arms), size=size) as window:
        found = corners(window)
        assert len({left for left, _ in found}) == arms
        assert len({top for _, top in found}) == 1
        assert window.overflow() == 0
        window.quiet()


@pytest.mark.parametrize("arms", [1, 2, 4])
def test_on_a_phone_replies_stand_below_each_other(browser: Browser, written: Written, arms: int) -> None:
    """Each with its name and its model."""
    with opened(browser, written(arms), size=PHONE) as window:
        found = corners(window)
        assert len({left for left, _ in found}) == 1
        assert len({top for _, top in found}) == arms
        assert window.overflow() == 0
        assert all(arm.name in text and arm.label in text for arm, text in zip(ARMS, names(window), strict=False))


def names(window: Opened) -> list[str]:
    found: list[str] = window.page.locator(".turn >> nth=0 >> .reply .who").all_inner_texts()
    return found


def test_a_reply_is_seen_as_it_was_written(browser: Browser, written: Written) -> None:
    """Tabs and line breaks are kept, and no number of a check gets into what is copied."""
    with opened(browser, written(2)) as window:
        first, second = window.page.locator(".turn >> nth=0 >> .reply-text").all()
        assert (first.inner_text(), second.inner_text()) == (BASE, OTHER)
        shown = second.locator("mark.fail").last.evaluate("one => getComputedStyle(one, '::after').content")
        assert shown == '"1"'


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("arms", [1, 2, 4])
def test_all_can_use_it(browser: Browser, written: Written, arms: int, scheme: Scheme) -> None:
    """With all that is folded opened."""
    with opened(browser, written(arms), color_scheme=scheme) as window:
        window.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert window.unfit() == []
