"""compare --judge and judge run: what is told, what ends them, and what a judge that is gone does not withhold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Cli

from multiturn.errors import EXIT_INFRASTRUCTURE, EXIT_OK, EXIT_USAGE, ReplyFailed
from multiturn.transcript import Request

JUDGE = "scripted:tests.cli.test_cli_judging:middling"
GONE = "scripted:tests.cli.test_cli_judging:gone"
SILENT = "scripted:tests.cli.test_cli_judging:silent"


def middling(request: Request) -> str:
    """A judge to whom all replies are alike."""
    asked = request.messages[0].content
    return "Nothing to choose.\n[[C]]" if "[[A]]" in asked else "It will do.\nRating: [[6]]"


def gone(_request: Request) -> str:
    """A judge whose server is away."""
    raise ReplyFailed("connection", "nobody listens")


def silent(_request: Request) -> str:
    """A judge that says nothing."""
    return ""


@pytest.fixture(name="suite")
def small_suite(tmp_path: Path) -> str:
    path = tmp_path / "small.json"
    path.write_text(
        json.dumps([{"id": f"c{at}", "turns": [f"hello {at}", "and then?"]} for at in range(3)]), encoding="utf-8"
    )
    return str(path)


def test_a_comparison_with_a_judge_says_what_it_was_asked_and_what_it_said(cli: Cli, suite: str) -> None:
    """Two runs rated, tuned compared with base in both orders: 6 + 6, and 2 x (6 + 3), less what is the same."""
    code, out, _ = cli(
        "compare", "scripted:echo", "mutant:forgets:scripted:echo", "--suite", suite, "--judge", JUDGE, "--no-check"
    )
    assert code == EXIT_OK
    assert "rubric quality: 6 questions, 6 answered" in out
    assert "rubric preference: 18 questions, 18 answered" in out
    assert "Ratings by rubric quality" in out
    assert "Preference: tuned against base" in out
    assert "judges' rating" in out


def test_a_judge_that_is_gone_withholds_no_comparison(cli: Cli, suite: str) -> None:
    """It is told, and so is the exit code; the verdicts that need no judge are there."""
    code, out, err = cli(
        "compare", "scripted:echo", "mutant:forgets:scripted:echo", "--suite", suite, "--judge", GONE, "--no-check"
    )
    assert code == EXIT_INFRASTRUCTURE
    assert "judging ended early" in err
    assert "nobody listens" in err
    assert "words a reply" in out


def test_a_slip_in_a_judges_name_is_told_before_anything_is_held(cli: Cli, suite: str, tmp_path: Path) -> None:
    code, _, err = cli("compare", "scripted:echo", "scripted:echo", "--suite", suite, "--judge", "opnai:gpt")
    assert code == EXIT_USAGE
    assert "did you mean openai:gpt?" in err
    assert not list(tmp_path.glob("outputs/*.html"))


def test_a_dry_run_counts_the_judges_calls(cli: Cli, suite: str) -> None:
    code, out, _ = cli("compare", "scripted:echo", "scripted:echo", "--suite", suite, "--judge", JUDGE, "--dry-run")
    assert code == EXIT_OK
    assert "30 calls (12 ratings, 18 comparisons), and up to 120 to check whether it is fit" in out


def test_judging_a_run_tells_what_is_missing_and_goes_on(cli: Cli, suite: str) -> None:
    """A spent budget, then a judge that says nothing: counted, never graded."""
    cli("run", "scripted:echo", "--suite", suite)
    code, out, err = cli("judge", "run", "latest", "--judge", JUDGE, "--no-check", "--max-calls", "2")
    assert (code, "2 answered" in out) == (EXIT_OK, True)
    assert "stopped at --max-calls: 4 are left" in err
    code, out, _ = cli("judge", "run", "latest", "--judge", JUDGE, "--no-check")
    assert (code, "6 answered (2 known before)" in out) == (EXIT_OK, True)
    code, _, err = cli("judge", "run", "latest", "--judge", SILENT, "--no-check")
    assert "6 of 6 gave no verdict that can be read" in err
    _, out, _ = cli("judge", "show", "latest", "--json")
    (rated,) = json.loads(out)["all"]["rated"]
    assert [one["unjudged"]["unreadable"] for (one,) in rated["scores"].values()] == [{}, {"empty": 6}]


def test_a_run_that_nobody_judged_says_how_to(cli: Cli, suite: str) -> None:
    cli("run", "scripted:echo", "--suite", suite)
    code, _, err = cli("judge", "show", "latest")
    assert code == EXIT_USAGE
    assert "multiturn judge run" in err
