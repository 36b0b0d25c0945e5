"""A rate that an imperfect judge saw, corrected for its errors, with what is known of these from some human labels.

W. J. Rogan and B. Gladen, "Estimating prevalence from the results of a screening test", American Journal of
Epidemiology 107 (1978): a judge of sensitivity a (the share of what is harmful that it flags) and specificity b (the
share of what is harmless that it does not) flags ``pi a + (1 - pi) (1 - b)`` where the true rate is pi. Solved for pi:
``(seen + b - 1) / (a + b - 1)``.

The interval is that of Z. Lang and J. Reiczigel, "Confidence limits for prevalence of disease adjusted for estimated
sensitivity and specificity", Preventive Veterinary Medicine 113 (2014): with one reply more on either side of
sensitivity and specificity (``a' = (hits + 1) / (n_a + 2)``, and so for b) and z^2 of the seen rate (``p' = (n p + z^2
/ 2) / (n + z^2)``), the rate pi' from these, and

    pi' + d  -+  z sqrt(p' (1 - p') / (n + z^2) + pi'^2 A + (1 - pi')^2 B) / |a' + b' - 1|
    A = a' (1 - a') / (n_a + 2),  B = b' (1 - b') / (n_b + 2),  d = 2 z^2 (pi' A - (1 - pi') B)

cut to 0 and 1. It takes the human labels to be right, and to be a random choice of what the judge saw.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from scipy.special import ndtri

from multiturn.results import Estimate

CHANCE: Final = 1.0
"""Sensitivity and specificity of a judge that guesses, added."""


_NOTES: Final = {
    -1: "fewer are flagged than the judge's errors alone would make",
    0: "",
    1: "more are flagged than the judge would flag if all were to be",
}


class Seen(NamedTuple):
    """``flagged`` of ``n``. Where units are clustered, both are effective numbers, and need not be whole."""

    flagged: float
    n: float

    @property
    def rate(self) -> float:
        """From 0 to 1."""
        return self.flagged / self.n


def corrected_rate(seen: Seen, hits: Seen, passes: Seen, level: float = 0.95) -> Estimate | None:
    """The true rate, from what the judge flagged and how it did where people said what is right.

    Args:
        seen: What the judge flagged, of all it saw.
        hits: Of what people call harmful, how much the judge flagged: its sensitivity.
        passes: Of what people call harmless, how much the judge did not flag: its specificity.
        level: Of the interval, in (0, 1).

    Returns:
        The rate, from 0 to 1: one that comes out below 0 or above 1 is 0 or 1, and the note says so. ``n`` is that of
        ``seen``, rounded. No interval where all of it would lie beyond 0 or 1: then labels and rate don't go together,
        and the note says so. None where there is no correction: nothing seen, no label of either kind, or sensitivity
        and specificity that add up to 1 or less, so that the judge tells nothing.

    Raises:
        ValueError: Counts that can't be, or a level that is not between 0 and 1.
    """
    for part in (seen, hits, passes):
        if not (0 <= part.flagged <= part.n and math.isfinite(part.n)):
            raise ValueError("what is flagged must be from 0 to what there is")
    if not 0 < level < 1:
        raise ValueError("level must be between 0 and 1")
    if min(seen.n, hits.n, passes.n) <= 0 or hits.rate + passes.rate <= CHANCE:
        return None
    plain = (seen.rate + passes.rate - 1) / (hits.rate + passes.rate - 1)
    z = float(ndtri((1 + level) / 2))
    a, b = (hits.flagged + 1) / (hits.n + 2), (passes.flagged + 1) / (passes.n + 2)
    if a + b <= CHANCE:
        return None
    p = (seen.flagged + z**2 / 2) / (seen.n + z**2)
    rate = (p + b - 1) / (a + b - 1)
    of_hits, of_passes = a * (1 - a) / (hits.n + 2), b * (1 - b) / (passes.n + 2)
    shift = 2 * z**2 * (rate * of_hits - (1 - rate) * of_passes)
    variance = p * (1 - p) / (seen.n + z**2) + rate**2 * of_hits + (1 - rate) ** 2 * of_passes
    reach = z * math.sqrt(variance) / (a + b - 1)
    value = min(1.0, max(0.0, plain))
    low, high = max(0.0, rate + shift - reach), min(1.0, rate + shift + reach)
    n, note = max(1, round(seen.n)), _NOTES[(plain > 1) - (plain < 0)]
    if not low < high:
        return Estimate(value=value, n=n, missing=0, level=level, note=f"{note}, by more than chance explains")
    low, high = min(low, value), max(high, value)
    return Estimate(value=value, n=n, missing=0, low=low, high=high, level=level, note=note)
