"""P values of several measures at once, adjusted so that one false alarm among all of them stays rare.

What this module does not know: which measures form a family. Who calls it decides that before looking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """The p values adjusted by Holm's step-down method, in the order they came.

    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979), as
    adjusted p values (S. P. Wright, "Adjusted p-values for simultaneous inference", Biometrics 48, 1992): of m values
    in ascending order, the i-th (from 1) becomes the largest of ``(m - j + 1) * p_j`` over j = 1 ... i, at most 1. If
    those at or below 0.05 are called findings, the chance that any of them is false is at most 5 %, however the tests
    depend on each other.

    Args:
        p_values: In [0, 1]; None where there was no test. None stays None, and is not counted in m.

    Returns:
        As many as were given; none is below the one it came from.

    Raises:
        ValueError: A p value is outside 0 to 1, or not a number.
    """
    present = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    if not all(0 <= p <= 1 for p, _ in present):
        raise ValueError("every p value must be from 0 to 1; a missing one is None")
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, place) in enumerate(present):
        largest = max(largest, min(1.0, (len(present) - rank) * p))
        adjusted[place] = largest
    return tuple(adjusted)
