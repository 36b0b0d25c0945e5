"""What a sheet shows of what judges said: of one reply, and of two beside each other.

A judge's words are no safer than a reply's: they quote it, and a reply may have told the judge what to write. What this
module does not know: what judgments come to over all conversations, HTML.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from multiturn.judgment import Failed, Label, Preference, Rating, Unreadable
from multiturn.report.numbers import in_short, label_of, number, setting
from multiturn.text.printable import printable
from multiturn.text.spec_names import short_spec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multiturn.judgment import Judged, JudgeRecord, Judgment, UnreadableKind
    from multiturn.report.page.shown import Compared, Heard, Side
    from multiturn.report.page.states import Tone

JUDGE: Final = 60
"""Characters of a judge's name."""
AT_ONCE: Final = 160
"""Characters of a judge's words that are seen without opening anything."""

_NO_VERDICT: Final[Mapping[UnreadableKind, str]] = {
    "empty": "the judge wrote nothing",
    "no_verdict": "there is none in what the judge wrote",
    "out_of_range": "the grade is off the scale",
    "truncated": "the judge was cut off at its limit",
    "refused": "the judge declined",
    "ambiguous": "there is more than one",
}


class Words(NamedTuple):
    """A judge's words: as much as is seen at once, and all of them where that is not all."""

    first: str
    whole: str


class Opinion(NamedTuple):
    """What a judge said of one reply. ``beside`` are criteria and what else there is; ``words`` are the judge's own."""

    tone: Tone
    said: str
    judge: str
    beside: str
    words: Words


class Order(NamedTuple):
    """One of the two orders in which a pair was shown: which was first, what was said, and why."""

    shown: str
    said: str
    words: Words


class PairOpinion(NamedTuple):
    """What a judge said of two replies, or conversations. ``won`` is who is preferred, None for nobody."""

    tone: Tone
    won: Side | None
    said: str
    judge: str
    orders: tuple[Order, ...]


class Opinions:
    """All that judges said of one conversation, found again by arm and turn."""

    def __init__(self, heard: Heard | None) -> None:
        self._judges: Final[Mapping[str, JudgeRecord]] = {} if heard is None else heard.judges
        self._alone: Final[defaultdict[tuple[str, int, int | None], list[Judged]]] = defaultdict(list)
        self._pairs: Final[defaultdict[tuple[int, int | None], list[Compared]]] = defaultdict(list)
        for one in () if heard is None else heard.judged:
            self._alone[one.question.run, one.question.sample, one.question.turn].append(one)
        for pair in () if heard is None else heard.compared:
            self._pairs[pair.sample, pair.turn].append(pair)

    def of_reply(self, run: str, sample: int, turn: int) -> tuple[Opinion, ...]:
        """What was said of a reply; sample and turn count from 0."""
        return tuple(map(self._opinion, self._in_order(self._alone.get((run, sample, turn), ()))))

    def of_pairs(self, sample: int, turn: int | None) -> tuple[PairOpinion, ...]:
        """What was said of two replies to this turn, or of two whole conversations (None)."""
        return tuple(map(self._pair, self._pairs.get((sample, turn), ())))

    def _in_order(self, judged: Sequence[Judged]) -> list[Judged]:
        """Judge by judge."""
        places = {judge: at for at, judge in enumerate(self._judges)}
        return sorted(judged, key=lambda one: (places.get(one.judge, len(places)), one.question.repeat))

    def _opinion(self, one: Judged) -> Opinion:
        tone, said, beside = _said(one.judgment, self._judges[one.judge])
        again = f"asked twice, since the first time {one.first.fault}" if one.first is not None else ""
        return Opinion(
            tone=tone,
            said=said,
            judge=self._name(one.judge, one.question.repeat),
            beside="; ".join(filter(None, (beside, again))),
            words=_words(one),
        )

    def _pair(self, pair: Compared) -> PairOpinion:
        tone, won, said = _outcome(pair)
        return PairOpinion(
            tone=tone,
            won=won,
            said=said,
            judge=self._name(pair.judge, pair.games[0].question.repeat),
            orders=tuple(self._orders(pair)),
        )

    def _orders(self, pair: Compared) -> Iterator[Order]:
        for game in pair.games:
            seats = (pair.a, pair.b) if game.question.seat == "first" else (pair.b, pair.a)
            said = game.judgment
            if isinstance(said, Preference):
                told = "neither is better" if said.winner == "tie" else f"prefers {seats[said.winner == 'second'].name}"
            else:
                told = " ".join(filter(None, _said(said, self._judges[game.judge])[1:]))
            yield Order(shown=f"{seats[0].name} shown first", said=told, words=_words(game))

    def _name(self, judge: str, repeat: int) -> str:
        """Who it is, in short; repeats are numbered from the second on."""
        record = self._judges[judge]
        times = f", time {repeat + 1}" if repeat else ""
        return f"{in_short(short_spec(record.spec), JUDGE)}, {record.rubric.name}{times}"


def _said(judgment: Judgment, judge: JudgeRecord) -> tuple[Tone, str, str]:
    """How it is to be taken, the verdict, and what belongs to it."""
    match judgment:
        case Rating():
            top = f" of {setting(judge.rubric.scale.highest)}" if judge.rubric.scale is not None else ""
            beside = [f"{label_of(name)} {setting(grade)}" for name, grade in judgment.criteria.items()]
            if judgment.weighted is not None:
                beside.append(f"by the probabilities of grades {number(judgment.weighted, 'score')}")
            return "soft", f"{setting(judgment.value)}{top}", ", ".join(beside)
        case Label():
            return "bad" if judgment.name in judge.rubric.flagged else "soft", label_of(judgment.name), ""
        case Unreadable():
            return "unsure", f"no verdict: {_NO_VERDICT[judgment.kind]}", f"({judgment.fault})"
        case Failed():
            return "unsure", f"no verdict: could not be asked ({judgment.kind})", judgment.message
        case Preference():
            return "soft", judgment.winner, ""


def _outcome(pair: Compared) -> tuple[Tone, Side | None, str]:
    """Who is preferred, and how surely, in words that follow that name."""
    if pair.winner in {"a", "b"}:
        won, other = (pair.a, pair.b) if pair.winner == "a" else (pair.b, pair.a)
        how = "in both orders" if pair.consistent else "asked in one order only"
        return "soft", won, f"is preferred to {other.name}, {how}"
    both = f"{pair.a.name} and {pair.b.name}"
    if pair.winner is None:
        return "unsure", None, f"{both}: no outcome, since an order has no verdict"
    if pair.consistent is False:
        return "unsure", None, f"{both}: a tie, since the orders disagree"
    return "soft", None, f"{both}: a tie{', in both orders' if pair.consistent else ', asked in one order only'}"


def _words(one: Judged) -> Words:
    """Why it says so; where there is no verdict, all that the judge wrote.

    It is made printable first: what shortens a text takes some control characters for blanks.
    """
    said = one.judgment
    text = printable(said.reason if isinstance(said, Rating | Preference | Label) else one.text)
    first = in_short(text, AT_ONCE)
    return Words(first, text if first != " ".join(text.split()) else "")
