"""Which rows the tables of the evidence have. Read it as the specification."""

from __future__ import annotations

from typing import Literal

import msgspec
import pytest
from tests.report.lettered import lettered

from multiturn.report import tables
from multiturn.report.contents import all_tables
from multiturn.results import Change, Comparison, Contrast, Estimate, Flip, Measured, PassRates, Verdict


def contrast(measure: str, kind: str, name: str, base: float | None, tuned: float | None) -> Contrast:
    def arm(value: float | None) -> Estimate:
        if value is None:
            return Estimate(value=None, n=0, missing=4)
        return Estimate(value=value, low=value - 0.1, high=value + 0.1, n=4, missing=0)

    both = base is not None and tuned is not None
    return Contrast(
        measure=measure,
        group=(kind, name),
        base=arm(base),
        tuned=arm(tuned),
        difference=arm((tuned or 0) - (base or 0) if both else None),
    )


COMPARISON = Comparison(
    base_run="r1",
    tuned_run="r2",
    contrasts=(
        contrast("refusal", "all", "", 0.25, 0.5),
        contrast("words", "all", "", 80, 40),
        contrast("refusal", "turn", "1", 0.25, 0.25),
        contrast("refusal", "turn", "2", 0.25, 0.75),
        contrast("words", "turn", "1", 80, None),
        contrast("collapse", "turn", "1", 0, 0),
        contrast("empty", "turn", "1", None, None),
        contrast("refusal", "capability", "format_switching", 0.25, 0.5),
        contrast("refusal", "domain", "my_domain", 0.25, 0.5),
    ),
    changes=(
        Change(conversation="c2", score=4.1, reasons=("3 of 4 replies became refusals", "replies 5.1 times shorter")),
        Change(conversation="c1", score=0.2, reasons=()),
        Change(conversation="c3", score=0, reasons=()),
    ),
)


def test_the_first_table_has_every_measure() -> None:
    table = tables.overall(COMPARISON)
    assert table.header == ("measure", "n", "base", "tuned", "tuned - base")
    assert table.rows == (
        ("refusals", "4", "25.0%", "50.0%", "+25.0 pp [+15.0, +35.0]"),
        ("words a reply", "4", "80", "40", "-40 [-40, -40]"),
    )
    assert table.footnote == (
        "n: conversations. [low, high]: where the true difference most likely lies (95% interval); with 0 inside, "
        "there may be none."
    )


def test_the_short_table_names_what_never_occurred_in_one_line() -> None:
    """Rows of zeros tell nothing that a word can't."""
    silent = contrast("empty", "all", "", 0, 0)
    shown = tables.overall_short(msgspec.structs.replace(COMPARISON, contrasts=(*COMPARISON.contrasts, silent)))
    assert [row[0] for row in shown.rows] == ["refusals", "words a reply"]
    assert shown.footnote == "0 in both: empty replies."


def test_the_short_table_names_what_applied_to_no_reply_in_one_line() -> None:
    """Where something is missing, or one arm has a value, the row says so itself."""
    absent, present = Estimate(value=None, n=0, missing=0), Estimate(value=0.5, n=2, missing=0)
    idle = Contrast(measure="language_change", group=("all", ""), base=absent, tuned=absent, difference=absent)
    lost = msgspec.structs.replace(absent, missing=1)
    for one, told in (
        (idle, True),
        (msgspec.structs.replace(idle, base=present), False),
        (msgspec.structs.replace(idle, tuned=present), False),
        (msgspec.structs.replace(idle, base=lost, difference=lost), False),
        (msgspec.structs.replace(idle, tuned=lost, difference=lost), False),
    ):
        for others in ((), (contrast("empty", "all", "", 0, 0),)):
            contrasts = (*COMPARISON.contrasts, *others, one)
            shown = tables.overall_short(msgspec.structs.replace(COMPARISON, contrasts=contrasts))
            zeros = ["0 in both: empty replies."] if others else []
            assert shown.footnote.startswith(" ".join((*zeros, *(["Did not apply: language change."] if told else []))))
            assert ("language change" in shown.footnote) == told
            assert [row[0] for row in shown.rows][2:] == ([] if told else ["language change"])
    assert [row[0] for row in tables.overall(msgspec.structs.replace(COMPARISON, contrasts=(idle,))).rows] == [
        "language change"
    ]


def test_the_short_table_says_nothing_twice() -> None:
    """Sentences say what words say; where all refusals are full ones, one row is enough."""
    full, sentences = contrast("refusal_full", "all", "", 0.25, 0.5), contrast("sentences", "all", "", 8, 4)
    shown = tables.overall_short(
        msgspec.structs.replace(COMPARISON, contrasts=(*COMPARISON.contrasts, full, sentences))
    )
    assert [row[0] for row in shown.rows] == ["refusals", "words a reply"]
    assert shown.footnote == "All refusals are full ones."
    some = contrast("refusal_full", "all", "", 0.25, 0.25)
    shown = tables.overall_short(msgspec.structs.replace(COMPARISON, contrasts=(*COMPARISON.contrasts, some)))
    assert ([row[0] for row in shown.rows][-1], shown.footnote) == ("full refusals", "")


def test_refusals_that_there_are_none_of_are_not_called_full() -> None:
    none = tuple(contrast(name, "all", "", 0, 0) for name in ("refusal", "refusal_full"))
    shown = tables.overall_short(msgspec.structs.replace(COMPARISON, contrasts=none))
    assert shown.footnote == "0 in both: refusals, full refusals."


def test_a_difference_that_is_not_that_of_the_two_columns_is_explained() -> None:
    """Where an arm has a value in more conversations than both have, whether the other lacks them or has none."""
    whole = contrast("language_change", "all", "", 0, 0.25)
    fewer = Estimate(value=0.33, low=0.1, high=0.5, n=3, missing=0)
    for difference, told in (
        (whole.difference, False),
        (fewer, True),
        (msgspec.structs.replace(fewer, missing=1), True),
    ):
        apart = msgspec.structs.replace(COMPARISON, contrasts=(msgspec.structs.replace(whole, difference=difference),))
        for shown in (tables.overall(apart), tables.overall_short(apart)):
            assert ("over the conversations that have a value in both" in shown.footnote) == told
            assert (shown.rows[0][3] == "25.0%\n(n=4)") == told


def test_turns_are_one_table_a_measure() -> None:
    """What never occurs, or was never measured, has none: the table of all turns says so once."""
    found = tables.per_turn(COMPARISON)
    assert [table.title for table in found] == ["Refusals by turn", "Words a reply by turn"]
    assert [row[0] for row in found[0].rows] == ["1", "2"]
    assert found[1].rows == (("1", "0, 4 missing", "80\n(n=4)", "-", "- (4 missing)"),)


def test_capabilities_read_as_words_and_domains_as_the_suite_wrote_them() -> None:
    assert tables.per_capability(COMPARISON)[0].rows[0][0] == "format switching"
    assert tables.per_domain(COMPARISON)[0].rows[0][0] == "my_domain"
    assert tables.per_category(COMPARISON) == []


def test_the_most_changed_come_first_and_the_unchanged_not_at_all() -> None:
    table = tables.most_changed(COMPARISON, limit=1)
    assert table.rows == (("c2", "4.10", "3 of 4 replies became refusals; replies 5.1 times shorter"),)
    assert table.footnote == "An order to read in, no statistic. 1 more changed less."
    assert tables.most_changed(COMPARISON).rows[1] == ("c1", "0.20", "other words")


def test_what_has_a_verdict_is_not_told_twice_on_one_screen() -> None:
    """Its row is in the table of verdicts."""
    whole = next(one for one in COMPARISON.contrasts if one.measure == "refusal")
    said = Verdict(measure="refusal", role="secondary", word="inconclusive", contrast=whole)
    table = tables.overall_short(msgspec.structs.replace(COMPARISON, verdicts=(said,)))
    assert (table.title, [row[0] for row in table.rows]) == ("Other measures", ["words a reply"])


def test_every_row_has_as_many_cells_as_the_header() -> None:
    for table in all_tables(CHECKED):
        assert {len(row) for row in table.rows} == {len(table.header)}


# Checks


def flip(
    conversation: str, after: Literal["pass", "fail"], *, turn: int = 1, sample: int = 0, wants: str = "says '5:45'"
) -> Flip:
    return Flip(
        conversation=conversation,
        sample=sample,
        turn=turn,
        capability="context_retention",
        check=0,
        kind="says",
        wants=wants,
        before="fail" if after == "pass" else "pass",
        after=after,
        reason="does not say '5:45'",
    )


CHECKED = msgspec.structs.replace(
    COMPARISON,
    contrasts=(
        contrast("check_pass", "all", "", 0.75, 0.5),
        *COMPARISON.contrasts,
        contrast("check_pass", "turn", "2", 0.75, 0.5),
        contrast("check_pass", "capability", "context_retention", 0.75, 0.5),
        contrast("check_pass", "distance", "1", 0.75, 0.75),
        contrast("check_pass", "distance", "4+", 0, 0),
        contrast("check_pass", "category", "writing", 0.75, 0.5),
        contrast("check_pass", "domain", "my_domain", 0.75, 0.5),
    ),
    changes=(
        Change(conversation="c2", score=4.1, reasons=("r",), flips=(flip("c2", "pass"), flip("c2", "fail", turn=2))),
        Change(conversation="c1", score=3, reasons=("r",), flips=(flip("c1", "fail", sample=1),)),
    ),
)


def test_checks_come_first() -> None:
    assert tables.overall_short(CHECKED).rows[0][:4] == ("checks passed", "4", "75.0%", "50.0%")


def test_the_curve_of_forgetting_keeps_its_zeros() -> None:
    """Unlike other measures, where what never occurs has no place to show: that nothing passes is a finding."""
    found = tables.by_group(CHECKED, "distance", "check_pass")
    assert found.header[0] == "turns back"
    assert [row[:4] for row in found.rows] == [("1", "4", "75.0%", "75.0%"), ("4+", "4", "0.0%", "0.0%")]
    floor = msgspec.structs.replace(CHECKED, contrasts=(contrast("check_pass", "all", "", 0, 0),))
    assert [row[0] for row in tables.overall_short(floor).rows] == ["checks passed"]


def test_what_was_lost_stands_before_what_was_won_and_the_most_changed_first() -> None:
    found = tables.flipped_checks(CHECKED)
    assert found.header == (
        "conversation",
        "turn",
        "capability",
        "what it is to catch",
        "base -> tuned",
        "what decided",
    )
    assert [row[:2] + row[4:5] for row in found.rows] == [
        ("c2", "3 (sample 1)", "pass -> fail"),
        ("c1", "2 (sample 2)", "pass -> fail"),
        ("c2", "2 (sample 1)", "fail -> pass"),
    ]
    assert found.rows[0][2:4] == ("context retention", "not: says '5:45'")
    meant = msgspec.structs.replace(flip("c2", "fail"), why="Not the time from the first turn.")
    told = msgspec.structs.replace(
        CHECKED, changes=(Change(conversation="c2", score=4, reasons=("r",), flips=(meant,)),)
    )
    assert tables.flipped_checks(told).rows[0][3] == meant.why
    assert found.footnote == "A check is an exact test of one reply, written in the suite."


def test_of_several_samples_each_flip_names_its_own() -> None:
    """The first one too: there is a noise floor where there are several."""
    several = lettered(["pppp", "pppp"], ["ppfp", "ppfp"], samples=2)
    for table in (tables.flipped_checks(several), tables.flipped_checks_short(several)):
        assert "4 (sample 1)" in {row[1] for row in table.rows}
    alone = tables.flipped_checks(lettered(["pppp", "pppp"], ["ppfp", "ppfp"]))
    assert {row[1] for row in alone.rows} == {"4"}


def test_one_flipped_check_of_each_conversation_is_shown_in_short_and_all_where_all_is_asked_for() -> None:
    """In short three at most: what tuned lost first, and without the capability, so that the rest of a row has room."""
    changes = tuple(
        Change(conversation=name, score=4, reasons=("r",), flips=(flip(name, "pass"), flip(name, "fail", turn=2)))
        for name in ("c1", "c2", "c3", "c4", "c5", "c6")
    )
    comparison = msgspec.structs.replace(CHECKED, changes=changes)
    short, whole = tables.flipped_checks_short(comparison), tables.flipped_checks(comparison)
    assert (short.title, short.header) == (
        "Flipped checks: base passes, tuned fails",
        ("conversation", "turn", "what it is to catch", "what decided"),
    )
    assert [row[:2] for row in short.rows] == [("c1", "3"), ("c2", "3"), ("c3", "3")]
    assert short.rows[0][3] == "does not say '5:45'"
    assert short.footnote.endswith("One of each conversation; 9 more.")
    assert len(whole.rows) == 12
    single = msgspec.structs.replace(
        CHECKED, changes=(Change(conversation="c", score=4, reasons=("r",), flips=(flip("c", "fail"),)),)
    )
    assert tables.flipped_checks_short(single).footnote == whole.footnote


def short_flips(*flips: Flip) -> tables.Table:
    """What one screen shows of flips of one conversation each."""
    changes = tuple(Change(conversation=one.conversation, score=4, reasons=("r",), flips=(one,)) for one in flips)
    return tables.flipped_checks_short(msgspec.structs.replace(CHECKED, changes=changes))


def test_which_way_checks_flipped_is_said_once_where_it_is_one_way() -> None:
    """In short; where they went both ways a column says so."""
    assert short_flips(flip("c1", "pass"), flip("c2", "pass")).title == "Flipped checks: tuned passes, base fails"
    both = short_flips(flip("c1", "pass"), flip("c2", "fail"))
    assert (both.title, both.header[3]) == ("Flipped checks", "base -> tuned")
    assert {row[3] for row in both.rows} == {"pass -> fail", "fail -> pass"}


def test_checks_that_flipped_to_refusals_are_so_called_and_one_is_quoted() -> None:
    """The model did not do what the check is to catch: it declined. Not in a table of which some are no refusals."""
    refused = msgspec.structs.replace(flip("c1", "fail"), reason="the reply is a refusal", tuned_words="I can't")
    table = short_flips(refused)
    assert (table.title, table.header) == (
        "Flipped checks: base passes, tuned refuses",
        ("conversation", "turn", "what it is to catch"),
    )
    assert 'The first one is a refusal: "I can\'t".' in table.footnote
    back = msgspec.structs.replace(flip("c1", "pass"), reason="the reply is a refusal", base_words="I can't")
    assert short_flips(back).title == "Flipped checks: tuned passes, base refuses"
    mixed = short_flips(refused, flip("c2", "fail"))
    assert mixed.title == "Flipped checks: base passes, tuned fails"
    assert mixed.rows[0][3] == 'a refusal: "I can\'t"'


def test_in_short_the_most_changed_have_their_first_reasons() -> None:
    change = Change(conversation="c", score=2, reasons=("a" * 20, "b" * 20, "three", "four"))
    same = Change(conversation="d", score=0, reasons=())
    found = msgspec.structs.replace(COMPARISON, changes=(*(change,) * 4, same))
    table = tables.most_changed_short(found)
    assert table.header == ("conversation", "why")
    assert table.rows == (("c", f"{'a' * 20}; {'b' * 20}; ..."),) * 3
    assert table.title == "Changed most: 3 of 4 to read first"
    assert tables.most_changed(found).rows[3][2] == f"{'a' * 20}; {'b' * 20}; three; four"


@pytest.mark.parametrize(
    ("reasons", "shown"),
    [
        ((), "other words"),
        (("one", "two", "three"), "one; two; three"),
        (("a" * 60,), "a" * 60),
        (("a" * 60, "b"), "a" * 60 + "; ..."),
        (("a" * 44, "b" * 44), "a" * 44 + "; ..."),
        (("a" * 24, "b" * 24), f"{'a' * 24}; {'b' * 24}"),
        (("a" * 24, "b" * 25), "a" * 24 + "; ..."),
    ],
)
def test_as_many_reasons_as_have_room_and_always_one(reasons: tuple[str, ...], shown: str) -> None:
    """Fifty characters."""
    one = Change(conversation="c", score=1, reasons=reasons)
    assert tables.most_changed_short(msgspec.structs.replace(COMPARISON, changes=(one,))).rows == (("c", shown),)


def test_the_words_that_decided_are_quoted() -> None:
    """Those of the reply that fails; else those of the one that passes, and whose they are; else the reason."""
    lost, won = flip("c", "fail"), flip("c", "pass")
    cases = (
        (lost, "5:45", "Sorry,\nno", '"Sorry, no"'),
        (won, "Sorry", "5:45", '"Sorry"'),
        (lost, "5:45", None, 'base has "5:45"'),
        (won, None, "5:45", 'tuned has "5:45"'),
        (lost, None, None, "does not say '5:45'"),
        (lost, None, "word " * 30, '"' + "word " * 11 + 'wo..."'),
    )
    for one, base, tuned, shown in cases:
        change = Change(
            conversation="c",
            score=1,
            reasons=("r",),
            flips=(msgspec.structs.replace(one, base_words=base, tuned_words=tuned),),
        )
        comparison = msgspec.structs.replace(CHECKED, changes=(change,))
        assert tables.flipped_checks(comparison).rows[0][5] == shown


def test_a_long_wish_is_cut() -> None:
    wish = flip("c", "fail", wants="says " + "'quarter to six' or " * 9)
    comparison = msgspec.structs.replace(
        CHECKED, changes=(Change(conversation="c", score=1, reasons=("r",), flips=(wish,)),)
    )
    shown = tables.flipped_checks(comparison).rows[0][3]
    assert len(shown) <= 60
    assert shown.endswith("...")


def test_without_checks_there_is_no_table_of_them() -> None:
    """As with a run whose suite had none."""
    assert tables.checks_passed(COMPARISON, ("capability", "turn")) == []
    assert tables.flipped_checks(COMPARISON).rows == ()


def test_one_run_has_its_rate_over_all_turns_and_by_capability() -> None:
    def rate(kind: str, name: str, value: float) -> Measured:
        found = Estimate(value=value, low=value - 0.1, high=value + 0.1, n=4, missing=1)
        return Measured(measure="check_pass", group=(kind, name), estimate=found)

    rates = (rate("all", "", 0.5), rate("turn", "2", 0.5), rate("capability", "context_retention", 0.25))
    table = tables.pass_rates(PassRates(rates=rates, notes=()))
    assert table.rows == (
        ("all", "50.0% [40.0, 60.0] n=4, 1 missing"),
        ("context retention", "25.0% [15.0, 35.0] n=4, 1 missing"),
    )
    assert "95%" in table.footnote
