"""``benchmarks/calibration.py``: what it draws is what it says, and its words are the ones that ship."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from multiturn.measures import BY_NAME, PRIMARY
from multiturn.pairing import Pair
from multiturn.results import MOVED, Contrast, Plan, Verdict
from multiturn.stats.paired import difference_interval, mean_interval
from multiturn.stats.power import minimum_detectable
from multiturn.stats.rates import share_interval
from multiturn.verdicts import as_family, decide, word_of

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    import calibration
    import calibration_cells as cells
    import calibration_family as family
    import calibration_grid as grid

MIXED = cells.Shape((1, 2, 3, 4), 0.3)


def one_difference(
    chance: random.Random, base: tuple[float, ...], tuned: tuple[float, ...], rho: float, shape: cells.Shape
) -> float:
    """The story of the benchmark's first page told draw by draw: one conversation's difference of means."""

    def draws() -> tuple[float, float]:
        first = chance.random()
        return first, first if chance.random() < rho else chance.random()

    def outcome(chances: tuple[float, ...], drawn: float) -> int:
        falls = [drawn >= sum(chances[: place + 1]) for place in range(len(chances) - 1)]
        return sum(falls)

    turns = chance.choice(shape.turns)
    conversation, total = draws(), 0
    for _ in range(turns):
        own = draws()
        used = conversation if chance.random() < math.sqrt(shape.icc) else own
        total += outcome(tuned, used[1]) - outcome(base, used[0])
    return total / turns


@pytest.mark.parametrize(
    ("base", "tuned", "rho", "shape"),
    [
        ((0.4, 0.6), (0.5, 0.5), 0.6, MIXED),
        ((0.1, 0.9), (0.0, 1.0), 0.3, cells.Shape((3,), 0.6)),
        ((0.2, 0.1, 0.3, 0.4), (0.3, 0.1, 0.3, 0.3), 0.9, cells.Shape((2,), 0.6)),
    ],
)
def test_the_law_is_that_of_the_story(
    base: tuple[float, ...], tuned: tuple[float, ...], rho: float, shape: cells.Shape
) -> None:
    """Drawn turn by turn, differences come out as often as the law says; what it has no place for never comes."""
    runs, chance = 20_000, random.Random(5)  # noqa: S311 - a fixed seed
    drawn = Counter(round(one_difference(chance, base, tuned, rho, shape), 9) for _ in range(runs))
    law = cells.of_difference(np.array(base), np.array(tuned), rho, shape)
    told = {round(int(step) / law.unit, 9): at for step, at in zip(law.steps, law.chances.tolist(), strict=True)}
    assert drawn.keys() <= told.keys()
    for value, at in told.items():
        assert abs(drawn[value] / runs - at) < 4.5 * math.sqrt(at * (1 - at) / runs) + 1e-9


@settings(deadline=None)
@given(
    rate=st.floats(0.02, 0.98),
    turns=st.integers(1, 4),
    icc=st.floats(0, 0.9),
    rho=st.floats(0, 0.95),
)
def test_correlations_are_exactly_those_that_are_named(rate: float, turns: int, icc: float, rho: float) -> None:
    """At equal rates: the variance of a mean over turns has the design effect, that of a difference 1 - rho twice."""
    shape = cells.Shape((turns,), icc)
    one = rate * (1 - rate) * (1 + (turns - 1) * icc) / turns
    arm = cells.of_one_arm(cells.passes(rate), shape)
    assert arm.mean == pytest.approx(rate)
    assert arm.deviation**2 == pytest.approx(one)
    both = cells.of_difference(cells.passes(rate), cells.passes(rate), rho, shape)
    assert both.mean == pytest.approx(0, abs=1e-12)
    assert both.deviation**2 == pytest.approx(2 * one * (1 - rho))


@settings(deadline=None)
@given(base=st.floats(0, 1), tuned=st.floats(0, 1), rho=st.floats(0, 1), icc=st.floats(0, 1))
def test_the_true_difference_is_that_of_the_rates(base: float, tuned: float, rho: float, icc: float) -> None:
    """Whatever goes together."""
    law = cells.of_difference(cells.passes(base), cells.passes(tuned), rho, cells.Shape((1, 2, 3, 4), icc))
    assert law.mean == pytest.approx(tuned - base, abs=1e-9)
    assert law.chances.sum() == pytest.approx(1)


def differences_of(law: cells.Law, counts: list[int]) -> list[float]:
    """The differences of one run, one for each conversation."""
    return [int(step) / law.unit for step, count in zip(law.steps, counts, strict=True) for _ in range(count)]


def as_pair(differences: list[float], *, middle: float) -> Pair:
    """Two arms that differ so; of shares (middle 0) both stay from 0 to 1."""
    base = [middle + max(0.0, -difference) for difference in differences]
    tuned = [middle + max(0.0, difference) for difference in differences]
    return Pair(np.array(base), np.array(tuned), 0)


def words(said: cells.Said) -> list[str]:
    """The word of each run."""
    found = np.select(
        [said.equivalent, said.regressed, said.improved], ["equivalent", "regressed", "improved"], "inconclusive"
    )
    return [str(word) for word in found]


SPREAD = np.array(grid.RATINGS["spread"])
LAWS = {
    "nothing differs": (cells.of_difference(cells.passes(0.9), cells.passes(0.9), 0.6, MIXED), 0.1, 1.0),
    "hardly anything differs": (
        cells.of_difference(cells.passes(0.98), cells.passes(0.98), 0.9, cells.Shape((1,), 0.0)),
        0.1,
        1.0,
    ),
    "a fall": (cells.of_difference(cells.passes(0.6), cells.passes(0.4), 0.9, cells.Shape((3,), 0.6)), 0.1, 1.0),
    "nearly all fall": (
        cells.of_difference(cells.passes(0.98), cells.passes(0.02), 0.3, cells.Shape((1,), 0.0)),
        0.1,
        1.0,
    ),
    "nearly all rise": (
        cells.of_difference(cells.passes(0.02), cells.passes(0.98), 0.3, cells.Shape((1,), 0.0)),
        0.1,
        1.0,
    ),
    "ratings": (cells.of_difference(SPREAD, SPREAD, 0.9, cells.Shape((2,), 0.3)), 0.5, None),
    "ratings that hardly differ": (cells.of_difference(SPREAD, SPREAD, 0.99, cells.Shape((2,), 0.3)), 0.5, None),
    "ratings, bound 3": (cells.of_difference(SPREAD, SPREAD, 0.9, cells.Shape((2,), 0.3)), 0.5, 3.0),
}
"""A law of differences, the margin and the largest difference."""


@pytest.mark.parametrize("n", [4, 6, 12, 48])
@pytest.mark.parametrize("name", LAWS)
def test_the_words_and_intervals_are_those_that_ship(name: str, n: int) -> None:
    """Run by run: ``word_of`` and ``difference_interval`` say the same of the same conversations."""
    law, margin, extreme = LAWS[name]
    counts = cells.draw(law, n, 60, f"{name}, {n}")
    said = cells.say(cells.sample(law, counts), margin, extreme)
    for run, word in enumerate(words(said)):
        pair = as_pair(differences_of(law, counts[run].tolist()), middle=0.0 if extreme == 1 else 1.0)
        assert word == word_of(pair, margin=margin, orientation="higher_is_better", extreme=extreme, level=0.95)
        shipped = difference_interval(pair.base, pair.tuned, extreme=extreme)
        assert said.interval[run] == (shipped.low is not None)
        if shipped.low is not None:
            assert (said.low[run], said.high[run]) == pytest.approx((shipped.low, shipped.high), abs=1e-9)


def test_those_laws_give_every_word() -> None:
    """So the test above compares more than one word with itself, runs that are all equal included."""
    seen, without = set(), 0
    for name, (law, margin, extreme) in LAWS.items():
        for n in (4, 6, 12, 48):
            said = cells.say(cells.sample(law, cells.draw(law, n, 60, f"{name}, {n}")), margin, extreme)
            seen |= set(words(said))
            without += int((~said.interval & (said.regressed | said.improved)).sum())
    assert seen == {"regressed", "improved", "equivalent", "inconclusive"}
    assert without > 0


@pytest.mark.parametrize("rate", [0.3, 0.98])
def test_the_interval_of_a_rate_is_the_one_that_ships(rate: float) -> None:
    """Run by run, those in which all conversations have 1 or one number in between included."""
    law = cells.of_one_arm(cells.passes(rate), cells.Shape((4,), 0.6))
    for n in (3, 12):
        counts = cells.draw(law, n, 200, f"{rate}, {n}")
        said = cells.say_of_rate(cells.sample(law, counts))
        for run in range(200):
            shipped = share_interval(differences_of(law, counts[run].tolist()))
            assert said.interval[run] == (shipped.low is not None)
            if shipped.low is not None:
                assert (said.low[run], said.high[run]) == pytest.approx((shipped.low, shipped.high), abs=1e-9)
        assert len(set(said.interval.tolist())) == (2 if n == 3 and rate == 0.3 else 1)


def shipped_verdict(name: str, base: cells.Floats, tuned: cells.Floats) -> Verdict:
    measure = BY_NAME[name]
    contrast = Contrast(
        measure=name,
        group=("all", ""),
        base=mean_interval(base),
        tuned=mean_interval(tuned),
        difference=difference_interval(base, tuned, extreme=measure.extreme),
        orientation=measure.orientation,
    )
    return decide(measure, Pair(base, tuned, 0), contrast, Plan())


@pytest.mark.parametrize("says", [False, True])
def test_the_family_is_judged_as_a_comparison_judges_it(*, says: bool) -> None:
    """Run by run, ``decide`` and ``as_family`` find the same measures moved, by themselves and among the others."""
    setting = family.Setting(says, 0.2, 0.5, 0.6, 24)
    base, tuned = family.arms(setting, 150, cells.generator(str(setting)))
    assert list(base) == [
        PRIMARY,
        *(("refusal_unexpected", "refusal_missing") if says else ("refusal",)),
        "repetition",
        "words",
    ]
    tuned["words"] = tuned["words"] * 1.1  # so that something moves
    primary, beside = family.judged(base, tuned)
    moved = []
    for run in range(150):
        one, *others = (shipped_verdict(name, base[name][run], tuned[name][run]) for name in base)
        moved.append((one.word in MOVED, any(other.word in MOVED for other in as_family(others, 0.95))))
    assert list(zip(primary.tolist(), beside.tolist(), strict=True)) == moved
    assert 0 < sum(flag for _, flag in moved) < 150


@pytest.mark.parametrize("rate", [0.3, 0.98])
@pytest.mark.parametrize("n", [24, 200])
def test_the_fall_is_the_one_that_is_stated_as_detectable(rate: float, n: int) -> None:
    """At the fall that is found, the minimum detectable effect of the true standard error is that fall."""
    fall = cells.fall_that_is_detectable(rate, 0.6, MIXED, n)
    assert fall is not None
    law = cells.of_difference(cells.passes(rate), cells.passes(rate - fall), 0.6, MIXED)
    assert minimum_detectable(law.deviation / math.sqrt(n), n) == pytest.approx(fall, abs=1e-6)


def test_there_may_be_no_such_fall() -> None:
    """Six single checks of which three in ten pass: even a fall to none is less than what is stated."""
    assert cells.fall_that_is_detectable(0.3, 0.3, cells.Shape((1,), 0.0), 6) is None
    assert grid.true_difference("MDE", 0.3, cells.Shape((1,), 0.0), 0.3, 6) is None
    assert grid.true_difference("+m", 0.98, MIXED, 0.3, 6) is None
    assert grid.true_difference("-m", 0.98, MIXED, 0.3, 6) == -0.1


@pytest.mark.parametrize("name", grid.RATINGS)
def test_other_ratings_differ_by_the_margin_exactly(name: str) -> None:
    """Moved by a point or failing altogether, the mean is half a point off, and they are ratings still."""
    base = np.array(grid.RATINGS[name])
    scale = np.arange(10)
    for truth, by in (("0", 0.0), ("-m", -0.5), ("+m", 0.5), ("-m, failing", -0.5)):
        tuned = grid.other_ratings(truth, base)
        assert tuned is not None
        assert (tuned >= 0).all()
        assert tuned.sum() == pytest.approx(1)
        assert tuned @ scale - base @ scale == pytest.approx(by)
    assert cells.moved_ratings(base, 2.0) is None


@settings(deadline=None)
@given(runs=st.integers(1, 2000), share=st.floats(0, 1))
def test_the_bound_of_a_rate_is_clopper_and_pearsons(runs: int, share: float) -> None:
    """As scipy's own exact interval has it, with the 1 % on one side."""
    count = round(share * runs)
    exact = binomtest(count, runs, alternative="less").proportion_ci(0.99, "exact").high
    assert grid.upper_bound(count, runs) == pytest.approx(exact)


def test_a_cell_is_the_same_alone_and_among_others() -> None:
    """Its randomness is its own; the second time it is another."""
    among = {case.cell: case.figures(200, "") for case in islice(grid.differences("-m"), 20)}
    alone = next(islice(grid.differences("-m"), 17, None))
    assert alone.figures(200, "") == among[alone.cell]
    assert alone.figures(200, ", again") != among[alone.cell]
    assert len(among) == 20


GOAL = calibration.Goal("aa", "as it says", "difference", ("0",), "regressed at most", -math.inf, 0.035)


@pytest.mark.parametrize(("figures", "missed"), [((0.03,), False), ((0.04, 0.03), False), ((0.04, 0.036), True)])
def test_a_cell_is_outside_when_it_misses_twice(figures: tuple[float, ...], *, missed: bool) -> None:
    """The second time from ten times the runs, which only happens when it missed."""
    asked: list[tuple[int, str]] = []

    def run(runs: int, again: str) -> dict[str, float]:
        asked.append((runs, again))
        return {GOAL.figure: figures[len(asked) - 1]}

    outcome = calibration.run(grid.Case("difference", "0", "a cell", 12, run), [GOAL], 100)
    assert outcome.missed(GOAL) is missed
    assert asked == [(100, ""), (1000, ", again")][: len(figures)]


def test_a_wrong_interval_is_noticed() -> None:
    """The benchmark can fail: normal quantiles in place of Student's miss the goals that Student's meets."""
    shape = cells.Shape((4,), 0.6)
    law = cells.of_difference(cells.passes(0.6), cells.passes(0.6), 0.3, shape)
    found = cells.sample(law, cells.draw(law, 6, 4000, "a cell"))
    narrow = found._replace(deviation=found.deviation * 1.96 / 2.5706)
    right, wrong = (grid.figures_of(cells.say(one, 0.1, None), 0.0) for one in (found, narrow))
    assert right["covered"] > 0.93 > wrong["covered"]
    assert right["regressed at most"] < 0.035 < wrong["regressed at most"]


def test_a_few_cells_keep_their_goals() -> None:
    """What the whole benchmark measures in minutes, at three cells."""
    goals = [goal for goal in calibration.GOALS if goal.question in ("coverage", "aa", "equivalence")]
    wanted = {f"rate 0.6, 2 a conversation, icc 0.3, rho 0.6, n {n}" for n in (12, 48, 200)}
    cases = [case for truth in ("0", "-m") for case in grid.differences(truth) if case.cell in wanted]
    assert len(cases) == 6
    for case in cases:
        outcome = calibration.run(case, goals, 2000)
        assert not any(outcome.missed(goal) for goal in goals if calibration.concerns(goal, outcome))


def test_asked_for_one_question_it_tells_its_goals_and_writes_its_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table for each goal, a closing line for each, all cells in the file."""
    file = tmp_path / "cells.json"
    monkeypatch.setattr("sys.argv", ["calibration.py", "--runs", "10", "--only", "equivalence", "--json", str(file)])
    calibration.main()
    told = capsys.readouterr().out
    assert "| % | truth | cell |" in told
    assert "equivalent at the margin, at most 5.5 %: m" in told
    assert "1365 cells, 10 runs each" in told
    written = json.loads(file.read_text(encoding="utf-8"))
    assert len(written) == 1365
    assert {one["truth"] for one in written} == {"-m", "+m"}
