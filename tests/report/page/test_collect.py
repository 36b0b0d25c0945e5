"""What a page keeps of transcripts that pass by: every conversation once, with its sheet, however they come."""

from __future__ import annotations

import base64
import json
import zlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import by_hand, comparing

from multiturn.finding import Assessed
from multiturn.report.page.collect import CHUNK, MOST_FLUENT, Collector, packed
from multiturn.report.page.shown import Collected, ShownArm

ARMS = (ShownArm(name="base", label="m", run="r1"), ShownArm(name="tuned", label="n", run="r2"))


def run(conversations: int, *replies: str, samples: int = 1) -> list[Assessed]:
    """A run in which every conversation has these replies."""
    return [
        comparing.held(f"c{at}", *replies, sample=sample) for at in range(conversations) for sample in range(samples)
    ]


def gathered(conversations: int, base: list[Assessed], tuned: list[Assessed], samples: int = 1) -> Collected:
    """Both runs, one after the other."""
    collector = Collector(comparing.suite(conversations), ARMS, (samples, samples))
    assert list(collector.watch(0, base)) == base, "transcripts are given on unchanged"
    assert list(collector.watch(1, tuned)) == tuned
    return collector.collected()


def sheets(collected: Collected) -> list[list[str]]:
    return [json.loads(zlib.decompress(base64.b64decode(chunk), -15)) for chunk in collected.chunks]


def test_every_conversation_has_a_row_and_its_sheet() -> None:
    """In the order of the suite, where its row says; chunks are full but the last one."""
    found = gathered(2 * CHUNK + 3, run(2 * CHUNK + 3, "a b", "c"), run(2 * CHUNK + 3, "a", "Sorry"))
    assert [row.id for row in found.rows] == [f"c{at}" for at in range(2 * CHUNK + 3)]
    opened = sheets(found)
    assert [len(chunk) for chunk in opened] == [CHUNK, CHUNK, 3]
    for row in found.rows:
        assert f">{row.id}<" in opened[row.chunk][row.place]
    assert found.rows[0].refusals == (0, 1)
    assert found.words == (
        Counter({2: 2 * CHUNK + 3, 1: 2 * CHUNK + 3}),
        Counter({1: 2 * (2 * CHUNK + 3)}),
    )


@given(st.permutations(list(range(6))), st.permutations(list(range(6))))
def test_the_order_in_which_transcripts_come_changes_nothing(base: list[int], tuned: list[int]) -> None:
    """Rows and sheets are the same, wherever a sheet lies."""
    one, other = run(3, "a", "b", samples=2), run(3, "a", "c", samples=2)
    found = gathered(3, [one[at] for at in base], [other[at] for at in tuned], samples=2)
    plain = gathered(3, one, other, samples=2)
    for row, twin in zip(found.rows, plain.rows, strict=True):
        assert (row.id, row.samples, row.proof) == (twin.id, twin.samples, twin.proof) == (row.id, 2, row.proof)
        assert sheets(found)[row.chunk][row.place] == sheets(plain)[twin.chunk][twin.place]
        assert named(found, row.turn_tags) == named(plain, twin.turn_tags)


def named(collected: Collected, turns: tuple[tuple[int, ...], ...]) -> list[list[tuple[str, str]]]:
    return [[collected.tags[tag] for tag in tags] for tags in turns]


def test_a_conversation_that_one_arm_did_not_hold_is_there() -> None:
    """It comes last into the chunks and stands where the suite has it."""
    found = gathered(3, run(3, "a", "b"), run(3, "a", "b")[1:])
    assert [row.id for row in found.rows] == ["c0", "c1", "c2"]
    assert found.rows[0].passed == (0, 0)
    assert found.rows[0].proof is None


def test_a_sample_that_no_arm_held_keeps_its_place() -> None:
    """So that the numbers of samples are those of the store; the conversation has one row all the same."""
    held = [one for one in run(2, "a", samples=3) if one.transcript.session.sample != 1]
    found = gathered(2, held, held, samples=3)
    assert [(row.id, row.samples) for row in found.rows] == [("c0", 3), ("c1", 3)]
    assert 'data-sample="3"' in sheets(found)[0][0]


def test_one_run_twice_is_a_pair_like_any_other() -> None:
    """Nothing differs, so nothing proves a change."""
    found = gathered(2, run(2, "a", "b"), run(2, "a", "b"))
    assert [row.proof for row in found.rows] == [None, None]


@pytest.mark.parametrize("data", [b"", b"x", bytes(range(256)) * 1000])
def test_what_is_packed_is_opened_as_it_was(data: bytes) -> None:
    """In letters that no browser reads as markup."""
    text = packed(data)
    assert zlib.decompress(base64.b64decode(text), -15) == data
    assert not set(text) & set("<>&\"'")


def test_fluent_but_wrong_replies_are_kept_up_to_a_number_and_lost_ones_first() -> None:
    """All of them have their tag."""
    many = MOST_FLUENT + 10
    losing = {many - 3, many - 2, many - 1}
    base = [comparing.held(f"c{at}", "a", said=by_hand.checks("p" if at in losing else "f")) for at in range(many)]
    tuned = [comparing.held(f"c{at}", "b", said=by_hand.checks("f")) for at in range(many)]
    found = gathered(many, base, tuned)
    assert len(found.fluent) == MOST_FLUENT
    assert [one.lost for one in found.fluent[:4]] == [True, True, True, False]
    wrong = found.tags.index(("tuned.fluent", "wrong"))
    assert sum(wrong in row.turn_tags[0] for row in found.rows) == many
