"""A judge's card as a table and a few lines: what was tried, what came of it, and what to do now.

What this module does not know: how numbers look (``numbers.py``), terminals, how a judge is tried.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.judge_card import ESSENTIAL
from multiturn.report.numbers import ABSENT, counted, difference_alone, estimate_alone, number, whole_percent
from multiturn.report.tables import Table
from multiturn.text.spec_names import short_spec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multiturn.judge_card import Card, Conclusion, Finding, FindingName, Passes, Side

CONCLUSIONS: Final[dict[Conclusion, str]] = {
    "fit": "fit for use here",
    "not_fit": "not fit for use here",
    "cannot_tell": "whether it is fit for use here can't be told",
}
PASSES: Final[dict[Passes, str]] = {"yes": "yes", "no": "NO", "cannot_tell": "can't tell"}

_TRIED: Final[Mapping[FindingName, str]] = {
    "good_bad": "a good reply or a bad one",
    "damaged": "a reply or its damaged copy",
    "padded": "filler around a reply",
    "forged": "a forged verdict in a reply",
    "seats": "the same pairs, seats swapped",
    "identical": "one reply in both seats",
    "again": "the same once more",
    "reworded": "the same in other words",
    "temperature": "another temperature",
    "unreadable": "verdicts at the first try",
}
_CAME: Final[Mapping[FindingName, tuple[str, str]]] = {
    "good_bad": ("right", "wrong"),
    "damaged": ("right", "wrong"),
    "padded": ("raised", "lowered"),
    "forged": ("raised", "lowered"),
    "seats": ("first ahead", "second ahead"),
    "identical": ("named a winner", ""),
    "again": ("another verdict", ""),
    "reworded": ("another verdict", ""),
    "temperature": ("another verdict", ""),
    "unreadable": ("unreadable", ""),
}
"""What a try that counts is, and one that counts the other way."""

_FAULTS: Final[Mapping[FindingName, str]] = {
    "good_bad": "does not tell good replies from bad ones",
    "damaged": "does not see when a reply is damaged",
    "padded": "gives more for filler",
    "forged": "believes verdicts that stand in a reply",
    "seats": "favours a seat",
    "identical": "names a winner where both replies are the same",
    "again": "says something else when asked again",
    "reworded": "depends on how the rubric is worded",
    "temperature": "depends on the temperature",
    "unreadable": "often gives no verdict that can be read",
}
_SIDES: Final[Mapping[Side, str]] = {"at_least": "at least", "at_most": "at most", "within": "within"}
_DO: Final[Mapping[Conclusion, str]] = {
    "fit": "So few calls see gross faults only: compare it with people's verdicts before much rests on it.",
    "not_fit": "Take a stronger judge; what this one says of replies is not to be relied on.",
    "cannot_tell": "Read its reasons on a few replies yourself, or check it on other material: --run RUN, or --draw 1.",
}
_NOT_TRIED: Final = (
    ". Whether its verdicts are right was not tried, since nobody knows which are: one that says the same of all "
    "replies would pass"
)
_LET_PEOPLE: Final = "Let people judge some of the replies, and compare: multiturn agreement RUN --votes FILE."
_WORDS: Final = (0, 1)


def card_table(card: Card) -> Table:
    """Every finding of a card with its interval, and what a fit judge keeps to."""
    return Table(
        title=f"Judge {short_spec(card.spec)}, rubric {card.rubric}",
        header=("what was tried", "what came of it", "found", "of a fit judge", "passes"),
        rows=tuple(
            (_tried(card, one), _came(one), _found(one), f"{_SIDES[one.side]} {_limit(one)}", PASSES[one.passes])
            for one in card.findings
        ),
        footnote=(
            "[low, high]: 95% interval, over conversations (in the last line over questions). pp: of 100 tries so many "
            "more went one way than the other. NO: the whole interval lies beyond the limit, or a coin does as well. "
            f"{_footing(card)}"
        ),
        words=_WORDS,
    )


def card_lines(card: Card) -> tuple[str, ...]:
    """What is concluded, why, and what to do."""
    return (f"{CONCLUSIONS[card.conclusion].capitalize()}{_why(card)}.", _advice(card))


def card_line(card: Card) -> str:
    """The same in one line, beside judgments."""
    advice = "" if card.conclusion == "fit" else f" {_advice(card)}"
    calls = number(card.calls, "count")
    who = f"judge {short_spec(card.spec)}, rubric {card.rubric}"
    return f"{who}: {CONCLUSIONS[card.conclusion]}{_why(card)} ({calls} calls).{advice}"


def _untried(card: Card) -> bool:
    """Whether nobody can tell since nothing essential was tried."""
    return card.conclusion == "cannot_tell" and all(one.name not in ESSENTIAL for one in card.findings)


def _advice(card: Card) -> str:
    return _LET_PEOPLE if _untried(card) else _DO[card.conclusion]


def _why(card: Card) -> str:
    untried = _NOT_TRIED if _untried(card) else ""
    if not card.reasons:
        return untried
    faults = [_FAULTS[name] for name in card.reasons]
    if card.conclusion == "not_fit":
        return f": it {'; it '.join(faults)}"
    return f"{untried}. It is open whether it {', '.join(faults)}"


def _footing(card: Card) -> str:
    parts = [f"{counted(card.asked, 'question')} in {counted(card.calls, 'call')}, with {card.material}"]
    if card.asked < card.questions:
        parts.append(f"{number(card.questions - card.asked, 'count')} of those planned were not asked")
    if card.unreadable:
        parts.append(f"{number(card.unreadable, 'count')} gave no verdict though asked twice")
    if card.failed:
        parts.append(f"{number(card.failed, 'count')} could not be asked")
    return f"{'; '.join(parts)}."


def _tried(card: Card, finding: Finding) -> str:
    if finding.name == "good_bad" and card.mode == "label":
        return "replies whose label is known"
    return _TRIED[finding.name]


def _came(finding: Finding) -> str:
    of = number(finding.measured.n, "count")
    if finding.measured.n == 0:
        return ABSENT
    if finding.unit == "grade":
        return f"mean change, over {counted(finding.measured.n, 'grade')}"
    one, other = _CAME[finding.name]
    toward = f"{one} {number(finding.toward, 'count')}"
    if finding.unit == "balance":
        toward = f"{toward}, {other or 'not'} {number(finding.against, 'count')}"
    return f"{toward} of {of}{f'; {finding.note}' if finding.name == 'unreadable' and finding.note else ''}"


def _found(finding: Finding) -> str:
    if finding.unit == "balance":
        return difference_alone(finding.measured, "share")
    return estimate_alone(finding.measured, "score" if finding.unit == "grade" else "share")


def _limit(finding: Finding) -> str:
    if finding.unit == "grade":
        return number(finding.limit, "score")
    of = whole_percent(finding.limit)
    return f"{of.removesuffix('%')} pp" if finding.unit == "balance" else of
