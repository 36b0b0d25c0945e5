"""A part of a suite: some of its conversations, in the suite's own order. Pure."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import msgspec

from multiturn.errors import NotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multiturn.conversation import Suite


def select(suite: Suite, *, only: Sequence[str] = (), limit: int | None = None) -> Suite:
    """The conversations with the ids in ``only`` (all, if there are none), of these the first ``limit``.

    The order is the suite's, whatever the order of ``only``; an id given twice counts once. Name, version and
    description stay; the digest tells a part from the whole.

    Raises:
        NotFound: the suite has no conversation of that id; all such ids are told.
        UsageError: the limit is below 1, or ``only`` names nothing.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"the limit is {limit}: no conversation is left", hint="give a limit of 1 or more, or none")
    if only and not any(identifier.strip() for identifier in only):
        raise UsageError("no conversation is named", hint="name the ids to hold, or none for the whole suite")
    wanted = set(only)
    unknown = wanted - {conversation.id for conversation in suite.conversations}
    if unknown:
        raise _not_found(suite, [identifier for identifier in dict.fromkeys(only) if identifier in unknown])
    kept = [conversation for conversation in suite.conversations if not only or conversation.id in wanted]
    return msgspec.structs.replace(suite, conversations=tuple(kept[:limit]))


def _not_found(suite: Suite, unknown: Sequence[str]) -> NotFound:
    ids = [conversation.id for conversation in suite.conversations]
    folded = {identifier.casefold(): identifier for identifier in reversed(ids)}
    hints = []
    for identifier in unknown:
        near = difflib.get_close_matches(identifier.casefold(), folded, n=3)
        if near:
            hints.append(f"for {identifier!r} there is {', '.join(repr(folded[one]) for one in near)}")
    names = ", ".join(repr(identifier) for identifier in unknown)
    return NotFound(
        f"the suite {suite.name!r} has no conversation {names}",
        hint="; ".join(hints) or f"its {len(ids)} conversations begin with {', '.join(repr(one) for one in ids[:5])}",
    )
