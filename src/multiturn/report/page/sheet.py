"""One conversation side by side, turn by turn, as a piece of HTML.

What this module does not know: how words are compared (``text/differing.py``), how marks overlap (``marking.py``), what
is said of one reply (``replying.py``, of judges ``opinions.py``), HTML (``sheet.html.j2``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from multiturn.report.numbers import label_of, number
from multiturn.report.page.opinions import Opinions
from multiturn.report.page.replying import Held, Shown, shown_reply
from multiturn.report.page.templates import render
from multiturn.text.differing import differing
from multiturn.text.measure import is_blank

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from multiturn.conversation import Conversation
    from multiturn.report.page.opinions import PairOpinion
    from multiturn.report.page.shown import ShownArm, Told

    Spans = Sequence[tuple[int, int]]

MANY: Final = 3
"""Arms from which on columns scroll sideways."""


class System(NamedTuple):
    """What these arms, by their places, were told before the first turn; "" for nothing."""

    arms: tuple[int, ...]
    text: str


class ShownTurn(NamedTuple):
    """One turn of one sample; both count from 1. There is a reply, or what stands in its place, for each arm.

    ``pairs`` is what judges said of two replies to it beside each other.
    """

    number: int
    probes: str
    why: str
    user: str
    replies: tuple[Shown, ...]
    golden: str | None
    pairs: tuple[PairOpinion, ...]


def sheet(told: Told, arms: Sequence[ShownArm]) -> Markup:
    """The conversation as all arms held it: an ``article``, made to be put into the page or shown by itself."""
    conversation, opinions = told.conversation, Opinions(told.heard)
    held = [[None if one is None else Held(one) for one in sample] for sample in told.samples]
    samples = [list(_turns(conversation, sample, arms, opinions, at)) for at, sample in enumerate(held)]
    sorts = {
        sort
        for turns in samples
        for turn in turns
        for reply in turn.replies
        for block in reply.blocks
        for piece in block
        for sort in piece.sorts.split()
    }
    return render(
        "sheet.html.j2",
        conversation=conversation,
        tags=list(_tags(conversation)),
        arms=arms,
        layout="many" if len(arms) >= MANY else "one" if len(arms) == 1 else "two",
        systems=_systems(told),
        samples=samples,
        wholes=[opinions.of_pairs(at, None) for at in range(len(samples))],
        sorts=sorts,
    )


def _tags(conversation: Conversation) -> Iterator[tuple[str, str]]:
    named = (
        ("capability", conversation.capability),
        ("category", conversation.category),
        ("domain", conversation.domain),
        ("pattern", conversation.pattern),
    )
    return ((name, label_of(tag)) for name, tag in named if tag)


def _systems(told: Told) -> list[System]:
    """Each text once; none where no arm has one. An arm that did not hold the conversation was told nothing."""
    arms_of: dict[str, list[int]] = {}
    for arm, samples in enumerate(zip(*told.samples, strict=True)):
        first = next((one for one in samples if one is not None), None)
        if first is not None:
            arms_of.setdefault(first.transcript.system or "", []).append(arm)
    return [] if [*arms_of] == [""] else [System(tuple(arms), text) for text, arms in arms_of.items()]


def _turns(
    conversation: Conversation,
    sample: Sequence[Held | None],
    arms: Sequence[ShownArm],
    opinions: Opinions,
    sampled: int,
) -> Iterator[ShownTurn]:
    """The turns of the sample that is number ``sampled``, from 0."""
    for at, turn in enumerate(conversation.turns):
        apart = _apart([None if one is None else one.reply(at) for one in sample], arms[0].name)
        replies = (
            shown_reply(
                one,
                at,
                refusal_expected=turn.refusal_expected,
                before=sample[0],
                base=arms[0].name,
                differs=differs,
                likeness=likeness,
            )
            for one, (differs, likeness) in zip(sample, apart, strict=True)
        )
        yield ShownTurn(
            number=at + 1,
            probes=_probes(conversation, at),
            why=turn.why,
            user=turn.text,
            replies=tuple(
                reply._replace(judged=opinions.of_reply(arm.run, sampled, at))
                for arm, reply in zip(arms, replies, strict=True)
            ),
            golden=turn.golden,
            pairs=opinions.of_pairs(sampled, at),
        )


def _probes(conversation: Conversation, at: int) -> str:
    """What a turn is about, in a few words: ``probes correction, looks 2 turns back, a refusal is right here``."""
    turn, capability = conversation.turns[at], conversation.capability_of(at)
    said = [f"probes {label_of(capability)}"] if capability else []
    if turn.distance is not None:
        said.append(f"looks {number(turn.distance, 'count')} turn{'s' if turn.distance > 1 else ''} back")
    if turn.refusal_expected is not None:
        said.append("a refusal is right here" if turn.refusal_expected else "a refusal is wrong here")
    return ", ".join(said)


def _apart(replies: Sequence[str | None], base: str) -> list[tuple[Spans, str]]:
    """For each arm the words that its reply has otherwise than the first arm's, and how like that it is in words.

    Of the first arm's own reply, the words that some other arm's has otherwise. Where hardly anything is in common, or
    one of the two is blank, nothing is marked.
    """
    first = replies[0]
    own: set[tuple[int, int]] = set()
    told: list[tuple[Spans, str]] = []
    for other in replies[1:]:
        if first is None or other is None or is_blank(first) or is_blank(other):
            told.append(((), ""))
        elif first == other:
            told.append(((), f"the same as {base}, letter for letter"))
        else:
            found = differing(first, other)
            if found is None:
                told.append(((), f"too long to be compared with {base} word by word"))
            elif found.throughout:
                told.append(((), f"hardly a word in common with {base}, so none is underlined"))
            elif not found.first and not found.second:
                told.append(((), f"the same words as {base}, other spaces or line breaks"))
            else:
                own.update(found.first)
                told.append((found.second, ""))
    return [(sorted(own), ""), *told]
