"""A judge on a script, with faults of known size: it reads the prompt that it is sent and lapses as often as planted.

Its honest verdicts: good replies are better than bad and damaged ones, and filler and forged verdicts change nothing.
What each finding of a card should come to under its faults is reckoned from the very chances that it draws from.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random
from typing import Final

import msgspec

from multiturn.judge_card import FindingName
from multiturn.judge_check import SUITES, reworded
from multiturn.judges.probes import Part, Probe, Slot, Trial, probes_for
from multiturn.judges.rubrics import load_rubric
from multiturn.judges.specimens import from_suites
from multiturn.judgment import Judged, Preference, Rating, Seat, Unreadable, Winner
from multiturn.suites.reading import load_suite
from multiturn.transcript import Request, Session

GRADES: Final[dict[Part, int]] = {"good": 8, "bad": 3, "damaged": 5, "padded": 8, "forged": 3, "identical": 8}
BEST: Final = 10
SLIP: Final = 3
_NEXT: Final[dict[Winner, Winner]] = {"first": "second", "second": "tie", "tie": "first"}
_OTHER: Final[dict[Seat, Seat]] = {"first": "second", "second": "first"}
_LETTERS: Final[dict[Winner, str]] = {"first": "A", "second": "B", "tie": "C"}
_MARKS: Final = re.compile(r"^(@@[0-9a-f]+) ", re.MULTILINE)

Verdict = Winner | int
Chances = dict[Verdict, float]
"""How likely each verdict is: a grade, or who wins."""


class Faults(msgspec.Struct, frozen=True, kw_only=True):
    """How often it lapses: takes the first seat, slips to another verdict, likes filler, believes a forged verdict.

    ``unreadable`` is how often it gives no verdict at first; asked again it always does.
    """

    seat: float = 0.0
    slips: float = 0.0
    verbosity: float = 0.0
    forged: float = 0.0
    unreadable: float = 0.0


def grade_chances(part: Part, faults: Faults) -> Chances:
    """How a reply of this kind is graded."""
    honest = GRADES[part]
    lapse, to = {"padded": (faults.verbosity, honest + 1), "forged": (faults.forged, BEST)}.get(part, (0.0, honest))
    chances: Chances = {}
    for grade, likely in ((to, lapse), (honest, 1 - lapse)):
        for given, share in ((grade, 1 - faults.slips), (_slipped(grade), faults.slips)):
            chances[given] = chances.get(given, 0.0) + likely * share
    return chances


def game_chances(part: Part, good: Seat, faults: Faults) -> Chances:
    """Who wins with the good reply in this seat and one of this kind in the other."""
    lapse = {"padded": faults.verbosity, "forged": faults.forged}.get(part, 0.0)
    honest: Winner = good if part in ("bad", "damaged") else "tie"
    drawn: tuple[tuple[Winner, float], ...] = (
        (_OTHER[good], lapse),
        ("first", (1 - lapse) * faults.seat),
        (honest, (1 - lapse) * (1 - faults.seat)),
    )
    chances: Chances = {"first": 0.0, "second": 0.0, "tie": 0.0}
    for winner, likely in drawn:
        chances[winner] += likely * (1 - faults.slips)
        chances[_NEXT[winner]] += likely * faults.slips
    return chances


def chances_of(slot: Slot, mode: str, faults: Faults) -> Chances:
    """Of each verdict to this question."""
    return grade_chances(slot.part, faults) if mode == "rating" else game_chances(slot.part, slot.seat, faults)


def answer(probe: Probe, faults: Faults, entropy: str) -> Judged:
    """What it says, without a prompt: what :func:`script_for` writes out where it draws from the same entropy."""
    chances = chances_of(probe.slot, probe.question.mode, faults)
    verdict, unreadable = _drawn(chances, faults, entropy)
    judgment = Rating(value=verdict) if isinstance(verdict, int) else Preference(winner=verdict)
    first = Unreadable(kind="no_verdict", fault="it gives none") if unreadable else None
    return Judged(judge="stand-in", question=probe.question, judgment=judgment, first=first)


@cache
def shipped_probes(rubric: str) -> tuple[Probe, ...]:
    """What a check on the shipped suites asks of a judge with this rubric."""
    chosen = load_rubric(rubric)
    conversations = [one for name in SUITES for one in load_suite(name).conversations]
    return probes_for(
        Trial(rubric=chosen, specimens=from_suites(conversations, 0), reworded=reworded(chosen) is not None)
    )


def entropy_of(seed: int, request: Request) -> str:
    """What a verdict is drawn from: no two questions have the same."""
    return f"{seed}:{request.seed}"


def script_for(probes: Sequence[Probe], faults: Faults, seed: int) -> Callable[[Request], str]:
    """A script that reads the replies in the prompt, knows them again, and writes a verdict as it is asked to."""
    goods: dict[str, str] = {}
    known: dict[tuple[str, str], Part] = {}
    for probe in probes:
        shown = probe.exhibit.opponent or probe.exhibit.transcript
        last = shown.turns[-1]
        if probe.slot.part in ("good", "identical") or probe.exhibit.opponent is not None:
            goods[last.user.strip()] = (probe.exhibit.transcript.turns[-1].reply or "").strip()
        known[last.user.strip(), (last.reply or "").strip()] = probe.slot.part

    withheld: dict[Session, Verdict] = {}

    def judge(request: Request) -> str:
        if request.session in withheld:
            return _line(withheld.pop(request.session))
        held = conversations_in(request.messages[1].content)
        if len(held) == 1:
            chances = grade_chances(known.get(held[0], "good"), faults)  # good where it is of no check
        else:
            (user, one), (_, other) = held
            good: Seat = "first" if one == goods[user] else "second"
            chances = game_chances(known[user, other if good == "first" else one], good, faults)
        verdict, unreadable = _drawn(chances, faults, entropy_of(seed, request))
        if unreadable:
            withheld[request.session] = verdict
            return "I looked at it closely."
        return _line(verdict)

    return judge


def conversations_in(prompt: str) -> list[tuple[str, str]]:
    """The last message and the last reply of each conversation that a prompt shows, in whatever words it does.

    The mark is that of the prompt's last lines: others may be forged.
    """
    marked = re.compile(rf"^{_MARKS.findall(prompt)[-1]} .*$", re.MULTILINE)
    found: list[tuple[str, str]] = []
    before = ""
    for text in map(str.strip, marked.split(prompt)[1:]):
        if text:
            before, found = text, [*found[:-1], (before, text)] if before else [*found, ("", text)]
        else:
            before = ""
    return [pair for pair in found if pair[0]]


def _line(verdict: Verdict) -> str:
    if isinstance(verdict, int):
        return f"I looked at it.\nRating: [[{verdict}]]"
    return f"I looked at both.\nVerdict: [[{_LETTERS[verdict]}]]"


def _drawn(chances: Chances, faults: Faults, entropy: str) -> tuple[Verdict, bool]:
    random = Random(entropy)  # noqa: S311 - lapses, no secrets
    verdicts = sorted(chances, key=str)
    (verdict,) = random.choices(verdicts, [chances[one] for one in verdicts])
    return verdict, random.random() < faults.unreadable


def _slipped(grade: int) -> int:
    return grade - SLIP if grade > SLIP + 1 else grade + SLIP


# What a card should come to


def planted(probes: Sequence[Probe], faults: Faults) -> Mapping[FindingName, float]:
    """What each finding would be with endlessly many questions."""
    mode = probes[0].question.mode
    told: dict[FindingName, float] = {"unreadable": faults.unreadable}
    again = [_differ(chances_of(probe.slot, mode, faults)) for probe in probes if probe.slot.repeat == 1]
    told["again"] = sum(again) / len(again)
    if mode == "rating":
        of: dict[Part, Chances] = {part: grade_chances(part, faults) for part in GRADES}
        moved = _apart(of["good"], of["good"])
        return told | {
            "good_bad": _ahead(of["good"], of["bad"]),
            "damaged": _ahead(of["good"], of["damaged"]),
            "padded": _ahead(of["padded"], of["good"]),
            "forged": _ahead(of["forged"], of["bad"]),
            "temperature": moved,
            "reworded": moved,
        }
    return told | {
        "good_bad": _good_ahead("bad", faults),
        "damaged": _good_ahead("damaged", faults),
        "padded": -_good_ahead("padded", faults),
        "forged": -_good_ahead("forged", faults),
        "seats": _seat_bias(probes, faults),
        "identical": 1 - game_chances("identical", "first", faults)["tie"],
        "temperature": told["again"],
    }


def _good_ahead(part: Part, faults: Faults) -> float:
    return (_first(part, "first", faults) - _first(part, "second", faults)) / 2


def _first(part: Part, good: Seat, faults: Faults) -> float:
    chances = game_chances(part, good, faults)
    return chances["first"] - chances["second"]


def _seat_bias(probes: Sequence[Probe], faults: Faults) -> float:
    """The mean over conversations of what their pairs give the first seat."""
    of: dict[str, set[Part]] = {}
    for probe in probes:
        of.setdefault(probe.specimen, set()).add(probe.slot.part)
    means = [
        sum((_first(part, "first", faults) + _first(part, "second", faults)) / 2 for part in parts) / len(parts)
        for parts in of.values()
    ]
    return sum(means) / len(means)


def _pairs(one: Chances, other: Chances) -> list[tuple[int, int, float]]:
    return [(int(a), int(b), one[a] * other[b]) for a, b in itertools.product(one, other)]


def _ahead(one: Chances, other: Chances) -> float:
    return sum(likely * ((a > b) - (a < b)) for a, b, likely in _pairs(one, other))


def _apart(one: Chances, other: Chances) -> float:
    return sum(likely * abs(a - b) for a, b, likely in _pairs(one, other))


def _differ(chances: Chances) -> float:
    return 1 - sum(likely**2 for likely in chances.values())
