"""What a card says of a judge with faults of known size: its intervals cover them, and no faulty judge is called fit."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Final

import msgspec
import pytest
from tests.judges.stand_in import Faults, answer, entropy_of, planted, script_for, shipped_probes

from multiturn.engines.scripted import ScriptedEngine
from multiturn.judge_card import Finding, FindingName
from multiturn.judge_check import ask, judges_for
from multiturn.judge_findings import FEWEST, LIMITS, Answer, conclusion_of, findings_of, passes
from multiturn.judges.model_judge import Manner
from multiturn.judges.probes import Trial, probes_for
from multiturn.judges.rubrics import load_rubric
from multiturn.judges.specimens import about_harm
from multiturn.judgment import Failed, Judged, Label, Unreadable
from multiturn.results import Estimate
from multiturn.rubric import Rubric
from multiturn.transcript import Request

SEEDS: Final = 200
COVERS: Final = 0.9
QUALITY: Final = load_rubric("quality")
PREFERENCE: Final = load_rubric("preference")
HARM: Final = load_rubric("harm")
TOGETHER: Final = Faults(seat=0.3, slips=0.053, verbosity=0.5, forged=0.6, unreadable=0.05)
"""Slips of 5.3 % make 10 % of verdicts another one when asked again."""

PLANTED: Final = {
    "honest": Faults(),
    "seat": Faults(seat=0.3),
    "flips": Faults(slips=0.053),
    "verbosity": Faults(verbosity=0.5),
    "forged": Faults(forged=0.6),
    "unreadable": Faults(unreadable=0.05),
    "together": TOGETHER,
}


@cache
def requests_of(rubric: str) -> tuple[Request, ...]:
    """The requests that a real judge makes of its engine for these probes, in their order."""
    requests: list[Request] = []
    honest = script_for(shipped_probes(rubric), Faults(), 0)

    def noting(request: Request) -> str:
        requests.append(request)
        return honest(request)

    engine = ScriptedEngine(noting, spec="scripted:judge", open_conversations=1)
    asyncio.run(ask(judges_for(engine, load_rubric(rubric), Manner()), shipped_probes(rubric)))
    assert len(requests) == len(shipped_probes(rubric))
    return tuple(requests)


def found_by(rubric: Rubric, faults: Faults, seed: int) -> tuple[Finding, ...]:
    """What is found of a stand-in with these faults."""
    probes = shipped_probes(rubric.name)
    answers = [
        Answer(probe=probe, judged=answer(probe, faults, entropy_of(seed, request)))
        for probe, request in zip(probes, requests_of(rubric.name), strict=True)
    ]
    return findings_of(answers, rubric, probes)


@pytest.mark.parametrize("rubric", [QUALITY, PREFERENCE], ids=lambda rubric: rubric.mode)
@pytest.mark.parametrize("name", PLANTED)
def test_intervals_cover_what_was_planted(rubric: Rubric, name: str) -> None:
    """Each finding's, in at least 90 % of 200 seeds, the faults alone and all together."""
    faults = PLANTED[name]
    truth = planted(shipped_probes(rubric.name), faults)
    covered: Counter[FindingName] = Counter()
    for seed in range(SEEDS):
        for finding in found_by(rubric, faults, seed):
            low, high = finding.measured.low, finding.measured.high
            assert low is not None
            assert high is not None
            covered[finding.name] += low - 1e-9 <= truth[finding.name] <= high + 1e-9
    assert set(covered) == set(truth)
    assert {name: count for name, count in covered.items() if count < COVERS * SEEDS} == {}


@pytest.mark.parametrize("rubric", [QUALITY, PREFERENCE], ids=lambda rubric: rubric.mode)
def test_the_stand_in_says_the_same_through_real_prompts(rubric: Rubric) -> None:
    """All faults at once: read back from what it writes to the prompts that it is sent, finding by finding."""
    probes = shipped_probes(rubric.name)
    for seed in range(3):
        engine = ScriptedEngine(script_for(probes, TOGETHER, seed), spec="scripted:judge")
        said = asyncio.run(ask(judges_for(engine, rubric, Manner()), probes))
        assert findings_of(said.answers, rubric, probes) == found_by(rubric, TOGETHER, seed)


@pytest.mark.parametrize("rubric", [QUALITY, PREFERENCE], ids=lambda rubric: rubric.mode)
def test_an_honest_judge_is_fit(rubric: Rubric) -> None:
    assert conclusion_of(found_by(rubric, Faults(), 0)) == ("fit", ())


BEYOND: Final[dict[str, tuple[Sequence[Rubric], Faults]]] = {
    "good_bad": ([QUALITY, PREFERENCE], Faults(slips=0.8)),
    "seats": ([PREFERENCE], Faults(seat=0.6)),
    "again": ([QUALITY, PREFERENCE], Faults(slips=0.5)),
    "padded": ([QUALITY, PREFERENCE], Faults(verbosity=0.9)),
    "forged": ([QUALITY, PREFERENCE], Faults(forged=0.9)),
    "unreadable": ([QUALITY, PREFERENCE], Faults(unreadable=0.4)),
}
"""Faults beyond the limit of the finding that they are named by."""


@pytest.mark.parametrize("name", BEYOND)
def test_a_judge_with_a_fault_is_never_fit(name: FindingName) -> None:
    """Whatever is drawn; and nearly always the finding that the fault is about does not pass."""
    rubrics, faults = BEYOND[name]
    for rubric in rubrics:
        found = [found_by(rubric, faults, seed) for seed in range(20)]
        assert [conclusion_of(findings) for findings in found if conclusion_of(findings)[0] == "fit"] == []
        assert sum(one.passes != "yes" for findings in found for one in findings if one.name == name) >= 15


def test_a_judge_that_says_one_thing_to_all_is_at_chance() -> None:
    """It is steady, readable, unmoved by forgery, and of no use."""
    probes = shipped_probes("quality")

    def eight(_request: Request) -> str:
        return "Fine.\nRating: [[8]]"

    said = asyncio.run(ask(judges_for(ScriptedEngine(eight), QUALITY, Manner()), probes))
    findings = findings_of(said.answers, QUALITY, probes)
    assert conclusion_of(findings) == ("not_fit", ("good_bad", "damaged"))
    assert {one.passes for one in findings if one.name not in ("good_bad", "damaged")} == {"yes"}


# Labels


def label_findings(label: str, but: dict[str, str]) -> dict[FindingName, Finding]:
    """What is found of a judge that gives this label, or another one to replies of some kinds."""
    probes = probes_for(Trial(rubric=HARM, specimens=about_harm(0)))
    answers = [
        Answer(
            probe=probe,
            judged=Judged(judge="j", question=probe.question, judgment=Label(name=but.get(probe.slot.part, label))),
        )
        for probe in probes
    ]
    return {one.name: one for one in findings_of(answers, HARM, probes)}


def test_labels_are_right_or_wrong() -> None:
    """Half of a pair right and half wrong is 0: a judge that finds all harmless is at chance."""
    right = label_findings("harmful", {"good": "harmless"})
    assert (right["good_bad"].measured.value, right["good_bad"].passes) == (1.0, "yes")
    blind = label_findings("harmless", {})
    assert (blind["good_bad"].measured.value, blind["good_bad"].passes) == (0.0, "no")


def test_a_label_that_a_reply_claims_must_not_be_given() -> None:
    believing = label_findings("harmful", {"good": "harmless", "forged": "harmless"})
    assert (believing["forged"].measured.value, believing["forged"].passes) == (1.0, "no")
    assert believing["padded"].measured.value == 0.0
    assert believing["again"].measured.value == 0.0


def test_where_the_label_is_the_claimed_one_already_nothing_can_be_seen() -> None:
    blind = label_findings("harmless", {})
    assert (blind["forged"].measured.n, blind["forged"].passes) == (0, "cannot_tell")


def test_labels_that_are_not_about_harm_are_tried_for_steadiness_and_claims_only() -> None:
    """Of a rubric of one's own nobody knows which label is right; each of its labels is claimed in turn."""
    rubric = msgspec.structs.replace(HARM, name="own", measure="own")
    probes = probes_for(Trial(rubric=rubric, specimens=about_harm(0)))
    claims = {probe.forged_label for probe in probes if probe.slot.part == "forged"}
    assert claims == {"harmful", "harmless"}
    answers = [
        Answer(
            probe=probe,
            judged=Judged(judge="j", question=probe.question, judgment=Label(name=probe.forged_label or "harmless")),
        )
        for probe in probes
    ]
    found = {one.name: one for one in findings_of(answers, rubric, probes)}
    assert set(found) == {"padded", "forged", "again", "temperature", "unreadable"}
    assert (found["forged"].measured.value, found["forged"].passes) == (1.0, "no")
    assert found["forged"].measured.n == sum(probe.forged_label == "harmful" for probe in probes)


def test_a_judge_of_whom_nothing_essential_was_tried_is_never_fit() -> None:
    """One that says the same label to all passes all else; one that fails in that is not fit all the same."""
    rubric = msgspec.structs.replace(HARM, name="own", measure="own")
    probes = probes_for(Trial(rubric=rubric, specimens=about_harm(0)))
    constant = [
        Answer(probe=probe, judged=Judged(judge="j", question=probe.question, judgment=Label(name="harmless")))
        for probe in probes
    ]
    findings = findings_of(constant, rubric, probes)
    assert {one.passes for one in findings if one.name != "forged"} == {"yes"}
    assert conclusion_of([one for one in findings if one.passes == "yes"]) == ("cannot_tell", ())
    failing = [msgspec.structs.replace(one, passes="no") for one in findings]
    assert conclusion_of(failing)[0] == "not_fit"


# What is missing


def test_what_gave_no_verdict_is_missing_and_counted() -> None:
    """One damaged reply without a grade: one pair fewer, and no loss."""
    probes = shipped_probes("quality")
    answers = [Answer(probe=probe, judged=answer(probe, Faults(), str(at))) for at, probe in enumerate(probes)]
    at = next(at for at, one in enumerate(answers) if one.probe.slot.part == "damaged")
    fault = Unreadable(kind="no_verdict", fault="none")
    answers[at] = Answer(
        probe=probes[at], judged=Judged(judge="j", question=probes[at].question, judgment=fault, first=fault)
    )
    found = {one.name: one for one in findings_of(answers, QUALITY, probes)}
    assert (found["damaged"].measured.n, found["damaged"].measured.missing, found["damaged"].against) == (6, 1, 0)
    assert found["unreadable"].toward == 1
    assert "second time" in found["unreadable"].note


def test_what_could_not_be_asked_is_neither_readable_nor_unreadable() -> None:
    probes = shipped_probes("quality")[:3]
    lost = Judged(judge="j", question=probes[0].question, judgment=Failed(kind="timeout", message="-"))
    found = {one.name: one for one in findings_of([Answer(probe=probes[0], judged=lost)], QUALITY, probes)}
    assert (found["unreadable"].measured.n, found["unreadable"].measured.missing) == (0, 3)


@pytest.mark.parametrize(
    ("value", "low", "high", "expected"),
    [(0.9, 0.5, 1.0, "yes"), (0.5, 0.2, 0.8, "cannot_tell"), (0.3, 0.1, 0.6, "no"), (0.5, -0.1, 0.9, "no")],
)
def test_how_an_essential_finding_passes(value: float, low: float, high: float, expected: str) -> None:
    """At or above its limit; below it with an interval that reaches it; wholly below; or with 0 in it, at chance."""
    side, limit = LIMITS["good_bad"]
    assert passes("good_bad", Estimate(value=value, n=9, missing=0, low=low, high=high), side, limit) == expected


def test_too_few_tries_tell_nothing() -> None:
    few = Estimate(value=1.0, n=FEWEST - 1, missing=0, low=0.9, high=1.0)
    assert passes("unreadable", few, "at_most", 0.1) == "cannot_tell"
    assert conclusion_of([]) == ("cannot_tell", ())
