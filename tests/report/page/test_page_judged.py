"""The page of runs that judges said something of, without a browser: its parts, its filters, and what a page without
judges does not have.
"""  # noqa: D205 - one sentence

from __future__ import annotations

from pathlib import Path

import pytest
from tests.report.page.filled import page_of
from tests.report.page.judged_report import judged_report
from tests.report.page.reading import Parsed, parsed_whole
from tests.report.page.reports import index_of

from multiturn.report.page.page import page_text
from multiturn.report.page.templates import asset


@pytest.fixture(name="judged", scope="module")
def report_of_judged_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Base and tuned."""
    return judged_report(tmp_path_factory.mktemp("judged"), "base", "tuned")


def text_of(file: Path) -> str:
    return " ".join(Parsed(file.read_text(encoding="utf-8")).text.split())


def test_a_page_without_judges_has_nothing_of_them() -> None:
    """Neither a part nor a filter nor a style; one line says that none was asked."""
    whole = "".join(page_text(page_of([{}])))
    assert asset("judged.css") not in whole
    assert "What judges say" not in whole
    assert 'id="choose-judge"' not in whole
    assert "none was asked" in whole


def test_the_first_screen_names_judges_and_warns_of_them(judged: Path) -> None:
    text = text_of(judged)
    assert "strict-judge by quality@1, 136 judgments, 2 more unreadable, fit for use here" in text
    assert "strict-judge by preference@1, 162 judgments, not fit for use here" in text
    assert "Warning: judge scripted:strict-judge, rubric preference: not fit for use here: it favours a seat" in text
    assert "4 judges were not checked" in text


def test_the_rating_has_its_verdict_among_the_others(judged: Path) -> None:
    """With the way to the replies that are rated low."""
    whole = Parsed(judged.read_text(encoding="utf-8"))
    assert "judges' rating 9.50" in text_of(judged)
    assert "#list?tuned.grade=low" in whole.addresses


def test_fluent_but_wrong_is_what_judges_rate_highly(judged: Path) -> None:
    """By hand: in the three conversations of words on nothing all eleven turns from the third on fail a check."""
    text = text_of(judged)
    assert "Judges rate these replies 8 or more of 10, and yet an exact check of the suite fails." in text
    assert "tuned 11 replies in 3 conversations" in text
    assert "rated 8.50" in text


def test_what_judges_say_can_be_filtered_by(judged: Path) -> None:
    """Base is preferred where tuned is spoilt: in three of four conversations."""
    rows = index_of(judged)
    tags = [(tag["key"], tag["value"]) for tag in rows["tags"]]
    having = {
        tag: sum(at in {*row["tags"], *(one for turn in row["turn_tags"] for one in turn)} for row in rows["rows"])
        for at, tag in enumerate(tags)
    }
    assert having["preferred", "base"] == having["preferred_whole", "base"] == 9
    assert having["preferred", "tie"] == 12
    assert having["tuned.grade", "low"] == 3
    assert having["base.grade", "none"] == 1
    assert ("base.grade", "low") not in having


def test_the_tables_of_judges_are_among_all_tables(judged: Path) -> None:
    text = text_of(judged)
    for title in (
        "Ratings by rubric quality",
        "Helpfulness against harmlessness",
        "Rated 8 or more, though a check fails",
    ):
        assert title in text


def test_a_sheet_has_what_every_judge_said_of_it(judged: Path) -> None:
    sheets = parsed_whole(judged.read_text(encoding="utf-8"))[1:]
    assert len(sheets) == 12
    for sheet in sheets:
        for said in ("9 of 10", "harmless", "The whole conversation, compared", "is preferred to"):
            assert said in sheet.text
