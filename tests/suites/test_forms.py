"""Suites in the forms of other tools, recognised by what stands in the file: FastChat, MT-Bench-101, chat logs."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.conversation import Suite
from multiturn.errors import SuiteError
from multiturn.suites.benchmarks import with_references
from multiturn.suites.forms import Form
from multiturn.suites.reading import examine, load_suite, parse_suite

SHARED = Path(os.environ.get("MULTITURN_SHARED") or Path(__file__).resolve().parents[2].parent / "shared")
PUBLISHED = SHARED / "published"

published = pytest.mark.skipif(not PUBLISHED.is_dir(), reason=f"no published data in {PUBLISHED}")

QUESTION: dict[str, object] = {
    "question_id": 7,
    "category": "math",
    "turns": ["2+2?", "And 3?"],
    "reference": ["4", "7"],
}
DIALOGUE: dict[str, object] = {
    "task": "MR",
    "id": 5,
    "history": [{"user": "2+2?", "bot": "4"}, {"user": "And 3?", "bot": "7"}],
}
SAID = [("user", "2+2?"), ("assistant", "4"), ("user", "And 3?"), ("assistant", "7")]
MESSAGES: dict[str, object] = {"id": "m", "messages": [{"role": role, "content": text} for role, text in SAID]}
NAMES = {"user": "human", "assistant": "gpt"}
SHAREGPT: dict[str, object] = {
    "id": "g",
    "conversations": [{"from": NAMES[role], "value": text} for role, text in SAID],
}
ALL: Mapping[Form, Mapping[str, object]] = {
    "fastchat": QUESTION,
    "mtbench101": DIALOGUE,
    "messages": MESSAGES,
    "sharegpt": SHAREGPT,
}


def read(*rows: object) -> Suite:
    return parse_suite("\n".join(json.dumps(row) for row in rows).encode(), "log.jsonl")


def faults_of(*rows: object) -> tuple[str, ...]:
    with pytest.raises(SuiteError) as caught:
        read(*rows)
    return caught.value.faults


def chat(*messages: tuple[str, object], **beside: object) -> dict[str, object]:
    return {"messages": [{"role": role, "content": content} for role, content in messages], **beside}


@pytest.mark.parametrize("form", ALL)
@pytest.mark.parametrize("shape", ["line", "lines", "list", "pretty"])
def test_every_form_is_known_by_its_content_in_every_shape_of_a_file(form: Form, shape: str) -> None:
    """JSON Lines of one conversation or two, a list, one object over many lines: the same conversation comes out."""
    row = ALL[form]
    other = json.dumps({**row, "question_id" if form == "fastchat" else "id": "b"})
    text = {
        "line": json.dumps(row),
        "lines": f"{json.dumps(row)}\n{other}\n",
        "list": f"[{json.dumps(row)}, {other}]",
        "pretty": json.dumps(row, indent=2),
    }[shape]
    found = examine(text.encode(), "whatever.txt")
    assert (found.form, found.faults) == (form, ())
    assert len(found.conversations) == (2 if shape in ("lines", "list") else 1)
    conversation = found.conversations[0]
    assert [(turn.text, turn.golden) for turn in conversation.turns] == [("2+2?", "4"), ("And 3?", "7")]
    assert conversation.category == ("math" if form in ("fastchat", "mtbench101") else None)


@pytest.mark.parametrize("form", ["messages", "sharegpt"])
def test_a_list_of_messages_alone_is_one_conversation(form: Form) -> None:
    """As some tools save a single chat; without an id, it gets one."""
    row = ALL[form]
    messages = row["messages" if form == "messages" else "conversations"]
    found = examine(json.dumps(messages).encode(), "chat.json")
    assert (found.form, found.faults) == (form, ())
    assert [(turn.text, turn.golden) for turn in found.conversations[0].turns] == [("2+2?", "4"), ("And 3?", "7")]


def test_a_log_without_messages_is_told_as_one() -> None:
    (fault,) = faults_of({"messages": []})
    assert fault == "log.jsonl:line 1: messages: holds no user's message; leave this conversation out"


@pytest.mark.parametrize("form", ALL)
def test_replies_can_be_left_out(form: Form) -> None:
    """With ``drop`` the user's turns alone are read, under the same id."""
    data = json.dumps(ALL[form]).encode()
    (kept,), (bare,) = examine(data, "f").conversations, examine(data, "f", replies="drop").conversations
    assert kept.id == bare.id
    assert [turn.text for turn in bare.turns] == [turn.text for turn in kept.turns]
    assert {turn.golden for turn in bare.turns} == {None}


def test_what_a_file_was_is_told_in_the_suite() -> None:
    """A reader of the suite sees that its goldens are a log's replies."""
    assert read(MESSAGES).description == (
        "each conversation is OpenAI messages (messages of role and content); replies kept as goldens: 2"
    )
    assert read({"id": "a", "turns": ["x"]}).description == ""


def test_a_form_can_be_named_where_a_file_has_two() -> None:
    """Names of ours come first; who means the messages says so."""
    data = json.dumps({**MESSAGES, "turns": ["Hello"]}).encode()
    assert [turn.text for turn in examine(data, "f").conversations[0].turns] == ["Hello"]
    assert len(examine(data, "f", "messages").conversations[0].turns) == 2


def test_two_forms_in_one_file_are_a_fault_with_its_line() -> None:
    (fault,) = faults_of(MESSAGES, SHAREGPT)
    assert fault == (
        "log.jsonl:line 2: is a ShareGPT conversation (conversations of from and value), and the file begins with "
        "OpenAI messages (messages of role and content); give a file for each"
    )


def test_an_object_of_ours_with_data_of_its_own_stays_ours() -> None:
    """Only a conversation without ``turns`` is another tool's, and a question only without ``id``."""
    row = {"id": "a", "turns": ["x"], "question_id": 3, "conversations": [{"from": "x", "value": "y"}]}
    assert examine(json.dumps(row).encode(), "f").form == "multiturn"


def test_a_category_that_is_none_of_ours_becomes_the_domain() -> None:
    (conversation,) = read({"question_id": 1, "category": "fermi", "turns": ["How many?"]}).conversations
    assert (conversation.category, conversation.domain) == (None, "fermi")


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"reference": ["4"]}, "reference: has 1 texts for 2 turns; give one for each turn"),
        ({"turns": []}, "turns: must be a list of texts, at least one, not nothing"),
        ({"turns": ["a", 5]}, "turns[1]: must be text, not the number 5"),
        ({"turns": ["a", " "]}, "turns[1]: is empty: white space or invisible characters only"),
        ({"question_id": None}, "question_id: must be text or a whole number, not null"),
        ({"category": 3}, "category: must be text, not the number 3"),
    ],
)
def test_a_faulty_question_is_told_with_its_field(change: dict[str, object], fault: str) -> None:
    assert f"log.jsonl:line 1: {fault}" in faults_of({**QUESTION, **change})


def test_a_blank_reference_is_none() -> None:
    """In the published questions a blank text stands where a turn has no reference."""
    (conversation,) = read({**QUESTION, "reference": ["4", ""]}).conversations
    assert [turn.golden for turn in conversation.turns] == ["4", None]


def test_a_question_that_is_there_twice_is_a_fault() -> None:
    (fault,) = faults_of(QUESTION, QUESTION)
    assert fault.startswith("log.jsonl:line 2: question_id: '7' is a duplicate of the id of line 1;")


def reference(question: int, *turns: object) -> str:
    return json.dumps({"question_id": question, "choices": [{"index": 0, "turns": turns}]})


def test_references_of_a_file_take_the_place_of_the_questions_own() -> None:
    """The last row for a question counts; questions without a row keep what they have; unknown ids are told."""
    suite = read(QUESTION, {**QUESTION, "question_id": 8})
    rows = "\n".join([reference(7, "no", "no"), reference(7, "four", "seven"), reference(99, "x")])
    joined = with_references(suite, rows.encode())
    assert (joined.conversations, joined.unknown, joined.faults) == (1, ("99",), ())
    assert [[turn.golden for turn in one.turns] for one in joined.suite.conversations] == [
        ["four", "seven"],
        ["4", "7"],
    ]
    assert joined.suite.digest == suite.digest, "what is asked stays the same"


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (reference(7, "one"), "choices: '7' has 2 turns, and 1 references stand here"),
        (reference(7, "one", None), "choices[0].turns[1]: must be text, not null"),
        ('{"question_id": 7, "choices": []}', 'choices: must be a list like [{"index": 0, "turns": [...]}]'),
        ("", "holds no references"),
        ("[]", "must be a reference with question_id and choices, not a list"),
    ],
)
def test_a_faulty_reference_is_told_and_nothing_is_joined(row: str, fault: str) -> None:
    joined = with_references(read(QUESTION), row.encode())
    assert joined.suite == read(QUESTION)
    assert fault in joined.faults[0].told("r")


def test_a_system_message_becomes_the_system_prompt() -> None:
    """Several in front are one; ``developer`` is another word for it."""
    (one,) = read(chat(("system", "Be brief."), ("developer", "Be kind."), ("user", "Hello"))).conversations
    assert one.system == "Be brief.\n\nBe kind."


def test_text_in_parts_is_put_together() -> None:
    parts = [{"type": "text", "text": "Hello "}, {"type": "input_text", "text": "there"}]
    (one,) = read(chat(("user", parts))).conversations
    assert one.turns[0].text == "Hello there"


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (
            chat(("user", [{"type": "image_url", "image_url": {"url": "x"}}])),
            "messages[0].content[0]: is of type 'image_url': only text can be said here; leave this conversation out",
        ),
        (
            chat(("user", "Hi"), ("tool", "42")),
            "messages[1].role: is 'tool': what a tool says can't be said again here; leave this conversation out",
        ),
        (
            {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "tool_calls": [{"id": "1"}]}]},
            "messages[1].tool_calls: a tool is called; tools can't be used here; leave this conversation out",
        ),
        (chat(("user", "Hi"), tools=[{"type": "function"}]), "tools: tools can't be used here; leave this conv"),
        (chat(("user", "Hi"), ("narrator", "x")), "messages[1].role: must be user, assistant or system, not the text"),
        (chat(("user", "Hi"), ("system", "x")), "messages[1].content: a system message after the first turn can't be"),
        (chat(("user", " ")), "messages[0].content: is empty: white space or invisible characters only"),
        (chat(("user", 5)), "messages[0].content: must be text, not the number 5"),
        (chat(("system", "x")), "messages: holds no user's message; leave this conversation out"),
        (chat(("user", "\ud800 x")), "messages[0].content: holds U+D800, half of a surrogate pair"),
        (chat(("user", "Hi"), id=""), "id: is empty; write a word or a number"),
    ],
)
def test_what_a_chat_log_holds_and_can_not_be_said_again_is_a_fault_with_its_place(row: object, fault: str) -> None:
    (found,) = faults_of(chat(("user", "fine")), row)
    assert found.startswith(f"log.jsonl:line 2: {fault}")


def test_what_is_not_kept_as_it_stood_is_noted() -> None:
    """A greeting before the first turn, a reply without text, two replies or two turns in a row: read, and told."""
    row = chat(
        ("assistant", "Welcome!"),
        ("user", "One"),
        ("user", "Two"),
        ("assistant", "a"),
        ("assistant", "b"),
        ("user", "Three"),
        ("assistant", ""),
    )
    found = examine(json.dumps(row).encode(), "f")
    (one,) = found.conversations
    assert [(turn.text, turn.golden) for turn in one.turns] == [("One", None), ("Two", "a\n\nb"), ("Three", None)]
    assert [(note.path, note.text.split(" ")[0]) for note in found.notes] == [
        ("messages[0].content", "an"),
        ("messages[2].content", "follows"),
        ("messages[4].content", "follows"),
        ("messages[6].content", "an"),
    ]


def test_a_log_without_ids_gets_ids_of_what_is_said() -> None:
    """They stay the same wherever the conversation stands in a file; one that is there again is left out and told."""
    one, other = chat(("user", "Hi"), ("assistant", "x")), chat(("user", "Hi"), ("assistant", "y"))
    found = examine("\n".join(json.dumps(row) for row in (one, other, one)).encode(), "f.jsonl")
    names = [conversation.id for conversation in found.conversations]
    assert [conversation.id for conversation in read(other, one).conversations] == names[::-1]
    assert all(name.startswith("chat-") for name in names)
    assert [note.told("f.jsonl") for note in found.notes] == [
        "f.jsonl:line 3: is word for word the conversation of line 1, and is left out"
    ]


def test_the_same_id_twice_in_a_log_is_a_fault() -> None:
    (fault,) = faults_of(MESSAGES, {**MESSAGES, "messages": [{"role": "user", "content": "Other"}]})
    assert fault.startswith("log.jsonl:line 2: id: 'm' is a duplicate of the id of line 1;")


FIELDS = ["messages", "conversations", "history", "role", "content", "from", "value", "user", "bot", "turns"]
FIELDS += ["question_id", "reference", "type", "text", "id", "category"]
CHAT_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(FIELDS),
            inner | st.sampled_from(["user", "gpt", "text", "tool"]),
            max_size=4,
        )
    ),
    max_leaves=16,
)


@given(CHAT_VALUES, st.sampled_from([None, *ALL]))
def test_any_json_is_read_or_refused_in_any_form(value: object, form: Form | None) -> None:
    """No shape of JSON crashes a reader, and what is neither read nor refused is empty."""
    found = examine(json.dumps(value).encode(), "f.json", form)
    assert found.conversations or found.faults


@published
def test_mtbench_as_fastchat_published_it() -> None:
    """80 questions, 10 of each category; 39 have references of their own, and the file of references has 30."""
    folder = PUBLISHED / "fastchat" / "data" / "mt_bench"
    suite = load_suite(folder / "question.jsonl")
    assert (len(suite.conversations), suite.turn_count) == (80, 160)
    assert {one.category for one in suite.conversations} == {
        *("writing", "roleplay", "reasoning", "math", "coding", "extraction", "stem", "humanities")
    }
    goldens = [sum(one.turns[turn].golden is not None for one in suite.conversations) for turn in (0, 1)]
    assert goldens == [38, 32], "39 have a reference, 8 of their texts are blank"
    joined = with_references(suite, (folder / "reference_answer" / "gpt-4.jsonl").read_bytes())
    assert (joined.conversations, joined.unknown, joined.faults) == (30, (), ())


@published
def test_mtbench_101_as_published() -> None:
    """1,388 dialogues of 13 tasks with 4,208 turns, each with a golden reply."""
    suite = load_suite(PUBLISHED / "mtbench101" / "data" / "subjective" / "mtbench101.jsonl")
    assert (len(suite.conversations), suite.turn_count) == (1388, 4208)
    assert len({one.domain for one in suite.conversations}) == 13
    assert all(turn.golden for one in suite.conversations for turn in one.turns)
