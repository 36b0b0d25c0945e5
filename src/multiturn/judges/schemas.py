"""The JSON Schema that binds a judge's reply under a rubric. Pure.

The reason stands first, so that a judge thinks before it grades, and the overall grade after those that it sums up.
What is used of JSON Schema is little: llama.cpp's grammars know it, OpenAI's strict mode allows it (and wants every
property required and no others). Grades are listed one by one, since some servers know no ``minimum``.
"""

from __future__ import annotations

from typing import Final

import msgspec

from multiturn.errors import UsageError
from multiturn.rubric import OVERALL, Rubric, Scale

REASON: Final = "reason"
WINNER: Final = "winner"
LABEL: Final = "label"
"""What a judge's reason, the better reply and the word for a reply are called."""

SEATS: Final = ("A", "B", "tie")
"""What ``winner`` may be: the reply that is shown first, the other one, or neither."""

LONGEST_REASON: Final = 600
"""In characters: a model that repeats itself comes to its verdict before it runs out of tokens."""

_MOST_LISTED: Final = 101


class _Property(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one property may be."""

    type: str
    enum: tuple[str | int, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    maxLength: int | None = None  # noqa: N815 - JSON Schema's name


class _Object(msgspec.Struct, frozen=True):
    """A schema of an object whose properties are all there, in this order."""

    properties: dict[str, _Property]
    required: tuple[str, ...]
    type: str = "object"
    additionalProperties: bool = False  # noqa: N815 - JSON Schema's name


def schema_for(rubric: Rubric) -> str:
    """The schema of a verdict under this rubric, as JSON: ``Request.json_schema``.

    ``reason`` is text; then, by mode: each criterion and ``overall`` as grades, ``winner`` as A, B or tie, or ``label``
    as one of the labels. Grades are whole numbers where both ends of the scale are.

    Raises:
        UsageError: a criterion has the name of the reason.
    """
    properties = {REASON: _Property("string", maxLength=LONGEST_REASON)}
    if rubric.mode == "preference":
        properties[WINNER] = _Property("string", enum=SEATS)
    elif rubric.mode == "label":
        properties[LABEL] = _Property("string", enum=tuple(one.name for one in rubric.labels))
    else:
        grade = _grade(rubric.scale or Scale())
        names = [one.name for one in rubric.criteria]
        if REASON in names:
            raise UsageError(
                f"rubric {rubric.name} has a criterion called {REASON}, which is what the judge's reason is called",
                hint="give the criterion another name",
            )
        properties |= dict.fromkeys([*names, OVERALL], grade)
    return msgspec.json.encode(_Object(properties, required=tuple(properties))).decode()


def _grade(scale: Scale) -> _Property:
    if not all(float(end).is_integer() for end in (scale.lowest, scale.highest)):  # an int may stand for a float
        return _Property("number", minimum=scale.lowest, maximum=scale.highest)
    grades = range(int(scale.lowest), int(scale.highest) + 1)
    if len(grades) <= _MOST_LISTED:
        return _Property("integer", enum=tuple(grades))
    return _Property("integer", minimum=grades[0], maximum=grades[-1])
