"""Whatever a text holds, in whatever field: the page shows it and is made of the same pieces. No browser is needed."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

import pytest
from tests.report.page import hostile
from tests.report.page.filled import OF_CONVERSATION, OF_RUN, page_of
from tests.report.page.hostile import FAMILIES, LETTERS, TEXTS, harmless
from tests.report.page.reading import Parsed, parsed_whole, unpacked

from multiturn import api
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.report.page.page import page_text
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FORBIDDEN: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\U000e0000-\U000e0fff]"
)
UNSHOWN: Final = frozenset({"link", "check_kind", "created", "signal_reason"})
"""Fields that are not on the page."""


def page(texts: Sequence[str], arms: int = 2) -> str:
    """A conversation for each text, which is in all its fields; all texts are in each field of the runs."""
    of_run = {name: f"{' '.join(texts)} ({name})" for name in OF_RUN}
    of_conversations = [
        {name: f"{text} ({name})" for name in OF_CONVERSATION} | {"id": f"{text[:150]} ({at})"}
        for at, text in enumerate(texts)
    ]
    return "".join(page_text(page_of(of_conversations, of_run, arms=arms)))


def elements(parts: list[Parsed]) -> Counter[str]:
    """How many there are of each."""
    return sum((one.elements for one in parts), Counter[str]())


@pytest.mark.parametrize(
    ("family", "arms"), [*((family, arms) for family in FAMILIES for arms in (1, 2)), ("attributes", 4)]
)
def test_each_text_in_every_field(family: str, arms: int) -> None:
    """No element more or less than with harmless twins, no handler, no style, no address but in the page itself."""
    texts = list(FAMILIES[family].values())
    seen = parsed_whole(page(texts, arms))
    assert elements(seen) == elements(parsed_whole(page(list(map(harmless, texts)), arms)))
    assert [one.handlers for one in seen] == [[]] * len(seen)
    assert not [one for part in seen for one in part.attributes if one[1] == "style"]
    assert {one for part in seen for one in part.addresses if not one.startswith("#")} == set()


@pytest.mark.parametrize("name", TEXTS)
def test_each_text_is_shown_letter_for_letter(name: str) -> None:
    """In a reply, with control characters as pictures or codes."""
    fields = {"reply": TEXTS[name], "user": TEXTS[name], "system": TEXTS[name]}
    sheet = parsed_whole("".join(page_text(page_of([fields], arms=1))))[1]
    assert sheet.text.count(printable(TEXTS[name])) >= 3


def test_a_model_that_says_them_is_compared_and_shown(tmp_path: Path) -> None:
    """Held, stored, read and compared as a user would; but for words that a chat template reads, which are cut off."""
    said = {name: text for name, text in TEXTS.items() if name != "chat"}
    conversations = tuple(Conversation(id=name, turns=(Turn(text=text),)) for name, text in said.items())
    job = api.Job(suite=Suite(name="s", conversations=conversations), store=tmp_path / "runs.db")
    spec, file = f"scripted:{hostile.__name__}:say", tmp_path / "report.html"
    api.compare(spec, spec, job, results=None, page=file)
    sheets = parsed_whole(file.read_text(encoding="utf-8"))[1:]
    assert len(sheets) == len(said)
    for (name, text), sheet in zip(said.items(), sheets, strict=True):
        assert sheet.text.count(printable(text).strip()) >= 3, name


@pytest.mark.parametrize("field", sorted({*OF_CONVERSATION, *OF_RUN} - UNSHOWN))
def test_each_field_is_shown(field: str) -> None:
    """So that what is tested above is on the page, and a reader misses nothing."""
    text = "<b>seldom</b> & {{ seen }}"
    of_conversation = {field: text} if field in OF_CONVERSATION else {}
    of_run = {field: text} if field in OF_RUN else {}
    seen = parsed_whole("".join(page_text(page_of([of_conversation], of_run))))
    assert any(text in part.text for part in seen)


@pytest.mark.parametrize("name", LETTERS)
def test_no_control_character_is_in_the_file(name: str) -> None:
    """Neither in the page nor in a sheet; what reorders text neither, since a reader could not see what is there."""
    whole = page([LETTERS[name]])
    assert not FORBIDDEN.search(whole)
    for chunk in Parsed(whole).chunks[1:]:
        assert not FORBIDDEN.search(unpacked(chunk).decode("utf-8"))


def test_the_page_reaches_out_to_nothing() -> None:
    """Nothing is allowed by the policy but the page's own style and script; these, too, name no other place."""
    seen = Parsed(page(["a"]))
    policy = next(value for _, name, value in seen.attributes if name == "content" and "default-src" in value)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules.pop("default-src") == "'none'"
    assert rules.pop("base-uri") == rules.pop("form-action") == "'none'"
    assert {name: re.sub(r"'sha256-[\w+/=]+'", "hash", rule) for name, rule in rules.items()} == {
        "style-src": "hash",
        "script-src": "hash",
    }
    (style,), (script,) = seen.styles, seen.scripts
    assert not re.search(r"url\(|@import|//", style)
    assert not re.search(r"\beval\(|\bFunction\(|fetch\(|XMLHttpRequest|import\(|https?:", script)
