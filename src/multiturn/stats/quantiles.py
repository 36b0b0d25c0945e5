"""Quantiles of a sample: description, no inference."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def quantiles(values: Sequence[float], shares: Sequence[float]) -> tuple[float, ...]:
    """The values below which these shares of the sample lie, with straight lines between neighbours.

    Definition 7 of R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages", The American Statistician 50
    (1996): the value at place ``share * (n - 1)`` of the sorted sample, counted from 0.

    Raises:
        ValueError: there are no values, or a share is outside 0 to 1.
    """
    if not values or not all(0 <= share <= 1 for share in shares):
        raise ValueError("quantiles need a value, and shares from 0 to 1")
    ordered = sorted(values)
    found = []
    for share in shares:
        place = share * (len(ordered) - 1)
        below = int(place)
        above = min(below + 1, len(ordered) - 1)
        found.append(ordered[below] + (place - below) * (ordered[above] - ordered[below]))
    return tuple(found)
