"""Whatever a text holds, in whatever field: the page shows it and is made of the same pieces. No browser is needed."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

import pytest
from tests.report.page.filled import OF_CONVERSATION, OF_RUN, page_of
from tests.report.page.hostile import ATTRIBUTES, ELEMENTS, LETTERS, TEXTS
from tests.report.page.reading import MARKS, Parsed, parsed_whole, unpacked

from multiturn.report.page.page import page_text
from multiturn.text.printable import printable

PLAIN: Final = "plain words"
ALL_IN_ONE: Final = "".join((ELEMENTS | ATTRIBUTES | LETTERS).values())
HOLDS_ADDRESS: Final = frozenset(
    {"src", "href", "srcset", "action", "formaction", "data", "poster", "background", "ping", "xlink:href"}
)
FORBIDDEN: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\U000e0000-\U000e0fff]"
)


def parsed(of_conversation: dict[str, str], of_run: dict[str, str], arms: int = 2) -> list[Parsed]:
    """The page and its sheets."""
    return parsed_whole("".join(page_text(page_of([of_conversation], of_run, arms=arms))))


def elements(parts: list[Parsed]) -> Counter[str]:
    """How many there are of each, but for those that mark words."""
    found = sum((one.elements for one in parts), Counter[str]())
    return Counter({name: count for name, count in found.items() if name not in MARKS})


def addresses(parts: list[Parsed]) -> set[str]:
    """Where an element could lead or what it could fetch."""
    return {value for one in parts for _, name, value in one.attributes if name in HOLDS_ADDRESS}


@pytest.mark.parametrize("name", TEXTS)
def test_each_text_in_every_field_at_once(name: str) -> None:
    """No element more or less than with plain words, no handler, no style, no address but in the page; the text is there."""
    text = TEXTS[name]
    seen = parsed(dict.fromkeys(OF_CONVERSATION, text), dict.fromkeys(OF_RUN, text))
    assert elements(seen) == elements(parsed(dict.fromkeys(OF_CONVERSATION, PLAIN), dict.fromkeys(OF_RUN, PLAIN)))
    assert [one.handlers for one in seen] == [[]] * len(seen)
    assert not [one for part in seen for one in part.attributes if one[1] == "style"]
    assert all(address.startswith("#") for address in addresses(seen))
    shown = [printable(text) in part.text for part in seen]
    assert all(shown)


@pytest.mark.parametrize("arms", [1, 2, 4])
@pytest.mark.parametrize("field", [*OF_CONVERSATION, *OF_RUN])
def test_each_field_holds_all_at_once(field: str, arms: int) -> None:
    """Each field by itself, so that none hides behind another; with one arm, two and more."""
    of_conversation = {field: ALL_IN_ONE} if field in OF_CONVERSATION else {}
    of_run = {field: ALL_IN_ONE} if field in OF_RUN else {}
    plain = parsed(dict.fromkeys(of_conversation, PLAIN), dict.fromkeys(of_run, PLAIN), arms)
    seen = parsed(of_conversation, of_run, arms)
    assert elements(seen) == elements(plain)
    assert [one.handlers for one in seen] == [[]] * len(seen)


@pytest.mark.parametrize("name", LETTERS)
def test_no_control_character_is_in_the_file(name: str) -> None:
    """Neither in the page nor in a sheet; what reorders text neither, since a reader could not see what is there."""
    text = LETTERS[name]
    whole = "".join(page_text(page_of([dict.fromkeys(OF_CONVERSATION, text)], dict.fromkeys(OF_RUN, text))))
    assert not FORBIDDEN.search(whole)
    for chunk in Parsed(whole).chunks[1:]:
        assert not FORBIDDEN.search(unpacked(chunk).decode("utf-8"))


def test_the_page_reaches_out_to_nothing() -> None:
    """No address but in the page itself, and nothing is allowed by the policy but its own style and script."""
    seen = parsed({}, {})
    assert all(address.startswith("#") for address in addresses(seen))
    policy = next(value for _, name, value in seen[0].attributes if name == "content" and "default-src" in value)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules.pop("default-src") == "'none'"
    assert rules.pop("base-uri") == rules.pop("form-action") == "'none'"
    assert {name: re.sub(r"'sha256-[\w+/=]+'", "hash", rule) for name, rule in rules.items()} == {
        "style-src": "hash",
        "script-src": "hash",
    }
