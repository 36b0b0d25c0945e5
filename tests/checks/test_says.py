"""Words in replies: says, does_not_say, and how phrases match."""

from __future__ import annotations

import pytest
from tests.checks.asking import ask

from multiturn.checks.base import Kind
from multiturn.checks.matching import phrase_fault

SAYS = [
    ("5:45", "Light it at **5:45pm**.", "5:45"),
    ("5:45", "At 15:45.", None),
    ("5", "It is 3.5 m.", None),
    ("5", "5km", "5"),
    ("tin", "two tins", None),
    ("tin*", "two tins", "tins"),
    ("*stein", "Ein Edelstein!", "Edelstein"),
    ("dark green", "a dark-green\nsuitcase", "dark-green"),
    ("dark green", "dark\ngreen", "dark\ngreen"),
    ("cafe", "The Café is shut", "Café"),
    ("don't", "I don’t mind", "don’t"),
    ("OK", "ｏｋ", "ｏｋ"),
    ("北京", "我住在北京市。", "北京"),
    ("Python", "用Python写", "Python"),
    ("5", "第5天", "5"),
    ("Mira", "Mira's cake", "Mira"),
    ("Mira", "Miranda", None),
    ("C++", "in C++.", "C++"),
]


@pytest.mark.parametrize(("phrase", "reply", "span"), SAYS)
def test_phrases_are_whole_words_in_any_typography(phrase: str, reply: str, span: str | None) -> None:
    """The span is what stands in the reply."""
    found = ask({"kind": "says", "any": [phrase]}, reply)
    assert (found.outcome, found.span.text if found.span else None) == ("pass" if span else "fail", span)
    if found.span:
        assert reply[found.span.start : found.span.end] == span


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("A cake without any walnuts.", "pass"),
        ("It is walnut-free.", "pass"),
        ("No nuts, so no walnuts either.", "pass"),
        ("A cake with walnuts.", "fail"),
        ("I would not bake it long. Add walnuts.", "fail"),
        ("Not bad, but walnuts belong in it.", "fail"),
    ],
)
def test_what_is_denied_can_be_passed_over(reply: str, outcome: str) -> None:
    """Only where the check says so, and only within the clause."""
    check = {"kind": "does_not_say", "any": ["walnut*"], "unless_negated": True}
    assert ask(check, reply).outcome == outcome
    assert ask({**check, "unless_negated": False}, reply).outcome == "fail"


@pytest.mark.parametrize(
    ("phrase", "fault"), [("a*b", "star inside"), (" ", "empty"), ("x" * 201, "longer"), ("a*", "")]
)
def test_a_phrase_that_can_not_be_looked_for_is_a_fault(phrase: str, fault: str) -> None:
    """With what is wrong; a star at an end is fine."""
    assert fault in phrase_fault(phrase)
    assert bool(phrase_fault(phrase)) == bool(fault)


def test_no_entry_is_empty() -> None:
    """One without a variant could never be said."""
    with pytest.raises(ValueError, match=r"all\[1\] is empty"):
        ask({"kind": "says", "all": ["lemon", []]}, "Lemon.")


@pytest.mark.parametrize(
    ("scope", "outcome"), [("last_sentence", "fail"), ("last_line", "fail"), ("first_line", "pass"), ("reply", "pass")]
)
def test_a_reply_that_was_cut_off_has_no_last_sentence_and_no_last_line(scope: str, outcome: str) -> None:
    """Nor has one of which something there must be absent."""
    check = {"kind": "says", "any": ["lemon"], "scope": scope}
    assert ask(check, "A lemon cake", status="length").outcome == outcome
    assert ask(check, "A lemon cake").outcome == "pass"
    absent = {"kind": "does_not_say", "any": ["walnut"], "scope": scope}
    assert ask(absent, "A lemon cake", status="length").outcome == outcome
    negated = {"kind": "not", "check": {"kind": "says", "any": ["walnut"], "scope": scope}}
    assert ask(negated, "A lemon cake", status="length").outcome == outcome


def test_what_no_kind_needs_to_decide() -> None:
    """Empty, refused, echoed, overflowed: a fail. Lost by the environment: not applicable, with the reason."""
    check = {"kind": "does_not_say", "any": ["walnut*"]}
    user = "Which cake can I bake for Mira and her guests?"
    refused = ask(check, "I'm sorry, I can't help with that.")
    assert (refused.outcome, refused.reason) == ("fail", "the reply is a refusal")
    assert ask({**check, "allow_refusal": True}, "I'm sorry, I can't help with that.").outcome == "pass"
    assert ask(check, " \u200b").reason == "the reply is empty"
    assert ask(check, user + "\n", user=user).outcome == "fail"
    assert ask(check, user + " A lemon cake, since it has no nuts.", user=user).outcome == "pass"
    assert ask(check, None, status="overflowed").reason == "no reply: overflowed, by the model's own doing"
    lost = ask(check, None, status="failed")
    assert (lost.outcome, lost.reason) == (
        "not_applicable",
        "no reply, through no doing of the model (failed: timeout)",
    )


def test_a_kind_that_leaves_open_what_it_decides_is_none() -> None:
    """No check can be made of it."""

    class Half(Kind, frozen=True):
        def wants(self) -> str:
            return "is half done"

    with pytest.raises(TypeError, match="decide"):
        Half()  # type: ignore[abstract] # that is what is tested
