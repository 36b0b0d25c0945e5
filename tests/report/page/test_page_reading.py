"""One conversation in a browser: the way there and back, its neighbours, marks, keys, prompts, odd ids."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from tests.report.page import reports
from tests.report.page.browser import Opened, opened
from tests.report.page.reports import ODD_IDS, index_of, unpacked

from multiturn.report.page.links import conversation_link
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TEAPOT: Final = "brass-teapot-swap-sides"


@pytest.fixture(name="window", scope="module")
def window_on_the_comparison(browser: Browser, compared: Path) -> Iterator[Opened]:
    with opened(browser, compared) as window:
        yield window
        window.quiet()


def heading(window: Opened) -> str:
    found: str = window.page.locator("#sheet h2").inner_text()
    return found


def focused(window: Opened) -> str:
    """The text of what has the keyboard."""
    text: str = window.page.evaluate("document.activeElement.innerText")
    return text


def position(window: Opened) -> str:
    found: str = window.page.locator("#position").inner_text()
    return found


def top(window: Opened, selector: str) -> float:
    """How far below the window's upper edge it begins, in pixels."""
    pixels: float = window.page.locator(selector).first.evaluate("one => one.getBoundingClientRect().top")
    return pixels


def test_a_row_leads_to_the_turn_that_proves_most(window: Opened, compared: Path) -> None:
    """The overview gives way; the turn is in sight, marked, and has the keyboard."""
    window.follow("#list")
    row = index_of(compared)["rows"][0]
    title = window.page.title()
    window.page.click("#rows a >> nth=0")
    window.page.wait_for_selector(".led-to")
    assert heading(window) == row["id"]
    assert window.page.title() == f"{row['id']} – {title}"
    assert window.page.locator("#overview").is_hidden()
    assert window.page.evaluate("location.hash") == conversation_link(row["id"], row["turn"] - 1)
    assert window.page.locator(".led-to").get_attribute("data-turn") == str(row["turn"])
    assert focused(window).startswith(f"Turn {row['turn']}")
    assert 0 <= top(window, ".led-to") < 100
    assert window.page.locator("#reasons li").all_inner_texts() == row["why"]


def test_a_page_without_a_place_begins_at_its_top(window: Opened) -> None:
    """Nothing is scrolled, and the keyboard begins at the beginning."""
    window.go("")
    window.page.wait_for_selector("#rows a")
    assert window.page.evaluate("scrollY") == 0
    assert window.page.evaluate("document.activeElement === document.body")


def test_back_to_the_list_where_it_was_left(window: Opened) -> None:
    """By the link, by Escape and by the browser: filter, place and keyboard are as they were."""
    window.follow("#list?tuned.check=fail")
    page = window.page
    for way in (lambda: page.click(".back >> nth=0"), lambda: page.keyboard.press("Escape"), page.go_back):
        link = page.locator("#rows a").nth(5)
        link.scroll_into_view_if_needed()
        page.evaluate("scrollBy(0, 40)")
        down, name = page.evaluate("scrollY"), link.inner_text()
        link.click()
        page.wait_for_selector(".sheet")
        way()
        page.wait_for_selector("#overview")
        assert page.locator("#conversation").is_hidden()
        assert focused(window) == name
        assert abs(page.evaluate("scrollY") - down) < 3
        assert page.locator("#chips button").count() == 1


def test_back_to_a_link_of_the_overview(window: Opened, compared: Path) -> None:
    """A conversation that was opened from above the list, at another turn than its row leads to."""
    window.follow("#list")
    page = window.page
    name = index_of(compared)["rows"][11]["id"]
    page.evaluate(f"document.querySelector('h1').innerHTML = '<a id=here href=\"#c={name}&t=2\">read</a>'")
    page.click("#here")
    page.wait_for_selector(".led-to")
    page.keyboard.press("Escape")
    page.wait_for_selector("#overview")
    assert page.evaluate("document.activeElement.id") == "here"
    assert page.evaluate("scrollY") == 0


def test_neighbours_are_those_of_the_filtered_list(window: Opened, compared: Path) -> None:
    """Next and previous by link and by key; the ends are ends; back in the list the keyboard is at the last one read."""
    window.follow("#list?tuned.refusal=any")
    page = window.page
    found = page.locator("#rows a").all_inner_texts()
    assert len(found) == 3
    page.click("#rows a >> nth=0")
    page.wait_for_selector(".sheet")
    assert position(window) == "1 of 3 found"
    assert page.locator(".previous").first.get_attribute("href") is None
    for at, key in ((1, "j"), (2, "ArrowRight"), (1, "k"), (0, "ArrowLeft"), (0, "k")):
        page.keyboard.press(key)
        window.until("#sheet h2", found[at])
        assert position(window) == f"{at + 1} of 3 found"
    page.click(".next >> nth=1")
    window.until("#sheet h2", found[1])
    page.keyboard.press("Escape")
    page.wait_for_selector("#overview")
    assert focused(window) == found[1]
    page.evaluate("location.hash = '#list'")
    page.evaluate(f"location.hash = '#c={index_of(compared)['rows'][11]['id']}'")
    window.until("#position", "12 of 12")
    assert page.locator(".next").first.get_attribute("href") is None


def test_turns_that_are_asked_for_are_marked(window: Opened, compared: Path) -> None:
    """All of them, in words; the row leads to the first one where the proof is none of them."""
    window.follow("#list?tuned.refusal=any&turn=5")
    name = window.page.locator("#rows a").first.inner_text()
    assert window.page.locator("#rows a").first.get_attribute("href") == f"#c={name}&t=5"
    window.page.click("#rows a >> nth=0")
    window.page.wait_for_selector(".asked-for")
    marked = window.page.locator(".asked-for")
    assert marked.evaluate_all("all => all.map(one => one.dataset.turn)") == ["5"]
    assert marked.first.inner_text().startswith("This turn is what you filtered for.")
    window.follow("#list?tuned.refusal=any")
    window.page.click("#rows a >> nth=0")
    window.page.wait_for_selector(".asked-for")
    assert marked.evaluate_all("all => all.map(one => one.dataset.turn)") == ["3", "4", "5", "6"]
    window.page.keyboard.press("Escape")
    window.page.wait_for_selector("#overview")
    assert window.page.locator("#rows th").first.inner_text().split("\n")[1:] == ["turns 3, 4, 5, 6"]
    assert index_of(compared)["rows"][0]["turn"] == 3


def test_words_that_are_asked_for_are_highlighted(window: Opened) -> None:
    """In what was said, in every place; the conversation opens where they are said first."""
    window.follow("#list?q=HELP with")
    window.until("#count", "3 of 12 conversations")
    window.page.click("#rows a >> nth=0")
    window.page.wait_for_selector(".led-to")
    marked = window.page.evaluate("[...CSS.highlights.get('found')].map(String)")
    assert marked == ["help with"] * 4
    assert window.page.locator(".led-to").get_attribute("data-turn") == "3"
    window.follow("#list?q=coins for a brass teapot")
    window.until("#count", "1 of 12 conversations")
    window.page.click("#rows a >> nth=0")
    window.page.wait_for_selector(".led-to")
    assert window.page.locator(".led-to").get_attribute("data-turn") == "1"


def test_a_link_from_outside_leads_to_a_turn(window: Opened) -> None:
    """With the file's address and a place; loaded again, it is the same place."""
    window.go(f"#c={TEAPOT}&t=4")
    window.page.wait_for_selector(".led-to")
    assert focused(window).startswith("Turn 4")
    window.page.reload()
    window.page.wait_for_selector(".led-to")
    assert heading(window) == TEAPOT
    window.page.click(".back >> nth=0")
    window.until("#count", "12 conversations")


def test_a_filter_outlives_loading_again(window: Opened) -> None:
    """In a conversation that was opened from a filtered list."""
    window.follow("#list?tuned.refusal=any")
    window.page.click("#rows a >> nth=1")
    window.until("#position", "2 of 3 found")
    window.page.reload()
    window.until("#position", "2 of 3 found")


def test_an_unknown_id_says_so(window: Opened) -> None:
    """And names those that are near."""
    window.follow("#c=brass-teapot-swap-slides")
    window.page.wait_for_selector("#sheet a")
    assert "There is no conversation “brass-teapot-swap-slides” on this page. Near it: " in window.page.inner_text(
        "#sheet"
    )
    window.page.click("#sheet a >> nth=0")
    window.until("#sheet h2", TEAPOT)
    window.follow("#c=%E0%A4%A")
    assert "no conversation “%E0%A4%A”" in window.page.inner_text("#sheet")


def test_keys_are_shown_and_can_be_switched_off(window: Opened) -> None:
    """? opens them, Escape closes them and leads nowhere else; switched off, single keys do nothing."""
    window.follow(f"#c={TEAPOT}")
    page = window.page
    page.wait_for_selector(".sheet")
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("#keys").is_hidden()
    assert heading(window) == TEAPOT
    page.keyboard.press("?")
    page.check("#keys-off")
    page.click("#close-keys")
    page.keyboard.press("j")
    page.keyboard.press("?")
    assert page.locator("#keys").is_hidden()
    assert heading(window) == TEAPOT
    page.click(".show-keys >> nth=1")
    page.uncheck("#keys-off")
    page.click("#close-keys")
    page.keyboard.press("j")
    page.locator("#sheet h2", has_not_text=TEAPOT).wait_for()


def test_letters_in_a_field_are_letters(window: Opened) -> None:
    """The slash leads to the field, from a conversation too; there keys are text."""
    window.follow(f"#c={TEAPOT}")
    page = window.page
    page.wait_for_selector(".sheet")
    page.keyboard.press("/")
    page.wait_for_selector("#find:focus")
    page.keyboard.type("jk/?")
    assert page.input_value("#find") == "jk/?"
    assert page.locator("#overview").is_visible()
    assert page.locator("#keys").is_hidden()


def test_from_the_first_screen_to_a_transcript_and_back_by_keyboard(window: Opened) -> None:
    """Skip link, tabs through the filters, a row, the sheet, back; no place where the keyboard is trapped."""
    window.go("")
    page = window.page
    page.wait_for_selector("#rows a")
    page.keyboard.press("Tab")
    assert focused(window) == "To the conversations"
    page.keyboard.press("Enter")
    page.wait_for_selector("#list-heading:focus")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#rows') !== null"):
            break
    name = focused(window)
    page.keyboard.press("Enter")
    page.wait_for_selector(".led-to")
    assert heading(window) == name
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Escape")
    page.wait_for_selector("#overview")
    assert focused(window) == name
    for _ in range(300):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            return
    pytest.fail("the keyboard does not leave the page")


def test_prompts_are_put_together(window: Opened) -> None:
    """A prompt lies in the sheet as what it adds; opened, it is whole, and that of an earlier turn is not touched."""
    window.follow(f"#c={TEAPOT}")
    window.page.wait_for_selector(".sheet")
    prompts = window.page.locator("pre.prompt[data-arm='1']")
    adds = prompts.all_text_contents()
    assert len(adds) == 5
    kept = [int(one) for one in prompts.evaluate_all("all => all.map(one => one.dataset.kept)")]
    assert kept[0] == 0
    assert all(kept[1:])
    whole = ""
    wholes = [whole := whole[:keeps] + more for keeps, more in zip(kept, adds, strict=True)]
    window.page.locator("details:has(> pre.prompt[data-arm='1'][data-turn='4']) > summary").click()
    window.page.locator("pre.prompt[data-arm='1'][data-turn='4']", has_text=wholes[3][:40]).wait_for()
    assert prompts.all_text_contents() == [*adds[:3], wholes[3], adds[4]]
    window.page.locator("details:has(> pre.prompt[data-arm='1'][data-turn='5']) > summary").click()
    window.page.locator("pre.prompt[data-arm='1'][data-turn='5']", has_text=wholes[4][:40]).wait_for()
    assert prompts.last.text_content() == wholes[4]


def test_of_a_prompt_characters_are_kept(window: Opened) -> None:
    """Whole ones, also where JavaScript counts one as two; what the turn before had behind them is not in it."""
    window.go(f"#c={TEAPOT}")
    window.page.wait_for_selector(".sheet")
    window.page.evaluate(
        """() => {
            const [first, second] = document.querySelectorAll("pre.prompt[data-arm='0']");
            first.textContent = "a\U0001f642b and more";
            second.textContent = " then";
            second.dataset.kept = 3;
        }"""
    )
    window.page.locator("details:has(> pre.prompt[data-arm='0'][data-turn='2']) > summary").click()
    window.until("pre.prompt[data-arm='0'][data-turn='2']", "a\U0001f642b then")


def test_several_samples(browser: Browser, tmp_path: Path) -> None:
    """The row says how often it was held; the second sample's turn is led to."""
    file = reports.compared_report(tmp_path, samples=2, only=(TEAPOT, "garden-concert-new-day"))
    with opened(browser, file) as window:
        assert window.page.locator("#rows tr").first.locator("td").nth(1).text_content() == "5 turns held 2 times"
        window.page.evaluate(f"location.hash = '#c={TEAPOT}&t=3&s=2'")
        window.page.wait_for_selector(".led-to")
        place = window.page.locator(".led-to")
        assert (place.get_attribute("data-turn"), place.get_attribute("data-sample")) == ("3", "2")
        window.page.evaluate("location.hash = '#list?tuned.status=length'")
        window.page.click("#rows a >> nth=0")
        window.page.wait_for_selector(".asked-for")
        marked = window.page.locator(".asked-for").evaluate_all("all => all.map(one => one.dataset.sample)")
        assert set(marked) == {"1", "2"}
        window.quiet()


def test_odd_ids(browser: Browser, odd: Path) -> None:
    """Whatever an id holds, its row leads to its sheet, and so does its address, from outside too."""
    with opened(browser, odd) as window:
        page = window.page
        rows = [row["id"] for row in index_of(odd)["rows"]]
        assert sorted(rows) == sorted(ODD_IDS)
        assert page.locator("#rows a").all_text_contents() == [printable(name) for name in rows]
        hrefs: list[str] = page.locator("#rows a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
        for at, name in enumerate(ODD_IDS):
            window.follow(hrefs[rows.index(name)])
            window.until("#sheet h2", printable(name))
            assert f"reply {at}" in page.inner_text(".sheet")
            assert page.locator(".led-to").get_attribute("data-turn") == "1"
            window.follow(conversation_link(name, 1))
            page.wait_for_selector(".led-to[data-turn='2']")
            assert f"reply {at}" in page.inner_text(".sheet")
            assert window.cut_off() == 0
        for name in (ODD_IDS[0], ODD_IDS[3]):
            window.go(conversation_link(name, 1))
            window.until("#sheet h2", printable(name))
        window.quiet()


def test_a_broken_chunk_says_so(browser: Browser, compared: Path, tmp_path: Path) -> None:
    """The list is there all the same, a search tells what it could not read, the conversation says that it is damaged."""
    text = compared.read_text(encoding="utf-8")
    chunk = text.split('class="chunk">')[1].split("<")[0]
    file = tmp_path / "broken.html"
    file.write_text(text.replace(chunk, chunk[: len(chunk) // 2]), encoding="utf-8")
    assert len(unpacked(compared)) == 2
    with opened(browser, file) as window:
        window.page.click("#rows a >> nth=0")
        window.page.wait_for_selector("#sheet h2")
        assert "damaged" in window.page.inner_text("#sheet")
        window.page.keyboard.press("/")
        window.page.wait_for_selector("#find:focus")
        window.page.fill("#find", "kettle")
        window.until("#count", "0 of 12 conversations")
        assert window.page.inner_text("#progress") == "1 of 1 parts of this file are damaged and can't be read"
        assert window.errors == []
