"""The mean of the grades that a judge could have given, weighted by their probabilities. Pure.

A judge that writes 7 may have been close to 8: the probabilities of the tokens that could have stood in the grade's
place tell, and give a finer grade than the one that was drawn (Y. Liu et al., "G-Eval: NLG evaluation using GPT-4 with
better human alignment", 2023, section 2: the sum over grades of grade times probability). Probabilities are the
model's at temperature 1, over grades on the scale alone; a grade that is not among the alternatives told counts as
impossible.

Tokenizers differ: 10 is one token or two. Where digits are single tokens, the probability of ``1`` is shared between 1
and 10 by what may follow it, which is told only where ``1`` was drawn. Where it was not, nobody knows what its share
means, and where that could matter, there is no weighted grade. A scale of 1 to 9 has no such grades.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

from multiturn.rubric import Scale
from multiturn.transcript import Piece

MOST_UNKNOWN: Final = 0.05
"""In grades: how much the weighted grade may change with what is not known."""

_PLACE: Final = re.compile(
    r"(?:\[\[\s{0,3}"
    r"|\"(?:overall|rating|score|grade)[\w ]{0,8}\"\s{0,8}:\s{0,8}\"?"
    r"|\b(?:rating|score|grade|overall)\b[^\w\n]{1,8})"
    r"(?P<grade>\d{1,6})(?![\d]|[.,]\d)",
    re.IGNORECASE,
)
_DIGITS: Final = re.compile(r"\d+")


def weighted_grade(pieces: Sequence[Piece], scale: Scale, grade: float) -> float | None:
    """The weighted mean, on the scale.

    Args:
        pieces: the reply, token by token, with what could have stood in each place.
        scale: from where to where grades go; whole ones are weighed.
        grade: the one that was read; the last place where it stands as one is looked at.

    Returns:
        The mean; None where that place is not found, the grade is no whole number, or what is not known could change
        the mean by more than ``MOST_UNKNOWN``.
    """
    text = "".join(piece.text for piece in pieces)
    places = [found.start("grade") for found in _PLACE.finditer(text) if float(found["grade"]) == grade]
    if not places:
        return None
    index, before = _piece_at(pieces, places[-1])
    shares = _Shares(pieces, scale)
    shares.spread(index, before, "", 1.0)
    return shares.mean()


def _piece_at(pieces: Sequence[Piece], at: int) -> tuple[int, str]:
    """The piece that holds this place of the text, and what it holds before it."""
    start = 0
    for index, piece in enumerate(pieces):
        if start + len(piece.text) > at:
            return index, piece.text[: at - start]
        start += len(piece.text)
    raise IndexError(at)


class _Shares:
    """How probability is shared between grades; ``unknown`` is what may be of one grade or another."""

    def __init__(self, pieces: Sequence[Piece], scale: Scale) -> None:
        self._pieces: Final = pieces
        self._scale: Final = scale
        self._merged: Final = any(
            re.fullmatch(r"\s?\d{2,}", text) for piece in pieces for text in (piece.text, *dict(piece.alternatives))
        )
        self._found: Final[dict[int, float]] = {}
        self._unknown = 0.0

    def spread(self, index: int, before: str, so_far: str, share: float) -> None:
        """Share out what is left among the tokens of this place.

        ``before`` is what a token must begin with to hold a digit in the same place, ``so_far`` the digits before it.
        """
        piece = self._pieces[index]
        goes_on = 0.0
        for text, probability in _choices(piece).items():
            digits = _DIGITS.match(text, len(before)) if text.startswith(before) else None
            if digits is None:
                continue
            goes_on += probability
            number, part = so_far + digits[0], share * probability
            if digits.end() < len(text) or not self._can_go_on(number):
                self._add(number, part)
            elif text == piece.text and index + 1 < len(self._pieces):
                self.spread(index + 1, "", number, part)
            elif text == piece.text or self._merged:
                self._add(number, part)
            else:
                self._unknown += part
        if so_far:
            self._add(so_far, share * max(0.0, 1 - goes_on))

    def mean(self) -> float | None:
        """Over grades on the scale; None where nothing is known of them, or too little."""
        total = math.fsum(self._found.values())
        if total <= 0:
            return None
        width = self._scale.highest - self._scale.lowest
        if self._unknown / (total + self._unknown) * width > MOST_UNKNOWN:
            return None
        return math.fsum(grade * share for grade, share in self._found.items()) / total

    def _add(self, number: str, share: float) -> None:
        grade = int(number)
        if self._scale.lowest <= grade <= self._scale.highest:
            self._found[grade] = self._found.get(grade, 0.0) + share

    def _can_go_on(self, number: str) -> bool:
        """Whether a grade on the scale begins with these digits and has more of them."""
        first, last = int(number), int(number) + 1
        while first and first * 10 <= self._scale.highest:
            first, last = first * 10, last * 10
            if last - 1 >= self._scale.lowest:
                return True
        return False


def _choices(piece: Piece) -> dict[str, float]:
    """The probability of each token that could have stood there, of the one that does too."""
    return {text: math.exp(min(logprob, 0.0)) for text, logprob in (*piece.alternatives, (piece.text, piece.logprob))}
