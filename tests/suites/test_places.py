from __future__ import annotations

import json

import pytest

from multiturn.conversation import Suite
from multiturn.errors import SuiteError
from multiturn.suites.reading import parse_suite

GOOD = '{"id": "a", "turns": ["One?", "Two?"]}'


def faults_of(text: str | bytes, name: str = "s.json") -> tuple[str, ...]:
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(SuiteError) as caught:
        parse_suite(data, name)
    return caught.value.faults


def read(text: str | bytes, name: str = "s.json") -> Suite:
    return parse_suite(text if isinstance(text, bytes) else text.encode(), name)


def ids(suite: Suite) -> list[str]:
    return [conversation.id for conversation in suite.conversations]


def texts(suite: Suite) -> list[str]:
    return [turn.text for conversation in suite.conversations for turn in conversation.turns]


def with_turn(turn: str) -> str:
    """A file of one conversation whose second turn is this JSON text."""
    return f'{{"id": "a", "turns": ["One?", {turn}]}}'


@pytest.mark.parametrize("name", ["s.json", "s.jsonl", "s", "s.txt"])
@pytest.mark.parametrize(
    "text",
    [
        '{"conversations": [' + GOOD + ', {"id": "b", "turns": [{"text": "x"}]}]}',
        '{\n "conversations":\n [\n' + GOOD + ',\n{"id": "b", "turns": [{"text": "x"}]}\n]\n}\n',
        "[" + GOOD + ', {"id": "b", "turns": ["x"]}]',
        "[\n" + GOOD + ',\n{"id": "b", "turns": ["x"]}\n]\n',
        GOOD + '\n{"id": "b", "turns": ["x"]}\n',
        "\n\n" + GOOD + '\n \t \n{"id": "b", "turns": ["x"]}',
        GOOD + '\r\n\r\n{"id": "b", "turns": ["x"]}\r\n',
        GOOD + '\r{"id": "b", "turns": ["x"]}\r',
    ],
)
def test_forms_are_told_apart_by_content(text: str, name: str) -> None:
    """Object, list and JSON Lines are read whatever the file's name ends in."""
    suite = read(text, name)
    assert ids(suite) == ["a", "b"]
    assert texts(suite) == ["One?", "Two?", "x"]
    assert suite.name == "s"


def test_one_pretty_printed_conversation_is_a_suite() -> None:
    """A file that holds one conversation over several lines is neither a list nor JSON Lines, and is read."""
    assert texts(read('{\n  "id": "a",\n  "turns": [\n    {"text": "x"}\n  ]\n}')) == ["x"]


def test_object_form_keeps_name_version_and_description() -> None:
    """The header of the object form names the suite; a whole number is a fine version."""
    suite = read('{"description": "d", "conversations": [' + GOOD + '], "version": 2, "name": "n", "licence": "x"}')
    assert (suite.name, suite.version, suite.description) == ("n", "2", "d")


def test_bom_is_accepted_even_inside() -> None:
    """Files joined by ``cat`` have a byte order mark in the middle."""
    data = b"\xef\xbb\xbf" + GOOD.encode() + b'\n\xef\xbb\xbf{"id": "b", "turns": ["x"]}\n'
    assert ids(read(data)) == ["a", "b"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_encodings_are_refused(encoding: str) -> None:
    """UTF-16 and UTF-32, with a mark or without, are refused in one fault that says what to do."""
    (fault,) = faults_of(GOOD.encode(encoding))
    assert fault.startswith("s.json:line 1: ")
    assert "offset" in fault
    assert "save the file as UTF-8" in fault


def test_latin1_is_refused_with_line_and_offset_and_the_rest_is_read() -> None:
    """A bad byte on one line of JSON Lines does not hide the faults of other lines."""
    data = GOOD.encode() + b'\n{"id": "\xfc", "turns": []}\n{"id": "c"}\n{"id": "\xe4"}'
    found = faults_of(data, "f.jsonl")
    assert [fault.split(": ")[0] for fault in found] == ["f.jsonl:line 2", "f.jsonl:line 3", "f.jsonl:line 4"]
    assert f"byte 0xFC at offset {data.index(0xFC)}" in found[0]


def test_offset_counts_the_byte_order_mark() -> None:
    """Offsets are those of the file as it lies on the disk."""
    data = b"\xef\xbb\xbf[\n\xff]"
    assert "0xFF at offset 5" in faults_of(data)[0]


def test_latin1_in_a_list_is_one_fault_a_line() -> None:
    """A list with bytes that are not UTF-8 can't be read further; no made-up faults follow."""
    assert len(faults_of(b'[{"id": "a",\n"turns": ["\xfc"]}, {"id": "b",\n"turns": ["\xfc"]}]')) == 2


@pytest.mark.parametrize("data", [b"", b"\n\n", b"  \r\n", b"\xef\xbb\xbf", b"[]", b'{"conversations": []}'])
def test_no_conversations(data: bytes) -> None:
    """A file without a conversation says so."""
    (fault,) = faults_of(data)
    assert "no conversations" in fault


def test_line_separators_inside_strings_do_not_end_lines() -> None:
    """U+2028, U+2029, U+0085, vertical tab and form feed are text to JSON; only a line feed ends a line."""
    text = '{"id": "a", "turns": ["x\u2028y\u2029z\u0085w"]}\n{"id": "b", "turns": ["\\u000b\\f?"]}\n{"id": "c"}'
    assert faults_of(text, "f.jsonl") == (
        "f.jsonl:line 3: turns: is missing; write the user's messages as a list of texts",
    )
    assert texts(read(text.rsplit("\n", 1)[0])) == ["x\u2028y\u2029z\u0085w", "\x0b\x0c?"]


@pytest.mark.parametrize("end", ["\\r\\n", "\\r", "\\n"])
def test_line_ends_inside_turns_become_line_feeds(end: str) -> None:
    """No carriage return reaches a model, in any text field."""
    suite = read(f'{{"id": "a", "system": "p{end}q", "turns": [{{"text": "x{end}y", "golden": "g{end}h"}}]}}')
    assert texts(suite) == ["x\ny"]
    assert suite.conversations[0].system == "p\nq"
    assert suite.conversations[0].turns[0].golden == "g\nh"


def test_text_is_otherwise_untouched() -> None:
    """Composed and decomposed characters, joiners and spaces at the ends are the author's."""
    text = "  cafe\u0301 \U0001f468\u200d\U0001f469 \u0646\u200c\u0645\n"
    assert texts(read(json.dumps({"id": "a", "turns": [text]}))) == [text]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[\n" + GOOD + ",\n" + '{"id": "b", "turns": ["x"\n', "line 4: column 1"),
        ("[\n" + GOOD + ",\n]", "line 3: column 1"),
        ("[\n" + GOOD + "\n" + GOOD + "]", "line 3: column 1"),
        ("[\n" + GOOD + "\n]\nmore", "line 4: column 1"),
        ("[" + GOOD + "]]", "line 1: column 41"),
        ('{"conversations": [\n' + GOOD + "\n", "line 3: column 1"),
        ('{"name": "n"\n "conversations": [' + GOOD + "]}", "line 2: column 2"),
        ('{name: "n", "conversations": [' + GOOD + "]}", "line 1: column 2"),
        (GOOD + '\n{"id": "b", "turns": ["x"]', "line 2: column 27"),
        (GOOD + "\n" + GOOD.replace('"a"', '"b"') + ",", "line 2: column 39"),
        (GOOD + " " + GOOD, "line 1: column 40"),
        ("id,turns\n1,Hello", "line 1: column 1"),
        ("- id: a\n  turns: [x]\n", "line 1: column 1"),
        ("{'id': 'a', 'turns': ['x']}", "line 1: column 2"),
        ('{"id": "a", "turns": ["x\ny"]}', "line 1: column 25"),
        ("[", "line 1: column 2"),
        ("{", "line 1: column 2"),
    ],
)
def test_broken_json_is_told_with_line_and_column(text: str, place: str) -> None:
    """Cut-off files, stray commas, text after the end, other formats: one fault, at its place."""
    (fault,) = faults_of(text)
    assert fault.startswith(f"s.json:{place}: ")


@pytest.mark.parametrize("comment", ["// first set", "# first set", "/* first set */"])
def test_comment_lines_are_faults(comment: str) -> None:
    """A comment line is told as such."""
    (fault,) = faults_of(f"{comment}\n{GOOD}\n", "f.jsonl")
    assert fault.startswith("f.jsonl:line 1: comments")


def test_a_list_that_breaks_off_still_tells_the_faults_before() -> None:
    """What can be read before the text breaks off is read."""
    found = faults_of('[\n{"id": "a", "turns": []},\n{"id": "b", "turns": ["x"')
    assert [fault.split(": ")[0] for fault in found] == ["s.json:line 2", "s.json:line 3"]


def test_json_lines_with_broken_lines_are_still_json_lines() -> None:
    """A torn first line, or commas after the lines, do not hide what is wrong with the others."""
    bad = '{"id": "b", "turns": []}'
    places = [fault.split(": ")[0] for fault in faults_of('{"id": "a", "turns": ["x"\n' + bad)]
    assert places == ["s.json:line 1", "s.json:line 2"]
    places = [fault.split(": ")[0] for fault in faults_of(GOOD + ",\n" + bad)]
    assert places == ["s.json:line 1", "s.json:line 2"]


def test_an_object_that_breaks_off_is_not_read_as_json_lines() -> None:
    """A cut-off file of the object form, one conversation a line, gives one fault and not one a line."""
    lines = ",\n".join(f'{{"id": "{number}", "turns": ["x"]}}' for number in range(9))
    assert len(faults_of('{"name": "n", "conversations": [\n' + lines)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"id": "a", "turns": ' + "[" * 100_000 + "]" * 100_000 + "}",
        GOOD + '\n{"id": "b", "turns": ' + "[" * 100_000,
    ],
)
def test_deep_nesting_is_a_fault(text: str) -> None:
    """Nesting that no reader survives is told, with its line."""
    found = faults_of(text)
    assert any("nested too deeply" in fault for fault in found)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize(
    "template",
    [
        '{"id": WORD, "turns": ["x"]}',
        '{"id": "a", "turns": WORD}',
        with_turn("WORD"),
        with_turn('{"text": "x", "distance": WORD}'),
        '{"id": "a", "turns": ["x"], "mine": [1, {"score": WORD}]}',
    ],
)
def test_numbers_that_are_none_are_refused_everywhere(word: str, template: str) -> None:
    """NaN and infinities are no JSON, in a user's own data neither."""
    (fault,) = faults_of(template.replace("WORD", word))
    assert f"{word} is no JSON" in fault


def test_a_number_of_thousands_of_digits_is_a_fault() -> None:
    """Python refuses to read such a number; the user is told where it is."""
    (fault,) = faults_of('{"id": ' + "1" * 5000 + ', "turns": ["x"]}')
    assert fault == "s.json:line 1: id: a number of 5000 digits is too long"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"id": "a", "turns": ["x"], "turns": ["y"]}', "turns"),
        ('{"id": "a", "id": "a", "turns": ["x"]}', "id"),
        (with_turn('{"text": "x", "text": "y"}'), "turns[1].text"),
        ('{"id": "a", "turns": ["x"], "mine": {"k": 1, "k": 2}}', "mine.k"),
        ('[{"id": "a", "turns": ["x"], "turns": ["y"]}]', "[0].turns"),
    ],
)
def test_a_name_given_twice_is_a_fault(text: str, place: str) -> None:
    """JSON readers keep the last value in silence; we don't."""
    (fault,) = faults_of(text)
    assert fault == f"s.json:line 1: {place}: is given twice in one object; keep one"


def test_a_header_name_given_twice_is_a_fault() -> None:
    """The same for the object form's own names, two lists of conversations among them."""
    one = '"conversations": [' + GOOD + "]"
    assert "s.json: name: is given twice in one object; keep one" in faults_of(
        '{"name": "n", "name": "m", ' + one + "}"
    )
    other = one.replace('"a"', '"b"')
    assert "s.json: conversations: is given twice in one object; keep one" in faults_of(f"{{{one}, {other}}}")
