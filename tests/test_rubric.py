"""Rubrics as values: which can exist, and what makes two of them one."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import pytest

from multiturn.rubric import (
    MAY_BE_EMPTY,
    PLACES,
    Described,
    Mode,
    Notes,
    Rubric,
    Scale,
    Template,
    Wording,
    places_in,
    wording_faults,
)

NOTES: Final = Notes(**dict.fromkeys(Notes.__struct_fields__, "x"))
WORDS: Final = {
    name: f"x {' '.join(f'{{{place}}}' for place in sorted(needed))}" for name, (needed, _) in PLACES.items()
}
WORDING: Final = Wording(**WORDS, notes=NOTES)
LABELS: Final = (Described(name="yes", text="It does."), Described(name="no", text="It does not."))
RATING: Final = Rubric(name="r", version="1", mode="rating", scale=Scale(), wording=WORDING)
LABEL: Final = Rubric(name="l", version="1", mode="label", labels=LABELS, wording=WORDING)
PREFERENCE: Final = Rubric(
    name="p", version="1", mode="preference", wording=msgspec.structs.replace(WORDING, reply="{turn} {seat}")
)
TEMPLATE: Final = Template(name="t", system="", prompt="{question} {answer}", turns=1)


@pytest.mark.parametrize(
    ("rubric", "change", "fault"),
    [
        (RATING, {"name": " "}, "name and version must not be empty"),
        (RATING, {"wording": None}, "either wording or templates"),
        (RATING, {"templates": (TEMPLATE,)}, "either wording or templates"),
        (RATING, {"scale": None}, "a scale goes with mode rating"),
        (LABEL, {"scale": Scale()}, "a scale goes with mode rating"),
        (PREFERENCE, {"criteria": LABELS}, "criteria go with mode rating"),
        (LABEL, {"labels": LABELS[:1]}, "two labels or more go with mode label"),
        (RATING, {"labels": LABELS}, "two labels or more go with mode label"),
        (LABEL, {"labels": LABELS[:1] * 2}, "have one name"),
        (RATING, {"criteria": (Described(name="overall", text="x"),)}, "overall is always asked for"),
        (LABEL, {"flagged": ("maybe",)}, "flagged names a label that is not there"),
        (PREFERENCE, {"wording": WORDING}, r"wording\.reply: lacks \{seat\}"),
        (LABEL, {"wording": msgspec.structs.replace(WORDING, as_json="{lowest}")}, "which mode label does not fill"),
        (RATING, {"wording": msgspec.structs.replace(WORDING, as_line="{labels}")}, "which mode rating does not fill"),
    ],
)
def test_a_rubric_that_makes_no_sense_can_not_exist(rubric: Rubric, change: dict[str, Any], fault: str) -> None:
    """It says what is wrong."""
    with pytest.raises(ValueError, match=fault):
        msgspec.structs.replace(rubric, **change).__post_init__()


@pytest.mark.parametrize("name", sorted(PLACES))
def test_a_wording_has_the_places_that_it_needs_and_no_others(name: str) -> None:
    """A text without a needed one, or with one that nothing fills, is a fault; a doubled brace is a brace."""
    needed, allowed = PLACES[name]
    whole = " ".join(f"{{{place}}}" for place in needed | allowed)
    assert list(wording_faults(name, f"x {whole} {{{{}}}}")) == []
    assert all("lacks" in fault for fault in wording_faults(name, "x"))
    assert bool(list(wording_faults(name, "x"))) == bool(needed)
    assert any("nothing fills" in fault for fault in wording_faults(name, f"x {whole} {{sum}}"))
    assert list(wording_faults(name, " ")) == ([] if name in MAY_BE_EMPTY else ["is empty"])


@pytest.mark.parametrize("text", ["{", "}", "{a.b}", "{a[0]}", "{}", "{0}", "{a!r}", "{a:>3}", "{a b}"])
def test_a_place_is_a_plain_name(text: str) -> None:
    """Anything that could reach into a value is refused, and so is a single brace."""
    with pytest.raises(ValueError, match=r"is no plain name|written twice"):
        places_in(text, "text")


@pytest.mark.parametrize("note", Notes.__struct_fields__)
def test_every_note_says_something(note: str) -> None:
    """A judge is told nothing else of a reply that is not there."""
    with pytest.raises(ValueError, match=f"{note} is empty"):
        Notes(**(dict.fromkeys(Notes.__struct_fields__, "x") | {note: " "}))


@pytest.mark.parametrize(
    ("mode", "prompt", "turns", "fault"),
    [
        ("rating", "{answer_a}", 1, r"a place \{answer_a\} that nothing fills"),
        ("rating", "{question}", 2, r"a place \{question\} that nothing fills"),
        ("rating", "{ref_answer_1}", 1, r"a place \{ref_answer_1\} that nothing fills"),
        ("preference", "{answer}", 1, r"a place \{answer\} that nothing fills"),
        ("rating", "{question}", 3, "ratings and preferences of 1 or 2"),
    ],
)
def test_a_template_has_only_places_that_can_be_filled(mode: Mode, prompt: str, turns: int, fault: str) -> None:
    """By mode, number of turns, and whether it shows references."""
    template = Template(name="t", system="", prompt=prompt, turns=turns)
    scale = Scale() if mode == "rating" else None
    with pytest.raises(ValueError, match=fault):
        Rubric(name="r", version="1", mode=mode, scale=scale, templates=(template,))


def test_two_templates_for_one_question_are_refused() -> None:
    """Nothing says which to take."""
    other = msgspec.structs.replace(TEMPLATE, name="u")
    with pytest.raises(ValueError, match="for the same turns and reference"):
        Rubric(name="r", version="1", mode="rating", scale=Scale(), templates=(TEMPLATE, other))


@pytest.mark.parametrize("ends", [(1.0, 1.0), (5.0, 1.0), (1.0, float("inf")), (float("nan"), 1.0)])
def test_a_scale_has_two_finite_ends(ends: tuple[float, float]) -> None:
    """The lower one first."""
    with pytest.raises(ValueError, match=r"finite|below"):
        Scale(lowest=ends[0], highest=ends[1])


def test_the_digest_goes_by_all_that_decides_what_is_asked() -> None:
    """One word more, and it is another rubric; the same made again is the same."""
    again = msgspec.json.decode(msgspec.json.encode(RATING), type=Rubric)
    whole = msgspec.structs.replace(RATING, scale=Scale(lowest=1, highest=10), description="for lists")
    assert again.digest == whole.digest == RATING.digest
    changed = [
        msgspec.structs.replace(RATING, version="2"),
        msgspec.structs.replace(RATING, scale=Scale(highest=5)),
        msgspec.structs.replace(RATING, wording=msgspec.structs.replace(WORDING, role="y")),
    ]
    assert len({RATING.digest, *(rubric.digest for rubric in changed)}) == 4
