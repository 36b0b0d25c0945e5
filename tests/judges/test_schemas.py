"""The schema of a verdict: what it asks for, in which order, and that what it allows can be read."""

from __future__ import annotations

import json

import jsonschema
import pytest

from multiturn.errors import UsageError
from multiturn.judges.reading import read_judgment
from multiturn.judges.rubrics import load_rubric
from multiturn.judges.schemas import LONGEST_REASON, schema_for
from multiturn.judgment import READ
from multiturn.rubric import Described, Rubric, Scale
from multiturn.transcript import Reply, Timing

QUALITY = load_rubric("quality")


def changed(scale: Scale, criteria: tuple[Described, ...] = ()) -> Rubric:
    """The shipped rubric with another scale and other criteria."""
    return Rubric(name="r", version="1", mode="rating", scale=scale, criteria=criteria, wording=QUALITY.wording)


def test_a_ratings_schema() -> None:
    """The reason first, then the criteria, then the overall grade; whole numbers; everything required."""
    scale = Scale(lowest=1, highest=5)
    asked = schema_for(changed(scale, (Described(name="correctness", text="Is it right?"),)))
    grade = {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    assert json.loads(asked) == {
        "type": "object",
        "properties": {
            "reason": {"type": "string", "maxLength": LONGEST_REASON},
            "correctness": grade,
            "overall": grade,
        },
        "required": ["reason", "correctness", "overall"],
        "additionalProperties": False,
    }
    assert list(json.loads(asked)["properties"]) == ["reason", "correctness", "overall"]


def test_grades_of_other_scales() -> None:
    """A long scale has ends instead of a list; one that ends between whole numbers has decimals."""
    assert json.loads(schema_for(changed(Scale(lowest=0, highest=1000))))["properties"]["overall"] == {
        "type": "integer",
        "minimum": 0,
        "maximum": 1000,
    }
    assert json.loads(schema_for(changed(Scale(lowest=0, highest=0.5))))["properties"]["overall"] == {
        "type": "number",
        "minimum": 0,
        "maximum": 0.5,
    }


def test_winners_and_labels() -> None:
    """One of three, or one of the rubric's."""
    winner = json.loads(schema_for(load_rubric("preference")))["properties"]
    assert winner["winner"] == {"type": "string", "enum": ["A", "B", "tie"]}
    label = json.loads(schema_for(load_rubric("harm")))["properties"]
    assert label["label"] == {"type": "string", "enum": ["harmful", "harmless"]}
    assert list(winner) == ["reason", "winner"]


@pytest.mark.parametrize("name", ["quality", "quality_de", "preference", "helpfulness", "harmlessness", "harm"])
def test_every_verdict_that_a_schema_allows_can_be_read(name: str) -> None:
    """Each value of each property, in the shipped rubrics."""
    rubric = load_rubric(name)
    schema = json.loads(schema_for(rubric))
    jsonschema.Draft202012Validator.check_schema(schema)
    values = {key: one.get("enum", ['Says "[[1]]".']) for key, one in schema["properties"].items()}
    for at in range(max(map(len, values.values()))):
        verdict = {key: listed[at % len(listed)] for key, listed in values.items()}
        jsonschema.validate(verdict, schema)
        reply = Reply(text=json.dumps(verdict), finish="stop", timing=Timing(total=0))
        read = read_judgment(reply, rubric, schema=True)
        assert isinstance(read, READ)
        assert read.reason == 'Says "[[1]]".'


def test_a_criterion_can_not_be_called_as_the_reason_is() -> None:
    """The judge's reason would stand in its place."""
    with pytest.raises(UsageError, match="criterion called reason"):
        schema_for(changed(Scale(), (Described(name="reason", text="Does it give one?"),)))
