"""docs/statistics.md, section "Judges": what it prints is computed again."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from multiturn.stats.pooled import pooled_mean, pooled_share

PAGE: Final = (Path(__file__).parents[1] / "docs" / "statistics.md").read_text(encoding="utf-8")
SAID: Final = " ".join(PAGE.split("## Judges")[1].split("\n## ")[0].split())


def test_a_perfect_score_leaves_room() -> None:
    found = pooled_mean([20] * 80, [2] * 80, (1, 10))
    assert found.low is not None
    assert f"80 conversations that all have 10 are {found.low:.2f} to 10" in SAID


def test_rates_of_winning() -> None:
    """The published pairs of phi-3 and its DPO-trained self."""
    strict, adjusted = (f"{100 * won / 73:.1f} %" for won in (18, 18 + 35 / 2))
    assert f"18 won, 20 lost and 35 tied are {strict} and {adjusted}" in SAID


def test_no_win_in_20_conversations() -> None:
    found = pooled_share([0] * 20, [4] * 20)
    assert found.high == pytest.approx(0.161, abs=5e-4)
    assert "No win in 20 conversations is 0 to 16.1 %" in SAID
