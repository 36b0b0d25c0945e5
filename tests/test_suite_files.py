"""Suite files made from others: published ones by their hash, chat logs as they are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fastchat.fastchat_files import MTBENCH, PUBLISHED, QUESTIONS, answer, write

from multiturn.errors import NotFound, SuiteError, UsageError
from multiturn.suite_files import convert_suite, get_published, write_suite
from multiturn.suites.reading import load_suite, shipped_suites
from multiturn.suites.writing import suite_json

Cli = Callable[..., tuple[int, str, str]]
published = pytest.mark.skipif(not MTBENCH.is_file(), reason=f"no published data in {PUBLISHED}")
REFERENCES = MTBENCH.parent / "reference_answer" / "gpt-4.jsonl"


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("name", shipped_suites())
def test_a_suite_that_is_written_is_read_back_as_itself(name: str, tmp_path: Path) -> None:
    """Checks, goldens, whys and all."""
    suite = load_suite(name)
    write_suite(suite, tmp_path / "again.json")
    assert load_suite(tmp_path / "again.json") == suite


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    """Unless it is the same."""
    path = tmp_path / "new" / "q.json"
    write_suite(load_suite("quick"), path)
    write_suite(load_suite("quick"), path)
    with pytest.raises(UsageError, match="is there already, and is another file"):
        write_suite(load_suite("safety_conversations"), path)
    assert path.read_bytes() == suite_json(load_suite("quick"))
    with pytest.raises(UsageError, match="is a folder"):
        write_suite(load_suite("quick"), tmp_path)


@published
def test_mtbench_is_known_by_its_hash(tmp_path: Path) -> None:
    """80 questions with their categories, and the 30 references as goldens of both turns."""
    suite, held = get_published("mtbench", str(MTBENCH), references=REFERENCES.as_uri())
    assert (suite.name, len(suite.conversations), suite.turn_count) == ("mtbench", 80, 160)
    first = next(one for one in suite.conversations if one.id == "101")
    texts = json.loads(REFERENCES.read_text(encoding="utf-8").splitlines()[0])["choices"][0]["turns"]
    assert [turn.golden for turn in first.turns] == texts
    assert sha256(MTBENCH) in suite.description
    assert "the 30 references of gpt-4" in suite.description
    assert held == ("--temperatures", "mtbench", "--top-p", "1", "--max-tokens", "1024")
    write_suite(suite, tmp_path / "mtbench.json")
    assert load_suite(tmp_path / "mtbench.json") == suite


def test_another_file_is_refused_with_both_hashes_and_how_to_go_on(tmp_path: Path) -> None:
    path = write(tmp_path / "question.jsonl", *QUESTIONS)
    with pytest.raises(UsageError) as caught:
        get_published("mtbench", str(path))
    assert sha256(path) in caught.value.message
    assert "119565adbab82227089cefdb44c8d7e2cf04dc0a0ec233634c82e7d4e2a944f7" in caught.value.message
    assert f"--sha256 {sha256(path)}" in caught.value.hint
    for word in (sha256(path), "any"):
        assert len(get_published("mtbench", str(path), accepted=[word])[0].conversations) == 2


def test_references_have_their_hash_too(tmp_path: Path) -> None:
    """A file that was changed is no reference, unless it is accepted by its own hash."""
    path = write(tmp_path / "question.jsonl", *QUESTIONS)
    other = write(tmp_path / "reference.jsonl", answer(2, ("four", "seven")))
    with pytest.raises(UsageError, match=sha256(other)):
        get_published("mtbench", str(path), references=str(other), accepted=[sha256(path)])
    both = [sha256(path), sha256(other)]
    suite, _ = get_published("mtbench", str(path), references=str(other), accepted=both)
    assert suite.conversations[1].turns[0].golden == "four"


@pytest.mark.parametrize("word", ["", "ANY", "abc", "g" * 64])
def test_what_is_no_hash_is_refused(word: str, tmp_path: Path) -> None:
    path = write(tmp_path / "question.jsonl", *QUESTIONS)
    with pytest.raises(UsageError, match="is no SHA-256"):
        get_published("mtbench", str(path), accepted=[word])


def test_an_unknown_name_is_told_with_those_that_are_known() -> None:
    with pytest.raises(NotFound) as caught:
        get_published("mmlu", "x")
    assert "known are mtbench" in caught.value.hint


def test_chat_logs_are_converted_with_what_was_left_out(tmp_path: Path) -> None:
    """A log with a tool is refused, or left out and told; the others are as ``load_suite`` reads them."""
    log = write(
        tmp_path / "log.jsonl",
        {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]},
        {"messages": [{"role": "tool", "content": "42"}]},
    )
    with pytest.raises(SuiteError) as caught:
        convert_suite(log)
    assert "--faulty leave-out" in caught.value.hint
    found = convert_suite(log, faulty="leave-out")
    assert found.form == "messages"
    assert [line.split(": ")[0] for line in found.left_out] == [f"{log}:line 2"]
    assert [turn.golden for turn in found.suite.conversations[0].turns] == ["Hello"]
    bare = convert_suite(log, faulty="leave-out", replies="drop").suite.conversations[0]
    assert [turn.golden for turn in bare.turns] == [None]
    with pytest.raises(SuiteError):
        convert_suite(write(tmp_path / "bad.jsonl", {"messages": []}), faulty="leave-out")


def test_questions_are_converted_with_their_references(tmp_path: Path) -> None:
    """References of other questions are told."""
    path = write(tmp_path / "question.jsonl", *QUESTIONS)
    other = write(tmp_path / "gpt-4.jsonl", answer(2, ("four", "seven")), answer(9, ("x",)))
    found = convert_suite(path, references=other)
    assert [turn.golden for turn in found.suite.conversations[1].turns] == ["four", "seven"]
    assert found.notes == (f"{other}: there is no conversation '9'",)
    with pytest.raises(SuiteError, match="1 references stand here"):
        convert_suite(path, references=write(tmp_path / "short.jsonl", answer(2, ("four",))))
