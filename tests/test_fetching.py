"""Fetching a file by path, ``file://`` or from a real server on this machine."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import pytest

from multiturn.errors import NotFound, UsageError
from multiturn.fetching import fetch

TEXT: Final = b"one\ntwo\n"


class _Server(BaseHTTPRequestHandler):
    """Answers by the path that is asked for."""

    def do_GET(self) -> None:
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/file")
            self.end_headers()
            return
        if self.path not in ("/file", "/endless", "/slow", "/broken"):
            self.send_error(404 if self.path == "/gone" else 500)
            return
        self.send_response(200)
        if self.path == "/broken":
            self.send_header("Content-Length", "1000")
        self.end_headers()
        if self.path == "/endless":
            with contextlib.suppress(ConnectionError):  # who asked has had enough
                for _ in range(200):
                    self.wfile.write(b"x" * 10_000)
            return
        if self.path == "/slow":
            time.sleep(1.5)
        with contextlib.suppress(ConnectionError):
            self.wfile.write(TEXT)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that is overridden
        """Say nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    served = ThreadingHTTPServer(("127.0.0.1", 0), _Server)
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{served.server_port}"
    served.shutdown()
    served.server_close()
    thread.join()


def test_a_file_is_fetched_by_path_and_by_url(server: str, tmp_path: Path) -> None:
    """Redirects are followed; blanks in a ``file://`` URL are escaped."""
    path = tmp_path / "a file.txt"
    path.write_bytes(TEXT)
    for source in (str(path), path.as_uri(), f"{server}/file", f"{server}/moved"):
        assert fetch(source) == TEXT


@pytest.mark.parametrize(
    ("place", "kind", "told"),
    [
        ("/gone", NotFound, "404"),
        ("/wrong", UsageError, "500"),
        ("/broken", UsageError, "can't be fetched"),
        ("/endless", UsageError, "is larger than 100,000 bytes"),
        ("/slow", UsageError, "can't be fetched"),
    ],
)
def test_what_a_server_does_not_give_is_told_with_the_url(
    server: str, place: str, kind: type[UsageError], told: str
) -> None:
    """Not there, broken off, larger than is taken, slower than is waited for."""
    with pytest.raises(kind) as caught:
        fetch(f"{server}{place}", most_bytes=100_000, seconds=0.5)
    assert f"{server}{place}" in caught.value.message
    assert told in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("source", "kind", "told"),
    [
        ("nowhere.jsonl", NotFound, "there is no file nowhere.jsonl"),
        ("file:///nowhere/x", NotFound, "there is no file /nowhere/x"),
        (".", UsageError, "is a folder"),
        ("ftp://host/x", UsageError, "ftp:// can't be fetched"),
        ("http://127.0.0.1:1/x", UsageError, "can't be fetched"),
        ("http://[::1/x", UsageError, "can't be"),
        ("a\0b", UsageError, "can't be read"),
    ],
)
def test_what_can_not_be_fetched_is_told(source: str, kind: type[UsageError], told: str) -> None:
    with pytest.raises(kind) as caught:
        fetch(source, seconds=2)
    assert told in caught.value.message


def test_a_large_file_here_is_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"x" * 11)
    assert len(fetch(str(path), most_bytes=11)) == 11
    with pytest.raises(UsageError, match="larger than 10 bytes"):
        fetch(str(path), most_bytes=10)
