"""The list of conversations in a browser: filters, text, order, chips, addresses, rows drawn as needed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import pytest
from tests.report.page.browser import Opened, opened
from tests.report.page.filled import page_of
from tests.report.page.reports import MANY, index_of, written

from multiturn.report.page.marking import LONGEST

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MATH: Final = "#list?category=math"
SELECTS: Final = ("capability", "category", "domain", "language", "status", "refusal", "check")


@pytest.fixture(name="window", scope="module")
def window_on_the_comparison(browser: Browser, compared: Path) -> Iterator[Opened]:
    with opened(browser, compared) as window:
        yield window
        window.quiet()


@pytest.fixture(name="crowd", scope="module")
def window_on_many(browser: Browser, many: Path) -> Iterator[Opened]:
    with opened(browser, many) as window:
        yield window
        window.quiet()


def names(window: Opened) -> list[str]:
    """The conversations whose rows are drawn."""
    found: list[str] = window.page.locator("#rows th a").all_inner_texts()
    return found


def count(window: Opened) -> str:
    found: str = window.page.locator("#count").inner_text()
    return found


def chips(window: Opened) -> list[str]:
    return [text.partition(" ×")[0] for text in window.page.locator("#chips button").all_inner_texts()]


def holding(index: dict[str, Any], *tags: tuple[str, str]) -> set[str]:
    """Conversations with all these tags, those of turns in one turn: counted here without the script."""
    known = [(tag["key"], tag["value"]) for tag in index["tags"]]
    whole = {known.index(tag) for tag in tags if index["tags"][known.index(tag)].get("whole")}
    others = {known.index(tag) for tag in tags} - whole
    return {
        row["id"]
        for row in index["rows"]
        if whole <= set(row["tags"]) and any(others <= set(turn) for turn in row["turn_tags"])
    }


def test_all_conversations_are_there_most_changed_first(window: Opened, compared: Path) -> None:
    """With what each probes, how many checks each arm passes, refusals, and why it stands where it stands."""
    window.go("")
    rows = index_of(compared)["rows"]
    assert names(window) == [row["id"] for row in rows]
    assert count(window) == "12 conversations"
    cells = window.page.locator("#rows tr").first.locator("td")
    probes, turns, checks, refusals, why = (cell.replace("\n", " ") for cell in cells.all_text_contents())
    assert (
        probes == "context retention, correction, recovery, instruction hierarchy, task persistencemath, seed catalogue"
    )
    assert turns == "6 turns"
    assert checks == "base 10 of 10 → tuned 2 of 10"
    assert refusals == "base 0 → tuned 4"
    assert why.startswith(
        f"turn 3: {rows[0]['what']}8 of 10 checks stopped passing4 of 6 replies became refusals2 more"
    )
    assert rows[0]["why"][-1] not in cells.last.inner_text(), "the rest of the reasons is folded"


@pytest.mark.parametrize("name", SELECTS)
def test_every_option_of_a_filter_finds_what_has_it(window: Opened, compared: Path, name: str) -> None:
    """As many as it says, those that hold its tag, with a chip that says so, in the address; "any" takes it away."""
    window.follow("#list")
    index = index_of(compared)
    known = {f"#list?{quote(tag['key'])}={quote(tag['value'], safe='')}": tag for tag in index["tags"]}
    select = window.page.locator(f"#choose-{name}")
    options = select.locator("option").evaluate_all("all => all.map(one => [one.value, one.textContent])")
    assert [value for value, _ in options[:2]] == ["", "several"]
    assert len(options) > 2
    for value, text in options[2:]:
        select.select_option(value)
        tag = known[value]
        expected = holding(index, (tag["key"], tag["value"]))
        assert set(names(window)) == expected, value
        assert text.endswith(f"({len(expected)})")
        assert count(window) == f"{len(expected)} of 12 conversations"
        assert chips(window) == [tag["words"]]
        assert window.page.evaluate("location.hash") == value
    select.select_option("")
    assert count(window) == "12 conversations"
    assert chips(window) == []
    assert window.page.evaluate("location.hash") == "#list"


def test_tags_of_turns_hold_of_one_turn(window: Opened, compared: Path) -> None:
    """Several filters at once: a conversation is found where one of its turns has all that is asked of a turn."""
    index = index_of(compared)
    pairs = [
        (("capability", tag["value"]), (arm, value))
        for tag in index["tags"]
        for arm, value in (("tuned.check", "fail"), ("tuned.refusal", "any"))
        if tag["key"] == "capability"
    ]
    for tags in pairs:
        window.follow("#list?" + "&".join(f"{key}={value}" for key, value in tags))
        assert set(names(window)) == holding(index, *tags)
    apart = [holding(index, tags[0]) & holding(index, tags[1]) - holding(index, *tags) for tags in pairs]
    assert any(apart), "some conversations have the two in different turns"


def test_filters_add_up(window: Opened, compared: Path) -> None:
    """Those of turns and those of conversations."""
    index = index_of(compared)
    both = holding(index, ("capability", "correction"), ("tuned.check", "fail"))
    window.follow("#list?capability=correction&tuned.check=fail")
    assert set(names(window)) == both
    category = next(row for row in index["rows"] if row["id"] in both)["tags"][0]
    window.page.select_option("#choose-category", f"#list?category={index['tags'][category]['value']}")
    assert 1 <= len(names(window)) < len(both)
    assert len(chips(window)) == 3


def test_two_values_of_one_key_are_a_choice(window: Opened, compared: Path) -> None:
    """Either holds; the select says that several are chosen, and each chip takes one away."""
    window.follow("#list?category=math&category=coding")
    index = index_of(compared)
    found = [holding(index, ("category", value)) for value in ("math", "coding")]
    assert set(names(window)) == found[0] | found[1]
    assert window.page.locator("#choose-category").input_value() == "several"
    window.page.click("#chips li:first-child button")
    assert set(names(window)) == found[1]
    assert window.page.evaluate("location.hash") == "#list?category=coding"
    assert window.page.evaluate("document.activeElement.parentElement.parentElement.id") == "chips", "focus stays near"


def test_what_has_no_filter_of_its_own_has_a_chip(window: Opened, compared: Path) -> None:
    """Addresses that the page's own counts lead to: a turn, a distance, what is raised in one arm only."""
    window.follow("#list?turn=3&moved=refusal&pattern=recall")
    assert chips(window) == ["turn 3", "refusal, in one arm only", "pattern: recall"]
    expected = holding(index_of(compared), ("turn", "3"), ("moved", "refusal"), ("pattern", "recall"))
    assert set(names(window)) == expected
    window.page.click("#clear")
    assert count(window) == "12 conversations"
    assert window.page.evaluate("document.activeElement.id") == "find"
    assert window.page.locator("#clear").is_hidden()


def test_text_is_found_in_what_was_said_and_in_ids(window: Opened) -> None:
    """Whatever the letters' case, over line ends too; not in what the page adds."""
    window.follow("#list")
    for text, found in (("CAN'T HELP with", 3), ("brass-teapot-swap", 1), ("checks stopped", 0)):
        window.page.fill("#find", text)
        window.until("#count", f"{found} of 12 conversations")
        assert chips(window) == [f"text: “{text}”"]
    assert len(names(window)) == 0
    window.page.fill("#find", "")
    window.until("#count", "12 conversations")


def test_what_is_found_is_what_someone_said(browser: Browser, tmp_path: Path) -> None:
    """A word that a fold cuts in two is found whole and marked; what one says and another goes on with is no text."""
    fields = {"user": "So it ends", "reply": f"{'x' * (LONGEST - 5)}strawberry ever after"}
    with opened(browser, written(page_of([fields], arms=1), tmp_path)) as window:
        window.follow("#list")
        for text, found in (("Strawberry", 1), ("straw berry", 0), ("berry ever", 1), ("ends xxx", 0)):
            window.page.fill("#find", text)
            window.until("#count", f"{found} of 1 conversation")
        window.page.fill("#find", "strawberry")
        window.until("#count", "1 of 1 conversation")
        window.page.click("#rows th a")
        window.page.wait_for_selector("#sheet article")
        assert window.page.evaluate("[...CSS.highlights.get('found')].map(String)")[:2] == ["straw", "berry"]
        window.quiet()


def test_text_in_the_address_and_beside_other_filters(crowd: Opened) -> None:
    """A phrase that goes over a line end in the reply, with marks that HTML has a meaning for; found in all chunks."""
    crowd.go(f"#list?q={quote('TEAPOT 7 of')}")
    crowd.until("#count", f"1 of {MANY} conversations")
    assert names(crowd) == ["talk-7"]
    assert crowd.page.input_value("#find") == "TEAPOT 7 of"
    crowd.go(f"#list?category=math&q={quote('<b>no</b> other, & ')}")
    crowd.until("#count", f"{MANY // 3} of {MANY} conversations")


def test_back_goes_through_filters(window: Opened) -> None:
    """Each choice is one step back, what was typed is one step however many letters it has; forward goes again."""
    window.follow("#list")
    page = window.page
    page.select_option("#choose-category", MATH)
    page.fill("#find", "mud")
    window.until("#chips button", "text: “mud” ×, take this filter away")
    page.fill("#find", "mudanza")
    window.until("#chips button", "text: “mudanza” ×, take this filter away")
    page.locator("#find").blur()
    page.go_back()
    assert chips(window) == ["category: math"]
    assert page.input_value("#find") == ""
    assert page.input_value("#choose-category") == MATH
    page.go_back()
    assert chips(window) == []
    assert page.locator("#choose-category").input_value() == ""
    page.go_forward()
    page.go_forward()
    assert chips(window) == ["category: math", "text: “mudanza”"]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("#list?colour=green", "There is no filter “colour” on this page"),
        ("#list?category=cooking", "No conversation on this page has category “cooking”; there is: coding, "),
        ("#list?order=sideways", "There is no order “sideways”; there is: changed, suite, name."),
        ("#list?q=%E0%A4%A", "can't be read"),
        ("#list?<script>alert(1)</script>", "There is no filter “<script>alert(1)</script>”"),
        ("#elsewhere", "There is no filter “elsewhere”"),
    ],
)
def test_a_nonsense_address_says_what_is_wrong(window: Opened, place: str, said: str) -> None:
    """And shows all."""
    window.follow(place)
    problem = window.page.locator("#list-problem")
    assert said in problem.inner_text()
    assert problem.inner_text().endswith("All 12 conversations are shown.")
    assert len(names(window)) == 12
    window.page.select_option("#choose-category", MATH)
    assert problem.is_hidden()


def test_order(window: Opened, compared: Path) -> None:
    """Most changed, as in the suite, by name; in the address, and the heading says it."""
    window.follow("#list")
    rows = index_of(compared)["rows"]
    heading = window.page.locator("#list-heading")
    window.page.select_option("#order", "suite")
    assert names(window) == [row["id"] for row in sorted(rows, key=lambda row: row["suite"])]
    assert heading.inner_text() == "Conversations, in the order of the suite"
    window.page.select_option("#order", "name")
    assert names(window) == sorted(row["id"] for row in rows)
    window.follow("#list?order=name")
    assert heading.inner_text() == "Conversations, by name"
    window.page.select_option("#order", "changed")
    assert heading.inner_text() == "Conversations, most changed first"
    assert window.page.evaluate("location.hash") == "#list"


def test_a_link_to_the_list_leads_there(window: Opened) -> None:
    """A count on the page: the list comes into view, and the keyboard goes on from its heading."""
    window.follow("#list")
    page = window.page
    page.evaluate("window.scrollTo(0, 0)")
    page.evaluate("document.querySelector('h1').innerHTML = '<a id=here href=\"#list?tuned.refusal=any\">3</a>'")
    page.click("#here")
    assert count(window) == "3 of 12 conversations"
    assert page.evaluate("document.activeElement.id") == "list-heading"
    assert abs(page.evaluate("document.getElementById('list').getBoundingClientRect().top")) < 200
    page.go_back()
    assert count(window) == "12 conversations"


def test_rows_are_drawn_as_they_are_needed(crowd: Opened) -> None:
    """Sixty at first, more when the end comes near, all by the button; names are sorted as numbers are."""
    crowd.go("#list?order=name")
    page = crowd.page
    assert names(crowd)[:3] == ["talk-0", "talk-1", "talk-2"]
    assert len(names(crowd)) < MANY
    for drawn in (120, MANY):
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        page.locator(f"#rows tr:nth-child({drawn})").wait_for()
    assert names(crowd) == [f"talk-{at}" for at in range(MANY)]
    assert page.locator("#more").is_hidden()


def test_the_button_draws_more(crowd: Opened) -> None:
    """For whoever does not scroll."""
    crowd.follow("#list")
    crowd.page.evaluate("scrollTo(0, 0)")
    before = len(names(crowd))
    crowd.page.locator("#more").evaluate("button => button.click()")
    assert len(names(crowd)) >= before + 60
    assert (
        crowd.page.locator("#more").inner_text()
        == f"Show {MANY - len(names(crowd))} more of {MANY - len(names(crowd))}"
    )


def test_a_filter_of_many_is_quick(crowd: Opened) -> None:
    """Shown within a tenth of a second, the rows included."""
    crowd.follow("#list")
    spent = crowd.page.evaluate(
        """() => Math.min(...Array.from({ length: 6 }, (_, at) => {
            const select = document.getElementById("choose-category");
            select.value = at % 2 ? "#list?category=math" : "#list?category=coding";
            const start = performance.now();
            select.dispatchEvent(new Event("change"));
            return performance.now() - start;
        }))"""
    )
    assert count(crowd) == f"{MANY // 3} of {MANY} conversations"
    assert spent < 100
