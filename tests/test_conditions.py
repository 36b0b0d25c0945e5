"""Conditions: equal fingerprints where one run can stand for another, and differences by name where not."""

from __future__ import annotations

import msgspec
import pytest

from multiturn.codec import decode, encode
from multiturn.conditions import MODEL_KEYS, Arm, Conditions, Planned, RunRecord, differences, flatten
from multiturn.transcript import Sampling

CONDITIONS = Conditions(
    suite_digest="abc",
    sampling=Sampling(),
    samples=1,
    history="self",
    overflow="stop",
    context_window=4096,
    system=None,
    template="model",
    reproducible=True,
    identity={"weights": "w", "engine": "scripted"},
)
OTHERS = {
    "suite_digest": "abd",
    "samples": 2,
    "history": "golden",
    "overflow": "drop-oldest",
    "context_window": None,
    "system": "",
    "template": "plain",
    "reproducible": False,
    "think": "keep",
}
OTHER_SAMPLING = {
    "temperature": 0.8,
    "top_p": 1.0,
    "top_k": 40,
    "min_p": 0.1,
    "repeat_penalty": 1.1,
    "presence_penalty": 0.1,
    "frequency_penalty": 0.1,
    "max_tokens": 221,
    "reasoning_tokens": 1,
    "stop": ("\n",),
    "seed": 1,
}


def changed(**fields: object) -> Conditions:
    return msgspec.structs.replace(CONDITIONS, **fields)


@pytest.mark.parametrize(("name", "value"), OTHERS.items())
def test_every_condition_counts(name: str, value: object) -> None:
    """Another value of any condition is another fingerprint, and a difference that is named with both values."""
    other = changed(**{name: value})
    assert other.fingerprint != CONDITIONS.fingerprint
    assert differences(CONDITIONS, other) == {name: (getattr(CONDITIONS, name), value)}


@pytest.mark.parametrize(("name", "value"), OTHER_SAMPLING.items())
def test_every_field_of_sampling_counts(name: str, value: object) -> None:
    other = changed(sampling=msgspec.structs.replace(Sampling(), **{name: value}))
    assert other.fingerprint != CONDITIONS.fingerprint
    assert differences(CONDITIONS, other) == {f"sampling.{name}": (getattr(Sampling(), name), value)}


def test_no_condition_is_forgotten_here() -> None:
    """A field that is added must be added to these tests."""
    elsewhere = {"by_category"}  # tests/test_temperatures.py
    assert {*OTHERS, *elsewhere, "sampling", "identity"} == set(Conditions.__struct_fields__)
    assert set(OTHER_SAMPLING) == set(Sampling.__struct_fields__)


def test_the_order_of_the_identity_does_not_count() -> None:
    """Identity keys are named one by one; a key that one side lacks is a difference from None."""
    assert changed(identity={"engine": "scripted", "weights": "w"}).fingerprint == CONDITIONS.fingerprint
    other = changed(identity={"weights": "v", "engine": "scripted", "adapter": "a"})
    assert differences(CONDITIONS, other) == {"identity.adapter": (None, "a"), "identity.weights": ("w", "v")}
    assert {"weights", "adapter", "replies"} == MODEL_KEYS


def test_equal_conditions_have_equal_fingerprints_however_a_number_was_written() -> None:
    """``temperature=0`` and ``temperature=0.0`` are one condition: nothing differs, so one run stands for the other."""
    whole = changed(sampling=Sampling(temperature=0, top_p=1))
    broken = changed(sampling=Sampling(temperature=0.0, top_p=1.0))
    assert differences(whole, broken) == {}
    assert whole.fingerprint == broken.fingerprint


def test_a_fingerprint_outlasts_being_stored() -> None:
    """Written and read again, conditions have the fingerprint that they had."""
    for conditions in (CONDITIONS, changed(sampling=Sampling(temperature=0, stop=("a", "b")), system="")):
        assert decode(encode(conditions), Conditions).fingerprint == conditions.fingerprint


def test_a_fingerprint_is_stable() -> None:
    """It is kept in stores: another one would make every stored run unfindable."""
    assert CONDITIONS.fingerprint == "0f6b87cad0ecc2ac4f3a2a817736972f17eb3056418d88672b67f55a9a9a5046"


def test_flatten_is_flat() -> None:
    """One name for each condition, and no table inside."""
    table = flatten(CONDITIONS)
    assert table["sampling.temperature"] == 0.7
    assert table["identity.engine"] == "scripted"
    assert not any(isinstance(value, dict | msgspec.Struct) for value in table.values())
    assert len(table) == len(OTHERS) + len(OTHER_SAMPLING) + 2


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [("spec", " ", "model spec is empty"), ("template", " ", "template must be model, plain, a file or from:MODEL")],
)
def test_an_arm_that_makes_no_sense_is_not_made(field: str, value: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        msgspec.convert({"spec": "scripted:echo"} | {field: value}, Arm)


def test_a_run_without_samples_or_id_is_not_made() -> None:
    with pytest.raises(ValueError, match="samples must be 1 or more"):
        changed(samples=0)
    with pytest.raises(ValueError, match="a run needs an id"):
        RunRecord(
            id="",
            created="2026-01-01T00:00:00+00:00",
            arm=Arm(spec="scripted:echo"),
            suite_name="s",
            suite_version="1",
            conversations=1,
            turns=1,
            conditions=CONDITIONS,
            versions={},
        )


def test_what_is_planned_is_an_arm_under_its_conditions() -> None:
    """As a run's record has them, before there is one; the system prompt is stored as a text, under its old name."""
    planned = Planned(arm=Arm(spec="scripted:echo", system="Hi"), conditions=changed(system="Hi"))
    assert flatten(planned.conditions)["system"] == "Hi"
    assert "system_prompt" not in flatten(planned.conditions)
    assert decode(encode(planned.conditions), Conditions) == planned.conditions
