"""Judges' cards in the store: one for each check, found again, and on the way with a judge's runs."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from multiturn.errors import StoreError
from multiturn.judge_card import Card, Finding
from multiturn.judgment import Judged, JudgeRecord, Question, Rating
from multiturn.results import Estimate
from multiturn.rubric import Rubric, Scale, Template
from multiturn.store import Store, export_run, import_run, open_store
from multiturn.transcript import Sampling

JUDGE = JudgeRecord(
    created="2026-01-01T00:00:00+00:00",
    spec="scripted:judge",
    rubric=Rubric(
        name="short",
        version="1",
        mode="rating",
        scale=Scale(),
        templates=(Template(name="one", system="Judge.", prompt="{question} {answer}", turns=1),),
    ),
    sampling=Sampling(temperature=0),
    schema=False,
    goldens=False,
    identity={"weights": "w"},
)
CARD = Card(
    created="2026-01-02T00:00:00+00:00",
    judge=JUDGE.id,
    spec=JUDGE.spec,
    rubric="short",
    mode="rating",
    probes="p1",
    material="goldens",
    questions=56,
    asked=56,
    calls=57,
    unreadable=0,
    findings=(
        Finding(
            name="seats",
            unit="balance",
            measured=Estimate(value=0.1, n=9, missing=0, low=-0.2, high=0.4),
            limit=0.15,
            side="within",
            passes="yes",
            toward=3,
            against=2,
        ),
    ),
    conclusion="fit",
)
LATER = msgspec.structs.replace(CARD, created="2026-01-03T00:00:00+00:00", probes="p2", conclusion="not_fit")


@pytest.fixture(name="judged")
def store_with_cards(store: Store) -> Store:
    store.judgments.keep_judge(JUDGE)
    for card in (CARD, LATER):
        store.cards.keep(card)
    return store


def test_cards_come_back_newest_first_and_by_their_check(judged: Store) -> None:
    assert judged.cards.of_judge(JUDGE.id) == (LATER, CARD)
    assert judged.cards.find(JUDGE.id, "p1") == CARD
    assert judged.cards.find(JUDGE.id, "p3") is None
    assert judged.cards.of_judge("nobody") == ()


def test_the_card_of_most_questions_counts_and_of_those_the_newest(judged: Store) -> None:
    short = msgspec.structs.replace(
        CARD, created="2026-01-09T00:00:00+00:00", probes="p3", questions=8, asked=8, calls=8
    )
    judged.cards.keep(short)
    assert judged.cards.standing(JUDGE.id) == LATER
    assert judged.cards.standing("nobody") is None


def test_of_one_check_the_first_card_stays(judged: Store) -> None:
    again = msgspec.structs.replace(CARD, conclusion="cannot_tell")
    assert judged.cards.keep(again) == CARD.id
    assert judged.cards.find(JUDGE.id, "p1") == CARD


def test_a_card_that_rests_on_more_answers_takes_the_place(judged: Store) -> None:
    """Of what could not be asked there is none; a card of fewer does not come back."""
    lost = msgspec.structs.replace(CARD, created="2026-01-01T00:00:00+00:00", probes="p4", failed=2)
    whole = msgspec.structs.replace(lost, created="2026-01-05T00:00:00+00:00", failed=0)
    for card, stays in ((lost, lost), (whole, whole), (lost, whole)):
        judged.cards.keep(card)
        assert judged.cards.find(JUDGE.id, "p4") == stays


def test_answers_of_a_check_are_found_by_what_was_sent(store: Store) -> None:
    """Of no stored run, and of no stored judge; a later answer takes the place."""
    question = Question(mode="rating", run="check:good", conversation="zebra", turn=0)
    answers = [
        Judged(judge="somebody", question=question, judgment=Rating(value=at % 10), key=f"k{at}") for at in range(450)
    ]
    store.cards.keep_answers(answers)
    later = msgspec.structs.replace(answers[7], judgment=Rating(value=1))
    store.cards.keep_answers([later])
    store.cards.keep_answers([])
    found = store.cards.answers([*(one.key for one in answers), "nobody's"])
    assert found == {one.key: one for one in answers} | {"k7": later}


def test_a_card_needs_its_judge(store: Store) -> None:
    with pytest.raises(StoreError, match="judge of card"):
        store.cards.keep(CARD)


def test_cards_travel_with_the_runs_that_the_judge_judged(judged: Store, tmp_path: Path) -> None:
    """There and back is the same file, byte for byte."""
    question = Question(mode="rating", run="run-1", conversation="zebra", turn=0)
    judged.judgments.keep([Judged(judge=JUDGE.id, question=question, judgment=Rating(value=7))])
    export_run(judged, "run-1", tmp_path / "one.jsonl")
    with open_store(tmp_path / "other.db") as other:
        assert import_run(other, tmp_path / "one.jsonl").notices == ()
        assert other.cards.of_judge(JUDGE.id) == (LATER, CARD)
        export_run(other, "run-1", tmp_path / "two.jsonl")
    assert (tmp_path / "two.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()


def test_a_card_before_its_judge_is_left_out_with_its_line(judged: Store, tmp_path: Path) -> None:
    question = Question(mode="rating", run="run-1", conversation="zebra", turn=0)
    judged.judgments.keep([Judged(judge=JUDGE.id, question=question, judgment=Rating(value=7))])
    export_run(judged, "run-1", tmp_path / "one.jsonl")
    lines = (tmp_path / "one.jsonl").read_text(encoding="utf-8").splitlines()
    (at,) = (number for number, line in enumerate(lines) if line.startswith('{"judge"'))
    mixed = [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]
    (tmp_path / "mixed.jsonl").write_text("\n".join(mixed), encoding="utf-8")
    with open_store(tmp_path / "other.db") as other:
        (notice,) = import_run(other, tmp_path / "mixed.jsonl").notices
        assert notice.line == at + 1
        assert "no earlier line" in notice.text
        assert other.cards.of_judge(JUDGE.id) == (LATER,)
