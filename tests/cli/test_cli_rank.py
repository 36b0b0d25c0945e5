"""``multiturn rank``: three scripted runs held and ranked, votes, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]

CONVERSATIONS = 12
PASSED = {"a": 12, "b": 10, "c": 1}
"""In how many conversations each script says the word that is looked for."""


@pytest.fixture
def runs(cli: Cli, folder: Path) -> list[str]:
    """The ids of three held runs, the best one first."""
    suite = [
        {"id": f"c{at:02}", "turns": ["hello", {"text": "?", "checks": [{"kind": "says", "any": [f"word{at}"]}]}]}
        for at in range(CONVERSATIONS)
    ]
    (folder / "s.json").write_text(json.dumps(suite), encoding="utf-8")
    for name, passed in PASSED.items():
        replies = {f"c{at:02}": ["hello", f"word{at}" if at < passed else "no"] for at in range(CONVERSATIONS)}
        (folder / f"{name}.json").write_text(json.dumps(replies), encoding="utf-8")
        assert cli("run", f"scripted:{name}.json", "--suite", "s.json", "--quiet")[0] == 0
    listed = [line.split() for line in cli("runs")[1].splitlines()]
    found = {words[1]: words[0] for words in listed if len(words) > 1 and words[1].startswith("scripted:")}
    return [found[f"scripted:{name}.json"] for name in PASSED]


def rows(out: str, title: str) -> list[list[str]]:
    """The words of each row of a table."""
    lines = out[out.index(title) :].splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith("──")) + 1
    found = []
    for line in lines[begin:]:
        if not line[:1].strip() or line.startswith(("n:", "Each", "Strength")):
            break
        found.append(line.split())
    return found


def test_three_runs_are_ranked(cli: Cli, runs: list[str]) -> None:
    """Best first, each with what it can be told apart from, whatever the order of the ids."""
    code, out, _ = cli("rank", runs[2], runs[0], runs[1])
    assert code == 0
    table = rows(out, "Checks passed, best first")
    assert [row[:3] for row in table] == [
        ["1", "scripted:a.json", "100.0%"],
        ["2", "scripted:b.json", "83.3%"],
        ["3", "scripted:c.json", "8.3%"],
    ]
    assert table[0][-2:] == ["12", "scripted:c.json"]
    assert table[2][-2:] == ["all", "others"]
    pairs = rows(out, "Pairs of arms")
    assert [row[-1] for row in pairs] == ["no", "yes", "yes"]
    assert "hold the true value at once" in " ".join(out.split())


def write_votes(folder: Path, arms: dict[str, str]) -> str:
    """Votes in every conversation: ``a`` mostly beats the others, one vote is missing."""
    with (folder / "votes.jsonl").open("w", encoding="utf-8") as file:
        for at in range(CONVERSATIONS):
            for one, other in (("a", "b"), ("c", "a"), ("b", "c")):
                upset, better = at == 5, "a" if one < other else "b"
                winner = "tie" if at % 4 == 3 else better if not upset else "b" if better == "a" else "a"
                row: dict[str, object] = {
                    "conversation": f"c{at:02}",
                    "a": arms[one],
                    "b": arms[other],
                    "winner": winner,
                    "turn": 2,
                }
                if (at, one) == (0, "a"):
                    row["winner"] = None
                file.write(json.dumps(row) + "\n")
    return "votes.jsonl"


def test_runs_with_votes(cli: Cli, folder: Path, runs: list[str]) -> None:
    """Votes name models or runs, and stand in a table of their own."""
    names = {"a": "scripted:a.json", "b": runs[1], "c": runs[2]}
    code, out, _ = cli("rank", *runs, "--preferences", write_votes(folder, names))
    assert code == 0
    table = rows(out, "Preferences, best first")
    assert [row[:2] for row in table] == [[str(at + 1), f"scripted:{name}.json"] for at, name in enumerate(PASSED)]
    assert table[0][-1] == "1"
    assert "missing are 1 of 36 preferences" in out
    assert "Checks passed, best first" in out


def test_votes_without_runs_and_without_a_store(cli: Cli, folder: Path) -> None:
    """The arms are those of the file; the same seed gives the same output, another seed the same strengths."""
    votes = write_votes(folder, {name: name for name in PASSED})
    code, out, _ = cli("rank", "--preferences", votes)
    assert code == 0
    assert [row[:2] for row in rows(out, "Preferences")] == [["1", "a"], ["2", "b"], ["3", "c"]]
    assert "Checks passed" not in out
    assert not (folder / "outputs").exists()
    assert cli("rank", "--preferences", votes, "--seed", "0")[1] == out
    other = cli("rank", "--preferences", votes, "--seed", "1")[1]
    assert [row[2] for row in rows(other, "Preferences")] == [row[2] for row in rows(out, "Preferences")]
    assert other != out


def test_what_is_refused(refused: Refused, folder: Path, runs: list[str]) -> None:
    """Each with the next thing to type."""
    assert "multiturn rank --preferences FILE" in refused("rank")
    assert f"multiturn rank {runs[0]} RUN RUN" in refused("rank", runs[0])
    assert "more than once" in refused("rank", runs[0], runs[1], "latest", runs[2])
    assert "no run" in refused("rank", runs[0], "nothing").casefold()
    assert "no condition is called" in refused("rank", *runs, "--vary", "nothing")
    assert "no file of preferences" in refused("rank", "--preferences", "nothing.jsonl")
    (folder / "bad.jsonl").write_text('{"conversation": "c"}\n[]\n', encoding="utf-8")
    told = refused("rank", "--preferences", "bad.jsonl")
    assert "bad.jsonl: 4 faults" in told
    assert "bad.jsonl:line 2: this is no object" in told


def test_runs_under_other_conditions_are_refused_by_name(cli: Cli, refused: Refused, runs: list[str]) -> None:
    """Until the difference is declared."""
    assert cli("run", "scripted:c.json", "--suite", "s.json", "--temperature", "0.1", "--quiet")[0] == 0
    told = refused("rank", *runs[:2], "latest")
    assert runs[0] in told
    assert "sampling.temperature: 0.7 / 0.1" in told
    assert "--vary sampling.temperature" in told
    code, out, _ = cli("rank", *runs[:2], "latest", "--vary", "sampling.temperature")
    assert code == 0
    assert "differs as declared: sampling.temperature: 0.7 / 0.1" in out
