"""What a Python user calls: hold runs, compare them, read them, go back into them."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from multiturn import api
from multiturn.conditions import Arm
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.errors import ConditionsDiffer, EngineError, NotFound, SuiteError, UsageError
from multiturn.facts import EngineOptions
from multiturn.run import Progress, Settings
from multiturn.store import Store, open_store
from multiturn.transcript import Sampling

SUITE = Suite(
    name="s",
    conversations=(
        Conversation(id="c", turns=(Turn(text="one"), Turn(text="two")), system="Be brief."),
        Conversation(id="d", turns=(Turn(text="three"),)),
        Conversation(id="e", turns=(Turn(text="four"), Turn(text="five"), Turn(text="six"))),
    ),
)
SIX = [("c", 0), ("c", 1), ("d", 0), ("e", 0), ("e", 1), ("e", 2)]

ENGINE = '''
import msgspec

from multiturn.engines.scripted import ScriptedEngine
from multiturn.errors import ReplyFailed

ASKED, OPENED, CLOSED, TROUBLE, ASKED_WHEN_CLOSED = [], [], [], [], []
PROMISES = True


class Mine(ScriptedEngine):
    """Says what it is and what it heard; ``mine:name@window``."""

    def __init__(self, spec):
        name, _, window = spec.removeprefix("mine:").partition("@")
        super().__init__(self.say, spec=spec, window=int(window) if window else None, identity={"weights": name})
        self.name = name
        self.opened_at = len(CLOSED)
        self.facts = msgspec.structs.replace(self.facts, reproducible=PROMISES or name == "a")

    def say(self, request):
        if TROUBLE:
            raise TROUBLE[0]
        ASKED.append((self.name, request.session.conversation, request.turn))
        return f"{self.name} heard {request.messages[-1].content}"

    async def close(self):
        if self.spec not in CLOSED[self.opened_at :]:
            CLOSED.append(self.spec)
            ASKED_WHEN_CLOSED.append(sorted({name for name, *_ in ASKED}))


def open_engines(specs, options):
    OPENED.extend((spec, options) for spec in specs)
    return [Mine(spec) for spec in specs]
'''


@pytest.fixture(name="mine")
def users_own_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of a user's own engine ``mine:``, as if installed; it keeps what it was asked."""
    name = f"mine_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(ENGINE, encoding="utf-8")
    info = tmp_path / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[multiturn.engines]\nmine = {name}:open_engines\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return importlib.import_module(name)


@pytest.fixture(name="job")
def small_job(tmp_path: Path) -> api.Job:
    return api.Job(suite=SUITE, store=tmp_path / "runs.db", settings=Settings(sampling=Sampling(max_tokens=5)))


@pytest.fixture(name="store")
def opened_store(job: api.Job) -> Iterator[Store]:
    with open_store(job.store) as store:
        yield store


def changed(job: api.Job, **fields: object) -> api.Job:
    return api.Job(**{name: getattr(job, name) for name in job.__struct_fields__} | fields)


def texts(store: Store, held: api.Held) -> list[tuple[str, str | None]]:
    return [(turn.user, turn.reply) for one in api.transcripts(store, held.run) for turn in one.turns]


def test_every_name_that_is_offered_is_there() -> None:
    for name in api.__all__:
        assert hasattr(api, name), name


# Evaluate


def test_evaluate_holds_a_suite(job: api.Job, store: Store, mine: ModuleType) -> None:
    held = api.evaluate("mine:a", job)
    assert sorted(mine.ASKED) == [("a", *turn) for turn in SIX]
    assert texts(store, held) == [
        (turn.text, f"a heard {turn.text}") for one in SUITE.conversations for turn in one.turns
    ]
    assert (held.reused, held.progress.replies, held.progress.turns_done, held.run.turns) == (False, 6, 6, 6)
    assert mine.CLOSED == ["mine:a"]


def test_the_same_call_uses_again_what_is_there(job: api.Job, store: Store, mine: ModuleType) -> None:
    """Nothing is asked; ``fresh`` asks for all of it."""
    first = api.evaluate("mine:a", job)
    mine.ASKED.clear()
    again = api.evaluate(Arm(spec="mine:a"), job)
    assert (again.run, again.reused, mine.ASKED) == (first.run, True, [])
    fresh = api.evaluate("mine:a", changed(job, fresh=True))
    assert (fresh.reused, len(mine.ASKED), fresh.run.id != first.run.id) == (False, 6, True)
    assert len(store.runs()) == 2


def test_the_same_call_goes_on_after_a_failure(job: api.Job, mine: ModuleType) -> None:
    """The engine is closed whatever happened, and what failed is asked for again."""
    mine.TROUBLE.append(EngineError("out of memory"))
    with pytest.raises(EngineError, match="out of memory"):
        api.evaluate("mine:a", job)
    assert mine.CLOSED == ["mine:a"]
    mine.TROUBLE.clear()
    held = api.evaluate("mine:a", job)
    assert (held.reused, held.progress.turns_done, len(mine.ASKED)) == (False, 6, 6)


@pytest.mark.usefixtures("mine")
def test_a_run_in_which_all_overflowed_was_not_reused(job: api.Job) -> None:
    """It was begun and held just now, if with nothing to show for it."""
    held = api.evaluate("mine:a@3", job)
    assert (held.progress.turns_done, held.progress.replies, held.reused) == (6, 0, False)
    assert api.evaluate("mine:a@3", job).reused


def test_resume_names_its_run(job: api.Job, mine: ModuleType) -> None:
    """Under other conditions it is refused, with each that differs."""
    held = api.evaluate("mine:a", job)
    assert api.evaluate("mine:a", changed(job, resume="latest")).run == held.run
    with pytest.raises(ConditionsDiffer, match=r"identity\.weights: 'a' then, 'b' now"):
        api.evaluate("mine:b", changed(job, resume=held.run.id))
    with pytest.raises(NotFound):
        api.evaluate("mine:a", changed(job, resume="nothing"))
    assert mine.CLOSED == ["mine:a", "mine:a", "mine:b", "mine:a"]


def test_a_part_of_a_suite(job: api.Job, mine: ModuleType) -> None:
    """By ids or by number; a part is a run of its own; an id that is not there is refused before anything opens."""
    api.evaluate("mine:a", changed(job, only=("e", "d")))
    assert Counter(conversation for _, conversation, _ in mine.ASKED) == {"d": 1, "e": 3}
    assert api.evaluate("mine:a", changed(job, limit=1)).run.conversations == 1
    mine.OPENED.clear()
    with pytest.raises(NotFound):
        api.evaluate("mine:a", changed(job, only=("none",)))
    assert mine.OPENED == []


def test_a_suite_from_a_file(job: api.Job, tmp_path: Path, mine: ModuleType) -> None:
    """A list of turns is enough; a file with faults opens no engine."""
    file = tmp_path / "suite.json"
    file.write_text('[{"id": "one", "turns": ["hello", "and now?"]}]', encoding="utf-8")
    assert api.evaluate("mine:a", changed(job, suite=file)).run.turns == 2
    mine.OPENED.clear()
    file.write_text('[{"id": "one", "turns": []}]', encoding="utf-8")
    with pytest.raises(SuiteError):
        api.evaluate("mine:a", changed(job, suite=str(file)))
    assert mine.OPENED == []


def test_an_arms_system_prompt(job: api.Job, store: Store) -> None:
    """It takes the place of the conversations' own; an empty one takes it away."""
    for arm, systems in (
        (Arm(spec="scripted:echo"), ["Be brief.", None, None]),
        (Arm(spec="scripted:echo", system="Be kind."), ["Be kind."] * 3),
    ):
        held = api.evaluate(arm, job)
        assert [one.system for one in api.transcripts(store, held.run)] == systems
    held = api.evaluate(Arm(spec="scripted:echo", system=""), job)
    prompts = [turn.prompt_delta for one in api.transcripts(store, held.run) for turn in one.turns]
    assert not any("system" in prompt for prompt in prompts if prompt)


def test_an_arms_template_is_the_one_that_is_used(job: api.Job, mine: ModuleType) -> None:
    """What the record says of the template is what the engine was opened with."""
    held = api.evaluate(Arm(spec="mine:a", template="plain"), job)
    assert held.run.conditions.template == "plain"
    assert [options.template for _, options in mine.OPENED] == ["plain"]
    held = api.evaluate("mine:a", changed(job, options=EngineOptions(template="plain")))
    assert held.run.conditions.template == "plain"
    assert held.reused


def test_who_watches_hears_of_every_turn(job: api.Job) -> None:
    seen: list[tuple[str, int]] = []

    def watch(arm: Arm, progress: Progress) -> None:
        seen.append((arm.spec, progress.turns_done))

    api.evaluate("scripted:echo", job, watch=watch)
    assert set(seen) == {("scripted:echo", done) for done in range(1, 7)}


def test_reproducible_is_refused_where_an_engine_does_not_promise_it(
    job: api.Job, mine: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the engine: a user's own too, and before a reply is asked for."""
    held = changed(job, options=EngineOptions(reproducible=True))
    api.evaluate("mine:a", held)
    mine.ASKED.clear()
    monkeypatch.setattr(mine, "PROMISES", False)
    with pytest.raises(UsageError, match="mine:b makes no promise"):
        api.compare("mine:a", "mine:b", held, results=None, page=None)
    assert mine.ASKED == []


@pytest.mark.usefixtures("mine")
def test_inside_a_running_loop(job: api.Job) -> None:
    """As in a notebook: the plain calls work, and the awaited ones too; errors come out as they are."""

    async def cell() -> None:
        plain = api.evaluate("mine:a", job)
        awaited = await api.aevaluate("mine:a", job)
        assert (plain.run, plain.reused, awaited.reused) == (awaited.run, False, True)
        compared = api.compare("mine:a", "mine:b", job, results=None, page=None)
        again = await api.acompare("mine:a", "mine:b", job, results=None, page=None)
        assert (compared.base.reused, compared.tuned.reused, again.tuned.reused) == (True, False, True)
        assert again.comparison == compared.comparison
        with pytest.raises(NotFound):
            api.evaluate("mine:a", changed(job, only=("none",)))
        assert asyncio.current_task() is not None

    asyncio.run(cell())


NOTEBOOK = """
import asyncio, os, signal, sys, threading, time
from multiturn import api

job = api.Job(suite=sys.argv[1], store=sys.argv[2])
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests that run in the background are started without

async def cell():
    threading.Timer(2.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        api.evaluate("scripted:slow_scripts:endless", job)
    except KeyboardInterrupt:
        print("stopped")

loop = asyncio.new_event_loop()  # as a notebook's kernel: its loop takes no notice of Ctrl-C
loop.run_until_complete(cell())
"""


def test_stopping_a_cell_stops_the_run(tmp_path: Path) -> None:
    """What is done is kept; nothing goes on in the background."""
    suite = tmp_path / "suite.json"
    suite.write_text(json.dumps([{"id": "a", "turns": ["one", "two", "three"]}]), encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).with_name("faults"))}
    command = [sys.executable, "-c", NOTEBOOK, str(suite), str(tmp_path / "s.db")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=15, check=False)
    assert done.stdout == "stopped\n", done.stderr
    with open_store(tmp_path / "s.db") as store:
        assert dict(store.runs()[0].progress) == {"ok": 2}


# Compare


def test_compare_holds_both_and_writes_the_results(
    job: api.Job, store: Store, mine: ModuleType, tmp_path: Path
) -> None:
    results = tmp_path / "deep" / "results.json"
    compared = api.compare("mine:a", "mine:b", job, results=results, page=None)
    assert sorted(mine.ASKED) == [(name, *turn) for name in "ab" for turn in SIX]
    assert texts(store, compared.base)[0] == ("one", "a heard one")
    assert texts(store, compared.tuned)[0] == ("one", "b heard one")
    assert compared.comparison.base_run == compared.base.run.id
    assert compared.comparison.tuned_run == compared.tuned.run.id
    written = json.loads(results.read_text(encoding="utf-8"))
    assert (written["base_model"], written["tuned_model"]) == ("mine:a", "mine:b")
    assert {one["id"] for one in written["base_results"]} == {"c", "d", "e"}
    first = written["tuned_results"][0]["transcript"][0]
    assert (first["user"], first["assistant"]) == ("one", "b heard one")
    assert sorted(mine.CLOSED) == ["mine:a", "mine:b"]


@pytest.mark.parametrize(("specs", "asked"), [(("a", "b"), [["a"], ["a", "b"]]), (("a", "a"), [["a"]])])
def test_two_models_are_not_in_memory_at_once(
    job: api.Job, mine: ModuleType, specs: tuple[str, str], asked: list[list[str]]
) -> None:
    """The base is closed before the tuned one is asked; one that stands in both arms only at the end."""
    api.compare(f"mine:{specs[0]}", f"mine:{specs[1]}", job, results=None, page=None)
    assert asked == mine.ASKED_WHEN_CLOSED


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(
    ("base", "tuned", "asked", "window"),
    [
        ("mine:a@400", "mine:b@300", None, 300),
        ("mine:a@300", "mine:b@400", None, 300),
        ("mine:a@300", "mine:b@400", 200, 200),
        ("mine:a", "mine:b@400", None, 400),
        ("mine:a", "mine:b", 200, 200),
        ("mine:a", "mine:b", None, None),
    ],
)
def test_both_arms_get_the_smaller_window(
    job: api.Job, base: str, tuned: str, asked: int | None, window: int | None
) -> None:
    """A model with more room must not win by it."""
    settings = Settings(sampling=Sampling(max_tokens=5), window=asked)
    compared = api.compare(base, tuned, changed(job, settings=settings), results=None, page=None)
    assert [held.run.conditions.context_window for held in (compared.base, compared.tuned)] == [window, window]


def test_a_second_comparison_uses_the_base_again(job: api.Job, mine: ModuleType) -> None:
    """With another tuned model only that one is asked; the same comparison asks nothing."""
    first = api.compare("mine:a", "mine:b", job, results=None, page=None)
    mine.ASKED.clear()
    second = api.compare("mine:a", "mine:c", job, results=None, page=None)
    assert {name for name, _, _ in mine.ASKED} == {"c"}
    assert (second.base.run, second.base.reused, second.tuned.reused) == (first.base.run, True, False)
    mine.ASKED.clear()
    again = api.compare("mine:a", "mine:c", job, results=None, page=None)
    assert (mine.ASKED, again.base.reused, again.tuned.reused) == ([], True, True)
    assert again.comparison == second.comparison


@pytest.mark.usefixtures("mine")
def test_a_base_run_held_alone_is_used_in_a_comparison(job: api.Job) -> None:
    held = api.evaluate("mine:a@300", job)
    assert api.compare("mine:a@300", "mine:b@400", job, results=None, page=None).base.run == held.run


@pytest.mark.usefixtures("mine")
def test_a_difference_must_be_declared(job: api.Job) -> None:
    """Arms with other system prompts are refused, unless ``vary`` names it; then the comparison says so."""
    arms = Arm(spec="mine:a"), Arm(spec="mine:b", system="Be kind.")
    with pytest.raises(ConditionsDiffer, match=r"system_prompt: None / 'Be kind\.'") as caught:
        api.compare(*arms, job, results=None, page=None)
    assert "--vary system_prompt" in caught.value.hint
    compared = api.compare(*arms, job, results=None, page=None, vary=["system"])
    assert any("system" in note for note in compared.comparison.notes)
    with pytest.raises(UsageError, match="no condition is called 'sistem'"):
        api.compare(*arms, job, results=None, page=None, vary=["sistem"])


@pytest.mark.usefixtures("mine")
def test_a_comparison_is_not_resumed_by_name(job: api.Job) -> None:
    with pytest.raises(UsageError, match="by their conditions"):
        api.compare("mine:a", "mine:b", changed(job, resume="latest"), results=None, page=None)


def test_a_model_compared_with_itself(job: api.Job, mine: ModuleType) -> None:
    """It is held a second time with another seed, on one engine: an A/A run; here the seed changes nothing."""
    compared = api.compare("mine:a", "mine:a", job, results=None, page=None)
    assert compared.comparison.notes[0].startswith("A/A run: ")
    assert compared.base.run.id != compared.tuned.run.id
    assert len(mine.ASKED) == 12
    assert len(mine.OPENED) == 1
    assert all(change.score == 0 for change in compared.comparison.changes)


@pytest.mark.usefixtures("mine")
def test_stored_runs_are_compared_without_holding_any(job: api.Job, store: Store) -> None:
    """By their ids or how they begin; runs of different suites are refused."""
    compared = api.compare("mine:a", "mine:b", job, results=None, page=None)
    again = api.compare_stored(store, compared.base.run.id, compared.tuned.run.id)
    assert again.comparison == compared.comparison
    assert again.base.reused
    part = api.evaluate("mine:a", changed(job, limit=1))
    with pytest.raises(UsageError, match="other parts"):
        api.compare_stored(store, compared.base.run.id, part.run.id)
    with pytest.raises(NotFound):
        api.compare_stored(store, "nothing", "latest")


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize("window", [3, 13, 400])
def test_a_stored_run_is_as_far_as_it_was_when_it_was_held(job: api.Job, store: Store, window: int) -> None:
    """A complete run is complete, also where some of its turns overflowed."""
    held = api.evaluate(f"mine:a@{window}", job)
    stored = api.compare_stored(store, held.run.id, held.run.id).base.progress
    told = [(one.turns, one.turns_done, one.conversations, one.conversations_done) for one in (held.progress, stored)]
    assert told == [(6, 6, 3, 3), (6, 6, 3, 3)]


# Estimate, read, go back


def test_an_estimate_stores_nothing(job: api.Job, store: Store, mine: ModuleType) -> None:
    estimated = asyncio.run(api.aestimate("mine:a", changed(job, settings=Settings(samples=2))))
    assert estimated.replies == 12
    assert mine.ASKED == [("a", "e", 0), ("a", "e", 1), ("a", "e", 2)]
    assert store.runs() == ()
    assert mine.CLOSED == ["mine:a"]


@pytest.mark.usefixtures("mine")
def test_transcripts_of_one_conversation(job: api.Job, store: Store) -> None:
    """One a sample; a name that is not there is told with those that are."""
    held = api.evaluate("mine:a", changed(job, settings=Settings(samples=2)))
    found = api.transcripts(store, held.run, "d")
    assert [(one.session.conversation, one.session.sample) for one in found] == [("d", 0), ("d", 1)]
    with pytest.raises(NotFound, match="no conversation 'x'") as caught:
        api.transcripts(store, held.run, "x")
    assert caught.value.hint == "it has: c, d, e"


def test_going_back_into_a_conversation(job: api.Job, store: Store, mine: ModuleType) -> None:
    """With the model that held it; what comes of it is a run; the engine is closed."""
    held = api.evaluate("mine:a", job)
    mine.ASKED.clear()

    async def main() -> api.Replay:
        async with api.areplay(store, held.run.id, "e", 2) as replay:
            assert replay.original == "five"
            record = await replay.say("what else?")
            assert record.reply == "a heard what else?"
        return replay

    replay = asyncio.run(main())
    assert mine.ASKED == [("a", "e", 1)]
    assert replay.kept is not None
    assert [turn.user for turn in api.transcripts(store, replay.kept, "e")[0].turns] == ["four", "what else?"]
    assert mine.CLOSED == ["mine:a", "mine:a"]


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(("conversation", "start"), [("x", 1), ("e", 9), ("e", 0)])
def test_going_back_to_what_is_not_there(job: api.Job, store: Store, conversation: str, start: int) -> None:
    held = api.evaluate("mine:a", job)

    async def main() -> None:
        async with api.areplay(store, held.run.id, conversation, start):
            raise AssertionError

    with pytest.raises(UsageError):
        asyncio.run(main())


def test_going_back_uses_the_template_of_then(job: api.Job, store: Store, mine: ModuleType) -> None:
    """Also where other options are given for the engine."""
    held = api.evaluate("mine:a", changed(job, options=EngineOptions(template="plain")))
    mine.OPENED.clear()

    async def main(options: EngineOptions | None) -> None:
        async with api.areplay(store, held.run.id, "e", 1, options):
            pass

    for options in (None, EngineOptions(threads=2)):
        asyncio.run(main(options))
    assert [options.template for _, options in mine.OPENED] == ["plain", "plain"]
