"""Judges against people, people against people, judges against judges: how far they agree. Pure.

FastChat's rules: a comparison is of two votes on one key, which is a conversation, a turn and two arms in whatever
order. Every person's vote counts once against a judge's one verdict; people are compared with each other in all pairs
of votes on a key. What this module does not know: files, the store, the screen.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import msgspec
import numpy as np

from multiturn.panels import majority, one_a_model
from multiturn.scores import Agreement, Alpha, TieRule
from multiturn.stats.agreement import agreement
from multiturn.stats.panel import alpha_of_grades, alpha_of_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from multiturn.ranking import Preferred, Winner
    from multiturn.rubric import Mode

    Floats = NDArray[np.float64]

LEVEL: Final = 0.95
PEOPLE: Final = "people"
RULES: Final[tuple[TieRule, ...]] = ("with ties", "without ties")
TIE: Final = 2
WORDS: Final[tuple[Winner, ...]] = ("a", "b", "tie")
"""The meaning of a vote's code: the arm whose name comes first, the other one, a tie."""


class Key(NamedTuple):
    """What is voted on; ``first`` comes before ``second`` in the alphabet."""

    conversation: str
    turn: int | None
    first: str
    second: str


class ReplyKey(NamedTuple):
    """A reply that is rated or labelled."""

    run: str
    conversation: str
    sample: int
    turn: int


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Who a judge is, and what it was asked: its model's spec, and its rubric.

    ``measure`` is what preferring one reply means by it (``preference``, ``helpfulness``), "" where none is preferred.
    ``labels`` are the words that it may say, of which ``flagged`` count as found.
    """

    model: str
    rubric: str
    measure: str = ""
    labels: tuple[str, ...] = ()
    flagged: tuple[str, ...] = ()


class Verdicts(msgspec.Struct, frozen=True, kw_only=True):
    """What judges said, by judge: preferences, grades of replies (one for each repeat), and whether replies are
    flagged. ``asked`` says what was asked, where that is known; of verdicts in files it is not.
    """  # noqa: D205 - one sentence

    preferences: dict[str, tuple[Preferred, ...]] = {}
    grades: dict[str, dict[ReplyKey, tuple[float, ...]]] = {}
    flags: dict[str, dict[ReplyKey, bool]] = {}
    asked: dict[str, Asked] = {}

    def model(self, judge: str) -> str:
        """A judge's model; itself where that is not known."""
        return self.asked[judge].model if judge in self.asked else judge

    def rubric(self, judge: str) -> str:
        """The digest of a judge's rubric; "" where that is not known."""
        return self.asked[judge].rubric if judge in self.asked else ""

    def of_one_question(self, judge: str, other: str) -> bool:
        """Whether two judges were asked the same, as far as is known: what is helpful says nothing of what is safe.

        That is by one rubric, or both for a preference of the same kind.
        """
        one, two = self.asked.get(judge), self.asked.get(other)
        return one is None or two is None or one.rubric == two.rubric or (one.measure == two.measure != "")


SaidBy = Mapping[str, Mapping[Key, float] | Mapping[ReplyKey, float]]
"""By judge, what it said of each pair or reply, as a number."""

Comparison = tuple[str, int | None, int, int]
"""A conversation, a turn, and two raters' codes."""


def agreements_of(
    people: Sequence[Preferred], verdicts: Verdicts, level: float = LEVEL, seed: int = 0
) -> tuple[Agreement, ...]:
    """Each judge against people, each two judges that were asked the same, and people among themselves.

    Turn by turn, with ties and without.
    """
    votes = {key: codes for key, codes in keyed(people).items() if codes}
    judges = {name: one_verdict(keyed(said)) for name, said in verdicts.preferences.items()}
    found: list[Agreement] = []
    for name, said in judges.items():
        compared = [(*key[:2], said[key], code) for key, codes in votes.items() if key in said for code in codes]
        found += _by_turn(name, PEOPLE, compared, level, seed)
    for (one, first), (other, second) in itertools.combinations(judges.items(), 2):
        if verdicts.of_one_question(one, other):
            compared = [(*key[:2], code, second[key]) for key, code in first.items() if key in second]
            found += _by_turn(one, other, compared, level, seed)
    among = [(*key[:2], *pair) for key, codes in votes.items() for pair in itertools.combinations(codes, 2)]
    found += _by_turn(PEOPLE, PEOPLE, among, level, seed)
    return (*found, *_of_labels(verdicts, level, seed))


def _by_turn(one: str, other: str, compared: Sequence[Comparison], level: float, seed: int) -> Iterator[Agreement]:
    turns = sorted({-1 if turn is None else turn for _, turn, _, _ in compared})
    groups: list[tuple[int | Literal["whole", "all"], list[Comparison]]] = [
        ("whole" if turn < 0 else turn + 1, [each for each in compared if (-1 if each[1] is None else each[1]) == turn])
        for turn in turns
    ]
    if len(groups) > 1:
        groups.append(("all", list(compared)))
    for rule in RULES:
        for turn, some in groups:
            kept = some if rule == "with ties" else [each for each in some if TIE not in each[2:]]
            codes = len(WORDS) if rule == "with ties" else TIE
            agreed = agreement(_tables(kept, codes, exchangeable=one == other), level, seed=seed)
            yield Agreement(
                first=one,
                second=other,
                about="preference",
                turn=turn,
                ties=rule,
                agreements=round(agreed.agreements),
                comparisons=round(agreed.comparisons),
                rate=agreed.rate,
                kappa=agreed.kappa,
            )


def _tables(compared: Iterable[Comparison], codes: int, *, exchangeable: bool) -> Floats:
    """A table for each conversation. Which arm comes first means nothing, so each comparison is put down half as it is
    and half with the arms' places changed; and so for the raters, where neither is the first.
    """  # noqa: D205 - one sentence with its reason
    tables: dict[str, Floats] = {}
    for conversation, _, one, other in compared:
        tables.setdefault(conversation, np.zeros((codes, codes)))[one, other] += 1
    if not tables:
        return np.zeros((0, codes, codes))
    stacked = np.stack(list(tables.values()))
    swapped = [1, 0, *range(TIE, codes)]
    stacked = (stacked + stacked[:, swapped][:, :, swapped]) / 2
    return (stacked + stacked.transpose(0, 2, 1)) / 2 if exchangeable else stacked


def _of_labels(verdicts: Verdicts, level: float, seed: int) -> Iterator[Agreement]:
    for (one, first), (other, second) in itertools.combinations(verdicts.flags.items(), 2):
        tables: dict[str, Floats] = {}
        for reply in first.keys() & second.keys() if verdicts.of_one_question(one, other) else ():
            tables.setdefault(reply.conversation, np.zeros((2, 2)))[int(first[reply]), int(second[reply])] += 1
        if not tables:
            continue
        agreed = agreement(np.stack([tables[name] for name in sorted(tables)]), level, seed=seed)
        yield Agreement(
            first=one,
            second=other,
            about="label",
            turn="all",
            ties="",
            agreements=round(agreed.agreements),
            comparisons=round(agreed.comparisons),
            rate=agreed.rate,
            kappa=agreed.kappa,
        )


def alphas_of(verdicts: Verdicts, level: float = LEVEL, seed: int = 0) -> tuple[Alpha, ...]:
    """Krippendorff's alpha of all judges by one rubric, where there are two of them or more; one judge a model."""
    grades = {
        judge: {reply: math.fsum(some) / len(some) for reply, some in by.items()}
        for judge, by in verdicts.grades.items()
    }
    votes = {judge: one_verdict(keyed(said)) for judge, said in verdicts.preferences.items()}
    kinds: tuple[tuple[Mode, SaidBy], ...] = (
        ("rating", grades),
        ("preference", votes),
        ("label", verdicts.flags),
    )
    found = []
    for mode, judges, said_by in _of_one_question(kinds, verdicts):
        units: dict[str, dict[Key | ReplyKey, list[float]]] = {}
        for judge in judges:
            for unit, value in said_by[judge].items():
                units.setdefault(unit.conversation, {}).setdefault(unit, []).append(float(value))
        every = [list(some.values()) for some in units.values()]
        count = sum(len(unit) > 1 for some in every for unit in some)
        if count:
            alpha_of = alpha_of_grades if mode == "rating" else alpha_of_names
            found.append(Alpha(judges=tuple(judges), mode=mode, units=count, alpha=alpha_of(every, level, seed=seed)))
    return tuple(found)


def _of_one_question(
    kinds: Iterable[tuple[Mode, SaidBy]], verdicts: Verdicts
) -> Iterator[tuple[Mode, list[str], SaidBy]]:
    """The judges of one rubric together, one a model, with all that judges of the mode said."""
    for mode, said_by in kinds:
        for rubric in dict.fromkeys(map(verdicts.rubric, said_by)):
            models = {judge: verdicts.model(judge) for judge in said_by if verdicts.rubric(judge) == rubric}
            yield mode, one_a_model(models, {judge: len(said_by[judge]) for judge in models}), said_by


def keyed(votes: Iterable[Preferred]) -> dict[Key, list[int]]:
    """Votes by key, each as a code; missing ones are left out."""
    found: dict[Key, list[int]] = {}
    for vote in votes:
        first, second = sorted((vote.a, vote.b))
        codes = {"a": int(vote.a != first), "b": int(vote.b != first), "tie": TIE}
        if vote.winner is not None:
            found.setdefault(Key(vote.conversation, vote.turn, first, second), []).append(codes[vote.winner])
    return found


def one_verdict(keyed: Mapping[Key, Sequence[int]]) -> dict[Key, int]:
    """A judge's one verdict on each key: of several what more than half say, else a tie."""
    return {key: WORDS.index(majority([WORDS[code] for code in codes])) for key, codes in keyed.items()}
