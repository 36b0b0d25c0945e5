"""An arm of which no one thing is wrong in many replies, but one thing or another in many: it is to be fixed first."""

from __future__ import annotations

import pytest
from tests.by_hand import failed
from tests.comparing import compared, held, suite
from tests.comparing import signals as signals_of
from tests.report.test_verdict_tables import shown

from multiturn.finding import Assessed, Signal
from multiturn.groups import Layout
from multiturn.report.broken import CONSEQUENCE, broken, broken_notes, gravest_fact
from multiturn.report.conclusion import sentences
from multiturn.results import Comparison
from multiturn.summary import Summary
from multiturn.transcript import Session, Transcript

REPLIES = {"e": "", "r": "Sorry", "c": "a", "b": "Sorry", "x": "", ".": "a"}
"""Empty, a refusal, cut off, a refusal that is cut off, an empty one that is cut off, a sound one."""


def run(letters: str, each: int = 1) -> list[Assessed]:
    """Conversations of so many turns, of which each letter is one reply."""
    found = []
    for at in range(0, len(letters), each):
        mine = letters[at : at + each]
        assessed = held(f"c{at // each}", *(REPLIES[one] for one in mine))
        cut = [
            Signal(name="cut_off", turn=turn, value=float(one in "cbx"), unit="flag") for turn, one in enumerate(mine)
        ]
        found.append(Assessed(assessed.transcript, (*assessed.signals, *cut)))
    return found


def comparison(base: str, tuned: str, *, refusal_expected: bool | None = None) -> Comparison:
    the_suite = suite(len(base), 1, refusal_expected=refusal_expected)
    return compared(the_suite, run(base), run(tuned))


def fix_first(base: str, tuned: str, *, refusal_expected: bool | None = None) -> list[str]:
    found = comparison(base, tuned, refusal_expected=refusal_expected)
    return [note for note in found.notes if note.startswith("fix first")]


SOUND = "." * 100


def test_nine_of_a_hundred_three_times_are_told_of_in_one_note_with_its_parts() -> None:
    """And of the arm that has them."""
    (note,) = fix_first(SOUND, ("e" * 9 + "r" * 9 + "c" * 9).ljust(100, "."))
    assert note == (
        "fix first: something is wrong with 27.0% of tuned's replies (base 0.0%): 9.0% empty, 9.0% refusals, 9.0% cut off at the "
        "limit of --max-tokens; read them: multiturn show r2 --refusals"
    )
    (note,) = fix_first(("e" * 6 + "c" * 5).ljust(100, "."), SOUND)
    assert note == (
        "fix first: something is wrong with 11.0% of base's replies (tuned 0.0%): 6.0% empty, 5.0% cut off at the limit of "
        "--max-tokens"
    )


@pytest.mark.parametrize("letters", ["e" * 5 + "r" * 5, "b" * 9, "x" * 10, "bbbxxxrrrr"])
def test_one_reply_in_ten_is_not_yet_enough_and_a_reply_counts_once(letters: str) -> None:
    """However much is wrong with it."""
    assert fix_first(SOUND, letters.ljust(100, ".")) == []


def test_where_one_thing_alone_is_enough_it_is_told_alone() -> None:
    (note,) = fix_first(SOUND, ("e" * 11 + "r" * 9).ljust(100, "."))
    assert note.startswith("fix first: 11.0% of tuned's replies are empty")


UNWELL = ("e" * 9 + "r" * 10 + "c" * 2).ljust(100, ".")


def test_it_is_the_first_sentence_and_what_follows_may_come_from_it() -> None:
    """As with one thing alone: with the other arm's share."""
    found = comparison(SOUND, UNWELL)
    assert found.unsound[0] == 0
    assert found.unsound[1] == pytest.approx(0.21)
    assert next(sentences(found)).startswith(
        "Tuned has no text, refuses or is cut off at the limit in 21.0% of its replies, base in none: most of what "
        "follows comes from that. "
    )
    lines = shown(found).splitlines()
    at = lines.index("Fix first")
    assert " ".join(lines[at + 1 : lines.index("", at)]) == (
        "something is wrong with 21.0% of tuned's replies (base 0.0%): 9.0% empty, 10.0% refusals, 2.0% cut off at the "
        f"limit of --max-tokens read them: multiturn show r2 --refusals {CONSEQUENCE}"
    )


@pytest.mark.parametrize("base", [UNWELL, ("e" * 6 + "r" * 6).ljust(100, "."), ("e" * 13).ljust(100, ".")])
def test_where_both_arms_have_as_much_of_it_nothing_is_called_a_consequence(base: str) -> None:
    """Of whatever kinds it is; nine points more are not enough."""
    found = comparison(base, UNWELL)
    assert "what follows is about such replies too." in next(sentences(found))
    tuned = next(one for one in broken(found.contrasts, found.unsound) if one.arm == "tuned")
    assert (tuned.measures, tuned.differs) == (("empty", "refusal", "cut_off"), False)
    assert "Fix first" in shown(found)
    assert CONSEQUENCE not in shown(found)


def test_the_gravest_of_both_arms_comes_first_be_it_one_thing_or_several() -> None:
    alone = ("e" * 15).ljust(100, ".")
    first, second = fix_first(alone, UNWELL)
    assert first.startswith("fix first: something is wrong with 21.0% of tuned's replies (base 15.0%)")
    assert second.startswith("fix first: 15.0% of base's replies are empty (tuned 9.0%)")
    first, second = fix_first("e" * 30 + "." * 70, UNWELL)
    assert first.startswith("fix first: 30.0% of base's replies are empty")
    assert second.startswith("fix first: something is wrong with 21.0% of tuned's replies (base 30.0%)")


def test_a_share_without_its_parts_says_nothing() -> None:
    """Of a comparison that has no such measures."""
    assert list(broken_notes([], {"base": "b", "tuned": "t"}, (0.5, 0.5))) == []
    assert list(gravest_fact([], {"base": "Base", "tuned": "Tuned"}, (0.5, 0.5))) == []


@pytest.mark.parametrize(("expected", "notes"), [(None, 1), (False, 1), (True, 0)])
def test_refusals_that_are_right_are_not_wrong(
    expected: bool | None,  # noqa: FBT001 - the suite's own field
    notes: int,
) -> None:
    assert len(fix_first(SOUND, ("e" * 9 + "r" * 9).ljust(100, "."), refusal_expected=expected)) == notes


def summary(*sessions: Assessed, turns: int, conversations: int) -> Summary:
    found = Summary(Layout(suite(conversations, turns)))
    for one in sessions:
        found.add(one)
    return found


def test_the_share_is_a_mean_over_conversations_and_what_was_lost_is_left_out() -> None:
    """By hand: c0 has 3/4, c1 none, c2 lost a turn: 3/8."""
    lost = Transcript(session=Session("c2"), turns=(failed(0),))
    arm = summary(*run("erc.....", each=4), Assessed(lost, tuple(signals_of(1, "Sorry"))), turns=4, conversations=3)
    assert arm.share_of_any(["empty", "refusal", "cut_off"]) == 0.375
    assert arm.share_of_any(["empty"]) == 0.125
    assert arm.share_of_any([]) is None
    assert summary(turns=4, conversations=3).share_of_any(["empty"]) is None


def test_samples_are_averaged_inside_their_conversation_here_too() -> None:
    """C0 has 1 and 0 and 0 in three samples, c1 has 1 in its only one: 2/3, not 2 of 4."""
    sessions = [held("c0", "" if sample == 0 else "a", sample=sample) for sample in range(3)]
    arm = summary(*sessions, held("c1", "Sorry"), turns=1, conversations=2)
    assert arm.share_of_any(["empty", "refusal"]) == pytest.approx(2 / 3)
