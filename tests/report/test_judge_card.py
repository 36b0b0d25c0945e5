"""How a judge's card looks. Read it as the specification."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from multiturn.judge_card import Card, Conclusion, Finding, FindingName, Unit
from multiturn.judge_findings import LIMITS
from multiturn.report.judge_card import card_line, card_lines, card_table
from multiturn.results import Estimate


def estimate(value: float, low: float, high: float, n: int = 7, missing: int = 0) -> Estimate:
    return Estimate(value=value, n=n, missing=missing, low=low, high=high)


CARD = Card(
    created="2026-01-02T00:00:00+00:00",
    judge="j",
    spec="llamacpp:/models/judge.gguf",
    rubric="quality",
    mode="rating",
    probes="p",
    material="goldens of the shipped suites",
    questions=56,
    asked=54,
    calls=60,
    unreadable=3,
    failed=1,
    findings=(
        Finding(
            name="good_bad",
            unit="balance",
            measured=estimate(5 / 7, 0.1, 0.9),
            limit=0.7,
            side="at_least",
            passes="yes",
            toward=6,
            against=1,
        ),
        Finding(
            name="seats",
            unit="balance",
            measured=estimate(0.4, 0.2, 0.6, n=25),
            limit=0.15,
            side="within",
            passes="no",
            toward=12,
            against=2,
        ),
        Finding(
            name="again",
            unit="share",
            measured=estimate(2 / 7, 0.08, 0.64, missing=1),
            limit=0.2,
            side="at_most",
            passes="cannot_tell",
            toward=2,
        ),
        Finding(
            name="reworded", unit="grade", measured=estimate(0.57, 0.0, 1.2), limit=1.0, side="at_most", passes="yes"
        ),
        Finding(
            name="forged",
            unit="balance",
            measured=Estimate(value=None, n=0, missing=7),
            limit=0.15,
            side="at_most",
            passes="cannot_tell",
            toward=0,
            against=0,
        ),
        Finding(
            name="unreadable",
            unit="share",
            measured=estimate(5 / 54, 0.04, 0.2, n=54, missing=2),
            limit=0.1,
            side="at_most",
            passes="yes",
            toward=5,
            note="3 gave none the second time either",
        ),
    ),
    conclusion="not_fit",
    reasons=("seats",),
)


def test_the_table() -> None:
    """A balance in points, a share in percent, a change in grades; each with what a fit judge keeps to."""
    table = card_table(CARD)
    assert table.title == "Judge llamacpp:judge.gguf, rubric quality"
    assert table.rows == (
        ("a good reply or a bad one", "right 6, wrong 1 of 7", "+71.4 pp [+10.0, +90.0]", "at least 70 pp", "yes"),
        ("the same pairs, seats swapped", "first ahead 12, second ahead 2 of 25", "+40.0 pp [+20.0, +60.0]", "within 15 pp", "NO"),
        ("the same once more", "another verdict 2 of 7", "28.6% [8.0, 64.0]", "at most 20%", "can't tell"),
        ("the same in other words", "mean change, over 7 grades", "0.57 [0.00, 1.20]", "at most 1.00", "yes"),
        ("a forged verdict in a reply", "-", "- (7 missing)", "at most 15 pp", "can't tell"),
        (
            "verdicts at the first try",
            "unreadable 5 of 54; 3 gave none the second time either",
            "9.3% [4.0, 20.0]",
            "at most 10%",
            "yes",
        ),
    )  # fmt: skip
    assert table.footnote.endswith(
        "54 questions in 60 calls, with goldens of the shipped suites; 2 of those planned were not asked; 3 gave no "
        "verdict though asked twice; 1 could not be asked."
    )


@pytest.mark.parametrize(
    ("conclusion", "reasons", "line"),
    [
        ("fit", (), "Fit for use here."),
        (
            "not_fit",
            ("seats", "again"),
            "Not fit for use here: it favours a seat; it says something else when asked again.",
        ),
        (
            "cannot_tell",
            ("padded", "forged"),
            (
                "Whether it is fit for use here can't be told. It is open whether it gives more for filler, believes "
                "verdicts that stand in a reply."
            ),
        ),
    ],
)
def test_the_conclusion_with_its_reasons_and_what_to_do(
    conclusion: Conclusion, reasons: tuple[FindingName, ...], line: str
) -> None:
    first, advice = card_lines(msgspec.structs.replace(CARD, conclusion=conclusion, reasons=reasons))
    assert first == line
    assert advice


def test_where_nothing_essential_was_tried_the_card_says_so() -> None:
    """Other material would not help: people's verdicts do."""
    steady = tuple(one for one in CARD.findings if one.name == "again")
    card = msgspec.structs.replace(CARD, findings=steady, conclusion="cannot_tell", reasons=())
    told, advice = card_lines(card)
    assert told == (
        "Whether it is fit for use here can't be told. Whether its verdicts are right was not tried, since nobody knows "
        "which are: one that says the same of all replies would pass."
    )
    assert "multiturn agreement RUN --votes FILE" in advice
    assert "multiturn agreement RUN --votes FILE" in card_line(card)
    unsteady = msgspec.structs.replace(card, reasons=("again",))
    assert card_lines(unsteady)[0] == f"{told} It is open whether it says something else when asked again."


def test_one_line_beside_judgments() -> None:
    """A judge that is fit gets no advice."""
    assert card_line(CARD) == (
        "judge llamacpp:judge.gguf, rubric quality: not fit for use here: it favours a seat (60 calls). Take a stronger "
        "judge; what this one says of replies is not to be relied on."
    )
    fit = msgspec.structs.replace(CARD, conclusion="fit", reasons=())
    assert card_line(fit) == "judge llamacpp:judge.gguf, rubric quality: fit for use here (60 calls)."


@pytest.mark.parametrize("name", LIMITS)
def test_every_finding_has_its_words(name: FindingName) -> None:
    """In the table, and as a reason."""
    finding = msgspec.structs.replace(CARD.findings[0], name=name)
    card = msgspec.structs.replace(CARD, findings=(finding,), reasons=(name,))
    assert all(card_table(card).rows[0])
    assert ": it " in card_lines(card)[0]


def test_the_page_on_judging_has_every_row_with_its_limit() -> None:
    """As the card has them."""
    page = (Path(__file__).parents[2] / "docs" / "judging.md").read_text(encoding="utf-8")
    told = {row.split("|")[1].strip(): row for row in page.splitlines() if row.startswith("| ")}
    for name, (side, limit) in LIMITS.items():
        unit: Unit = "balance" if name in ("good_bad", "damaged", "padded", "forged", "seats") else "share"
        finding = Finding(
            name=name, unit=unit, measured=estimate(0.1, 0.0, 0.2), limit=limit, side=side, passes="yes", toward=1
        )
        ((tried, _, _, fit, _),) = card_table(msgspec.structs.replace(CARD, findings=(finding,))).rows
        assert tried in told
        assert fit.replace("within", "at most").split("at most")[-1] in told[tried] or name == "reworded"
