"""Kinds about what was said before: recalls, chooses, keeps."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final, Literal

from multiturn.checks.back import Back, back_in_words, require_back, turns_back
from multiturn.checks.base import Kind, Look, failed, inapplicable, passed
from multiturn.checks.kept import Particular, name_particulars, number_particulars, values_in
from multiturn.checks.matching import Variants, as_variants, first_of_each, listed
from multiturn.checks.part import Part, whole
from multiturn.checks.words import Phrases, require_phrases, require_variants
from multiturn.conversation import require
from multiturn.finding import CheckResult, Span

_PASSED_OVER: Final = re.compile(
    r"(?:\b(?:over|than|beats?|als|чем)"
    r"|\bprefer\w{0,3}\b[^.!?;:,\n]{1,40}(?<! go)(?<!going)(?<!visit)(?<!trip)(?<!tour)(?<!stick)(?<!sticking)\sto"
    r"|\b(?:mejor|prefier[eo]|plutot|mieux|vaut)\b[^.!?;:,\n]{0,40}\bque)"
    r"\s(?:ins? |im |am |zu[mr] |to |at |for |on )?"
    r"(?:the |a |an |das |die |den |der |dem |el |la |le |les |los |las |l')?\Z"
    r"|比\Z"
)
_PASSED_BEHIND: Final = "より"
_NEAR: Final = 60
_MOST_TOLD: Final = 5
_ROUNDING: Final = 1e-9


class Recalls(Kind, frozen=True, tag="recalls"):
    """Gives each fact, in one of its variants, and none of the distractors."""

    facts: tuple[str | Phrases, ...]
    distractors: Phrases = ()
    unless_negated: bool = False

    def __post_init__(self) -> None:
        require(bool(self.facts), "facts is empty: what the user gave")
        require_variants(self.facts, "facts")
        require_phrases(self.distractors, "distractors")
        require(bool(self.distractors) or not self.unless_negated, "unless_negated is for distractors; there are none")

    def wants(self) -> str:
        """The facts and the distractors, in words."""
        without = f", not {listed(self.distractors)}" if self.distractors else ""
        return f"recalls {' and '.join(listed(as_variants(fact)) for fact in self.facts)}{without}"

    def phrases(self) -> Phrases:
        """Those of the facts, then the distractors."""
        return (*(phrase for fact in self.facts for phrase in as_variants(fact)), *self.distractors)

    def decide(self, look: Look) -> CheckResult:
        """A distractor is the span, else the first fact."""
        spans = [Variants(as_variants(fact)).find(look.part) for fact in self.facts]
        missing = [listed(as_variants(fact)) for fact, span in zip(self.facts, spans, strict=True) if span is None]
        wrong = Variants(self.distractors).find(look.part, unless_negated=self.unless_negated)
        faults = [f"does not give {' and '.join(missing)}"] if missing else []
        faults += [f"says {wrong.text!r}"] if wrong is not None else []
        if faults:
            return failed(" and ".join(faults), wrong)
        return passed(self.wants(), spans[0])


class Chooses(Kind, frozen=True, tag="chooses"):
    """Names exactly one of the options: any, the right one, or the one that an earlier reply chose."""

    options: tuple[str | Phrases, ...]
    is_: int | None = None
    back: int | None = None

    def __post_init__(self) -> None:
        require(len(self.options) > 1, "options needs two or more")
        require_variants(self.options, "options")
        every = [phrase.casefold() for phrase in self.phrases()]
        twice = next((phrase for phrase in every if every.count(phrase) > 1), "")
        require(not twice, f"options: {twice!r} stands for two of them, or twice for one")
        require(self.is_ is None or self.back is None, "is and back exclude each other")
        if self.is_ is not None:
            last = len(self.options) - 1
            require(0 <= self.is_ <= last, f"is must be from 0 to {last}: the place of the right one in options")
        if self.back is not None:
            require_back(self.back)

    def wants(self) -> str:
        """The option, in words."""
        if self.is_ is not None:
            return f"chooses {self._name(self.is_)}"
        names = ", ".join(self._name(index) for index in range(len(self.options)))
        return f"chooses one of {names}" + (f", as {back_in_words(self.back)}" if self.back is not None else "")

    def phrases(self) -> Phrases:
        """Those of all options."""
        return tuple(phrase for option in self.options for phrase in as_variants(option))

    def longest_back(self) -> int:
        """To the reply whose choice must be the same."""
        return self.back or 0

    def decide(self, look: Look) -> CheckResult:
        """What is named decides; the span is the option that is wrong, or one too many, or right."""
        named = self._named(look.part)
        if not named:
            return failed(f"names none of {', '.join(map(self._name, range(len(self.options))))}")
        if len(named) > 1:
            told = " and ".join(self._name(index) for index, _ in named)
            return failed(f"names more than one: {told}", named[1][1])
        right = self.is_
        if self.back is not None:
            reply = look.reply_then(self.back)
            if reply is None:
                return inapplicable(f"there is no reply of {back_in_words(self.back)}")
            then = self._named(whole(reply))
            if not then:
                return failed(f"the reply of {back_in_words(self.back)} named none of them, so there is no same choice")
            right = then[0][0]
        index, span = named[0]
        if right is not None and index != right:
            return failed(f"chooses {self._name(index)}, not {self._name(right)}", span)
        return passed(f"chooses {self._name(index)}", span)

    def _name(self, index: int) -> str:
        return repr(as_variants(self.options[index])[0])

    def _named(self, part: Part) -> list[tuple[int, Span]]:
        """The options that the part names and does not deny or pass over, in the order of their first places."""
        return first_of_each(part, tuple(map(as_variants, self.options)), _is_passed_over)


class Keeps(Kind, frozen=True, tag="keeps"):
    """Still has the numbers and the names of what the user said in earlier turns."""

    back: Back
    what: tuple[Literal["numbers", "names"], ...] = ("numbers", "names")
    except_: Phrases = ()
    share: float = 1.0

    def __post_init__(self) -> None:
        require_back(self.back)
        require(bool(self.what), "what is empty; numbers, names or both")
        require_phrases(self.except_, "except")
        require(0 < self.share <= 1, "share must be above 0 and at most 1")

    def wants(self) -> str:
        """What is kept of which turns."""
        turns = " and ".join(back_in_words(back) for back in turns_back(self.back))
        part = f"{self.share:.0%} of " if self.share < 1 else ""
        return f"keeps {part}the {' and '.join(self.what)} that the user gave {turns}"

    def longest_back(self) -> int:
        """To the furthest of the user's turns."""
        return max(turns_back(self.back))

    def decide(self, look: Look) -> CheckResult:
        """What the reply is without stands in the reason; there is no span."""
        said = [look.user_then(back) for back in turns_back(self.back)]
        given = {one.text: one for text in said if text is not None for one in self._given(text)}
        if not given:
            return inapplicable(f"the user gave no {' or '.join(self.what)} then")
        values = values_in(look.part.text)
        missing = [one.text for one in given.values() if not one.stands_in(look.part, values)]
        kept = len(given) - len(missing)
        if kept < math.ceil(self.share * len(given) - _ROUNDING):
            more = f" and {len(missing) - _MOST_TOLD} more" if len(missing) > _MOST_TOLD else ""
            return failed(f"keeps {kept} of {len(given)}, without {', '.join(map(repr, missing[:_MOST_TOLD]))}{more}")
        return passed(f"keeps {kept} of {len(given)}")

    def _given(self, text: str) -> Iterator[Particular]:
        """What must be kept of this text."""
        numbers = number_particulars(text) if "numbers" in self.what else ()
        names = name_particulars(text) if "names" in self.what else ()
        for one in (*numbers, *names):
            if not self.except_ or Variants(self.except_).find(whole(one.text)) is None:
                yield one


def _is_passed_over(text: str, start: int, end: int) -> bool:
    """Whether another is preferred to what stands there: "rather A than B", "A over B"."""
    return _PASSED_OVER.search(text[max(0, start - _NEAR) : start]) is not None or text.startswith(_PASSED_BEHIND, end)
