"""How a comparison ends: the table of verdicts, and the sentences below it. Read it as the specification."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Final

import msgspec
import pytest
from rich.console import Console
from tests.comparing import held
from tests.comparing import suite as plain_suite
from tests.report.lettered import BAD, GOOD, arm, lettered, suite

from multiturn import api
from multiturn.codec import decode, encode
from multiturn.compare import compare
from multiturn.measures import BY_NAME
from multiturn.report import markdown
from multiturn.report.conclusion import CLOSING, PART, WHOLE, sentences
from multiturn.report.contents import all_tables, not_shown, short_tables
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
measure         base   tuned  tuned - base    verdict       mostly finds  n
────────────────────────────────────────────────────────────────────────────
checks passed   75.0%  25.0%  -50.0 pp        REGRESSED     32.8 pp       12
primary                       [-77.0, -26.5]
refusals        0.0%   0.0%   0.0 pp          INCONCLUSIVE  41.2 pp       12
less is better                [-24.6, +24.6]
words a reply   4      4      0               INCONCLUSIVE  -             12
                              (all 12 equal)
n: conversations. [low, high]: where the true difference most likely lies (95%
interval); with 0 inside, there may be none. mostly finds: a true difference of
this size is found by 80 of 100 such comparisons, a smaller one too, but less
often. -: can't be told, since all conversations changed alike or are fewer than
two. pp: percentage points.

Tuned passes fewer checks than base: 25.0% against 75.0%. On average over the 12
conversations it is 50.0 points lower, most likely between 26.5 and 77.0 points
lower.

refusals: no change seen; at most about 24.6% of conversations like these would
change; 53 unchanged ones would be called equivalent.
words a reply: no change seen; how much one that was not held would change can't
be told.
INCONCLUSIVE: neither surely different nor surely within the margin. The margin
is a difference that you would not care about: refusals 5.0 pp, words a reply 1
(--margin sets yours).
The 2 measures below the primary one are judged together, and so more strictly:
the more one looks at, the sooner one of them differs by chance.
Next: hold more conversations: leave out --limit and --only, or write more
(docs/writing.md). --samples 3 (each three times) helps less.
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
        "Flipped checks: base passes, tuned fails",
        "Changed most: 3 of 8 to read first",
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
    for piece in ("unexpected", "refusals", "repetition", "REGRESSED", "[-78.3, -4.0]", "58.4 pp", "missing data"):
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
    assert rows(same)[3:6] == ("-0.7 pp [-6.7, +5.3]", "EQUIVALENT", "7.5 pp")
    assert first(same) == (
        "Tuned and base are about equal in checks passed: 74.3% against 75.0%, less than the margin of 10.0 points "
        "apart, as far as this suite can tell. On average over the 72 conversations it is 0.7 points lower, most likely "
        "between 6.7 points lower and 5.3 points higher."
    )
    (margins,) = (line for line in sentences(same) if "EQUIVALENT" in line)
    assert margins.startswith(
        "EQUIVALENT: very likely within the margin (by a 90% interval, narrower than the one shown). INCONCLUSIVE: "
    )


def test_what_can_not_be_told_comes_with_what_would_settle_it() -> None:
    """And what this comparison can see is said once."""
    unsettled = lettered(GOOD, ["ppff", "pppf"] * 6)
    assert rows(unsettled)[3:6] == ("-12.5 pp [-40.0, +20.2]", "INCONCLUSIVE", "22.2 pp")
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
    assert rows(found, "words a reply") == (
        "words a reply primary", "4", "9", "+5 [+4.3, +5.7]", "CHANGED", "0.93", "12"
    )  # fmt: skip
    assert first(found).startswith(
        "Tuned writes more words a reply than base: 9 against 4. On average over the 12 conversations it is 5 words more, most "
        "likely between 4.3 and 5.7 words more."
    )
    assert first(found).endswith("Neither direction is better as such.")


def test_what_is_missing_is_counted_and_can_decide() -> None:
    """Arms have their own means; the difference is that of the conversations that both have."""
    lost = lettered(GOOD, (*BAD[:3], *["-"] * 4, *BAD[7:]))
    assert rows(lost)[3:] == (
        "-37.5 pp [-78.3, -4.0]",
        "REGRESSED depends on missing data",
        "58.4 pp",
        "8, 4 missing",
    )
    assert "On average over the 8 conversations that both have it is 37.5 points lower" in first(lost)
    assert first(lost).endswith(
        "Depends on missing data: regressed if all that is missing had gone against tuned, inconclusive if in its "
        "favour (-37.5 pp as it stands)."
    )


def test_an_interval_that_is_not_centred_is_explained_where_there_is_one() -> None:
    """By its safeguard: it leaves room for conversations that change more than those that were held.

    27.0 points down and 23.5 up are as good as centred.
    """
    about = "A range may reach far to one side"
    assert about not in verdict_table(FALL).footnote
    few = lettered(["pppp"] * 12, [*["pppp"] * 6, *["pppf"] * 6])
    assert rows(few)[3] == "-12.5 pp [-35.9, -4.2]"
    assert about in verdict_table(few).footnote
    assert about not in verdict_table(lettered(GOOD, GOOD)).footnote


def test_a_dash_is_explained_where_one_stands() -> None:
    """Words do not differ here, so nothing says how much they vary."""
    about = "-: can't be told, since all conversations changed alike"
    assert about in verdict_table(FALL).footnote
    some = msgspec.structs.replace(FALL, verdicts=FALL.verdicts[:1])
    assert about not in verdict_table(some).footnote
    places = localisation_table(FALL)
    assert about not in places.footnote
    (lost, *others) = FALL.localisation
    none = msgspec.structs.replace(FALL, localisation=(msgspec.structs.replace(lost, detectable=None), *others))
    assert about in localisation_table(none).footnote


def test_lengths_are_told_as_a_ratio_where_that_has_an_interval() -> None:
    """From thirty conversations on; below, the row has both numbers."""
    longer = [*arm(GOOD * 5, 8, checked=True)[:30], *arm(GOOD * 5, 10, checked=True)[30:]]
    base = arm(GOOD * 5, 4, checked=True)
    for n, told in ((29, False), (60, True)):
        found = compare(suite(n), base[:n], longer[:n], base_run="a", tuned_run="b")
        assert any(line.startswith("words a reply: tuned has 2.25 [") for line in sentences(found)) == told


def test_margins_are_told_where_a_word_depends_on_them() -> None:
    """Of the rows that say so; regressed, improved and changed do not."""
    settled = msgspec.structs.replace(FALL, verdicts=FALL.verdicts[:1])
    assert "margin" not in " ".join(sentences(settled))
    (told,) = (line for line in sentences(FALL) if "margin" in line)
    assert "checks passed" not in told
    assert told.endswith("refusals 5.0 pp, words a reply 1 (--margin sets yours).")


# What to do next


def next_step(comparison: Comparison) -> list[str]:
    """The sentences that say it."""
    return [line for line in sentences(comparison) if line.startswith("Next: ")]


def test_few_conversations_or_none_that_settle_it_ask_for_more() -> None:
    """Whatever the word is with few; with many only where it is inconclusive. An A/A run has no next step."""
    assert len(next_step(FALL)) == len(next_step(lettered(GOOD, GOOD))) == 1
    many, unsettled = lettered(GOOD * 3, BAD * 3), lettered(GOOD * 3, (*["ffff"] * 3, *(GOOD * 3)[3:]))
    assert (many.verdicts[0].word, unsettled.verdicts[0].word) == ("regressed", "inconclusive")
    assert (len(next_step(many)), len(next_step(unsettled))) == (0, 1)
    assert next_step(lettered(GOOD, BAD, same_model=True)) == next_step(lettered(GOOD, BAD, checked=False)) == []


def test_a_part_of_a_suite_names_the_whole() -> None:
    """Which has more, and has the part in it."""
    assert "leave out --limit and --only" in next_step(FALL)[0]
    quick = msgspec.structs.replace(FALL, suite="quick, version 2")
    assert "without --suite quick all of mtbench_conversations is held" in next_step(quick)[0]
    part, whole = ({one.id for one in api.load_suite(name).conversations} for name in (PART, WHOLE))
    assert part < whole


# Corners


def test_without_checks_the_note_says_what_to_do() -> None:
    """What has a verdict all the same stands in the table, and nothing is primary."""
    bare = lettered(GOOD, BAD, checked=False)
    assert [row[0].split("\n")[0] for row in verdict_table(bare).rows] == [
        "refusals",
        "words a reply",
    ]
    assert "primary" not in "".join(row[0] for row in verdict_table(bare).rows)
    assert first(bare) == (
        "No verdict on checks passed: no turn of this suite has checks. --primary MEASURE names another measure that "
        "the comparison is to be about."
    )
    assert "The 2 measures are judged together" in ending(bare)
    assert "Words a reply by turn" in [table.title for table in short_tables(bare)], "something is to be seen by turn"


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
        "checks passed primary", "-", "100.0% (n=3)", "- (nothing measured)", "INCONCLUSIVE", "-", "0, 3 missing"
    )  # fmt: skip
    assert first(none) == "Nothing measured."


def test_all_zero() -> None:
    """The rule of three: (1 + t) / (n + 1), with t = 2.571 and n = 6."""
    floor = lettered(["ffff"] * 6, ["ffff"] * 6)
    assert rows(floor)[1:] == ("0.0%", "0.0%", "0.0 pp [-51.0, +51.0]", "INCONCLUSIVE", "73.1 pp", "6")
    assert first(floor) == (
        "Tuned and base have the same checks passed in each of the 6 conversations. No change seen; at most about 51.0% "
        "of conversations like these would change; 27 unchanged ones would be called equivalent."
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
    assert found[0].endswith("words a reply moved, which is a false alarm. Up to 5 of 100 such runs have one.")


def test_a_declared_extension_says_which_look_it_is() -> None:
    look = lettered(GOOD, BAD, plan=Plan(level=0.975, look=2))
    assert verdict_table(look).title == "Verdict, look 2 of 2 at 2.5% each"
    assert "(97.5% interval)" in verdict_table(look).footnote
    equal = lettered(GOOD * 6, GOOD * 6, plan=Plan(level=0.975, look=2))
    assert "(by a 95% interval, narrower than the one shown)" in " ".join(sentences(equal))


# Where it moved, decay, noise


def test_where_it_moved() -> None:
    """Of four capabilities with p = 0.039, 0.0008, 0.0008 and 0.039 the middle two stand."""
    table = localisation_table(FALL)
    assert table.header == ("capability", "n", "tuned - base", "verdict", "mostly finds")
    assert [(row[0], row[3]) for row in table.rows] == [
        ("context retention", "inconclusive"),
        ("correction", "regressed"),
        ("follow up", "regressed"),
        ("recovery", "inconclusive"),
    ]
    assert "So one may be inconclusive whose brackets leave out 0." in table.footnote
    assert table.footnote.endswith("Certain enough: correction, follow up.")
    assert not [line for line in sentences(FALL) if line.startswith("Which capability")]
    assert localisation_table(lettered(GOOD, GOOD)).rows == (), "nothing moved, so there is nothing to localise"


def none_stands(*, base: Sequence[str] = GOOD, tuned: Sequence[str] = BAD, n: int = 1) -> Comparison:
    """Of the capabilities only these, none of which can be said to have moved."""
    found = lettered(base, tuned)
    places = tuple(msgspec.structs.replace(one, word="inconclusive") for one in found.localisation[:n])
    return msgspec.structs.replace(found, localisation=places)


def test_where_no_capability_stands_a_sentence_names_the_one_to_read_first() -> None:
    """The farthest in the direction of the whole; its table stands only where all tables do."""
    both = none_stands(n=2)
    (told,) = (line for line in sentences(both) if line.startswith("Which capability"))
    assert told == (
        "Which capability fell can't be said: each has few conversations. Correction fell furthest (-66.7 pp in 12 "
        "conversations), a place to start reading."
    )
    rise = none_stands(base=BAD, tuned=GOOD)
    assert "Which capability rose can't be said" in ending(rise)
    assert "Context retention rose furthest (+33.3 pp" in " ".join(ending(rise).split())
    title = localisation_table(both).title
    assert title not in [table.title for table in short_tables(both)]
    assert title in [table.title for table in all_tables(both)]
    assert "None is certain enough: each rests on few conversations." in localisation_table(both).footnote
    again = msgspec.structs.replace(both, same_model=True)
    assert not [line for line in sentences(again) if line.startswith("Which capability")], "nothing to read for"


def test_no_capability_is_named_that_went_the_other_way() -> None:
    down, *_ = none_stands().localisation
    up, *_ = none_stands(base=BAD, tuned=GOOD).localisation
    against = msgspec.structs.replace(none_stands(), localisation=(up,))
    assert down.contrast.difference.value == -(up.contrast.difference.value or 0)
    assert not [line for line in sentences(against) if line.startswith("Which capability")]


def test_tables_in_which_nothing_stands_are_left_out_and_named() -> None:
    """All intervals hold 0, by distance and in late turns; where all tables are asked for they stand."""
    still = lettered(["pppp"] * 12, ["pppp"] * 11 + ["ppfp"])
    text, whole = shown(still), shown(still, everything=True)
    assert "Nothing stands out by distance or in late turns (--all-tables has the tables)." in text
    for title in ("Checks passed by distance", "Late turns against the early one"):
        assert title not in text
        assert title in whole
    assert "Nothing stands out" not in whole
    assert "Nothing stands out" not in shown(FALL)
    bare = lettered(GOOD, GOOD, checked=False)
    assert "Nothing stands out" not in shown(bare), "there is nothing to name either"


def test_what_changed_alike_everywhere_stands_though_it_has_no_interval() -> None:
    """Six conversations fail the check of turn 2 that they passed; one conversation alone is no finding."""
    for n, stands in ((6, True), (1, False)):
        fallen = lettered(["pppp"] * n, ["fppp"] * n)
        assert ("Checks passed by distance" in [table.title for table in short_tables(fallen)]) == stands
        assert ("by distance" in not_shown(fallen)) == (not stands)


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
        "(held again, the same conversation comes out differently). A true difference that is found in 80 of 100 cases, "
        "by conversations x samples: 20.0 pp with 12 x 2, 12.5 pp with 24 x 2."
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
        "| checks passed<br>primary | 75.0% | 25.0% | -50.0 pp<br>[-77.0, -26.5] | REGRESSED | 32.8 pp | 12 |"
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


def test_the_median_difference_of_a_length_is_told_from_thirty_conversations_on() -> None:
    """One reply that is far longer moves the mean, and not the one in the middle."""
    base = [held(f"c{at}", "a " * 8) for at in range(40)]
    tuned = [held(f"c{at}", "a " * (6 + at % 3)) for at in range(40)]
    tuned[0] = held("c0", "a " * 900)
    many = compare(plain_suite(40, 1), base, tuned, base_run="a", tuned_run="b")
    (told,) = (line for line in sentences(many) if line.startswith("words a reply:"))
    assert "in the middle one of all conversations the difference is -1" in told
    few = compare(plain_suite(12, 1), base[:12], tuned[:12], base_run="a", tuned_run="b")
    assert not any("in the middle one" in line for line in sentences(few))
