"""Planning: what difference a study could find, and how many conversations a difference needs.

Both functions look ahead: given a spread, what would a paired t test find? Neither takes the difference that was seen,
so neither is "observed power", a name never used here: power computed from the difference seen only says the p value
again (J. M. Hoenig and D. M. Heisey, "The abuse of power", The American Statistician 55, 2001).
"""

from __future__ import annotations

import math
from typing import Final

from scipy.special import betaincinv, stdtrit

from multiturn.stats.exact import sign_flip
from multiturn.stats.paired import PAIR

MOST: Final = 10**15
"""More conversations than this are no plan."""

MOST_SHARED: Final = 2000
"""Up to so many conversations are tried one by one."""


def minimum_detectable(error: float, n: int, level: float = 0.95, power: float = 0.8) -> float | None:
    """The smallest true difference that a two-sided paired t test would find with this power; never observed power.

    ``(t1 + t2) * error``, t1 the ``(1 + level) / 2`` and t2 the ``power`` quantile of Student's t with n - 1 degrees of
    freedom (H. S. Bloom, "Minimum detectable effects", Evaluation Review 19, 1995). The usual approximation; power
    exactly follows the noncentral t distribution. At 95 % and 80 % it is, at this difference, 0.80 within 0.001 from
    n = 10 on, 0.79 with n = 5 and 0.73 with n = 2; at 99 %, 0.78 with n = 10.

    Args:
        error: The standard error of the mean difference, in the measure's unit, 0 or more.
        n: Conversations it rests on.
        level: Of the interval that goes with the test, in (0, 1).
        power: The share of studies that would find it, from 0.5 to below 1.

    Returns:
        In the measure's unit, above 0; None for fewer than two conversations or an error of 0, where no t test is
        defined.

    Raises:
        ValueError: The error is negative or not finite, or level or power are out of their range.
    """
    if not math.isfinite(error) or error < 0:
        raise ValueError("a standard error must be finite and not negative")
    _require_shares(level, power)
    if n < PAIR or error == 0:
        return None
    return _quantiles(n, level, power) * error


def detectable_share(n: int, level: float = 0.95, power: float = 0.8) -> float | None:
    """Of how many conversations a change must be so that a paired t test finds it, where they change altogether or not.

    The test finds it from k changed conversations on, k the smallest count with ``sqrt(k (n - 1) / (n - k))`` above the
    ``(1 + level) / 2`` quantile of Student's t (k = n where all must change: the exact sign-flip test). So many change
    with this power where the true share is the ``power`` quantile of the beta distribution with k and n - k + 1, since
    ``P(X >= k)`` of a binomial count is that distribution's (C. J. Clopper and E. S. Pearson, Biometrika 26, 1934).
    That is about 5.5 / n for 80 % and 95 %. It is for where few changed: their spread says little of what is missed.

    Args:
        n: Conversations.
        level: Of the interval that goes with the test, in (0, 1).
        power: The share of studies that would find it, from 0.5 to below 1.

    Returns:
        A share, in (0, 1]; None where not even a change of all conversations would be found.

    Raises:
        ValueError: Level or power are out of their range.
    """
    _require_shares(level, power)
    if n < PAIR:
        return None
    quantile = float(stdtrit(n - 1, (1 + level) / 2))
    least = next((k for k in range(1, n) if math.sqrt(k * (n - 1) / (n - k)) > quantile), n)
    if least == n and sign_flip(n) >= 1 - level:
        return None
    return float(betaincinv(least, n - least + 1, power))


def conversations_for_share(share: float, level: float = 0.95, power: float = 0.8) -> int | None:
    """The fewest conversations whose :func:`detectable_share` is at most this share; None where that takes thousands.

    Raises:
        ValueError: The share is not above 0, or level or power are out of their range.
    """
    if not share > 0:
        raise ValueError("a share must be above 0")
    shares = ((n, detectable_share(n, level, power)) for n in range(PAIR, MOST_SHARED))
    return next((n for n, found in shares if found is not None and found <= share), None)


def conversations_for(sd: float, effect: float, level: float = 0.95, power: float = 0.8) -> int:
    """The fewest conversations with which a true difference this large would be found; never observed power.

    The smallest n of 2 or more for which :func:`minimum_detectable` with the error ``sd / sqrt(n)`` is at most
    ``|effect|``: the approximation of W. D. Dupont and W. D. Plummer, "Power and sample size calculations", Controlled
    Clinical Trials 11 (1990). At 95 % and 80 % it gives the number that the noncentral t distribution gives, for
    effects from 0.1 to 5 standard deviations; at other levels it is at most one off.

    Args:
        sd: The standard deviation of the differences between conversations, above 0.
        effect: The difference to be found, in the same unit; its sign does not matter.
        level: Of the interval that goes with the test, in (0, 1).
        power: The share of studies that would find it, from 0.5 to below 1.

    Raises:
        ValueError: sd is not above 0, the effect is 0, or so small beside sd that more than ``MOST`` conversations
            would be needed; a number is not finite; level or power are out of their range.
    """
    if not (math.isfinite(sd) and math.isfinite(effect)) or sd <= 0 or effect == 0:
        raise ValueError("sd must be above 0, effect not 0, and both finite")
    _require_shares(level, power)

    def suffices(n: int) -> bool:
        return _quantiles(n, level, power) * (sd / math.sqrt(n)) <= abs(effect)

    if not suffices(MOST):
        raise ValueError("the effect is too small beside sd for any number of conversations")
    enough = PAIR
    while not suffices(enough):
        enough *= 2
    too_few = enough // 2
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if suffices(middle):
            enough = middle
        else:
            too_few = middle
    return max(PAIR, enough)


def _quantiles(n: int, level: float, power: float) -> float:
    """How many standard errors a difference must have to be found; n is 2 or more."""
    return float(stdtrit(n - 1, (1 + level) / 2)) + float(stdtrit(n - 1, power))


def _require_shares(level: float, power: float) -> None:
    if not 0 < level < 1:
        raise ValueError("level must be between 0 and 1")
    if not 0.5 <= power < 1:  # noqa: PLR2004 - a test that finds less than half is no plan
        raise ValueError("power must be from 0.5 to below 1")
