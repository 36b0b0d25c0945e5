"""Reading the results files of other scripts: the usual shapes, and every fault of the others at once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.suites.exchanges import HeldTurn
from multiturn.suites.held import HeldArm, HeldFile, read_held

TURNS = [{"user": "one", "assistant": "1"}, {"user": "two", "assistant": "2"}]
HELD = (HeldTurn(user="one", reply="1"), HeldTurn(user="two", reply="2"))


def read(value: object) -> HeldFile:
    return read_held(json.dumps(value).encode())


def arms(value: object) -> tuple[HeldArm, ...]:
    found = read(value)
    assert found.faults == ()
    return found.arms


def only(value: object) -> HeldArm:
    (arm,) = arms(value)
    return arm


def faults(value: object) -> list[str]:
    return [fault.told("r.json") for fault in read(value).faults]


# What can be read


def test_base_and_tuned_with_the_scripts_own_count_of_refusals() -> None:
    base, tuned = arms(
        {
            "base_model": "org/base",
            "tuned_model": "out/tuned",
            "base_results": [{"id": "a", "transcript": TURNS, "refusal_count": 1}],
            "tuned_results": [{"id": "a", "transcript": TURNS}],
        }
    )
    assert (base.model, tuned.model) == ("org/base", "out/tuned")
    assert base.conversations[0].turns == HELD
    assert (base.conversations[0].refusals, tuned.conversations[0].refusals) == (1, None)


def test_base_alone_is_one_arm() -> None:
    assert only({"base_model": "m", "base_results": [{"id": "a", "transcript": TURNS}]}).model == "m"


@pytest.mark.parametrize(
    "value",
    [
        [{"id": "a", "transcript": TURNS}],
        {"results": [{"id": "a", "transcript": TURNS}]},
        {"conversations": [{"id": "a", "transcript": TURNS}]},
        {"results": {"a": TURNS}},
        {"a": TURNS},
        {"id": "a", "transcript": TURNS},
        {"id": "a", "turns": TURNS},
        [{"conversation_id": "a", "conversation": TURNS}],
        [{"name": "a", "messages": TURNS}],
        [{"conversation": "a", "history": TURNS}],
        [{"ID": "a", "Transcript": TURNS}],
    ],
)
def test_one_models_conversations_in_many_shapes(value: object) -> None:
    """A list, an object that holds one, an object of transcripts by id, a conversation alone; names vary."""
    arm = only(value)
    assert [(one.id, one.turns) for one in arm.conversations] == [("a", HELD)]


def test_json_lines() -> None:
    """One conversation a line; a byte order mark and blank lines do no harm, and one line is enough."""
    lines = [json.dumps({"id": name, "transcript": TURNS}) for name in "ab"]
    for data in ("\ufeff" + "\n\n".join(lines) + "\n", "\r\n".join(lines)):
        (arm,) = read_held(data.encode()).arms
        assert [one.id for one in arm.conversations] == ["a", "b"]
    (arm,) = read_held(json.dumps({"conversation_id": "a", "messages": TURNS}).encode()).arms
    assert [one.id for one in arm.conversations] == ["a"]


@pytest.mark.parametrize(
    "transcript",
    [
        [["one", "1"], ["two", "2"]],
        [{"prompt": "one", "response": "1"}, {"prompt": "two", "response": "2"}],
        [{"question": "one", "answer": "1"}, {"question": "two", "answer": "2"}],
        [{"input": "one", "output": "1"}, {"input": "two", "output": "2"}],
        [{"User": "one", "Assistant": "1"}, {"human": "two", "gpt": "2"}],
        [
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "1"},
            {"role": "user", "content": [{"type": "text", "text": "tw"}, {"type": "text", "text": "o"}]},
            {"role": "assistant", "content": "2"},
        ],
        [
            {"from": "human", "value": "one"},
            {"from": "gpt", "value": "1"},
            {"from": "human", "value": "two"},
            {"from": "gpt", "value": "2"},
        ],
    ],
)
def test_turns_in_many_shapes(transcript: object) -> None:
    assert only([{"id": "a", "transcript": transcript}]).conversations[0].turns == HELD


def test_users_texts_and_replies_in_two_lists() -> None:
    (one,) = only([{"id": "a", "turns": ["one", "two"], "responses": ["1", "2"]}]).conversations
    (other,) = only([{"id": "a", "prompts": ["one", "two"], "answers": ["1", "2"]}]).conversations
    assert one.turns == other.turns == HELD


def test_a_system_message_is_kept_apart() -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "one"}]
    (one,) = only([{"id": "a", "messages": [*messages, {"role": "assistant", "content": "1"}]}]).conversations
    (other,) = only([{"id": "a", "system": "Be brief.", "transcript": TURNS}]).conversations
    assert (one.system, one.turns) == ("Be brief.", HELD[:1])
    assert (other.system, other.turns) == ("Be brief.", HELD)


def test_a_users_message_that_nothing_follows_has_no_reply() -> None:
    """As where a script broke off, or the model's message is null."""
    messages = [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": None},
        {"role": "user", "content": "two"},
        {"role": "user", "content": "three"},
        {"role": "assistant", "content": "3"},
        {"role": "user", "content": "four"},
    ]
    turns = only([{"id": "a", "messages": messages}]).conversations[0].turns
    assert [(turn.user, turn.reply) for turn in turns] == [("one", None), ("two", None), ("three", "3"), ("four", None)]


def test_missing_ids_are_numbers_and_the_reader_is_told() -> None:
    found = read({"base_results": [{"transcript": TURNS}, {"id": 7, "transcript": TURNS}, TURNS]})
    assert [one.id for one in found.arms[0].conversations] == ["conversation-1", "7", "conversation-3"]
    (note,) = found.notes
    assert (
        note.told("r.json") == "r.json: base_results: 2 of 3 conversations have no id; they are numbered by their place"
    )


def test_an_id_that_comes_again_is_a_further_sample() -> None:
    """With the same user's turns, as far as it was held; the reader is told."""
    found = read(
        [{"id": "a", "transcript": TURNS}, {"id": "a", "transcript": TURNS[:1]}, {"id": "b", "transcript": TURNS}]
    )
    assert [(one.id, one.sample) for one in found.arms[0].conversations] == [("a", 0), ("a", 1), ("b", 0)]
    assert "further samples: 'a'" in found.notes[0].text


def test_samples_that_a_file_names_are_kept() -> None:
    found = read([{"id": "a", "sample": sample, "transcript": TURNS} for sample in (0, 1)])
    assert [one.sample for one in found.arms[0].conversations] == [0, 1]
    assert found.notes == ()


def test_two_models_in_one_list_are_two_arms() -> None:
    """The one that comes first is the base, and the reader is told so."""
    found = read([{"id": "a", "model": model, "transcript": TURNS} for model in ("m0", "m1")])
    assert [arm.model for arm in found.arms] == ["m0", "m1"]
    assert "'m0', which comes first, is taken as base" in found.notes[0].text


@pytest.mark.parametrize(
    "value",
    [
        {"base": {"model": "m", "results": [{"id": "a", "transcript": TURNS}]}},
        {"baseline_model": "m", "baseline_results": [{"id": "a", "transcript": TURNS}]},
        {"base": "m", "base_results": [{"id": "a", "transcript": TURNS}]},
        {"base_results": [{"id": "a", "model": "m", "transcript": TURNS}]},
        {"model": "m", "results": [{"id": "a", "transcript": TURNS}]},
        [{"id": "a", "model_name": "m", "transcript": TURNS}],
    ],
)
def test_the_models_name_is_found(value: object) -> None:
    assert only(value).model == "m"


@pytest.mark.parametrize(
    ("beside", "status", "finish"),
    [
        ({"status": "ok"}, "ok", None),
        ({"status": "SUCCESS"}, "ok", None),
        ({"status": "timeout"}, "failed", None),
        ({"status": "overflowed"}, "overflowed", None),
        ({"finish_reason": "length"}, None, "length"),
        ({"finish_reason": "content_filter"}, None, "filter"),
        ({}, None, None),
    ],
)
def test_how_a_turn_ended_is_read_where_the_file_says_so(
    beside: dict[str, str], status: str | None, finish: str | None
) -> None:
    (turn,) = only([{"id": "a", "transcript": [{"user": "one", "assistant": "1"} | beside]}]).conversations[0].turns
    assert (turn.status, turn.finish) == (status, finish)


def test_a_status_that_is_no_word_of_ours_is_noted() -> None:
    found = read([{"id": "a", "transcript": [{"user": "one", "assistant": "1", "status": "green"}]}])
    assert found.arms[0].conversations[0].turns == HELD[:1]
    assert "'green'" in found.notes[0].text


def test_fields_that_are_not_read_may_hold_anything() -> None:
    """Python writes NaN and Infinity, which are no JSON."""
    text = json.dumps({"loss": float("nan"), "results": [{"id": "a", "bleu": float("inf"), "transcript": TURNS}]})
    assert "NaN" in text
    assert read_held(text.encode()).faults == ()


def test_half_a_surrogate_pair_becomes_a_sign_that_can_be_kept() -> None:
    data = b'[{"id": "a", "transcript": [{"user": "one", "assistant": "1 \\ud83d"}]}]'
    assert read_held(data).arms[0].conversations[0].turns[0].reply == "1 \ufffd"


# What can't


def test_every_fault_is_told_at_once_with_its_place() -> None:
    nothing: dict[str, Any] = {}
    found = faults(
        {
            "base_results": [
                {"id": "a", "transcript": [{"user": "one", "assistant": 3}, {"user": " ", "assistant": "2"}, "three"]},
                {"id": "b", "transcript": [{"user": "one"}, {"assistant": "1"}, ["one", "1", "more"]]},
                {"id": "c", "transcript": []},
                "d",
            ],
            "tuned_results": [
                {"id": "a", "transcript": "User: one"},
                {"id": "", "transcript": TURNS},
                {"id": "e", "sample": -1, "transcript": TURNS},
                nothing,
            ],
        }
    )
    assert found == [
        "r.json: base_results[0].transcript[0].assistant: must be text, or null where there is none, not the number 3",
        "r.json: base_results[0].transcript[1].user: is empty: write what the user said",
        'r.json: base_results[0].transcript[2]: must be a turn like {"user": ..., "assistant": ...}, not the text \'three\'',
        "r.json: base_results[1].transcript[0].assistant: is missing: write null where there is no reply (the names here: 'user')",
        'r.json: base_results[1].transcript[1].user: is missing: a turn is {"user": ..., "assistant": ...} (the names here: \'assistant\')',
        "r.json: base_results[1].transcript[2]: must be a pair, [what the user said, the reply], not a list of 3",
        "r.json: base_results[2].transcript: is empty: a conversation has at least one turn",
        'r.json: base_results[3]: must be a conversation like {"id": ..., "transcript": [...]}, not the text \'d\'',
        'r.json: tuned_results[0].transcript: must be a list of turns like {"user": ..., "assistant": ...}, not the text \'User: one\'',
        "r.json: tuned_results[1].id: must be 1 to 200 printable characters, not ''",
        "r.json: tuned_results[2].sample: must be a whole number, 0 or more, not the number -1",
        "r.json: tuned_results[3].transcript: is missing: the list of the turns (the names here: none)",
    ]


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        ([{"role": "assistant", "content": "1"}], "transcript[0]: an assistant's message must follow a user's"),
        ([{"role": "user", "content": "one"}, "1"], "transcript[1]: must be a message like"),
        (
            [{"role": "tool", "content": "1"}],
            "transcript[0].role: must be user, assistant or system, not the text 'tool'",
        ),
        ([{"role": "user"}], "transcript[0].content: is missing"),
        ([{"role": "user", "content": ""}], "transcript[0]: is empty: write what the user said"),
        (
            [{"role": "user", "content": "one"}, {"role": "system", "content": "Be brief."}],
            "transcript[1]: a system message after the first turn can't be kept",
        ),
        (
            [{"role": "user", "content": "one"}, *[{"role": "assistant", "content": "1"}] * 2],
            "transcript[2]: an assistant's message must follow a user's",
        ),
    ],
)
def test_messages_that_make_no_conversation(messages: object, fault: str) -> None:
    (told,) = faults([{"id": "a", "transcript": messages}])
    assert fault in told


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "r.json:line 1: no conversations: the file is empty"),
        (b"hello", "r.json:line 1: column 1: not JSON"),
        (b'{"base_results": [{"id"', "not JSON"),
        (b"[]", "the list is empty"),
        (b"{}", "no conversations are in it"),
        (b'{"loss": 1}', "the names here: 'loss'"),
        (b'{"base_results": []}', "no conversations are in it"),
        (b'{"base_results": [{"id": "a", "transcript": [{"user": "x", "assistant": NaN}]}]}', "NaN is no JSON"),
        (b'[{"id": NaN, "transcript": [["a", "b"]]}]', "NaN is no JSON"),
        (b'[{"id": "a", "id": "b", "transcript": [["a", "b"]]}]', "id: is given twice"),
        (b'[{"id": true, "transcript": [["a", "b"]]}]', "must be text or a whole number, not true"),
        (b'[{"id": "a", "turns": ["one"], "responses": []}]', "must be a list of as many replies"),
        (b'[{"id": "a", "turns": ["one", "two"]}]', "must be a turn like"),
        (b'[{"id": "a", "transcript": [["x", "1"]]}, {"id": "a", "transcript": [["y", "1"]]}]', "'a' occurs twice"),
        (b'{"schema": 1, "run": {"id": "x"}}\n{"suite": {}}\n', "multiturn import run FILE"),
        (b"\xff\xfe[\x00", "UTF-16"),
        (b'[{"id": "caf\xe9"}]', "is not UTF-8"),
    ],
)
def test_what_is_no_results_file(data: bytes, fault: str) -> None:
    told = [one.told("r.json") for one in read_held(data).faults]
    assert any(fault in line for line in told), told


def test_more_than_two_models_are_too_many() -> None:
    (told,) = faults([{"id": "a", "model": model, "transcript": TURNS} for model in "xyz"])
    assert "names 3 models" in told


@pytest.mark.parametrize("line", [2, 3])
def test_a_torn_line_is_named(line: int) -> None:
    lines = [json.dumps({"id": f"c{number}", "transcript": TURNS}) for number in range(3)]
    lines[line - 1] = lines[line - 1][:20]
    (fault,) = read_held("\n".join(lines).encode()).faults
    assert fault.line == line


HEAD = [
    "base_results",
    "tuned",
    "results",
    "id",
    "name",
    "transcript",
    "turns",
    "messages",
    "responses",
    "system",
    "model",
]
TURN = ["user", "assistant", "role", "content", "status", "error", "flags", "finish_reason", "sample", "refusal_count"]
NAMES = st.sampled_from([*HEAD, *TURN, "x"])
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.floats()
    | st.sampled_from(["", "user", "assistant", "one", "\ud800"])
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=25
)


@given(VALUES)
def test_any_json_is_read_or_has_its_faults_told(value: object) -> None:
    """Nothing that stands in a file stops the reader; without faults there is a conversation."""
    found = read(value)
    assert found.faults or any(arm.conversations for arm in found.arms)
    assert all(turn.user.strip() for arm in found.arms for one in arm.conversations for turn in one.turns)
