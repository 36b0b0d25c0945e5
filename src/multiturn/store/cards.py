"""Judges' cards in the store, one for each check of each judge, and the answers of checks, each kept as it comes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import Connection, Engine, select, text
from sqlalchemy.exc import IntegrityError

from multiturn.codec import decode
from multiturn.errors import StoreError
from multiturn.judge_card import Card
from multiturn.judgment import Judged
from multiturn.store.rows import card_row, to_text
from multiturn.store.schema import CARDS, PROBE_ANSWERS
from multiturn.store.transactions import reading, writing

_KEYS_AT_ONCE: Final = 200

_KEEP: Final = text(
    """INSERT INTO cards (id, judge_id, created, record) VALUES (:id, :judge_id, :created, :record)
    ON CONFLICT (id) DO UPDATE SET created = excluded.created, record = excluded.record"""
)
_KEEP_ANSWER: Final = text(
    """INSERT INTO probe_answers (key, record) VALUES (:key, :record)
    ON CONFLICT (key) DO UPDATE SET record = excluded.record"""
)


class Cards:
    """What self-checks of judges found."""

    def __init__(self, engine: Engine, where: str) -> None:
        self._engine: Final = engine
        self._where: Final = where

    def keep(self, card: Card) -> str:
        """Keep a card; of one check the one that rests on more answers stays, of equals the first. Returns its id.

        Raises:
            StoreError: its judge is not in the store.
        """
        try:
            with writing(self._engine, self._where) as connection:
                insert_card(connection, card)
        except IntegrityError:
            raise StoreError(
                f"the judge of card {card.id} is not in {self._where}", hint="keep the judge first: keep_judge"
            ) from None
        return card.id

    def find(self, judge: str, probes: str) -> Card | None:
        """What a judge (its id) made of these probes (:attr:`Card.probes`); None where it was not asked them."""
        return next((one for one in self.of_judge(judge) if one.probes == probes), None)

    def standing(self, judge: str) -> Card | None:
        """The card that counts for a judge (its id): of most questions, the newest of those; None without a card."""
        return max(self.of_judge(judge), key=lambda card: (card.asked, card.created), default=None)

    def of_judge(self, judge: str) -> tuple[Card, ...]:
        """The cards of a judge (its id), newest first."""
        query = select(CARDS.c.record).where(CARDS.c.judge_id == judge).order_by(CARDS.c.created.desc(), CARDS.c.id)
        with reading(self._engine, self._where) as connection:
            records = connection.execute(query).scalars().all()
        return tuple(decode(record, Card) for record in records)

    def keep_answers(self, answers: Iterable[Judged]) -> None:
        """Keep what a judge said in a check, by its key, in one transaction; a later answer takes the place."""
        rows = [{"key": one.key, "record": to_text(one)} for one in answers]
        if rows:
            with writing(self._engine, self._where) as connection:
                connection.execute(_KEEP_ANSWER, rows)

    def answers(self, keys: Sequence[str]) -> dict[str, Judged]:
        """What was said in checks, by key; keys that nothing was said to are absent."""
        found: dict[str, Judged] = {}
        with reading(self._engine, self._where) as connection:
            for start in range(0, len(keys), _KEYS_AT_ONCE):
                wanted = PROBE_ANSWERS.c.key.in_(keys[start : start + _KEYS_AT_ONCE])
                rows = connection.execute(select(PROBE_ANSWERS.c.key, PROBE_ANSWERS.c.record).where(wanted))
                found |= {key: decode(record, Judged) for key, record in rows}
        return found


def insert_card(connection: Connection, card: Card) -> None:
    """Keep a card, unless there is one of the same check that rests on as many answers."""
    there = connection.execute(select(CARDS.c.record).where(CARDS.c.id == card.id)).scalar_one_or_none()
    if there is None or _answers(decode(there, Card)) < _answers(card):
        connection.execute(_KEEP, card_row(card))


def _answers(card: Card) -> int:
    return card.asked - card.failed
