"""Keys, which are written nowhere, and servers that are not there or closed to us, found before any conversation."""

from __future__ import annotations

import base64
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.faulty_server import HOST, MODEL, Script, Step, error_body
from tests.faults.http_here import RUN, Here
from tests.faults.http_place import statuses

KEY = "sk-test-AAAA1111BBBB2222CCCC"
OTHER_KEY = "sk-other-DDDD3333EEEE4444FFFF"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Here]:
    """A fresh folder; nothing that was started in it outlives the test."""
    made = Here(tmp_path)
    yield made
    made.stop_all()


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
    require_silence(here, *told)
    assert "[redacted]" in (here.folder / "run.jsonl").read_text(encoding="utf-8")


def test_the_key_of_openai_goes_to_the_server_that_stands_for_openai(here: Here) -> None:
    """``OPENAI_BASE_URL`` names it; a comparison with its results file keeps the key nowhere."""
    here.write_suite(2, 2)
    here.serve(Script())
    url = here.spec.partition("@")[2]
    keys = {"MULTITURN_API_KEY": OTHER_KEY, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url}
    code, out, err = here.run(
        "compare", "--report", "", f"openai:{MODEL}", f"openai:{MODEL}", "--results", "r.json", *RUN, **keys
    )
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
