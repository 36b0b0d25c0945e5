"""One comparison on the first screen: a word, a sentence, what is to be fixed first, and what moved which way.

The sentences are those of the terminal (``conclusion.py``); where that names a command to type, the page has a link.
What this module does not know: conditions, transcripts, HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from multiturn.finding import FAILS_AS_REFUSAL
from multiturn.report.broken import broken, what_is_wrong
from multiturn.report.conclusion import Names, farthest, opening, primary_of, what_next, where_to_start
from multiturn.report.numbers import arms_of, change, counted, difference_alone, label_of, number, unit_of
from multiturn.report.page.reach import BEHIND, WHOLE_LIST
from multiturn.report.tables import rests_on
from multiturn.results import MOVED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.report.broken import Broken
    from multiturn.report.page.reach import Reach
    from multiturn.report.page.shown import ShownArm
    from multiturn.results import Comparison, Verdict, VerdictWord

Tone = Literal["bad", "good", "unsure", "plain"]
"""How something is to be taken; its word says it too."""

TONES: Final[dict[VerdictWord, Tone]] = {
    "regressed": "bad",
    "improved": "good",
    "changed": "plain",
    "equivalent": "plain",
    "inconclusive": "unsure",
}
RATING: Final = "rating"
CHECKS: Final = frozenset({"check_pass", "turn_pass"})
_GROUPS: Final[tuple[tuple[VerdictWord, str, str], ...]] = (
    ("regressed", "Got worse", "Nothing, as far as this comparison can tell."),
    ("improved", "Got better", "Nothing, as far as this comparison can tell."),
    ("inconclusive", "Can't be told", "Nothing: each of these measures has a verdict."),
    ("changed", "Changed", ""),
    ("equivalent", "About the same", ""),
)
"""Where measures of which this is said stand, and what is said where there is none; without that, no group."""


class Led(msgspec.Struct, frozen=True):
    """Text that leads somewhere; ``href`` is "" where nothing is to be read."""

    text: str
    href: str = ""


class Badge(msgspec.Struct, frozen=True):
    """A word that stands out."""

    word: str
    tone: Tone


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One measure with its verdict: each arm, the difference, what it rests on, and what is to be read of it."""

    label: str
    marks: tuple[str, ...]
    base: str
    tuned: str
    difference: str
    rests_on: Led
    behind: tuple[Led, ...]
    where: tuple[Led, ...]
    advice: str


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """The measures that went one way; ``none`` is said where there are none."""

    title: str
    tone: Tone
    items: tuple[Item, ...]
    none: str


class Wrong(msgspec.Struct, frozen=True):
    """What is to be fixed first, with the replies to read."""

    text: str
    behind: tuple[Led, ...]


class Gist(msgspec.Struct, frozen=True, kw_only=True):
    """One comparison in short; ``at`` is the place of its other arm on the page.

    ``about``, ``base`` and ``tuned`` are of the primary measure; both numbers are "" where it has no verdict.
    """

    arm: ShownArm
    at: int
    badges: tuple[Badge, ...]
    about: str
    base: str
    tuned: str
    heading: str
    lead: tuple[str, ...]
    wrong: tuple[Wrong, ...]
    follows: bool
    groups: tuple[Group, ...]
    start: Led | None
    next: tuple[str, ...]


def gist(comparison: Comparison, arms: Sequence[ShownArm], at: int, reach: Reach) -> Gist:
    """The comparison of a page's first arm with the one at this place; ``reach`` finds the conversations behind it."""
    return _Telling(comparison, (arms[0], arms[at]), reach).gist(at)


class _Telling:
    """Makes the parts."""

    def __init__(self, comparison: Comparison, arms: tuple[ShownArm, ShownArm], reach: Reach) -> None:
        self._comparison: Final = comparison
        self._arms: Final = arms
        self._reach: Final = reach
        self._primary: Final = primary_of(comparison)
        self._broken: Final = broken(comparison.contrasts, comparison.unsound)
        self._names: Final = {"base": arms[0].name, "tuned": arms[1].name}

    def gist(self, at: int) -> Gist:
        """All of it."""
        comparison, primary = self._comparison, self._primary
        tuned = self._arms[1].name
        said = opening(comparison, Names(f"{tuned[:1].upper()}{tuned[1:]}", self._arms[0].name))
        told = [one for one in (*said.noise, said.fact, *said.said) if one] or [said.advice]
        numbers = arms_of(primary.contrast) if primary is not None else ("", "")
        return Gist(
            arm=self._arms[1],
            at=at,
            badges=tuple(self._badges()),
            about=label_of(comparison.plan.primary),
            base=numbers[0],
            tuned=numbers[1],
            heading=told[0],
            lead=(*told[1:], *self._by_refusing(tuned)),
            wrong=tuple(map(self._wrong, self._broken)),
            follows=any(one.differs for one in self._broken),
            groups=tuple(self._groups()),
            start=next(self._start(), None),
            next=tuple(what_next(comparison)),
        )

    def _by_refusing(self, tuned: str) -> Iterator[str]:
        """How many of the lost checks were lost by declining, where that is most of them."""
        lost = [flip for change in self._comparison.changes for flip in change.flips if flip.after == "fail"]
        refused = sum(flip.reason == FAILS_AS_REFUSAL for flip in lost)
        if 2 * refused > len(lost):
            count = number(refused, "count")
            yield f"{count} of the {counted(len(lost), 'check')} that {tuned} lost, it lost by refusing."

    def _badges(self) -> Iterator[Badge]:
        if self._comparison.same_model:
            yield Badge("A/A run", "unsure")
        primary = self._primary
        if primary is None:
            yield Badge("no verdict", "unsure")
        else:
            yield Badge(primary.word, TONES[primary.word])

    def _wrong(self, one: Broken) -> Wrong:
        text = what_is_wrong(one, self._names)
        behind = []
        for measure in one.measures:
            key, value = BEHIND[measure]
            found = self._reach.behind({f"{self._names[one.arm]}.{key}": value})
            what = f"{label_of(measure)} in " if len(one.measures) > 1 else ""
            if found is not None:
                behind.append(Led(f"read {what}{found.text}", found.href))
        return Wrong(f"{text[:1].upper()}{text[1:]}", tuple(behind))

    def _groups(self) -> Iterator[Group]:
        verdicts = self._comparison.verdicts
        for word, title, none in _GROUPS:
            items = tuple(self._item(one) for one in verdicts if one.word == word)
            if items or (none and verdicts):
                yield Group(title=title, tone=TONES[word], items=items, none=none)

    def _item(self, verdict: Verdict) -> Item:
        contrast, unit = verdict.contrast, unit_of(verdict.measure)
        paired = contrast.difference
        base, tuned = arms_of(contrast)
        return Item(
            label=label_of(verdict.measure),
            marks=tuple(self._marks(verdict)),
            base=base,
            tuned=tuned,
            difference=difference_alone(paired, unit),
            rests_on=Led(f"n={rests_on(paired)}", WHOLE_LIST if paired.n == self._reach.conversations else ""),
            behind=tuple(self._behind(verdict.measure)),
            where=tuple(self._where()) if verdict is self._primary else (),
            advice=f"{verdict.advice[:1].upper()}{verdict.advice[1:]}." if verdict.advice else "",
        )

    def _marks(self, verdict: Verdict) -> Iterator[str]:
        if verdict.word == "changed":
            yield "neither way is better"
        if self._comparison.same_model and verdict.word in MOVED:
            yield "false alarm"
        if verdict.depends_on_missing:
            yield "depends on missing data"

    def _behind(self, measure: str) -> Iterator[Led]:
        """What to read of a measure, and in how many conversations: flipped checks, or replies that it counts."""
        if measure in CHECKS:
            told = [(self._flip(way), f"{way} in") for way in ("lost", "won")]
        elif measure == RATING:
            told = [({f"{arm.name}.grade": "low"}, f"{arm.name} 4 or less in") for arm in self._arms]
        elif measure in BEHIND:
            key, value = BEHIND[measure]
            told = [({f"{arm.name}.{key}": value}, f"{arm.name} in") for arm in self._arms]
        else:
            told = []
        for tags, what in told:
            found = self._reach.behind(tags)
            if found is not None:
                yield Led(f"{what} {number(found.conversations, 'count')}", found.href)

    def _flip(self, way: str) -> dict[str, str]:
        """The tags of turns at which a check flipped that way between these two arms."""
        if self._reach.pair:
            return {"flip": way}
        base, tuned = (f"{arm.name}.check" for arm in self._arms)
        return {base: "pass", tuned: "fail"} if way == "lost" else {base: "fail", tuned: "pass"}

    def _where(self) -> Iterator[Led]:
        """The capabilities of which it can be said that the primary measure moved there."""
        for one in self._comparison.localisation:
            moved = one.contrast.difference.value
            if one.word in MOVED and moved is not None:
                told = f"{label_of(one.contrast.group[1])} {change(moved, unit_of(one.measure))}"
                yield Led(told, self._in_capability(one))

    def _start(self) -> Iterator[Led]:
        found = farthest(self._comparison)
        for text in where_to_start(self._comparison):
            yield Led(text, self._in_capability(found) if found is not None else "")

    def _in_capability(self, verdict: Verdict) -> str:
        """The list of what flipped there with the measure, else of all that probes it."""
        capability = {verdict.contrast.group[0]: verdict.contrast.group[1]}
        way = "lost" if (verdict.contrast.difference.value or 0) < 0 else "won"
        flipped = self._reach.behind(capability | self._flip(way)) if verdict.measure in CHECKS else None
        found = flipped or self._reach.behind(capability)
        return found.href if found is not None else ""
