"""Which earlier turns a check looks at: ``back`` counts from its own turn, 1 is the turn before."""

from __future__ import annotations

from multiturn.conversation import require

Back = int | tuple[int, ...]


def turns_back(back: Back) -> tuple[int, ...]:
    """One, or several, as several."""
    return (back,) if isinstance(back, int) else back


def require_back(back: Back) -> None:
    """Raise ValueError unless each is a turn before."""
    require(back != (), "back is empty")
    require(all(one >= 1 for one in turns_back(back)), "back must be 1 (the turn before) or more")
    require(len(set(turns_back(back))) == len(turns_back(back)), "back names a turn twice")


def back_in_words(back: int) -> str:
    """``the turn before``, ``3 turns back``."""
    return "the turn before" if back == 1 else f"{back} turns back"
