"""The first screen, read as a reader does: what it says first, what it leaves out, where its links lead."""

from __future__ import annotations

from functools import cache
from typing import Final
from urllib.parse import parse_qsl, unquote

import msgspec
import pytest
from tests.comparing import held, suite
from tests.report.lettered import BAD, GOOD
from tests.report.page.lettered_page import page, page_of, run
from tests.report.page.reading import Parsed

from multiturn.comparable import AGAIN
from multiturn.finding import FAILS_AS_REFUSAL
from multiturn.report.broken import FIX_FIRST
from multiturn.report.conclusion import CLOSING, beside, opening, rules, what_next
from multiturn.report.numbers import difference_alone, number, unit_of
from multiturn.report.page.front import WARNING, front
from multiturn.report.page.page import page_text
from multiturn.results import Flip

MIDDLE: Final = (*["pppf"] * 4, *["ppff"] * 4, *["pfff"] * 4)
LOST: Final = ("pfff", "pfff", "pfff", *["-"] * 4, *BAD[7:])
REFUSING: Final = page_of(
    suite(12),
    [
        [held(f"c{at}", "yes of course", "and so on") for at in range(12)],
        [held(f"c{at}", "Sorry, no", "Sorry, no" if at else "well then") for at in range(12)],
    ],
)
FELL: Final = page(GOOD, BAD)
PAGES: Final = {
    "fell": FELL,
    "rose": page(BAD, GOOD, words=(4, 9)),
    "refusing": REFUSING,
    "a/a": page(GOOD, GOOD[::-1], same_model=True, notes=(AGAIN,)),
    "no checks": page(GOOD, BAD, checked=False),
    "lost": page(GOOD, LOST),
    "one": page(GOOD),
    "one without checks": page(GOOD, checked=False),
    "three": page(GOOD, BAD, MIDDLE),
    "five": page(GOOD, BAD, MIDDLE, GOOD, LOST),
    "three without checks": page(GOOD, BAD, MIDDLE, checked=False),
    "one conversation": page(GOOD[:1], BAD[:1]),
}


@cache
def text_of(name: str) -> str:
    """The whole page, made once."""
    return "".join(page_text(PAGES[name]))


@cache
def parsed(name: str) -> Parsed:
    return Parsed(text_of(name))


def plain(text: str) -> str:
    """Without line ends and runs of blanks."""
    return " ".join(text.split())


EACH: Final = pytest.mark.parametrize("name", PAGES)


# What it says first


def test_the_verdict_comes_first_in_words_and_as_a_badge() -> None:
    """The sentences are those of the terminal, the first of them is the heading."""
    found = front(FELL)
    said = opening(FELL.comparisons[0])
    assert found.heading == said.said[0] == "Tuned passes fewer checks than base: 25.0% against 75.0%."
    assert found.lead == said.said[1:]
    assert [(one.word, one.tone) for one in found.badges] == [("regressed", "bad")]
    assert (found.gists[0].about, found.gists[0].base, found.gists[0].tuned) == ("checks passed", "75.0%", "25.0%")
    assert found.title == "REGRESSED: scripted:b against scripted:a"


def test_the_gravest_fact_is_the_heading() -> None:
    """Before what the primary measure says, as on the terminal."""
    assert front(REFUSING).heading.startswith("Tuned refuses in 95.8% of its replies, base in none:")


def test_checks_that_were_lost_by_refusing_are_counted() -> None:
    """Where they are most of what was lost: then the refusals are what to mend."""
    comparison = FELL.comparisons[0]
    flip = next(flip for change in comparison.changes for flip in change.flips if flip.after == "fail")
    refused = msgspec.structs.replace(flip, reason=FAILS_AS_REFUSAL)
    assert "refusing" not in " ".join(lead_with(flip, flip, refused))
    assert lead_with(flip, refused, refused)[-1] == "2 of the 3 checks that tuned lost, it lost by refusing."


def lead_with(*flips: Flip) -> tuple[str, ...]:
    """What is said below the heading where these checks flipped."""
    comparison = FELL.comparisons[0]
    change = msgspec.structs.replace(comparison.changes[0], flips=flips)
    other = msgspec.structs.replace(comparison, changes=(change,))
    return front(msgspec.structs.replace(FELL, comparisons=(other,))).lead


@EACH
def test_the_heading_stands_on_the_page_once_as_h1(name: str) -> None:
    """There is one, and the title says what it is about."""
    text = text_of(name)
    assert text.count("<h1>") == 1
    assert front(PAGES[name]).heading
    for one in PAGES[name].runs:
        assert one.arm.spec in text.partition("</title>")[0]


def test_an_a_a_run_says_so_first() -> None:
    """Whatever the numbers are, they are noise."""
    found = front(PAGES["a/a"])
    assert [one.word for one in found.badges] == ["A/A run", "inconclusive"]
    assert found.heading == "Both runs are of the same model, so whatever differs is chance."
    assert found.title.startswith("A/A RUN, INCONCLUSIVE: ")
    assert AGAIN in found.notes


def test_what_moved_in_an_a_a_run_is_called_a_false_alarm() -> None:
    """In the heading and beside the measure."""
    found = front(page(GOOD, BAD, same_model=True))
    assert found.heading.endswith("checks passed moved, which is a false alarm.")
    worse = next(group for group in found.gists[0].groups if group.title == "Got worse")
    assert [one.marks for one in worse.items] == [("false alarm",)]


def test_without_checks_there_is_no_verdict_and_the_page_says_why() -> None:
    """The measures that have one are there all the same."""
    found = front(PAGES["no checks"])
    assert [one.word for one in found.badges] == ["no verdict"]
    assert found.heading == "No verdict on checks passed: no turn of this suite has checks."
    assert found.figure is None
    assert [item.label for group in found.gists[0].groups for item in group.items] == ["refusals", "words a reply"]


def test_of_one_conversation_nothing_is_claimed() -> None:
    """What stands first is that it says nothing of others."""
    assert front(PAGES["one conversation"]).heading == "One conversation says nothing of others."


# What a reader must know


@EACH
def test_every_note_is_there(name: str) -> None:
    """As far as it is no command to type."""
    shown, seen = PAGES[name], plain(parsed(name).text)
    for note in (
        *(note for one in shown.comparisons for note in one.notes),
        *(shown.rates.notes if shown.rates else ()),
    ):
        told = note.removeprefix(FIX_FIRST).removeprefix(WARNING).partition("; read them")[0]
        assert plain(told)[1:] in seen


def test_what_is_to_be_fixed_first_leads_to_the_replies() -> None:
    (wrong,) = front(REFUSING).gists[0].wrong
    assert wrong.text == "95.8% of tuned's replies are refusals (base 0.0%)"
    assert [(one.text, one.href) for one in wrong.behind] == [("read 12 conversations", "#list?tuned.refusal=any")]
    assert front(REFUSING).gists[0].follows, "the other verdicts may come from it"


def test_several_things_that_are_wrong_only_together_have_a_link_each() -> None:
    """Two of thirty replies are empty, two are refusals: neither alone is much, both together are."""
    replies = [*["Sorry"] * 2, *[""] * 2, *["well then"] * 26]
    arms = [[held(f"c{at}", reply) for at, reply in enumerate(tuned)] for tuned in (["well"] * 30, replies)]
    (wrong,) = front(page_of(suite(30, 1), arms)).gists[0].wrong
    assert [one.text for one in wrong.behind] == [
        "read empty replies in 2 conversations",
        "read refusals in 2 conversations",
    ]


def test_warnings_stand_apart_from_what_is_only_worth_knowing() -> None:
    found = front(page(GOOD, BAD, notes=(f"{WARNING}other templates", "a look was taken")))
    assert found.warnings == ("other templates",)
    assert "a look was taken" in found.notes


def test_what_both_runs_note_is_told_once() -> None:
    """And what one notes, with its arm."""
    runs = [msgspec.structs.replace(one, notes=("slow", f"only {one.id}")) for one in FELL.runs]
    found = front(msgspec.structs.replace(FELL, runs=tuple(runs)))
    assert found.notes[-3:] == ("slow", "base: only run-a", "tuned: only run-b")


def test_of_several_comparisons_each_note_says_whose_it_is() -> None:
    """What is the same in all of them is told once."""
    found = front(page(GOOD, BAD, LOST, notes=("held in the rain",)))
    assert found.notes.count("held in the rain") == 1
    assert [note for note in found.notes if "missing" in note] == [
        "arm 3 (here called tuned) against base: tuned: 16 of 60 turns are missing through no doing of the model (not held 12, server 4)"
    ]


def test_missing_turns_can_be_read() -> None:
    """Where the environment lost them."""
    assert [(one.text, one.href) for one in front(PAGES["lost"]).missing] == [
        ("tuned in 4 conversations", "#list?tuned.missing=yes")
    ]


def test_all_that_the_terminal_concludes_is_on_the_page() -> None:
    """Beside the opening: what else is to be known, the rules, what to do next, and what it does not prove."""
    seen = plain(parsed("fell").text)
    comparison = FELL.comparisons[0]
    for said in (*beside(comparison), *rules(comparison), *what_next(comparison), CLOSING):
        assert said in seen


def test_the_closing_speaks_of_two_models_only_where_there_are_two() -> None:
    assert [front(PAGES[name]).closing for name in ("one", "three")] == ["", ""]


# Numbers and links


def test_numbers_are_those_of_the_only_formatter() -> None:
    """Each verdict's arms and difference, once, in the group of its word."""
    found = front(FELL).gists[0]
    items = {item.label: item for group in found.groups for item in group.items}
    assert len(items) == len(FELL.comparisons[0].verdicts)
    for verdict, item in zip(FELL.comparisons[0].verdicts, items.values(), strict=True):
        unit = unit_of(verdict.measure)
        assert item.base == number(verdict.contrast.base.value, unit)
        assert item.tuned == number(verdict.contrast.tuned.value, unit)
        assert item.difference == difference_alone(verdict.contrast.difference, unit)
        assert item.rests_on.text == f"n={verdict.contrast.difference.n}"


@EACH
def test_every_link_leads_somewhere(name: str) -> None:
    """Lists that some turn of a conversation is in, turns that there are, parts that the page has."""
    collected = PAGES[name].collected
    rows = {row.id: row for row in collected.rows}
    seen = parsed(name)
    ids = {value for _, name, value in seen.attributes if name == "id"}
    lists = 0
    for address in seen.addresses:
        assert address.startswith("#"), address
        if address.startswith("#c="):
            talk, *places = (part.partition("=")[2] for part in address.split("&"))
            row = rows[unquote(talk)]
            assert 1 <= int(places[0] if places else 1) <= row.turns
        elif address.startswith("#list?"):
            lists += 1
            asked = {collected.tags.index(tag) for tag in parse_qsl(address.partition("?")[2], strict_parsing=True)}
            assert any(asked <= {*row.tags, *turn} for row in collected.rows for turn in row.turn_tags), address
        else:
            assert address[1:] in ids, address
    assert lists or len(collected.arms) == 1


def test_the_index_of_parts_names_those_that_are_there() -> None:
    """In the order in which they stand."""
    seen = [
        address
        for address in parsed("fell").addresses
        if not address.startswith(("#c", "#list?")) or address == "#charts"
    ]
    assert list(dict.fromkeys(seen))[:7] == ["#list", "#verdict", "#first", "#charts", "#fluent", "#tables"]
    assert "#first" not in parsed("one").addresses


def test_the_primary_measure_is_drawn_for_two_arms() -> None:
    """One figure on the first screen, none where several comparisons have one each."""
    assert front(FELL).figure is not None
    assert front(PAGES["three"]).figure is None
    assert front(PAGES["one"]).figure is None


def test_long_names_do_not_fill_the_title() -> None:
    long = "x" * 500
    runs = [run(suite(12), long), run(suite(12), "b")]
    found = front(page_of(suite(12), [[held(f"c{at}", "a", "b") for at in range(12)]] * 2, runs=runs))
    assert len(found.title) < 150
