"""A report opened from disk, in whatever browser, light or dark, on a phone or on paper: nothing is asked for outside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from tests.report.page.browser import MIDDLE, PHONE, WIDE, Opened, opened
from tests.report.page.reports import MANY, report_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TEAPOT: Final = "#c=brass-teapot-swap-sides&t=3"
NARROWEST: Final = (320, 640)


@pytest.fixture(name="window", scope="module")
def window_on_the_comparison(browser: Browser, compared: Path) -> Iterator[Opened]:
    with opened(browser, compared) as window:
        yield window
        window.quiet()


def unfold(window: Opened) -> None:
    """Open whatever is folded."""
    window.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")


def test_the_first_screen_is_there(window: Opened) -> None:
    """A heading in sight, the list below it; the page is quiet, from the first byte to a conversation and back."""
    window.go("")
    page = window.page
    heading = page.locator("#overview h1")
    assert heading.is_visible()
    assert heading.evaluate("one => one.getBoundingClientRect().bottom") < WIDE[1] / 2
    page.wait_for_selector("#rows a")
    assert page.locator("#opening").is_hidden()
    page.click("#rows a >> nth=0")
    page.wait_for_selector(".sheet")
    page.keyboard.press("Escape")
    page.wait_for_selector("#overview")
    window.quiet()


def test_axe_finds_nothing_serious(window: Opened) -> None:
    """In the overview under a filter, with the keys shown, in a conversation with everything unfolded, at a wrong address."""
    window.go("#list?tuned.refusal=any&turn=3")
    window.page.wait_for_selector("#rows a")
    assert window.unfit() == []
    window.page.keyboard.press("?")
    assert window.unfit("#keys") == []
    window.page.keyboard.press("Escape")
    window.page.click("#rows a >> nth=0")
    window.page.wait_for_selector(".asked-for")
    unfold(window)
    assert window.unfit("#conversation") == []
    window.follow("#c=nowhere")
    window.page.wait_for_selector("#sheet p")
    assert window.unfit("#conversation") == []


def test_in_the_dark_all_colours_can_be_told_apart(window: Opened) -> None:
    """The page follows the system, at once, and what is written stands out from its ground."""
    window.go("#list?tuned.refusal=any&turn=3")
    page = window.page
    page.wait_for_selector("#rows a")
    colours = "[document.body, document.querySelector('.chips button'), document.querySelector('#rows a')].map(one => getComputedStyle(one)).flatMap(one => [one.backgroundColor, one.color])"
    light = page.evaluate(colours)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(colours)
    assert light[0] == "rgb(255, 255, 255)"
    assert [at for at in range(len(light)) if light[at] == dark[at]] == [4], "a link has no ground of its own"
    assert window.unfit("", "color-contrast") == []
    page.click("#rows a >> nth=0")
    page.wait_for_selector(".asked-for")
    unfold(window)
    assert window.unfit("#conversation", "color-contrast") == []
    page.emulate_media(color_scheme="light")


def test_no_width_scrolls_sideways(window: Opened) -> None:
    """Overview and conversation; side by side where there is room, one below the other where there is none."""
    for place in ("#list", TEAPOT):
        window.go(place)
        window.page.wait_for_selector("#rows a" if place == "#list" else ".led-to")
        unfold(window)
        for width, height in (WIDE, MIDDLE, PHONE, NARROWEST):
            window.page.set_viewport_size({"width": width, "height": height})
            assert window.cut_off() == 0, (place, width)
            if place == TEAPOT:
                base, tuned = (window.page.locator(f".led-to .reply.arm-{arm}").bounding_box() for arm in (0, 1))
                assert base is not None
                assert tuned is not None
                beside = base["y"] == tuned["y"] and base["x"] + base["width"] <= tuned["x"]
                below = base["x"] == tuned["x"] and base["y"] + base["height"] <= tuned["y"]
                assert (beside, below) == (width >= 768, width < 768)
    window.page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})


def test_on_a_phone_the_list_is_cards(browser: Browser, compared: Path) -> None:
    """Numbers have their names, filters are folded and within reach; for a screen reader it is still a table."""
    with opened(browser, compared, size=PHONE, has_touch=True) as window:
        row = window.page.locator("#rows tr").first
        assert row.evaluate("one => one.getBoundingClientRect().width") > 340
        assert row.locator("td.number").first.evaluate("one => getComputedStyle(one, '::before').content") != "none"
        assert window.page.locator("#choose-category").is_hidden()
        window.page.click("#finder > summary")
        window.page.select_option("#choose-category", "#list?category=math")
        table = window.page.get_by_role("table", name="Conversations")
        table.get_by_role("row").nth(1).wait_for()
        assert table.get_by_role("columnheader").count() == 6
        window.quiet()


def test_on_paper(browser: Browser, many: Path) -> None:
    """All rows of the list, without its controls, what is folded unfolded; afterwards the screen is as it was."""
    with opened(browser, many) as window:
        page = window.page
        page.wait_for_selector("#rows a")
        before = page.locator("#rows tr").count()
        page.evaluate(
            "window.folded = []; addEventListener('beforeprint', () => window.folded.push("
            "[document.querySelectorAll('#rows tr').length, document.querySelectorAll('#overview details:not([open])').length]))"
        )
        whole = page.pdf()
        assert before < MANY
        assert page.evaluate("window.folded[0]") == [MANY, 0]
        assert page.locator("#overview details:not([open])").count() > 0
        assert whole.count(b"/Type /Page\n") + whole.count(b"/Type /Page ") + whole.count(b"/Type /Page/") > 5
        window.follow("#list?category=math")
        page.emulate_media(media="print")
        assert page.locator("#finder").is_hidden()
        assert page.locator("#chips button").is_visible(), "what is left out is told"
        assert page.locator("#conversations").is_visible()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        window.quiet()


def test_one_conversation_on_paper(window: Opened) -> None:
    """It alone, with its checks; in dark mode too it is dark on white."""
    window.go(TEAPOT)
    page = window.page
    page.wait_for_selector(".sheet")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("#overview").is_hidden()
    assert page.locator(".bar").first.is_hidden()
    assert page.locator(".checks li").first.is_visible()
    assert len(page.pdf()) > 10_000
    ink = page.locator(".reply-text").first.evaluate("one => getComputedStyle(one).color")
    assert sum(map(int, re.findall(r"\d+", ink))) < 3 * 80
    page.emulate_media(media="screen", color_scheme="light")


@pytest.mark.parametrize("arms", [1, 3])
def test_one_arm_and_three(browser: Browser, tmp_path: Path, arms: int) -> None:
    """Without a comparison nothing is said to have changed; with three each number has its arm's name."""
    with opened(browser, report_of(arms, tmp_path)) as window:
        page = window.page
        page.wait_for_selector("#rows a")
        heading = "Conversations, most checks failed first" if arms == 1 else "Conversations, most changed first"
        assert page.inner_text("#list-heading") == heading
        columns = [text.strip() for text in page.locator("#conversations thead th").all_text_contents()]
        assert columns[:5] == ["Conversation", "Probes", "Turns", "Checks passed", "Refusals"]
        assert columns[5:] == ([] if arms == 1 else ["What changed"])
        checks = page.locator("#rows tr").first.locator("td").nth(2)
        assert checks.inner_text().split("\n") == (
            ["3 of 3"] if arms == 1 else ["base 3 of 3", "arm 2 0 of 2", "arm 3 0 of 2"]
        )
        if arms == 3:
            assert page.locator("#rows .why li").first.text_content() == "most in arm 2:"
        assert window.unfit("#list") == []
        page.click("#rows a >> nth=0")
        page.wait_for_selector(".sheet")
        assert page.locator("#changed").is_hidden() == (arms == 1)
        assert page.locator(".turn").first.locator(".reply").count() == arms
        assert window.cut_off() == 0
        assert window.unfit("#conversation") == []
        window.quiet()


def test_without_javascript(browser: Browser, compared: Path) -> None:
    """The overview can be read, and a line says how to read the transcripts."""
    with opened(browser, compared, java_script_enabled=False) as window:
        assert window.page.locator("#overview h1").is_visible()
        said = window.page.inner_text("noscript")
        assert "JavaScript" in said
        assert "multiturn diff 20" in said
        assert window.page.locator("#listed").is_hidden()
        assert window.page.locator("#opening").is_hidden()


def test_a_browser_that_can_not_open_the_data_says_so(browser: Browser, compared: Path) -> None:
    """Instead of a blank page, at a conversation's address too: one that can't unpack, and one that knows other forms."""
    lacks = """
        if (location.hash) delete globalThis.DecompressionStream;
        else globalThis.DecompressionStream = class { constructor(form) { if (form === "deflate-raw") throw TypeError(form); } };
    """
    with opened(browser, compared) as window:
        window.page.add_init_script(lacks)
        for place in ("", TEAPOT):
            window.go(place)
            said = window.page.locator("#opening", has_text="can't be shown")
            said.wait_for()
            assert "multiturn diff 20" in said.inner_text()
            assert window.page.locator("#overview h1").is_visible()
        window.quiet()


def test_a_damaged_index_says_so(browser: Browser, compared: Path, tmp_path: Path) -> None:
    """The overview is there all the same."""
    text = compared.read_text(encoding="utf-8")
    start, rest = text.split('id="index">')
    file = tmp_path / "damaged.html"
    file.write_text(f'{start}id="index">AAAA{rest[40:]}', encoding="utf-8")
    with opened(browser, file) as window:
        window.page.locator("#opening", has_text="can't be shown").wait_for()
        assert window.page.locator("#overview h1").is_visible()
        assert window.errors == []
