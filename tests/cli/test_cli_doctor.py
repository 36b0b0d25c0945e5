"""``multiturn doctor``: a page to read, and nothing stored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

Cli = Callable[..., tuple[int, str, str]]


def test_the_page_shows_prompt_reply_and_remarks(cli: Cli, folder: Path) -> None:
    """For a model of any engine; no store is made."""
    code, out, err = cli("doctor", "scripted:echo")
    assert (code, err) == (0, "")
    assert "What is sent for the second turn" in out
    assert "user: And what is my cat called?" in out
    assert "A reply to its first turn" in out
    assert "context window" in out
    assert list(folder.iterdir()) == []


def test_nothing_is_asked_with_no_ask(cli: Cli, folder: Path) -> None:
    (folder / "none.json").write_text("{}", encoding="utf-8")
    code, out, _ = cli("doctor", "scripted:none.json", "--no-ask")  # which has no reply to give
    assert code == 0
    assert "A reply to its first turn" not in out


def test_a_model_without_a_reply_is_a_warning_and_no_traceback(cli: Cli) -> None:
    """What it said instead is in the page."""
    code, out, err = cli("doctor", "scripted:slow_scripts:down")
    assert (code, err) == (0, "")
    assert "WARNING" in out


def test_a_model_that_is_none(refused: Callable[..., str]) -> None:
    """The same errors as everywhere."""
    assert "names no engine" in refused("doctor", "nothing")
    assert "no file" in refused("doctor", "none.gguf")
    assert "there is no template file" in refused("doctor", "scripted:echo", "--template", "plian")
