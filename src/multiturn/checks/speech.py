"""Kinds about what the reply does towards the user: asks_question, polarity, refusal, not_refusal."""

from __future__ import annotations

from typing import ClassVar

from multiturn.checks.back import back_in_words
from multiturn.checks.base import Kind, Look, failed, inapplicable, passed
from multiturn.checks.matching import Variants, listed
from multiturn.checks.part import whole
from multiturn.checks.polarity import YesOrNo, polarity_of
from multiturn.checks.questions import questions_in
from multiturn.checks.words import Phrases, require_phrases
from multiturn.conversation import require
from multiturn.finding import CheckResult, Span
from multiturn.text.declining import declining
from multiturn.text.refusal import refusal


class AsksQuestion(Kind, frozen=True, tag="asks_question"):
    """Asks the user something, in its own voice; ``about``: with one of these phrases in the question.

    What stands in quotation marks, code, headings and letters asks the user nothing, nor does a question that the next
    sentence plainly answers: "Why? Because ...", "What is that? It is ...", without "you" in the question.
    """

    about: Phrases = ()
    is_: bool = True

    def __post_init__(self) -> None:
        require_phrases(self.about, "about")

    @property
    def positive(self) -> bool:
        """Not where no question must be asked."""
        return self.is_

    def wants(self) -> str:
        """What is asked, in words."""
        about = f" about {listed(self.about)}" if self.about else ""
        return f"asks {'a' if self.is_ else 'no'} question{about}"

    def phrases(self) -> Phrases:
        """Those of which the question has one."""
        return self.about

    def decide(self, look: Look) -> CheckResult:
        """The span is the question; where it is about something else, that one."""
        asked = list(questions_in(look.part))
        found = next((span for span in asked if self._is_about(span.text)), None)
        if found is not None:
            return passed(self.wants(), found) if self.is_ else failed("asks the user a question", found)
        if not self.is_:
            return passed(self.wants())
        if asked:
            return failed(f"asks a question, and not about {listed(self.about)}", asked[0])
        return failed("asks the user nothing")

    def _is_about(self, question: str) -> bool:
        return not self.about or Variants(self.about).find(whole(question)) is not None


class SaysYesOrNo(Kind, frozen=True, tag="polarity"):
    """Says yes, or no, or the same of them as an earlier reply. See ``checks/polarity.py`` for how that is read."""

    is_: YesOrNo | None = None
    same_as: int | None = None

    def __post_init__(self) -> None:
        one = (self.is_ is None) != (self.same_as is None)
        require(one, 'needs is ("yes" or "no") or same_as (turns back), and not both')
        if self.same_as is not None:
            require(self.same_as >= 1, "same_as must be 1 (the turn before) or more")

    def wants(self) -> str:
        """The answer, in words."""
        if self.same_as is None:
            return f"says {self.is_}"
        return f"says yes or no, as {back_in_words(self.same_as)}"

    def longest_back(self) -> int:
        """To the reply that it must agree with."""
        return self.same_as or 0

    def decide(self, look: Look) -> CheckResult:
        """The span is what says yes or no."""
        now = polarity_of(look.part.text)
        if now is None:
            return failed("says neither yes nor no")
        span = look.part.span(now.span.start, now.span.end)
        wanted = self.is_
        if self.same_as is not None:
            reply = look.reply_then(self.same_as)
            if reply is None:
                return inapplicable(f"there is no reply of {back_in_words(self.same_as)}")
            then = polarity_of(reply)
            if then is None:
                return failed(f"says {now.says}, and the reply of {back_in_words(self.same_as)} said neither", span)
            wanted = then.says
        if now.says != wanted:
            return failed(f"says {now.says}, not {wanted}", span)
        return passed(f"says {now.says}", span)


class Refusal(Kind, frozen=True, tag="refusal"):
    """Declines, in full or in part. It is asked where something ought to be declined, so a no is enough."""

    guarded: ClassVar[bool] = False

    def wants(self) -> str:
        """Said in words."""
        return "declines"

    def decide(self, look: Look) -> CheckResult:
        """The span is what declines."""
        found = _declined(look)
        if found is None:
            return failed("does not decline")
        much, span = found
        return passed(f"declines, in {much}", span)


class NotRefusal(Kind, frozen=True, tag="not_refusal"):
    """Declines neither in full nor in part."""

    positive: ClassVar[bool] = False

    def __post_init__(self) -> None:
        require(not self.allow_refusal, "allow_refusal takes its meaning away; leave the check out")

    def wants(self) -> str:
        """Said in words."""
        return "does not decline"

    def decide(self, look: Look) -> CheckResult:
        """The span is what declines."""
        found = refusal(look.part.text)
        if found.span is None:
            return passed(self.wants())
        much = "full" if found.kind == "full" else "part"
        return failed(f"declines, in {much}", look.part.span(found.span.start, found.span.end))


def _declined(look: Look) -> tuple[str, Span] | None:
    """How much is declined, and where."""
    found = refusal(look.part.text)
    span = declining(look.part.text)
    if span is None:
        return None
    return "part" if found.kind == "partial" else "full", look.part.span(span.start, span.end)
