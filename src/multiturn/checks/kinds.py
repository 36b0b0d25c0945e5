"""The table of kinds: a name in a suite file -> the kind. A user's own kind is named ``package.module:Name``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from multiturn.checks import manner, number_check, together, words
from multiturn.checks.base import Kind

KINDS: Final[Mapping[str, type[Kind]]] = {
    "says": words.Says,
    "does_not_say": words.DoesNotSay,
    "number": number_check.GivesNumber,
    "language": manner.Language,
    "script": manner.Script,
    "register": manner.Register,
    "all_of": together.AllOf,
    "any_of": together.AnyOf,
    "not": together.Not,
}
"""Every kind that comes with multiturn, in the order of ``docs/checks.md``."""
