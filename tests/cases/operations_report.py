"""Operations of the published bug cases that the report answers: rows of Markdown, and files of results."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from multiturn.compare import compare
from multiturn.conditions import Arm, Conditions, RunRecord
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.report import markdown
from multiturn.report.plain_json import write_results
from multiturn.results import Contrast
from multiturn.stats.paired import mean_interval, paired_difference
from multiturn.transcript import Sampling


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
    "render_markdown_row": render_markdown_row,
    "result_files": result_files,
}
