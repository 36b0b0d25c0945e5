"""Whatever a judge is called or says, and whatever a reply made it say: it is shown, and nothing is made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from tests.report.page.filled import OF_CONVERSATION, OF_RUN
from tests.report.page.hostile import FAMILIES, LETTERS, TEXTS, harmless
from tests.report.page.judged_fields import OF_JUDGES, judged_page
from tests.report.page.reading import Parsed, parsed_whole, unpacked
from tests.report.page.test_page_hostile import FORBIDDEN

from multiturn.report.page.page import page_text
from multiturn.text.printable import printable


def page(texts: Sequence[str]) -> str:
    """All texts in each field of the judges and of what they say of one conversation."""
    said = {name: f"{' '.join(texts)} ({name})" for name in OF_JUDGES}
    return "".join(page_text(judged_page([OF_CONVERSATION], OF_RUN, said)))


def elements(parts: list[Parsed]) -> Counter[str]:
    return sum((one.elements for one in parts), Counter[str]())


@pytest.mark.parametrize("family", FAMILIES)
def test_each_text_in_every_field_of_a_judge(family: str) -> None:
    """No element more or less than with harmless twins, no handler, no style, no address but in the page itself."""
    texts = list(FAMILIES[family].values())
    seen = parsed_whole(page(texts))
    assert elements(seen) == elements(parsed_whole(page(list(map(harmless, texts)))))
    assert [one.handlers for one in seen] == [[]] * len(seen)
    assert not [one for part in seen for one in part.attributes if one[1] == "style"]
    assert {one for part in seen for one in part.addresses if not one.startswith("#")} == set()


@pytest.mark.parametrize("name", TEXTS)
def test_what_a_judge_says_is_shown_letter_for_letter(name: str) -> None:
    """Its reasons, as far as they stand on one line, and all that it wrote where no verdict can be read."""
    said = {"grade_reason": TEXTS[name], "wrote": TEXTS[name]}
    sheet = parsed_whole("".join(page_text(judged_page([OF_CONVERSATION], OF_RUN, said))))[1]
    shown = " ".join(sheet.text.split())
    assert shown.count(" ".join(printable(TEXTS[name]).split())) >= 2 * 2, "in both arms, each in two places"


@pytest.mark.parametrize("field", OF_JUDGES)
def test_each_field_is_shown(field: str) -> None:
    """So that what is tested above is on the page, and a reader misses nothing."""
    text = "<b>seldom</b> & {{ seen }}"
    seen = parsed_whole("".join(page_text(judged_page([OF_CONVERSATION], OF_RUN, {field: text}))))
    assert any(text.casefold() in part.text.casefold() for part in seen)


@pytest.mark.parametrize("name", LETTERS)
def test_no_control_character_is_in_the_file(name: str) -> None:
    """Neither in the page nor in a sheet."""
    whole = page([LETTERS[name]])
    assert not FORBIDDEN.search(whole)
    for chunk in Parsed(whole).chunks[1:]:
        assert not FORBIDDEN.search(unpacked(chunk).decode("utf-8"))
