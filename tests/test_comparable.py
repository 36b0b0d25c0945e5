"""Which runs may be compared: what may differ, what must be declared, and what a reader is told."""

from __future__ import annotations

import msgspec
import pytest

from multiturn.comparable import comparison_notes, refuse_if_different, same_arm
from multiturn.conditions import Arm, Conditions, Planned, RunRecord
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


# System prompts


@pytest.mark.parametrize("name", ["system_prompt", "system"])
def test_a_system_prompt_is_declared_by_either_name(name: str) -> None:
    """And shown by the fuller one."""
    tuned = msgspec.structs.replace(CONDITIONS, system="Hi")
    assert refuse_if_different(CONDITIONS, tuned, [name]) == ("differs as declared: system_prompt: None / 'Hi'",)


def test_two_prompts_that_are_not_declared_are_told_as_what_they_are() -> None:
    """The only difference: what is compared are two prompts, and that has to be said."""
    tuned = msgspec.structs.replace(CONDITIONS, system="Hi")
    with pytest.raises(
        ConditionsDiffer, match="have different system prompts:\n  system_prompt: None / 'Hi'"
    ) as caught:
        refuse_if_different(CONDITIONS, tuned)
    assert "two prompts are what you compare: --vary system_prompt" in caught.value.hint
    both = msgspec.structs.replace(tuned, samples=2)
    with pytest.raises(ConditionsDiffer, match="differ in more than the model") as caught:
        refuse_if_different(CONDITIONS, both)
    assert "--vary samples --vary system_prompt" in caught.value.hint


@pytest.mark.parametrize(
    ("base", "tuned", "shown"),
    [
        ("a" * 70 + "b", "a" * 70 + "c", f"...'{'a' * 20}b' (71 characters) / ...'{'a' * 20}c' (71 characters)"),
        (
            "a" * 70,
            "a" * 70 + "c" * 90,
            f"...'{'a' * 20}' (70 characters) / ...'{'a' * 20}{'c' * 59}... (160 characters)",
        ),
        ("a" * 60 + "b", "a" * 60 + "c", f"'{'a' * 60}b' / '{'a' * 60}c'"),
    ],
)
def test_long_prompts_that_begin_alike_are_shown_where_they_part(base: str, tuned: str, shown: str) -> None:
    """The beginning would show two texts that look the same."""
    arms = [msgspec.structs.replace(CONDITIONS, system=text) for text in (base, tuned)]
    (note,) = refuse_if_different(arms[0], arms[1], ["system_prompt"])
    assert note == f"differs as declared: system_prompt: {shown}"


# One model against itself


def planned(spec: str = "scripted:echo", /, **changed: object) -> Planned:
    return Planned(arm=Arm(spec=spec), conditions=msgspec.structs.replace(CONDITIONS, **changed))


def stored(name: str, spec: str = "scripted:echo", /, **changed: object) -> RunRecord:
    side = planned(spec, **changed)
    return RunRecord(
        id=name,
        created="2026-01-01T00:00:00+00:00",
        arm=side.arm,
        suite_name="s",
        suite_version="1",
        conversations=1,
        turns=1,
        conditions=side.conditions,
        versions={},
    )


SEED_1 = Sampling(seed=1)


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        ({}, True),
        ({"sampling": SEED_1}, True),
        ({"sampling": Sampling(temperature=0.1)}, False),
        ({"sampling": Sampling(seed=1, temperature=0.1)}, False),
        ({"system": ""}, False),
        ({"system": "Hi"}, False),
        ({"template": "plain"}, False),
        ({"history": "golden"}, False),
        ({"context_window": 511}, False),
        ({"think": "drop"}, False),
        ({"samples": 2}, False),
        ({"suite_digest": "d2"}, False),
        ({"identity": {"weights": "w2", "version": "9"}}, False),
        ({"identity": {"weights": "w1", "version": "9", "adapter": "a"}}, False),
        ({"identity": {"weights": "w1", "version": "9", "template": "t"}}, False),
        ({"identity": {"weights": "w1", "version": "10"}}, False),
    ],
)
def test_one_arm_is_one_model_under_the_same_conditions_whatever_the_seed(
    changed: dict[str, object], *, same: bool
) -> None:
    """Held or to be held, either way round."""
    for one, other in (
        (planned(), planned(**changed)),
        (stored("r1"), stored("r2", **changed)),
        (planned(), stored("r2", **changed)),
    ):
        assert same_arm(one, other) is same
        assert same_arm(other, one) is same


def test_weights_say_which_model_it_is_not_the_spelling() -> None:
    """The same file by two paths is one model."""
    assert same_arm(planned("a/m.gguf"), planned("./a/m.gguf"))


@pytest.mark.parametrize("identity", [{}, {"weights": ""}, {"engine": "mine"}])
def test_where_an_engine_tells_no_weights_the_spec_does(identity: dict[str, str]) -> None:
    """Two models of it are not taken for one because nothing is known of either."""
    assert same_arm(planned("mine:a", identity=identity), planned("mine:a", identity=identity, sampling=SEED_1))
    assert not same_arm(planned("mine:a", identity=identity), planned("mine:b", identity=identity))


def test_imported_runs_are_like_no_other_run() -> None:
    """Nobody knows how their replies were drawn, nor what their models' names stand for."""
    named = {"engine": "results", "weights": "my-model", "file": "f1"}
    first, second = (stored(name, "results:my-model", sampling=None, identity=named) for name in ("r1", "r2"))
    assert not same_arm(first, second)
    assert not same_arm(first, stored("r3", "results:my-model", identity=named))
    assert same_arm(first, first)


def test_an_a_a_run_says_so_first_and_its_seed_needs_no_declaration() -> None:
    first, *others = comparison_notes(stored("r1"), stored("r2", sampling=SEED_1))
    assert first == (
        "A/A run: base and tuned are the same model under the same conditions, with other seeds: whatever differs is "
        "noise, and a verdict of regressed or improved is a false alarm"
    )
    assert others == ["differs as declared: sampling.seed: 0 / 1"]


def test_another_model_with_another_seed_must_be_declared() -> None:
    """Only where nothing else differs is the seed what it is about."""
    tuned = stored("r2", sampling=SEED_1, identity=OTHER_MODEL)
    with pytest.raises(ConditionsDiffer, match=r"sampling\.seed: 0 / 1"):
        comparison_notes(stored("r1"), tuned)
    assert comparison_notes(stored("r1"), tuned, ["sampling.seed"]) == ("differs as declared: sampling.seed: 0 / 1",)


def test_one_seed_and_one_run_are_told_as_what_they_are() -> None:
    """Two runs with one seed differ by chance alone; one run differs from itself in nothing, also an imported one."""
    (note,) = comparison_notes(stored("r1"), stored("r2"))
    assert note.startswith("A/A run: base and tuned are the same model under the same conditions, with the same seed")
    for run in (stored("r1"), stored("r1", sampling=None)):
        (note,) = comparison_notes(run, run)
        assert note.startswith("A/A run: base and tuned are one and the same run, so nothing can differ")


@pytest.mark.parametrize("reproducible", [True, False])
def test_a_greedy_a_a_run_draws_nothing(*, reproducible: bool) -> None:
    """On a reproducible engine the texts are the same; on another, its arithmetic may still differ."""
    greedy = [Sampling(temperature=0.0, seed=seed) for seed in (0, 1)]
    sides = [planned(sampling=one, reproducible=reproducible) for one in greedy]
    _, note, _ = comparison_notes(sides[0], sides[1])
    assert note.startswith("greedy (temperature 0): nothing is drawn, so this A/A run shows no sampling noise")
    assert ("the same by construction" in note) is reproducible
    assert "--temperature" in note
    warm = comparison_notes(planned(), planned(sampling=SEED_1))
    assert not any("greedy" in note for note in warm)


def test_two_models_are_no_a_a_run() -> None:
    assert comparison_notes(stored("r1"), stored("r2", identity=OTHER_MODEL)) == ()
