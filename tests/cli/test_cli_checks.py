"""What the checks of a suite say, from the command line: run, compare, show and diff."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., tuple[int, str, str]]
OVEN = {
    "id": "oven",
    "turns": [
        "The oven goes on at 5:45, and there are no walnuts in it.",
        {
            "text": "When does it go on?",
            "capability": "context_retention",
            "distance": 1,
            "refusal_expected": False,
            "checks": [
                {"kind": "says", "any": ["5:45"]},
                {"kind": "does_not_say", "any": ["walnut*"], "unless_negated": True},
            ],
        },
        {
            "text": "And once more?",
            "capability": "task_persistence",
            "distance": 2,
            "checks": [{"kind": "says", "any": ["5:45"]}],
        },
    ],
}
TWO = {
    "id": "two",
    "turns": [
        "Say it in German.",
        {"text": "two", "capability": "task_persistence", "distance": 1, "checks": [{"kind": "says", "any": ["zwei"]}]},
    ],
}
GOOD = {"oven": ["Fine.", "At 5:45, without nuts.", "At 5:45."], "two": ["Gut.", "zwei"]}
BAD = {"oven": ["Fine.", "I forgot. Walnuts?", "At 5:45."], "two": ["Gut.", "zwei"]}


@pytest.fixture(name="oven")
def a_suite_with_checks(folder: Path) -> str:
    """The suite file, and a good and a bad model as scripts."""
    for name, content in (("oven.json", [OVEN, TWO]), ("good.json", GOOD), ("bad.json", BAD)):
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return "oven.json"


def hold(cli: Cli, suite: str, model: str, *flags: str) -> tuple[str, str]:
    """What a run printed, and its id."""
    code, out, err = cli("run", model, "--suite", suite, "-q", *flags)
    assert code == 0, err
    return out, out.split(": run ", 1)[1].split()[0].rstrip(",")


def compare(cli: Cli, suite: str, *flags: str) -> str:
    code, out, err = cli(
        "compare", "--report", "", "scripted:good.json", "scripted:bad.json", "--suite", suite, "-q", *flags
    )
    assert code == 0, err
    return out


def cells(out: str, title: str) -> list[list[str]]:
    """The rows below a table's title, cells parted by two blanks."""
    lines = out.split(f"\n{title}", 1)[1].splitlines()[1:]
    lines = lines[: next(at for at, line in enumerate(lines) if not line.strip())]
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines if "──" not in line]


def test_a_run_ends_with_its_pass_rate_and_that_of_each_capability(cli: Cli, oven: str) -> None:
    """One of three checks, and the one: 66.7 % of two conversations, not two of four checks."""
    out, name = hold(cli, oven, "scripted:bad.json")
    rows = cells(out, "Checks passed")
    assert rows[1][0] == "all"
    assert rows[1][1].startswith("66.7% [")
    assert rows[1][1].endswith("] n=2")
    assert [row[0] for row in rows[2:4]] == ["context retention", "task persistence"]
    assert rows[3][1].startswith("100.0% [")
    assert out.endswith(f"read it:  multiturn show {name}\n")


def test_a_run_near_the_floor_says_so(cli: Cli, oven: str) -> None:
    out, _ = hold(cli, oven, "scripted:slow_scripts:silent")
    assert "scripted:slow_scripts:silent passes 0.0% of checks, near the floor" in " ".join(out.split())


def test_a_run_of_a_suite_without_checks_says_nothing_of_them(cli: Cli, suite: str) -> None:
    out, name = hold(cli, suite, "scripted:echo")
    assert "hecks" not in out
    assert "~" not in cli("show", name)[1]


def test_a_comparison_shows_where_checks_were_lost_and_which(cli: Cli, oven: str, folder: Path) -> None:
    """In tables by capability, turn and distance, check by check, and in the file."""
    out = compare(cli, oven, "--all-tables")
    assert cells(out, "All turns")[1][:4] == ["checks passed", "2", "100.0%", "66.7%"]
    assert [row[:4] for row in cells(out, "Checks passed by capability")[1:]] == [
        ["context retention", "1", "100.0%", "0.0%"],
        ["task persistence", "2", "100.0%", "100.0%"],
    ]
    assert [row[:4] for row in cells(out, "Checks passed by distance")] == [
        ["turns back", "n", "base", "tuned"],
        ["1", "2", "100.0%", "50.0%"],
        ["2", "1", "100.0%", "100.0%"],
    ]
    assert [row[:1] for row in cells(out, "Checks passed by turn")[1:]] == [["2"], ["3"]]
    flipped = out.split("Flipped checks", 1)[1].split("Length of replies", 1)[0]
    assert flipped.count("pass -> fail") == 2
    assert '"5:45"' in flipped
    assert '"Walnuts"' in flipped
    assert "2 of 3 checks stopped passing" in " ".join(out.split())
    assert "Checks passed by category" not in compare(cli, oven, "--all-tables"), "the suite names none"
    results = json.loads((folder / "outputs" / "mtbench_results.json").read_bytes())
    oven_result = results["tuned_results"][0]
    assert (oven_result["checks_passed"], oven_result["checks_applied"]) == (1, 3)
    assert [check["outcome"] for check in oven_result["transcript"][1]["checks"]] == ["fail", "fail"]
    assert results["comparison"]["contrasts"][0]["measure"] == "check_pass"
    assert [flip["check"] for flip in results["comparison"]["changes"][0]["flips"]] == [0, 1]


def test_show_has_a_line_for_each_check_with_why_it_fails(cli: Cli, oven: str) -> None:
    _, name = hold(cli, oven, "scripted:bad.json")
    out = " ".join(cli("show", name, "oven")[1].split())
    assert (
        "model: I forgot. Walnuts? ✗ says '5:45': does not say '5:45' ✗ does not say 'walnut*': says 'Walnuts'" in out
    )
    assert "model: At 5:45. ✓ says '5:45'" in out


def test_diff_has_marks_under_each_reply(cli: Cli, oven: str) -> None:
    good, bad = (hold(cli, oven, f"scripted:{name}.json")[1] for name in ("good", "bad"))
    lines = [line.strip() for line in cli("diff", good, bad, "oven")[1].splitlines()]
    passed, lost = lines.index("✓ says '5:45'"), lines.index("✗ lost: says '5:45'")
    assert passed < lost
    assert [line.partition(":")[0] for line in lines[passed - 1 : lost] if ":" in line] == [
        "base",
        "✓ says '5",
        "tuned",
    ]


def test_checks_that_were_mended_are_asked_of_stored_runs_too(cli: Cli, oven: str, folder: Path) -> None:
    """A run is what was asked of the model; its replies are not asked for again when a check changes."""
    before, name = hold(cli, oven, "scripted:bad.json")
    mended = json.loads(json.dumps(OVEN).replace('"5:45"', '"5:45", "I forgot"'))
    (folder / oven).write_text(json.dumps([mended, TWO]), encoding="utf-8")
    after, again = hold(cli, oven, "scripted:bad.json")
    assert name == again
    assert "used again" in after
    assert "✓ says '5:45' or 'I forgot'" in cli("show", name, "oven")[1]
    rates = [cells(out, "Checks passed")[1][1].split()[0] for out in (before, after)]
    assert rates == ["66.7%", "83.3%"]


def test_with_golden_history_the_checks_are_asked_too(cli: Cli, oven: str, folder: Path) -> None:
    """The history that the model was shown is part of the run."""
    golden = json.loads(json.dumps(OVEN))
    golden["turns"] = [
        {"text": turn, "golden": "gold"} if isinstance(turn, str) else turn | {"golden": "At 5:45."}
        for turn in golden["turns"]
    ]
    (folder / oven).write_text(json.dumps([golden]), encoding="utf-8")
    out, _ = hold(cli, oven, "scripted:good.json", "--history", "golden")
    assert cells(out, "Checks passed")[1][1].startswith("100.0%")
