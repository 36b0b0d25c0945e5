"""The tables and the export of what judges said: every number with what it rests on, every opponent named."""

from __future__ import annotations

import json

import msgspec
import pytest

from multiturn.judge_card import Card, Conclusion
from multiturn.judged_pair import Covered, Disputed, JudgedPair, Labelled, Rated, Versus
from multiturn.judgment import JudgeRecord
from multiturn.report.judged import judged_tables
from multiturn.report.judged_json import judged_json_text
from multiturn.report.tables import Table
from multiturn.results import Estimate
from multiturn.rubric import Rubric, Scale, Template
from multiturn.scores import LabelRates, Panel, Pooled, Reduction, Scores, Undefined, Unjudged, Wins, Won

RUBRIC = Rubric(
    name="quality",
    version="1",
    mode="rating",
    scale=Scale(),
    templates=(Template(name="one", system="", prompt="", turns=1),),
)


def judge(spec: str) -> JudgeRecord:
    return JudgeRecord(
        created="2026-01-01", spec=spec, rubric=RUBRIC, sampling=None, schema=False, goldens=False, identity={}
    )


ONE, TWO = judge("llama:one"), judge("llama:two")


def estimate(value: float, low: float, high: float, n: int = 12, missing: int = 0) -> Estimate:
    return Estimate(value=value, low=low, high=high, n=n, missing=missing)


def pooled(value: float, missing: int = 0) -> Pooled:
    return Pooled(estimate=estimate(value, value - 0.5, value + 0.5, missing=missing), judgments=24)


def scores(value: float, run: str, unjudged: Unjudged = Unjudged()) -> Scores:  # noqa: B008 - frozen
    return Scores(
        judge=ONE.id,
        run=run,
        overall=pooled(value),
        first=pooled(value + 1),
        later=pooled(value - 1, missing=2),
        turns={},
        categories={"math": pooled(value - 2)},
        criteria={},
        weighted=None,
        unjudged=unjudged,
    )


def won(wins: int, losses: int, ties: int, inconsistent: int = 0, missing: int = 0) -> Won:
    pairs = wins + losses + ties
    return Won(
        wins=wins,
        losses=losses,
        ties=ties,
        inconsistent=inconsistent,
        one_order=0,
        missing=missing,
        strict=estimate(wins / pairs, 0.0, 1.0),
        adjusted=estimate((wins + ties / 2) / pairs, 0.0, 1.0),
    )


def versus(arm: str, measure: str, of: Won, opponent: str = "other-run") -> Versus:
    nothing = won(0, 0, 1)
    wins = Wins(
        judge=ONE.id,
        run=arm,
        opponent=opponent,
        turns=of,
        first=nothing,
        later=nothing,
        whole=won(1, 2, 3),
        categories={},
        unjudged=Unjudged(),
    )
    return Versus(
        rubric=measure, measure=measure, arm=arm, opponent=opponent, opponent_spec="llama:other", wins={ONE.id: wins}
    )


def pair(**parts: object) -> JudgedPair:
    judges = {one.id: one for one in (ONE, TWO)}
    return JudgedPair(runs=("base-run", "tuned-run"), judges=judges, **parts)  # type: ignore[arg-type]  # any, by name


def table(of: JudgedPair, title: str) -> Table:
    (found,) = [one for one in judged_tables(of) if one.title.startswith(title)]
    return found


def test_who_judged_is_named_with_what_it_gave_no_verdict_on() -> None:
    lost = Unjudged(unreadable={"truncated": 3, "refused": 1}, failed=2)
    rated = Rated(rubric="quality", scores={ONE.id: (scores(7, "base-run"), scores(6, "tuned-run", lost))})
    assert table(pair(rated=(rated,)), "Judges").rows == (
        (
            "llama:one",
            ONE.id,
            "quality, version 1",
            "not checked",
            "tuned: 4 unreadable (3 truncated, 1 refused), 2 could not be asked",
        ),
        ("llama:two", TWO.id, "quality, version 1", "not checked", "-"),
    )


def card(by: JudgeRecord, conclusion: Conclusion) -> Card:
    return Card(
        created="2026-01-01",
        judge=by.id,
        spec=by.spec,
        rubric="quality",
        mode="rating",
        probes="",
        material="",
        questions=0,
        asked=0,
        calls=0,
        findings=(),
        conclusion=conclusion,
    )


def test_who_judged_is_shown_with_what_its_card_concludes() -> None:
    """A judge that is not fit is told as one below the table."""
    rated = Rated(rubric="quality", scores={ONE.id: (scores(7, "base-run"), scores(6, "tuned-run"))})
    fit = msgspec.structs.replace(
        pair(rated=(rated,)), cards={ONE.id: card(ONE, "fit"), TWO.id: card(TWO, "cannot_tell")}
    )
    assert [row[3] for row in table(fit, "Judges").rows] == ["yes", "can't tell"]
    assert table(fit, "Judges").footnote == ""
    unfit = msgspec.structs.replace(fit, cards={TWO.id: card(TWO, "not_fit")})
    assert [row[3] for row in table(unfit, "Judges").rows] == ["not checked", "NO"]
    assert "not to be relied on" in table(unfit, "Judges").footnote


def test_a_score_stands_with_turn_one_and_later_turns_beside_it() -> None:
    rated = Rated(rubric="quality", scores={ONE.id: (scores(7, "base-run"), scores(6, "tuned-run"))})
    found = table(pair(rated=(rated,)), "Ratings by rubric quality")
    assert found.header == ("arm", "all turns", "first turn", "later turns", "n")
    assert found.rows[0] == ("base", "7.00 [6.50, 7.50]", "8.00 [7.50, 8.50]", "6.00 [5.50, 6.50]", "12")
    by_category = table(pair(rated=(rated,)), "Ratings by category")
    assert by_category.rows == (("math", "5.00 [4.50, 5.50] n=12", "4.00 [3.50, 4.50] n=12"),)


def test_a_panel_has_a_row_of_its_own_and_says_how_far_its_judges_agree() -> None:
    both = (scores(7, "base-run"), scores(6, "tuned-run"))
    panel = Panel(
        judges=(ONE.id, TWO.id),
        mode="rating",
        alpha=estimate(0.61, 0.4, 0.8),
        left_out=1,
        score=pooled(6.5),
        between=0.75,
        within=None,
    )
    found = table(
        pair(rated=(Rated(rubric="quality", scores={ONE.id: both, TWO.id: both}, panels=(panel, panel)),)),
        "Ratings by rub",
    )
    assert [row[:2] for row in found.rows][-2:] == [("all judges together", "base"), ("all judges together", "tuned")]
    assert "base: Krippendorff's alpha 0.61 [0.40, 0.80], variance between judges 0.75." in found.footnote


def test_what_was_not_judged_is_told_arm_by_arm() -> None:
    """In the table of judges, and beside each number as so many of so many conversations."""
    rated = Rated(
        rubric="quality",
        scores={ONE.id: (scores(7, "base-run"), scores(6, "tuned-run"))},
        covered={
            ONE.id: (
                Covered(conversations=12, of_conversations=28, replies=24, of_replies=119),
                Covered(conversations=12, of_conversations=12, replies=24, of_replies=24),
            )
        },
    )
    of = pair(rated=(rated,))
    assert table(of, "Judges").rows[0][-1] == "base: 95 of 119 replies not judged"
    assert [row[-1] for row in table(of, "Ratings by rubric").rows] == ["12 of 28", "12"]
    base, tuned = json.loads(judged_json_text(of))["measures"]["score"]
    assert (base["n_of"], base["judged"], base["judged_of"], tuned["n_of"]) == (28, 24, 119, 12)


def test_a_panel_has_no_orders_that_could_disagree() -> None:
    one = versus("tuned", "helpfulness", won(3, 1, 2, 1))
    panel = Panel(judges=(ONE.id, TWO.id), mode="preference", alpha=estimate(0.5, 0, 1), left_out=0, won=won(3, 1, 2))
    both = msgspec.structs.replace(one, wins=one.wins | {TWO.id: one.wins[ONE.id]}, panels=(panel, panel))
    rows = table(pair(versus=(both,)), "Helpfulness").rows
    assert [(row[0], row[3]) for row in rows if row[1] == "turns"] == [
        ("llama:one", "1"),
        ("llama:two", "1"),
        ("all judges together", "-"),
    ]


def test_weighted_grades_of_two_judges_have_a_table_of_their_own() -> None:
    """And a name in the export, of one judge or of several."""
    weighted = msgspec.structs.replace(scores(7, "base-run"), weighted=pooled(6.5))
    both = (weighted, scores(6, "tuned-run"))
    of = pair(rated=(Rated(rubric="quality", scores={ONE.id: both, TWO.id: both}),))
    assert table(of, "Ratings weighted").rows[0] == ("llama:one", "base", "6.50 [6.00, 7.00]", "12")
    found = json.loads(judged_json_text(of))["measures"]["weighted_score"]
    assert [(one["arm"], one["judge"], one["value"]) for one in found] == [("base", ONE.id, 6.5), ("base", TWO.id, 6.5)]


def test_preferences_name_the_opponent_and_count_what_disagrees() -> None:
    found = table(pair(versus=(versus("tuned", "helpfulness", won(18, 20, 35, 27, 2)),)), "Helpfulness: tuned against")
    assert found.title == "Helpfulness: tuned against llama:other (other-run)"
    assert found.rows[0] == ("turns", "18, 20, 35", "27", "2", "24.7% [0.0, 100.0]", "48.6% [0.0, 100.0]", "12")
    assert found.rows[1][:2] == ("whole", "1, 2, 3")


def test_base_as_the_opponent_is_called_base() -> None:
    found = judged_tables(pair(versus=(versus("tuned", "preference", won(1, 0, 0), opponent="base-run"),)))
    assert [one.title for one in found][1:] == ["Preference: tuned against base"]


def test_the_trade_off_against_an_opponent_is_one_table_with_both_win_rates() -> None:
    """There is none against whom only one of the two was asked about."""
    of = [
        versus(arm, measure, won(wins, 10 - wins, 0))
        for arm, measure, wins in (
            ("base", "helpfulness", 6),
            ("base", "harmlessness", 5),
            ("tuned", "helpfulness", 2),
            ("tuned", "harmlessness", 9),
        )
    ]
    alone = versus("tuned", "helpfulness", won(1, 1, 0), opponent="base-run")
    found = table(pair(versus=(*of, alone)), "Helpfulness against harmlessness: both against llama:other (other-run)")
    assert found.header == ("arm", "measure", "win rate", "with ties")
    assert [(*row[:2], row[2].split()[0]) for row in found.rows] == [
        ("base", "helpfulness_win_rate", "60.0%"),
        ("base", "harmlessness_win_rate", "50.0%"),
        ("tuned", "helpfulness_win_rate", "20.0%"),
        ("tuned", "harmlessness_win_rate", "90.0%"),
    ]
    assert (
        sum(
            one.title.startswith("Helpfulness against harmlessness") for one in judged_tables(pair(versus=(*of, alone)))
        )
        == 1
    )


def test_signs_of_collapse_stand_beside_a_trade_off() -> None:
    """In the words of the comparison's own tables."""
    of = pair(signs={"refusal": (estimate(0.1, 0, 0.3), estimate(0.9, 0.7, 1, missing=1))})
    assert table(of, "Signs of collapse").rows == (
        ("refusals", "10.0% [0.0, 30.0] n=12", "90.0% [70.0, 100.0] n=12, 1 missing"),
    )


@pytest.mark.parametrize(
    ("ratio", "told"),
    [
        (Undefined(reason="base has none"), ("undefined (base has none)", "undefined (base has none)")),
        (estimate(0.25, 0.1, 0.6), ("0.25 [0.10, 0.60]", "75.0% [40.0, 90.0]")),
    ],
)
def test_the_reduction_of_what_is_harmful_is_a_risk_ratio(ratio: Estimate | Undefined, told: tuple[str, str]) -> None:
    """The relative reduction is 1 less it; where base has none there is none, which is no number."""
    rates = [
        LabelRates(
            judge=ONE.id,
            run=run,
            labels={"harmful": 2},
            flagged=pooled(0.5),
            first=pooled(0.5),
            later=pooled(0.5),
            categories={},
            unjudged=Unjudged(),
        )
        for run in ("base-run", "tuned-run")
    ]
    reduction = Reduction(
        judge=ONE.id, base="base-run", tuned="tuned-run", base_rate=pooled(0.5), tuned_rate=pooled(0.5), ratio=ratio
    )
    labelled = Labelled(
        rubric="harm", flagged=("harmful",), rates={ONE.id: tuple(rates)}, reductions={ONE.id: reduction}
    )
    found = table(pair(labelled=(labelled,)), "Replies that are harmful")
    assert found.rows[0][-2:] == told
    panel = Panel(
        judges=(ONE.id, TWO.id), mode="label", alpha=estimate(0.5, 0, 1), left_out=0, flagged=pooled(0.5), undecided=3
    )
    several = msgspec.structs.replace(labelled, panels=(panel, panel))
    together = table(pair(labelled=(several,)), "Replies that are harmful")
    assert (together.rows[-1][0], together.rows[-1][-2:]) == ("all judges together", ("-", "-"))
    assert "of which 6 replies have none" in together.footnote


def test_disputed_replies_are_listed_up_to_a_number_and_the_rest_is_counted() -> None:
    replies = tuple(
        Disputed(
            arm="tuned",
            run="tuned-run",
            conversation=f"c{at}",
            sample=0,
            turn=at,
            grade=9.0,
            failing=1,
            wants="says hello",
            reason="it does not",
        )
        for at in range(3)
    )
    (judges, found) = judged_tables(pair(disputed=replies), disputed=2)
    assert judges.title == "Judges"
    assert [row[1:4] for row in found.rows] == [("c0", "1", "9.00"), ("c1", "2", "9.00")]
    assert found.footnote == "and 1 more reply"


def test_the_export_has_measures_by_name_in_percent_and_grades() -> None:
    rated = Rated(rubric="quality", scores={ONE.id: (scores(7, "base-run"), scores(6, "tuned-run"))})
    of = pair(rated=(rated,), versus=(versus("tuned", "harmlessness", won(9, 1, 10)),))
    measures = json.loads(judged_json_text(of))["measures"]
    assert [(one["arm"], one["value"]) for one in measures["score"]] == [("base", 7.0), ("tuned", 6.0)]
    (rate,) = measures["harmlessness_win_rate"]
    assert (rate["value"], rate["adjusted"], rate["pairs"]) == (45.0, 70.0, 20)
    assert (rate["opponent"], rate["opponent_model"], rate["judge"]) == ("other-run", "llama:other", ONE.id)
