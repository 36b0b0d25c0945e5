"""What a comparison concludes, from the command line: the plan, and the exit code to build on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., tuple[int, str, str]]
CONVERSATIONS = 12


@pytest.fixture(name="walnuts")
def a_suite_and_three_models(folder: Path) -> str:
    """Twelve conversations with one check each; a good model, one that forgets, and one that forgets a few."""
    suite = [
        {
            "id": f"c{at}",
            "turns": [
                f"My number is {at + 100}. Say OK.",
                {
                    "text": "What is my number?",
                    "capability": "context_retention",
                    "distance": 1,
                    "refusal_expected": False,
                    "checks": [{"kind": "says", "any": [str(at + 100)]}],
                },
            ],
        }
        for at in range(CONVERSATIONS)
    ]
    good = {f"c{at}": ["OK.", f"It is {at + 100}."] for at in range(CONVERSATIONS)}
    bad = {f"c{at}": ["OK.", "I forgot."] for at in range(CONVERSATIONS)}
    mixed = {name: (bad if name in ("c1", "c2", "c3") else good)[name] for name in good}
    for name, content in (("suite", suite), ("good", good), ("bad", bad), ("mixed", mixed)):
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return "suite.json"


def compare(cli: Cli, suite: str, tuned: str, *flags: str, base: str = "good") -> tuple[int, str, str]:
    return cli(
        "compare", "--report", "", f"scripted:{base}.json", f"scripted:{tuned}.json", "--suite", suite, "-q", *flags
    )


def test_a_regression_is_exit_code_3(cli: Cli, walnuts: str) -> None:
    code, out, _ = compare(cli, walnuts, "bad", "--fail-on", "regressed")
    assert code == 3
    assert "exit 3" in out
    assert "regressed" in out


def test_without_fail_on_a_regression_is_no_failure(cli: Cli, walnuts: str) -> None:
    """What is done with a result is for the user to say."""
    code, out, _ = compare(cli, walnuts, "bad")
    assert (code, "regressed" in out) == (0, True)


@pytest.mark.parametrize(
    ("base", "tuned", "words", "code"),
    [
        ("good", "mixed", "inconclusive", 4),
        ("good", "mixed", "regressed", 0),
        ("good", "mixed", "regressed,inconclusive", 4),
        ("good", "bad", "inconclusive", 0),
        ("good", "bad", "regressed, inconclusive", 3),
        ("bad", "good", "regressed,inconclusive", 0),
    ],
)
def test_what_a_build_fails_on(cli: Cli, walnuts: str, *, base: str, tuned: str, words: str, code: int) -> None:
    """An improvement fails nothing; three of twelve forgotten is no finding yet."""
    assert compare(cli, walnuts, tuned, "--fail-on", words, base=base)[0] == code


def test_a_wider_margin_calls_more_equivalent(cli: Cli, walnuts: str) -> None:
    assert compare(cli, walnuts, "mixed", "--fail-on", "inconclusive")[0] == 4
    assert compare(cli, walnuts, "mixed", "--fail-on", "inconclusive", "--margin", "check_pass=60%")[0] == 0


def test_the_plan_stands_in_the_results(cli: Cli, walnuts: str) -> None:
    flags = ("--primary", "words", "--margin", "words=0.3", "--margin", "check_pass=5%", "--results", "r.json")
    assert compare(cli, walnuts, "mixed", *flags)[0] == 0
    comparison = json.loads(Path("r.json").read_text(encoding="utf-8"))["comparison"]
    assert comparison["plan"]["primary"] == "words"
    assert comparison["plan"]["margins"] == {"words": 0.3, "check_pass": 0.05}
    assert comparison["verdicts"][0]["measure"] == "words"
    assert comparison["verdicts"][0]["role"] == "primary"


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--fail-on", "worse"), "names no outcome"),
        (("--fail-on", ","), "names no outcome"),
        (("--primary", "quality"), "no measure is called 'quality'"),
        (("--margin", "check_pass"), "no measure with a size"),
        (("--margin", "check_pass=ten"), "no measure with a size"),
        (("--margin", "check_pass=10"), "between 0 and 1"),
        (("--margin", "check_pass=nan"), "between 0 and 1"),
        (("--margin", "quality=0.1"), "no measure is called 'quality'"),
        (("--margin", "check_pas=0.1"), "did you mean check_pass"),
        (("--margin", "empty=0.1"), "empty has no verdict"),
        (("--margin", "words=0.1", "--margin", "words=0.2"), "is given twice"),
    ],
)
def test_a_plan_that_is_none_is_refused(
    refused: Callable[..., str], walnuts: str, *, flags: tuple[str, ...], told: str
) -> None:
    error = refused("compare", "scripted:good.json", "scripted:bad.json", "--suite", walnuts, "-q", *flags)
    assert told in error


def test_any_measure_that_regressed_fails_a_build(cli: Cli, walnuts: str, folder: Path) -> None:
    """All checks pass and the numbers are right, but each reply first declines: refusals regressed."""
    refusing = {f"c{at}": ["OK.", f"I'm sorry, but I can't help with that. It is {at + 100}."] for at in range(12)}
    (folder / "refusing.json").write_text(json.dumps(refusing), encoding="utf-8")
    flags = ("--results", "r.json", "--margin", "check_pass=0.9", "--fail-on", "regressed")
    code, out, err = compare(cli, walnuts, "refusing", *flags)
    verdicts = json.loads(Path("r.json").read_text(encoding="utf-8"))["comparison"]["verdicts"]
    words = {verdict["measure"]: verdict["word"] for verdict in verdicts}
    assert words["refusal_unexpected"] == "regressed", out
    assert code == 3, err


def test_checks_stay_a_measure_that_a_build_can_fail_on(cli: Cli, walnuts: str) -> None:
    """Another primary measure does not hide them."""
    code, _, _ = compare(cli, walnuts, "bad", "--primary", "refusal_unexpected", "--fail-on", "regressed")
    assert code == 3


def test_stored_runs_are_compared_by_their_ids(cli: Cli, walnuts: str) -> None:
    """With another plan, say; nothing is held again."""
    compare(cli, walnuts, "mixed")
    ids = [line.split()[0] for line in cli("runs")[1].splitlines()]
    flags = ("--stored", "--margin", "check_pass=60%", "--fail-on", "inconclusive")
    code, out, _ = cli("compare", "--report", "", *reversed(ids), *flags)
    assert code == 0, out
    assert cli("compare", "--report", "", *reversed(ids), "--stored", "--fail-on", "inconclusive")[0] == 4
    assert len(cli("runs")[1].splitlines()) == len(ids) == 2


def test_a_stored_run_that_is_not_there(refused: Callable[..., str], cli: Cli, walnuts: str) -> None:
    compare(cli, walnuts, "mixed")
    assert "no run" in refused("compare", "nothing", "latest", "--stored")


def test_a_suite_without_checks_has_nothing_to_fail_on(refused: Callable[..., str], cli: Cli, suite: str) -> None:
    """Unless another measure is named as the primary one."""
    error = refused("compare", "scripted:echo", "scripted:echo", "--suite", suite, "-q", "--fail-on", "regressed")
    assert "has no checks" in error
    flags = ("--fail-on", "regressed", "--primary", "refusal")
    assert cli("compare", "--report", "", "scripted:echo", "scripted:echo", "--suite", suite, "-q", *flags)[0] == 0


def test_a_declared_extension(cli: Cli, walnuts: str, refused: Callable[..., str]) -> None:
    first = compare(cli, walnuts, "mixed", "--extend", "--limit", "8")
    second = compare(cli, walnuts, "mixed", "--extend", "--limit", "12")
    assert (first[0], second[0]) == (0, 0)
    assert "look 1 of 2" in first[1]
    assert "look 2 of 2" in second[1]
    again = (
        "compare",
        "--report",
        "",
        "scripted:good.json",
        "scripted:mixed.json",
        "--suite",
        walnuts,
        "-q",
        "--extend",
    )
    assert "extended once already" in refused(*again, "--samples", "2")


def test_a_plan_given_for_stored_runs_is_told_of(cli: Cli, walnuts: str) -> None:
    """Nobody knows whether they had been looked at; a command that holds, and is given again, is no such case."""
    told, flags = "given: if it was chosen after looking", ("--margin", "check_pass=5%")
    for _ in range(2):
        assert told not in " ".join(compare(cli, walnuts, "mixed", *flags)[1].split())
    ids = [line.split()[0] for line in cli("runs")[1].splitlines()]
    assert told in " ".join(cli("compare", "--report", "", *reversed(ids), "--stored", *flags)[1].split())
    assert told not in " ".join(cli("compare", "--report", "", *reversed(ids), "--stored")[1].split())


def test_stored_runs_are_not_held_so_what_says_how_is_refused(
    refused: Callable[..., str], cli: Cli, walnuts: str
) -> None:
    compare(cli, walnuts, "mixed")
    error = refused("compare", "latest", "latest", "--stored", "--samples", "3", "--tuned-system", "Be brief.")
    assert "--tuned-system, --samples does nothing" in error


def test_stored_runs_fail_a_build_like_held_ones(refused: Callable[..., str], cli: Cli, suite: str) -> None:
    cli("compare", "--report", "", "scripted:echo", "scripted:echo", "--suite", suite, "-q")
    ids = [line.split()[0] for line in cli("runs")[1].splitlines()]
    assert "has no checks" in refused("compare", *ids, "--stored", "--fail-on", "regressed")


def test_the_margin_of_a_length_may_be_more_than_all_of_it(cli: Cli, walnuts: str) -> None:
    assert compare(cli, walnuts, "mixed", "--margin", "words=150%")[0] == 0
