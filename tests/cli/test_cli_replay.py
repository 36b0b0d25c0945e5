"""Going back into a conversation from the command line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Cli = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]


@pytest.fixture(name="held")
def held_run(cli: Cli, suite: str) -> str:
    """A held run of the small suite."""
    _, out, _ = cli("run", "scripted:echo", "--suite", suite, "-q")
    return out.split(": run ", 1)[1].split()[0].rstrip(",")


def test_a_turn_is_said_otherwise_and_kept_as_a_run_of_its_own(cli: Cli, held: str) -> None:
    code, out, err = cli("replay", held, "b", "--from", "2", "--say", "two, please", "--say", "and more")
    assert (code, err) == (0, "")
    kept = out.split("kept as run ")[1].split(";")[0]
    assert kept != held
    _, shown, _ = cli("show", kept)
    said = [line.rstrip() for line in shown.splitlines() if line.startswith(("user ", "model: "))]
    assert said == [
        "user 1: one",
        "model: one",
        "user 2: two, please",
        "model: two, please",
        "user 3: and more",
        "model: and more",
    ]


def test_the_first_run_stays_as_it_was(cli: Cli, held: str) -> None:
    before = cli("show", held)
    cli("replay", held, "b", "--from", "1", "--say", "other")
    assert cli("show", held) == before


def test_the_line_that_is_offered_compares_the_two(cli: Cli, held: str) -> None:
    """Typed as it stands, also where the run was named ``latest``: the replay is the latest now."""
    _, out, _ = cli("replay", "latest", "b", "--from", "2", "--say", "otherwise")
    command = out.split("compare it: multiturn ")[1].split()
    code, shown, _ = cli(*command)
    assert code == 0
    assert held in "".join(shown.split()), "the run that was gone back into is one of the two"
    assert "otherwise" in shown


def test_what_was_said_otherwise_stands_over_the_reply_to_it(
    cli: Cli, held: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user's words differ between a run and its replay: each stands with who was told so, above or beside."""
    _, out, _ = cli("replay", held, "b", "--from", "2", "--say", "otherwise")
    command = ("diff", *out.split("multiturn diff ")[1].split())
    _, narrow, _ = cli(*command)
    lines = [line for line in narrow.splitlines() if line.startswith(("user 2: ", "base: ", "tuned: "))]
    at = lines.index("user 2: two")
    assert lines[at : at + 4] == ["user 2: two", "base: two", "user 2: otherwise", "tuned: otherwise"]
    monkeypatch.setenv("COLUMNS", "120")
    _, wide, _ = cli(*command)
    rows = [[part.strip() for part in line.split("\u2502")] for line in wide.splitlines() if "\u2502" in line]
    at = rows.index(["user 2: two", "user 2: otherwise"])
    assert rows[at + 1] == ["base: two", "tuned: otherwise"]


def test_without_say_it_asks_until_an_empty_line(cli: Cli, held: str) -> None:
    code, out, _ = cli("replay", held, "b", "--from", "2", typed="first\nsecond\n\nnever read\n")
    assert code == 0
    assert "turn 2 was: two" in out
    assert "model: first" in out
    assert "model: second" in out
    assert "never read" not in out


def test_the_end_of_the_input_ends_it(cli: Cli, held: str) -> None:
    code, out, _ = cli("replay", held, "b", "--from", "3", typed="last words")
    assert code == 0
    assert "model: last words" in out


def test_nothing_said_keeps_nothing(cli: Cli, held: str) -> None:
    code, _, err = cli("replay", held, "b", "--from", "2", typed="\n")
    assert code == 2
    assert "nothing was said" in err
    assert len(cli("runs")[1].splitlines()) == 1


def test_the_system_prompt_of_the_conversation_stays(cli: Cli, held: str) -> None:
    cli("replay", held, "c", "--from", "1", "--say", "hola")
    assert "system: Be brief." in cli("show", "latest", "--prompts")[1]


def test_after_golden_replies_the_chat_goes_on_from_what_the_model_says(cli: Cli, suite: str) -> None:
    """What is said anew has no golden reply; the model must not be shown an empty one of its own."""
    cli("run", "scripted:echo", "--suite", suite, "-q", "--only", "b", "--history", "golden")
    cli("replay", "latest", "b", "--from", "2", "--say", "second", "--say", "third")
    _, out, _ = cli("show", "latest", "--prompts")
    sent = [line.strip() for line in out.splitlines() if line.strip().startswith("assistant:")]
    assert sent == ["assistant: gold one", "assistant: second"]


def test_a_replay_of_a_replay(cli: Cli, held: str) -> None:
    cli("replay", held, "b", "--from", "2", "--say", "second")
    code, out, _ = cli("replay", "latest", "b", "--from", "2", "--say", "third")
    assert code == 0
    assert "model: third" in out


@pytest.mark.parametrize("turn", ["0", "4", "-1"])
def test_a_turn_that_is_not_there_is_refused(refused: Refused, held: str, turn: str) -> None:
    message = refused("replay", held, "b", "--from", turn, "--say", "x")
    assert f"no turn {turn}" in message
    assert "--from 1 to 3" in message


@pytest.mark.parametrize("nothing", ["", "   "])
def test_saying_an_empty_text_is_wrong_usage(cli: Cli, held: str, nothing: str) -> None:
    code, _, err = cli("replay", held, "b", "--from", "1", "--say", nothing)
    assert code == 2
    assert err.startswith("multiturn: ")
    assert "\n  next: " in err
    assert len(cli("runs")[1].splitlines()) == 1


def test_a_conversation_that_is_not_there_is_refused(refused: Refused, held: str) -> None:
    message = refused("replay", held, "z", "--from", "1", "--say", "x")
    assert "'z'" in message
    assert "a, b, c" in message


def test_a_turn_after_one_without_a_reply_is_refused(cli: Cli, refused: Refused, suite: str) -> None:
    cli("run", "scripted:slow_scripts:down", "--suite", suite, "-q")
    assert "choose an earlier turn" in refused("replay", "latest", "b", "--from", "2", "--say", "x")
