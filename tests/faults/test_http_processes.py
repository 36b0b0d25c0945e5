"""Servers that are killed, not there, or closed to us, through the real command line; several servers of one name; keys."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.parse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.faults import faulty_server
from tests.faults.faulty_server import HOST, MODEL, Asked, FaultyServer, Script, Step, error_body
from tests.faults.http_place import Place, require_right, statuses, suite_of

from multiturn import api
from multiturn.facts import ServerOptions
from multiturn.run import Progress
from multiturn.transcript import Transcript

KEY = "sk-test-AAAA1111BBBB2222CCCC"
OTHER_KEY = "sk-other-DDDD3333EEEE4444FFFF"
QUICK = ("--timeout", "5", "--retries", "2", "--longest-wait", "0.1")


class Here:
    """A folder in which servers and commands are started as processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port_file = folder / "port"
        self._started: list[subprocess.Popen[str]] = []

    def serve(self, script: Script) -> None:
        """Start a server process, on the port of the one before; return when it listens."""
        (self.folder / "script.json").write_bytes(msgspec.json.encode(script))
        self.server = self._start(faulty_server.__file__, str(self.port_file), "script.json")
        assert self.server.stdout is not None
        assert self.server.stdout.readline() == "listening\n"

    def kill_server(self) -> None:
        """With -9."""
        self.server.kill()
        self.server.communicate()
        assert self.server.returncode == -signal.SIGKILL

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """A ``multiturn`` process; no key of this machine reaches it."""
        return self._start("-m", "multiturn", *arguments, **environment)

    def run(self, *arguments: str, **environment: str) -> tuple[int, str, str]:
        """Start and wait for the end."""
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def refused(self, *arguments: str, codes: tuple[int, ...] = (2, 5), **environment: str) -> str:
        """Give a command that must be refused: what is wrong and what next, on standard error alone."""
        code, out, err = self.run(*arguments, **environment)
        assert code in codes, err
        assert out == ""
        assert err.startswith("multiturn: "), err
        assert "\n  next: " in err
        assert "Traceback" not in err
        return err

    def _start(self, *command: str, **environment: str) -> subprocess.Popen[str]:
        unset = {"OPENAI_API_KEY", "MULTITURN_API_KEY", "OPENAI_BASE_URL", "OLLAMA_HOST"}
        plain = {name: value for name, value in os.environ.items() if name not in unset}
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=self.folder,
            env=plain | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._started.append(process)
        return process

    def stop_all(self) -> None:
        """End what is left."""
        for process in self._started:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.communicate()

    @property
    def spec(self) -> str:
        """The model behind the server process."""
        return f"openai:{MODEL}@http://{HOST}:{self.port_file.read_text(encoding='utf-8')}/v1"

    def asked(self) -> list[Asked]:
        """What server processes were asked for replies, since the last look."""
        file = self.port_file.with_name("port.asked")
        if not file.exists():
            return []
        lines = file.read_bytes().splitlines()
        file.unlink()
        return [asked for asked in (msgspec.json.decode(line, type=Asked) for line in lines) if asked.is_chat]

    def write_suite(self, conversations: int, turns: int) -> None:
        """As ``suite.json``."""
        suite = [
            {"id": conversation.id, "turns": [turn.text for turn in conversation.turns]}
            for conversation in suite_of(conversations, turns).conversations
        ]
        (self.folder / "suite.json").write_text(json.dumps(suite), encoding="utf-8")

    def stored(self) -> list[Transcript]:
        """Of the one run in the store; none where nothing was begun."""
        if not (self.folder / "s.db").exists():
            return []
        with api.open_store(self.folder / "s.db") as store:
            runs = store.runs()
            assert len(runs) <= 1
            return [transcript for summary in runs for transcript in api.transcripts(store, summary.run)]


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Here]:
    """A fresh folder; nothing that was started in it outlives the test."""
    made = Here(tmp_path)
    yield made
    made.stop_all()


RUN = ("--suite", "suite.json", "--store", "s.db", "--workers", "8", *QUICK)


def wait_for_turns(here: Here, running: subprocess.Popen[str], turns: int) -> None:
    """Until so many have their reply in the store."""
    deadline = time.monotonic() + 20
    while sum(turn.status == "ok" for transcript in here.stored() for turn in transcript.turns) < turns:
        assert running.poll() is None, running.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_killed_server_costs_only_what_is_missing(here: Here) -> None:
    """Killed with -9 in the middle of a run, started again on its port: the same command asks for the rest, once."""
    here.write_suite(60, 4)
    here.serve(Script(always=Step(delay=0.02)))
    command = ("run", here.spec, *RUN)
    running = here.start(*command)
    wait_for_turns(here, running, 20)
    here.kill_server()
    _, err = running.communicate(timeout=60)
    assert running.returncode == 5, err
    assert "in a row failed" in err
    assert "the same command again" in err
    kept = {
        (transcript.session, turn.turn): turn
        for transcript in here.stored()
        for turn in transcript.turns
        if turn.status == "ok"
    }
    assert 20 <= len(kept) < 240
    here.asked()

    here.serve(Script())
    code, _, err = here.run(*command)
    assert code == 0, err
    final = {(transcript.session, turn.turn): turn for transcript in here.stored() for turn in transcript.turns}
    assert len(final) == 240
    assert {turn.status for turn in final.values()} == {"ok"}
    assert {key: final[key] for key in kept} == kept
    asked = Counter(asked.body for asked in here.asked())
    assert len(asked) == asked.total() == 240 - len(kept)
    for transcript in here.stored():
        require_right(transcript)


def test_a_server_that_comes_back_in_time_is_not_missed(here: Here) -> None:
    """Started again while the tries last: the run goes on by itself and every reply is right."""
    here.write_suite(24, 4)
    here.serve(Script(always=Step(delay=0.05)))
    patient = ("--retries", "30", "--longest-wait", "0.3")
    running = here.start("run", here.spec, *RUN, *patient)
    wait_for_turns(here, running, 10)
    here.kill_server()
    time.sleep(0.5)
    here.serve(Script())
    _, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    transcripts = here.stored()
    assert {turn.status for transcript in transcripts for turn in transcript.turns} == {"ok"}
    for transcript in transcripts:
        require_right(transcript)


def homes(*servers: FaultyServer) -> dict[str, set[int]]:
    """Which servers each conversation was asked of, by what it begins with."""
    found: dict[str, set[int]] = {}
    for number, server in enumerate(servers):
        for asked in server.chats:
            found.setdefault(asked.chat["messages"][0]["content"], set()).add(number)
    return found


def test_a_conversation_stays_with_its_server(tmp_path: Path) -> None:
    """Two URLs of one name share the conversations, each of which has its whole history, and its cache, in one place."""
    with FaultyServer(Script(always=Step(delay=0.01))) as one, FaultyServer(Script(always=Step(delay=0.01))) as other:
        transcripts = Place(tmp_path).hold(f"{one.spec},{other.url}", suite_of(30, 3), at_once=8)
    assert {turn.status for transcript in transcripts for turn in transcript.turns} == {"ok"}
    found = homes(one, other)
    assert len(found) == 30
    assert all(len(servers) == 1 for servers in found.values())
    assert 0 < sum(servers == {0} for servers in found.values()) < 30
    for transcript in transcripts:
        require_right(transcript)


@pytest.mark.parametrize("death", ["gone", "failing", "silent"])
def test_conversations_move_when_their_server_dies(tmp_path: Path, death: str) -> None:
    """Not listening any more, answering 500, or never answering: the other server takes over, and no turn is lost."""
    faults = {"gone": Step(fault="reset"), "failing": Step(status=500), "silent": Step(fault="hang")}
    steps, slow = (Step(delay=0.01),) * 20, Script(always=Step(delay=0.01))
    place, options = Place(tmp_path), ServerOptions(timeout=0.5, retries=4, longest_wait=0.1)
    with FaultyServer(Script(steps=steps, always=faults[death])) as one, FaultyServer(slow) as other:

        def watch(_arm: api.Arm, progress: Progress) -> None:
            in_the_middle = len(one.chats[-1].chat["messages"]) == 3
            if death == "gone" and progress.turns_done >= 16 and in_the_middle:
                one.stop()

        job = place.job(suite_of(40, 3), options, at_once=8)
        began = time.monotonic()
        held = api.evaluate(f"{one.spec},{other.url}", job, watch=watch)
        assert time.monotonic() - began < 30
    assert held.progress.replies == 120
    transcripts = place.stored()
    assert {turn.status for transcript in transcripts for turn in transcript.turns} == {"ok"}
    for transcript in transcripts:
        require_right(transcript)
    found = homes(one, other)
    assert any(servers == {0, 1} for servers in found.values()), "no conversation had to move"
    assert len(one.chats) < 20 + 60, "the dead server is asked on and on"


def spellings(secret: str) -> set[bytes]:
    """How a secret could stand in a file: as it is, in a URL, in base 64 (whatever stands before it)."""
    plain = {secret, urllib.parse.quote(secret, safe=""), secret[3:]}
    shifted = {base64.b64encode(b"x" * shift + secret.encode())[4:-4].decode() for shift in range(3)}
    return {text.encode() for text in plain | shifted}


def require_silence(here: Here, *texts: str, secrets: tuple[str, ...] = (KEY, OTHER_KEY)) -> None:
    """No secret in any byte of any file that multiturn wrote here, nor in what it said."""
    ours = {"script.json", "port", "port.asked", "suite.json"}
    written = {path: path.read_bytes() for path in here.folder.rglob("*") if path.is_file() and path.name not in ours}
    for secret in secrets:
        for spelled in spellings(secret):
            assert not [path for path, data in written.items() if spelled in data], secret
            assert not [text for text in texts if spelled in text.encode()], secret


REPEATING = (
    Step(status=401, body=error_body("Incorrect API key provided: {key}. Bearer {key}")),
    Step(status=500, body='{"error": "authorization header was Bearer {key}"}'),
    Step(status=400, body=error_body("no field {key}", code="{key}")),
    Step(status=502, body="<html><title>{key}</title>{key}</html>", content_type="text/html"),
    Step(body=error_body("{key}", code="{key}")),
    Step(body="key={key}&url=%7Bkey%7D"),
    Step(status=307, headers={"Location": "/v1/else?key=" + KEY}, body="{key}"),
)


def test_a_key_that_a_server_repeats_is_written_nowhere(here: Here) -> None:
    """Not in the store, not in an export, not on the screen; the key of another service is not even sent."""
    steps = [step for fault in REPEATING for step in (fault, Step())]
    here.write_suite(len(steps), 1)
    here.serve(Script(steps=tuple(steps)))
    keys = {"MULTITURN_API_KEY": KEY, "OPENAI_API_KEY": OTHER_KEY}
    commands = (
        ("run", here.spec, *RUN, "--workers", "1", "--retries", "0"),
        ("show", "latest", "c000", "--store", "s.db"),
        ("export", "latest", "run.jsonl", "--store", "s.db"),
    )
    told = [text for command in commands for text in here.run(*command, **keys)[1:]]
    assert [statuses(transcript.turns)[0] for transcript in here.stored()] == ["failed", "ok"] * len(REPEATING)
    lines = (here.folder / "port.asked").read_text(encoding="utf-8")
    assert f"Bearer {KEY}" in lines, "the server never had the key"
    assert OTHER_KEY not in lines
    assert "[redacted]" in (here.folder / "run.jsonl").read_text(encoding="utf-8")
    require_silence(here, *told)


def test_the_key_of_openai_goes_to_the_server_that_stands_for_openai(here: Here) -> None:
    """``OPENAI_BASE_URL`` names it; a comparison with its results file keeps the key nowhere."""
    here.write_suite(2, 2)
    here.serve(Script())
    url = here.spec.partition("@")[2]
    keys = {"MULTITURN_API_KEY": OTHER_KEY, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url}
    code, out, err = here.run("compare", f"openai:{MODEL}", f"openai:{MODEL}", "--results", "r.json", *RUN, **keys)
    assert code in {0, 4}, err
    assert (here.folder / "r.json").exists()
    lines = (here.folder / "port.asked").read_text(encoding="utf-8")
    assert f"Bearer {KEY}" in lines
    assert OTHER_KEY not in lines
    require_silence(here, out, err)


@pytest.mark.parametrize(
    "url",
    [
        "http://user:pw-DDDD3333@127.0.0.1:9/v1",
        "http://127.0.0.1:9/v1?key=qk-EEEE4444",
        "http://pw-DDDD3333@127.0.0.1:9",
    ],
)
def test_a_url_that_holds_a_secret_is_refused_without_repeating_it(here: Here, url: str) -> None:
    """It would be recorded with the spec."""
    here.write_suite(1, 1)
    err = here.refused("run", f"openai:{MODEL}@{url}", *RUN, codes=(2,))
    require_silence(here, err, secrets=("pw-DDDD3333", "qk-EEEE4444"))
    assert here.stored() == []


def require_nothing_begun(here: Here) -> None:
    """No conversation was started."""
    assert [turn for transcript in here.stored() for turn in transcript.turns] == []


def test_a_server_that_is_not_there_is_said_before_any_conversation(here: Here) -> None:
    """Nobody listens: the address is named, and what to do."""
    here.write_suite(30, 2)
    here.serve(Script())
    spec = here.spec
    here.kill_server()
    began = time.monotonic()
    err = here.refused("run", spec, *RUN, codes=(5,))
    assert time.monotonic() - began < 15
    assert spec.partition("//")[2].partition("/")[0] in err
    require_nothing_begun(here)


CLOSED = Step(status=401, body=error_body("Incorrect API key provided: {key}", "invalid_api_key"))
NO_SUCH = Step(status=404, body=error_body("The model `tester` does not exist", "model_not_found"))
NO_ROUTE = Step(status=404, body='{"detail": "Not Found"}')
OTHERS = Step(
    body='{"object": "list", "data": [{"id": "tester-2", "object": "model"}, {"id": "x", "object": "model"}]}'
)


@pytest.mark.parametrize("models", [CLOSED, NO_ROUTE], ids=["a closed list", "no list"])
def test_a_wrong_key_is_said_before_any_conversation(here: Here, models: Step) -> None:
    """Whether the list of models is closed to us, or only the replies are; the variable is named, never the key."""
    here.write_suite(30, 2)
    here.serve(Script(always=CLOSED, models=models))
    err = here.refused("run", here.spec, *RUN, MULTITURN_API_KEY=KEY)
    assert "MULTITURN_API_KEY" in err
    require_nothing_begun(here)
    assert len(here.asked()) <= 1
    require_silence(here, err)


def test_a_missing_key_is_said_with_the_variable_that_it_belongs_to(here: Here) -> None:
    """Where a server wants one and none is set."""
    here.write_suite(30, 2)
    here.serve(Script(always=CLOSED, models=CLOSED))
    err = here.refused("run", here.spec, *RUN)
    assert "MULTITURN_API_KEY" in err
    require_nothing_begun(here)


@pytest.mark.parametrize("models", [OTHERS, NO_ROUTE], ids=["not in the list", "no list"])
def test_an_unknown_model_is_said_before_any_conversation(here: Here, models: Step) -> None:
    """With the names that the server has, where it tells them."""
    here.write_suite(30, 2)
    here.serve(Script(always=NO_SUCH, models=models))
    err = here.refused("run", here.spec, *RUN)
    assert MODEL in err
    if models is OTHERS:
        assert "tester-2" in err
    require_nothing_begun(here)
    assert len(here.asked()) <= 1


def test_something_else_that_listens_is_said_before_any_conversation(here: Here) -> None:
    """A web page where a model was expected."""
    here.write_suite(30, 2)
    page = Step(body="<html><title>Sign in</title></html>", content_type="text/html")
    here.serve(Script(always=page, models=page))
    here.refused("run", here.spec, *RUN)
    require_nothing_begun(here)


def test_a_comparison_looks_at_both_servers_before_the_first_conversation(here: Here) -> None:
    """An arm that can't reply is found before the other arm is held."""
    here.write_suite(3, 2)
    here.serve(Script())
    here.refused("compare", here.spec, f"openai:{MODEL}@http://{HOST}:9/v1", *RUN, codes=(5,))
    assert here.asked() == [] or len(here.asked()) <= 1
    require_nothing_begun(here)


def test_a_failed_turn_is_told_at_the_end_with_what_to_do(here: Here) -> None:
    """A run of which a part is missing says so, and with which code it ends."""
    here.write_suite(3, 2)
    here.serve(Script(steps=(Step(),) * 5, always=Step(status=400, body=error_body("no"))))
    code, out, err = here.run("run", here.spec, *RUN[: -len(QUICK)], *QUICK, "--workers", "1")
    assert "1 turn is missing" in err
    assert "the same command again" in err
    assert code == 5
    assert "5 replies" in out
    assert statuses(here.stored()[-1].turns) == ["ok", "failed"]
