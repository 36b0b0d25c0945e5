"""Operations of the published bug cases that the report answers: pages, rows of Markdown, and files of results."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from markdown_it import MarkdownIt
from tests.report.page.filled import OF_CONVERSATION, OF_RUN, page_of
from tests.report.page.hostile import harmless
from tests.report.page.reading import Parsed, parsed_whole

from multiturn.compare import compare
from multiturn.conditions import Arm, Conditions, RunRecord
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.engines.scripted import ScriptedEngine, echo
from multiturn.jobs import compare_stored
from multiturn.pages import page_of_one
from multiturn.report import markdown
from multiturn.report.page.page import page_text, write_page
from multiturn.report.plain_json import write_results
from multiturn.results import Contrast
from multiturn.run import Settings, find_or_begin, hold_run
from multiturn.stats.paired import mean_interval, paired_difference
from multiturn.store import Store, open_store
from multiturn.transcript import Sampling

FIELDS: Final = {
    "reply": ("answer", "response", "output", "completion", "text", "content", "assistant"),
    "user": ("prompt", "question", "turn", "instruction", "input", "message"),
    "id": ("question_id", "conversation", "conversation_id", "case"),
    "spec": ("model", "model_id", "model_name", "name", "tuned", "tuned_model", "label"),
    "base_spec": ("base", "base_model", "baseline"),
    "domain": ("topic", "tag", "tags"),
    "suite": ("title", "dataset", "task", "benchmark"),
    "system": ("system_prompt",),
    "golden": ("reference", "expected", "target"),
    "reason": ("judge", "judgment", "judge_reason", "explanation", "rationale", "verdict", "check"),
    "failure": ("error", "exception", "traceback"),
    "reasoning": ("thinking", "think"),
    "why": ("description", "comment", "purpose"),
    "identity": ("path", "file", "engine", "adapter", "template_name"),
}
"""Our fields, and what cases may call them. One that is none of these is a note."""
OURS: Final = {theirs: ours for ours, names in FIELDS.items() for theirs in names}


def render_html(given: dict[str, Any]) -> dict[str, Any]:
    """A page with these values in its fields, its transcripts opened, beside one with their harmless twins.

    A category of a suite is one of eight words; here it is what the case says all the same, as in a value made by hand.
    """
    values = {_our_field(name): str(value) for name, value in given["fields"].items()}
    seen, twin = _parsed(values), _parsed({name: harmless(value) for name, value in values.items()})
    elements, wanted = (sum((one.elements for one in parts), Counter[str]()) for parts in (seen, twin))
    return {
        "new_elements": sorted(elements - wanted),
        "on_attributes": sum(len(one.handlers) for one in seen),
        "visible_text": "\n".join(one.text for one in seen),
    }


def _our_field(name: str) -> str:
    known = name if name in OF_CONVERSATION or name in OF_RUN else OURS.get(name.casefold())
    return known or "note"


def _parsed(values: dict[str, str]) -> list[Parsed]:
    of_run = {name: value for name, value in values.items() if name in OF_RUN}
    of_conversation = {name: value for name, value in values.items() if name not in OF_RUN}
    return parsed_whole("".join(page_text(page_of([of_conversation], of_run))))


def report(given: dict[str, Any]) -> dict[str, Any]:
    """So many conversations with each of these models, through a store, and the page of it."""
    suite = Suite(
        name="s", conversations=tuple(Conversation(id=f"c{at}", turns=(Turn(text="u"),)) for at in range(given["n"]))
    )
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "runs.db") as store:
        runs = [_held(store, suite, model) for model in given["models"]]
        page = Path(folder) / "report.html"
        if len(runs) == 1:
            write_page(page, page_of_one(store, runs[0]))
            said = None
        else:
            said = compare_stored(store, runs[0].id, runs[1].id, page=page).comparison.verdicts
        shown = parsed_whole(page.read_text(encoding="utf-8"))
    return {"crash": False, "comparison": said, "sheets": len(shown) - 1}


def _held(store: Store, suite: Suite, model: str) -> RunRecord:
    engine = ScriptedEngine(echo, spec=model)
    run = find_or_begin(store, suite, engine, Arm(spec=model), Settings(), resume=None, fresh=True)
    asyncio.run(hold_run(store, run, suite, engine))
    return run


def render_markdown_row(given: dict[str, Any]) -> dict[str, Any]:
    """Our row under a header of as many columns, read by a Markdown parser."""
    columns = len(given["cells"])
    page = f"|{' h |' * columns}\n|{' --- |' * columns}\n{markdown.row(given['cells'])}\n"
    tokens = MarkdownIt("commonmark").enable("table").parse(page)
    body = [token.type for token in tokens]
    body = body[body.index("tbody_open") :]
    return {"columns": body.count("td_open"), "rows": body.count("tr_open")}


def result_files(given: dict[str, Any]) -> dict[str, Any]:
    """The export of a comparison whose scores are these, one a conversation; read by a reader that knows no NaN."""
    scores = {f"c{at}": value for at, value in enumerate(given["scores"])}
    suite = Suite(name="s", conversations=(Conversation(id="c0", turns=(Turn(text="u"),)),))
    comparison = compare(suite, [], [], base_run="r1", tuned_run="r2")
    arm = mean_interval(list(scores.values()))
    contrast = Contrast(
        measure="score", group=("all", ""), base=arm, tuned=arm, difference=paired_difference(scores, scores)
    )
    comparison = type(comparison)(
        base_run="r1", tuned_run="r2", contrasts=(contrast, *comparison.contrasts), changes=comparison.changes
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.json"
        write_results(path, base_run=_run("r1"), tuned_run=_run("r2"), base=[], tuned=[], comparison=comparison)
        text = path.read_text(encoding="utf-8")
    odd: list[str] = []
    json.loads(text, parse_constant=odd.append)
    tokens = ["NaN", "Infinity"]
    absent = [token for token in tokens if not re.search(rf"\b{token}\b", text)]
    return {"strict_json": not odd, "never_tokens": absent}


def _run(name: str) -> RunRecord:
    conditions = Conditions(
        suite_digest="d",
        sampling=Sampling(),
        samples=1,
        history="self",
        overflow="stop",
        context_window=None,
        system=None,
        template="model",
        reproducible=False,
        identity={},
    )
    return RunRecord(
        id=name,
        created="2026-01-01T00:00:00Z",
        arm=Arm(spec="scripted:x"),
        suite_name="s",
        suite_version="1",
        conversations=1,
        turns=1,
        conditions=conditions,
        versions={},
    )


OPERATIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "render_html": render_html,
    "render_markdown_row": render_markdown_row,
    "report": report,
    "result_files": result_files,
}
