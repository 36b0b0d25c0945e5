"""``multiturn judge check``, and what ``judge run`` says of a judge before it judges."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

Cli = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]
EIGHT = "scripted:tests.test_judge_check:eight"
HONEST = "scripted:tests.test_judge_check:honest"


def test_the_card_of_a_judge_that_is_not_fit(cli: Cli) -> None:
    """Every finding with what a fit judge keeps to, then the conclusion, why, and what to do; the card is the result."""
    code, out, err = cli("judge", "check", "--judge", EIGHT)
    assert (code, err) == (0, "")
    assert f"Judge {EIGHT}, rubric quality" in out
    assert "56 questions in 56 calls" in " ".join(out.split())
    assert "Not fit for use here: it does not tell good replies from bad ones; it does not see when" in out
    assert "Take a stronger judge" in out


def test_a_judge_that_is_fit(cli: Cli) -> None:
    """With a warning all the same: so few calls see gross faults only."""
    code, out, _ = cli("judge", "check", "--judge", HONEST)
    assert code == 0
    assert "\nFit for use here.\n" in out
    assert "gross faults only" in out
    assert "NO" not in out.split("[low, high]")[0]


def test_a_build_can_fail_on_a_judge_that_is_not_fit(cli: Cli) -> None:
    assert cli("judge", "check", "--judge", EIGHT, "--fail-unfit")[0] == 3
    assert cli("judge", "check", "--judge", HONEST, "--fail-unfit")[0] == 0


def test_cards_as_json(cli: Cli) -> None:
    """One a line, of each judge; the second time the same, since nothing is asked again."""
    command = ("judge", "check", "--judge", EIGHT, "--judge", HONEST, "--calls", "40", "--json")
    first, again = cli(*command)[1], cli(*command)[1]
    cards = [json.loads(line) for line in first.splitlines()]
    assert [card["conclusion"] for card in cards] == ["not_fit", "fit"]
    assert all(card["calls"] <= 40 for card in cards)
    assert again == first


def test_a_check_on_a_run(cli: Cli, suite: str) -> None:
    assert cli("run", "scripted:echo", "--suite", suite, "--quiet")[0] == 0
    code, out, _ = cli("judge", "check", "--judge", EIGHT, "--run", "latest", "--calls", "8")
    assert code == 0
    assert "with conversations of run" in " ".join(out.split())
    assert "can't tell" in out


def test_other_conversations_are_drawn_for_the_same_judge(cli: Cli) -> None:
    """Its id, by which judge run finds its card, stays what it is."""
    cards = [json.loads(cli("judge", "check", "--judge", EIGHT, "--json", "--draw", str(at))[1]) for at in (0, 1)]
    assert cards[0]["judge"] == cards[1]["judge"]
    assert cards[0]["probes"] != cards[1]["probes"]


def test_what_is_refused(refused: Refused) -> None:
    """No judge, and a run that is not there."""
    assert "--judge" in refused("judge", "check")
    assert "no run" in refused("judge", "check", "--judge", EIGHT, "--run", "nothing")


def test_judge_run_says_what_to_think_of_the_judge(cli: Cli, suite: str) -> None:
    """Before it judges; the second time from its stored card."""
    assert cli("run", "scripted:echo", "--suite", suite, "--quiet")[0] == 0
    command = ("judge", "run", "latest", "--judge", EIGHT, "--quiet")
    for calls in ("63 calls in", "questions, 7 answered (7 known before)"):
        code, out, err = cli(*command)
        assert code == 0
        assert "not fit for use here: it does not tell good replies from bad ones" in err
        assert f"multiturn judge check --judge {EIGHT}" in err
        assert calls in out
    assert "fit for use here (56 calls)." in cli("judge", "run", "latest", "--judge", HONEST, "--quiet")[1]


def test_judge_run_without_a_check(cli: Cli, suite: str) -> None:
    """Asked for, or since the budget has no room for one, which is said."""
    assert cli("run", "scripted:echo", "--suite", suite, "--quiet")[0] == 0
    code, out, err = cli("judge", "run", "latest", "--judge", EIGHT, "--quiet", "--no-check")
    assert (code, err) == (0, "")
    assert "7 calls in" in out
    err = cli("judge", "run", "latest", "--judge", EIGHT, "--quiet", "--max-calls", "20")[2]
    assert "is not checked: the budget has no room for it" in err


def test_a_dry_run_tells_what_a_check_would_take(cli: Cli, suite: str) -> None:
    """Where one will come: not where it is left out or done, nor what of it was answered."""
    assert cli("run", "scripted:echo", "--suite", suite, "--quiet")[0] == 0
    command = ("judge", "run", "latest", "--judge", EIGHT, "--dry-run")
    told = re.search(r"its check: 56 calls, about (\d+) tokens to read, at most 33600 to write", cli(*command)[1])
    assert told is not None
    assert int(told[1]) > 10_000
    assert "its check" not in cli(*command, "--no-check")[1]
    assert "its check" not in cli(*command, "--max-calls", "60")[1]
    assert cli("judge", "check", "--judge", EIGHT, "--quiet")[0] == 0
    assert "its check" not in cli(*command)[1]


def test_a_dry_run_counts_what_a_judge_may_think(cli: Cli, suite: str) -> None:
    assert cli("run", "scripted:echo", "--suite", suite, "--quiet")[0] == 0
    command = ("judge", "run", "latest", "--judge", EIGHT, "--dry-run", "--verdict-tokens", "100")
    assert "7 calls" in cli(*command)[1]
    assert "at most 700 to write" in cli(*command)[1]
    assert "at most 7700 to write" in cli(*command, "--reasoning-tokens", "1000")[1]


def test_a_check_that_the_budget_breaks_off_goes_on_with_the_same_command(cli: Cli, suite: str) -> None:
    """And says so."""
    assert cli("run", "scripted:echo", "--suite", suite, "--quiet")[0] == 0
    command = ("judge", "run", "latest", "--judge", HONEST, "--quiet", "--max-tokens", "30000")
    begun = re.search(r"its check is not whole: (\d+) of 56 questions", cli(*command)[2])
    assert begun is not None
    assert 0 < int(begun[1]) < 56
    code, out, _ = cli(*command)
    assert code == 0
    assert "fit for use here (56 calls)" in out


def test_a_prompt_too_long_for_the_judge_is_told_with_what_to_do(cli: Cli, suite: str) -> None:
    """It is no trouble of the environment that the same command would mend."""
    assert cli("run", "scripted:echo", "--suite", suite, "--quiet")[0] == 0
    command = ("judge", "run", "latest", "--judge", EIGHT, "--quiet", "--no-check")
    for _ in range(2):
        code, _, err = cli(*command, "--context-window", "700")
        assert code == 0
        assert "7 prompts did not fit the judge's window" in err
        assert "--context-window N" in err
    assert "7 answered; judge" in cli(*command, "--context-window", "9000")[1]
