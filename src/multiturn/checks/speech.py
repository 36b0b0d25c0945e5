"""Kinds about what the reply does towards the user: asks_question, polarity, refusal, not_refusal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final

from multiturn.checks.back import back_in_words
from multiturn.checks.base import Kind, Look, failed, inapplicable, passed
from multiturn.checks.matching import Variants, listed
from multiturn.checks.part import Part, whole
from multiturn.checks.polarity import YesOrNo, polarity_of
from multiturn.checks.structure import lines_of
from multiturn.checks.words import Phrases, require_phrases
from multiturn.conversation import require
from multiturn.finding import CheckResult, Span
from multiturn.text.fold import fold
from multiturn.text.own_voice import Reading, read
from multiturn.text.refusal import refusal

MAX_CHARACTERS: Final = 20_000
"""Only the last so many characters are searched for questions."""

_ASKS: Final = re.compile(r"(?:[?؟][!?؟]{0,5}|[すんのうたるい]か[なね]?[。!]?|[吗嗎][。!]?)[\s)\]\"'」』*_~]{0,9}\Z")
_I_SEE: Final = re.compile(r"(?:そうです|なるほど|かどう)か[。!\s]*\Z")
_OPENS_ANSWER: Final = re.compile(
    r"[\W_]*(?:what|why|how|who|where|when|which|was|warum|wieso|wie|wer|wo|wann|welche\w?|que|qu'|pourquoi|comment|qui|"
    r"quand|quel\w{0,3}|por que|como|quien|donde|cuando|cual|что|почему|зачем|как|кто|где|когда|какой|какая)\b"
    r"|[\W_]*(?:什么|為什麼|为什么|怎么|怎麼|谁|誰|なぜ|何|どうして)"
)
_TO_USER: Final = re.compile(
    r"\b(?:you|your|yours|u|du|dich|dir|dein\w{0,2}|ihr|euch|ihnen|sie|tu|te|toi|vous|votre|vos|tes|ton|ta|usted(?:es)?|"
    r"tienes|quieres|prefieres|puedes|necesitas|вы|вас|вам|ваш\w{0,2}|ты|тебя|тебе|тво\w{1,2})\b|[你您]|あなた|ご[一-鿿]|お[一-鿿]"
)
_BOLD_LINE: Final = re.compile(r"[ \t]*(\*\*|__)[^\n]*\1:?[ \t]*\Z")


class AsksQuestion(Kind, frozen=True, tag="asks_question"):
    """Asks the user something, in its own voice; ``about``: with one of these phrases in the question.

    What stands in quotation marks, code, headings and letters asks the user nothing, nor does a question that the text
    puts to itself ("Why? Because ..."): one with a question word and without "you" whose line goes on with no question.
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
        asked = list(_questions(look.part))
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
    """Declines, in full or in part."""

    guarded: ClassVar[bool] = False

    def wants(self) -> str:
        """Said in words."""
        return "declines"

    def decide(self, look: Look) -> CheckResult:
        """The span is what declines."""
        found = refusal(look.part.text)
        if found.span is None:
            return failed("does not decline")
        return passed(f"declines, in {_how_much(found.kind)}", look.part.span(found.span.start, found.span.end))


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
        return failed(f"declines, in {_how_much(found.kind)}", look.part.span(found.span.start, found.span.end))


def _how_much(kind: str) -> str:
    return "full" if kind == "full" else "part"


def _questions(part: Part) -> Iterator[Span]:
    """The questions that the text puts to the user, in order; of a very long one, those near its end."""
    skipped = max(0, len(part.text) - MAX_CHARACTERS)
    reading = read(_without_titles(part.text[skipped:]), ())
    for index, (start, end) in enumerate(reading.sentences):
        sentence = reading.plain[start:end]
        if _ASKS.search(sentence) and not _I_SEE.search(sentence) and not _is_own_answer(reading, index):
            found = reading.folded.span(start, end)
            yield part.span(skipped + found.start, skipped + found.end)


def _without_titles(text: str) -> str:
    """The text with its headings blanked, and the bold lines above other text that put no question to the user."""
    end = len(text.rstrip())
    pieces: list[str] = []
    done = 0
    for line in lines_of(text):
        written = text[line.start : line.end]
        title = line.end < end and _BOLD_LINE.match(written) is not None and not _TO_USER.search(fold(written))
        if line.kind == "heading" or title:
            pieces += [text[done : line.start], " " * len(written)]
            done = line.end
    return "".join([*pieces, text[done:]])


def _is_own_answer(reading: Reading, index: int) -> bool:
    """Whether the text asks in order to go on itself: "Why? Because ..."."""
    sentence = reading.sentence(index)
    if not _OPENS_ANSWER.match(sentence) or _TO_USER.search(sentence) or index + 1 >= len(reading.sentences):
        return False
    between = reading.plain[reading.sentences[index][1] : reading.sentences[index + 1][0]]
    return "\n" not in between and not _ASKS.search(reading.sentence(index + 1))
