"""The table of kinds: a name in a suite file -> the kind. A user's own kind is named ``package.module:Name``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from multiturn.checks import (
    edges,
    facts,
    forms,
    json_check,
    lengths,
    manner,
    number_check,
    patterns,
    quoting,
    speech,
    together,
    words,
)
from multiturn.checks.base import Kind

KINDS: Final[Mapping[str, type[Kind]]] = {
    "says": words.Says,
    "does_not_say": words.DoesNotSay,
    "recalls": facts.Recalls,
    "chooses": facts.Chooses,
    "quotes": quoting.Quotes,
    "keeps": facts.Keeps,
    "starts_with": edges.StartsWith,
    "ends_with": edges.EndsWith,
    "regex": patterns.Regex,
    "number": number_check.GivesNumber,
    "count": lengths.Count,
    "one_sentence": lengths.OneSentence,
    "shorter": lengths.Shorter,
    "longer": lengths.Longer,
    "json": json_check.IsJson,
    "code_block": forms.HasCodeBlock,
    "table": forms.HasTable,
    "list": forms.HasList,
    "no_markdown": forms.NoMarkdown,
    "language": manner.Language,
    "script": manner.Script,
    "register": manner.Register,
    "polarity": speech.SaysYesOrNo,
    "asks_question": speech.AsksQuestion,
    "refusal": speech.Refusal,
    "not_refusal": speech.NotRefusal,
    "all_of": together.AllOf,
    "any_of": together.AnyOf,
    "not": together.Not,
}
"""Every kind that comes with multiturn, in the order of ``docs/checks.md``."""
