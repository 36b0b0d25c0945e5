"""FastChat's ``judge_prompts.jsonl`` as rubrics: its ``single`` prompts rate, its ``pairwise`` prompts prefer. Pure.

A line is ``{"name", "type", "system_prompt", "prompt_template"}``; its description, category and output format decide
nothing and are not kept. How many turns a prompt shows, and whether it shows references, its places say.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.conversation import require
from multiturn.errors import RubricError
from multiturn.rubric import Rubric, Scale, Template, places_in, template_fault

if TYPE_CHECKING:
    from multiturn.rubric import Mode

NAME: Final = "fastchat"
HINT: Final = "take FastChat's file as it is, or mend these lines"
_MODES: Final[dict[str, Mode]] = {"single": "rating", "pairwise": "preference"}
_TEXTS: Final = ("name", "type", "system_prompt", "prompt_template")


def parse_judge_prompts(data: bytes, source: str) -> tuple[Rubric, ...]:
    """The rubrics in these bytes: one for each type that is there, ratings first.

    Their version is the SHA-256 of their prompts, shortened.

    Raises:
        RubricError: with every fault, each as ``file:line 3: field: what is wrong``.
    """
    faults: list[str] = []
    found: dict[Mode, dict[tuple[int, bool], Template]] = {mode: {} for mode in _MODES.values()}
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not raw.strip():
            continue
        try:
            mode, template = _line(raw)
        except ValueError as error:
            faults.append(f"{source}:line {number}: {error}")
            continue
        other = found[mode].setdefault((template.turns, template.reference), template)
        if other is not template:
            faults.append(
                f"{source}:line {number}: name: {template.name} is for the same turns as {other.name}; leave one out"
            )
    if faults:
        raise RubricError(source, faults, hint=HINT)
    return tuple(_rubric(mode, tuple(templates.values())) for mode, templates in found.items() if templates)


def _line(raw: bytes) -> tuple[Mode, Template]:
    """The prompt on a line, with its mode.

    Raises:
        ValueError: says what is wrong with it.
    """
    try:
        row: object = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}; one object a line") from None
    if not isinstance(row, dict):
        raise ValueError("must be an object with name, type, system_prompt and prompt_template")  # noqa: TRY004
    for name in _TEXTS:
        require(isinstance(row.get(name), str), f"{name}: {'must be a text' if name in row else 'is missing'}")
    name, kind, system, prompt = (str(row[field]) for field in _TEXTS)
    require(bool(name.strip()), "name: is empty")
    require(kind in _MODES, f"type: must be single or pairwise, not {kind!r}")
    places = places_in(prompt, "prompt_template")
    turns = 2 if "question_2" in places else 1
    template = Template(name=name, system=system, prompt=prompt, turns=turns, reference="ref_answer_1" in places)
    fault = template_fault(_MODES[kind], template)
    require(not fault, f"prompt_template:{fault}")
    return _MODES[kind], template


def _rubric(mode: Mode, templates: tuple[Template, ...]) -> Rubric:
    return Rubric(
        name=NAME,
        version=hashlib.sha256(msgspec.json.encode(templates)).hexdigest()[:8],
        mode=mode,
        description="FastChat's prompts for " + ("grades of one reply" if mode == "rating" else "two replies compared"),
        measure="" if mode == "rating" else "preference",
        scale=Scale() if mode == "rating" else None,
        templates=templates,
    )
