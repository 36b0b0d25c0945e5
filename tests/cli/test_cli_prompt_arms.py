"""Two system prompts on one model, and a model against itself, from the command line."""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from multiturn.api import Arm, compare_stored, open_store, transcripts
from multiturn.cli.prompts import Prompt, looks_like_a_file, marks, prompt_of
from multiturn.errors import ConditionsDiffer, ReplyFailed, UsageError
from multiturn.transcript import Request

Cli = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]

ASKED: list[tuple[str, int]] = []
LOST: set[str] = set()
"""Conversations in which the scripted server fails."""


def heard(request: Request) -> str:
    """Says back what it was sent."""
    ASKED.append((request.session.conversation, request.turn))
    if request.session.conversation in LOST:
        raise ReplyFailed("server", "503: overloaded")
    return " | ".join(f"{message.role}: {message.content}" for message in request.messages)


def drawn(request: Request) -> str:
    """As many words as the seed says, or one where nothing is drawn."""
    ASKED.append((request.session.conversation, request.turn))
    return "word " * (1 if request.sampling.temperature == 0 else 1 + request.seed % 97)


HEARD, DRAWN = f"scripted:{__name__}:heard", f"scripted:{__name__}:drawn"


@pytest.fixture(autouse=True)
def _nothing_asked_yet() -> Iterator[None]:
    ASKED.clear()
    LOST.clear()
    yield
    LOST.clear()


@pytest.fixture
def prompts(folder: Path) -> tuple[str, str]:
    """Two files of prompts."""
    (folder / "terse.txt").write_text("Be terse.\n", encoding="utf-8")
    (folder / "rhyme.txt").write_text("Always rhyme.", encoding="utf-8")
    return "terse.txt", "rhyme.txt"


def run_ids(out: str) -> list[str]:
    """The ids that the runs' lines name, base first."""
    return re.findall(r": run (\S+?),? ", out)


def firsts(run: str) -> list[str]:
    """What a run's model said first in each conversation of the suite."""
    with open_store(None, create=False) as store:
        return [one.turns[0].reply or "" for one in transcripts(store, store.run(run))]


def systems(run: str) -> list[str | None]:
    """The prompt that a run's arm is stored with, and those of its conversations."""
    with open_store(None, create=False) as store:
        found = store.run(run)
        return [found.arm.system, *(one.system for one in transcripts(store, found))]


# What a flag gives


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"Be terse.", "Be terse."),
        (b"Be terse.\n", "Be terse."),
        (b"Be terse.\r\n", "Be terse."),
        (b"Be terse.\n\n", "Be terse.\n"),
        (b"\xef\xbb\xbfBe terse.\n", "Be terse."),
        (b"One.\r\nTwo.\r\n", "One.\nTwo."),
        ("  Kurz, bitte: größer. 日本\n".encode(), "  Kurz, bitte: größer. 日本"),
        (b"{{ not filled in }}\n", "{{ not filled in }}"),
    ],
    ids=["as-is", "line-end", "windows", "one-of-two", "bom", "inside", "letters", "no-template"],
)
def test_a_file_is_read_as_it_stands(folder: Path, data: bytes, text: str) -> None:
    """UTF-8, without a byte order mark and without one line end at the end."""
    (folder / "p.txt").write_bytes(data)
    assert prompt_of("p.txt", "--system") == Prompt(text, "p.txt")


@pytest.mark.parametrize("name", ["p", "my prompt", "sub/p", "p.md", "a.b.c", "Be terse."])
def test_whatever_names_a_file_that_is_there_is_that_file(folder: Path, name: str) -> None:
    """Whether or not it looks like one."""
    (folder / "sub").mkdir()
    (folder / name).write_text("Hi.", encoding="utf-8")
    assert prompt_of(name, "--system").text == "Hi."
    assert prompt_of(str(folder / name), "--system").text == "Hi."


@pytest.mark.parametrize(
    "text",
    [
        "Rhyme.",
        "Rhyme",
        "Be brief",
        "Answer yes and/or no.",
        "Write to notes.txt.",
        "p.txt\nand more",
        "Sei nett...",
        "word " * 2000,
        "x" * 5000,
        "p.txt ",
        "Version 1.5",
        "v1.5",
        "nul \x00 inside",
    ],
)
def test_what_is_no_file_and_looks_like_none_is_the_prompt(text: str) -> None:
    """As it was typed."""
    assert prompt_of(text, "--system") == Prompt(text)


@pytest.mark.parametrize(
    "name",
    ["p.txt", "prompts/p", "./p", "my prompt.txt", "prompts/my prompt.md", "P.TXT", "p.j2", "p.yaml", "..\\p", "/x/y"],
)
def test_a_file_that_is_not_there_is_never_taken_for_the_prompt(name: str) -> None:
    """A slip in a file's name must not become what the model is told."""
    assert looks_like_a_file(name)
    with pytest.raises(UsageError, match="--tuned-system: there is no file") as caught:
        prompt_of(name, "--tuned-system")
    assert "with a space at its end" in caught.value.hint
    assert prompt_of(f"{name} ", "--tuned-system").text == f"{name} "


def test_no_prompt_and_an_empty_one() -> None:
    """None leaves the conversations' own; an empty text takes them away, as it always did."""
    assert prompt_of(None, "--system") == Prompt(None)
    assert prompt_of("", "--system") == Prompt("")


@pytest.mark.parametrize("flag", ["--system", "--base-system", "--tuned-system"])
@pytest.mark.parametrize(
    ("data", "fault", "next_step"),
    [
        (b"", "is empty", "to ask for no system prompt at all: {flag} ''"),
        (b" \n\t\n", "is empty", "{flag} ''"),
        ("Größe".encode("latin-1"), "is no UTF-8 text", "save it as UTF-8"),
        ("Be terse.".encode("utf-16"), "is no UTF-8 text", "save it as UTF-8"),
        (None, "is a folder", "name a file in it"),
    ],
    ids=["empty", "blank", "latin-1", "utf-16", "folder"],
)
def test_a_file_that_is_no_prompt_is_refused(  # noqa: PLR0917 - a flag, a file and what is said of it
    refused: Refused, suite: str, folder: Path, flag: str, data: bytes | None, fault: str, next_step: str
) -> None:
    """Before anything is asked, and the flag is named."""
    path = folder / "p.txt"
    path.mkdir() if data is None else path.write_bytes(data)
    told = refused("compare", HEARD, HEARD, "--suite", suite, "-q", "--vary", "system_prompt", flag, "p.txt")
    assert flag in told
    assert f"p.txt {fault}" in told
    assert next_step.format(flag=flag) in told
    assert ASKED == []


@pytest.mark.usefixtures("folder")
def test_what_is_there_and_can_not_be_read(refused: Refused, suite: str) -> None:
    """Its name and the reason; here a socket, which nobody can open, not even root."""
    with socket.socket(socket.AF_UNIX) as here:
        here.bind("p.txt")
        assert "--system: p.txt can't be read: " in refused("run", HEARD, "--suite", suite, "--system", "p.txt")


def test_a_name_that_is_no_text_and_no_file(refused: Refused, suite: str) -> None:
    """Bytes that a badly encoded script passes on."""
    assert "there is no file" in refused("run", HEARD, "--suite", suite, "--system", os.fsdecode(b"a\xff.txt"))


def test_what_a_pipe_gives_is_read(folder: Path) -> None:
    """``--system <(command)`` of a shell names a pipe."""
    read, write = os.pipe()
    os.write(write, b"Be terse.\n")
    os.close(write)
    if not (folder / f"/dev/fd/{read}").exists():
        pytest.skip("no /dev/fd here")
    assert prompt_of(f"/dev/fd/{read}", "--system").text == "Be terse."
    os.close(read)


# Two prompts


def test_a_runs_prompt_comes_from_a_file(cli: Cli, suite: str, prompts: tuple[str, str]) -> None:
    """It takes the place of the conversations' own, arrives at the engine, and its text is stored."""
    code, out, _ = cli("run", HEARD, "--suite", suite, "-q", "--system", prompts[0])
    assert code == 0
    (run,) = run_ids(out)
    assert firsts(run) == [f"system: Be terse. | user: {said}" for said in ("hello", "one", "uno")]
    assert systems(run) == ["Be terse."] * 4


def test_a_text_and_a_file_of_it_are_one_condition(cli: Cli, suite: str, prompts: tuple[str, str]) -> None:
    """So the run is used again."""
    _, first, _ = cli("run", HEARD, "--suite", suite, "-q", "--system", prompts[0])
    _, second, _ = cli("run", HEARD, "--suite", suite, "-q", "--system", "Be terse.")
    assert run_ids(first) == run_ids(second)
    assert "used again" in second


@pytest.mark.parametrize(
    "flags",
    [
        ("--system", "terse.txt", "--tuned-system", "rhyme.txt"),
        ("--base-system", "terse.txt", "--tuned-system", "rhyme.txt"),
        ("--system", "rhyme.txt", "--base-system", "terse.txt"),
    ],
    ids=["system-tuned", "base-tuned", "system-base"],
)
def test_two_prompts_are_compared_on_one_model(
    cli: Cli, suite: str, prompts: tuple[str, str], flags: tuple[str, ...]
) -> None:
    """Each arm gets its own: ``--system`` is for both, the others for one; the lines say which run had which."""
    code, out, err = cli(
        "compare", "--report", "", HEARD, HEARD, "--suite", suite, "-q", "--vary", "system_prompt", *flags
    )
    assert code == 0, err
    base, tuned = run_ids(out)
    assert firsts(base)[0] == "system: Be terse. | user: hello"
    assert firsts(tuned)[0] == "system: Always rhyme. | user: hello"
    assert len(ASKED) == 14
    assert f"{HEARD} [{prompts[0]}]: run {base}" in out
    assert f"{HEARD} [{prompts[1]}]: run {tuned}" in out
    assert "differs as declared: system_prompt: 'Be terse.' / 'Always rhyme.'" in out
    assert "A/A run" not in out + err


def test_no_prompt_against_one(cli: Cli, suite: str) -> None:
    """An empty text is no system prompt, where the conversation has one of its own, too."""
    command = (
        "compare",
        "--report",
        "",
        HEARD,
        HEARD,
        "--suite",
        suite,
        "-q",
        "--vary",
        "system_prompt",
        "--tuned-system",
        "",
    )
    code, out, _ = cli(*command, "--only", "c")
    assert code == 0
    base, tuned = run_ids(out)
    assert firsts(base) == ["system: Be brief. | user: uno"]
    assert firsts(tuned) == ["user: uno"]
    assert f"{HEARD} [own prompts]: run {base}" in out
    assert f"{HEARD} [no prompt]: run {tuned}" in out


@pytest.mark.parametrize("name", ["system_prompt", "system"])
def test_both_names_declare_it(cli: Cli, suite: str, prompts: tuple[str, str], name: str) -> None:
    """``system`` is how it was called before."""
    flags = ("--system", prompts[0], "--tuned-system", prompts[1], "--vary", name)
    assert cli("compare", "--report", "", HEARD, HEARD, "--suite", suite, "-q", *flags)[0] == 0


def test_two_prompts_that_are_not_declared_are_refused_before_anything_is_asked(
    refused: Refused, suite: str, prompts: tuple[str, str]
) -> None:
    """The error says that it is the prompts, and what to type."""
    told = refused("compare", HEARD, HEARD, "--suite", suite, "-q", "--system", prompts[0], "--tuned-system", "Hum.")
    assert "base and tuned have different system prompts" in told
    assert "system_prompt: 'Be terse.' / 'Hum.'" in told
    assert "--vary system_prompt" in told
    assert ASKED == []


def test_a_comparison_of_prompts_goes_on_and_is_used_again(cli: Cli, suite: str, prompts: tuple[str, str]) -> None:
    """What failed is asked for again, by the same command; then nothing is."""
    flags = ("--system", prompts[0], "--tuned-system", prompts[1], "--vary", "system_prompt")
    command = ("compare", "--report", "", HEARD, HEARD, "--suite", suite, "-q", *flags)
    LOST.add("b")
    code, _, err = cli(*command)
    assert code == 5
    assert f"{HEARD} [{prompts[1]}]: 3 turns are missing" in err
    LOST.clear()
    ASKED.clear()
    assert cli(*command)[0] == 0
    assert ASKED == [("b", 0), ("b", 1), ("b", 2)] * 2
    ASKED.clear()
    code, out, _ = cli(*command)
    assert (code, ASKED, out.count("used again")) == (0, [], 2)


def test_progress_tells_the_arms_apart(cli: Cli, suite: str, prompts: tuple[str, str]) -> None:
    """One model with two prompts."""
    flags = ("--system", prompts[0], "--tuned-system", prompts[1], "--vary", "system_prompt")
    _, _, err = cli("compare", "--report", "", HEARD, HEARD, "--suite", suite, *flags)
    assert f"{HEARD} [{prompts[0]}]: 7/7 turns" in err
    assert f"{HEARD} [{prompts[1]}]: 7/7 turns" in err


def test_a_dry_comparison_tells_the_arms_apart(cli: Cli, suite: str, prompts: tuple[str, str]) -> None:
    """With what each would cost."""
    _, out, _ = cli("compare", "--report", "", HEARD, HEARD, "--suite", suite, "--dry-run", "--base-system", prompts[0])
    assert f"{HEARD} [{prompts[0]}]: 7 replies" in out
    assert f"{HEARD} [own prompts]: 7 replies" in out


@pytest.mark.parametrize(
    ("base", "tuned", "shown"),
    [
        (Prompt("a"), Prompt("a"), ("", "")),
        (Prompt("a", "x/a.txt"), Prompt("b", "y/b.txt"), (" [a.txt]", " [b.txt]")),
        (Prompt("a", "x/p.txt"), Prompt("b", "y/p.txt"), (" [x/p.txt]", " [y/p.txt]")),
        (Prompt("Be terse."), Prompt("Rhyme."), (" ['Be terse.']", " ['Rhyme.']")),
        (Prompt("Be terse."), Prompt("Be kind."), (" ['...terse.']", " ['...kind.']")),
        (Prompt("Be nice."), Prompt("Be nice. Rhyme."), (" ['Be nice.']", " ['...Rhyme.']")),
        (Prompt("Be\nnice."), Prompt("Be\nkind."), (" ['...nice.']", " ['...kind.']")),
        (Prompt(None), Prompt("b", "b.txt"), (" [own prompts]", " [b.txt]")),
        (Prompt(""), Prompt(None), (" [no prompt]", " [own prompts]")),
        (Prompt("one " * 20), Prompt("b"), (" ['one one one one one one...']", " ['b']")),
        (Prompt("a  b"), Prompt("a b"), (" [base's prompt]", " [tuned's prompt]")),
        (Prompt("x" * 40 + "y"), Prompt("x" * 40 + "z"), (" [base's prompt]", " [tuned's prompt]")),
    ],
)
def test_marks(base: Prompt, tuned: Prompt, shown: tuple[str, str]) -> None:
    """What is added to a spec: nothing, the file, or the first words that the other has not; always two that differ."""
    arms = tuple(Arm(spec="scripted:echo", system=prompt.text) for prompt in (base, tuned))
    found = marks((arms[0], arms[1]), (base, tuned))
    assert found == shown
    assert base.text == tuned.text or found[0] != found[1]


def test_runs_and_diff_tell_the_prompts_apart(cli: Cli, suite: str, folder: Path) -> None:
    """Also of two that begin alike; and each transcript is shown with its own."""
    (folder / "long.txt").write_text("You are a helpful assistant. Reply in one sentence, and rhyme.", encoding="utf-8")
    (folder / "more.txt").write_text("You are a helpful assistant. Reply in one sentence, and hum.", encoding="utf-8")
    flags = ("--system", "long.txt", "--tuned-system", "more.txt", "--vary", "system_prompt")
    base, tuned = run_ids(
        cli("compare", "--report", "", "scripted:echo", "scripted:echo", "--suite", suite, "-q", *flags)[1]
    )
    (bare,) = run_ids(cli("run", "scripted:echo", "--suite", suite, "-q", "--system", "")[1])
    cli("run", "scripted:echo", "--suite", suite, "-q")
    own, none, second, first = cli("runs")[1].splitlines()
    assert first.startswith(f"{base}  scripted:echo ['You are a helpful assist...one sentence, and rhyme.']  small")
    assert second.startswith(f"{tuned}  scripted:echo ['You are a helpful assist...n one sentence, and hum.']  small")
    assert none.startswith(f"{bare}  scripted:echo [no prompt]  small")
    assert "scripted:echo  small" in own
    _, shown, _ = cli("diff", base, tuned, "a")
    assert shown.count("\nsystem: You are") == 2
    _, shown, _ = cli("diff", base, base, "a")
    assert "\nsystem: You are" in shown
    _, shown, _ = cli("diff", base, bare, "a")
    assert "\nsystem: (none)" in shown


# A model against itself


def means(folder: Path) -> tuple[float, float]:
    """The words of a reply in each arm, on average over the suite's conversations, from the results file."""
    results = json.loads((folder / "outputs" / "mtbench_results.json").read_bytes())
    replies = [
        [len(turn["assistant"].split()) for item in results[f"{arm}_results"] for turn in item["transcript"]]
        for arm in ("base", "tuned")
    ]
    return sum(replies[0]) / len(replies[0]), sum(replies[1]) / len(replies[1])


def test_a_model_against_itself_is_held_twice_and_shows_noise(cli: Cli, suite: str, folder: Path) -> None:
    """With two seeds; it is said before anything is asked, and first of the comparison's notes."""
    code, out, err = cli("compare", "--report", "", DRAWN, DRAWN, "--suite", suite, "-q")
    assert code == 0
    base, tuned = run_ids(out)
    assert base != tuned
    assert f"{DRAWN} [seed 0]: run {base}" in out
    assert f"{DRAWN} [seed 1]: run {tuned}" in out
    assert err.splitlines()[0].startswith("A/A run: ")
    assert out.count("A/A run: base and tuned") == 1
    assert "whatever differs is noise" in " ".join(out.split())
    assert "differs as declared: sampling.seed: 0 / 1" in out
    assert firsts(base) != firsts(tuned)
    assert means(folder)[0] != means(folder)[1]
    assert "greedy" not in out


def test_the_next_seed_is_of_the_one_that_was_asked_for(cli: Cli, suite: str) -> None:
    """Also at the last seed that there is."""
    for seed, following in ((5, 6), (2**63 - 1, 0)):
        _, out, _ = cli("compare", "--report", "", DRAWN, DRAWN, "--suite", suite, "-q", "--seed", str(seed))
        assert f"[seed {seed}]" in out
        assert f"[seed {following}]" in out


def test_an_a_a_run_goes_on_and_is_used_again(cli: Cli, suite: str) -> None:
    """Its second run is found by its seed, and by other commands, too."""
    command = ("compare", "--report", "", HEARD, HEARD, "--suite", suite, "-q")
    LOST.add("b")
    assert cli(*command)[0] == 5
    LOST.clear()
    ASKED.clear()
    _, out, _ = cli(*command)
    assert ASKED == [("b", 0), ("b", 1), ("b", 2)] * 2
    ASKED.clear()
    code, again, _ = cli(*command)
    assert (code, ASKED, run_ids(again)) == (0, [], run_ids(out))
    _, alone, _ = cli("run", HEARD, "--suite", suite, "-q", "--seed", "1")
    assert run_ids(alone) == run_ids(out)[1:]


def test_progress_tells_the_two_runs_of_an_a_a_run_apart(cli: Cli, suite: str) -> None:
    """Both are of one arm."""
    _, _, err = cli("compare", "--report", "", DRAWN, DRAWN, "--suite", suite)
    assert f"{DRAWN}: 7/7 turns" in err
    assert f"{DRAWN}, again: 7/7 turns" in err


def test_a_greedy_a_a_run_says_that_it_shows_no_noise(cli: Cli, suite: str, folder: Path) -> None:
    """Nothing is drawn: told before the first reply, with what to type instead."""
    code, out, err = cli("compare", "--report", "", DRAWN, DRAWN, "--suite", suite, "-q", "--temperature", "0")
    assert code == 0
    for told in (out, err):
        assert "greedy (temperature 0): nothing is drawn" in told
        assert "the same by construction" in told
        assert "--temperature" in told
    assert means(folder) == (1.0, 1.0)


@pytest.mark.parametrize(
    "flags",
    [("--system", "terse.txt"), ("--base-system", "terse.txt", "--tuned-system", "Be terse."), ("--system", "")],
    ids=["one", "equal", "none"],
)
def test_one_prompt_for_both_is_an_a_a_run(
    cli: Cli, suite: str, prompts: tuple[str, str], flags: tuple[str, ...]
) -> None:
    """Wherever it comes from; declared or not. Whoever forgot ``--tuned-system`` is told."""
    assert prompts[0] == "terse.txt"
    for declared in ((), ("--vary", "system_prompt")):
        code, out, _ = cli("compare", "--report", "", DRAWN, DRAWN, "--suite", suite, "-q", *flags, *declared)
        assert code == 0
        assert "A/A run: " in out


def test_both_histories_of_a_model_against_itself(cli: Cli, folder: Path) -> None:
    """Four runs, two seeds; each line says which."""
    turns = [
        {"text": "one", "golden": "gold", "checks": [{"kind": "says", "any": ["word"]}]},
        {"text": "two", "golden": "gold", "checks": [{"kind": "says", "any": ["word"]}]},
    ]
    (folder / "checked.json").write_text(json.dumps([{"id": "a", "turns": turns}]), encoding="utf-8")
    code, out, err = cli("compare", "--report", "", DRAWN, DRAWN, "--suite", "checked.json", "-q", "--history", "both")
    assert code == 0, err
    assert len(set(run_ids(out))) == 4
    assert f"{DRAWN} [seed 0] with golden history: run" in out
    assert f"{DRAWN} [seed 1] with golden history: run" in out


def test_two_stored_runs_of_one_arm_are_compared_without_a_declaration(cli: Cli, suite: str) -> None:
    """By whatever commands they were held; another arm with another seed needs one."""
    commands = (("--seed", "3"), ("--seed", "8"), ("--seed", "8", "--system", "Hi."))
    runs = [run_ids(cli("run", DRAWN, "--suite", suite, "-q", *flags)[1])[0] for flags in commands]
    with open_store(None, create=False) as store:
        compared = compare_stored(store, runs[0], runs[1]).comparison
        assert compared.same_model
        assert compared.notes[0].startswith("A/A run: ")
        assert any(change.score for change in compared.changes)
        with pytest.raises(ConditionsDiffer, match=r"sampling\.seed: 3 / 8"):
            compare_stored(store, runs[0], runs[2], vary=["system_prompt"])
        declared = compare_stored(store, runs[0], runs[2], vary=["system_prompt", "sampling.seed"]).comparison
        assert not declared.same_model
        assert not declared.notes[0].startswith("A/A run: ")


def test_a_run_compared_with_itself_is_told_to_show_nothing(cli: Cli, suite: str) -> None:
    """Nothing was held a second time."""
    (run,) = run_ids(cli("run", DRAWN, "--suite", suite, "-q")[1])
    with open_store(None, create=False) as store:
        compared = compare_stored(store, run, run).comparison
    assert compared.notes[0].startswith("A/A run: base and tuned are one and the same run")
    assert not any(change.score for change in compared.changes)


def test_two_imported_models_of_one_name_are_no_a_a_run(cli: Cli, folder: Path) -> None:
    """A file's name for a model says nothing of its weights."""
    talk = {"id": "a", "transcript": [{"user": "Hi", "assistant": "Hello."}]}
    held = {"base_model": "m", "tuned_model": "m", "base_results": [talk], "tuned_results": [talk]}
    (folder / "loop.json").write_text(json.dumps(held), encoding="utf-8")
    code, out, _ = cli("import", "results", "loop.json")
    assert code == 0
    assert "A/A" not in out
