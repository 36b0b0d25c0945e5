"""JUnit XML: what fails, what is skipped, what is an error, and that any text makes a file that build servers read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final
from xml.etree import ElementTree as ET

import msgspec
import pytest
from tests.by_hand import checks, failed, held, ok, refusals
from tests.report.dossiers import filled
from tests.report.lettered import BAD, GOOD, arm, lettered, suite
from tests.report.page.filled import OF_CONVERSATION, OF_RUN, suite_of
from tests.report.page.hostile import TEXTS as HOSTILE

from multiturn.conversation import Suite
from multiturn.finding import FAILS_AS_REFUSAL, Assessed, CheckResult
from multiturn.report.dossier import Dossier
from multiturn.report.junit import junit
from multiturn.results import Comparison
from multiturn.text.printable import printable
from multiturn.transcript import Timing

CHILDREN: Final = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase"],
    "properties": ["property"],
    "property": [],
    "testcase": ["failure", "error", "skipped", "system-out"],
    "failure": [],
    "error": [],
    "skipped": [],
    "system-out": [],
}
"""What may stand in what, in this order: what the schemas of Ant and Jenkins have in common, and output of a test."""
ATTRIBUTES: Final = {
    "testsuites": {"name", "tests", "failures", "errors", "skipped", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "id", "package", "hostname", "timestamp"},
    "property": {"name", "value"},
    "testcase": {"classname", "name", "time"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message"},
}
COUNTED: Final = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def parsed(told: str) -> ET.Element:
    """The file as a reader has it; that it has the structure that all readers know is asserted."""
    root = ET.fromstring(told)  # noqa: S314 - of our own making
    assert root.tag == "testsuites"
    for element in root.iter():
        allowed = CHILDREN[element.tag]
        places = [allowed.index(child.tag) for child in element]
        assert places == sorted(places), element.tag
        assert element.attrib.keys() == ATTRIBUTES.get(element.tag, set()), element.tag
    for element in (root, *root.findall("testsuite")):
        tests = list(element.iter("testcase"))
        assert int(element.attrib["tests"]) == len(tests)
        for name, tag in COUNTED.items():
            assert int(element.attrib[name]) == sum(case.find(tag) is not None for case in tests)
        assert float(element.attrib["time"]) >= 0
    for one in root.findall("testsuite"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", one.attrib["timestamp"])
        assert one.find("testcase") is not None
    assert all(
        len(case.findall("failure") + case.findall("error") + case.findall("skipped")) <= 1
        for case in root.iter("testcase")
    )
    return root


def of(
    comparison: Comparison, transcripts: Sequence[Assessed], the_suite: Suite, base: Sequence[Assessed] | None = None
) -> ET.Element:
    """The file of a comparison of lettered runs; of base only what it lacks is told, and by itself it lacks nothing."""
    plain = msgspec.structs.replace(filled(), comparisons=(comparison,))
    held_by_base = arm(["pppp"] * len(the_suite.conversations), 4, checked=False) if base is None else base
    return parsed("".join(junit(plain, the_suite, [transcripts], (one.transcript for one in held_by_base))))


def cases(root: ET.Element, name: str) -> dict[str, ET.Element]:
    """The tests of a suite by their names."""
    (found,) = [one for one in root.findall("testsuite") if one.attrib["name"] == name]
    return {one.attrib["name"]: one for one in found.findall("testcase")}


def message(case: ET.Element, tag: str) -> str:
    found = case.find(tag)
    assert found is not None, ET.tostring(case)
    return found.attrib["message"]


def alone(*transcripts: Assessed, the_suite: Suite) -> dict[str, ET.Element]:
    """The tests of one run."""
    plain = filled(arms=1)
    return cases(parsed("".join(junit(plain, the_suite, [transcripts], ()))), "conversations")


def test_a_regressed_verdict_fails_with_its_numbers() -> None:
    """In words in the message, and in full in the properties."""
    comparison = lettered(GOOD, BAD)
    root = of(comparison, arm(BAD, 4, checked=True), suite(12))
    case = cases(root, "verdicts")["checks passed (primary)"]
    assert message(case, "failure").startswith("REGRESSED: base 75.0%, tuned ")
    found = {one.attrib["name"]: one.attrib["value"] for one in root.iter("property")}
    primary = comparison.verdicts[0]
    assert found["check_pass.verdict"] == "regressed"
    assert float(found["check_pass.difference"]) == primary.contrast.difference.value
    assert float(found["check_pass.low"]) == primary.contrast.difference.low
    assert float(found["check_pass.p"]) == primary.p
    assert "check_pass.adjusted_p" not in found


def test_each_arm_s_number_says_what_it_rests_on() -> None:
    """In the properties always; in words where the difference rests on less."""
    tuned = (*BAD[:10], "-", "-")
    root = of(lettered(GOOD, tuned), arm(tuned, 4, checked=True), suite(12))
    found = {one.attrib["name"]: one.attrib["value"] for one in root.iter("property")}
    assert [found[f"check_pass.{name}"] for name in ("base_n", "tuned_n", "n")] == ["12", "10", "10"]
    (said,) = cases(root, "verdicts")["checks passed (primary)"]
    assert "base 75.0% (n=12), tuned 20.0%, tuned - base " in said.attrib["message"]


def test_an_inconclusive_verdict_is_skipped_and_an_equal_one_passes() -> None:
    root = of(lettered(GOOD[:4], BAD[:4]), arm(BAD[:4], 4, checked=True), suite(4))
    assert message(cases(root, "verdicts")["words a reply"], "skipped").startswith("INCONCLUSIVE: ")
    same = of(lettered(["pppp"] * 60, ["pppp"] * 60), arm(["pppp"] * 60, 4, checked=True), suite(60))
    case = cases(same, "verdicts")["checks passed (primary)"]
    assert [one.tag for one in case] == ["system-out"]
    assert (case[0].text or "").startswith("EQUIVALENT: ")


def test_without_a_primary_verdict_that_is_skipped() -> None:
    """So that no build takes a suite without checks for one in which all is well."""
    root = of(lettered(GOOD, BAD, checked=False), arm(BAD, 4, checked=False), suite(12, checked=False))
    assert "no turn of this suite has checks" in message(cases(root, "verdicts")["checks passed (primary)"], "skipped")


def test_a_conversation_fails_where_a_check_that_base_passes_fails() -> None:
    """With the turn, what it is to catch and why; where base failed too, it passes."""
    root = of(lettered(GOOD, BAD), arm(BAD, 4, checked=True), suite(12))
    found = cases(root, "conversations")
    assert message(found["c0"], "failure") == "3 checks that base passes fail"
    told = found["c0"].findtext("failure", "")
    assert "turn 3: not: says 2.0\n  why: because of f" in told
    assert "side by side: multiturn diff r1 " in told
    assert [one.tag for one in found["c8"]] == ["system-out"]
    assert found["c8"][0].text == "2 of 4 checks passed, 0 refusals"
    assert found["c0"].attrib["classname"] == "s.writing"


def test_a_check_that_a_refusal_fails_leads_with_the_refusal() -> None:
    """What the check's note says did not happen; it is told behind. So of a lost check, and of one run's own."""
    refused = CheckResult(outcome="fail", reason=FAILS_AS_REFUSAL)
    note = "forgets the name"
    comparison = lettered(GOOD, BAD)
    changes = tuple(
        msgspec.structs.replace(
            one,
            flips=tuple(msgspec.structs.replace(flip, reason=FAILS_AS_REFUSAL, why=note) for flip in one.flips),
        )
        for one in comparison.changes
    )
    root = of(msgspec.structs.replace(comparison, changes=changes), arm(BAD, 4, checked=True), suite(12))
    own = tuple(msgspec.structs.replace(one, result=refused, why=note) for one in checks("", "", "f"))
    found = alone(held("c0", tuple(ok(at) for at in range(5)), said=own), the_suite=suite(1))
    for case in (cases(root, "conversations")["c0"], found["c0"]):
        told = case.findtext("failure", "")
        assert "turn 3: the reply is a refusal\n  the check's note: forgets the name" in told
        assert "why: " not in told


def test_of_several_samples_each_is_named() -> None:
    """The first one too."""
    plain = filled()
    conditions = msgspec.structs.replace(plain.runs[1].conditions, samples=2)
    twice = msgspec.structs.replace(
        plain,
        runs=(plain.runs[0], msgspec.structs.replace(plain.runs[1], conditions=conditions)),
        comparisons=(lettered(GOOD, BAD),),
    )
    root = parsed("".join(junit(twice, suite(12), [arm(BAD, 4, checked=True)], ())))
    assert "turn 3 (sample 1): " in cases(root, "conversations")["c0"].findtext("failure", "")


def test_what_was_won_is_no_failure() -> None:
    root = of(lettered(BAD, GOOD), arm(GOOD, 4, checked=True), suite(12))
    assert not [one for one in cases(root, "conversations").values() if one.find("failure") is not None]


def test_turns_that_are_missing_are_an_error_and_so_is_a_conversation_that_was_not_held() -> None:
    """A lost check outweighs them, and is told with them."""
    base = ["pppp"] * 3
    tuned = ["pp-", "pf-", "pppp"]
    held_runs = arm(tuned, 4, checked=True)[:2]
    root = of(lettered(base, tuned), held_runs, suite(3))
    found = cases(root, "conversations")
    assert "turns are missing through no doing of the model" in message(found["c0"], "error")
    assert "are missing through no doing" in found["c1"].findtext("failure", "")
    assert message(found["c2"], "error") == "5 of 5 turns are missing through no doing of the model (not held 5)"


def test_turns_that_base_lacks_are_told_and_counted() -> None:
    """There nothing can be lost, which is not the same as that nothing was; what tuned lost elsewhere is a failure."""
    base, tuned = ["pp--", "pp--", "pppp", "ppp-"], ["pppp", "pfff", "pppp", "pp--"]
    held_by_base = [one for one in arm(base, 4, checked=True) if one.transcript.session.conversation != "c2"]
    root = of(lettered(base, tuned), arm(tuned, 4, checked=True), suite(4), held_by_base)
    found = cases(root, "conversations")
    told = "turns of base are missing through no doing of the model"
    assert message(found["c0"], "skipped").startswith(f"2 of 5 {told} (server 2): ")
    assert message(found["c1"], "failure") == "1 check that base passes fails"
    assert f"2 of 5 {told}" in found["c1"].findtext("failure", "")
    assert message(found["c2"], "skipped").startswith(f"5 of 5 {told} (not held 5): ")
    assert f"doing of the model (server 2); 1 of 5 {told} (server 1)" in message(found["c3"], "error")
    (counts,) = [one.attrib for one in root.findall("testsuite") if one.attrib["name"] == "conversations"]
    assert (counts["failures"], counts["errors"], counts["skipped"]) == ("1", "1", "2")


def test_one_run_fails_where_its_own_checks_do() -> None:
    """It has no baseline; ``not applicable`` is no failure, and every refusal is counted."""
    four = suite(3)
    turns = tuple(ok(at) for at in range(5))
    found = alone(
        held("c0", turns, said=checks("", "p", "-", "p", "p")),
        held("c1", turns, refusals("-xx--"), checks("", "f", "f", "p", "p")),
        held("c2", (*turns[:3], failed(3), failed(4)), said=checks("", "p", "p")),
        the_suite=four,
    )
    assert [one.tag for one in found["c0"]] == ["system-out"]
    assert message(found["c1"], "failure") == "2 checks fail"
    assert found["c1"].findtext("system-out") == "2 of 4 checks passed, 2 refusals"
    assert message(found["c2"], "error") == "2 of 5 turns are missing through no doing of the model (timeout 2)"


def test_the_time_is_that_of_the_replies() -> None:
    """Of all samples of a conversation, which are one test."""
    turns = tuple(msgspec.structs.replace(ok(at), timing=Timing(total=1.5)) for at in range(5))
    found = alone(held("c0", turns), held("c0", turns, sample=1), the_suite=suite(1))
    assert found["c0"].attrib["time"] == "15.0"


def test_several_runs_have_suites_of_their_own() -> None:
    plain = filled(arms=3)
    root = parsed("".join(junit(plain, suite_of([{}], OF_RUN), [[], []], ())))
    names = [one.attrib["name"] for one in root.findall("testsuite")]
    assert names == ["verdicts of arm 2", "conversations of arm 2", "verdicts of arm 3", "conversations of arm 3"]


def every_field(text: str, arms: int) -> Iterator[str]:
    """The file of runs in which every field is this text."""
    conversation = dict.fromkeys(OF_CONVERSATION, text) | {"id": text[:150] or "x"}
    run = dict.fromkeys(OF_RUN, text) | {"created": OF_RUN["created"], "suite": text or "s"}
    dossier: Dossier = filled(conversation, run=run, arms=arms)
    return junit(dossier, suite_of([conversation], run), [[]] * max(1, arms - 1), ())


@pytest.mark.parametrize("name", list(HOSTILE)[::3])
def test_any_text_makes_a_file_that_can_be_read(name: str) -> None:
    """Also what XML has no letters for, and what would end an element; names come back as they are shown."""
    text = HOSTILE[name]
    root = parsed("".join(every_field(text, 2)))
    (found,) = cases(root, "conversations")
    assert found == printable(text[:150])
    for told in root.itertext():
        assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x80-\x9f]", told)
