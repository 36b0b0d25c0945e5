"""Judges' cards in the store: one for each check of each judge."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, Engine, select, text
from sqlalchemy.exc import IntegrityError

from multiturn.codec import decode
from multiturn.errors import StoreError
from multiturn.judge_card import Card
from multiturn.store.rows import card_row
from multiturn.store.schema import CARDS
from multiturn.store.transactions import reading, writing

_KEEP: Final = text(
    """INSERT INTO cards (id, judge_id, created, record) VALUES (:id, :judge_id, :created, :record)
    ON CONFLICT DO NOTHING"""
)


class Cards:
    """What self-checks of judges found."""

    def __init__(self, engine: Engine, where: str) -> None:
        self._engine: Final = engine
        self._where: Final = where

    def keep(self, card: Card) -> str:
        """Keep a card; of one check the first stays. Returns its id.

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


def insert_card(connection: Connection, card: Card) -> None:
    """Keep a card; one that is there already stays."""
    connection.execute(_KEEP, card_row(card))
