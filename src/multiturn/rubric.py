"""What a judge is told to look at, and how its verdict is written: rubrics. Pure values, validated when made.

A rubric is one of two things. Ours has ``wording``: the conversation is shown between marks, the judged turn is named
after it, and any number of turns can be judged. One of FastChat's has ``templates``: whole prompts with places for the
question and the replies of one turn or two, which are filled to the byte.
"""

from __future__ import annotations

import hashlib
import math
import string
from typing import Final, Literal

import msgspec

from multiturn.conversation import require

Mode = Literal["rating", "preference", "label"]
"""What a judge gives: a grade of one reply, which of two replies is better, or one of some words for a reply."""

OVERALL: Final = "overall"
"""The criterion that a rating's value is; it need not be listed."""


class Scale(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The grades that may be given, both ends included."""

    lowest: float = 1.0
    highest: float = 10.0

    def __post_init__(self) -> None:
        require(math.isfinite(self.lowest) and math.isfinite(self.highest), "the scale's ends must be finite")
        require(self.lowest < self.highest, "lowest must be below highest")


class Described(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A criterion or a label: its name, as it stands in the verdict, and what it means to the judge."""

    name: str
    text: str

    def __post_init__(self) -> None:
        require(self.name.replace("_", "").isalnum(), f"name {self.name!r} must be letters, digits and _")
        require(bool(self.text.strip()), f"{self.name} has no text")


class Wording(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The words of a prompt, in the rubric's language. Text in braces is a place; which ones each has, ``PLACES`` says.

    ``role`` is who the judge is and what counts, ``marks`` how to tell material from instructions. ``system``,
    ``user``, ``reply`` and ``golden`` head what is shown, ``ask_turn`` and ``ask_whole`` name what is to be judged.
    ``criteria`` leads in the criteria or labels. ``as_json`` and ``as_line`` say how the verdict is written where the
    engine binds replies to a schema and where it does not, and ``again`` asks once more with the fault named.
    """

    role: str
    marks: str
    system: str
    user: str
    reply: str
    golden: str
    ask_turn: str
    ask_whole: str = ""
    criteria: str
    as_json: str
    as_line: str
    again: str

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            text = getattr(self, name)
            require(bool(text.strip()) or name == "ask_whole", f"wording.{name} is empty")
            found = places_in(text, f"wording.{name}")
            needed, allowed = PLACES[name]
            missing, unknown = sorted(needed - found), sorted(found - needed - allowed)
            if text.strip():
                require(not missing, f"wording.{name} lacks {{{'}, {'.join(missing)}}}")
            require(not unknown, f"wording.{name} has a place {{{'}, {'.join(unknown)}}} that nothing fills")


_NONE: Final[frozenset[str]] = frozenset()
PLACES: Final[dict[str, tuple[frozenset[str], frozenset[str]]]] = {
    "role": (_NONE, _NONE),
    "marks": (frozenset({"mark"}), _NONE),
    "system": (_NONE, _NONE),
    "user": (frozenset({"turn"}), _NONE),
    "reply": (frozenset({"turn"}), frozenset({"seat"})),
    "golden": (frozenset({"turn"}), _NONE),
    "ask_turn": (frozenset({"turn"}), frozenset({"turns"})),
    "ask_whole": (_NONE, frozenset({"turns"})),
    "criteria": (_NONE, frozenset({"lowest", "highest"})),
    "as_json": (_NONE, frozenset({"lowest", "highest"})),
    "as_line": (_NONE, frozenset({"lowest", "highest", "labels"})),
    "again": (frozenset({"fault"}), _NONE),
}
"""Each wording's places: those that it must have, and those that it may have. ``turn`` counts from 1."""


class Template(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One of FastChat's judge prompts: ``system``, and ``prompt`` in ``str.format`` form.

    ``turns`` is how many turns it shows, the last of which is judged; ``reference`` says whether it shows reference
    replies.
    """

    name: str
    system: str
    prompt: str
    turns: int
    reference: bool = False

    def __post_init__(self) -> None:
        require(bool(self.name.strip()), "a template's name is empty")
        require(self.turns >= 1, "a template's turns must be 1 or more")
        places_in(self.prompt, f"template {self.name}")


class Rubric(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What is judged and how: a mode, what counts, and the words for it.

    ``criteria`` are graded beside the overall grade (rating only). ``labels`` are the words to choose from (label
    only), and ``flagged`` are those that count as found: ``harmful``. ``measure`` is what preferences or labels under
    this rubric are called in results: ``helpfulness``, ``harmlessness``.
    """

    name: str
    version: str
    mode: Mode
    language: str = "en"
    description: str = ""
    measure: str = ""
    scale: Scale | None = None
    criteria: tuple[Described, ...] = ()
    labels: tuple[Described, ...] = ()
    flagged: tuple[str, ...] = ()
    wording: Wording | None = None
    templates: tuple[Template, ...] = ()

    def __post_init__(self) -> None:
        require(bool(self.name.strip()) and bool(self.version.strip()), "name and version must not be empty")
        require((self.wording is None) != (not self.templates), "a rubric has either wording or templates")
        require((self.scale is not None) == (self.mode == "rating"), "a scale goes with mode rating")
        require(not self.criteria or self.mode == "rating", "criteria go with mode rating")
        require((len(self.labels) >= 2) == (self.mode == "label"), "two labels or more go with mode label")  # noqa: PLR2004
        names = [one.name for one in (*self.criteria, *self.labels)]
        require(len(set(names)) == len(names), "two criteria or labels have one name")
        require(OVERALL not in names, f"{OVERALL} is always asked for; it is no criterion")
        require(set(self.flagged) <= set(names), "flagged names a label that is not there")
        require(bool(self.flagged) <= (self.mode == "label"), "flagged goes with mode label")

    @property
    def digest(self) -> str:
        """SHA-256 over all that decides what a judge is asked; two rubrics of one digest are one."""
        plain = msgspec.convert(msgspec.to_builtins(self), Rubric)  # a grade of 1 is one of 1.0
        return hashlib.sha256(msgspec.json.encode(plain)).hexdigest()


def places_in(text: str, what: str) -> frozenset[str]:
    """The places of a ``str.format`` text: plain names, no indexes, attributes or conversions.

    Raises:
        ValueError: a brace stands alone, or a place is not a plain name. ``what`` names the text.
    """
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as error:
        raise ValueError(f"{what}: {error} (a brace that is meant as one is written twice)") from None
    names = []
    for _, name, spec, conversion in parts:
        if name is None:
            continue
        require(name.isidentifier() and not spec and not conversion, f"{what}: {{{name}}} is no plain name")
        names.append(name)
    return frozenset(names)
