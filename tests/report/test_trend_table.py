"""Which tables and sentences a trend has. Read it as the specification."""

from __future__ import annotations

import io

import msgspec
import pytest
from rich.console import Console

from multiturn.conditions import Arm, Conditions, RunRecord
from multiturn.report.trend import render_trend, sentences, tables
from multiturn.results import Contrast, Estimate, Orientation, Verdict, VerdictWord
from multiturn.series import Apart, FalseAlarms, Step, Trend, Version
from multiturn.transcript import Sampling


def run(name: str) -> RunRecord:
    conditions = Conditions(
        suite_digest="d",
        sampling=Sampling(),
        samples=1,
        history="self",
        overflow="stop",
        context_window=None,
        system=None,
        template="model",
        reproducible=True,
        identity={},
    )
    return RunRecord(
        id=f"run-{name}",
        created="2026-01-01T00:00:00+00:00",
        arm=Arm(spec=f"hf:folder/{name}"),
        suite_name="s",
        suite_version="1",
        conversations=40,
        turns=80,
        conditions=conditions,
        versions={},
    )


def estimate(value: float, missing: int = 0) -> Estimate:
    return Estimate(value=value, low=value - 0.1, high=value + 0.1, n=40 - missing, missing=missing)


def step(
    earlier: int,
    later: int,
    word: VerdictWord,
    *,
    stands: bool | None = None,
    p: float | None = 0.5,
    orientation: Orientation = "higher_is_better",
    **fields: object,
) -> Step:
    contrast = Contrast(
        measure="check_pass",
        group=("all", ""),
        base=estimate(0.5),
        tuned=estimate(0.5),
        difference=estimate(-0.125, missing=2),
        orientation=orientation,
    )
    verdict = Verdict(measure="check_pass", role="primary", word=word, contrast=contrast, margin=0.1, p=p, adjusted_p=p)
    verdict = msgspec.structs.replace(verdict, **{key: fields[key] for key in fields if key != "same_model"})
    return Step(earlier=earlier, later=later, verdict=verdict, stands=stands, same_model=bool(fields.get("same_model")))


def trend(before: tuple[Step, ...], first: tuple[Step, ...] | None = None, **fields: object) -> Trend:
    steps = len(before)
    made = Trend(
        group="bot",
        measure="check_pass",
        level=0.95,
        reference=run("newest"),
        versions=tuple(Version(run=run(f"v{place}"), estimate=estimate(0.5, place)) for place in range(steps + 1)),
        before=before,
        first=before if first is None else first,
        apart=(),
        false_alarms=FalseAlarms(steps=steps, each=0.025, expected=0.025 * steps, any_if_apart=0.05) if steps else None,
    )
    return msgspec.structs.replace(made, **fields)


FALLEN = trend(
    before=(step(0, 1, "equivalent"), step(1, 2, "regressed", stands=True, p=0.0004)),
    first=(step(0, 1, "equivalent", p=None), step(0, 2, "regressed", stands=False, p=0.071)),
    apart=(
        Apart(run=run("hot"), reasons=("sampling.temperature: 1.0 / 0.7", "samples: 2 / 1")),
        Apart(run=run("cut"), reasons=("9 of 80 turns are missing",)),
    ),
)


def test_the_versions_with_what_they_rest_on() -> None:
    table = tables(FALLEN, naming=lambda spec: spec.rpartition("/")[2])[0]
    assert table.title == "bot: checks passed over time, oldest first"
    assert table.header == ("", "model", "run", "n", "checks passed")
    assert table.rows == (
        ("1", "v0", "run-v0", "40", "50.0% [40.0, 60.0]"),
        ("2", "v1", "run-v1", "39, 1 missing", "50.0% [40.0, 60.0]"),
        ("3", "v2", "run-v2", "38, 2 missing", "50.0% [40.0, 60.0]"),
    )


def test_the_steps_of_both_kinds() -> None:
    """With the word, Holm's p value, and whether what moved stands."""
    _, before, first, _ = tables(FALLEN)
    assert before.title == "Each version against the one before"
    assert before.header == ("step", "n", "later - earlier", "verdict", "adjusted p", "stands")
    assert before.rows == (
        ("2 - 1", "38, 2 missing", "-12.5 pp [-22.5, -2.5]", "equivalent", "0.500", ""),
        ("3 - 2", "38, 2 missing", "-12.5 pp [-22.5, -2.5]", "regressed", "below 0.001", "yes"),
    )
    assert first.title == "Each version against the first"
    assert [row[3:] for row in first.rows] == [("equivalent", "-", ""), ("regressed", "0.071", "no")]
    assert "equivalent: less than 10.0 pp apart." in before.footnote


def test_margins_that_differ_from_step_to_step_are_not_said() -> None:
    """As those of a length do, which are shares of a mean."""
    unlike = trend((step(0, 1, "equivalent"), step(1, 2, "equivalent", margin=0.2)))
    assert "apart" not in tables(unlike)[1].footnote


def test_what_was_left_apart_has_a_row_a_reason() -> None:
    table = tables(FALLEN)[-1]
    assert table.rows == (
        ("run-hot", "hf:folder/hot", "sampling.temperature: 1.0 / 0.7"),
        ("", "", "samples: 2 / 1"),
        ("run-cut", "hf:folder/cut", "9 of 80 turns are missing"),
    )
    assert "that of the newest run (run-newest)" in table.footnote


def test_of_two_versions_there_is_one_table_of_steps() -> None:
    assert [table.title for table in tables(trend((step(0, 1, "improved", stands=True),)))] == [
        "bot: checks passed over time, oldest first",
        "Each version against the first",
    ]


def test_sentences_say_what_stands_and_what_does_not() -> None:
    assert list(sentences(FALLEN)) == [
        "Version 3 regressed against the one before, and that stands with all 2 steps counted.",
        (
            "Version 3 regressed against the first, but that does not stand with all 2 steps counted: as much may come up "
            "in more than 1 of 20 series in which nothing changes."
        ),
        (
            'False alarms: where nothing changes at all, 2 steps from a version to the next are called "regressed" up to '
            "0.05 times on average, and at least one is in up to about 5.0% of such series."
        ),
        "Steps from the first version share it: where that one was lucky, all later ones look worse.",
    ]


def test_several_versions_with_one_word_are_named_together() -> None:
    steps = tuple(step(at, at + 1, "improved", stands=True) for at in range(3))
    assert next(sentences(trend(steps))) == (
        "Versions 2, 3 and 4 improved against the one before, and that stands with all 3 steps counted."
    )
    first, *_ = sentences(trend((*steps[:2], step(2, 3, "inconclusive"))))
    assert first.startswith("Versions 2 and 3 improved")


def test_a_series_of_two_says_it_once() -> None:
    told = list(sentences(trend((step(0, 1, "inconclusive", advice="25 conversations more would settle it"),))))
    assert told == [
        "No version regressed or improved against the one before, as far as this can tell.",
        "2 - 1, the newest step: 25 conversations more would settle it.",
        'False alarms: where nothing changes at all, a step is called "regressed" in up to 5.0% of cases.',
    ]


@pytest.mark.parametrize(
    ("orientation", "word"), [("neither", "changed"), ("lower_is_better", "regressed or improved")]
)
def test_a_measure_without_a_better_direction_changes(orientation: Orientation, word: str) -> None:
    told = list(sentences(trend((step(0, 1, "inconclusive", orientation=orientation),))))
    assert told[0] == f"No version {word} against the one before, as far as this can tell."
    assert f'called "{word.partition(" ")[0]}"' in told[-1]


def test_the_same_model_and_missing_turns_are_told() -> None:
    """Advice that speaks of the missing turns itself is not repeated."""
    lost = step(0, 1, "equivalent", same_model=True, filled=("regressed", "equivalent"), advice="depends on it")
    told = list(sentences(trend((lost,))))
    assert told[0] == "Version 2 is the same model as 1 again: what differs between the two runs is noise."
    assert "2 - 1: what is missing could change the word; resume these runs first." in told
    assert not any("depends on it" in line for line in told)


def test_without_steps_the_next_thing_to_type_is_said() -> None:
    """One run, several of which none can be compared with the newest, and none at all."""
    alone = trend(())
    hint = "  multiturn run MODEL --group bot"
    assert list(sentences(alone)) == ["One run is no trend yet. Hold the next version under the same conditions:", hint]
    unlike = msgspec.structs.replace(alone, apart=FALLEN.apart, group="my bot")
    assert list(sentences(unlike)) == [
        (
            "No other run of this group can be compared with the newest one. Hold the older models again under its "
            "conditions:"
        ),
        "  multiturn run MODEL --group 'my bot'",
    ]
    none = msgspec.structs.replace(alone, apart=FALLEN.apart, versions=())
    assert next(sentences(none)) == "No run of this group can be compared; what keeps each apart stands beside it."
    assert [table.title for table in tables(none)] == ["Left apart"]


def test_it_fits_a_terminal_and_says_a_footnote_once() -> None:
    """80 columns; a name with control characters is made harmless, and notes come last."""
    file = io.StringIO()
    shown = msgspec.structs.replace(FALLEN, group="a\x1b[2Jb", notes=("a note",))
    Console(file=file, width=80, color_system=None, legacy_windows=False).print(render_trend(shown))
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert file.getvalue().count("leaves open") == 1
    assert "\x1b" not in file.getvalue()
    assert lines[-1] == "a note"
    assert any("-12.5 pp [-22.5, -2.5]" in line for line in lines)
