"""Conditions: what all arms have in common once, then what each has for itself; and all of them as recorded."""

from __future__ import annotations

from typing import Final

import msgspec
from tests.report.lettered import suite
from tests.report.page.judged_report import card, judge
from tests.report.page.lettered_page import HASH, run

from multiturn.conditions import RunRecord
from multiturn.pages import shown_arms
from multiturn.report.page.conditions_shown import conditions_shown, every_condition
from multiturn.report.page.shown import AskedJudge
from multiturn.transcript import Sampling

SUITE: Final = suite(12)
IDENTITY: Final = {"engine": "scripted", "engine_version": "1.0", "weights": HASH}


def lines(*runs: RunRecord) -> dict[str, str]:
    """Each line as one text."""
    return {
        one.name: "; ".join([*([one.common] if one.common else []), *(f"{own.arm} {own.text}" for own in one.arms)])
        for one in conditions_shown(runs, shown_arms(runs))
    }


def test_two_runs_that_differ_in_the_model() -> None:
    """Read it as the specification: a line each, in this order."""
    tuned = run(SUITE, "b", identity={**IDENTITY, "adapter": HASH[::-1]})
    assert lines(run(SUITE, "a"), tuned) == {
        "Model": "weights 01234567; base scripted:a, no adapter; tuned scripted:b, adapter fedcba98",
        "Suite": "s version 1, 12 conversations, 60 turns",
        "Sampling": "temperature 0.7, top-p 0.9, up to 220 tokens, seed 0, 1 sample",
        "Engine": "scripted 1.0, reproducible",
        "History": "the model's own earlier replies",
        "System prompt": "the suite's, where a conversation has one",
        "Template": "each model's own",
        "Window": "4096 tokens, then a conversation stops",
        "Held": "2026-11-30, by multiturn 0.1.0; base run run-a; tuned run run-b",
        "Judge": "none was asked",
    }


def test_each_judge_has_a_line() -> None:
    """By which rubric, how much it said, what it could not say, and what its self-check says of it."""
    checked, other = judge("quality"), judge("preference")
    judges = (
        AskedJudge(judge=checked, judgments=138, unreadable=2, failed=1, card=card(checked, "fit")),
        AskedJudge(judge=other, judgments=1, card=card(other, "not_fit")),
        AskedJudge(judge=judge("harm"), judgments=60),
    )
    found = conditions_shown([run(SUITE, "a")], shown_arms([run(SUITE, "a")]), judges)
    assert [(one.common, one.arms) for one in found if one.name == "Judge"] == [
        (
            (
                "scripted:judges/strict-judge by quality@1, 138 judgments, 2 more unreadable, 1 could not be asked, "
                "fit for use here"
            ),
            (),
        ),
        ("scripted:judges/strict-judge by preference@1, 1 judgment, not fit for use here", ()),
        ("scripted:judges/strict-judge by harm@1, 60 judgments, not checked", ()),
    ]


def test_one_run_has_nothing_to_differ_from() -> None:
    assert lines(run(SUITE, "a"))["Model"] == "scripted:a, weights 01234567, no adapter"


def test_whatever_differs_is_told_of_each() -> None:
    """Three arms, one of which is different; and one that has none."""
    runs = (
        run(SUITE, "a"),
        run(SUITE, "b", system="Be brief."),
        run(SUITE, "c", system="", context_window=None, overflow="drop-oldest"),
    )
    found = lines(*runs)
    assert found["System prompt"] == ('base the suite\'s, where a conversation has one; arm 2 "Be brief."; arm 3 none')
    assert found["Window"] == (
        "base 4096 tokens, then a conversation stops; arm 2 4096 tokens, then a conversation stops; "
        "arm 3 not known, then its oldest turns are left out"
    )


def test_sampling_names_what_is_not_usual() -> None:
    greedy = Sampling(temperature=0.0, top_k=40, repeat_penalty=1.1, reasoning_tokens=500, stop=("###",), seed=3)
    assert lines(run(SUITE, "a", sampling=greedy, samples=3))["Sampling"] == (
        "greedy (temperature 0), up to 220 tokens, top-k 40, repeat-penalty 1.1, 500 tokens more for reasoning, "
        "stops at '###', seed 3, 3 samples"
    )


def test_turns_are_those_of_the_suite_not_of_all_samples() -> None:
    three = msgspec.structs.replace(run(SUITE, "a", samples=3), turns=180)
    assert lines(three)["Suite"] == "s version 1, 12 conversations, 60 turns"


def test_of_an_imported_run_nobody_knows_how_it_was_drawn() -> None:
    imported = msgspec.structs.replace(
        run(SUITE, "a", sampling=None, identity={"engine": "imported", "weights": "scripted:a"}, reproducible=False),
        versions={"imported by multiturn": "0.1.0"},
    )
    found = lines(imported)
    assert found["Sampling"] == "not known, since the run was imported"
    assert found["Engine"] == "imported, not reproducible"
    assert found["Model"] == "scripted:a"
    assert found["Held"] == "2026-11-30, run run-a, imported by multiturn 0.1.0"


def test_history_template_and_reasoning() -> None:
    other = run(
        SUITE, "a", history="golden", think="keep", template="plain", identity={"engine": "x", "template": HASH}
    )
    found = lines(other)
    assert found["History"] == "golden replies in place of the model's own, earlier reasoning: keep"
    assert found["Template"] == "the plain User:/Assistant: form"


def test_a_server_is_named() -> None:
    served = {"engine": "openai", "weights": "m@host", "server": "vllm", "server_version": "0.9"}
    found = lines(run(SUITE, "a", identity=served))
    assert (found["Engine"], found["Model"]) == ("openai 0.9, vllm, reproducible", "scripted:a, weights m@host")


def test_every_condition_is_there_as_it_was_recorded() -> None:
    """One row each, with a column for each arm; what one arm has not is a dash."""
    runs = run(SUITE, "a"), run(SUITE, "b", identity={"engine": "x", "own": "1"}, sampling=Sampling(stop=("a", "b")))
    table = every_condition(runs, shown_arms(runs))
    rows = {row[0]: row[1:] for row in table.rows}
    assert table.header == ("condition", "base", "tuned")
    assert rows["sampling.temperature"] == ("0.7", "0.7")
    assert rows["sampling.stop"] == ("", "'a', 'b'")
    assert rows["identity.own"] == ("-", "1")
    assert rows["reproducible"] == ("yes", "yes")
    assert rows["system"] == ("-", "-")
    assert rows["versions.multiturn"] == ("0.1.0", "0.1.0")
