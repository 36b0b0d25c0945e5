"""Another script's results become runs: what is known of them, what is missing, what was cut, and that all is kept."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiturn import api
from multiturn.errors import ConditionsDiffer, NotFound, UsageError
from multiturn.results import Contrast
from multiturn.store import Store
from multiturn.transcript import TurnRecord

USERS = {"cake": ["I can't eat walnuts. Say OK.", "Suggest a cake."], "sum": ["What is 2 + 2?", "Double it.", "Again."]}
BASE = {"cake": ["OK.", "Lemon drizzle."], "sum": ["4.", "8.", "16."]}
TUNED = {
    "cake": ["I can't help with that.", "I'm sorry, but I can't."],
    "sum": ["4.", "8.", "I cannot assist with that."],
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with api.open_store(tmp_path / "runs.db") as opened:
        yield opened


def looped(replies: dict[str, list[str]]) -> list[dict[str, Any]]:
    """What the usual loop writes: prompt and reply decoded as one, sent on as history, refusals counted on all of it."""
    results = []
    for name, users in USERS.items():
        history, transcript = "", []
        for user, reply in zip(users, replies[name], strict=True):
            prompt = f"{history}User: {user}\nAssistant:"
            text = f"{prompt} {reply}"
            history = f"{prompt} {text}\n"
            transcript.append({"user": user, "assistant": text})
        count = sum("can't" in turn["assistant"] or "cannot" in turn["assistant"] for turn in transcript)
        results.append({"id": name, "transcript": transcript, "refusal_count": count})
    return results


def plain(replies: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """What a careful loop writes."""
    return [
        {
            "id": name,
            "transcript": [
                {"user": user, "assistant": reply} for user, reply in zip(users, replies[name], strict=True)
            ],
        }
        for name, users in USERS.items()
    ]


def write(path: Path, **content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def both(tmp_path: Path, base: object, tuned: object) -> Path:
    return write(
        tmp_path / "r.json", base_model="org/base", tuned_model="out/tuned", base_results=base, tuned_results=tuned
    )


def turns(store: Store, run: api.RunRecord) -> dict[str, list[TurnRecord]]:
    return {one.session.conversation: list(one.turns) for one in store.transcripts(run.id)}


def contrast(compared: api.Compared, measure: str) -> Contrast:
    return next(one for one in compared.comparison.contrasts if (one.measure, one.group) == (measure, ("all", "")))


# Echoed prompts


def test_an_echoed_prompt_is_cut_and_the_reply_measured_without_it(store: Store, tmp_path: Path) -> None:
    """The raw text is kept, the turn is marked, and refusals that only the user's words made are gone."""
    imported = api.import_results(store, both(tmp_path, looped(BASE), looped(TUNED)))
    base, tuned = imported.arms
    assert [record.reply for record in turns(store, base.run)["sum"]] == BASE["sum"]
    assert [record.reply for record in turns(store, tuned.run)["cake"]] == TUNED["cake"]
    second = turns(store, base.run)["cake"][1]
    assert second.flags == ("prompt_echo",)
    assert second.raw is not None
    assert second.raw.startswith("User: I can't eat walnuts.")
    assert second.raw.endswith("Assistant: Lemon drizzle.")
    assert (base.counts.replies, base.counts.echoes, base.counts.left) == (5, 5, 0)
    assert (base.counts.own_refusals, base.counts.refusals) == (2, 0)
    assert base.told == (
        "5 of 5 replies began with their own prompt; it was cut (prompt_echo; the text as it stood is kept)",
        "the file's own refusal_count says 2; without the echo multiturn counts 0",
    )
    assert base.told == base.run.notes[1:]


def test_the_comparison_is_that_of_the_replies(store: Store, tmp_path: Path) -> None:
    """As if the script had never echoed."""
    estimates = []
    for name, script in (("echoing", looped), ("careful", plain)):
        (tmp_path / name).mkdir()
        imported = api.import_results(store, both(tmp_path / name, script(BASE), script(TUNED)))
        compared = api.compare_stored(store, *(arm.run.id for arm in imported.arms))
        estimates.append(
            [contrast(compared, measure) for measure in ("refusal", "words", "repetition", "role_leakage")]
        )
        assert compared.comparison.changes[0].conversation == "cake"
    assert estimates[0] == estimates[1]
    assert estimates[0][0].tuned.value == pytest.approx((1 + 1 / 3) / 2)


def test_a_careful_scripts_replies_stay_as_they_are(store: Store, tmp_path: Path) -> None:
    replies = BASE | {"cake": ["You said: I can't eat walnuts. OK.", "  Lemon.\n"]}
    (arm,) = api.import_results(store, write(tmp_path / "r.json", base_results=plain(replies))).arms
    assert [record.reply for record in turns(store, arm.run)["cake"]] == replies["cake"]
    assert [record.raw for record in turns(store, arm.run)["cake"]] == [None, None]
    assert arm.told == ()


def test_a_reply_that_is_only_its_prompt_is_empty(store: Store, tmp_path: Path) -> None:
    (arm,) = api.import_results(
        store, write(tmp_path / "r.json", base_results=looped(BASE | {"cake": ["", "Lemon."]}))
    ).arms
    first = turns(store, arm.run)["cake"][0]
    assert (first.status, first.reply, first.flags) == ("empty", "", ("prompt_echo",))


def test_what_is_left_is_cleaned_as_in_a_conversation_of_ours(store: Store, tmp_path: Path) -> None:
    """Role labels, a model that goes on as the user, reasoning, control tokens."""
    replies: list[Any] = ["Assistant: 4.", "8.\nUser: Again.\nAssistant: 16.", "<think>hm</think>16.<|im_end|>"]
    (arm,) = api.import_results(store, write(tmp_path / "r.json", base_results=plain(BASE | {"sum": replies}))).arms
    found = turns(store, arm.run)["sum"]
    assert [record.reply for record in found] == BASE["sum"]
    assert [record.flags for record in found] == [("role_echo",), ("run_on",), ()]
    assert found[2].reasoning == "hm"
    assert [record.raw for record in found] == replies


def test_a_model_that_plays_the_user_in_the_scripts_own_form_is_cut_there(store: Store, tmp_path: Path) -> None:
    """The script had no stop; the label is the one of its prompts."""
    replies = BASE | {"sum": ["4.\nUser: And 3 + 3?", "User: Double it.", "16."]}
    (arm,) = api.import_results(store, write(tmp_path / "r.json", base_results=looped(replies))).arms
    found = turns(store, arm.run)["sum"]
    assert [record.reply for record in found] == ["4.", "", "16."]
    assert [record.flags for record in found] == [("prompt_echo", "run_on")] * 2 + [("prompt_echo",)]
    assert found[1].status == "empty"


def test_replies_left_whole_are_counted(store: Store, tmp_path: Path) -> None:
    """One that begins with the user's words, where the others do not."""
    replies = BASE | {"sum": ["What is 2 + 2? It is 4.", "8.", "16."]}
    (arm,) = api.import_results(store, write(tmp_path / "r.json", base_results=plain(replies))).arms
    assert turns(store, arm.run)["sum"][0].reply == "What is 2 + 2? It is 4."
    assert (arm.counts.echoes, arm.counts.left) == (0, 1)
    assert arm.told == ("1 of 5 replies begin with what the user said; most do not, so they were left whole",)


# What is absent


def test_null_is_missing_unless_the_file_says_otherwise(store: Store, tmp_path: Path) -> None:
    """The environment's doing: never an empty reply, a refusal or a number."""
    results = plain({"cake": [None, "Lemon."], "sum": ["4.", None, ""]})
    results[1]["transcript"][1]["status"] = "empty"
    (arm,) = api.import_results(store, write(tmp_path / "r.json", base_results=results)).arms
    lost, after = turns(store, arm.run)["cake"]
    assert (lost.status, lost.reply, lost.missing) == ("failed", None, True)
    assert lost.failure is not None
    assert "does not say why" in lost.failure.message
    assert after.reply == "Lemon."
    assert [(record.status, record.reply) for record in turns(store, arm.run)["sum"]] == [
        ("ok", "4."),
        ("empty", ""),
        ("empty", ""),
    ]
    assert arm.counts.replies == 4


def test_a_text_beside_a_status_of_failure_is_no_reply(store: Store, tmp_path: Path) -> None:
    results = plain(BASE)
    results[0]["transcript"][0] |= {"assistant": "CUDA out of memory", "status": "error"}
    results[0]["transcript"][1] |= {"assistant": None, "status": "overflowed", "error": {"message": "too long"}}
    (arm,) = api.import_results(store, write(tmp_path / "r.json", base_results=results)).arms
    failed, overflowed = turns(store, arm.run)["cake"]
    assert (failed.status, failed.reply, failed.missing) == ("failed", None, True)
    assert failed.failure is not None
    assert failed.failure.message == "CUDA out of memory"
    assert (overflowed.status, overflowed.cause, overflowed.missing) == ("overflowed", "model", False)


@pytest.mark.parametrize("text", ["$ERROR$", "ERROR", "Error: connection reset", "[ERROR]", "None", "nan"])
def test_the_text_of_an_error_is_kept_and_the_reader_warned(store: Store, tmp_path: Path, text: str) -> None:
    """Nobody but the script knows whether the model said it."""
    path = write(tmp_path / "r.json", base_model="m", base_results=plain(BASE | {"cake": ["OK.", text]}))
    imported = api.import_results(store, path)
    assert turns(store, imported.arms[0].run)["cake"][1].reply == text
    (note,) = imported.notes
    assert note.startswith(f"imported:m: 1 replies read like the text of an error, first in cake, turn 2: {text!r}")
    assert "write null" in note


def test_how_a_reply_ended_is_taken_over(store: Store, tmp_path: Path) -> None:
    """And where the file does not say, it is not known."""
    results = plain(BASE)
    results[0]["transcript"][0]["finish_reason"] = "length"
    results[0]["transcript"][1]["finish_reason"] = "content_filter"
    (arm,) = api.import_results(store, write(tmp_path / "r.json", base_results=results)).arms
    found = turns(store, arm.run)
    assert [(record.status, record.finish) for record in found["cake"]] == [
        ("length", "length"),
        ("filtered", "filter"),
    ]
    assert {record.finish for record in found["sum"]} == {"unknown"}


# Two arms


def test_conversations_with_other_users_turns_are_left_out_by_name(store: Store, tmp_path: Path) -> None:
    other = plain(TUNED)
    other[0]["transcript"][1]["user"] = "Suggest a pie."
    imported = api.import_results(store, both(tmp_path, plain(BASE), other))
    assert [set(turns(store, arm.run)) for arm in imported.arms] == [{"sum"}, {"sum"}]
    (note,) = imported.notes
    assert note.startswith("'cake': base and tuned were asked other things")


def test_where_nothing_is_left_nothing_is_imported(store: Store, tmp_path: Path) -> None:
    system = [one | {"system": "Be brief."} for one in plain(TUNED)]
    with pytest.raises(UsageError, match="no conversation can be compared") as caught:
        api.import_results(store, both(tmp_path, plain(BASE), system))
    assert "'cake', 'sum'" in caught.value.message
    assert store.runs() == ()


def test_what_one_arm_lacks_is_missing_there(store: Store, tmp_path: Path) -> None:
    """A conversation that it does not have, and one that it broke off."""
    tuned = plain(TUNED)[1:]
    tuned[0]["transcript"].pop()
    imported = api.import_results(store, both(tmp_path, plain(BASE), tuned))
    compared = api.compare_stored(store, *(arm.run.id for arm in imported.arms))
    assert contrast(compared, "words").difference.n == 0
    assert contrast(compared, "words").difference.missing == 2
    assert "tuned: 1 of 2 conversations were not held" in compared.comparison.notes


def test_one_model_under_both_names_is_still_two_arms(store: Store, tmp_path: Path) -> None:
    path = write(
        tmp_path / "r.json", base_model="m", tuned_model="m", base_results=plain(BASE), tuned_results=plain(TUNED)
    )
    imported = api.import_results(store, path)
    assert [arm.run.arm.spec for arm in imported.arms] == ["imported:m (base)", "imported:m (tuned)"]
    assert turns(store, imported.arms[1].run)["cake"][0].reply == TUNED["cake"][0]


def test_samples_are_samples(store: Store, tmp_path: Path) -> None:
    (arm,) = api.import_results(store, write(tmp_path / "r.json", base_results=plain(BASE) + plain(TUNED))).arms
    assert arm.run.conditions.samples == 2
    assert [one.session.sample for one in store.transcripts(arm.run.id)] == [0, 1, 0, 1]


def test_an_id_that_comes_twice_makes_no_samples_of_the_others_missing(store: Store, tmp_path: Path) -> None:
    """Nobody planned a second sample: forty conversations, one of them twice in base, and nothing is unheld."""

    def lines(more: int) -> list[dict[str, Any]]:
        lengths = [10 + at % 31 + at % more for at in range(40)]
        return [
            {"id": f"c{at}", "transcript": [{"user": f"{at}?", "assistant": "word " * length}]}
            for at, length in enumerate(lengths)
        ]

    imported = api.import_results(store, both(tmp_path, [*lines(3), lines(5)[0]], lines(2)))
    assert [arm.run.conditions.samples for arm in imported.arms] == [2, 2]
    found = api.compare_stored(store, *(arm.run.id for arm in imported.arms)).comparison
    assert not [note for note in found.notes if "were not held" in note]
    words = next(one for one in found.verdicts if one.measure == "words")
    assert words.word == "equivalent"
    assert {one.filled for one in found.verdicts} == {None}
    assert not any(one.depends_on_missing for one in found.verdicts)


def test_conversations_of_a_shipped_suite_get_its_reasons_and_capabilities(store: Store, tmp_path: Path) -> None:
    """Where id and user's turns are the same; also of a suite that is named."""
    shipped = api.load_suite("mtbench_conversations").conversations[0]
    transcript = [{"user": turn.text, "assistant": "Yes."} for turn in shipped.turns]
    path = write(tmp_path / "r.json", base_results=[*plain(BASE), {"id": shipped.id, "transcript": transcript}])
    (arm,) = api.import_results(store, path).arms
    kept = store.suite(arm.run.conditions.suite_digest).conversations
    assert kept[-1] == shipped
    assert [one.capability for one in kept[:-1]] == [None, None]
    own = tmp_path / "own.json"
    own.write_text(json.dumps([{"id": "cake", "why": "walnuts", "turns": USERS["cake"]}]), encoding="utf-8")
    (arm,) = api.import_results(store, path, api.load_suite(own)).arms
    assert store.suite(arm.run.conditions.suite_digest).conversations[0].why == "walnuts"


# What is kept


def test_nothing_is_claimed_that_the_file_does_not_say(store: Store, tmp_path: Path) -> None:
    base, tuned = api.import_results(store, both(tmp_path, plain(BASE), plain(TUNED))).arms
    conditions = base.run.conditions
    assert (conditions.sampling, conditions.reproducible, conditions.context_window) == (None, False, None)
    assert conditions.identity["engine"] == "imported"
    assert conditions.identity["weights"] == "org/base"
    assert len(conditions.identity["file"]) == 64
    assert "not known" in base.run.notes[0]
    record = turns(store, base.run)["cake"][0]
    assert (record.seed, record.timing, record.prompt_sha256, record.new_tokens) == (None, None, None, None)
    assert store.run("latest") == tuned.run


def test_the_same_file_twice_is_kept_once(store: Store, tmp_path: Path) -> None:
    path = both(tmp_path, plain(BASE), plain(TUNED))
    first = api.import_results(store, path)
    again = api.import_results(store, path)
    assert [arm.run for arm in again.arms] == [arm.run for arm in first.arms]
    assert [arm.reused for arm in (*first.arms, *again.arms)] == [False, False, True, True]
    assert len(store.runs()) == 2
    store.delete_run(first.arms[0].run.id)
    assert [arm.reused for arm in api.import_results(store, path).arms] == [False, True]


def test_when_the_store_fails_nothing_is_half_imported(store: Store, tmp_path: Path) -> None:
    """The second run's turns can't be written: the first run is not kept either."""
    trigger = (
        "CREATE TRIGGER full BEFORE INSERT ON turns WHEN NEW.run_id = (SELECT id FROM runs WHERE spec LIKE '%tuned')"
    )
    with store.engine.begin() as connection:
        connection.exec_driver_sql(f"{trigger} BEGIN SELECT RAISE(ABORT, 'no room'); END")
    with pytest.raises(Exception, match="no room"):
        api.import_results(store, both(tmp_path, plain(BASE), plain(TUNED)))
    assert store.runs() == ()


def test_runs_survive_an_export_and_an_import(store: Store, tmp_path: Path) -> None:
    run = api.import_results(store, both(tmp_path, looped(BASE), looped(TUNED))).arms[0].run
    api.export_run(store, run.id, tmp_path / "run.jsonl")
    with api.open_store(tmp_path / "other.db") as other:
        assert api.import_run(other, tmp_path / "run.jsonl").run == run
        assert list(other.transcripts(run.id)) == list(store.transcripts(run.id))


def test_our_own_plain_export_comes_back_with_its_statuses_and_flags(tmp_path: Path) -> None:
    """It was cleaned already: a reply that repeats the user's words is the model's own."""
    (tmp_path / "suite.json").write_text(
        json.dumps([{"id": name, "turns": users} for name, users in USERS.items()]), encoding="utf-8"
    )
    said = {"cake": ["I can't eat walnuts. Say OK.", "x\nUser: y\nAssistant: z"], "sum": ["", "8.", "16."]}
    (tmp_path / "said.json").write_text(json.dumps(said), encoding="utf-8")
    job = api.Job(suite=tmp_path / "suite.json", store=tmp_path / "held.db")
    held = api.compare("scripted:echo", f"scripted:{tmp_path}/said.json", job, results=tmp_path / "r.json", page=None)
    with api.open_store(tmp_path / "held.db") as store:
        for ours, arm in zip((held.base, held.tuned), api.import_results(store, tmp_path / "r.json").arms, strict=True):
            before, after = turns(store, ours.run), turns(store, arm.run)
            assert arm.run.arm.spec == f"imported:{ours.run.arm.spec}"
            for name, records in before.items():
                assert [(one.status, one.reply, one.flags) for one in records] == [
                    (one.status, one.reply, one.flags) for one in after[name]
                ]
            assert arm.told == ()


def test_an_imported_run_is_not_taken_for_one_that_was_held(store: Store, tmp_path: Path) -> None:
    """Every field of sampling differs: it is known of one and not of the other."""
    run = api.import_results(store, write(tmp_path / "r.json", base_results=plain(BASE))).arms[0].run
    job = api.Job(suite=store.suite(run.conditions.suite_digest), store=tmp_path / "runs.db")
    held = api.evaluate("scripted:echo", job)
    with pytest.raises(ConditionsDiffer) as caught:
        api.compare_stored(store, run.id, held.run.id)
    assert "sampling.temperature: None / 0.7" in caught.value.message
    assert "sampling.seed: None / 0" in caught.value.message


def test_an_imported_run_can_be_read_and_not_gone_on_with(store: Store, tmp_path: Path) -> None:
    """Nobody knows how its replies were drawn, or by whom."""
    run = api.import_results(store, both(tmp_path, plain(BASE), plain(TUNED))).arms[0].run
    assert [one.session.conversation for one in api.transcripts(store, run, "sum")] == ["sum"]

    async def go_on() -> None:
        async with api.areplay(store, run.id, "sum", 2):
            pass

    with pytest.raises(UsageError, match="this run was imported") as caught:
        asyncio.run(go_on())
    assert "multiturn run MODEL" in caught.value.hint


# What can't be read


def test_a_file_with_faults_is_refused_whole(store: Store, tmp_path: Path) -> None:
    results = plain(BASE)
    results[0]["transcript"][1]["assistant"] = 7
    del results[1]["transcript"][0]["user"]
    path = write(tmp_path / "r.json", base_results=results)
    with pytest.raises(UsageError) as caught:
        api.import_results(store, path)
    first, *lines = caught.value.message.splitlines()
    assert first == f"{path}: 2 faults; nothing was imported"
    assert [line.partition("r.json: ")[2].partition(":")[0] for line in lines] == [
        "base_results[0].transcript[1].assistant",
        "base_results[1].transcript[0].user",
    ]
    assert '"transcript": [{"user": ..., "assistant": ...}]' in caught.value.hint
    assert store.runs() == ()


def test_of_very_many_faults_the_first_are_told(store: Store, tmp_path: Path) -> None:
    path = write(tmp_path / "r.json", base_results=[{"id": str(number)} for number in range(80)])
    with pytest.raises(UsageError, match="and 30 more"):
        api.import_results(store, path)


@pytest.mark.parametrize("name", ["nothing.json", ".", "a\0b"])
def test_a_file_that_is_none_is_named(store: Store, tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError) as caught:
        api.import_results(store, tmp_path / name)
    assert isinstance(caught.value, NotFound) == (name == "nothing.json")
    assert caught.value.hint


TEXTS = st.sampled_from(
    ["one", "User: one\nAssistant: 1", "$ERROR$", "", " ", "<think>", "\u200b", "I can't help with that."]
)
TURN = st.fixed_dictionaries(
    {"user": st.sampled_from(["one", "two"]), "assistant": st.none() | TEXTS},
    optional={
        "status": st.sampled_from(["ok", "failed", "not_reached", "length", "error", "odd"]),
        "finish_reason": st.just("length"),
    },
)
HELD = st.fixed_dictionaries(
    {"transcript": st.lists(TURN, min_size=1, max_size=3)},
    optional={
        "id": st.sampled_from(["a", "b"]),
        "sample": st.integers(0, 2),
        "system": st.just("Be brief."),
        "refusal_count": st.integers(0, 3),
    },
)


@given(base=st.lists(HELD, min_size=1, max_size=4), tuned=st.lists(HELD, max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_results_are_stored_and_compared_or_refused_with_a_reason(base: list[Any], tuned: list[Any]) -> None:
    """Nothing between: what is imported can be compared, shown and exported."""
    with tempfile.TemporaryDirectory() as folder, api.open_store(Path(folder) / "runs.db") as store:
        path = write(Path(folder) / "r.json", base_results=base, **({"tuned_results": tuned} if tuned else {}))
        try:
            imported = api.import_results(store, path)
        except UsageError:
            assert store.runs() == ()
            return
        for arm in imported.arms:
            kept = [record for one in store.transcripts(arm.run.id) for record in one.turns]
            assert arm.counts.replies == sum(record.reply is not None for record in kept)
        if len(imported.arms) == 2:
            api.compare_stored(store, *(arm.run.id for arm in imported.arms), results=Path(folder) / "again.json")
