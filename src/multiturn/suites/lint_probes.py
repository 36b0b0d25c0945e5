# ruff: noqa: E501, RUF001 - patterns in several languages
"""Remarks on probes: can each be passed only by a model that still holds the conversation? Read from the text alone."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from multiturn.checks.base import Kind, Look, Read
from multiturn.checks.facts import Recalls
from multiturn.checks.matching import Variants, as_variants, listed
from multiturn.checks.part import whole
from multiturn.checks.reading import read_check
from multiturn.checks.together import AllOf, AnyOf, Not
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.finding import Outcome
from multiturn.suites.proof import probing_turns
from multiturn.suites.remarks import Remark
from multiturn.text.fold import fold, unaccented
from multiturn.text.language import UNKNOWN, language
from multiturn.transcript import Session, Transcript, TurnRecord

MOST_USES: Final = 3
"""So often may one way of putting a request (names and numbers aside) occur in a suite."""

NEAR: Final = 0.7
"""Turns are near duplicates from this share of common character 4-grams on: in both / in either."""

GRAM: Final = 4
SHORTEST: Final = 30
"""Shorter turns ("Shorter, please.") are alike by nature."""

CONTENT_KINDS: Final = frozenset({"says", "recalls", "number", "chooses", "regex", "starts_with", "ends_with"})
"""Kinds whose answer could stand in the probing turn."""

_REFERS_BACK: Final = re.compile(
    r"\b(?:as i (?:said|told you|mentioned)|you (?:said|told me|wrote|mentioned)|your (?:last|previous|earlier) (?:reply|answer|text|message)|"
    r"like before|as before|wie (?:ich )?(?:schon |eben |vorhin )?gesagt|comme (?:je l'ai )?(?:deja )?dit|como (?:te |ya )?dije|как я (?:уже )?(?:сказал|говорил)\w*)\b"
    r"|我(?:刚才|刚刚|之前|前面|上面)(?:说|提|讲)过?到?的|你(?:刚才|刚刚|之前|前面|上面)(?:说|写|提到)的"
    r"|(?:さっき|先ほど|前に)(?:言った|話した|伝えた|お伝えした|述べた)(?:よう|通り|とおり)"
)
_REFERS_AHEAD: Final = re.compile(
    r"\b(?:as i(?:'ll| will|'m going to| am going to) (?:say|explain|tell you|mention|describe|show)|my next message (?:says|explains|gives|has)|see my next message"
    r"|wie ich (?:(?:dir|euch|ihnen|es|das) ){0,2}(?:noch|gleich|spater|nachher) (?:(?:noch|genauer) )?(?:sag|erklar|schreib|erzahl|erwahn|beschreib)\w{1,4}|siehe (?:meine )?nachste nachricht"
    r"|comme je (?:(?:te|vous|le) |l'){0,2}(?:dirai|expliquerai|preciserai|raconterai|decrirai)|voir mon prochain message"
    r"|como (?:(?:te|os|le|les|lo) ){0,2}(?:(?:dire|explicare|contare) (?:luego|despues|mas (?:tarde|adelante|abajo))|voy a (?:decir|explicar|contar))|(?:vease|ver) mi proximo mensaje"
    r"|как я (?:(?:тебе|вам|ещ[её]) )?(?:потом|позже|дальше|далее) (?:(?:тебе|вам) )?(?:скажу|объясню|расскажу|напишу|опишу)|(?:см\.|смотрите?) (?:мо[её] )?следующее сообщение)\b"
    r"|(?:正如|就像|像|如)我?(?:稍后|等下|等会儿?|待会儿?|接下来|之后|后面)我?(?:会|要|将)?(?:给你|跟你|向你)?(?:说|讲|告诉|解释|提到|描述)|见(?:我的?)?下一?条(?:消息|信息)"
    r"|(?:後で|あとで|のちほど|この後)(?:詳しく)?(?:説明する|話す|言う|伝える|述べる|お伝えする|お話しする|ご説明する)(?:よう|通り|とおり)|次のメッセージ(?:を参照|を見て|の通り|のとおり)"
)
"""Only what leans on words to come. "Translate what I say next" leans on none: it is an order for turns to come."""

_BELOW: Final = re.compile(
    r"\b(?:(?:see|as (?:described|listed|shown|explained)) below|siehe unten|voir (?:ci-dessous|plus bas)|(?:vease|ver) (?:abajo|mas abajo)|(?:см|смотри|смотрите)\.? ниже)\b"
    r"|见下文|如下文所[述示]|下記(?:を)?参照|以下を参照"
)
"""These refer to what follows in the same message, where something does."""
_SLOT: Final = re.compile(r"\"[^\"\n]{1,200}\"|'[^'\n]{2,200}'(?!\w)|\d[\d.,:]*|(?<=\s)[A-ZÄÖÜÉА-Я][\w'-]*")
_SPACE: Final = re.compile(r"\W+")


def lint_probes(suite: Suite) -> Iterator[Remark]:
    """Remarks on the probes of each conversation, then those that compare conversations."""
    for conversation in suite.conversations:
        for index in probing_turns(conversation):
            yield from _probe(conversation, index)
        yield from _references(conversation)
    yield from _templates(suite)
    yield from _near_duplicates(suite)


def _probe(conversation: Conversation, index: int) -> Iterator[Remark]:
    turn = conversation.turns[index]
    read = [read_check(written) for written in turn.checks]
    if not any(one.positive for one in read):
        text = "no check here is positive: a reply about something else would pass; add one that asks for content"
        yield Remark(rule="no_positive_check", conversation=conversation.id, turn=index, text=text)
    if not turn.why.strip():
        text = "why is missing; say what a good reply does, for whoever sees it fail"
        yield Remark(rule="undocumented_probe", conversation=conversation.id, turn=index, text=text)
    if (turn.distance or conversation.capability_of(index) == "context_retention") and _gives_itself_away(read, turn):
        text = "the answer stands in the probing turn itself; ask without giving it"
        yield Remark(rule="answer_given", conversation=conversation.id, turn=index, text=text)
    facts = [as_variants(fact) for recalls in _recalls(read) for fact in recalls.facts]
    for fact in facts:
        yield from _never_given(conversation, index, fact)
    if turn.distance and facts:
        yield from _distance(conversation, index, facts)


def _gives_itself_away(checks: Sequence[Read], turn: Turn) -> bool:
    """Whether the user's own words have all the content that the checks ask for, and nothing that they forbid."""
    found = [given for one in checks if (given := _given(one, turn.text)) is not None]
    return bool(found) and all(found) and not any(_forbids(one, turn.text) for one in checks)


def _given(read: Read, text: str) -> bool | None:
    """Whether the text has the content that a check asks for; None where it asks for none."""
    check = read.check
    if isinstance(check, AllOf | AnyOf):
        found = [given for one in check.checks if (given := _given(one, text)) is not None]
        enough = all if isinstance(check, AllOf) else any
        return enough(found) if found else None
    if read.kind in CONTENT_KINDS and read.positive and isinstance(check, Kind):
        return _decides(check, text) == "pass"
    return None


def _forbids(read: Read, text: str) -> bool:
    """Whether the text has words that a check forbids: of "Friday or Saturday?" neither answer is given."""
    check = read.check
    if isinstance(check, AllOf):
        return any(_forbids(one, text) for one in check.checks)
    if isinstance(check, Not):
        return bool(_given(check.check, text))
    if read.kind in {"does_not_say", "regex"} and not read.positive and isinstance(check, Kind):
        return _decides(check, text) == "fail"
    return False


def _decides(check: Kind, text: str) -> Outcome:
    """What a check says of the user's own words."""
    record = TurnRecord(turn=0, user="?", status="ok", reply=text)
    return check.decide(Look(whole(text), Transcript(session=Session("lint"), turns=()), record)).outcome


def _recalls(checks: Sequence[Read]) -> Iterator[Recalls]:
    """Every check of that kind, those inside others too; what stands in a ``not`` is not asked for."""
    for one in checks:
        if isinstance(one.check, Recalls):
            yield one.check
        elif isinstance(one.check, AllOf | AnyOf):
            yield from _recalls(one.check.checks)


def _given_at(conversation: Conversation, variants: tuple[str, ...]) -> list[int]:
    """The user turns (from 0) that give a fact; -1 for the system prompt."""
    texts = [(-1, conversation.system or ""), *((index, turn.text) for index, turn in enumerate(conversation.turns))]
    return [index for index, text in texts if text and Variants(variants).find(whole(text)) is not None]


def _never_given(conversation: Conversation, index: int, fact: tuple[str, ...]) -> Iterator[Remark]:
    given = _given_at(conversation, fact)
    if not any(at < index for at in given):
        when = "only given later" if any(at > index for at in given) else "never given by the user before"
        text = f"the fact {listed(fact)} is {when}; use says or number for what is to be worked out"
        yield Remark(rule="fact_never_given", conversation=conversation.id, turn=index, text=text)


def _distance(conversation: Conversation, index: int, facts: list[tuple[str, ...]]) -> Iterator[Remark]:
    """The distance leads to a turn that gives one of the facts."""
    distance = conversation.turns[index].distance or 0
    earlier = sorted({at for fact in facts for at in _given_at(conversation, fact) if 0 <= at < index})
    if earlier and index - distance not in earlier:
        told = ", ".join(str(index - at) for at in earlier)
        text = f"distance is {distance}, but what is recalled was given {told} turns back"
        yield Remark(rule="wrong_distance", conversation=conversation.id, turn=index, text=text)


def _references(conversation: Conversation) -> Iterator[Remark]:
    if _REFERS_BACK.search(_plain(conversation.turns[0].text)):
        text = "the first turn refers to something before it, and there is nothing"
        yield Remark(rule="first_turn_link", conversation=conversation.id, turn=0, text=text)
    for index, turn in enumerate(conversation.turns):
        plain = _plain(turn.text)
        below = _BELOW.search(plain)
        if _REFERS_AHEAD.search(plain) or (below and "\n" not in plain[below.end() :].rstrip()):
            text = "refers to what is only said later"
            yield Remark(rule="later_reference", conversation=conversation.id, turn=index, text=text)


def _plain(text: str) -> str:
    """As phrases are matched: folded, Latin letters without accents."""
    return unaccented(fold(text))


def _templates(suite: Suite) -> Iterator[Remark]:
    """Ways of putting a request that come too often, names, numbers and quotations aside."""
    uses: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for conversation in suite.conversations:
        for index, turn in enumerate(conversation.turns):
            uses[_SPACE.sub(" ", _SLOT.sub("_", turn.text)).casefold().strip()].append((conversation.id, index))
    for template, places in uses.items():
        if len(places) > MOST_USES:
            where, index = places[MOST_USES]
            text = f"put in the same way as {len(places) - 1} other turns ({template[:60]!r}); find other words"
            yield Remark(rule="worn_template", conversation=where, turn=index, text=text)


def _near_duplicates(suite: Suite) -> Iterator[Remark]:
    """Turns of different conversations in one language that are nearly the same, by character 4-grams.

    Only turns that share one of a turn's rarest grams are compared: two sets that share at least ``NEAR`` of their union
    must share one of the ``(1 - NEAR) * size + 1`` rarest of either, so the time grows with the suite, not its square.
    """
    turns = [
        (conversation.id, index, language_of(conversation), _grams(turn.text))
        for conversation in suite.conversations
        for index, turn in enumerate(conversation.turns)
        if len(turn.text) >= SHORTEST
    ]
    frequency = Counter(gram for *_, grams in turns for gram in grams)
    holders: defaultdict[tuple[str, str], list[tuple[str, int, frozenset[str]]]] = defaultdict(list)
    for identifier, index, spoken, grams in turns:
        rare = sorted(grams, key=lambda gram: (frequency[gram], gram))[: int((1 - NEAR) * len(grams)) + 1]
        near = (
            other
            for gram in rare
            for other in holders[spoken, gram]
            if other[0] != identifier and len(grams & other[2]) >= NEAR * len(grams | other[2])
        )
        twin = next(near, None)
        if twin is not None:
            text = f"nearly the same as turns[{twin[1]}] of {twin[0]!r}"
            yield Remark(rule="alike_turns", conversation=identifier, turn=index, text=text)
        for gram in rare:
            holders[spoken, gram].append((identifier, index, grams))


def _grams(text: str) -> frozenset[str]:
    plain = _SPACE.sub(" ", fold(text)).strip()
    return frozenset(plain[start : start + GRAM] for start in range(len(plain) - GRAM + 1))


def language_of(conversation: Conversation) -> str:
    """The language that the user writes in; English where it can't be told."""
    found = language("\n".join(turn.text for turn in conversation.turns))
    return "en" if found == UNKNOWN else found
