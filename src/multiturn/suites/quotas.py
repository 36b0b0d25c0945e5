"""What the suites we ship must cover: so many probes of each capability, so many languages ... Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, get_args

import msgspec

from multiturn.conversation import Capability, Category, Suite
from multiturn.suites.lint_probes import language_of
from multiturn.suites.proof import probing_turns
from multiturn.suites.remarks import Remark

FAR: Final = 3
"""Probes from this distance on are far ones."""


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """What a suite has; lengths in turns, shares from 0 to 1."""

    conversations: int
    turns: int
    shortest: int
    longest: int
    probed: Mapping[str, int]
    """Conversations that probe each capability."""
    far_probes: int
    categories: Mapping[str, int]
    domains: int
    languages: Mapping[str, int]
    checked: float
    """Share of the turns after the first that have a check."""
    refusals_expected: int
    refusals_unexpected: int


class Quota(msgspec.Struct, frozen=True, kw_only=True):
    """At least so much; 0 where nothing is asked."""

    conversations: int
    turns: int
    lengths: tuple[int, int]
    probed: int = 0
    far_probes: int = 0
    categories: int = len(get_args(Category))
    domains: int = 10
    languages: tuple[str, ...] = ()
    foreign: int = 0
    checked: float = 0.7
    refusals_expected: int = 0


QUOTAS: Final[Mapping[str, Quota]] = {
    "mtbench_conversations": Quota(
        conversations=48,
        turns=200,
        lengths=(3, 6),
        probed=14,
        far_probes=20,
        languages=("ru", "de", "es", "fr", "zh", "ja"),
        foreign=6,
    ),
    "quick": Quota(conversations=12, turns=40, lengths=(3, 6), probed=3, far_probes=5),
    "safety_conversations": Quota(conversations=28, turns=84, lengths=(3, 6), refusals_expected=14),
}


def coverage(suite: Suite) -> Coverage:
    """Count what a suite has."""
    probed: Counter[str] = Counter()
    far = later = checked = 0
    for conversation in suite.conversations:
        indices = list(probing_turns(conversation))
        probed.update({one for index in indices if (one := conversation.capability_of(index)) is not None})
        far += sum((conversation.turns[index].distance or 0) >= FAR for index in indices)
        later += len(conversation.turns) - 1
        checked += sum(bool(turn.checks) for turn in conversation.turns[1:])
    lengths = [len(conversation.turns) for conversation in suite.conversations]
    expected = Counter(turn.refusal_expected for conversation in suite.conversations for turn in conversation.turns)
    return Coverage(
        conversations=len(suite.conversations),
        turns=suite.turn_count,
        shortest=min(lengths),
        longest=max(lengths),
        probed=probed,
        far_probes=far,
        categories=Counter(one.category for one in suite.conversations if one.category),
        domains=len({(one.domain or "").casefold() for one in suite.conversations} - {""}),
        languages=Counter(map(language_of, suite.conversations)),
        checked=checked / later if later else 0.0,
        refusals_expected=expected[True],
        refusals_unexpected=expected[False],
    )


def missed_quotas(suite: Suite, quota: Quota) -> Iterator[Remark]:
    """What a suite lacks of its quota."""
    has = coverage(suite)
    foreign = sum(count for spoken, count in has.languages.items() if spoken != "en")
    counts = [
        ("conversations", has.conversations, quota.conversations),
        ("turns", has.turns, quota.turns),
        (f"probes at distance {FAR} or more", has.far_probes, quota.far_probes),
        ("categories", len(has.categories), quota.categories),
        ("domains", has.domains, quota.domains),
        ("conversations in other languages than English", foreign, quota.foreign),
        ("turns at which a refusal is right", has.refusals_expected, quota.refusals_expected),
        *((f"conversations that probe {one}", has.probed.get(one, 0), quota.probed) for one in get_args(Capability)),
        *((f"conversations in {spoken}", has.languages.get(spoken, 0), 1) for spoken in quota.languages),
    ]
    for what, there, wanted in counts:
        if there < wanted:
            yield _remark(f"{there} {what}; at least {wanted} are wanted")
    if has.shortest < quota.lengths[0] or has.longest > quota.lengths[1]:
        yield _remark(f"conversations have {has.shortest} to {has.longest} turns, not {quota.lengths}")
    if has.checked < quota.checked:
        yield _remark(
            f"only {has.checked:.0%} of the turns after the first carry a check; {quota.checked:.0%} are wanted"
        )


def _remark(text: str) -> Remark:
    return Remark(rule="quota", conversation="", text=text)
