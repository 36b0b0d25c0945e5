"""Tables in a terminal: readable at 80 and 120 columns, and harmless whatever the cells hold."""

from __future__ import annotations

import io

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from tests.report.lettered import BAD, GOOD, lettered

from multiturn.report.tables import Table
from multiturn.report.text import render, render_comparison, render_pass_rates
from multiturn.report.verdicts import verdict_table
from multiturn.results import Change, Comparison, Contrast, Estimate, Flip, Measured, PassRates

RATE = Estimate(value=0.417, low=0.309, high=0.525, n=120, missing=0)
LENGTH = Estimate(value=1204.0, low=1100.0, high=1308.0, n=120, missing=0)
FEWER = Estimate(value=-0.125, low=-0.201, high=-0.049, n=118, missing=2)
SHORTER = Estimate(value=-1204.0, low=-1300.0, high=-1108.0, n=118, missing=2)
COMPARISON = Comparison(
    base_run="r1",
    tuned_run="r2",
    contrasts=(
        *(
            Contrast(measure=name, group=("all", ""), base=RATE, tuned=RATE, difference=FEWER)
            for name in ("refusal", "language_change")
        ),
        Contrast(measure="words", group=("all", ""), base=LENGTH, tuned=LENGTH, difference=SHORTER),
        Contrast(
            measure="refusal",
            group=("capability", "instruction_hierarchy"),
            base=RATE,
            tuned=RATE,
            difference=FEWER,
        ),
    ),
    changes=(Change(conversation="c1", score=3.2, reasons=("2 of 4 replies became refusals",)),),
    notes=("tuned: 2 of 120 turns [bold]are[/bold] missing",),
)


def shown(renderable: object, width: int) -> str:
    """What a terminal of this width gets, without colours."""
    file = io.StringIO()
    Console(file=file, width=width, color_system=None, legacy_windows=False).print(renderable)
    return file.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_no_interval_is_broken_and_no_line_is_too_long(width: int) -> None:
    text = shown(render_comparison(COMPARISON), width)
    assert all(len(line.rstrip()) <= width for line in text.splitlines())
    for piece in ("41.7%", "-12.5 pp [-20.1, -4.9]", "-1204 [-1300, -1108]", "118, 2 missing"):
        assert piece in text
    for word in ("language change", "instruction hierarchy", "2 of 4 replies became refusals"):
        assert word in text


@pytest.mark.parametrize("width", [80, 120])
def test_flipped_checks_lose_no_word_where_there_is_little_room(width: int) -> None:
    """Columns of words are broken between words; which way it flipped is read in one piece."""
    flip = Flip(
        conversation="lighthouse-keeper-in-character",
        sample=1,
        turn=3,
        capability="instruction_hierarchy",
        check=0,
        kind="says",
        wants="says 'keeper' or 'lamp'",
        before="pass",
        after="fail",
        reason="no",
        tuned_words="large language model",
    )
    change = Change(conversation=flip.conversation, score=1, reasons=("r",), flips=(flip,))
    comparison = Comparison(base_run="a", tuned_run="b", contrasts=(), changes=(change,))
    text, whole = (shown(render_comparison(comparison, everything=everything), width) for everything in (False, True))
    assert "base passes, tuned fails" in text
    assert "pass -> fail" in whole
    assert all(len(line.rstrip()) <= width for line in (text + whole).splitlines())
    for word in ("'keeper'", "'lamp'", "large", "language", "model", "4 (sample 2)"):
        assert word in text
        assert word in whole
    assert "hierarchy" in whole, "the capability has room in the whole table only"


def test_the_pass_rate_of_a_run_stands_with_its_notes() -> None:
    """Without checks there is nothing to print."""
    rate = Measured(measure="check_pass", group=("all", ""), estimate=RATE)
    text = shown(render_pass_rates(PassRates(rates=(rate,), notes=("mine is [b]near[/b] the floor",))), 80)
    assert "41.7% [30.9, 52.5] n=120" in text
    assert "mine is [b]near[/b] the floor" in text
    assert shown(render_pass_rates(PassRates(rates=(), notes=())), 80) == ""


def test_what_all_tables_say_below_is_said_once() -> None:
    """After the last of them."""
    assert shown(render_comparison(COMPARISON), 120).count("[low, high]: where the true difference") == 1


def test_cells_are_text_not_markup() -> None:
    """Neither rich's markup nor control characters of a reply reach the terminal as such."""
    table = Table(
        title="[red]t[/red]",
        header=("[b]h[/b]",),
        rows=(("[link=http://x]c[/link] \x1b[2J\x07",), ("[/nothing]",)),
        footnote="[i]f[/i]",
    )
    text = shown(render(table), 80)
    for piece in ("[red]t[/red]", "[b]h[/b]", "[link=http://x]c[/link]", "␛[2J␇", "[/nothing]", "[i]f[/i]"):
        assert piece in text
    assert "\x1b" not in text
    assert "are[/bold]" in shown(render_comparison(COMPARISON), 80)


def test_ragged_rows_are_shown_whole() -> None:
    table = Table(title="t", header=("a", "b"), rows=(("1",), ("1", "2", "3"), ()))
    assert shown(render(table), 80).split() == ["t", "a", "b", "───────", "1", "1", "2", "3"]


def test_a_table_without_rows_is_no_accident() -> None:
    assert "a" in shown(render(Table(title="", header=("a",), rows=())), 80)


def test_wide_letters_count_as_two_columns() -> None:
    table = Table(title="t", header=("会話", "why"), rows=(("会話" * 30, "n=1"),))
    assert "n=1" in shown(render(table), 80)


def uncut(renderable: object, width: int) -> list[str]:
    """The lines that a terminal of this width gets to wrap itself."""
    file = io.StringIO()
    Console(file=file, width=width, color_system=None, legacy_windows=False).print(renderable, crop=False)
    return file.getvalue().splitlines()


@given(
    rows=st.lists(st.lists(st.integers(0, 10**25).map(str), min_size=6, max_size=6), min_size=1, max_size=4),
    width=st.integers(1, 120),
)
def test_no_number_is_ever_cropped_or_broken(rows: list[list[str]], width: int) -> None:
    """However little room there is: the lines are then longer than the terminal's. A name is folded, to no letters."""
    table = Table(title="", header=("name", *"bcdef"), rows=tuple(("name " * 9, *cells) for cells in rows))
    lines = uncut(render(table), width)
    numbers = [words for line in lines if (words := [word for word in line.split() if word.isdigit()])]
    assert numbers == rows
    assert sum(line.split().count("name") for line in lines) == 1 + 9 * len(rows)


@pytest.mark.parametrize("width", [1, 40, 60, 64, 80])
def test_the_verdicts_keep_every_number_and_every_measure_in_any_terminal(width: int) -> None:
    table = verdict_table(lettered(GOOD, BAD))
    words = " ".join(uncut(render(table), width)).split()
    for cells in table.rows:
        for piece in " ".join(cells).split():
            assert piece in words


def test_no_line_of_a_table_ends_with_blanks() -> None:
    """A terminal that wraps it would show them as an empty line; what is coloured stays so."""
    table = msgspec.structs.replace(verdict_table(lettered(GOOD, BAD)), title="[b]T[/b]")
    lines = uncut(render(table), 80)
    assert lines == [line.rstrip() for line in lines]
    file = io.StringIO()
    Console(file=file, width=80, color_system="standard", force_terminal=True).print(render(table))
    assert "\x1b[" in file.getvalue()
    assert "[b]T[/b]" in file.getvalue()


@pytest.mark.parametrize(("words", "folded"), [((), 10), ((0,), 6)])
def test_a_table_that_has_room_is_no_wider_than_the_terminal(words: tuple[int, ...], folded: int) -> None:
    """What it needs is counted to the column: at that width nothing sticks out, one less and it does."""
    table = Table(title="", header=("a" * 10, "b", "c"), rows=(("word word word", "1" * 30, "22"),), words=words)
    needs = folded + 2 + 30 + 2 + 2
    assert max(map(len, uncut(render(table), needs))) == needs
    assert max(map(len, uncut(render(table), needs - 1))) == needs
    assert max(map(len, uncut(render(table), needs + 2))) == needs + 2
