"""What a notebook shows: what is told, that no text is more than text, and that the style stays inside."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import pytest
from tests.by_hand import checks, failed, held, ok, refusals
from tests.report.lettered import BAD, GOOD, lettered
from tests.report.page.filled import OF_CONVERSATION, OF_RUN, page_of
from tests.report.page.hostile import FAMILIES, TEXTS, harmless
from tests.report.page.reading import Parsed

from multiturn.finding import Assessed, Checked, CheckResult, Span
from multiturn.report.broken import FIX_FIRST
from multiturn.report.notebook import Line, assessed_html, comparison_html, run_html, transcript_html
from multiturn.report.page.templates import asset
from multiturn.results import Comparison
from multiturn.text.printable import printable
from multiturn.transcript import Failure, Session, Transcript, TurnRecord


def of_comparison(texts: Sequence[str]) -> str:
    """A conversation for each text, which is in all its fields; all texts are in each field of the runs."""
    conversations = [
        {name: f"{text} ({name})" for name in OF_CONVERSATION} | {"id": f"{text[:150]} ({at})"}
        for at, text in enumerate(texts)
    ]
    page = page_of(conversations, {name: f"{' '.join(texts)} ({name})" for name in OF_RUN})
    return comparison_html(page.comparisons[0], [Line("page", " ".join(texts))])


def of_run(texts: Sequence[str]) -> str:
    text = " ".join(texts)
    return run_html(page_of([{}], {name: f"{text} ({name})" for name in OF_RUN}).runs[0], [Line("Progress", text)])


def transcript(text: str) -> Transcript:
    """A reply, and a turn that was lost."""
    told = TurnRecord(
        turn=0,
        user=text,
        status="ok",
        reply=f"Well. {text}",
        raw=f"{text}, raw",
        reasoning=text,
        prompt_delta=text,
        served_model=text,
    )
    lost = TurnRecord(turn=1, user=text, status="failed", cause="environment", failure=Failure("server", text))
    return Transcript(session=Session(text), turns=(told, lost), system=text)


def of_transcripts(texts: Sequence[str]) -> str:
    return "".join(transcript_html(transcript(text)) for text in texts)


def of_assessed(texts: Sequence[str]) -> str:
    return "".join(assessed_html(_failing(text)) for text in texts)


def _failing(text: str) -> Assessed:
    result = CheckResult(outcome="fail", reason=text, span=Span(6, 6 + len(text), text))
    check = Checked(turn=0, check=0, kind=text, wants=text, why=text, result=result)
    return Assessed(transcript(text), (), (check,))


SHOWN: Final[dict[str, Callable[[Sequence[str]], str]]] = {
    "comparison": of_comparison,
    "run": of_run,
    "transcript": of_transcripts,
    "assessed": of_assessed,
}


@pytest.mark.parametrize("what", SHOWN)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_text_is_never_more_than_text(what: str, family: str) -> None:
    """No element more or less than with harmless twins; no script, handler, style of its own or address at all."""
    texts = list(FAMILIES[family].values())
    seen, twin = Parsed(SHOWN[what](texts)), Parsed(SHOWN[what](list(map(harmless, texts))))
    assert seen.elements == twin.elements
    assert seen.elements["script"] == 0
    assert seen.styles == twin.styles
    assert (seen.handlers, seen.addresses) == ([], [])
    assert not [one for one in seen.attributes if one[1] in {"style", "id"}]


@pytest.mark.parametrize("name", TEXTS)
def test_a_reply_is_shown_letter_for_letter(name: str) -> None:
    """With control characters as pictures or codes."""
    assert Parsed(transcript_html(transcript(TEXTS[name]))).text.count(printable(TEXTS[name])) >= 3


@pytest.mark.parametrize("name", ["notebook.css", "sheet.css"])
def test_every_rule_is_of_our_own_part_of_the_notebook(name: str) -> None:
    """A notebook's own tables and headings stay as they are."""
    rules = re.sub(r"/\*.*?\*/", "", asset(name), flags=re.DOTALL)
    selectors = [one.strip() for group in re.findall(r"([^{}]+)\{", rules) for one in group.split(",")]
    ours = [one for one in selectors if not one.startswith("@")]
    assert len(ours) > 10
    assert [one for one in ours if not one.startswith((".multiturn", ".sheet"))] == []


def test_a_comparison_says_what_it_comes_to_and_where_to_read() -> None:
    """The first sentence first, then which runs, what to fix, the verdicts, what changed most, and the notes."""
    comparison = lettered(GOOD, BAD)
    notes = (f"{FIX_FIRST}all replies are empty; read them", "It rained.")
    page = Parsed(comparison_html(msgspec.structs.replace(comparison, notes=notes), [Line("base", "demo:base")]))
    said = [str(text).strip() for text in page.texts if text.strip()]
    wanted = (
        "base",
        "demo:base",
        "Fix first",
        "all replies are empty; read them",
        "Verdict",
        "REGRESSED",
        "Changed most",
    )
    places = [said.index(text) for text in (*wanted, "Notes", "It rained.")]
    assert places == sorted(places)
    assert said[0].startswith("Tuned passes fewer checks than base")
    command = f"multiturn diff {comparison.base_run} {comparison.tuned_run} {comparison.changes[0].conversation}"
    assert command in said
    assert page.elements["table"] == 4, "runs, verdicts, what changed most, flipped checks"


def test_a_comparison_of_nothing_is_shown_too() -> None:
    """Two runs that hold nothing in common: no verdict, no changes."""
    shown = Parsed(comparison_html(Comparison(base_run="r1", tuned_run="r2", contrasts=(), changes=())))
    assert shown.text.strip().startswith("No verdict on checks passed")
    assert shown.elements["table"] == 0


def test_a_run_says_what_was_held_and_how_to_read_it() -> None:
    run = page_of([{}], {"base_spec": "demo:base"}).runs[0]
    text = Parsed(run_html(run, [Line("Progress", "3 of 3 turns")])).text
    for told in ("demo:base", "kettles version 1, 1 conversation, 3 turns", "temperature 0.7", OF_RUN["run_note"]):
        assert told in text
    assert f"multiturn show {run.id}" in text
    assert text.index("temperature 0.7") < text.index("3 of 3 turns") < text.index("multiturn show")


def test_a_transcript_is_shown_turn_by_turn() -> None:
    """As far as it is known without measuring: no refusal is told, what was lost is."""
    shown = Parsed(transcript_html(held("c1", (ok(0, "Fine."), failed(1)), sample=1).transcript))
    text = " ".join(shown.text.split())
    assert text.startswith("c1 (sample 2)")
    assert text.index("Turn 1") < text.index("Fine.") < text.index("Turn 2") < text.index("Missing")
    assert "refusal" not in text


def test_what_was_found_in_a_transcript_is_shown_with_it() -> None:
    assessed = held("c1", (ok(0, "I can't help."), ok(1)), refusals("x-"), checks("f", "p"))
    text = Parsed(assessed_html(assessed)).text
    assert text.count("full refusal") == 1
    assert text.index("fails") < text.index("because of f") < text.index("passes")


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (Transcript(session=Session("c1"), turns=()), "c1: no turn was held."),
        (Transcript(session=Session(" "), turns=(ok(0, "Hi"),)), "(no id)"),
        (Transcript(session=Session("c" * 999), turns=(ok(0, "Hi"),)), "ccc..."),
        (
            Transcript(session=Session("c1"), turns=(TurnRecord(turn=0, user=" ", status="ok", reply="Hi"),)),
            "(nothing)",
        ),
        (Transcript(session=Session("c1"), turns=(ok(2, "Hi"),)), "Not held by this arm."),
    ],
    ids=["no turn", "no name", "a long name", "nothing said", "a gap"],
)
def test_an_odd_transcript_is_shown_as_far_as_it_goes(made: Transcript, told: str) -> None:
    """Whoever makes transcripts by hand can make them so; a notebook must not fail over one."""
    assert told in Parsed(transcript_html(made)).text
