"""What tags say in words, for filters and for what stands in force. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.report.numbers import label_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multiturn.report.page.facets import Tag
    from multiturn.report.page.shown import ShownArm

_RAISED: Final = {
    "collapse": "ends in a loop",
    "cut_off": "cut off at the limit",
    "empty": "empty reply",
    "language_change": "changes language",
    "refusal": "refusal",
    "role_leakage": "speaks for someone else",
}

_SAID: Final = {
    ("check", "fail"): "a check fails",
    ("check", "pass"): "a check passes",
    ("fluent", "wrong"): "fluent but wrong",
    ("grade", "high"): "rated 8 or more",
    ("grade", "low"): "rated 4 or less",
    ("grade", "middle"): "rated in between",
    ("grade", "none"): "not rated by all judges",
    ("missing", "yes"): "missing",
    ("refusal", "any"): "any refusal",
    ("refusal", "expected"): "expected refusal",
    ("refusal", "full"): "full refusal",
    ("refusal", "missing"): "no refusal, though one is right",
    ("refusal", "none"): "no refusal",
    ("refusal", "partial"): "partial refusal",
    ("refusal", "unexpected"): "unexpected refusal",
    ("status", "empty"): "empty reply",
    ("status", "failed"): "failed",
    ("status", "filtered"): "withheld by a filter",
    ("status", "length"): "cut off at the limit",
    ("status", "not_held"): "not held",
    ("status", "not_reached"): "not reached",
    ("status", "ok"): "ended by itself",
    ("status", "overflowed"): "out of the context window",
    ("flag", "control_tokens"): "wrote control tokens",
    ("flag", "dropped_turns"): "oldest turns left out of the prompt",
    ("flag", "fallback_template"): "model without a chat template",
    ("flag", "prompt_echo"): "began with its own prompt",
    ("flag", "reasoning_unfinished"): "ended inside its reasoning",
    ("flag", "reencoded"): "history turned into tokens again",
    ("flag", "replay_differs"): "came out otherwise when held again",
    ("flag", "role_echo"): "began with a role label",
    ("flag", "run_on"): "went on as the user",
    ("flag", "stop_ignored"): "went on past a stop string",
    ("flag", "system_folded"): "system prompt put into the first turn",
    **{("raised", name): words for name, words in _RAISED.items()},
    **{("moved", name): f"{words}, in one arm only" for name, words in _RAISED.items()},
}
"""By key (without the arm) and value."""

_PREFERRED: Final = {"preferred": "", "preferred_whole": ", the whole conversation"}
"""Keys whose values are arms that a judge prefers, and of what."""

_NAMED: Final = frozenset({"capability", "category", "domain", "pattern", "language"})
"""Keys whose values say little by themselves."""


def of_arm(tag: Tag) -> tuple[str, str]:
    """The arm that a tag is about, "" where it is about none, and its key without the arm."""
    arm, _, key = tag[0].rpartition(".")
    return arm, key


def short_words(tag: Tag, arms: Sequence[ShownArm]) -> str:
    """A tag without its arm, where its kind is told beside it: ``correction``, ``unexpected refusal``."""
    _, key = of_arm(tag)
    value = tag[1]
    if key == "flip":
        first, other = arms[0].name, arms[1].name if len(arms) == 2 else "another"  # noqa: PLR2004 - a pair
        return f"{first} passes, {other} fails" if value == "lost" else f"{first} fails, {other} passes"
    if key in _PREFERRED:
        told = "sees a tie" if value == "tie" else f"prefers {value}"
        return f"a judge {told}{_PREFERRED[key]}"
    if key == "turn":
        return f"turn {value}"
    if key == "distance":
        far, more = value.removesuffix("+"), " or more" if value.endswith("+") else ""
        return f"reaches back {far}{more} {'turn' if value == '1' else 'turns'}"
    return _SAID.get((key, value), label_of(value))


def option_words(tag: Tag, arms: Sequence[ShownArm]) -> str:
    """A tag where its filter is told beside it: ``correction``, ``tuned: unexpected refusal``."""
    arm, _ = of_arm(tag)
    said = short_words(tag, arms)
    return f"{arm}: {said}" if arm and len(arms) > 1 else said


def words(tag: Tag, arms: Sequence[ShownArm]) -> str:
    """A tag by itself: ``capability: correction``, ``tuned: unexpected refusal``, ``turn 3``."""
    _, key = of_arm(tag)
    about = key if key in _NAMED else "check" if key == "flip" else ""
    said = option_words(tag, arms)
    return f"{about}: {said}" if about else said
