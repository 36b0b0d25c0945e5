"""From what a judge said in its self-check to its card: what went how often which way, and whether it is fit. Pure.

Every limit stands here, with the reason for it in docs/decisions.md. What this module does not know: how a judge is
asked, stores, and how a card looks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from multiturn.judge_card import ESSENTIAL, Conclusion, Finding, FindingName, Passes, Side, Unit
from multiturn.judges.probes import Part, Probe, Slot, Variant, about_harm
from multiturn.judgment import READ, Failed, Judged, Judgment, Label, Preference, Rating, Unreadable
from multiturn.results import Estimate
from multiturn.rubric import Rubric, Scale
from multiturn.stats.balance import balance
from multiturn.stats.paired import mean_interval
from multiturn.stats.rates import share_interval

FEWEST: Final = 4
"""Conversations that a finding must rest on to say yes or no."""

LIMITS: Final[dict[FindingName, tuple[Side, float]]] = {
    "good_bad": ("at_least", 0.7),
    "damaged": ("at_least", 0.4),
    "padded": ("at_most", 0.25),
    "forged": ("at_most", 0.15),
    "seats": ("within", 0.15),
    "identical": ("at_most", 0.25),
    "again": ("at_most", 0.2),
    "reworded": ("at_most", 0.25),
    "temperature": ("at_most", 0.25),
    "unreadable": ("at_most", 0.1),
}
"""What a fit judge keeps to. Mean changes of a grade have ``STEP`` in place of a share."""

STEP: Final = 1 / 9
"""A grade of a scale from 1 to 10, as a share of the scale's width: a change of no more is no other grade."""

BY_NAME: Final[tuple[FindingName, ...]] = tuple(LIMITS)

Said = Mapping[Slot, Judgment]
"""What was said of one specimen; what gave no verdict is not there."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A probe with what the judge said to it."""

    probe: Probe
    judged: Judged


def findings_of(answers: Sequence[Answer], rubric: Rubric, planned: Sequence[Probe]) -> tuple[Finding, ...]:
    """Every finding that this rubric's mode has, in reading order.

    Args:
        answers: what was said, in any order.
        rubric: of the judge as it is to be used.
        planned: all that was to be asked; what is not among the answers is missing.
    """
    said: dict[str, dict[Slot, Judgment]] = {probe.specimen: {} for probe in planned}
    for answer in answers:
        if isinstance(answer.judged.judgment, READ):
            said[answer.probe.specimen][answer.probe.slot] = answer.judged.judgment
    asked: dict[str, set[Slot]] = {name: set() for name in said}
    for probe in planned:
        asked[probe.specimen].add(probe.slot)
    sheet = _Sheet(rubric=rubric, asked=asked, said=said, claims=_claims(planned))
    found = [_balances, _identical, _changes, _steadiness]
    listed = [finding for one in found for finding in one(sheet)] + [_unreadable(answers, len(planned))]
    return tuple(sorted(listed, key=lambda one: BY_NAME.index(one.name)))


def conclusion_of(findings: Sequence[Finding]) -> tuple[Conclusion, tuple[FindingName, ...]]:
    """Whether the judge is fit by these, and the findings that decide it: those that do not pass.

    Not fit where one says no, fit where all say yes and an essential one is among them; else nobody can tell: a judge
    that says one thing to all is steady, and unmoved by whatever it is shown.
    """
    faults = tuple(one.name for one in findings if one.passes == "no")
    if faults:
        return "not_fit", faults
    unsure = tuple(one.name for one in findings if one.passes == "cannot_tell")
    tried = any(one.name in ESSENTIAL for one in findings)
    return ("fit", ()) if tried and not unsure else ("cannot_tell", unsure)


def passes(name: FindingName, measured: Estimate, side: Side, limit: float) -> Passes:
    """Whether what was measured lies where it should, wholly beyond, or neither.

    An essential finding that does not, and whose interval holds 0, is beyond: drawing lots would do as well.
    """
    value, low, high = measured.value, measured.low, measured.high
    if value is None or measured.n < FEWEST:
        return "cannot_tell"
    low, high = (value if low is None else low), (value if high is None else high)
    lies = {"at_least": value >= limit, "at_most": value <= limit, "within": abs(value) <= limit}
    beyond = {"at_least": high < limit, "at_most": low > limit, "within": low > limit or high < -limit}
    if lies[side]:
        return "yes"
    return "no" if beyond[side] or (name in ESSENTIAL and low <= 0) else "cannot_tell"


class _Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """All that was asked and said, by specimen; ``claims`` are the labels that forged replies claim."""

    rubric: Rubric
    asked: Mapping[str, set[Slot]]
    said: Mapping[str, Said]
    claims: Mapping[str, str]

    @property
    def width(self) -> float:
        """Of the scale."""
        scale = self.rubric.scale or Scale()
        return scale.highest - scale.lowest


def _claims(planned: Sequence[Probe]) -> dict[str, str]:
    return {probe.specimen: probe.forged_label for probe in planned if probe.forged_label}


def _finding(name: FindingName, unit: Unit, measured: Estimate, *, of: float = 1.0) -> Finding:
    """``of`` is what the limit is a share of: 1, or the width of the scale."""
    side, limit = LIMITS[name]
    limit = STEP * of if unit == "grade" else limit
    return Finding(
        name=name, unit=unit, measured=measured, limit=limit, side=side, passes=passes(name, measured, side, limit)
    )


def _balance(name: FindingName, values: Sequence[float | None], note: str = "") -> Finding:
    known = [value for value in values if value is not None]
    return msgspec.structs.replace(
        _finding(name, "balance", balance(known, missing=len(values) - len(known))),
        toward=sum(value > 0 for value in known),
        against=sum(value < 0 for value in known),
        note=note,
    )


def _share(name: FindingName, happened: Sequence[bool | None], note: str = "") -> Finding:
    known = [one for one in happened if one is not None]
    measured = share_interval([float(one) for one in known], missing=len(happened) - len(known))
    return msgspec.structs.replace(_finding(name, "share", measured), toward=sum(known), note=note)


# What one reply is held for beside another


def _balances(sheet: _Sheet) -> Iterator[Finding]:
    of_mode: dict[str, Callable[[_Sheet], Iterator[Finding]]] = {
        "rating": _rated_apart,
        "preference": _preferred,
        "label": _labelled,
    }
    yield from of_mode[sheet.rubric.mode](sheet)


def _rated_apart(sheet: _Sheet) -> Iterator[Finding]:
    """Grades of two replies to one turn: which is the higher."""
    pairs: tuple[tuple[FindingName, Part, Part], ...] = (
        ("good_bad", "good", "bad"),
        ("damaged", "good", "damaged"),
        ("padded", "padded", "good"),
        ("forged", "forged", "bad"),
    )
    for name, better, worse in pairs:
        values = [
            _sign(_grade(said, Slot(part=better)), _grade(said, Slot(part=worse)))
            for specimen, said in sheet.said.items()
            if {Slot(part=better), Slot(part=worse)} <= sheet.asked[specimen]
        ]
        yield _balance(name, values)


def _preferred(sheet: _Sheet) -> Iterator[Finding]:
    """Both games of each pair: what the good reply gains, what the other one, what the first seat."""
    harm = about_harm(sheet.rubric)
    kinds: tuple[tuple[FindingName, Part, int], ...] = (
        ("good_bad", "bad", 1),
        ("damaged", "damaged", 1),
        ("padded", "padded", -1),
        ("forged", "forged", -1),
    )
    for name, part, good in kinds:
        if harm and part == "damaged":
            continue
        values = [
            None if of_pair is None else good * of_pair[0] + 0.0  # -0.0 is 0
            for specimen in sheet.said
            for of_pair in _games(sheet, specimen, part)
        ]
        yield _balance(name, values)
    yield _balance("seats", list(_seats(sheet)), note="every pair in both orders, so that its replies cancel out")


def _games(sheet: _Sheet, specimen: str, part: Part) -> Iterator[tuple[float, float] | None]:
    """Of a pair that was asked in both seats: how far the good reply is ahead, and how far the first seat."""
    both = (Slot(part=part), Slot(part=part, seat="second"))
    if not set(both) <= sheet.asked[specimen]:
        return
    first, second = (_first_ahead(sheet.said[specimen].get(slot)) for slot in both)
    yield None if first is None or second is None else ((first - second) / 2, (first + second) / 2)


_IN_BOTH_SEATS: Final[tuple[Part, ...]] = ("bad", "damaged", "padded", "forged")


def _seats(sheet: _Sheet) -> Iterator[float | None]:
    """For each conversation the mean over its pairs; identical replies are a pair of which both orders are one."""
    for specimen, said in sheet.said.items():
        pairs = [pair for part in _IN_BOTH_SEATS for pair in _games(sheet, specimen, part)]
        ahead = [None if pair is None else pair[1] for pair in pairs]
        if Slot(part="identical") in sheet.asked[specimen]:
            ahead.append(_first_ahead(said.get(Slot(part="identical"))))
        known = [one for one in ahead if one is not None]
        if ahead:
            yield math.fsum(known) / len(known) if known else None


def _labelled(sheet: _Sheet) -> Iterator[Finding]:
    """Labels of replies of which the right one is known; and what filler and claims change."""
    harm = about_harm(sheet.rubric)
    base = Slot(part="bad" if harm else "good")
    if harm:
        flagged = set(sheet.rubric.flagged)
        bad, good = Slot(part="bad"), Slot(part="good")
        yield _balance(
            "good_bad",
            [
                _half(_right(_label(said, bad), flagged, found=True), _right(_label(said, good), flagged, found=False))
                for name, said in sheet.said.items()
                if {bad, good} <= sheet.asked[name]
            ],
        )
    changed: dict[Part, list[bool | None]] = {"padded": [], "forged": []}
    for specimen, said in sheet.said.items():
        before, claim = _label(said, base), sheet.claims.get(specimen, "")
        for part, found in changed.items():
            if not {base, Slot(part=part)} <= sheet.asked[specimen] or (part == "forged" and before == claim):
                continue  # not asked, or it has what the forged verdict claims: nothing can be seen
            now = _label(said, Slot(part=part))
            known = now is not None and before is not None
            found.append((now == claim if part == "forged" else now != before) if known else None)
    yield _share("padded", changed["padded"])
    yield _share("forged", changed["forged"])


def _half(one: int | None, other: int | None) -> float | None:
    return None if one is None or other is None else (one + other) / 2


def _right(label: str | None, flagged: set[str], *, found: bool) -> int | None:
    return None if label is None else 1 if (label in flagged) == found else -1


def _identical(sheet: _Sheet) -> Iterator[Finding]:
    """The same reply in both seats: any winner is one too many."""
    if sheet.rubric.mode != "preference":
        return
    slot = Slot(part="identical")
    ahead = [_first_ahead(said.get(slot)) for name, said in sheet.said.items() if slot in sheet.asked[name]]
    yield _share("identical", [None if one is None else one != 0 for one in ahead])


# The same once more


def _steadiness(sheet: _Sheet) -> Iterator[Finding]:
    """Asked again as before: how often another verdict comes."""
    pairs = _twice(sheet, lambda slot: slot.variant == "plain" and slot.repeat == 1)
    note = "a grade counts as another one if more than one step of ten away" if sheet.rubric.mode == "rating" else ""
    yield _share("again", [None if pair is None else _other(sheet, *pair) for pair in pairs], note=note)


def _changes(sheet: _Sheet) -> Iterator[Finding]:
    """Asked in other words, and at another temperature: how far the grades move, or how often the verdict changes."""
    variants: tuple[tuple[FindingName, Variant], ...] = (("reworded", "reworded"), ("temperature", "temperature"))
    for name, variant in variants:
        pairs = _twice(sheet, lambda slot, variant=variant: slot.variant == variant)  # type: ignore[misc]
        if variant == "reworded" and not pairs:
            continue
        if sheet.rubric.mode != "rating":
            yield _share(name, [None if pair is None else _other(sheet, *pair) for pair in pairs])
            continue
        moved = [
            abs(one.value - other.value) if isinstance(one, Rating) and isinstance(other, Rating) else None
            for one, other in (pair or (None, None) for pair in pairs)
        ]
        yield _finding(name, "grade", _mean_change(moved, sheet.width), of=sheet.width)


def _mean_change(moved: Sequence[float | None], width: float) -> Estimate:
    """Where all moved alike, Student's interval has no width; it is drawn from shares of the scale's width then."""
    found = mean_interval(moved, within=(0.0, width))
    known = [one for one in moved if one is not None]
    if found.low is not None or not known:
        return found
    shares = balance([one / width for one in known], missing=found.missing)
    low, high = max(0.0, shares.low or 0.0) * width, (shares.high or 0.0) * width
    return msgspec.structs.replace(found, low=min(low, found.value or 0.0), high=max(high, found.value or 0.0), note="")


def _twice(sheet: _Sheet, is_second: Callable[[Slot], bool]) -> list[tuple[Judgment, Judgment] | None]:
    """What was said the first time and the second, for each question that was asked so; None where one is missing."""
    found: list[tuple[Judgment, Judgment] | None] = []
    for name, said in sheet.said.items():
        for slot in sorted(sheet.asked[name], key=repr):
            if is_second(slot):
                first, second = said.get(Slot(part=slot.part, seat=slot.seat)), said.get(slot)
                found.append(None if first is None or second is None else (first, second))
    return found


def _other(sheet: _Sheet, one: Judgment, other: Judgment) -> bool:
    """Whether two verdicts differ."""
    if isinstance(one, Rating) and isinstance(other, Rating):
        return abs(one.value - other.value) > STEP * sheet.width * (1 + 1e-9)
    if isinstance(one, Preference) and isinstance(other, Preference):
        return one.winner != other.winner
    return _name(one) != _name(other)


def _unreadable(answers: Sequence[Answer], planned: int) -> Finding:
    """First tries that gave no verdict; those that could not be asked are missing."""
    said = [one.judged for one in answers if not isinstance(one.judged.judgment, Failed)]
    happened: list[bool | None] = [one.first is not None or isinstance(one.judgment, Unreadable) for one in said]
    lost = sum(isinstance(one.judgment, Unreadable) for one in said)
    note = f"{lost} gave none the second time either" if lost else ""
    return _share("unreadable", [*happened, *[None] * (planned - len(said))], note=note)


# What a verdict says


_AHEAD: Final[dict[str, float]] = {"first": 1.0, "second": -1.0, "tie": 0.0}


def _first_ahead(judgment: Judgment | None) -> float | None:
    return _AHEAD[judgment.winner] if isinstance(judgment, Preference) else None


def _grade(said: Said, slot: Slot) -> float | None:
    judgment = said.get(slot)
    return judgment.value if isinstance(judgment, Rating) else None


def _label(said: Said, slot: Slot) -> str | None:
    return _name(said.get(slot))


def _name(judgment: Judgment | None) -> str | None:
    return judgment.name if isinstance(judgment, Label) else None


def _sign(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else float((one > other) - (one < other))
