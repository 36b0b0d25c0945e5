"""Which runs may be compared: what may differ, what must be declared, and what a reader is told."""

from __future__ import annotations

import msgspec
import pytest

from multiturn.comparable import refuse_if_different
from multiturn.conditions import Conditions
from multiturn.engines.chat_template import PLAIN_SHA256
from multiturn.errors import ConditionsDiffer, UsageError
from multiturn.transcript import Sampling

CONDITIONS = Conditions(
    suite_digest="d1",
    sampling=Sampling(),
    samples=1,
    history="self",
    overflow="stop",
    context_window=512,
    system=None,
    template="model",
    reproducible=True,
    identity={"weights": "w1", "version": "9"},
)


OTHER_MODEL = {"weights": "w2", "version": "9", "adapter": "a"}


def test_another_model_is_what_a_comparison_is_about() -> None:
    tuned = msgspec.structs.replace(CONDITIONS, identity=OTHER_MODEL)
    assert refuse_if_different(CONDITIONS, tuned) == ()


def test_every_other_difference_is_listed_with_both_values_and_what_to_type() -> None:
    changed = msgspec.structs.replace(
        CONDITIONS,
        sampling=Sampling(temperature=0.0),
        system="Be brief. " * 20,
        identity=OTHER_MODEL | {"version": "10"},
    )
    with pytest.raises(ConditionsDiffer) as caught:
        refuse_if_different(CONDITIONS, changed)
    assert "sampling.temperature: 0.7 / 0.0" in caught.value.message
    assert "identity.version: '9' / '10'" in caught.value.message
    assert "system_prompt: None / 'Be brief. Be brief." in caught.value.message
    assert "(202 characters)" in caught.value.message
    assert "--vary identity.version --vary sampling.temperature --vary system_prompt" in caught.value.hint


def test_a_declared_difference_is_allowed_and_noted() -> None:
    tuned = msgspec.structs.replace(CONDITIONS, system="Be brief.")
    noted = refuse_if_different(CONDITIONS, tuned, ["system_prompt", "samples"])
    assert noted == ("differs as declared: system_prompt: None / 'Be brief.'",)


def test_another_suite_is_never_compared_with() -> None:
    tuned = msgspec.structs.replace(CONDITIONS, suite_digest="d2")
    with pytest.raises(ConditionsDiffer, match="same suite"):
        refuse_if_different(CONDITIONS, tuned)
    with pytest.raises(UsageError, match="can't be varied"):
        refuse_if_different(CONDITIONS, tuned, ["suite_digest"])


@pytest.mark.parametrize(
    ("name", "hint"), [("sytem", "system_prompt"), ("temperature", "sampling.temperature"), ("zzz", "one of: ")]
)
def test_a_name_that_is_no_condition_gets_a_suggestion(name: str, hint: str) -> None:
    with pytest.raises(UsageError, match="no condition is called") as caught:
        refuse_if_different(CONDITIONS, CONDITIONS, [name])
    assert hint in caught.value.hint


def with_template(template: str, **identity: str) -> Conditions:
    return msgspec.structs.replace(CONDITIONS, identity={"weights": "w", "template": template} | identity)


def test_templates_that_differ_are_told_and_not_refused() -> None:
    """Each model with its own is how most fine-tunes are used; a reader must know."""
    (note,) = refuse_if_different(with_template("a"), with_template("b", stop_tokens="x"))
    assert note.startswith("warning: base and tuned have different chat templates")
    assert "--template from:MODEL, with base's spec" in note


def test_a_tune_that_lost_its_template_is_told() -> None:
    """Its folder was saved without the tokenizer's template: it is asked in another form than the base."""
    (note,) = refuse_if_different(with_template("a"), with_template(PLAIN_SHA256))
    assert "tuned has no chat template and base has one" in note
    assert "--template from:MODEL, with base's spec" in note
    (other,) = refuse_if_different(with_template(PLAIN_SHA256), with_template("a"))
    assert "base has no chat template and tuned has one" in other
    assert "with tuned's spec" in other


def test_stops_that_differ_alone_are_told() -> None:
    (note,) = refuse_if_different(with_template("a", stop_tokens="x"), with_template("a", stop_tokens="y"))
    assert "end their replies at different tokens" in note


def test_templates_that_were_asked_for_and_differ_are_refused() -> None:
    """Then it is no property of the model."""
    changed = msgspec.structs.replace(with_template("b"), template="other.jinja")
    with pytest.raises(ConditionsDiffer):
        refuse_if_different(with_template("a"), changed)
    both = [msgspec.structs.replace(with_template(name), template="same.jinja") for name in ("a", "b")]
    with pytest.raises(ConditionsDiffer):
        refuse_if_different(both[0], both[1])
