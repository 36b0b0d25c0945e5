"""Hostile texts in a real browser: every view is opened, nothing runs, and the page is made as with harmless twins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote

import pytest
from tests.report.page.browser import PHONE, Opened, opened
from tests.report.page.filled import OF_CONVERSATION, OF_RUN, page_of
from tests.report.page.hostile import ATTRIBUTES, ELEMENTS, HEAVY, LETTERS, TEXTS, harmless

from multiturn.report.page.links import conversation_link, list_link
from multiturn.report.page.page import write_page
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from multiturn.report.page.shown import Page

NAMES: Final = list(TEXTS)
TAGS: Final = ("domain", "category", "capability", "pattern", "language", "signal", "flag")
"""Fields that make filters, charts and tables: hostile in as many conversations as tables can be read of."""
TAGGED: Final = (*ATTRIBUTES, "script", "jinja", "prototype", "bidi overrides", "a filter", "a long word")
PATIENCE: Final = 5.0
"""Seconds of work within which a browser shows a reply of a megabyte; one is usual."""

OTHER_WORDS: Final = {"c0 and c1"}
"""Control characters are no words and their codes are, so that other words are marked."""
HTML: Final = "http://www.w3.org/1999/xhtml"
CENSUS: Final = """() => {
    const all = [...document.querySelectorAll("*")];
    const names = {};
    for (const one of all) {
        const name = `${one.namespaceURI} ${one.localName}`;
        names[name] = (names[name] ?? 0) + 1;
    }
    const attributes = all.flatMap((one) => [...one.attributes].map((found) => [one.localName, found.name, found.value]));
    const leads = /^(xlink:)?(href|src|srcset|action|data)$/;
    return {
        names,
        handlers: attributes.filter(([, name]) => /^on/i.test(name) || name === "style"),
        leads: attributes.filter(([, name, value]) => leads.test(name) && value[0] !== "#"),
        shadows: all.filter((one) => one.shadowRoot).length,
        frames: frames.length,
        wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        users: [...document.querySelectorAll("#sheet .user-text")].map((one) => one.innerText),
        replies: [...document.querySelectorAll("#sheet .reply-text")].map((one) => one.innerText),
    };
}"""
DRAWN: Final = "() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))"
UNFOLD: Final = """() => {
    for (const one of document.querySelectorAll("#sheet details, main:not([hidden]) details")) one.open = true;
}"""


WALK: Final = f"""async (places) => {{
    const census = {CENSUS};
    const unfold = {UNFOLD};
    const sheet = document.getElementById("sheet");
    const found = [];
    for (const place of places) {{
        const before = sheet.firstElementChild;
        location.hash = place;
        while (!sheet.firstElementChild || sheet.firstElementChild === before) {{
            await new Promise((later) => setTimeout(later));
        }}
        unfold();
        found.push(census());
    }}
    return found;
}}"""
"""Opens one conversation after the other, with all that is folded in it."""


def hostile_page(change: dict[str, str]) -> Page:
    """A conversation for each text, which is in all its fields; many in those of the runs."""
    texts = {name: change.get(name, text) for name, text in TEXTS.items()}
    many = " ".join(texts[name] for name in (*ELEMENTS, *ATTRIBUTES, *LETTERS))
    of_conversations = []
    for at, (name, text) in enumerate(texts.items()):
        fields = dict.fromkeys(OF_CONVERSATION, text) | {"id": id_of(text, at)}
        plain = {} if name in TAGGED else {tag: OF_CONVERSATION[tag] for tag in TAGS}
        of_conversations.append(fields | plain)
    return page_of(of_conversations, dict.fromkeys(OF_RUN, many))


def id_of(text: str, at: int) -> str:
    """An id that no other conversation has."""
    return f"{text[:150]}#{at}"


def addresses(change: dict[str, str]) -> list[str]:
    """Each conversation's, in the order of the texts."""
    return [conversation_link(id_of(change.get(name, text), at)) for at, (name, text) in enumerate(TEXTS.items())]


TWINS: Final = {name: harmless(text) for name, text in TEXTS.items()}


@pytest.fixture(name="folder", scope="module")
def folder_of_pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the hostile page, its twin, and one whose replies are a megabyte long."""
    folder = tmp_path_factory.mktemp("hostile")
    write_page(folder / "hostile.html", hostile_page({}))
    write_page(folder / "twin.html", hostile_page(TWINS))
    write_page(folder / "heavy.html", page_of([{"id": name, "aside": text} for name, text in HEAVY.items()]))
    return folder


@pytest.fixture(name="window")
def open_window(browser: Browser, folder: Path) -> Iterator[Opened]:
    """The hostile page; whatever a test does with it, it stays quiet."""
    with opened(browser, folder / "hostile.html") as window:
        yield window
        window.quiet()


def census(window: Opened) -> Counter[str]:
    """All elements by name; nothing in them acts or leads away."""
    return elements(window.page.evaluate(CENSUS))


def elements(found: dict[str, Any]) -> Counter[str]:
    """Those of a census."""
    assert (found["handlers"], found["leads"], found["shadows"], found["frames"]) == ([], [], 0, 0)
    return Counter(found["names"])


def go(window: Opened, address: str) -> None:
    """To another place of the same page."""
    window.page.evaluate("(address) => { location.hash = address; }", address)


def whole_list(window: Opened) -> None:
    """Draw all rows."""
    window.page.locator("#rows tr").first.wait_for()
    window.page.evaluate("() => { const more = document.getElementById('more'); while (!more.hidden) more.click(); }")
    window.page.evaluate(UNFOLD)


def test_the_overview_is_made_as_with_harmless_texts(browser: Browser, folder: Path) -> None:
    """First screen, charts, tables and the whole list, with all that is folded opened."""
    counted = []
    for name in ("hostile.html", "twin.html"):
        with opened(browser, folder / name) as window:
            whole_list(window)
            assert window.page.locator("#rows tr").count() == len(TEXTS)
            counted.append(census(window))
            window.quiet()
    for (
        found
    ) in counted:  # how much a conversation changed is told by its words, which pictures of control codes are not
        found.pop(f"{HTML} li")
    assert counted[0] == counted[1]


@pytest.fixture(name="walks", scope="module")
def walks_through_both(browser: Browser, folder: Path) -> list[list[dict[str, Any]]]:
    """What there is in each conversation, of the hostile page and of its twin, on a phone."""
    found = []
    for name, change in (("hostile.html", {}), ("twin.html", TWINS)):
        with opened(browser, folder / name, size=PHONE) as window:
            found.append(window.page.evaluate(WALK, addresses(change)))
            window.quiet()
    return found


def test_each_conversation_is_made_as_with_harmless_texts(walks: list[list[dict[str, Any]]]) -> None:
    """One after the other, unfolded."""
    both = zip(NAMES, *walks, strict=True)
    differing = {name for name, one, other in both if elements(one) != elements(other)}
    assert differing <= OTHER_WORDS


def test_what_was_said_is_there_letter_for_letter(walks: list[list[dict[str, Any]]]) -> None:
    """Of the user and of both models, with all spaces and line ends; a browser tells none at the end of a block."""
    shown = {
        name: [sum(printable(text).rstrip("\n") in one for one in found[said]) for said in ("users", "replies")]
        for (name, text), found in zip(TEXTS.items(), walks[0], strict=True)
    }
    assert {name: counts for name, counts in shown.items() if counts != [3, 5]} == {}


def test_no_text_makes_the_page_wider_than_a_phone(
    browser: Browser, folder: Path, walks: list[list[dict[str, Any]]]
) -> None:
    """Neither the overview nor a conversation has to be moved sideways."""
    assert {name: one["wider"] for name, one in zip(NAMES, walks[0], strict=True) if one["wider"]} == {}
    with opened(browser, folder / "hostile.html", size=PHONE) as window:
        whole_list(window)
        assert window.overflow() == 0


CHOOSE: Final = """() => [...document.querySelectorAll("select[data-choice]")].flatMap((select) => {
    const found = [...select.options].filter((one) => one.value.startsWith("#")).map((option) => {
        select.value = option.value;
        select.dispatchEvent(new Event("change"));
        return [option.textContent, document.getElementById("count").textContent];
    });
    select.value = "";
    select.dispatchEvent(new Event("change"));
    return found;
})"""


def test_every_filter_can_be_used(window: Opened) -> None:
    """Each option of each filter finds as many conversations as it says."""
    window.page.locator("#rows tr").first.wait_for()
    found = window.page.evaluate(CHOOSE)
    assert len(found) > 3 * len(TAGGED)
    said = [(label.rpartition("(")[2].rstrip(")"), count.split()[0]) for label, count in found]
    assert [one for one, other in said] == [other for one, other in said]
    census(window)


@pytest.mark.parametrize(
    "name", [*ELEMENTS, *ATTRIBUTES, "a pattern", "prototype", "tabs", "bidi overrides", "composed otherwise"]
)
def test_each_text_is_found_by_itself(window: Opened, name: str) -> None:
    """Looked for as it is shown, its conversation is in the list."""
    words = max(printable(TEXTS[name]).split("\n"), key=len)[:60].strip()
    go(window, list_link({}, words))
    window.page.locator("#count", has_text=" of ").wait_for()
    assert int(window.page.locator("#count").inner_text().split()[0]) < len(NAMES)
    found = window.page.locator("#rows th a").evaluate_all("(all) => all.map((one) => one.hash)")
    assert unquote(addresses({})[NAMES.index(name)]) in {unquote(one.partition("&")[0]) for one in found}
    census(window)


VISIT: Final = """async (places) => {
    const names = new Set();
    for (const place of places) {
        location.hash = place;
        await new Promise((shown) => setTimeout(shown, 5));
        for (const one of document.querySelectorAll("*")) names.add(one.localName);
    }
    return [...names].sort();
}"""


FORMS: Final = ("#c={}", "#list?q={}", "#list?{}={}", "#list?domain={}", "#{}", "#c={}&t={}&s={}")


@pytest.mark.parametrize("form", FORMS)
def test_no_address_brings_anything_onto_the_page(window: Opened, form: str) -> None:
    """Whoever sends a link to a report chooses what stands behind its #."""
    usual = window.page.evaluate(VISIT, [form.replace("{}", "a%20stranger"), *addresses({})[:1]])
    some = list(TEXTS.values())[FORMS.index(form) % 3 :: 3]
    texts = [text if at % 2 else quote(text, safe="") for at, text in enumerate(some)]
    assert set(window.page.evaluate(VISIT, [form.replace("{}", text) for text in texts])) <= {*usual}
    census(window)


@pytest.mark.parametrize("name", HEAVY)
def test_a_megabyte_in_one_reply_is_opened_soon(browser: Browser, folder: Path, name: str) -> None:
    """With its beginning; the rest is folded, is opened as soon, and is all there. On a phone, too, it fits."""
    with opened(browser, folder / "heavy.html", size=PHONE) as window:
        window.page.set_default_timeout(120_000)
        before = work(window)
        go(window, conversation_link(name))
        window.page.locator("#sheet:not([aria-busy]) article").wait_for()
        window.page.evaluate(DRAWN)
        assert work(window) - before < PATIENCE
        window.page.evaluate(UNFOLD)
        window.page.evaluate(DRAWN)
        assert work(window) - before < 2 * PATIENCE
        assert window.overflow() == 0
        assert printable(HEAVY[name]) in "".join(window.page.locator("#sheet .reply-text").all_text_contents())
        window.page.keyboard.press("Escape")
        window.page.locator("#rows").wait_for()
        window.quiet()


def work(window: Opened) -> float:
    """Seconds that the page's own thread has worked: what others do on the machine does not count."""
    session = window.page.context.new_cdp_session(window.page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    found = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return float(found["ThreadTime"])


INTRUDERS: Final = {
    "script": "const s = document.createElement('script'); s.textContent = 'canary()'; document.body.append(s)",
    "handler": "document.body.insertAdjacentHTML('beforeend', '<b onclick=canary()>x</b>'); document.body.lastChild.click()",
    "script address": "location.href = 'javascript:canary()'",
    "eval": "setTimeout('canary()')",
    "style": "document.body.setAttribute('style', 'color: red')",
    "style element": "const s = document.createElement('style'); s.textContent = '*{}'; document.body.append(s)",
    "picture": "document.body.insertAdjacentHTML('beforeend', '<img src=https://canary.example/p alt=\"\">')",
    "request": "fetch('https://canary.example/f').catch(() => 0)",
    "frame": "document.body.insertAdjacentHTML('beforeend', '<iframe src=https://canary.example/f></iframe>')",
    "form": "document.body.insertAdjacentHTML('beforeend', '<form action=https://canary.example/f></form>'); document.body.lastChild.submit()",
    "base": "const b = document.createElement('base'); b.href = 'https://canary.example/'; document.head.append(b)",
    "worker": "try { new Worker('data:text/javascript,0') } catch { 0 }",
}


@pytest.mark.parametrize("kind", INTRUDERS)
def test_what_gets_in_all_the_same_is_stopped_by_the_policy(browser: Browser, folder: Path, kind: str) -> None:
    """Put into the page by hand, as a fault of ours would; so a quiet page above is one that held nothing."""
    with opened(browser, folder / "twin.html") as window:
        window.page.evaluate("() => { window.ran = false; window.canary = () => { window.ran = true; }; }")
        window.page.evaluate(f"() => {{ {INTRUDERS[kind]} }}")
        waited = 0
        while not window.violations and waited < 100:
            window.page.wait_for_timeout(50)
            waited += 1
        assert window.violations
        assert window.page.evaluate("window.ran") is False
