"""Where the spread of a paired difference comes from: from conversations, their samples, or the samples' judgments.

More conversations make every part smaller, more samples only two of them, more judgments only the last. What this
module does not know: what a number measures, and who gave it.

The model: the j-th judgment of the k-th sample of conversation i under arm a is ``level(a) + conversation(a, i) +
sample(a, i, k) + judgment(a, i, k, j)``, each with mean 0 and its own variance. The estimates are those of the nested
analysis of variance by the method of moments: S. R. Searle, G. Casella and C. E. McCulloch, Variance Components (1992),
chapters 3 and 5. A variance that comes out below 0 becomes 0, as there; an estimate cut so is a little too large on
average.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from multiturn.stats.paired import PAIR

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


ROUNDING: Final = 1e-9
"""Degrees of freedom so little below a whole number are that number."""


class Components(NamedTuple):
    """The variance of a paired difference by level; variances in the square of the measure's unit, errors in the unit.

    Attributes:
        n: Conversations used, 2 or more.
        samples: Per conversation and arm, 1 or more; the harmonic mean where they are unequal.
        judgments: Per sample, 1 or more; the harmonic mean where they are unequal.
        between: The variance between conversations of the true difference, 0 or more.
        within: The variance between samples of one conversation, both arms added, 0 or more. Where ``judging`` is None
            it contains the variance between judgments.
        judging: The variance between judgments of one sample, both arms added, 0 or more; None where an arm has no
            sample with two judgments.
        error: The standard error of the mean difference for new conversations: ``s / sqrt(n)`` of the paired t test.
        error_these: Its standard error for exactly these conversations, held and judged anew.
        degrees_these: Of freedom of ``error_these``, 1 or more: all samples but one of each conversation, both arms
            added, where both are equally noisy; fewer where they are not (Satterthwaite, rounded down).
    """

    n: int
    samples: float
    judgments: float
    between: float
    within: float
    judging: float | None
    error: float
    error_these: float
    degrees_these: int


def components(
    base: Sequence[Sequence[Sequence[float]]], tuned: Sequence[Sequence[Sequence[float]]]
) -> Components | None:
    """Split the variance of tuned - base, paired by conversation.

    With D_i the difference of conversation i (means over samples of means over judgments):

    - ``judging``: the variance of the judgments of one sample, pooled over all samples of an arm; then both arms added.
    - ``within``: the variance of the samples' means within a conversation, pooled over the conversations of an arm,
      less what judging puts into it (``judging / J`` where all have J judgments); both arms added; then cut at 0.
    - noise: the variance of D_i that sampling and judging alone make: with K samples everywhere, the pooled variance of
      the samples' means over K, both arms added, which is ``within / K + judging / (K * J)`` where nothing was cut.
    - ``between``: the variance of the D_i less the noise, cut at 0; ``error_these`` is ``sqrt(noise / n)``.

    Unequal numbers: the noise is the mean of each conversation's own, from its own numbers of samples and judgments, as
    though the variances were the same in all conversations.

    Args:
        base: Per conversation its samples, per sample its judgments, in the measure's unit; one number per sample where
            nothing is judged.
        tuned: The same for the other arm, in the same order of conversations.

    Returns:
        None where samples can't be told from conversations: an arm has no conversation with two samples, or fewer than
        two conversations have a sample in both arms. A conversation without a sample in one arm is not used.

    Raises:
        ValueError: The arms do not have the same number of conversations, a sample has no judgment, or a number is not
            finite.
    """
    if len(base) != len(tuned):
        raise ValueError("both arms need the same conversations, in the same order")
    _require_numbers(base)
    _require_numbers(tuned)
    pairs = [(one, other) for one, other in zip(base, tuned, strict=True) if one and other]
    used = ([one for one, _ in pairs], [other for _, other in pairs])
    judged = [_pooled(sample for samples in arm for sample in samples) for arm in used]
    judging = [part for part in judged if part is not None]
    if len(judging) < len(used):
        judging = []  # an arm that was judged twice alone can't say what judging adds to the difference
    arms = [_Arm.of(arm, part) for arm, part in zip(used, judging or [0.0, 0.0], strict=True)]
    n = len(pairs)
    if n < PAIR or any(arm.degrees == 0 for arm in arms):
        return None
    differences = [other - one for one, other in zip(arms[0].means, arms[1].means, strict=True)]
    spread = _variance(differences)
    noises = [arm.noise for arm in arms]
    noise = math.fsum(noises)
    return Components(
        n=n,
        samples=_harmonic([count for arm in arms for count in arm.samples]),
        judgments=_harmonic([count for arm in arms for count in arm.judgments]),
        between=max(0.0, spread - noise),
        within=max(0.0, math.fsum(arm.within for arm in arms)),
        judging=math.fsum(judging) if judging else None,
        error=math.sqrt(spread / n),
        error_these=math.sqrt(noise / n),
        degrees_these=_degrees(noises, [arm.degrees for arm in arms]),
    )


def outlook(found: Components, conversations: int, samples: int) -> float:
    """The standard error of the mean difference that so many new conversations and samples would give.

    ``sqrt((between + within / samples + judging / (samples * judgments)) / conversations)``, with as many judgments per
    sample as there were. It is ``found.error`` again for the numbers that were found, where nothing was cut at 0.

    Returns:
        In the measure's unit, 0 or more.

    Raises:
        ValueError: Conversations or samples are below 1.
    """
    if conversations < 1 or samples < 1:
        raise ValueError("an outlook needs a conversation and a sample")
    judging = 0.0 if found.judging is None else found.judging / (samples * found.judgments)
    return math.sqrt((found.between + found.within / samples + judging) / conversations)


class _Arm(NamedTuple):
    """One arm's part: per conversation its mean and number of samples, per sample its number of judgments.

    ``within`` may still be below 0; ``noise`` is what sampling and judging put into the variance of the means.
    """

    means: list[float]
    samples: list[int]
    judgments: list[int]
    within: float
    noise: float
    degrees: int

    @classmethod
    def of(cls, conversations: Sequence[Sequence[Sequence[float]]], judging: float) -> _Arm:
        """Of conversations that each have a sample; ``degrees`` is 0 where none has two, and the variances say nothing.

        ``judging`` is the arm's variance between judgments, 0 where it is not told apart.
        """
        centres = [[_mean(sample) for sample in samples] for samples in conversations]
        counts = [len(samples) for samples in conversations]
        # Of each conversation: the share of the variance between judgments that is in the mean of one of its samples.
        shares = [_mean([1 / len(sample) for sample in samples]) for samples in conversations]
        degrees = sum(counts) - len(counts)
        within = noise = 0.0
        seen = _pooled(centres)
        if seen is not None:
            share = math.fsum((count - 1) * share for count, share in zip(counts, shares, strict=True)) / degrees
            within = seen - judging * share
            noise = _mean([(within + judging * share) / count for count, share in zip(counts, shares, strict=True)])
        return cls(
            means=[_mean(centre) for centre in centres],
            samples=counts,
            judgments=[len(sample) for samples in conversations for sample in samples],
            within=within,
            noise=max(0.0, noise),
            degrees=degrees,
        )


def _pooled(groups: Iterable[Sequence[float]]) -> float | None:
    """The variance within groups, pooled over them; None where no group has two."""
    groups = [group for group in groups if len(group) >= PAIR]
    if not groups:
        return None
    squares = math.fsum((len(group) - 1) * _variance(group) for group in groups)
    return squares / sum(len(group) - 1 for group in groups)


def _degrees(parts: Sequence[float], degrees: Sequence[int]) -> int:
    """Of freedom of a sum of two independent variances, rounded down.

    F. E. Satterthwaite, "An approximate distribution of estimates of variance components", Biometrics Bulletin 2
    (1946).
    """
    whole = math.fsum(parts)
    if whole == 0:
        return sum(degrees)
    shares = [part / whole for part in parts]
    return int(1 / math.fsum(share**2 / count for share, count in zip(shares, degrees, strict=True)) + ROUNDING)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    """With divisor n - 1; of two or more."""
    mean = _mean(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _harmonic(counts: Sequence[int]) -> float:
    return len(counts) / math.fsum(1 / count for count in counts)


def _require_numbers(arm: Sequence[Sequence[Sequence[float]]]) -> None:
    for samples in arm:
        for judgments in samples:
            if not judgments or not all(math.isfinite(value) for value in judgments):
                raise ValueError("every sample needs a judgment, and every judgment must be a finite number")
