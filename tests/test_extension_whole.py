"""A declared look is taken once both runs are whole: one that lacked turns would be the same look again when it has more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from multiturn import api
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.errors import EngineError, UsageError
from multiturn.results import Plan
from multiturn.transcript import Sampling

WORDS: Final = Plan(primary="words")
SERVER: Final = "scripted:a_server_that_fails:reply"
FAILING: Final = """
from pathlib import Path

from multiturn.errors import ReplyFailed

def reply(request):
    down = Path("down")
    if down.exists() and request.session.conversation in down.read_text().split():
        raise ReplyFailed("connection", "the server is gone")
    return "Hm."
"""
"""A script that fails for the conversations that a file names, for as long as they stand there."""


@pytest.fixture(name="folder")
def a_folder_with_a_server_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a_server_that_fails.py").write_text(FAILING, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def down(folder: Path, *conversations: str) -> None:
    (folder / "down").write_text(" ".join(conversations), encoding="utf-8")


def look(
    samples: int = 1, size: int = 6, window: int | None = None, *, extend: bool = True, swap: bool = False
) -> api.Compared:
    """One that names the failing server as tuned, or as base."""
    suite = Suite(
        name="s",
        conversations=tuple(
            Conversation(id=f"c{at}", turns=(Turn(text="a " * at + "hello"), Turn(text="and again")))
            for at in range(size)
        ),
    )
    settings = api.Settings(samples=samples, window=window)
    job = api.Job(suite=suite, settings=settings, store="runs.db", extend=extend, plan=WORDS)
    arms = (SERVER, "scripted:echo") if swap else ("scripted:echo", SERVER)
    return api.compare(*arms, job, results=None, page=None)


def stored_look(base: str, tuned: str) -> api.Compared:
    with api.open_store("runs.db") as store:
        return api.compare_stored(store, base, tuned, job=api.Job(extend=True, plan=WORDS))


def test_turns_that_failed_leave_no_look(folder: Path) -> None:
    """Each time the engine is a little better the same command would be look 1 again, at more conversations."""
    for gone in (("c1", "c2", "c4"), ("c1", "c4"), ("c4",)):
        down(folder, *gone)
        with pytest.raises(
            UsageError, match=rf"of 12 turns of run \S+ {len(gone)} failed: .* once both runs are whole"
        ) as e:
            look()
        assert "give the command that holds them again" in e.value.hint
        assert "leave out --extend" in e.value.hint
    down(folder)
    whole = look()
    assert whole.comparison.plan.look == 1
    assert whole.tuned.progress.replies == 2, "all but the last conversation was kept"
    assert look(samples=2).comparison.plan.look == 2


def test_a_base_whose_turns_failed_leaves_no_look_either(folder: Path) -> None:
    """Nor does it at the extension, which is taken once its runs are whole."""
    look(swap=True)
    down(folder, "c4")
    with pytest.raises(UsageError, match=r"of 24 turns of run \S+ 2 failed: "):
        look(samples=2, swap=True)
    down(folder)
    assert look(samples=2, swap=True).comparison.plan.look == 2


def test_stored_runs_that_lack_turns_are_not_looked_at(folder: Path) -> None:
    """Failed ones, and ones that were not reached before the run was broken off: many in a row do that."""
    down(folder, "c4")
    part = look(extend=False)
    with pytest.raises(UsageError, match="1 failed: "):
        stored_look(part.base.run.id, part.tuned.run.id)
    down(folder, *(f"c{at}" for at in range(40)))
    with pytest.raises(EngineError, match="in a row failed"):
        look(size=40, extend=False)
    with api.open_store("runs.db") as store:
        base, tuned = sorted((one.run for one in store.runs() if one.run.turns == 80), key=lambda run: run.created)
        held = store.progress(tuned.id)
    assert 0 < sum(held.values()) < 80
    with pytest.raises(
        UsageError, match=f"{held['failed']} failed and {80 - sum(held.values())} were not asked for yet: "
    ):
        stored_look(base.id, tuned.id)


@pytest.mark.usefixtures("folder")
def test_prompts_that_do_not_fit_do_not_stand_in_the_way_of_a_look() -> None:
    """They are missing for good: the same command asks for nothing more."""
    window = Sampling().max_tokens + 6
    first = look(window=window)
    assert first.base.progress.failures == 0
    assert first.base.progress.missing > 0
    assert first.comparison.plan.look == 1
    assert look(window=window).comparison.plan.look == 1
    assert look(samples=2, window=window).comparison.plan.look == 2


def test_imported_runs_are_looked_at_as_they_are(folder: Path) -> None:
    """A reply that the file lacks is missing for good: nothing can be asked for again."""

    def held(reply: str, missing: str) -> list[dict[str, object]]:
        said = {f"c{at}": None if f"c{at}" == missing else reply for at in range(4)}
        return [
            {
                "id": name,
                "transcript": [{"user": "Hello.", "assistant": "Hm."}, {"user": f"And {name}?", "assistant": it}],
            }
            for name, it in said.items()
        ]

    file = folder / "results.json"
    file.write_text(json.dumps({"base_results": held("Yes.", ""), "tuned_results": held("No, no.", "c2")}), "utf-8")
    with api.open_store("runs.db") as store:
        base, tuned = (arm.run for arm in api.import_results(store, file).arms)
        assert store.progress(tuned.id) == {"ok": 7, "failed": 1}
    assert stored_look(base.id, tuned.id).comparison.plan.look == 1
