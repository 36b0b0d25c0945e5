"""``multiturn suite prove``: what holds, what does not, and the exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]

GOOD = {
    "id": "garage",
    "turns": [
        {"text": "I can come on thursday at 8:20, thanks", "golden": "Thursday at 8:20 is fine."},
        {
            "text": "which day was it? one word",
            "capability": "context_retention",
            "distance": 1,
            "why": "The day from the turn before.",
            "golden": "Thursday.",
            "checks": [
                {"kind": "recalls", "facts": ["Thursday"], "bad": [{"reply": "Tuesday."}]},
                {"kind": "does_not_say", "any": ["8:20"], "bad": [{"reply": "Thursday, 8:20.", "span": "8:20"}]},
            ],
        },
    ],
}


@pytest.fixture
def suite(folder: Path) -> Path:
    path = folder / "garage.json"
    path.write_text(json.dumps([GOOD]), encoding="utf-8")
    return path


def test_a_suite_that_holds(cli: Cli, suite: Path) -> None:
    """Code 0, with what was tried."""
    code, out, _ = cli("suite", "prove", str(suite))
    assert code == 0
    assert "attacker options: passes 0 of 1 probing turn, 50.0% of checks\n" in out
    assert out.endswith("garage: 2 checks, 2 bad replies, 1 probing turn: 0 shortcomings\n")


def test_a_weak_check_is_told(cli: Cli, folder: Path) -> None:
    """Code 2, with the place and the reply that passes."""
    weak = json.loads(json.dumps(GOOD))
    weak["turns"][1]["checks"] = weak["turns"][1]["checks"][:1]
    (folder / "weak.json").write_text(json.dumps([weak]), encoding="utf-8")
    code, out, _ = cli("suite", "prove", "weak.json")
    assert code == 2
    assert "garage turns[1]: attack: the attacker 'options' passes with" in out


def test_replies_held_blind(cli: Cli, suite: Path, folder: Path) -> None:
    """Each failure with the style and the reply; below 97 % the code is 2, and so is above 10 % without the needed turn."""

    def lines(name: str, *replies: str, conversation: str = "garage") -> str:
        held = {"conversation": conversation, "style": "terse", "replies": replies}
        (folder / name).write_text(json.dumps(held) + "\n", encoding="utf-8")
        return name

    code, out, _ = cli("suite", "prove", str(suite), "--held", lines("good.jsonl", "ok", "thursday"))
    assert code == 0
    assert "held terse: 2 of 2 checks pass (100.0%)" in out
    code, out, _ = cli("suite", "prove", str(suite), "--held", lines("bad.jsonl", "ok", "friday"))
    assert code == 2
    assert "terse: garage turns[1].checks[0]: held: " in out
    lost = lines("lost.jsonl", "I don't know.", conversation="garage.1")
    assert cli("suite", "prove", str(suite), "--ablated", lost)[0] == 0
    guessed = lines("guessed.jsonl", "Thursday?", conversation="garage.1")
    code, out, _ = cli("suite", "prove", str(suite), "--ablated", guessed)
    assert code == 2
    assert "ablated, held blind: passes 1 of 1 probe; at most 10% may\n" in out
    assert out.endswith(": 1 shortcoming\n")


def test_what_was_not_held_is_a_shortcoming(cli: Cli, folder: Path) -> None:
    """Conversations and probes that are missing in a style are named and counted, and the code is 2."""
    (folder / "two.json").write_text(json.dumps([GOOD, {**GOOD, "id": "shop"}]), encoding="utf-8")
    for option, name, replies in (
        ("--held", "garage", ["ok", "thursday"]),
        ("--ablated", "garage.1", ["I don't know."]),
    ):
        held = {"conversation": name, "style": "terse", "replies": replies}
        (folder / "one.jsonl").write_text(json.dumps(held), encoding="utf-8")
        code, out, _ = cli("suite", "prove", "two.json", option, "one.jsonl")
        assert code == 2
        assert f" were held in style terse; missing: {name.replace('garage', 'shop')}\n" in out
        assert "1 of 2 " in out
        assert out.endswith(": 1 shortcoming\n")


@pytest.mark.parametrize("option", ["--held", "--ablated"])
@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "held.jsonl holds no conversation"),
        ("\n\n{}\n", "held.jsonl:line 3: "),
        ('{"conversation": "other", "style": "x", "replies": []}', "held.jsonl:line 1: 'other' is no "),
        ('{"conversation": "NAME", "style": "x", "replies": []}', "held.jsonl:line 1: 'NAME' has 0 replies"),
        (
            '{"conversation": "NAME", "style": "x", "replies": [REPLIES]}\n' * 2,
            "held.jsonl:line 2: 'NAME' was already held in style 'x', at held.jsonl:line 1",
        ),
    ],
)
def test_a_file_that_is_not_of_this_suite_is_refused(
    refused: Refused, suite: Path, option: str, content: str, told: str
) -> None:
    """With file, line and conversation, and what to do next; nothing is tried before."""
    name, replies = ("garage", '"a", "b"') if option == "--held" else ("garage.1", '"a"')
    text = content.replace("NAME", name).replace("REPLIES", replies)
    suite.with_name("held.jsonl").write_text(text, encoding="utf-8")
    message = refused("suite", "prove", str(suite), option, "held.jsonl")
    assert told.replace("NAME", name) in message
    assert "next: " in message


def test_a_model_and_the_mutants(cli: Cli, suite: Path) -> None:
    """A model is asked without the turn that a probe needs; the table shows what each mutant fails."""
    code, out, _ = cli("suite", "prove", str(suite), "--ablate", "scripted:echo", "--mutants")
    assert code == 0
    assert "ablated, scripted:echo: passes 0 of 1 probe\n" in out
    assert "Checks passed by mutants of the goldens" in out
    assert all(name in out for name in ("forgets", "refuses", "(2)"))
    assert cli("suite", "prove", str(suite), "--ablate", "nothing:x")[0] == 2
