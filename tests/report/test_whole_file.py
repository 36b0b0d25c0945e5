"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from multiturn.report.whole_file import whole_file


def test_a_file_takes_its_place_when_it_is_whole(tmp_path: Path) -> None:
    """With the folders that it needs; until then the older one is there."""
    path = tmp_path / "new" / "page.html"
    for text in (b"first", b"second"):
        before = path.read_bytes() if path.exists() else None
        with whole_file(path) as file:
            file.write(text)
            assert (path.read_bytes() if path.exists() else None) == before
        assert path.read_bytes() == text
    assert [one.name for one in path.parent.iterdir()] == ["page.html"]


def test_what_fails_half_way_leaves_the_older_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(b"older")

    def write_half() -> None:
        with whole_file(path) as file:
            file.write(b"half")
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        write_half()
    assert path.read_bytes() == b"older"
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]


def test_a_link_stays_one(tmp_path: Path) -> None:
    """The file that it leads to is replaced."""
    kept, link = tmp_path / "kept.html", tmp_path / "link.html"
    kept.write_bytes(b"older")
    link.symlink_to(kept)
    with whole_file(link) as file:
        file.write(b"newer")
    assert link.is_symlink()
    assert kept.read_bytes() == b"newer"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    """Nothing takes its place: that of a device would be gone for all."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[bytes] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()
    with whole_file(pipe) as file:
        file.write(b"text")
    reader.join()
    assert heard == [b"text"]
    assert pipe.is_fifo()
