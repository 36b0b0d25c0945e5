"""Files of what people said: each kind by its content, and every fault with its place."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.errors import NotFound, UsageError
from multiturn.ranking import Preferred
from multiturn.votes import LabelledPair, LabelVote, ShownReply, Votes, parse_votes, read_replies, read_votes

VOTE = {"question_id": 81, "model_a": "one", "model_b": "two", "winner": "model_b", "judge": "expert_3", "turn": 2}


def lines(*rows: dict[str, object]) -> bytes:
    return b"\n".join(json.dumps(row).encode() for row in rows)


def faults(data: bytes) -> str:
    with pytest.raises(UsageError) as told:
        parse_votes(data, "v.jsonl")
    assert told.value.hint
    return told.value.message


def test_fastchats_votes() -> None:
    """Judges that are lists are models; authors are left out and counted; either word for a tie is a tie."""
    found = parse_votes(
        lines(
            VOTE,
            {**VOTE, "judge": ["gpt-4", "pair-v2"], "winner": "tie (inconsistent)"},
            {**VOTE, "judge": "author_1"},
            {**VOTE, "winner": "tie", "turn": 1, "question_id": "c"},
        ),
        "v",
    )
    assert found.people == (
        Preferred(conversation="81", turn=1, a="one", b="two", winner="b", by="expert_3"),
        Preferred(conversation="c", turn=0, a="one", b="two", winner="tie", by="expert_3"),
    )
    assert found.judges == (Preferred(conversation="81", turn=1, a="one", b="two", winner="tie", by="gpt-4 pair-v2"),)
    assert found.authors == 1


def test_preferences_are_peoples() -> None:
    found = parse_votes(b'{"conversation": "c", "a": "x", "b": "y", "winner": null, "by": "Ada"}\n', "v")
    assert found == Votes(people=(Preferred(conversation="c", a="x", b="y", winner=None, by="Ada"),))


def test_llmbars_pairs() -> None:
    found = parse_votes(json.dumps([{"input": "q", "output_1": "a", "output_2": "b", "label": 2}]).encode(), "v")
    assert found == Votes(pairs=(LabelledPair(question="q", replies=("a", "b"), label=2),))


def test_labels_of_replies() -> None:
    found = parse_votes(lines({"conversation": "c", "turn": 1, "arm": "m", "label": "harmful", "by": "Ada"}), "v")
    assert found == Votes(
        labels=(LabelVote(conversation="c", turn=0, arm="m", label="harmful", by="Ada", place="v:line 1"),)
    )


def test_votes_of_several_files_are_put_together() -> None:
    one = parse_votes(lines(VOTE), "v")
    both = one.and_(one)
    assert (len(both.people), both.judges) == (2, ())


def test_every_fault_has_its_line() -> None:
    told = faults(
        lines(VOTE, {**VOTE, "winner": "model_c"}, VOTE, {**VOTE, "turn": 0}, {**VOTE, "model_b": "one"}) + b"\n{"
    )
    assert "4 faults" in told
    for line, words in ((2, "model_c"), (4, ">= 1"), (5, "both 'one'"), (6, "truncated")):
        assert f"v.jsonl:line {line}: " in told
        assert words in told


def test_faults_of_a_list_have_their_entry() -> None:
    told = faults(b'[{"input": "q", "output_1": "a", "output_2": "b", "label": 3}, {"input": "q"}]')
    assert "v.jsonl:entry 1: " in told
    assert "v.jsonl:entry 2: " in told
    assert "output_1" in told


@pytest.mark.parametrize("data", [b"", b"\n\n", b"{}", b'{"x": 1}', b"words", b"3", b"[", b"[]", b"[1]", b"\xff\xfe"])
def test_what_holds_no_votes_is_refused(data: bytes) -> None:
    assert "v.jsonl" in faults(data)


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_bytes_are_a_crash(data: bytes) -> None:
    for start in (b"", b"[", b'{"model_a": 1, "model_b": 2}\n', b'{"arm": 1, "label": 2}\n'):
        with contextlib.suppress(UsageError):
            parse_votes(start + data, "v")


def test_replies_of_fastchats_conversations(tmp_path: Path) -> None:
    """Each reply with the question before it."""
    talk = [{"role": role, "content": text} for role, text in (("user", "q1"), ("assistant", "a1"), ("user", "q2"))]
    path = tmp_path / "c.jsonl"
    path.write_bytes(lines({"question_id": 7, "model": "m", "conversation": talk}))
    assert read_replies(path) == (ShownReply(conversation="7", turn=0, arm="m", question="q1", reply="a1"),)
    path.write_bytes(lines({"question_id": 7, "model": "m"}))
    with pytest.raises(UsageError, match=r"line 1: .*conversation"):
        read_replies(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no file .*gone"):
        read_votes(tmp_path / "gone.jsonl")
    with pytest.raises(UsageError, match="can't be read"):
        read_votes(tmp_path)


def test_what_the_page_shows_is_read() -> None:
    """docs/judging.md has a line of each kind of file."""
    page = (Path(__file__).parents[1] / "docs" / "judging.md").read_text(encoding="utf-8")
    table = page.split("| file | one line, or entry |")[1].split("\n\n")[0]
    shown = [line.split("`")[1] for line in table.splitlines() if "`" in line]
    found = [parse_votes((f"[{one}]" if "output_1" in one else one).encode(), "page") for one in shown]
    assert [len(one.people) + len(one.labels) + len(one.pairs) for one in found] == [1, 1, 1, 1]
