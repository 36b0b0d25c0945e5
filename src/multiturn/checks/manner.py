"""Kinds about language and manner: language, script, register.

None of them is *positive*: a reply about something else can be in the right language too.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import ClassVar, Final, Literal

from multiturn.checks.base import Kind, Look, failed, inapplicable, passed
from multiturn.checks.part import Part
from multiturn.checks.register_signs import Language as RegisterLanguage
from multiturn.checks.register_signs import Register as RegisterName
from multiturn.checks.register_signs import signs_of
from multiturn.conversation import require
from multiturn.finding import CheckResult, Span
from multiturn.text.language import (
    LANGUAGES,
    MIN_KANA_SHARE,
    MIN_LETTERS,
    READ,
    UNKNOWN,
    language,
    letters_by_script,
    scripts_of,
    without_code,
)

_ENOUGH_LETTERS: Final = 4
"""Fewer letters than this are in no script that could be told."""

_NEARLY_ALL: Final = 0.9
_GLIMPSE: Final = re.compile(r"[^\W\d_][^\n]{0,79}")


class Language(Kind, frozen=True, tag="language"):
    """Is in this language, or in one of these (ISO 639-1)."""

    is_: str | tuple[str, ...]

    positive: ClassVar[bool] = False

    def __post_init__(self) -> None:
        require(bool(self.is_), "is is empty: a language like 'de', or a list of them")
        for code in self._codes():
            require(code in LANGUAGES, f"is: {code!r} is no language known here; write two letters (ISO 639-1): 'de'")

    def wants(self) -> str:
        """The codes, in words."""
        return f"is in the language {_either(self._codes())}"

    def decide(self, look: Look) -> CheckResult:
        """The span is what the part in the wrong language begins with."""
        wanted = self._codes()
        found = language(look.part.text, wanted)
        if found in wanted:
            return passed(f"is in the language {found!r}")
        if found != UNKNOWN:
            return failed(f"is in the language {found!r}, not {_either(wanted)}", _glimpse(look.part))
        letters = letters_by_script(look.part.text)
        fitting = sum(letters[script] for code in wanted for script in scripts_of(code))
        if sum(letters.values()) >= _ENOUGH_LETTERS and not fitting:
            used = max(letters, key=lambda script: letters[script])
            return failed(f"is in {used} letters, which {_either(wanted)} is not written in", _glimpse(look.part))
        few = sum(letters.values()) < MIN_LETTERS
        return inapplicable(f"fewer than {MIN_LETTERS} letters: too short to tell" if few else "no language is clear")

    def _codes(self) -> tuple[str, ...]:
        return (self.is_,) if isinstance(self.is_, str) else self.is_


class Script(Kind, frozen=True, tag="script"):
    """Nearly all letters are of this script."""

    is_: Literal["latin", "cyrillic", "han", "kana", "hangul", "arabic", "greek", "hebrew", "devanagari", "thai"]

    positive: ClassVar[bool] = False

    def wants(self) -> str:
        """The script."""
        return f"is written in {self.is_}"

    def decide(self, look: Look) -> CheckResult:
        """At least nine letters of ten; the span is the first line with another one."""
        letters = letters_by_script(look.part.text)
        total = sum(letters.values())
        if total < _ENOUGH_LETTERS:
            return inapplicable(f"fewer than {_ENOUGH_LETTERS} letters: too short to tell")
        own = {self.is_}
        if self.is_ == "kana" and letters["kana"] >= MIN_KANA_SHARE * (letters["kana"] + letters["han"]):
            own.add("han")  # Japanese is written in both
        share = sum(letters[script] for script in own) / total
        told = f"{share:.0%} of the letters are {' and '.join(sorted(own, reverse=True))}"
        return passed(told) if share >= _NEARLY_ALL else failed(told, _glimpse(look.part, without=own))


class Register(Kind, frozen=True, tag="register"):
    """Addresses its reader formally, or informally, in this language."""

    is_: RegisterName
    language: RegisterLanguage = "en"

    positive: ClassVar[bool] = False

    def wants(self) -> str:
        """The register."""
        return f"is {self.is_}"

    def decide(self, look: Look) -> CheckResult:
        """The span is the first word that decides."""
        part = look.part
        signs = signs_of(part.text, self.language)
        formal = part.span(*signs.formal) if signs.formal else None
        informal = part.span(*signs.informal) if signs.informal else None
        if formal and informal:
            wrong = informal if self.is_ == "formal" else formal
            return failed(f"is both formal ({formal.text!r}) and informal ({informal.text!r})", wrong)
        found = formal or informal
        if found is None:
            return inapplicable("nothing in it is formal or informal")
        manner = "formal" if formal else "informal"
        told = f"is {manner}: {found.text!r}"
        return passed(told, found) if manner == self.is_ else failed(told, found)


def _either(codes: tuple[str, ...]) -> str:
    return " or ".join(map(repr, codes))


def _glimpse(part: Part, *, without: Collection[str] = ()) -> Span | None:
    """The first words of a part, or of its first line that has letters of other scripts than these; code aside."""
    text, start = without_code(part.text[:READ]), 0
    for line in text.split("\n") if without else ():
        if any(count for script, count in letters_by_script(line).items() if script not in without):
            break
        start += len(line) + 1
    found = _GLIMPSE.search(text, start) or _GLIMPSE.search(text)
    return part.span(*found.span()) if found else None
