"""Suites in the store: a row for the suite, a row for each conversation; read and written in a caller's transaction."""

from __future__ import annotations

from itertools import islice
from typing import Final

import msgspec
from sqlalchemy import Connection, delete, select, update

from multiturn.codec import decode
from multiturn.conversation import Conversation, Suite
from multiturn.store.rows import to_text
from multiturn.store.schema import CONVERSATIONS, SUITES

_AT_ONCE: Final = 500


def keep_suite(connection: Connection, suite: Suite, digest: str) -> None:
    """Keep a suite; one with the same digest that is there already stays as it is."""
    if connection.execute(select(SUITES.c.digest).where(SUITES.c.digest == digest)).first() is None:
        connection.execute(SUITES.insert(), {"digest": digest, **_head(suite)})
        _keep_conversations(connection, suite, digest)


def renew_suite(connection: Connection, suite: Suite, digest: str) -> None:
    """Keep a suite; where one that asks the same is there, what is expected of the replies becomes this one's.

    Checks are never replaced by none: a conversation without any says nothing of what is expected.
    """
    there = read_suite(connection, digest)
    if there is None:
        keep_suite(connection, suite, digest)
        return
    both = zip(there.conversations, suite.conversations, strict=True)  # what is asked is the same, so is the order
    newest = tuple(old if _has_checks(old) and not _has_checks(new) else new for old, new in both)
    renewed = msgspec.structs.replace(suite, conversations=newest)
    if there != renewed:
        connection.execute(update(SUITES).where(SUITES.c.digest == digest).values(**_head(renewed)))
        connection.execute(delete(CONVERSATIONS).where(CONVERSATIONS.c.suite_digest == digest))
        _keep_conversations(connection, renewed, digest)


def _has_checks(conversation: Conversation) -> bool:
    return any(turn.checks for turn in conversation.turns)


def _head(suite: Suite) -> dict[str, str]:
    return {"name": suite.name, "version": suite.version, "description": suite.description}


def _keep_conversations(connection: Connection, suite: Suite, digest: str) -> None:
    rows = (
        {"suite_digest": digest, "position": position, "record": to_text(conversation)}
        for position, conversation in enumerate(suite.conversations)
    )
    while batch := list(islice(rows, _AT_ONCE)):
        connection.execute(CONVERSATIONS.insert(), batch)


def read_suite(connection: Connection, digest: str) -> Suite | None:
    """The suite with this digest, or None."""
    found = connection.execute(select(SUITES).where(SUITES.c.digest == digest)).mappings().first()
    if found is None:
        return None
    query = (
        select(CONVERSATIONS.c.record)
        .where(CONVERSATIONS.c.suite_digest == digest)
        .order_by(CONVERSATIONS.c.position)
        .execution_options(yield_per=_AT_ONCE)
    )
    conversations = tuple(decode(record, Conversation) for record in connection.execute(query).scalars())
    name, version, description = found["name"], found["version"], found["description"]
    return Suite(name=name, version=version, description=description, conversations=conversations)


def forget_suite(connection: Connection, digest: str) -> None:
    """Take a suite out."""
    connection.execute(delete(CONVERSATIONS).where(CONVERSATIONS.c.suite_digest == digest))
    connection.execute(delete(SUITES).where(SUITES.c.digest == digest))
