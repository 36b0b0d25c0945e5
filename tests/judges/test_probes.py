"""What a check asks: so much of each kind, in at most so many calls, the same for the same seed."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from multiturn.conversation import Conversation, Turn
from multiturn.errors import UsageError
from multiturn.judges.probes import MOST_CALLS, Probe, Trial, digest_of, probes_for
from multiturn.judges.prompts import asked
from multiturn.judges.rubrics import load_rubric
from multiturn.judges.specimens import Specimen, about_harm, from_suites
from multiturn.rubric import Rubric

QUALITY, PREFERENCE, HARM = (load_rubric(name) for name in ("quality", "preference", "harm"))
HARMLESSNESS = load_rubric("harmlessness")


def specimens(count: int) -> tuple[Specimen, ...]:
    return from_suites(
        [
            Conversation(
                id=f"c{at}",
                turns=(
                    Turn(text=f"question {at}", golden=f"A reply is here of twelve words or of more than that, {at}."),
                ),
            )
            for at in range(count)
        ],
        0,
    )


MANY = specimens(40)


def kinds(probes: tuple[Probe, ...]) -> Counter[tuple[str, str, int]]:
    return Counter((one.slot.part, one.slot.variant, one.slot.repeat) for one in probes)


def test_a_rating_is_asked_for_everything_of_each_of_seven_conversations() -> None:
    found = probes_for(Trial(rubric=QUALITY, specimens=MANY, reworded=True))
    assert len(found) == 56 < MOST_CALLS
    assert set(kinds(found).values()) == {7}
    assert {variant for _, variant, _ in kinds(found)} == {"plain", "reworded", "temperature"}
    assert len({one.specimen for one in found}) == 7


def test_pairs_are_of_conversations_of_their_own_and_in_both_seats() -> None:
    """Five of each kind, of 25 conversations: pairs of one conversation would not be independent."""
    found = probes_for(Trial(rubric=PREFERENCE, specimens=MANY))
    assert len(found) == 55
    plain = [one for one in found if one.slot.variant == "plain" and one.slot.repeat == 0]
    seats = Counter((one.slot.part, one.slot.seat) for one in plain)
    pairs = {(part, seat) for part in ("bad", "damaged", "padded", "forged") for seat in ("first", "second")}
    assert seats == dict.fromkeys(pairs, 5) | {("identical", "first"): 5}
    assert len({one.specimen for one in plain}) == 25
    assert {one.slot.seat for one in found if one.slot.repeat == 1} == {"first", "second"}


def test_nothing_is_asked_twice_where_there_are_few_conversations() -> None:
    for count in (2, 3, 5, 7):
        found = probes_for(Trial(rubric=PREFERENCE, specimens=MANY[:count]))
        assert len({(one.specimen, one.slot) for one in found}) == len(found)


@pytest.mark.parametrize("rubric", [QUALITY, PREFERENCE, HARM, HARMLESSNESS], ids=lambda rubric: rubric.name)
@pytest.mark.parametrize("calls", [12, 30, 45])
def test_fewer_calls_ask_less_of_each_kind(rubric: Rubric, calls: int) -> None:
    """No kind has two more than another, and no pair lacks its second game."""
    found = probes_for(
        Trial(rubric=rubric, specimens=MANY if rubric in (QUALITY, PREFERENCE) else about_harm(0), calls=calls)
    )
    assert calls - 6 <= len(found) <= calls
    per_seat = Counter((one.slot.part, one.slot.seat, one.slot.variant, one.slot.repeat) for one in found)
    if rubric.mode == "preference":
        for (part, seat, variant, repeat), count in per_seat.items():
            if (variant, repeat) == ("plain", 0) and part != "identical":
                assert per_seat[part, "second" if seat == "first" else "first", variant, repeat] == count
    counts = kinds(found)
    base = {
        key: count // 2 if rubric.mode == "preference" and key[0] != "identical" and key[1:] == ("plain", 0) else count
        for key, count in counts.items()
    }
    assert max(base.values()) - min(base.values()) <= 1


def test_too_little_to_ask_with_is_refused() -> None:
    with pytest.raises(UsageError, match="too little"):
        probes_for(Trial(rubric=QUALITY, specimens=MANY[:1]))
    with pytest.raises(UsageError, match="too few"):
        probes_for(Trial(rubric=PREFERENCE, specimens=MANY, calls=1))


def test_a_digest_goes_by_all_that_is_asked() -> None:
    trial = Trial(rubric=QUALITY, specimens=MANY)
    others = [
        msgspec.structs.replace(trial, calls=40),
        msgspec.structs.replace(trial, reworded=True),
        msgspec.structs.replace(trial, specimens=MANY[1:]),
        msgspec.structs.replace(trial, rubric=PREFERENCE),
    ]
    digests = {digest_of(probes_for(one)) for one in (trial, *others)}
    assert len(digests) == 5
    assert digest_of(probes_for(trial)) in digests


def test_a_forged_verdict_is_for_the_seat_that_its_reply_has() -> None:
    """The good reply in seat A: the forged one stands in B and claims B, and the other way round."""
    found = [one for one in probes_for(Trial(rubric=PREFERENCE, specimens=MANY)) if one.slot.part == "forged"]
    for probe in found:
        assert probe.exhibit.opponent is not None
        reply = probe.exhibit.opponent.turns[-1].reply or ""
        claimed, other = ("[[B]]", "[[A]]") if probe.question.seat == "first" else ("[[A]]", "[[B]]")
        assert claimed in reply
        assert other not in reply


def test_of_a_rating_the_bad_reply_forges() -> None:
    """A good one has no grade to gain."""
    found = probes_for(Trial(rubric=QUALITY, specimens=MANY))
    by_place = {(one.specimen, one.slot.part): one.exhibit.transcript.turns[-1].reply or "" for one in found}
    forged = {name for name, part in by_place if part == "forged"}
    assert forged
    for name in forged:
        assert by_place[name, "forged"].startswith(by_place[name, "bad"])
        assert "[[10]]" in by_place[name, "forged"]


def test_rubrics_about_harm_have_their_own_pairs_and_no_damage() -> None:
    for rubric in (HARM, HARMLESSNESS):
        found = probes_for(Trial(rubric=rubric, specimens=about_harm(0)))
        parts = {one.slot.part for one in found}
        assert "damaged" not in parts
        assert {"bad", "padded", "forged"} <= parts


@pytest.mark.parametrize("rubric", [QUALITY, PREFERENCE, HARM, HARMLESSNESS], ids=lambda rubric: rubric.name)
def test_each_question_can_be_asked(rubric: Rubric) -> None:
    """By the rubric, as any other question; what differs between questions is what they are about."""
    material = MANY if rubric in (QUALITY, PREFERENCE) else about_harm(0)
    found = probes_for(Trial(rubric=rubric, specimens=material))
    prompts = {
        asked(rubric, one.question, one.exhibit, schema=False, goldens=True, seed=0).messages
        for one in found
        if one.slot.variant == "plain" and one.slot.repeat == 0
    }
    assert len(prompts) == sum(one.slot.variant == "plain" and one.slot.repeat == 0 for one in found)
