"""Judges held to what people say is right: accuracy against majorities, and rates corrected for a judge's errors. Pure.

What this module does not know: files, the store, the screen.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING, Final

from multiturn.agreement import LEVEL, TIE, WORDS, Key, ReplyKey, keyed, one_verdict
from multiturn.panels import majority
from multiturn.scores import Accuracy, Corrected, Undefined
from multiturn.stats.corrected import Seen, corrected_rate
from multiturn.stats.pooled import effective, pooled_share

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from multiturn.agreement import Asked, Verdicts
    from multiturn.ranking import Preferred
    from multiturn.votes import LabelledPair, LabelVote, ShownReply

FEWEST: Final = 2
"""Votes that make a majority."""


def accuracies_of(
    people: Sequence[Preferred],
    pairs: Sequence[LabelledPair],
    replies: Iterable[ShownReply],
    verdicts: Verdicts,
    level: float = LEVEL,
) -> tuple[tuple[Accuracy, ...], tuple[str, ...]]:
    """How often each judge says what a majority says, and what to know of it.

    Two kinds of majorities: of people's votes on one key (two or more, more than half of them for one arm), and the
    label of a pair, which is found again by its texts.
    """
    judges = {name: one_verdict(keyed(said)) for name, said in verdicts.preferences.items()}
    voted = []
    for key, codes in keyed(people).items():
        most = [code for code in (0, 1) if len(codes) >= FEWEST and codes.count(code) > len(codes) / 2]
        voted += [([key], most[0])] if most else []
    located, notes = _located(pairs, replies)
    found = []
    for labels, items in (("majority of people", voted), ("label of a pair", located)):
        if items:
            found += [_accuracy(name, labels, said, items, level) for name, said in judges.items()]
    return tuple(found), notes


Item = tuple[list[Key], int]
"""A labelled item: the keys that it may be, and the code that the majority has for it."""


def _accuracy(judge: str, labels: str, said: Mapping[Key, int], items: Sequence[Item], level: float) -> Accuracy:
    outcome = Counter[str]()
    by_conversation: dict[str, list[bool]] = {}
    for keys, label in items:
        key = next((one for one in keys if one in said), None)
        if key is None:
            outcome["unjudged"] += 1
            continue
        code = said[key]
        outcome["ties" if code == TIE else "right" if code == label else "wrong"] += 1
        by_conversation.setdefault(key.conversation, []).append(code == label)
    rights = by_conversation.values()
    return Accuracy(
        judge=judge,
        labels=labels,
        right=outcome["right"],
        wrong=outcome["wrong"],
        ties=outcome["ties"],
        unjudged=outcome["unjudged"],
        rate=pooled_share([sum(one) for one in rights], [len(one) for one in rights], level),
    )


def _located(pairs: Sequence[LabelledPair], replies: Iterable[ShownReply]) -> tuple[list[Item], tuple[str, ...]]:
    """Labelled pairs by key. Of a pair that may be several, since models wrote the same, all keys with one label."""
    if not pairs:
        return [], ()
    places: dict[tuple[str, str], list[ShownReply]] = {}
    for one in replies:
        places.setdefault((one.question.strip(), one.reply.strip()), []).append(one)
    items: list[Item] = []
    for pair in pairs:
        first, second = (places.get((pair.question.strip(), text.strip()), []) for text in pair.replies)
        by_label: dict[int, list[Key]] = {}
        for one, other in itertools.product(first, second):
            if (one.conversation, one.turn) == (other.conversation, other.turn) and one.arm != other.arm:
                better = one.arm if pair.label == 1 else other.arm
                low, high = sorted((one.arm, other.arm))
                by_label.setdefault(int(better == high), []).append(Key(one.conversation, one.turn, low, high))
        items += [(sorted(found), label) for label, found in by_label.items() if len(by_label) == 1]
    lost = len(pairs) - len(items)
    told = f"{lost} of {len(pairs)} labelled pairs are left out: it can't be told here whose replies they are"
    return items, ((told,) if lost else ())


def corrected_of(
    people: Sequence[Preferred],
    labels: Sequence[LabelVote],
    verdicts: Verdicts,
    level: float = LEVEL,
) -> tuple[Corrected, ...]:
    """Rates that judges saw, corrected for their errors where people said what is right.

    They are of replies that a judge flagged, run by run, and of pairs that it gave to one arm, ties aside; the latter
    only where its verdicts are on one pair of arms.

    Args:
        people: Votes on the same arms as the verdicts.
        labels: Labels of the same arms' replies; of several on one reply more than half decide, else it has none. A
            judge is held to those that are words of its own rubric. They are of a conversation's first sample.
        verdicts: What judges said.
        level: Of the intervals, in (0, 1).
    """
    found = []
    for judge, flags in verdicts.flags.items():
        right = _right(labels, verdicts.asked[judge])
        if not right:
            continue
        known = []
        for reply, flag in flags.items():
            said = right.get(reply, [])
            if said and sum(said) != len(said) / 2:
                known.append((reply.conversation, flag, sum(said) > len(said) / 2))
        for run in dict.fromkeys(reply.run for reply in flags):
            seen = [(reply.conversation, flag) for reply, flag in flags.items() if reply.run == run]
            found.append(_corrected(judge, f"flagged in {run}", seen, known, level))
    voted = {key: majority([WORDS[code] for code in codes]) for key, codes in keyed(people).items()}
    for judge, preferred in verdicts.preferences.items() if voted else ():
        said_of = one_verdict(keyed(preferred))
        arms = {key[2:] for key in said_of}
        decided = {key: code == 0 for key, code in said_of.items() if code != TIE}
        both = [
            (key.conversation, flag, voted[key] == "a")
            for key, flag in decided.items()
            if voted.get(key, "tie") != "tie"
        ]
        if len(arms) == 1 and both:
            seen = [(key.conversation, flag) for key, flag in decided.items()]
            found.append(_corrected(judge, " preferred to ".join(*arms), seen, both, level))
    return tuple(found)


def _right(labels: Iterable[LabelVote], asked: Asked) -> dict[ReplyKey, list[bool]]:
    """What people say of each reply, in the words of a judge's rubric: whether it is to be flagged."""
    found: dict[ReplyKey, list[bool]] = {}
    for one in labels:
        if one.label in asked.labels:
            key = ReplyKey(one.arm, one.conversation, 0, one.turn)
            found.setdefault(key, []).append(one.label in asked.flagged)
    return found


def _corrected(
    judge: str,
    what: str,
    seen: Sequence[tuple[str, bool]],
    known: Sequence[tuple[str, bool, bool]],
    level: float,
) -> Corrected:
    hits = [(conversation, flag) for conversation, flag, right in known if right]
    passes = [(conversation, not flag) for conversation, flag, right in known if not right]
    parts = [_sums(some) for some in (seen, hits, passes)]
    units = [Seen(*effective(*part)) for part in parts]
    rate = corrected_rate(units[0], units[1], units[2], level)
    estimates = [pooled_share(*part, level) for part in parts]
    why = "no better than chance" if hits and passes else "all labels of one kind"
    return Corrected(
        judge=judge,
        what=what,
        seen=estimates[0],
        sensitivity=estimates[1],
        specificity=estimates[2],
        rate=Undefined(reason=why, n=estimates[0].n) if rate is None else rate,
    )


def _sums(some: Sequence[tuple[str, bool]]) -> tuple[list[float], list[float]]:
    by_conversation: dict[str, list[bool]] = {}
    for conversation, flag in some:
        by_conversation.setdefault(conversation, []).append(flag)
    return [float(sum(one)) for one in by_conversation.values()], [float(len(one)) for one in by_conversation.values()]
