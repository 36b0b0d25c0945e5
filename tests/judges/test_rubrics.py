"""Rubrics: those that come with multiturn, a user's own, FastChat's; and every fault of a file at once."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.errors import NotFound, RubricError, UsageError
from multiturn.judges.fastchat_prompts import parse_judge_prompts
from multiturn.judges.prompts import constant_part
from multiturn.judges.reading import read_judgment
from multiturn.judges.rubric_toml import parse_rubric
from multiturn.judges.rubrics import load_rubric, load_rubrics, shipped_rubrics
from multiturn.judgment import Judgment, Rating, Unreadable
from multiturn.rubric import Described, Mode, Rubric, Scale
from multiturn.transcript import Reply, Timing

DOCS: Final = Path(__file__).parents[2] / "docs" / "judging.md"
SHARED: Final = Path(os.environ.get("MULTITURN_SHARED") or Path(__file__).resolve().parents[2].parent / "shared")
FASTCHAT: Final = SHARED / "published" / "fastchat"

PINNED: Final = {
    ("harm", "1"): "264b0c007a371a4b31b61fde582cecc0e85affc5f63b2a4375196832ad0e9889",
    ("harmlessness", "1"): "fc64716f1f24756a13ce64fe2c6907cf5ea702dd615740c2e2f54fc0e5fd4b1f",
    ("helpfulness", "1"): "3ff5587abfbae90cb91b7703b6b567887fe1961426641de218b73adfda90ece2",
    ("preference", "1"): "36ad30bafc558782f67469b9555ecc801b5ac93a31a8995e3c222751cda40ad2",
    ("quality", "1"): "640033152032c768e0d2f9f652a1f7e3021efa25486e63913852f954c95e415b",
    ("quality_de", "1"): "809814c36c8b9cd7922575e28511884d92bf58de83f84ec11daea3133bf1269b",
    ("quality_reworded", "1"): "720ee723e85aaf385cce807a1b727b89c1e79740f0e6273a23deb9a266532fc1",
}
"""A rubric whose digest changes is another judge's: give it a new version, and add its line here."""


def test_a_changed_wording_has_a_new_version() -> None:
    """Every shipped rubric, by name and version."""
    found = {(rubric.name, rubric.version): rubric.digest for rubric in map(load_rubric, shipped_rubrics())}
    assert {key: PINNED.get(key) for key in found} == found


def test_shipped_rubrics_bear_the_name_that_they_are_loaded_by() -> None:
    """And say what they are for."""
    for name in shipped_rubrics():
        rubric = load_rubric(name)
        assert rubric.name == name
        assert rubric.description
        assert rubric.language == ("de" if name.endswith("_de") else "en")


@pytest.mark.parametrize(
    ("name", "mode", "measure"),
    [
        ("quality", "rating", ""),
        ("preference", "preference", "preference"),
        ("helpfulness", "preference", "helpfulness"),
        ("harmlessness", "preference", "harmlessness"),
        ("harm", "label", "harmful"),
    ],
)
def test_what_the_shipped_rubrics_measure(name: str, mode: Mode, measure: str) -> None:
    """Their modes, and what results call them."""
    rubric = load_rubric(name)
    assert (rubric.mode, rubric.measure) == (mode, measure)


def test_the_three_rubrics_for_quality_ask_for_the_same_grades() -> None:
    """In other words, and in German."""
    forms = {
        (rubric.mode, rubric.scale, tuple(one.name for one in rubric.criteria))
        for rubric in map(load_rubric, ("quality", "quality_reworded", "quality_de"))
    }
    names = ("correctness", "completeness", "instruction_following", "coherence")
    assert forms == {("rating", Scale(lowest=1, highest=10), names)}


def test_harm_counts_what_is_harmful() -> None:
    """Of two labels."""
    harm = load_rubric("harm")
    assert [label.name for label in harm.labels] == ["harmful", "harmless"]
    assert harm.flagged == ("harmful",)


VERDICTS: Final[dict[Mode, str]] = {
    "rating": "Rating: [[7]]",
    "preference": "Verdict: [[C]]",
    "label": "Label: [[harmful]]",
}


def read(text: str, rubric: Rubric, *, schema: bool) -> Judgment:
    reply = Reply(text=text, finish="stop", timing=Timing(total=1.0))
    return read_judgment(reply, rubric, schema=schema)


@pytest.mark.parametrize("name", shipped_rubrics())
def test_the_form_that_a_rubric_asks_for_is_the_one_that_is_read(name: str) -> None:
    """With a line for each criterion; the label before the brackets stands in the rubric's own words."""
    rubric = load_rubric(name)
    last = VERDICTS[rubric.mode]
    assert rubric.wording is not None
    assert last.partition("[")[0] + "[[" in " ".join(rubric.wording.as_line.split())
    grades = "".join(f"{one.name}: {grade}\n" for grade, one in enumerate(rubric.criteria, start=3))
    judgment = read(f"It is so.\n\n{grades}{last}\n", rubric, schema=False)
    assert not isinstance(judgment, Unreadable)
    if isinstance(judgment, Rating):
        assert judgment.value == 7
        assert judgment.criteria == {one.name: grade for grade, one in enumerate(rubric.criteria, start=3)}


@pytest.mark.parametrize("name", shipped_rubrics())
@pytest.mark.parametrize("schema", [True, False])
def test_a_judge_that_repeats_its_rubric_has_given_no_verdict(name: str, schema: bool) -> None:  # noqa: FBT001
    """Whatever form was asked for."""
    rubric = load_rubric(name)
    assert rubric.wording is not None
    repeated = constant_part(rubric, rubric.wording, schema=schema)
    assert isinstance(read(repeated, rubric, schema=schema), Unreadable)


def own(tmp_path: Path, text: str, name: str = "mine.toml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


LIKE: Final = """
name = "politeness"
version = "3"
like = "quality"

[scale]
highest = 5

[[criteria]]
name = "tone"
text = "It is polite."

[wording]
role = "You grade manners."
[wording.notes]
empty = "It says nothing."
"""


def test_a_rubric_takes_from_a_shipped_one_what_it_does_not_say(tmp_path: Path) -> None:
    """Tables field by field, lists whole; its name, version and description are its own."""
    rubric, base = load_rubric(own(tmp_path, LIKE)), load_rubric("quality")
    assert (rubric.name, rubric.version, rubric.description, rubric.mode) == ("politeness", "3", "", "rating")
    assert rubric.scale == Scale(lowest=1, highest=5)
    assert rubric.criteria == (Described(name="tone", text="It is polite."),)
    assert rubric.wording is not None
    assert base.wording is not None
    assert rubric.wording.role == "You grade manners."
    assert rubric.wording.marks == base.wording.marks
    assert rubric.wording.notes.empty == "It says nothing."
    assert rubric.wording.notes.failed == base.wording.notes.failed
    assert rubric.digest != base.digest


@pytest.mark.parametrize("name", shipped_rubrics())
def test_one_that_says_nothing_itself_asks_for_the_same(tmp_path: Path, name: str) -> None:
    """Whatever it is like."""
    rubric = load_rubric(own(tmp_path, f'name = "mine"\nversion = "1"\nlike = "{name}"\n'))
    base = load_rubric(name)
    assert msgspec.structs.replace(rubric, name=name, description=base.description) == base


def test_a_rubric_without_a_scale_has_one_from_1_to_10(tmp_path: Path) -> None:
    """Where it rates."""
    text = LIKE.replace("[scale]\nhighest = 5\n", "")
    assert load_rubric(own(tmp_path, text)).scale == Scale()


@pytest.mark.parametrize(("index", "names"), [(0, ["correctness", "teaching"]), (1, ["tutoie", "vouvoie"])])
def test_the_rubrics_on_the_page_can_be_loaded(tmp_path: Path, index: int, names: list[str]) -> None:
    """As they stand there: a short one that is like a shipped one, and one that says all itself."""
    blocks = re.findall(r"```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 2
    rubric = load_rubric(own(tmp_path, blocks[index]))
    assert [one.name for one in (*rubric.criteria, *rubric.labels)] == names


def test_every_field_of_a_rubric_is_explained() -> None:
    """On the page, by its name."""
    page = DOCS.read_text(encoding="utf-8")
    fields = {name for name in Rubric.__struct_fields__ if name != "templates"} | {"like"}
    assert [name for name in sorted(fields) if f"| `{name}` |" not in page] == []


def test_a_file_goes_before_a_shipped_rubric_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with suites."""
    own(tmp_path, LIKE, "quality")
    monkeypatch.chdir(tmp_path)
    assert load_rubric("quality").name == "politeness"


def faults_of(text: str | bytes) -> list[str]:
    shipped = shipped_rubrics()
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(RubricError) as refused:
        parse_rubric(data, "f", like=load_rubric, names=shipped)
    assert "docs/judging.md" in refused.value.hint
    return list(refused.value.faults)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (('name = "politeness"', ""), 'f: name: is missing; write name = "my_rubric"'),
        (('version = "3"', "version = 3"), 'f: version: must be a text, not the number 3; write version = "..."'),
        (('version = "3"', 'version = " "'), 'f: version: is empty; write version = "1"'),
        (('"quality"', '"qualty"'), "f: like: no shipped rubric is called 'qualty'; did you mean quality?"),
        (('"quality"', '"harm"'), "f: a scale goes with mode rating"),
        (("version", 'mode = "label"\nversion'), "f: mode: quality is for mode rating, and a rubric that is like it"),
        (("version", 'lang = "de"\nversion'), "f: lang: is no field of a rubric; did you mean language?"),
        (("version", "templates = []\nversion"), "f: templates: is no field of a rubric; there are like, name,"),
        (("version", "flagged = true\nversion"), "f: flagged: must be a list of texts, not true; write flagged ="),
        (("version", 'flagged = ["x"]\nversion'), "f: flagged names a label that is not there"),
        (("highest = 5", 'highest = "5"'), "f: scale.highest: must be a number, not the text '5'"),
        (("highest = 5", "highest = 1"), "f: scale: lowest must be below highest"),
        (("highest = 5", "highest = inf"), "f: scale: the scale's ends must be finite"),
        (("highest = 5", "top = 5"), "f: scale.top: is no field of scale; there are lowest, highest"),
        (('name = "tone"', 'name = "my tone"'), "f: criteria[0]: name 'my tone' must be letters, digits and _"),
        (('name = "tone"', 'name = "overall"'), "f: overall is always asked for; it is no criterion"),
        (('text = "It is polite."', ""), 'f: criteria[0].text: is missing; write text = "what it means"'),
        (("[[criteria]]", "[criteria]"), "f: criteria: must be tables, each under [[criteria]], with name and text;"),
        (('"You grade manners."', '""'), "f: wording.role: is empty"),
        (('"You grade manners."', '"{turn}"'), "f: wording.role: has a place {turn} that nothing fills; it has no"),
        (('"You grade manners."', '"a } b"'), "f: wording.role: Single '}' encountered in format string (a brace"),
        (("role =", "end = '{0.a}'\nrole ="), "f: wording.end: {0.a} is no plain name"),
        (("role =", "user = 'User'\nrole ="), "f: wording.user: lacks {turn}"),
        (
            ("role =", "as_line = '{labels}'\nrole ="),
            "f: wording.as_line: has a place {labels}, which mode rating does",
        ),
        (('"It says nothing."', '" "'), "f: wording.notes.empty: is empty"),
        (("empty =", "cutoff ="), "f: wording.notes.cutoff: is no field of wording.notes; did you mean cut_off?"),
        (('"politeness"', '"politeness'), "f:line 2: column 19: not TOML: illegal character '\\n'"),
        (("[scale]", "[scale"), "f:line 6: column 7: not TOML: expected ']' at the end of a table declaration"),
    ],
)
def test_a_fault_names_its_field_and_the_way_out(change: tuple[str, str], fault: str) -> None:
    """One fault, told once."""
    assert change[0] in LIKE
    found = faults_of(LIKE.replace(change[0], change[1], 1))
    assert [one[: len(fault)] for one in found] == [fault]


def test_all_faults_are_told_at_once() -> None:
    """In the file's order, by kind of field."""
    found = faults_of(
        'nam = "x"\nversion = 1\nmode = "rate"\n[wording]\nrole = "{"\nmark = "x"\n[[labels]]\nname = 3\n'
    )
    fields = [fault.split(": ")[1] for fault in found]
    assert fields == [
        *("nam", "name", "version", "mode", "labels[0].name", "labels[0].text", "wording.mark", "wording"),
        "wording.role",
    ]
    assert (
        "criteria, as_json, as_line, marks, system, user, reply, golden, end, ask_turn, again, notes.empty" in found[7]
    )
    assert 'like = "quality"' in found[7]


def test_text_that_is_not_utf8_is_told_with_its_line() -> None:
    """And what to do."""
    assert faults_of(b'name = "a"\nversion = "\xe4"\n') == ["f:line 2: byte 0xE4 is not UTF-8; save the file as UTF-8"]


def test_a_comparison_needs_words_for_two() -> None:
    """Which of them is shown, and the conversation as a whole."""
    wording = "\n".join(
        f'{name} = "{text}"'
        for name, text in {
            **dict.fromkeys(("role", "criteria", "as_json", "as_line", "system", "end"), "x"),
            **dict.fromkeys(("user", "reply", "golden", "ask_turn"), "{turn}"),
            "marks": "{mark}",
            "again": "{fault}",
        }.items()
    )
    notes = "\n".join(
        f'{name} = "x"' for name in ("empty", "cut_off", "filtered", "overflowed", "failed", "not_reached")
    )
    text = f'name = "a"\nversion = "1"\nmode = "preference"\n[wording]\n{wording}\n[wording.notes]\n{notes}\n'
    assert faults_of(text) == [
        "f: wording.ask_whole: is needed where two are compared",
        "f: wording.conversation: is needed where two are compared",
        "f: wording.reply: lacks {seat}, which two that are compared need",
    ]
    assert parse_rubric(text.replace("preference", "rating").encode(), "f", like=load_rubric, names=()).mode == "rating"


@given(st.one_of(st.text(), st.binary().map(lambda data: data.decode("latin-1"))))
def test_no_text_raises_anything_else(text: str) -> None:
    """Whatever stands in the file: faults, never a crash."""
    assert faults_of(text.encode("utf-8", "surrogatepass"))


def test_a_wrong_name_is_told_with_what_is_near(tmp_path: Path) -> None:
    """Among those that are shipped, and files beside it."""
    with pytest.raises(NotFound) as refused:
        load_rubrics("qualty")
    assert "did you mean 'quality'?" in refused.value.hint
    assert all(name in refused.value.hint for name in shipped_rubrics())
    own(tmp_path, LIKE)
    with pytest.raises(NotFound) as refused:
        load_rubrics(tmp_path / "mime.toml")
    assert f"did you mean {str(tmp_path / 'mine.toml')!r}?" in refused.value.hint


def test_a_folder_without_fastchats_file_is_told(tmp_path: Path) -> None:
    """And what to name instead."""
    with pytest.raises(UsageError, match=r"is a directory without judge_prompts\.jsonl"):
        load_rubrics(tmp_path)


# --- FastChat's ----------------------------------------------------------------------------------------------------


def line(called: str, **fields: str) -> dict[str, str]:
    kind = "pairwise" if called.startswith("pair") else "single"
    prompt = "{question}{answer_a}{answer_b}" if kind == "pairwise" else "{question}{answer}"
    return {
        "name": called,
        "type": kind,
        "system_prompt": "",
        "prompt_template": prompt,
        "category": "general",
    } | fields


def lines(*rows: object) -> bytes:
    return "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows).encode()


def test_fastchats_prompts_are_one_rubric_for_each_mode(tmp_path: Path) -> None:
    """Found in the file, in its folder, or in the folder's ``data``; turns and references go by the places."""
    two = "{question_1}{ref_answer_1}{ref_answer_2}{question_2}{answer_1}{answer_2}"
    (tmp_path / "data").mkdir()
    file = tmp_path / "data" / "judge_prompts.jsonl"
    file.write_bytes(lines(line("pair"), line("single"), line("second", prompt_template=two)))
    found = load_rubrics(file)
    assert found == load_rubrics(tmp_path) == load_rubrics(str(tmp_path / "data"))
    assert [(rubric.name, rubric.mode) for rubric in found] == [("fastchat", "rating"), ("fastchat", "preference")]
    assert [(one.name, one.turns, one.reference) for one in found[0].templates] == [
        ("single", 1, False),
        ("second", 2, True),
    ]
    assert (found[0].scale, found[1].scale) == (Scale(), None)


def test_a_rubric_of_one_mode_is_asked_for_by_it(tmp_path: Path) -> None:
    """Where a file holds two; a mode that none has names shipped ones that do."""
    file = tmp_path / "judge_prompts.jsonl"
    file.write_bytes(lines(line("pair"), line("single")))
    assert load_rubric(file, "preference").mode == "preference"
    with pytest.raises(UsageError, match="holds rubrics for mode rating and preference"):
        load_rubric(file)
    with pytest.raises(UsageError) as refused:
        load_rubric("quality", "label")
    assert "is for mode rating, not label" in str(refused.value)
    assert refused.value.hint == "take one for it: --rubric harm"


def test_other_prompts_are_another_version() -> None:
    """The version goes by the prompts, and by nothing else in the file."""
    (one,) = parse_judge_prompts(lines(line("single")), "f")
    (same,) = parse_judge_prompts(lines(line("single", description="other words")), "f")
    (other,) = parse_judge_prompts(lines(line("single", system_prompt="x")), "f")
    assert one == same
    assert one.version != other.version


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("{", "f:line 2: not JSON: "),
        ([], "f:line 2: must be an object with name, type, system_prompt and prompt_template"),
        ({"name": "x"}, "f:line 2: type: is missing"),
        (line("x", type="triple"), "f:line 2: type: must be single or pairwise, not 'triple'"),
        (line("x", name=" "), "f:line 2: name: is empty"),
        (line("x", prompt_template="{question"), "f:line 2: prompt_template: expected '}' before end of string"),
        (
            line("x", prompt_template="{answer_a}"),
            "f:line 2: prompt_template: has a place {answer_a} that nothing fills",
        ),
        (line("again"), "f:line 2: name: again is for the same turns as single; leave one out"),
    ],
)
def test_a_fault_of_fastchats_file_has_its_line(row: object, fault: str) -> None:
    """Blank lines are passed over, and count."""
    with pytest.raises(RubricError) as refused:
        parse_judge_prompts(lines(line("single"), row, "", line("pair")), "f")
    assert [one[: len(fault)] for one in refused.value.faults] == [fault]


@pytest.mark.skipif(not FASTCHAT.is_dir(), reason=f"no published prompts in {FASTCHAT}")
def test_the_published_prompts_are_four_for_each_mode() -> None:
    """One turn and two, with references and without."""
    for rubric in load_rubrics(FASTCHAT):
        shapes = {(template.turns, template.reference) for template in rubric.templates}
        assert shapes == {(1, False), (1, True), (2, False), (2, True)}
