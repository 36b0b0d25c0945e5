"""docs/statistics.md and docs/limits.md: what they print is computed again, with the functions that a comparison uses."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Final, cast

import numpy as np
import pytest
from scipy.special import betaincinv, ndtri, stdtrit
from scipy.stats import multivariate_normal

from multiturn import api, changes, study
from multiturn.extension import LEVEL as LOOK_LEVEL
from multiturn.measures import BY_NAME, MEASURES, PRIMARY, SECONDARY
from multiturn.pairing import Pair
from multiturn.pass_rates import FLOOR
from multiturn.report import broken
from multiturn.report.numbers import difference, estimate, label_of, p_number
from multiturn.results import Contrast, Estimate, Orientation, Plan, Verdict
from multiturn.stats import resample
from multiturn.stats.components import Components, outlook
from multiturn.stats.exact import mcnemar, sign_flip
from multiturn.stats.paired import difference_ends, difference_interval, mean_interval, p_value
from multiturn.stats.power import conversations_for, detectable_share, minimum_detectable
from multiturn.stats.rates import share_ends, share_interval, wilson
from multiturn.verdicts import FEW, FEW_OF, decide, word_of

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
LIMITS: Final = " ".join((ROOT / "docs" / "limits.md").read_text(encoding="utf-8").split())
SAID: Final = " ".join(PAGE.replace("**", "").split())
BLOCKS: Final = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
MARGIN: Final = BY_NAME[PRIMARY].margin
MANY: Final = 10**9
"""As good as any number of samples."""


def table(first: str, *, nth: int = 0) -> list[list[str]]:
    """The cells of the table whose header begins so, below its header; of several, which."""
    body = PAGE.split(f"\n| {first} |")[1 + nth].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in body]


def ends(found: tuple[object, object]) -> tuple[float, float]:
    """Two ends as plain numbers."""
    low, high = found
    return float(cast("float", low)), float(cast("float", high))


def interval(found: Estimate) -> tuple[float, float]:
    """Of an estimate that has one."""
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def detectable(sd: float, n: int, level: float = 0.95) -> float:
    """In the unit of ``sd``."""
    found = minimum_detectable(sd / math.sqrt(n), n, level)
    assert found is not None
    return found


class Example:
    """The shares of the page's first table, and what a comparison makes of them."""

    def __init__(self, *, mixed: bool = False) -> None:
        (_, *base), (_, *tuned) = table("conversation")
        self.base = [int(cell) / 100 for cell in base]
        self.tuned = [None if cell == "lost" else int(cell) / 100 for cell in tuned]
        if mixed:
            self.tuned[3] = 0.75
        both = [(one, other) for one, other in zip(self.base, self.tuned, strict=True) if other is not None]
        one, other = (np.array(arm) for arm in zip(*both, strict=True))
        self.pair = Pair(one, other, len(self.base) - len(both))

    @property
    def contrast(self) -> Contrast:
        """Each arm by itself, and the paired difference."""
        return Contrast(
            measure=PRIMARY,
            group=("all", ""),
            base=share_interval(self.base),
            tuned=share_interval(self.tuned),
            difference=difference_interval(self.pair.base, self.pair.tuned, missing=self.pair.missing, extreme=1.0),
            orientation="higher_is_better",
        )

    @property
    def verdict(self) -> Verdict:
        """With the lost conversation filled in, both ways."""
        worst, best = (
            Pair(np.array(self.base), np.array([end if one is None else one for one in self.tuned]), 0)
            for end in (0.0, 1.0)
        )
        return decide(BY_NAME[PRIMARY], self.pair, self.contrast, Plan(), filled=(worst, best))


def test_the_example_comes_out_as_printed() -> None:
    """Both arms, their difference and the word; then the parts of the sentence below it."""
    found, verdict = Example().contrast, Example().verdict
    printed = [line.split("   ") for line in BLOCKS[0].splitlines()]
    shown = [" ".join(part.strip() for part in line if part.strip()) for line in printed]
    assert shown == [
        f"checks passed base {estimate(found.base, 'share')}",
        f"tuned {estimate(found.tuned, 'share')}",
        f"tuned - base {difference(found.difference, 'share')} {verdict.word}",
    ]
    value, low, high = (f"{100 * (number or 0):.1f}" for number in (found.base.value, found.base.low, found.base.high))
    assert f"*{value} %* is the estimate, *{low} to {high}* its 95 % interval, *{found.base.n}* the" in SAID
    assert f"*{found.difference.missing} missing*" in SAID


def test_the_example_depends_on_missing_data_as_printed() -> None:
    """With the sentence that a verdict says."""
    verdict = Example().verdict
    assert verdict.depends_on_missing
    assert BLOCKS[2].strip() in verdict.advice


def test_the_inconclusive_example_comes_out_as_printed() -> None:
    """The same with a conversation in which tuned is better: the difference, the word, and what would settle it."""
    example = Example(mixed=True)
    assert example.verdict.word == "inconclusive"
    assert f"`{difference(example.contrast.difference, 'share')}`" in SAID
    assert example.verdict.advice == BLOCKS[1].strip()


def test_what_suites_of_a_size_can_see() -> None:
    """The table, the bold sentence, and how many conversations five points take."""
    rows = table("conversations")
    sizes = [int(row[0].split()[0]) for row in rows]
    assert sizes == [12, 20, 48, 100, 200]
    for n, row in zip(sizes, rows, strict=True):
        assert row[1:] == [f"{100 * detectable(sd, n):.1f}" for sd in (0.2, 0.25, 0.3)]
    assert [len(api.load_suite(name).conversations) for name in ("quick", "mtbench_conversations")] == [12, 48]
    low, high = detectable(0.2, 20), detectable(0.3, 20)
    assert low < 0.15
    assert 0.15 < detectable(0.25, 20) < high < 0.2
    few, many = (conversations_for(sd, 0.05) for sd in (0.2, 0.3))
    assert f"To find 5 points takes {few} conversations with s = 20 and {many} with s = 30" in SAID


def test_what_is_found_where_few_changed() -> None:
    """The two sizes that are named, and the rule of thumb."""
    found = {n: detectable_share(n) or 0.0 for n in (20, 48)}
    assert f"With 20 conversations that is {100 * found[20]:.1f} points, with 48 it is {100 * found[48]:.1f}." in SAID
    assert [share * n for n, share in found.items()] == pytest.approx([5.25, 5.25], abs=0.25)
    assert FEW_OF == 5
    assert f"**Where fewer than {FEW} conversations changed, or fewer than one in five**" in PAGE
    assert [n * (detectable_share(n) or 0.0) for n in (15, 500)] == pytest.approx([5.05, 5.5], abs=0.06)


def test_what_the_demo_can_see() -> None:
    """From the row that README shows: the end near 0 is Student's, and gives the standard error back."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"checks passed .* ([+-][\d.]+) pp .* ([\d.]+) pp +(\d+)\nprimary +\[[^,]+, ([^]]+)\]", readme)
    assert shown is not None
    n, mean, near = int(shown[3]), float(shown[1]), float(shown[4])
    sd = (near - mean) / float(stdtrit(n - 1, 0.975)) * math.sqrt(n)
    assert detectable(sd, n) == pytest.approx(float(shown[2]), abs=0.15), "both ends are rounded"
    assert f"has about {sd:.0f}, since its base is near the floor" in SAID
    assert f"sees about {detectable(sd, n):.0f} points with {n} conversations" in SAID


def test_the_table_of_measures_is_that_of_the_program() -> None:
    """Each name with its label, its better direction and its margin; none is left out or made up."""
    directions: dict[str, Orientation] = {
        "higher": "higher_is_better",
        "lower": "lower_is_better",
        "neither": "neither",
    }
    told = {}
    for names, labels, better, margin in table("measure"):
        size = re.match(r"([\d.]+) (points|grades|% of base's mean)$", margin)
        assert size is not None
        unit = 1.0 if size[2] == "grades" else 0.01
        for name, label in zip(re.findall(r"`(\w+)`", names), labels.split(", "), strict=True):
            told[name] = label, directions[better], float(size[1]) * unit, size[2]
    units = {(True, True): "points", (False, True): "grades", (False, False): "% of base's mean"}
    assert told == {
        one.name: (label_of(one.name), one.orientation, one.margin, units[one.share, one.bounds is not None])
        for one in MEASURES
    }


def test_the_family_is_that_of_the_program() -> None:
    """Either plain refusals or the two kinds of them stand in it, and checks passed where another is the primary."""
    assert SECONDARY == (PRIMARY, "refusal_unexpected", "refusal_missing", "refusal", "repetition", "words", "rating")
    assert "Four looks at 5 % would give a false alarm in up to 20 of 100" in SAID
    assert BY_NAME[PRIMARY].name == "check_pass"


def said(differences: list[float], *, orientation: Orientation = "higher_is_better", margin: float = 0.1) -> str:
    """The word for differences of a share."""
    tuned = np.array(differences) + 0.5
    return word_of(
        Pair(np.full(tuned.size, 0.5), tuned, 0), margin=margin, orientation=orientation, extreme=1.0, level=0.95
    )


def test_the_words_are_said_where_the_table_says() -> None:
    """In its order: with 400 conversations a drop of 2 to 4 points leaves out 0, and is equivalent all the same."""
    words = [re.findall(r"`(\w+)`", word)[0] for _, word in table("where the interval lies")]
    assert words == ["equivalent", "regressed", "improved", "changed", "inconclusive"]
    small, large = [-0.02, -0.04] * 200, [-0.2, -0.3] * 20
    assert p_value(small) == pytest.approx(0, abs=1e-9)
    up = [-one for one in large]
    neither = said(large, orientation="neither"), said(up, orientation="neither")
    assert [said(small), said(large), said(up), *set(neither), said([0.4, -0.3] * 6)] == words
    assert said(up, orientation="lower_is_better") == "regressed"


def safeguarded(n: int, mean: float, sd: float, level: float = 0.95) -> tuple[float, float]:
    """The interval as the page writes it down."""
    t = float(stdtrit(n - 1, (1 + level) / 2))
    found = []
    for end, extreme in ((mean - t * sd / math.sqrt(n), -1.0), (mean + t * sd / math.sqrt(n), 1.0)):
        moved = (n * mean + extreme) / (n + 1)
        squares = (n - 1) * sd**2 + (extreme - mean) ** 2 * n / (n + 1)
        other = moved + extreme * t * math.sqrt(squares / (n * (n + 1)))
        keeps_0_out = end * extreme < 0
        found.append(end if keeps_0_out else extreme * max(extreme * end, extreme * other))
    return max(-1.0, found[0]), min(1.0, found[1])


@pytest.mark.parametrize("n", [2, 5, 12, 48, 200])
@pytest.mark.parametrize("mean", [-0.3, -0.05, 0.0, 0.02, 0.5])
@pytest.mark.parametrize("sd", [0.0, 0.01, 0.15, 0.4])
def test_the_formula_of_the_safeguard_is_the_one_that_runs(n: int, mean: float, sd: float) -> None:
    """At both levels that verdicts use."""
    for level in (0.9, 0.95):
        assert ends(difference_ends(n, mean, sd, level, 1.0)) == pytest.approx(safeguarded(n, mean, sd, level))


def test_the_safeguard_in_the_example() -> None:
    """Student's interval, and where it begins with the safeguard."""
    found = Example().pair
    plain = interval(mean_interval(found.differences))
    wide = interval(difference_interval(found.base, found.tuned, extreme=1.0))
    assert f"interval is {100 * plain[0]:.1f} to {100 * plain[1]:.1f} points" in SAID
    assert f"with the safeguard it begins at {100 * wide[0]:.1f}." in SAID
    assert wide[1] == pytest.approx(plain[1])


def unchanged_end(n: int, level: float = 0.95) -> float:
    """How far an interval reaches where n conversations show no change."""
    return ends(difference_ends(n, 0.0, 0.0, level, 1.0))[1]


def first_below(margin: float, level: float) -> int:
    """The fewest unchanged conversations that are within the margin."""
    return next(n for n in range(2, 200) if unchanged_end(n, level) < margin)


def test_where_no_conversation_changed() -> None:
    """The formula, the room that is left, and from when on a margin can be kept."""
    assert unchanged_end(48) == pytest.approx((1 + float(stdtrit(47, 0.975))) / 49)
    room = [f"{100 * unchanged_end(n):.1f}" for n in (48, 20)]
    assert f"48 unchanged conversations leave room for {room[0]} points, 20 for {room[1]}" in SAID
    ten, five = first_below(MARGIN, 0.9), first_below(BY_NAME["refusal_unexpected"].margin, 0.9)
    assert f"it is below 10 points from {ten} conversations on, and below 5 points from {five} on" in SAID
    assert len(api.load_suite("mtbench_conversations").conversations) < five
    nothing_seen = [f"{100 * 0.9**n:.1f}" for n in (ten, ten + 1)]
    assert f"in {ten} conversations in {nothing_seen[0]} of 100 cases, in {ten + 1} in {nothing_seen[1]}." in SAID
    assert [said([0.0] * n) for n in (ten - 1, ten)] == ["inconclusive", "equivalent"]


def wrongly_equivalent(n: int, *, extreme: float | None, margin: float = MARGIN) -> float:
    """How often a model that breaks as large a share of conversations altogether as the margin is called equivalent."""
    broken = np.arange(n + 1)
    if extreme is None:
        broken = broken[1:-1]  # where all are equal there is no plain interval
    mean = -broken / n
    sd = np.sqrt(broken * (n - broken) / (n * (n - 1)))
    low, high = difference_ends(n, mean, sd, 0.9, extreme)
    equivalent = (np.asarray(low) > -margin) & (np.asarray(high) < margin)
    chances = (math.comb(n, k) * margin**k * (1 - margin) ** (n - k) for k in broken[equivalent].tolist())
    return math.fsum(chances)


def test_how_often_equivalent_is_wrong_in_the_worst_kind_of_case() -> None:
    """Counted, not simulated; at either margin, in the text and in the table of what was found."""
    ours, plain = (max((wrongly_equivalent(n, extreme=extreme), n) for n in range(2, 401)) for extreme in (1.0, None))
    assert f"is said wrongly in at most {100 * ours[0]:.1f} % (n = {ours[1]})" in SAID
    assert f"in up to {100 * plain[0]:.1f} % (n = {plain[1]})" in SAID
    margin = BY_NAME["refusal_unexpected"].margin
    five = max((wrongly_equivalent(n, extreme=1.0, margin=margin), n) for n in range(2, 401))
    assert f"breaks one in twenty in at most {100 * five[0]:.1f} % (n = {five[1]})" in SAID
    told = [f"{100 * worst:.1f} % at {size} points (n = {n})" for size, (worst, n) in ((10, ours), (5, five))]
    assert table("what is promised")[2][1].startswith(f"{', '.join(told)}, counted exactly; ")


def test_the_interval_of_one_arm() -> None:
    """Wilson's with effective units as the page writes it down; its corner at 0 of 20."""
    n, p, sd = 12, 0.7, 0.15
    t = float(stdtrit(n - 1, 0.975))
    u = p * (1 - p) / (sd / math.sqrt(n)) ** 2
    centre = (p + t**2 / (2 * u)) / (1 + t**2 / u)
    half = t * math.sqrt(p * (1 - p) / u + t**2 / (4 * u**2)) / (1 + t**2 / u)
    v = u * (float(ndtri(0.975)) / t) ** 2
    exact = float(betaincinv(p * v + 1, (1 - p) * v, 0.975))
    assert exact > centre + half, "p is above a half, so it is the upper end that may be farther"
    assert ends(share_ends(n, p, sd, 0.95)) == pytest.approx((centre - half, exact))
    assert ends(share_ends(n, 1 - p, sd, 0.95)) == pytest.approx((1 - exact, 1 - centre + half))
    corner = share_interval([0.0] * 20)
    assert (corner.low, corner.high) == (wilson(0, 20).low, wilson(0, 20).high)
    assert f"0 of 20 is 0 to {100 * (corner.high or 0):.1f} %" in SAID


def test_the_corners() -> None:
    """What is shown and said, row by row."""
    shown = [row[1] for row in table("case")]
    same = np.full(48, 0.5)
    nothing = difference_interval([], [], missing=5)
    assert f"`{difference(nothing, 'share')}`" in shown[0]
    assert "`n=1 (one conversation)`" in shown[1]
    assert difference(difference_interval([0.5], [0.7]), "share").endswith("n=1 (one conversation)")
    unchanged = difference_interval(same, same, extreme=1.0)
    assert f"`{difference(unchanged, 'share')}`; p = 1" in shown[2]
    assert said([0.0] * 48) == "equivalent"
    assert f"`{difference(difference_interval(same, same), 'words')}`; inconclusive" in shown[3]
    moved = next(n for n in range(1, 50) if sign_flip(n) < 0.05)
    assert f"moved from {moved} conversations on (p = {p_number(sign_flip(moved))})" in shown[4]
    assert [said([-0.25] * n) for n in (moved - 1, moved)] == ["inconclusive", "regressed"]
    assert estimate(share_interval([0.5] * 20), "share").endswith(shown[5].split("`")[1])


def test_mcnemars_example() -> None:
    """Nine against two."""
    assert f"9 against 2 has p = {p_number(mcnemar(9, 2))}" in SAID


def test_more_samples_and_more_conversations() -> None:
    """The table of the noise floor, its caption, and the sentence below it."""
    between, within = 0.2**2, 0.05
    caption = f"between and {100 * math.sqrt(within):.0f} within (s = {100 * math.sqrt(between + within):.0f}"
    assert caption in SAID
    found = Components(48, 1, 1, between, within, None, 0.0, 0.0, 1)
    cells = {}
    for row in table("conversations", nth=1):
        for samples, cell in zip((1, 2, 4, MANY), row[1:], strict=True):
            n = int(row[0])
            least = minimum_detectable(outlook(found, n, samples), n)
            assert least is not None
            cells[n, samples] = f"{100 * least:.1f}"
            assert cell == cells[n, samples]
    assert f"and see {cells[48, 4]} points instead of {cells[192, 1]}." in SAID


def test_what_an_extension_costs() -> None:
    """Levels, the price at the first look, and Pocock's bound for two equal halves."""
    assert pytest.approx(0.975) == LOOK_LEVEL
    costs = (100 * detectable(0.25, 48, level) for level in (LOOK_LEVEL, 0.95))
    assert "it finds {:.1f} points instead of {:.1f} at the first look".format(*costs) in SAID
    assert f"takes {first_below(MARGIN, 2 * LOOK_LEVEL - 1)} conversations or more" in SAID
    assert (
        f"each look is held to {100 * (1 - LOOK_LEVEL):.1f} % (Bonferroni): {100 * LOOK_LEVEL:.1f} % intervals" in SAID
    )
    assert "Pocock's 2.94 % at each look" in SAID
    z = -float(ndtri(0.0294 / 2))
    together = multivariate_normal(cov=[[1, math.sqrt(0.5)], [math.sqrt(0.5), 1]])
    assert 1 - together.cdf([z, z], lower_limit=[-z, -z]) == pytest.approx(0.05, abs=1e-4)


def test_the_limits_that_are_named() -> None:
    """Constants of the program."""
    assert f"above {broken.ABOVE:.0%} empty, refused or cut".replace("%", " %") in SAID
    assert pytest.approx(0.25) == FLOOR
    assert "Below a quarter of checks passed, a note says so" in SAID
    assert f"drawn anew {resample.DRAWS:,} times" in SAID
    assert f"an interval from {resample.ENOUGH} conversations on" in SAID
    assert f"flipped checks above all ({changes.CHECK_WEIGHT:.0f} times their share)" in SAID
    weights = {flag.measure: flag.weight for flag in changes.FLAGS}
    assert [weights[name] for name in ("refusal", "empty", "overflowed", "collapse")] == [3] * 4
    assert max(weights.values()) == 3
    assert "overflow and collapse (3 times)" in SAID
    assert f"its late turns ({study.LATE + 1} and on) less that in turn {study.EARLY + 1} " in SAID


def test_the_page_on_limits() -> None:
    """Its figures are those of the other page and of the suite."""
    suite = api.load_suite("mtbench_conversations")
    turns = [turn for one in suite.conversations for turn in one.turns]
    probing = sum(turn.capability == "instruction_hierarchy" for turn in turns)
    assert f"instruction hierarchy ({probing} of them in the diagnostic suite)" in LIMITS
    assert f"beyond {max(len(one.turns) for one in suite.conversations)} turns" in LIMITS
    low, high = (f"{100 * detectable(sd, 48):.0f}" for sd in (0.2, 0.3))
    assert f"15 to 20 points with 20 conversations and of {low} to {high} with 48" in LIMITS


def test_how_often_it_is_wrong_is_what_was_measured() -> None:
    """The worst settings are those of the benchmarks' table and of what stands below it."""
    measured = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8").partition("`calibration.py`\n")[2]
    goals = re.findall(r"^\| (.*?) \| \*\*(?:met|missed)\*\* (.*?) \| (.*?) \|$", measured, re.MULTILINE)
    worst = [re.findall(r"[\d.]+(?= %)", last)[-1] for _, _, last in goals]
    highest = re.findall(r"[\d.]+(?= %)", goals[4][2])[0]
    found = [row[1] for row in table("what is promised")]
    assert found[0] == f"from 12 conversations on {worst[0]} %"
    assert found[1] == f"{worst[2]} %"
    assert found[2].endswith(f"; {worst[3]} % in the simulation")
    assert found[3].startswith(f"{worst[5]} %; ")
    assert found[4].startswith(f"{worst[4]} to {highest} %, from 24")
    assert found[5] == f"{worst[1]} %"
    told = " ".join(measured.split())
    for figure, words in (
        (found[3].split()[-2], "{} % with 48"),
        (found[4].split()[-2], "The median over all 468 cells is {} %"),
        (SAID.split(" % in the median setting")[0].split("(")[-1], "with 48 it is said in the median cell in {} % of"),
    ):
        assert words.format(figure) in told
