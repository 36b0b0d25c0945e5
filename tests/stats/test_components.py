"""Variance by level: against a plain twin, against known components in a simulation, by hand, and its laws."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.stats.components import Components, components, outlook

Arm = list[list[list[float]]]

numbers = st.integers(-40, 40).map(lambda whole: whole / 8)


def arms_of(samples: int, judgments: int) -> st.SearchStrategy[tuple[Arm, Arm]]:
    """Two to six conversations with as many samples and judgments in both arms."""
    sample = st.lists(numbers, min_size=judgments, max_size=judgments)
    conversation = st.lists(sample, min_size=samples, max_size=samples)
    return st.integers(2, 6).flatmap(
        lambda n: st.tuples(
            st.lists(conversation, min_size=n, max_size=n), st.lists(conversation, min_size=n, max_size=n)
        )
    )


ragged = st.lists(st.lists(st.lists(numbers, min_size=1, max_size=3), max_size=4), min_size=2, max_size=6)
ragged_arms = st.tuples(ragged, ragged).map(lambda arms: (arms[0][: len(arms[1])], arms[1][: len(arms[0])]))
balanced_arms = st.tuples(st.integers(2, 4), st.integers(1, 3)).flatmap(lambda sizes: arms_of(*sizes))


def split(base: Arm, tuned: Arm) -> Components:
    found = components(base, tuned)
    assert found is not None
    return found


def test_by_hand() -> None:
    """Two conversations, two samples, nothing judged.

    Base's samples differ by 2 and by 4: variances 2 and 8, pooled 5. Tuned's by 0 and by 2: 0 and 2, pooled 1. Together
    6, over two samples 3. The differences are 4 and 10: variance 18; 15 of it are between conversations.
    """
    found = split([[[1.0], [3.0]], [[0.0], [4.0]]], [[[6.0], [6.0]], [[11.0], [13.0]]])
    assert (found.n, found.samples, found.judgments) == (2, 2.0, 1.0)
    assert (found.within, found.between, found.judging) == (6.0, 15.0, None)
    assert found.error == 3.0
    assert found.error_these == math.sqrt(1.5)
    assert found.degrees_these == 2


def test_by_hand_with_judgments() -> None:
    """Judgments that differ by 2 in each sample have variance 2 in an arm, 4 in both.

    Base's samples have means 1 and 5 (variance 8) and 2 and 2 (0): pooled 4, less 2 / 2 for judging: 3. Tuned's have
    means 4 and 4, 9 and 9: 0, less 1: -1. Together 2. Noise: (4 + 0) / 2 = 2. The differences are 1 and 7: variance 18.
    """
    base = [[[0.0, 2.0], [4.0, 6.0]], [[1.0, 3.0], [1.0, 3.0]]]
    tuned = [[[3.0, 5.0], [3.0, 5.0]], [[8.0, 10.0], [8.0, 10.0]]]
    found = split(base, tuned)
    assert (found.judgments, found.judging, found.within, found.between) == (2.0, 4.0, 2.0, 16.0)
    assert found.error_these == 1.0
    assert found.degrees_these == 2
    assert outlook(found, 2, 2) == found.error == 3.0


def twin(base: Arm, tuned: Arm) -> tuple[float, float, float | None, float, float]:
    """Equal numbers only: the textbook's mean squares with plain loops; between, within, judging and both errors."""
    n, k, j = len(base), len(base[0]), len(base[0][0])
    noise, within, judging = 0.0, 0.0, 0.0
    for arm in (base, tuned):
        in_samples = 0.0
        in_conversations = 0.0
        for conversation in arm:
            centres = [sum(sample) / j for sample in conversation]
            for sample, centre in zip(conversation, centres, strict=True):
                for judgment in sample:
                    in_samples += (judgment - centre) ** 2
            for centre in centres:
                in_conversations += (centre - sum(centres) / k) ** 2
        of_judgments = in_samples / (n * k * (j - 1)) if j > 1 else 0.0
        of_centres = in_conversations / (n * (k - 1))
        judging += of_judgments
        within += of_centres - of_judgments / j
        noise += of_centres / k
    differences = []
    for one, other in zip(base, tuned, strict=True):
        differences.append(sum(map(sum, other)) / (k * j) - sum(map(sum, one)) / (k * j))
    spread = statistics.variance(differences)
    return (
        max(0.0, spread - noise),
        max(0.0, within),
        judging if j > 1 else None,
        (spread / n) ** 0.5,
        (noise / n) ** 0.5,
    )


@given(balanced_arms)
def test_agrees_with_the_plain_twin(arms: tuple[Arm, Arm]) -> None:
    found = split(*arms)
    between, within, judging, error, these = twin(*arms)
    assert found.between == pytest.approx(between, abs=1e-9)
    assert found.within == pytest.approx(within, abs=1e-9)
    assert (found.judging is None) == (judging is None)
    assert found.judging == pytest.approx(judging, abs=1e-9)
    assert (found.error, found.error_these) == pytest.approx((error, these), abs=1e-9)
    assert found.samples == pytest.approx(len(arms[0][0]))
    assert found.judgments == pytest.approx(len(arms[0][0][0]))


@given(balanced_arms)
def test_the_parts_add_up_to_the_variance_of_the_difference(arms: tuple[Arm, Arm]) -> None:
    """The outlook for the same numbers is the error that was found, or above it where a part was cut at 0."""
    found = split(*arms)
    again = outlook(found, found.n, round(found.samples))
    assert again >= found.error * (1 - 1e-9)
    if found.between > 1e-9 and found.within > 1e-9:
        assert again == pytest.approx(found.error, rel=1e-6)


def simulated(chance: random.Random, sizes: Callable[[int, int], int], judges: Callable[[int], int]) -> tuple[Arm, Arm]:
    """Twenty conversations: between 1, within 0.5 and 2, judging 0.3 and 0.6; conversations are hard or easy for both.

    ``sizes`` says from arm and conversation how many samples, ``judges`` from the sample how many judgments.
    """
    arms: tuple[Arm, Arm] = ([], [])
    for conversation in range(20):
        level, gain = chance.gauss(0, 3), chance.gauss(0.4, 1)
        for arm, (within, judging) in enumerate(((0.5, 0.3), (2.0, 0.6))):
            samples = [level + gain * arm + chance.gauss(0, within**0.5) for _ in range(sizes(arm, conversation))]
            arms[arm].append(
                [[sample + chance.gauss(0, judging**0.5) for _ in range(judges(k))] for k, sample in enumerate(samples)]
            )
    return arms


@pytest.mark.parametrize(
    ("sizes", "judges", "noise"),
    [
        (lambda _arm, _conversation: 4, lambda _k: 2, (0.5 + 0.3 / 2 + 2.0 + 0.6 / 2) / 4),
        (lambda arm, _conversation: 2 + 3 * arm, lambda _k: 3, (0.5 + 0.3 / 3) / 2 + (2.0 + 0.6 / 3) / 5),
        # Base 2 or 3 samples, tuned 4 or 1; the first sample has one judgment, the others two.
        (
            lambda arm, conversation: (2 + conversation % 2, 4 - 3 * (conversation % 2))[arm],
            lambda k: 1 if k == 0 else 2,
            ((0.5 + 0.3 * 3 / 4) / 2 + (0.5 + 0.3 * 2 / 3) / 3 + (2.0 + 0.6 * 5 / 8) / 4 + (2.0 + 0.6)) / 2,
        ),
    ],
    ids=["equal", "arms differ", "all differ"],
)
def test_known_components_come_back(
    sizes: Callable[[int, int], int], judges: Callable[[int], int], noise: float
) -> None:
    """The means over 400 simulations lie within four standard errors of what was put in."""
    chance = random.Random(7)  # noqa: S311 - no secret
    found = [split(*simulated(chance, sizes, judges)) for _ in range(400)]

    def near(values: list[float], expected: float) -> bool:
        return abs(statistics.fmean(values) - expected) < 4 * statistics.stdev(values) / math.sqrt(len(values))

    assert near([one.judging for one in found if one.judging is not None], 0.9)
    assert near([one.within for one in found], 2.5)
    assert near([one.between for one in found], 1.0)
    assert near([one.error**2 for one in found], (1.0 + noise) / 20)
    assert near([one.error_these**2 for one in found], noise / 20)


def test_errors_are_how_much_means_really_vary() -> None:
    """Holding the same conversations again varies as ``error_these`` says; new conversations as ``error`` says."""
    chance = random.Random(9)  # noqa: S311 - no secret
    gains = [chance.gauss(0.4, 1) for _ in range(20)]

    def held(of: list[float]) -> tuple[Arm, Arm]:
        return (
            [[[chance.gauss(0, 0.7)] for _ in range(3)] for _ in of],
            [[[chance.gauss(gain, 1.4)] for _ in range(3)] for gain in of],
        )

    again = [held(gains) for _ in range(400)]
    new = [held([chance.gauss(0.4, 1) for _ in range(20)]) for _ in range(400)]

    def observed(runs: list[tuple[Arm, Arm]]) -> float:
        means = [
            statistics.fmean(one[0] for c in tuned for one in c) - statistics.fmean(one[0] for c in base for one in c)
            for base, tuned in runs
        ]
        return statistics.stdev(means)

    these = statistics.fmean(split(*run).error_these ** 2 for run in again) ** 0.5
    error = statistics.fmean(split(*run).error ** 2 for run in new) ** 0.5
    assert observed(again) == pytest.approx(these, rel=0.12)
    assert observed(new) == pytest.approx(error, rel=0.12)
    assert error > 1.2 * these


@given(ragged_arms, st.randoms(use_true_random=False))
def test_the_order_of_conversations_and_samples_changes_nothing(arms: tuple[Arm, Arm], chance: random.Random) -> None:
    base, tuned = arms
    places = list(range(len(base)))
    chance.shuffle(places)
    turned = components([base[place][::-1] for place in places], [tuned[place][::-1] for place in places])
    found = components(base, tuned)
    assert (turned is None) == (found is None)
    if turned is not None and found is not None:
        assert same(turned, found)


@given(ragged_arms)
def test_swapping_the_arms_changes_nothing(arms: tuple[Arm, Arm]) -> None:
    found, swapped = components(*arms), components(arms[1], arms[0])
    assert (found is None) == (swapped is None)
    if found is not None and swapped is not None:
        assert same(found, swapped)


def same(one: Components, other: Components) -> bool:
    """Equal but for rounding; degrees of freedom just below a whole number may be one apart."""
    assert (one.n, one.judging is None) == (other.n, other.judging is None)
    assert abs(one.degrees_these - other.degrees_these) <= 1
    parts = [(a or 0.0, b or 0.0) for a, b in zip(one[1:8], other[1:8], strict=True)]
    return all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6) for a, b in parts)


@given(ragged_arms, numbers)
def test_a_level_that_all_share_is_no_variance(arms: tuple[Arm, Arm], shift: float) -> None:
    moved = [[[value + shift for value in sample] for sample in samples] for samples in arms[1]]
    found, other = components(*arms), components(arms[0], moved)
    assert (found is None) == (other is None)
    if found is not None and other is not None:
        assert same(found, other)


@given(ragged_arms)
def test_nothing_is_negative(arms: tuple[Arm, Arm]) -> None:
    found = components(*arms)
    if found is not None:
        assert min(found[1:5]) >= 0
        assert found.judging is None or found.judging >= 0
        assert found.error >= 0
        assert found.error_these >= 0
        degrees = [
            sum(max(0, len(one) - 1) for one, other in zip(arm, sibling, strict=True) if other)
            for arm, sibling in (arms, arms[::-1])
        ]
        assert min(degrees) <= found.degrees_these <= sum(degrees)


def test_more_of_anything_never_makes_an_outlook_worse() -> None:
    found = Components(20, 2.0, 2.0, 1.0, 2.0, 0.8, 0.0, 0.0, 20)
    assert outlook(found, 20, 2) == pytest.approx(math.sqrt((1.0 + 2.0 / 2 + 0.8 / 4) / 20))
    assert outlook(found, 40, 2) == pytest.approx(outlook(found, 20, 2) / math.sqrt(2))
    assert outlook(found, 20, 4) < outlook(found, 20, 2)
    assert outlook(found, 20, 10**6) == pytest.approx(math.sqrt(1.0 / 20), rel=1e-5)
    unjudged = found._replace(judging=None, judgments=1.0)
    assert outlook(unjudged, 20, 2) == pytest.approx(math.sqrt((1.0 + 2.0 / 2) / 20))


def test_samples_that_never_differ_leave_no_noise() -> None:
    """Greedy replies: three samples, all the same. What these conversations show is then certain for them."""
    found = split([[[1.0]] * 3, [[2.0]] * 3, [[0.0]] * 3], [[[2.0]] * 3, [[2.0]] * 3, [[5.0]] * 3])
    assert (found.within, found.error_these) == (0.0, 0.0)
    assert found.between == pytest.approx(statistics.variance([1.0, 0.0, 5.0]))
    assert found.degrees_these == 12


def test_what_comes_out_below_0_becomes_0() -> None:
    """Differences that vary less than their samples do: no variance between conversations can be seen."""
    found = split([[[0.0], [8.0]], [[8.0], [0.0]]], [[[1.0], [9.0]], [[9.0], [1.0]]])
    assert (found.between, found.error) == (0.0, 0.0)
    assert found.error_these > 0


def test_one_sample_each_can_not_be_told_from_conversations() -> None:
    single = [[[1.0]], [[2.0]], [[4.0]]]
    double = [[[1.0], [2.0]], [[2.0], [2.0]], [[4.0], [5.0]]]
    assert components(single, single) is None
    assert components(single, double) is None
    assert components(double, double) is not None


def test_one_conversation_has_no_variance_between() -> None:
    assert components([[[1.0], [2.0]]], [[[3.0], [4.0]]]) is None
    assert components([], []) is None


def test_a_conversation_without_a_sample_in_one_arm_is_not_used() -> None:
    base = [[[1.0], [2.0]], [[2.0], [5.0]], [[9.0], [7.0]]]
    tuned = [[[3.0], [4.0]], [], [[8.0], [8.0]]]
    assert components(base, tuned) == components([base[0], base[2]], [tuned[0], tuned[2]])
    assert split(base, tuned).n == 2


def test_unequal_numbers_are_named_by_their_harmonic_mean() -> None:
    """1, 2, 2 and 4 samples: 4 / (1 + 1/2 + 1/2 + 1/4). One of the nine samples has two judgments."""
    found = split([[[1.0]], [[2.0], [3.0]]], [[[1.0], [2.0]], [[2.0, 4.0], [3.0], [4.0], [5.0]]])
    assert found.samples == pytest.approx(4 / 2.25)
    assert found.judgments == pytest.approx(9 / 8.5)


def test_judging_is_not_split_off_where_one_arm_alone_was_judged_twice() -> None:
    """Then it is part of what differs within a conversation, in both arms."""
    base = [[[1.0, 3.0], [2.0, 2.0]], [[4.0, 0.0], [5.0, 7.0]]]
    tuned = [[[1.0], [4.0]], [[2.0], [8.0]]]
    found = split(base, tuned)
    assert found.judging is None
    averaged = [[[statistics.fmean(sample)] for sample in samples] for samples in base]
    assert found._replace(judgments=1.0) == split(averaged, tuned)


def test_what_is_refused() -> None:
    two = [[[1.0], [2.0]], [[2.0], [3.0]]]
    with pytest.raises(ValueError, match="same conversations"):
        components(two, two[:1])
    with pytest.raises(ValueError, match="needs a judgment"):
        components(two, [[[1.0], []], [[2.0], [3.0]]])
    with pytest.raises(ValueError, match="finite"):
        components(two, [[[1.0], [float("nan")]], [[2.0], [3.0]]])
    for conversations, samples in ((0, 2), (2, 0)):
        with pytest.raises(ValueError, match="outlook"):
            outlook(split(two, [[[1.0], [2.5]], [[2.0], [3.0]]]), conversations, samples)
