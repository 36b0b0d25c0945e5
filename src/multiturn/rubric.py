"""What a judge is told to look at, and how its verdict is written: rubrics. Pure values, validated when made.

A rubric is one of two things. Ours has ``wording``: the conversation is shown between marks, the judged turn is named
after it, and any number of turns can be judged. One of FastChat's has ``templates``: whole prompts with places for the
question and the replies of one turn or two, which are filled to the byte.
"""

from __future__ import annotations

import hashlib
import math
import string
from collections.abc import Iterable, Iterator
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
        for name in self.__struct_fields__:  # 10 and 10.0 are written as two, and would make two rubrics of one
            msgspec.structs.force_setattr(self, name, float(getattr(self, name)))


class Described(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A criterion or a label: its name, as it stands in the verdict, and what it means to the judge."""

    name: str
    text: str

    def __post_init__(self) -> None:
        require(self.name.replace("_", "").isalnum(), f"name {self.name!r} must be letters, digits and _")
        require(bool(self.text.strip()), f"{self.name} has no text")


class Notes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said in place of a reply that is not there, or behind one that is not whole, by how its turn ended.

    Each is one sentence on what happened; a judge is told nothing else of it.
    """

    empty: str
    cut_off: str
    filtered: str
    overflowed: str
    failed: str
    not_reached: str

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            require(bool(getattr(self, name).strip()), f"{name} is empty")


class Wording(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The words of a prompt, in the rubric's language. Text in braces is a place; which ones each has, ``PLACES`` says.

    ``role`` is who the judge is and what counts, ``marks`` how to tell material from instructions. ``conversation``
    (only where two are compared), ``system``, ``user``, ``reply`` and ``golden`` head what is shown, ``end`` closes it,
    ``ask_turn`` and ``ask_whole`` name what is to be judged. ``criteria`` leads in the criteria or labels. ``as_json``
    and ``as_line`` say how the verdict is written where the engine binds replies to a schema and where it does not, and
    ``again`` asks once more with the fault named.
    """

    role: str
    criteria: str
    as_json: str
    as_line: str
    marks: str
    conversation: str = ""
    system: str
    user: str
    reply: str
    golden: str
    end: str
    ask_turn: str
    ask_whole: str = ""
    again: str
    notes: Notes

    def __post_init__(self) -> None:
        for name in PLACES:
            for fault in wording_faults(name, getattr(self, name)):
                raise ValueError(f"wording.{name}: {fault}")


_NONE: Final[frozenset[str]] = frozenset()
PLACES: Final[dict[str, tuple[frozenset[str], frozenset[str]]]] = {
    "role": (_NONE, _NONE),
    "criteria": (_NONE, frozenset({"lowest", "highest"})),
    "as_json": (_NONE, frozenset({"lowest", "highest", "labels"})),
    "as_line": (_NONE, frozenset({"lowest", "highest", "labels"})),
    "marks": (frozenset({"mark"}), _NONE),
    "conversation": (frozenset({"seat"}), _NONE),
    "system": (_NONE, _NONE),
    "user": (frozenset({"turn"}), _NONE),
    "reply": (frozenset({"turn"}), frozenset({"seat"})),
    "golden": (frozenset({"turn"}), _NONE),
    "end": (_NONE, _NONE),
    "ask_turn": (frozenset({"turn"}), frozenset({"turns"})),
    "ask_whole": (_NONE, frozenset({"turns"})),
    "again": (frozenset({"fault"}), _NONE),
}
"""Each wording's places: those that it must have, and those that it may have. ``turn`` counts from 1.

``seat`` is A or B. ``lowest`` and ``highest`` are the ends of a rating's scale, ``labels`` the names of the labels.
"""

MAY_BE_EMPTY: Final = frozenset({"conversation", "ask_whole"})
"""Wordings that only preferences need."""


def wording_faults(name: str, text: str) -> Iterator[str]:
    """What is wrong with the wording of this name."""
    if not text.strip():
        if name not in MAY_BE_EMPTY:
            yield "is empty"
        return
    try:
        found = places_in(text, "")
    except ValueError as error:
        yield str(error).removeprefix(": ")
        return
    needed, allowed = PLACES[name]
    if needed - found:
        yield f"lacks {_braced(needed - found)}"
    if unknown := found - needed - allowed:
        known = f"it may have {_braced(needed | allowed)}" if needed | allowed else "it has no places"
        yield f"has a place {_braced(unknown)} that nothing fills; {known}, and a brace is written twice: {{{{"


def _braced(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))


_TEMPLATE_PLACES: Final[dict[tuple[str, int], frozenset[str]]] = {
    ("rating", 1): frozenset({"question", "answer"}),
    ("rating", 2): frozenset({"question_1", "answer_1", "question_2", "answer_2"}),
    ("preference", 1): frozenset({"question", "answer_a", "answer_b"}),
    ("preference", 2): frozenset({"question_1", "answer_a_1", "answer_b_1", "question_2", "answer_a_2", "answer_b_2"}),
}
"""The places of FastChat's prompts, by what they ask for and how many turns they show."""


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

        for template in self.templates:
            fault = template_fault(self.mode, template)
            require(not fault, f"template {template.name}{fault}")
        shapes = [(template.turns, template.reference) for template in self.templates]
        require(len(set(shapes)) == len(shapes), "two templates are for the same turns and reference")
        if self.wording is not None:
            for fault in misfits(self.mode, self.wording):
                raise ValueError(fault)

    @property
    def digest(self) -> str:
        """SHA-256 over all that decides what a judge is asked; two rubrics of one digest are one.

        The description decides nothing.
        """
        decides = {name: getattr(self, name) for name in self.__struct_fields__ if name != "description"}
        return hashlib.sha256(msgspec.json.encode(decides)).hexdigest()


_OF_MODE: Final[dict[Mode, frozenset[str]]] = {
    "rating": frozenset({"lowest", "highest"}),
    "preference": _NONE,
    "label": frozenset({"labels"}),
}
"""The places that only rubrics of a mode can fill."""


def misfits(mode: Mode, wording: Wording) -> Iterator[str]:
    """What a wording, right by itself, lacks for this mode or has too much."""
    for name in ("criteria", "as_json", "as_line"):
        strange = places_in(getattr(wording, name), name) - _OF_MODE[mode]
        if strange:
            yield f"wording.{name}: has a place {_braced(strange)}, which mode {mode} does not fill"
    if mode == "preference":
        for name in sorted(MAY_BE_EMPTY):
            if not getattr(wording, name).strip():
                yield f"wording.{name}: is needed where two are compared"
        if "seat" not in places_in(wording.reply, "reply"):
            yield "wording.reply: lacks {seat}, which two that are compared need"


def template_fault(mode: Mode, template: Template) -> str:
    """What keeps a template from being filled for this mode, to be read behind its name; "" where nothing does."""
    known = _TEMPLATE_PLACES.get((mode, template.turns))
    if known is None:
        return f" is for mode {mode} and {template.turns} turns; FastChat's are for ratings and preferences of 1 or 2"
    references = {f"ref_answer_{turn + 1}" for turn in range(template.turns)} if template.reference else set()
    unknown = places_in(template.prompt, f"template {template.name}") - known - references
    return f" has a place {_braced(unknown)} that nothing fills" if unknown else ""


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
