"""What stood in the places of a judge's prompt: questions and replies, got back from the filled text. Pure.

A filled prompt can be read in two ways where a reply holds the very marks that stand around it. It is then read from
the front and from the back, and counts only where both agree; what is known already (the question, the first reply)
helps.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from multiturn.fastchat.rows import PairRow, SingleRow
from multiturn.suites.places import Fault

_ANSWER: Final = "[The Start of {who} Answer]\n{{{place}}}\n[The End of {who} Answer]"
_TURN: Final = "### User:\n{{question_{turn}}}\n\n### Assistant {seat}:\n{{answer{of}_{turn}}}\n\n"
_WHOLE: Final = (
    "<|The Start of Assistant {seat}'s Conversation with User|>\n\n{turns}"
    "<|The End of Assistant {seat}'s Conversation with User|>"
)


def _dialogue(seat: str, of: str) -> str:
    turns = "".join(_TURN.format(turn=turn, seat=seat, of=of) for turn in (1, 2))
    return _WHOLE.format(seat=seat, turns=turns)


def _answer(who: str, place: str) -> str:
    return _ANSWER.format(who=who, place=place)


_REFERENCE: Final = _answer("Reference", "ref_answer_1") + "\n\n"
_ONE: Final = _answer("Assistant's", "answer")
_TWO: Final = _answer("Assistant A's", "answer_a") + "\n\n" + _answer("Assistant B's", "answer_b")
MARKS: Final[Mapping[tuple[str, int], tuple[str, ...]]] = {
    ("single", 1): (f"[Question]\n{{question}}\n\n{_REFERENCE}{_ONE}", f"[Question]\n{{question}}\n\n{_ONE}"),
    ("single", 2): (_dialogue("A", ""),),
    ("pair", 1): (f"[User Question]\n{{question}}\n\n{_REFERENCE}{_TWO}", f"[User Question]\n{{question}}\n\n{_TWO}"),
    ("pair", 2): (f"{_dialogue('A', '_a')}\n\n\n{_dialogue('B', '_b')}",),
}
"""How FastChat's prompts mark what is judged, by kind and judged turn; those with a reference first."""


class Recovered(msgspec.Struct, kw_only=True):
    """What was got back: users' texts by (question, turn), replies by (model, question, turn); turns from 1.

    ``notes`` say which rows gave nothing, or something else than a row before.
    """

    users: dict[tuple[str, int], str] = {}
    replies: dict[tuple[str, str, int], str] = {}
    notes: list[Fault] = []


def recover(rows: Iterable[SingleRow | PairRow], templates: Mapping[str, str], known: Recovered) -> None:
    """Add to ``known`` what stands in the prompts of these rows.

    Args:
        rows: of one file; those without a prompt are passed over.
        templates: FastChat's prompts by name, where its file is at hand; else its marks are looked for.
        known: what is known already: it helps, and stays.
    """
    for row in sorted(rows, key=lambda row: row.turn):  # a first turn's reply helps to read the second's prompt
        if isinstance(row, SingleRow):
            seated = [(row.user_prompt, {"": row.model})]
        else:
            one, other = row.models
            seated = list(zip(row.user_prompts, ({"_a": one, "_b": other}, {"_a": other, "_b": one}), strict=True))
        for prompt, seats in seated:
            if prompt:
                _recover_one(row, prompt, seats, templates, known)


def unfill(template: str, text: str, known: Mapping[str, str]) -> dict[str, str] | None:
    """The values of a template's places in a text that it was filled to, or that ends with it filled.

    Returns:
        None where the text is not this template, or can be read in two ways.
    """
    literals, names = _pieces(template, known)
    start = text.find(literals[0])
    if start < 0 or not text.endswith(literals[-1]):
        return None
    if not names:
        return {} if text[start:] == literals[0] else None
    begin, end = start + len(literals[0]), len(text) - len(literals[-1])
    front, back = _from_front(text, literals, begin, end), _from_back(text, literals, begin, end)
    if front is None or front != back:
        return None
    values: dict[str, str] = {}
    for name, value in zip(names, front, strict=True):
        if values.setdefault(name, value) != value:
            return None
    return values


def _recover_one(
    row: SingleRow | PairRow, prompt: str, seats: Mapping[str, str], templates: Mapping[str, str], known: Recovered
) -> None:
    kind = "single" if isinstance(row, SingleRow) else "pair"
    own = templates.get(row.prompt_name)
    candidates = (own,) if own is not None else MARKS.get((kind, row.turn), ())
    places: dict[str, tuple[str, int]] = {}
    for turn in range(1, row.turn + 1):
        ending = "" if row.turn == 1 else f"_{turn}"
        places[f"question{ending}"] = ("", turn)
        places |= {f"answer{seat}{ending}": (model, turn) for seat, model in seats.items()}
    values = _values(candidates, prompt, dict(_hints(row.question, places, known)))
    if values is None:
        text = "its prompt can't be read back (another template, or a reply that holds the template's own marks)"
        known.notes.append(Fault(line=row.line, path="", text=text))
        return
    for place, (model, turn) in places.items():
        if place not in values:
            continue
        if model:
            before = known.replies.setdefault((model, row.question, turn), values[place])
        else:
            before = known.users.setdefault((row.question, turn), values[place])
        if before != values[place]:
            what = f"the reply of {model}" if model else "the user's text"
            text = f"question {row.question}, turn {turn}: {what} is another than in a row before; that one is kept"
            known.notes.append(Fault(line=row.line, path="", text=text))


def _hints(question: str, places: Mapping[str, tuple[str, int]], known: Recovered) -> Iterator[tuple[str, str]]:
    """What is known already of the values of these places."""
    for place, (model, turn) in places.items():
        value = known.replies.get((model, question, turn)) if model else known.users.get((question, turn))
        if value is not None:
            yield place, value


def _values(candidates: Sequence[str], prompt: str, hints: Mapping[str, str]) -> dict[str, str] | None:
    """The values that the first fitting template gives: with what is known put in, else without."""
    nothing: Mapping[str, str] = {}
    for known in (hints, nothing):
        for candidate in candidates:
            values = unfill(candidate, prompt, known)
            if values is not None:
                return {**known, **values}
    return None


def _pieces(template: str, known: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The fixed texts of a template, known values among them, and the places between them."""
    literals, names = [""], list[str]()
    for literal, name, _, _ in string.Formatter().parse(template):
        literals[-1] += literal
        if name is not None and name in known:
            literals[-1] += known[name]
        elif name is not None:
            names.append(name)
            literals.append("")
    return literals, names


def _from_front(text: str, literals: Sequence[str], begin: int, end: int) -> list[str] | None:
    values: list[str] = []
    at = begin
    for literal in literals[1:-1]:
        found = text.find(literal, at, end)
        if found < 0:
            return None
        values.append(text[at:found])
        at = found + len(literal)
    return [*values, text[at:end]] if at <= end else None


def _from_back(text: str, literals: Sequence[str], begin: int, end: int) -> list[str] | None:
    values: list[str] = []
    at = end
    for literal in reversed(literals[1:-1]):
        found = text.rfind(literal, begin, at)
        if found < 0:
            return None
        values.append(text[found + len(literal) : at])
        at = found
    return [*values, text[begin:at]][::-1] if begin <= at else None
