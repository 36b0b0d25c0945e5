"""Kinds that look at a reply's form: code_block, table, list, no_markdown."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.checks.asking import ask

from multiturn.checks.markup import marks_in


def told(check: dict[str, object], reply: str) -> tuple[str, str | None]:
    found = ask(check, reply)
    if found.span:
        assert reply[found.span.start : found.span.end] == found.span.text
    return found.outcome, found.span.text if found.span else None


CODE = "Use this:\n\n```Python\ndef area(r):\n    return 3 * r\n```\n\nand in a shell\n\n~~~sh\nls\n~~~"


@pytest.mark.parametrize(
    ("fields", "reply", "outcome", "span"),
    [
        ({}, CODE, "pass", "def area(r):"),
        ({"language": "py"}, CODE, "pass", "def area(r):"),
        ({"language": "bash"}, CODE, "pass", "ls"),
        ({"language": "C++"}, "```cpp\nint x;\n```", "pass", "int x;"),
        ({"language": "rust"}, CODE, "fail", "def area(r):"),
        ({"language": "python"}, "```\nx = 1\n```", "fail", "x = 1"),
        ({"says": ["def area", ["return", "yield"]]}, CODE, "pass", "def area(r):"),
        ({"says": ["ls"]}, CODE, "pass", "ls"),
        ({"says": ["def area", "ls"]}, CODE, "fail", "def area(r):"),
        ({"says": ["shell"]}, CODE, "fail", "def area(r):"),
        ({"language": "python", "says": ["ls"]}, CODE, "fail", "def area(r):"),
        ({}, "Use `x = 1`.", "fail", None),
        ({}, "    x = 1", "fail", None),
        ({}, "```\n\n```", "fail", None),
        ({}, "```\nx = 1", "pass", "x = 1"),
        ({}, "1. Type\n   ```sh\n   ls\n   ```", "pass", "ls"),
        ({"scope": {"after": ["in a shell"]}, "language": "python"}, CODE, "fail", "ls"),
    ],
)
def test_code_blocks(fields: dict[str, object], reply: str, outcome: str, span: str | None) -> None:
    """One block must be in the language and say it all."""
    assert told({"kind": "code_block", **fields}, reply) == (outcome, span)


TABLE = "Here:\n\n| Dish | Price (€) |\n|---|---|\n| Soup | 5 |\n| Tart \\| cake | 4 |\n"


@pytest.mark.parametrize(
    ("fields", "reply", "outcome", "span"),
    [
        ({}, TABLE, "pass", "| Dish | Price (€) |"),
        ({"columns": {"exactly": 2}, "rows": {"exactly": 2}}, TABLE, "pass", "| Dish | Price (€) |"),
        ({"columns": {"min": 3}}, TABLE, "fail", "| Dish | Price (€) |"),
        ({"rows": {"max": 1}}, TABLE, "fail", "| Tart \\| cake | 4 |"),
        ({"rows": {"min": 3}}, TABLE, "fail", "| Dish | Price (€) |"),
        ({"header": ["price", ["dish", "course"]]}, TABLE, "pass", "| Dish | Price (€) |"),
        ({"header": ["soup"]}, TABLE, "fail", "| Dish | Price (€) |"),
        ({"columns": {"exactly": 2}}, "a | b\n--- | ---\n1 | 2", "pass", "a | b"),
        ({"columns": {"exactly": 1}}, "a | b\n--- | ---\n1 | 2\n\n| c |\n|---|", "pass", "| c |"),
        ({}, "a | b\nc | d", "fail", None),
        ({}, "```\n| a |\n|---|\n```", "fail", None),
        ({}, "Dish: soup", "fail", None),
    ],
)
def test_tables(fields: dict[str, object], reply: str, outcome: str, span: str | None) -> None:
    """The header is no row; of several tables one is enough."""
    assert told({"kind": "table", **fields}, reply) == (outcome, span)


BULLETS = "Take:\n\n- eggs\n- flour\n  - plain\n  - fine\n- milk\n\nDone."
NUMBERS = "1. Mix\n   - well\n2. Bake\n\n   for an hour\n3. Eat"


@pytest.mark.parametrize(
    ("fields", "reply", "outcome", "span"),
    [
        ({}, BULLETS, "pass", "eggs"),
        ({"items": {"exactly": 3}}, BULLETS, "pass", "eggs"),
        ({"items": {"max": 2}}, BULLETS, "fail", "milk"),
        ({"items": {"min": 4}}, BULLETS, "fail", None),
        ({"ordered": False}, BULLETS, "pass", "eggs"),
        ({"ordered": True}, BULLETS, "fail", "eggs"),
        ({"ordered": True, "items": {"exactly": 3}}, NUMBERS, "pass", "Mix"),
        ({"items": {"exactly": 3}}, NUMBERS, "pass", "Mix"),
        ({"ordered": False, "items": {"exactly": 1}}, NUMBERS, "pass", "well"),
        ({"ordered": True}, "a) Mix\nb) Bake", "pass", "Mix"),
        ({"ordered": True}, "4. Paint\n5. Clean", "pass", "Paint"),
        ({}, "36. That is all.", "fail", None),
        ({}, "Eggs, flour - and milk.", "fail", None),
        ({"items": {"exactly": 2}}, "- a\n\nText.\n\n- b", "pass", "a"),
        ({"scope": {"after": ["Take"]}, "items": {"exactly": 3}}, BULLETS, "pass", "eggs"),
    ],
)
def test_lists(fields: dict[str, object], reply: str, outcome: str, span: str | None) -> None:
    """The outermost items of all lists of the sort asked for."""
    assert told({"kind": "list", **fields}, reply) == (outcome, span)


@pytest.mark.parametrize(
    "check",
    [
        {"kind": "table", "rows": {"exactly": 2}},
        {"kind": "list", "items": {"max": 5}},
    ],
)
def test_upper_bounds_need_the_end(check: dict[str, object]) -> None:
    """A reply that was cut off may have gone on."""
    reply = TABLE if check["kind"] == "table" else BULLETS
    assert ask(check, reply).outcome == "pass"
    assert "cut off" in ask(check, reply, status="length").reason
    assert ask({"kind": check["kind"]}, reply, status="length").outcome == "pass"


MARKS = [
    ("a **b** c", "emphasis", "**b**"),
    ("a __b__ c", "emphasis", "__b__"),
    ("a *b* c", "emphasis", "*b*"),
    ("a _b c_ d", "emphasis", "_b c_"),
    ("***b***", "emphasis", "***b***"),
    ("a ~~b~~ c", "emphasis", "~~b~~"),
    ("**Note:** b", "emphasis", "**Note:**"),
    ("这是**重要**的", "emphasis", "**重要**"),
    ("# Title\nText", "heading", "# Title"),
    ("Title\n=====\nText", "heading", "Title"),
    ("So:\n- a\n- b", "list", "- a"),
    ("* a", "list", "* a"),
    ("1. a\n2. b", "list", "1. a"),
    ("a | b\n---|---\n1 | 2", "table", "a | b"),
    ("```\nx\n```", "code", "```"),
    ("Type `ls` now", "code", "`ls`"),
    ("see [this](https://a.example/b)", "link", "[this](https://a.example/b)"),
    ("![a](b.png)", "link", "![a](b.png)"),
    ("see <https://a.example>", "link", "<https://a.example>"),
    ("> said", "quote", "> said"),
    ("a.\n\n---\n\nb.", "rule", "---"),
]


@pytest.mark.parametrize(("reply", "kind", "span"), MARKS)
def test_marks_of_markdown(reply: str, kind: str, span: str) -> None:
    """Each is found, quoted, and can be allowed."""
    found = ask({"kind": "no_markdown"}, reply)
    assert found.reason == f"has markdown: {kind}"
    assert told({"kind": "no_markdown"}, reply) == ("fail", span)
    assert ask({"kind": "no_markdown", "allow": [kind]}, reply).outcome == "pass"
    others = [other for other in {kind for _, kind, _ in MARKS} if other != kind]
    assert ask({"kind": "no_markdown", "allow": others}, reply).outcome == "fail"


@pytest.mark.parametrize(
    "reply",
    [
        "2 * 3 * 4 = 24, and 2*3*4 too",
        "a 5* hotel, or a 4* one",
        "snake_case_name and __init__ and x_1",
        "__________ (your name)",
        "#1 of all, and #hashtags",
        "it is - well - so",
        "1. Oktober ist Feiertag.",
        "36. That is all.",
        "Bye!\n\n- Mira",
        "— Bonjour.\n— Salut.",
        "• a\n• b",
        "a) one\nb) two",
        "1、一\n2、二",
        "5 > 3, and -> there",
        "-5 degrees",
        "[1] and (2) and f[0](x)",
        "see https://a.example/b_c_d*e*",
        r"not \*this\*",
        "the ` key",
        "a | b",
        "~5 to ~6",
        "Dear Tom,\n\nI am well.\n\nMira",
        "*see below",
    ],
)
def test_plain_text_has_no_marks(reply: str) -> None:
    """What only looks like a mark is none."""
    assert ask({"kind": "no_markdown"}, reply).outcome == "pass"


def test_the_first_mark_is_quoted() -> None:
    """In the order of the reply; what stands in code is none but code."""
    reply = "Type `**x**`, then **go**.\n\n# End"
    assert told({"kind": "no_markdown"}, reply) == ("fail", "`**x**`")
    assert told({"kind": "no_markdown", "allow": ["code"]}, reply) == ("fail", "**go**")
    assert told({"kind": "no_markdown", "allow": ["code", "emphasis"]}, reply) == ("fail", "# End")


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        ({"kind": "code_block", "scope": "code"}, "scope must be reply or after a label"),
        ({"kind": "table", "scope": "prose"}, "scope must be reply, artefact or after a label"),
        ({"kind": "list", "scope": "list_items"}, "scope must be reply, artefact, prose or after a label"),
        ({"kind": "code_block", "language": "python 3"}, "language must be one word"),
        ({"kind": "code_block", "says": [" "]}, "says[0][0] is empty"),
        ({"kind": "table", "header": ["a", ["b*c"]]}, "header[1][0] has a star inside"),
        ({"kind": "table", "rows": {}}, "needs min, max or exactly"),
        ({"kind": "table", "rows": 3}, "rows: Expected `object"),
        ({"kind": "table", "columns": {"exact": 3}}, "exact is no field of it"),
        ({"kind": "list", "items": {"min": 3, "max": 2}}, "min is more than max"),
        ({"kind": "list", "items": {"max": 0}}, "a list without items"),
        ({"kind": "list", "ordered": "yes"}, "ordered: Expected `bool"),
        ({"kind": "no_markdown", "allow": ["bold"]}, "allow[0]: Invalid"),
    ],
)
def test_faults_of_configuration(check: dict[str, object], fault: str) -> None:
    """Are told when the check is read."""
    with pytest.raises(ValueError, match=r".") as told_:
        ask(check, "Yes.")
    assert fault in str(told_.value)


@given(
    st.lists(st.lists(st.from_regex(r"[a-z|]{1,6}", fullmatch=True), min_size=2, max_size=2), min_size=1, max_size=5),
    st.sampled_from(["| {} |", "{}"]),
)
def test_a_written_table_is_counted_as_it_was_written(rows: list[list[str]], outer: str) -> None:
    """With outer bars or without, bars inside cells escaped."""
    written = [" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows]
    reply = "\n".join(map(outer.format, [written[0], "--- | ---", *written[1:]]))
    check = {"kind": "table", "columns": {"exactly": 2}, "rows": {"exactly": len(rows) - 1}}
    assert ask(check, f"So:\n\n{reply}\n\nDone.").outcome == "pass"


@given(st.text(alphabet="*_~`#->|[]()1. ab\n", max_size=60))
def test_marks_are_ordered_and_where_they_say(text: str) -> None:
    """Each lies in one line of the text; lines come in order."""
    before = 0
    for mark in marks_in(text):
        assert 0 <= mark.start < mark.end <= len(text)
        assert "\n" not in text[mark.start : mark.end]
        assert text.rfind("\n", 0, mark.start) >= text.rfind("\n", 0, before)
        before = mark.start


@pytest.mark.parametrize(
    ("unit", "length"),
    [(unit, 1_000_000) for unit in ("a", "7", ",", "|", "`", "[", "- \n", " ", "\n", "*")]
    + [(unit, 200_000) for unit in ("**a ", "_a ", "`a", "[a](", "](", "~~a", "<https://", "|-|\n", "- a\n", "> \n")],
)
def test_hostile_replies_take_linear_time(unit: str, length: int) -> None:
    """A megabyte of anything within seconds, through every kind of form."""
    reply = unit * (length // len(unit))
    start = time.perf_counter()
    for check in (
        {"kind": "code_block", "says": ["x"], "language": "py"},
        {"kind": "table", "rows": {"max": 3}, "header": ["b"]},
        {"kind": "list", "items": {"max": 3}},
        {"kind": "no_markdown", "allow": ["list", "code", "quote", "emphasis", "table"]},
    ):
        ask(check, reply)
    assert time.perf_counter() - start < 40
