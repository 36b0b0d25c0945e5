"""Published figures from FastChat's files: imported, shown and reported by commands, to the last printed digit.

Votes of people are in ``test_cli_agreement.py``; here is what judges' files come to. ``MULTITURN_SHARED`` names the
folder where it is elsewhere.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from tests.published_judgments import MISSING, PUBLISHED, rows

Cli = Callable[..., tuple[int, str, str]]
Import = Callable[..., dict[str, str]]

QUESTIONS: Final = PUBLISHED / "fastchat" / "data" / "mt_bench" / "question.jsonl"
SCORES: Final = ("first_turn_score", "later_turns_score", "score")
OFFICIAL: Final[Mapping[str, tuple[Mapping[str, float], float]]] = {
    "gpt-4": (
        {
            "writing": 9.65,
            "roleplay": 8.9,
            "reasoning": 9,
            "math": 6.8,
            "coding": 8.55,
            "extraction": 9.375,
            "stem": 9.7,
            "humanities": 9.95,
        },
        8.990625,
    ),
    "gpt-3.5-turbo": (
        {
            "writing": 9.2,
            "roleplay": 8.4,
            "reasoning": 5.65,
            "math": 6.3,
            "coding": 6.9,
            "extraction": 8.85,
            "stem": 8.7,
            "humanities": 9.55,
        },
        7.94375,
    ),
}
ROWS: Final = 20
"""Judgments of a category: ten questions of two turns."""

pytestmark = pytest.mark.skipif(not QUESTIONS.is_file(), reason=MISSING)


@pytest.fixture(name="imported")
def import_files(cli: Cli) -> Import:
    """Import published files by the command; the runs' ids by model."""

    def give(*paths: Path | str) -> dict[str, str]:
        code, out, err = cli(
            "import", "fastchat", *(str(PUBLISHED / path) for path in paths), "--questions", str(QUESTIONS)
        )
        assert code == 0, err
        told = [line.removeprefix("imported:").split(": run ") for line in out.splitlines() if ": run " in line]
        return {model: run.partition(",")[0] for model, run in told}

    return give


def shown(cli: Cli, *runs: str) -> dict[str, Any]:
    """All that ``judge show`` says of runs."""
    code, out, err = cli("judge", "show", *runs, "--json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def scores(measures: Mapping[str, Any], arm: str) -> list[float]:
    """The first turn's, the later turns' and the overall score of an arm that one judge rated."""
    return [next(one["value"] for one in measures[name] if one["arm"] == arm) for name in SCORES]


def pooled(found: Iterable[Mapping[str, Any]]) -> tuple[float, int]:
    """The mean over all judgments of several means, and of how many."""
    parts = [(one["estimate"]["value"], one["judgments"]) for one in found]
    count = sum(judgments for _, judgments in parts)
    return sum(value * judgments for value, judgments in parts) / count, count


def test_the_scores_of_two_models_are_those_published(cli: Cli, imported: Import) -> None:
    """In what judge show says of a model, and of both, and in the JSON report."""
    runs = imported("claude")
    opus = [9.04375, 8.30625, 8.675]
    sonnet = [9.2375, 9.175, 9.20625]
    base, tuned = runs["claude-3-opus-20240229"], runs["claude-3-5-sonnet-20240620"]
    assert scores(shown(cli, base)["measures"], "model") == pytest.approx(opus, abs=1e-9)
    assert scores(shown(cli, tuned)["measures"], "model") == pytest.approx(sonnet, abs=1e-9)
    code, out, err = cli("report", base, tuned, "--format", "json")
    assert code == 0, err
    for measures in (shown(cli, base, tuned)["measures"], json.loads(out)["judged"]["measures"]):
        assert scores(measures, "base") == pytest.approx(opus, abs=1e-9)
        assert scores(measures, "tuned") == pytest.approx(sonnet, abs=1e-9)


def test_replies_that_only_the_judges_prompts_hold_are_enough(cli: Cli, imported: Import) -> None:
    """The file of judgments alone."""
    runs = imported("routellm/judgements.jsonl")
    found = shown(cli, runs["gpt-4-1106-preview"])["measures"]
    assert scores(found, "model") == pytest.approx([9.40625, 9.05, 9.228125], abs=1e-9)


def test_wins_of_a_model_against_its_trained_self(cli: Cli, imported: Import) -> None:
    """73 of 75 pairs count: 18 won, 20 lost, 35 tied; a tie as half a win, 0.486301. Turned around, it is as much."""
    runs = imported("phi3")
    (rate,) = shown(cli, runs["phi-3"])["measures"]["preference_win_rate"]
    assert (rate["opponent"], rate["opponent_model"]) == (runs["phi-3-dpo"], "imported:phi-3-dpo")
    assert (rate["pairs"], rate["n"], rate["missing"]) == (73, 73, 2)
    assert f"{rate['adjusted'] / 100:.6f}" == "0.486301"
    assert rate["value"] == pytest.approx(100 * 18 / 73)
    _, out, _ = cli("judge", "show", runs["phi-3-dpo"], runs["phi-3"])
    assert "Preference: tuned against base" in out
    assert "turns  18, 20, 35       27        2        24.7%" in out
    assert "48.6%" in out
    (turned,) = shown(cli, runs["phi-3"], runs["phi-3-dpo"])["measures"]["preference_win_rate"]
    assert turned["adjusted"] == pytest.approx(100 - rate["adjusted"])


def test_two_judges_of_six_models(cli: Cli, imported: Import) -> None:
    """Means of all models' rows, with and without a reference, and how often the two orders of a pair disagree."""
    runs = imported("repro_en")
    assert len(runs) == 6
    alone = [shown(cli, run)["all"] for run in runs.values()]
    spec_of = {judge: record["spec"] for found in alone for judge, record in found["judges"].items()}
    means = {
        (spec, rubric): pooled(
            scores[0]["overall"]
            for found in alone
            for rated in found["rated"]
            if rated["rubric"] == rubric
            for judge, scores in rated["scores"].items()
            if spec_of[judge] == spec
        )
        for spec in ("imported:gpt-4o-mini", "imported:qwen2.5-32b")
        for rubric in ("fastchat-single", "fastchat-single-reference")
    }
    assert {who: (f"{mean:.2f}", count) for who, (mean, count) in means.items()} == {
        ("imported:gpt-4o-mini", "fastchat-single"): ("7.76", 960),
        ("imported:qwen2.5-32b", "fastchat-single"): ("7.66", 958),
        ("imported:gpt-4o-mini", "fastchat-single-reference"): ("5.30", 174),
        ("imported:qwen2.5-32b", "fastchat-single-reference"): ("5.18", 174),
    }
    games = {
        (spec_of[judge], frozenset((found["runs"][0], versus["opponent"]))): wins["turns"]
        for found in alone
        for versus in found["versus"]
        for judge, wins in versus["wins"].items()
    }
    assert len(games) == 2 * len(list(itertools.combinations(runs, 2)))
    for spec, counts in (("imported:gpt-4o-mini", (399, 1193)), ("imported:qwen2.5-32b", (371, 1198))):
        turns = [one for (judge, _), one in games.items() if judge == spec]
        valid = sum(one[outcome] for one in turns for outcome in ("wins", "losses", "ties"))
        assert (sum(one["inconsistent"] for one in turns), valid) == counts


@pytest.mark.parametrize("model", OFFICIAL)
def test_official_scores_by_category_and_their_mean(cli: Cli, imported: Import, folder: Path, model: str) -> None:
    """The grades behind them are not among the published files: these are made up so that each category has its mean.

    What is shown is that categories come out as they went in, and that the score of a model is the mean over all rows.
    """
    categories, mean = OFFICIAL[model]
    grades = {category: spread(score * ROWS) for category, score in categories.items()}
    judged = [
        {
            "question_id": row["question_id"],
            "model": model,
            "judge": ["gpt-4", "single-v1" if turn == 1 else "single-v1-multi-turn"],
            "user_prompt": "",
            "judgment": "",
            "score": grades[str(row["category"])].pop(),
            "turn": turn,
            "tstamp": 0.0,
        }
        for row in rows("fastchat/data/mt_bench/question.jsonl")
        for turn in (1, 2)
    ]
    path = folder / "gpt-4_single.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in judged), encoding="utf-8")
    run = imported(f"original_answers/{model}.jsonl", path)[model]
    found = shown(cli, run)
    ((scored,),) = found["all"]["rated"][0]["scores"].values()
    by_category = {name: one["estimate"]["value"] for name, one in scored["categories"].items()}
    assert by_category == pytest.approx(dict(categories), abs=1e-9)
    assert found["measures"]["score"][0]["value"] == pytest.approx(mean, abs=1e-9)
    assert sum(by_category.values()) / len(by_category) == pytest.approx(mean, abs=1e-9)


def spread(total: float) -> list[float]:
    """Grades from 1 to 10 for a category that add up to this."""
    low = total // ROWS
    grades = [low + 1 if at < int(total - low * ROWS) else low for at in range(ROWS)]
    grades[-1] += total - sum(grades)
    return grades
