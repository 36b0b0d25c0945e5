"""A model card: metadata that a hub reads, whatever the names are, and a section that does nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from markdown_it import MarkdownIt
from tests.report.dossiers import filled
from tests.report.lettered import BAD, GOOD, lettered
from tests.report.page.filled import OF_CONVERSATION, OF_RUN
from tests.report.page.hostile import TEXTS as HOSTILE

from multiturn.report.card import metrics, model_card
from multiturn.report.dossier import Dossier
from multiturn.results import PassRates

if TYPE_CHECKING:
    from tests.report.page.filled import Fields

yaml = pytest.importorskip("yaml", reason="needs pyyaml: pip install '.[transformers]'")
PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
NAMES = [
    *HOSTILE.values(),
    "yes",
    "null",
    "1e3",
    "- a",
    "a: b",
    "# a",
    "'a",
    "&a *a !a |a >a %a",
    "---",
    "...",
    "\u0085",
]


def measured(run: Fields = OF_RUN, arms: int = 2) -> Dossier:
    """A plain dossier; of two runs, with a comparison of twelve conversations in which nothing is missing."""
    plain = filled(run=run, arms=arms)
    return plain if arms == 1 else msgspec.structs.replace(plain, comparisons=(lettered(GOOD, BAD),))


def metadata(card: str) -> dict[str, Any]:
    """What stands between the lines of dashes, as a YAML reader has it."""
    found = re.match(r"---\n(.*?)\n---\n\n(.*)", card, re.DOTALL)
    assert found is not None
    loaded = yaml.safe_load(found[1])
    assert isinstance(loaded, dict)
    return loaded


@pytest.mark.parametrize("arms", [1, 2])
def test_the_metadata_is_what_a_hub_asks_for(arms: int) -> None:
    """A task, a data set and metrics, each with a type, a value and what it rests on."""
    found = metadata(model_card(measured(arms=arms)))
    (entry,) = found["model-index"]
    (result,) = entry["results"]
    assert entry["name"] == ("scripted:base" if arms == 1 else "scripted:tuned")
    assert result["task"]["type"] == "text-generation"
    assert (result["dataset"]["type"], result["dataset"]["name"]) == ("kettles", "kettles version 1")
    assert result["metrics"]
    for metric in result["metrics"]:
        assert isinstance(metric["value"], float)
        assert ("mean over 1 conversation" if arms == 1 else "mean over 12 conversations") in metric["name"]


def test_the_hub_s_own_reader_takes_it() -> None:
    """Each value is a result of its own there."""
    cards = pytest.importorskip("huggingface_hub", reason="needs huggingface_hub: pip install '.[transformers]'")
    dossier = measured()
    card = cards.ModelCard(model_card(dossier))
    results = card.data.eval_results
    assert [one.metric_type for one in results] == [one.type for one in metrics(dossier)]
    assert [one.metric_value for one in results] == [one.value for one in metrics(dossier)]
    assert card.data.model_name == "scripted:tuned"


@pytest.fixture(scope="module", name="plain")
def plain_dossier() -> Dossier:
    return measured()


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_a_text_in_the_metadata(plain: Dossier, name: str) -> None:
    """Of the model and of the suite; no name makes an entry, a tag or a comment of its own."""
    base, tuned = plain.runs
    arm = msgspec.structs.replace(tuned.arm, spec=name if name.strip() else "s")
    run = msgspec.structs.replace(tuned, arm=arm, suite_name=name, suite_version=name)
    found = metadata(model_card(msgspec.structs.replace(plain, runs=(base, run))))
    assert found.keys() == {"model-index"}
    (entry,) = found["model-index"]
    assert entry.keys() == {"name", "results"}
    assert isinstance(entry["name"], str)
    (result,) = entry["results"]
    assert result.keys() == {"task", "dataset", "metrics"}
    assert all(isinstance(value, str) for value in result["dataset"].values())


@pytest.mark.parametrize("arms", [1, 2])
@pytest.mark.parametrize("family", range(6))
def test_hostile_texts_do_nothing(family: int, arms: int) -> None:
    texts = list(HOSTILE.values())[family::6]
    conversations = [
        dict.fromkeys(OF_CONVERSATION, text) | {"id": f"{at} {text[:150]}"} for at, text in enumerate(texts)
    ]
    run = dict.fromkeys(OF_RUN, texts[-1]) | {"run": "r1-"}
    card = model_card(filled(*conversations, run=run, arms=arms))
    blocks = PARSER.parse(card[card.index("## Multi-turn evaluation") :])
    inside = [one for block in blocks for one in block.children or []]
    assert not {"link_open", "image"} & {one.type for one in inside}
    assert {one.content for one in inside if one.type == "html_inline"} <= {"<br>"}
    assert "html_block" not in {block.type for block in blocks}
    assert sum(block.type == "heading_open" for block in blocks) == 1


def test_no_folder_of_the_machine_is_told() -> None:
    """A card is for all to see: of a path the last part is left."""
    run = OF_RUN | {
        "spec": "llamacpp:/home/someone/secret/model.gguf+lora=/home/someone/adapter.gguf",
        "base_spec": "hf:/home/someone/base",
        "template": "/home/someone/chat.jinja",
        "suite": "/home/someone/mine",
    }
    card = model_card(measured(run))
    assert "someone" not in card
    assert metadata(card)["model-index"][0]["name"] == "llamacpp:model.gguf+lora=adapter.gguf"
    assert "base" in card


def test_nor_where_a_model_is_known_by_its_place_alone() -> None:
    """Weights that nobody could read have no hash: what stands in its place is the path or the address."""
    dossier = measured(OF_RUN | {"base_spec": "openai:org/name@http://host:8000/someone/v1"}, arms=1)
    (run,) = dossier.runs
    for place in ("name@host:8000/someone/v1", r"scripted:C:\someone\m.json"):
        conditions = msgspec.structs.replace(run.conditions, identity={"engine": "http", "weights": place})
        card = model_card(msgspec.structs.replace(dossier, runs=(msgspec.structs.replace(run, conditions=conditions),)))
        assert "someone" not in card
        assert "openai:org/name@host:8000" in card


def test_nor_in_a_note() -> None:
    """A note names a model by its whole spec."""
    dossier = measured(OF_RUN | {"base_spec": "hf:/home/someone/base"}, arms=1)
    assert dossier.rates is not None
    rates = msgspec.structs.replace(dossier.rates, notes=("hf:/home/someone/base passes hardly any check",))
    card = model_card(msgspec.structs.replace(dossier, rates=rates))
    assert "- hf:base passes hardly any check\n" in card


def test_a_suite_without_checks_gives_one_run_no_metadata() -> None:
    """An entry without a value is not valid, and a value that there is not is not made up."""
    dossier = msgspec.structs.replace(filled(arms=1), rates=PassRates(rates=(), notes=()))
    card = model_card(dossier)
    assert card.startswith("## Multi-turn evaluation")
    assert "no pass rate" in card


def test_a_mean_says_what_it_rests_on_where_the_difference_rests_on_less() -> None:
    """In the sentence and in the table; in the metadata each value always says it."""
    plain = msgspec.structs.replace(measured(), comparisons=(lettered((*GOOD[:10], "-", "-"), BAD),))
    card = model_card(plain)
    assert "25.0% (n=12) against 80.0%" in card
    assert "mean over 12 conversations" in metadata(card)["model-index"][0]["results"][0]["metrics"][0]["name"]


def test_values_are_those_of_the_model_in_question() -> None:
    """The tuned one's, in full; shares run from 0 to 1."""
    dossier = measured()
    (comparison,) = dossier.comparisons
    expected = {one.measure: one.contrast.tuned.value for one in comparison.verdicts}
    assert {one.type: one.value for one in metrics(dossier)} == {
        name: pytest.approx(value) for name, value in expected.items() if value is not None
    }
