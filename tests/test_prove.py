"""The steps of a proof that hold conversations: mutants of the goldens, and probes without the turn they need."""

from __future__ import annotations

import asyncio
from io import StringIO
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from rich.console import Console
from tests.by_hand import says

from multiturn.conversation import Capability, Conversation, Suite, Turn
from multiturn.engines.mutants import MUTANTS
from multiturn.engines.scripted import ScriptedEngine
from multiturn.errors import NotFound, UsageError
from multiturn.facts import EngineOptions
from multiturn.prove import (
    GREEDY,
    LOST,
    Fall,
    ablate,
    ablated_as_held,
    golden_script,
    hold_all,
    mutant_falls,
    mutant_table,
    read_held,
)
from multiturn.report.numbers import ABSENT
from multiturn.report.text import render
from multiturn.suites.blind import Held
from multiturn.transcript import Sampling

FAR = Conversation(
    id="far",
    turns=(
        Turn(text="Mira can't eat walnuts.", golden="Noted."),
        Turn(text="A soup, please.", golden="Leek soup.", capability="follow_up", checks=(says("soup"),)),
        Turn(
            text="And what can't she eat?",
            golden="Walnuts.",
            capability="context_retention",
            distance=2,
            checks=(says("walnuts"),),
        ),
    ),
)
RULED = Conversation(
    id="ruled",
    system="End with Ahoy.",
    turns=(Turn(text="Hi.", golden="Hello. Ahoy!", capability="instruction_hierarchy", checks=(says("ahoy"),)),),
)
SUITE = Suite(name="s", conversations=(FAR, RULED))


def test_the_golden_model_knows_only_what_it_was_told() -> None:
    """It says the golden reply where what that needs was said, the system prompt included; else that it is lost."""

    def replies(suite: Suite) -> list[list[str | None]]:
        held = asyncio.run(hold_all(suite, ScriptedEngine(golden_script(SUITE)), GREEDY))
        return [[record.reply for record in transcript.turns] for transcript in held]

    assert replies(SUITE) == [["Noted.", "Leek soup.", "Walnuts."], ["Hello. Ahoy!"]]
    shorter = Conversation(id="far", turns=tuple(Turn(text=turn.text) for turn in FAR.turns[1:]))
    unruled = Conversation(id="ruled", turns=RULED.turns)
    assert replies(Suite(name="s", conversations=(shorter, unruled))) == [["Leek soup.", LOST], [LOST]]


def test_what_mutants_break() -> None:
    """A row a mutant; the forgetful one loses what lies two turns back, and the largest fall is marked."""
    falls = {(fall.mutant, fall.capability): (fall.passed, fall.of) for fall in mutant_falls(SUITE)}
    assert falls["forgets", "context_retention"] == (0, 1)
    assert falls["forgets", "follow_up"] == falls["forgets", "instruction_hierarchy"] == (1, 1)
    assert falls["repeats_itself", "follow_up"] == (0, 1)
    table = mutant_table(mutant_falls(SUITE))
    assert [row[0] for row in table.rows] == list(MUTANTS)
    forgets = dict(zip(table.header, table.rows[0], strict=True))
    assert forgets == {
        "mutant": "forgets",
        "should break": "context retention",
        "context retention (1)": "0.0% *",
        "follow up (1)": "100.0%",
        "instruction hierarchy (1)": "100.0%",
    }


def test_a_share_has_its_number_of_checks() -> None:
    """In the header; in the cell, too, where fewer of the capability's checks apply to what a mutant says."""
    falls = [
        Fall(mutant="forgets", capability="correction", passed=30, of=60),
        Fall(mutant="refuses", capability="correction", passed=10, of=40),
        Fall(mutant="refuses", capability="recovery", passed=2, of=2),
    ]
    table = mutant_table(falls)
    assert table.header[2:] == ("correction (60)", "recovery (2)")
    assert [row[2:] for row in table.rows] == [("50.0% *", ABSENT), ("25.0% of 40 *", "100.0%")]


def test_the_table_of_mutants_fits_a_terminal() -> None:
    """At 80 columns no number of checks and no star is cut off, with all capabilities."""
    capabilities = get_args(Capability)
    falls = [Fall(mutant="forgets", capability=one, passed=5, of=60 + at) for at, one in enumerate(capabilities)]
    console = Console(width=80, record=True, file=StringIO())
    console.print(render(mutant_table(falls)))
    shown = console.export_text()
    assert [number for number in range(60, 68) if f"({number})" not in shown] == []
    assert shown.count("*") == 2


def test_a_model_without_the_turn_that_a_probe_needs(tmp_path: Path) -> None:
    """What it passes all the same is told; replies held blind are counted in the same way."""
    table = tmp_path / "replies.json"
    table.write_text('{"*": ["Walnuts, I suppose.", "Walnuts again."]}', encoding="utf-8")
    found = asyncio.run(ablate(SUITE, f"scripted:{table}", EngineOptions(), Sampling()))
    assert (found.tally.passed, found.tally.of, found.lost) == (1, 2, 0)
    assert [(one.conversation, one.turn) for one in found.passed] == [("far", 2)]
    blind = ablated_as_held(SUITE, [Held(conversation="far.2", style="x", replies=("Leek soup.", "No idea."))])
    assert (blind.tally.passed, blind.tally.of, blind.lost) == (0, 1, 1)
    assert [str(one) for one in blind.coverage] == ["1 of 2 probes were held in style x; missing: ruled.0"]
    plain = Suite(name="plain", conversations=(Conversation(id="a", turns=(Turn(text="x"),)),))
    with pytest.raises(UsageError, match="no probe"):
        asyncio.run(ablate(plain, "scripted:echo", EngineOptions(), Sampling()))


def test_replies_that_were_held_blind_are_read_line_by_line(tmp_path: Path) -> None:
    """Blank lines are skipped. A line that is none is named, with what a line is, and so is a file without one."""
    path = tmp_path / "held.jsonl"
    path.write_text('{"conversation": "a", "style": "terse", "replies": ["x"]}\n', encoding="utf-8")
    terse = Held(conversation="a", style="terse", replies=("x",), place=f"{path}:line 1")
    assert read_held(path) == [terse]
    path.write_text(
        '\n{"conversation": "a", "style": "terse", "replies": ["x"], "place": "no"}\r\n\n \n', encoding="utf-8"
    )
    assert read_held(path) == [msgspec.structs.replace(terse, place=f"{path}:line 2")]
    assert b"place" not in msgspec.json.encode(Held(conversation="a", style="terse", replies=()))
    path.write_text('{"conversation": "a", "style": "t", "replies": []}\n{"id": 1}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="line 2"):
        read_held(path)
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"held\.jsonl holds no conversation"):
        read_held(path)
    with pytest.raises(UsageError, match="can't be read"):
        read_held(tmp_path)
    with pytest.raises(NotFound, match="no file"):
        read_held(tmp_path / "none.jsonl")


def test_the_mutants_table_in_a_notebook() -> None:
    """Inside a running event loop, too."""

    async def cell() -> bool:
        return bool(mutant_falls(SUITE))

    assert asyncio.run(cell())
