"""What lint says: a remark, its rule, and where."""

from __future__ import annotations

from typing import Literal

import msgspec

Rule = Literal[
    "required_field",
    "one_turn",
    "long_turn",
    "first_turn_link",
    "later_reference",
    "partial_golden",
    "alike_conversations",
    "alike_turns",
    "worn_template",
    "uncovered_capability",
    "no_positive_check",
    "undocumented_probe",
    "answer_given",
    "fact_never_given",
    "wrong_distance",
    "quota",
]


class Remark(msgspec.Struct, frozen=True, kw_only=True):
    """What could be better, and where: a conversation's id ("" for the suite) and, if it is about one, its turn."""

    rule: Rule
    conversation: str
    turn: int | None = None
    text: str

    def __str__(self) -> str:
        turn = "" if self.turn is None else f" turns[{self.turn}]"
        return f"{self.conversation or 'suite'}{turn}: {self.text}"
