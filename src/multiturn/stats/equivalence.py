"""The test that a true mean difference is smaller than a margin, in either direction.

What this module does not know: which margin matters, and what a verdict is.
"""

from __future__ import annotations

import math

from scipy.special import stdtr


def tost(mean: float, error: float, degrees: int, margin: float) -> float:
    """The p value of equivalence: the larger one of two one-sided t tests, against -margin and against +margin.

    D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power approach for assessing the
    equivalence of average bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15 (1987): that the true
    mean is -margin or less has ``P(T >= (mean + margin) / error)``, that it is +margin or more has
    ``P(T <= (mean - margin) / error)``, T Student's t with these degrees of freedom. The result is below 0.05 exactly
    where the 90 % t interval ``mean +- t * error`` lies inside (-margin, margin).

    Args:
        mean: Of the differences, in the measure's unit.
        error: The standard error of that mean, above 0, in the same unit.
        degrees: Of freedom of the standard error, 1 or more.
        margin: The smallest difference that matters, above 0, in the same unit.

    Returns:
        In [0, 1].

    Raises:
        ValueError: A number is not finite, or error, degrees or margin are not above 0.
    """
    if not all(math.isfinite(number) for number in (mean, error, margin)):
        raise ValueError("mean, error and margin must be finite numbers")
    if error <= 0 or degrees < 1 or margin <= 0:
        raise ValueError("error and margin must be above 0, degrees 1 or more")
    above_lower = float(stdtr(degrees, -(mean + margin) / error))
    below_upper = float(stdtr(degrees, (mean - margin) / error))
    return max(above_lower, below_upper)
