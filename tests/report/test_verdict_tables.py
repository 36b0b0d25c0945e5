"""How a comparison ends: the table of verdicts, and the sentences below it. Read it as the specification."""

from __future__ import annotations

import io
from typing import Final

import msgspec
import pytest
from rich.console import Console
from tests.report.lettered import BAD, GOOD, arm, lettered, suite

from multiturn.codec import decode, encode
from multiturn.compare import compare
from multiturn.measures import BY_NAME
from multiturn.report import markdown
from multiturn.report.conclusion import CLOSING, sentences
from multiturn.report.contents import all_tables, short_tables
from multiturn.report.text import render_comparison
from multiturn.report.verdicts import decay_table, localisation_table, noise_tables, verdict_table
from multiturn.results import Comparison, NoiseFloor, Outlook, Plan
from multiturn.study import EARLY, LATE

FALL: Final = lettered(GOOD, BAD)


def shown(comparison: Comparison, width: int = 80, *, everything: bool = False) -> str:
    """What a terminal of this width gets."""
    file = io.StringIO()
    console = Console(file=file, width=width, color_system=None, legacy_windows=False)
    console.print(render_comparison(comparison, everything=everything))
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def ending(comparison: Comparison) -> str:
    """What the screen ends with: the table of verdicts and all below it."""
    text = shown(comparison)
    return text[text.rindex("\nVerdict") + 1 :].rstrip()


def first(comparison: Comparison) -> str:
    """The first paragraph below the table."""
    return next(sentences(comparison))


# The whole ending


def test_a_regression_is_told_so_that_no_other_page_is_needed() -> None:
    """By hand: falls of 75, 75 and 0 points in four conversations each, 50 on average."""
    assert (
        ending(FALL)
        == """\
Verdict
measure         base   tuned  tuned - base    verdict       would see     n
────────────────────────────────────────────────────────────────────────────
checks passed   75.0%  25.0%  -50.0 pp        REGRESSED     from 32.8 pp  12
primary                       [-77.0, -26.5]
refusals        0.0%   0.0%   0.0 pp          INCONCLUSIVE  -             12
less is better                [-24.6, +24.6]
repetition      -      -      -               INCONCLUSIVE  -             0
less is better                (nothing
                              measured)
words           4      4      0               INCONCLUSIVE  -             12
                              (all 12 equal)
n: conversations. [low, high]: where the true difference most likely lies (95%
interval); with 0 inside, there may be none. would see: the smallest true
difference that such a comparison finds in 80 of 100 cases. pp: percentage
points.

Tuned passes fewer checks than base: 25.0% against 75.0%. On average over the 12
conversations it is 50.0 points lower, most likely between 26.5 and 77.0 points
lower. What so many conversations can see: a true difference of 32.8 points or
more, in 80 of 100 such comparisons; one half as large would mostly go unseen.

refusals: no change seen; at most about 24.6% of conversations like these would
change.
words: no change seen; how much one that was not held would change can't be
told.
EQUIVALENT means that the difference is almost surely smaller than its margin
(by the 90% interval, which is narrower than the one shown): checks passed 10.0
pp, refusals 5.0 pp, repetition 5.0 pp, words 1.
The other 3 measures are judged together, and so more strictly (Holm's method):
the more one looks at, the sooner one of them differs by chance.
This compares two models on one suite. It is a signal, no proof that either is
ready for use (docs/limits.md says what it does not see)."""
    )


@pytest.mark.parametrize("everything", [False, True])
def test_the_verdict_comes_after_the_evidence_and_the_notes(everything: bool) -> None:  # noqa: FBT001
    """What a terminal's reader sees last is what the comparison comes to; what brackets are is said there, once."""
    noted = msgspec.structs.replace(FALL, notes=("something to know first",))
    text = shown(noted, everything=everything)
    places = [
        text.index(piece)
        for piece in ("Changed most", "something to know first", "\nVerdict\n", "Tuned passes", CLOSING[:40])
    ]
    assert places == sorted(places)
    assert " ".join(text.split()).count("where the true difference most likely lies") == 1
    tables = (all_tables if everything else short_tables)(FALL)
    assert [table.title for table in tables if table.title.startswith("Verdict")] == [tables[-1].title]


def test_one_screen_is_a_hundred_lines_or_so() -> None:
    """Evidence in order: what else was measured, where it moved, the profile, decay, distance, what to read."""
    assert [table.title for table in short_tables(FALL)] == [
        "Other measures",
        "Where it moved: checks passed by capability",
        "Profile: checks passed by capability and turn",
        "Late turns against the early one: checks passed",
        "Checks passed by distance",
        "Flipped checks",
        "Changed most",
        "Verdict",
    ]
    assert len(shown(FALL).splitlines()) < 120


@pytest.mark.parametrize("width", [80, 120])
def test_no_number_and_no_word_of_the_table_is_broken(width: int) -> None:
    """Also where every cell is at its widest."""
    lost = lettered(GOOD, ("pfff", "pfff", "pfff", *["-"] * 4, *BAD[7:]), same_model=True)
    renamed = tuple(
        msgspec.structs.replace(one, measure="refusal_unexpected") if one.measure == "refusal" else one
        for one in lost.verdicts
    )
    text = shown(msgspec.structs.replace(lost, verdicts=renamed), width)
    assert all(len(line) <= width for line in text.splitlines())
    for piece in ("unexpected", "refusals", "repetition", "REGRESSED", "[-78.3, -4.0]", "from 46.2 pp", "missing data"):
        assert piece in text


# The words


def rows(comparison: Comparison, measure: str = "checks passed") -> tuple[str, ...]:
    """The cells of a measure's row, lines joined by a blank."""
    found = (row for row in verdict_table(comparison).rows if row[0].split("\n", maxsplit=1)[0] == measure)
    return tuple(cell.replace("\n", " ") for cell in next(found))


def test_an_improvement() -> None:
    rise = lettered(BAD, GOOD)
    assert rows(rise)[1:5] == ("25.0%", "75.0%", "+50.0 pp [+26.5, +77.0]", "IMPROVED")
    assert first(rise).startswith(
        "Tuned passes more checks than base: 75.0% against 25.0%. On average over the 12 conversations it is 50.0 "
        "points higher, most likely between 26.5 and 77.0 points higher."
    )


def test_equal_within_the_margin() -> None:
    """Six of 72 conversations change by a half, five of them up."""
    tuned = [*GOOD * 5, *["ppff"] * 6, *GOOD[:6]]
    same = lettered(GOOD * 6, tuned)
    assert rows(same)[3:6] == ("-0.7 pp [-6.7, +5.3]", "EQUIVALENT", "from 5.4 pp")
    assert first(same).startswith(
        "Tuned and base are about equal in checks passed: 74.3% against 75.0%, less than the margin of 10.0 points "
        "apart, as far as this suite can tell. On average over the 72 conversations it is 0.7 points lower, most likely "
        "between 6.7 points lower and 5.3 points higher. What so many conversations can see: a true difference of 5.4 "
    )


def test_what_can_not_be_told_comes_with_what_would_settle_it() -> None:
    """And what this comparison can see is said once."""
    unsettled = lettered(GOOD, ["ppff", "pppf"] * 6)
    assert rows(unsettled)[3:6] == ("-12.5 pp [-40.0, +20.2]", "INCONCLUSIVE", "from 22.2 pp")
    assert first(unsettled) == (
        "Whether tuned and base differ in checks passed can't be told yet: 62.5% against 75.0%. On average over the 12 "
        "conversations it is 12.5 points lower, but the truth may lie anywhere from 40.0 points lower to 20.2 points "
        "higher. This comparison finds a true difference of 22.2 pp in 80 of 100 cases; about 52 conversations like "
        "these would find one of 10.0 pp."
    )


def test_lengths_change_and_are_neither_better_nor_worse() -> None:
    longer = [*arm(GOOD[:6], 8, checked=True), *arm(GOOD, 10, checked=True)[6:]]
    found = compare(
        suite(12), arm(GOOD, 4, checked=True), longer, base_run="a", tuned_run="b", plan=Plan(primary="words")
    )
    assert rows(found, "words") == ("words primary", "4", "9", "+5 [+4, +6]", "CHANGED", "from 1", "12")
    assert first(found).startswith(
        "Tuned writes more words than base: 9 against 4. On average over the 12 conversations it is 5 words more, most "
        "likely between 4 and 6 words more."
    )
    assert first(found).endswith("Neither direction is better as such.")
    (ratio,) = (line for line in sentences(found) if line.startswith("words: "))
    assert ratio.startswith("words: tuned has 2.25 ")
    assert ratio.endswith("times as many as base.")


def test_what_is_missing_is_counted_and_can_decide() -> None:
    """Arms have their own means; the difference is that of the conversations that both have."""
    lost = lettered(GOOD, (*BAD[:3], *["-"] * 4, *BAD[7:]))
    assert rows(lost)[3:] == (
        "-37.5 pp [-78.3, -4.0]",
        "REGRESSED depends on missing data",
        "from 46.2 pp",
        "8, 4 missing",
    )
    assert "On average over the 8 conversations that both have it is 37.5 points lower" in first(lost)
    assert first(lost).endswith(
        "Depends on missing data: regressed if all that is missing had gone against tuned, inconclusive if in its "
        "favour (-37.5 pp as it stands)."
    )


# Corners


def test_without_checks_the_note_says_what_to_do() -> None:
    """What has a verdict all the same stands in the table, and nothing is primary."""
    bare = lettered(GOOD, BAD, checked=False)
    assert [row[0].split("\n")[0] for row in verdict_table(bare).rows] == ["refusals", "repetition", "words"]
    assert "primary" not in "".join(row[0] for row in verdict_table(bare).rows)
    assert first(bare) == (
        "No verdict on checks passed: no turn of this suite has checks. --primary MEASURE names another measure that "
        "the comparison is to be about."
    )
    assert "The 3 measures are judged together" in ending(bare)
    assert "Words by turn" in [table.title for table in short_tables(bare)], "something is to be seen by turn"


def test_without_any_verdict_there_is_no_table() -> None:
    empty = Comparison(base_run="a", tuned_run="b", contrasts=(), changes=())
    assert short_tables(empty) == all_tables(empty) == []
    assert list(sentences(empty)) == [first(empty)]
    assert shown(empty).startswith("No verdict on checks passed")
    other = msgspec.structs.replace(empty, plan=Plan(primary="refusal_missing"))
    assert first(other).startswith("No verdict on missing refusals: no turn of this suite is about that.")


def test_one_conversation_says_nothing_of_others() -> None:
    """Which is said once, not measure by measure."""
    one = lettered(["pppp"], ["pfff"])
    assert rows(one)[3:] == ("-75.0 pp (one conversation)", "INCONCLUSIVE", "-", "1")
    assert first(one) == "One conversation says nothing of others."
    assert "\nrefusals:" not in ending(one)


def test_nothing_measured() -> None:
    none = lettered(["-"] * 3, ["pppp"] * 3)
    assert rows(none) == (
        "checks passed primary", "-", "100.0%", "- (nothing measured)", "INCONCLUSIVE", "-", "0, 3 missing"
    )  # fmt: skip
    assert first(none) == "Nothing measured."


def test_all_zero() -> None:
    """The rule of three: (1 + t) / (n + 1), with t = 2.571 and n = 6."""
    floor = lettered(["ffff"] * 6, ["ffff"] * 6)
    assert rows(floor)[1:] == ("0.0%", "0.0%", "0.0 pp [-51.0, +51.0]", "INCONCLUSIVE", "-", "6")
    assert first(floor) == (
        "Tuned and base have the same checks passed in each of the 6 conversations. No change seen; at most about 51.0% "
        "of conversations like these would change."
    )


def test_all_equal() -> None:
    """No interval; six say something, five do not."""
    fallen, fewer = (lettered(["pppp"] * n, ["ffff"] * n) for n in (6, 5))
    assert rows(fallen)[3:6] == ("-100.0 pp (all 6 equal)", "REGRESSED", "-")
    assert first(fallen) == (
        "Tuned passes fewer checks than base: 0.0% against 100.0%. That is 100.0 points lower in each of the 6 "
        "conversations. All 6 differences are equal: exact sign-flip test, p = 0.031; no interval."
    )
    assert first(fewer).startswith("Whether tuned and base differ in checks passed can't be told yet: 0.0% against")


# A/A runs, and looks


def test_a_run_of_the_same_model_twice_calls_itself_that() -> None:
    """A word that says that something moved is then a false alarm."""
    twice = lettered(GOOD, BAD, same_model=True)
    assert verdict_table(twice).title == "Verdict (A/A run: the same model twice, whatever differs is noise)"
    assert rows(twice)[4] == "REGRESSED false alarm"
    assert first(twice).startswith("The second run passes fewer checks than the first: 25.0% against 75.0%.")
    assert first(twice).endswith(
        "Both runs are of the same model, so whatever differs is chance: checks passed moved, which is a false alarm. "
        "Up to 10 of 100 such runs have one."
    )
    quiet = lettered(GOOD, GOOD, same_model=True)
    assert first(quiet).endswith("No measure is said to have moved, as it should be.")
    assert "false alarm" not in " ".join(cell for row in verdict_table(quiet).rows for cell in row)


def test_an_a_a_run_without_checks_says_so_too() -> None:
    """With one family of measures there are half as many false alarms."""
    found = list(sentences(lettered(GOOD, GOOD, words=(4, 9), checked=False, same_model=True)))
    assert found[1].endswith("words moved, which is a false alarm. Up to 5 of 100 such runs have one.")


def test_a_declared_extension_says_which_look_it_is() -> None:
    look = lettered(GOOD, BAD, plan=Plan(level=0.975, look=2))
    assert verdict_table(look).title == "Verdict, look 2 of 2 at 2.5% each"
    assert "(97.5% interval)" in verdict_table(look).footnote
    assert "by the 95% interval" in " ".join(sentences(look))


# Where it moved, decay, noise


def test_where_it_moved() -> None:
    """Of four capabilities with p = 0.039, 0.0008, 0.0008 and 0.039 the middle two stand."""
    table = localisation_table(FALL)
    assert table.header == ("capability", "n", "tuned - base", "verdict", "would see")
    assert [(row[0], row[3]) for row in table.rows] == [
        ("context retention", "inconclusive"),
        ("correction", "regressed"),
        ("follow up", "regressed"),
        ("recovery", "inconclusive"),
    ]
    assert table.footnote.endswith("It stands for correction, follow up.")
    lone = msgspec.structs.replace(FALL, localisation=FALL.localisation[:1])
    assert "It stands for none, so where it moved can't be said" in localisation_table(lone).footnote
    assert localisation_table(lettered(GOOD, GOOD)).rows == (), "nothing moved, so there is nothing to localise"


def test_late_turns_against_the_early_one() -> None:
    """By hand: base passes turn 2 always, turns 4 and 5 in 12/24; tuned turn 2 in 8 of 12, turns 4 and 5 never."""
    table = decay_table(FALL)
    assert [(row[0], row[1], row[2].split(" [")[0]) for row in table.rows] == [
        ("base", "12", "-50.0 pp"),
        ("tuned", "12", "-66.7 pp"),
        ("tuned - base", "12", "-16.7 pp"),
    ]
    assert table.footnote.startswith(f"Late is turn {LATE + 1} and on, early is turn {EARLY + 1} of the same")
    assert "Below 0 in the last row, tuned loses more on the way than base" in table.footnote
    assert decay_table(msgspec.structs.replace(FALL, decay=None)).rows == ()


NOISE: Final = NoiseFloor(
    measure="check_pass",
    samples=2.0,
    between=0.03,
    within=0.02,
    judging=None,
    like_these=FALL.verdicts[0].contrast.difference,
    these=msgspec.structs.replace(FALL.verdicts[0].contrast.difference, low=-0.6, high=-0.4),
    outlook=(
        Outlook(conversations=12, samples=2, detectable=0.2),
        Outlook(conversations=24, samples=2, detectable=0.125),
    ),
)


def test_the_noise_floor_tells_two_questions_apart() -> None:
    """By hand: 0.03 between conversations and 0.02 / 2 from two samples are three quarters and one."""
    (table,) = noise_tables(msgspec.structs.replace(FALL, noise=(NOISE,)))
    assert table.rows == (
        ("on conversations like these (what the verdict is about)", "12", "-50.0 pp [-77.0, -26.5]"),
        ("on exactly these, held again (says nothing of others)", "12", "-50.0 pp [-60.0, -40.0]"),
    )
    assert table.footnote == (
        "Of the uncertainty about 75% comes from the conversations (some change more than others) and 25% from sampling "
        "(held again, the same conversation comes out differently). What each size (conversations x samples) would see: "
        "12 x 2 from 20.0 pp, 24 x 2 from 12.5 pp."
    )
    assert noise_tables(FALL) == [], "one sample each"


def test_judging_is_a_part_of_the_noise_too() -> None:
    judged = msgspec.structs.replace(NOISE, judging=0.05, outlook=())
    (table,) = noise_tables(msgspec.structs.replace(FALL, noise=(judged,)))
    assert table.footnote.startswith("Of the uncertainty of one sample, judged once, about 30% comes from the")
    assert table.footnote.endswith(
        "20% from sampling (held again, the same conversation comes out differently), and 50% from judging (judged "
        "again, the same reply gets another mark)."
    )
    still = msgspec.structs.replace(NOISE, between=0.0, within=0.0)
    assert noise_tables(msgspec.structs.replace(FALL, noise=(still,)))[0].footnote.startswith("Nothing differed")


def test_two_samples_of_each_conversation_have_a_noise_floor_on_the_screen() -> None:
    base = [*arm(GOOD, 4, checked=True), *arm(GOOD[::-1], 4, checked=True, sample=1)]
    tuned = [*arm(BAD, 4, checked=True), *arm(BAD[::-1], 4, checked=True, sample=1)]
    found = compare(suite(12), base, tuned, base_run="a", tuned_run="b")
    assert "Noise floor: checks passed, tuned - base" in [table.title for table in short_tables(found)]


# The plain words


def test_no_word_of_a_course_in_statistics() -> None:
    """Not the power of a test after the fact, nor significance; and a p value only where there is no interval."""
    plans = (Plan(), Plan(level=0.975), Plan(primary="words"))
    told = [
        shown(lettered(base, tuned, plan=plan, same_model=same), everything=True).lower()
        for base, tuned in ((GOOD, BAD), (GOOD, GOOD), (BAD, GOOD))
        for plan in plans
        for same in (False, True)
    ]
    for word in ("observed power", "significan", "null hypothesis", "t interval", "nan", "ready for use.", "proves"):
        assert not [text for text in told if word in text], word


def test_every_ending_says_what_it_is_not() -> None:
    for comparison in (FALL, lettered(GOOD, GOOD), lettered(GOOD, BAD, checked=False)):
        assert list(sentences(comparison))[-1] == CLOSING
    assert "no proof" in CLOSING
    assert "docs/limits.md" in CLOSING


@pytest.mark.parametrize("measure", [name for name in BY_NAME if BY_NAME[name].share])
def test_every_measure_can_be_the_primary_one(measure: str) -> None:
    """A sentence that begins with the tuned arm and has both numbers."""
    verdict = msgspec.structs.replace(FALL.verdicts[0], measure=measure)
    said = first(msgspec.structs.replace(FALL, verdicts=(verdict,)))
    assert said.startswith("Tuned ")
    assert " base: 25.0% against 75.0%. " in said


# Other readers


def test_markdown_keeps_the_lines_of_a_cell() -> None:
    text = markdown.table(verdict_table(FALL))
    assert text.splitlines()[4] == (
        "| checks passed<br>primary | 75.0% | 25.0% | -50.0 pp<br>[-77.0, -26.5] | REGRESSED | from 32.8 pp | 12 |"
    )


def test_a_comparison_comes_back_from_json_as_it_was() -> None:
    """With all that is concluded, so that a file of results can be shown again."""
    whole = msgspec.structs.replace(
        lettered(GOOD, (*BAD[:3], *["-"] * 4, *BAD[7:]), words=(4, 9), plan=Plan(margins={"words": 0.3}, level=0.975)),
        noise=(NOISE,),
    )
    assert whole.verdicts
    assert whole.decay is not None
    assert whole.profile
    assert whole.ratios
    again = decode(encode(whole), Comparison)
    assert again == whole
    assert shown(again, everything=True) == shown(whole, everything=True)
