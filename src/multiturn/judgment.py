"""What a judge is asked and what it says: questions, judgments, and the judge that gave them. Pure values.

Absence is a type: a verdict that can't be read is ``Unreadable``, a judge that could not be asked is ``Failed``, and
neither is ever a number, a tie or a loss.
"""

from __future__ import annotations

import hashlib
import math
from typing import Final, Literal

import msgspec

from multiturn.conversation import Conversation, require
from multiturn.errors import FailureKind
from multiturn.rubric import Mode, Rubric
from multiturn.transcript import Sampling, Transcript

Seat = Literal["first", "second"]
"""Where the replies of a run are shown when two are compared."""

Winner = Literal["first", "second", "tie"]

UnreadableKind = Literal["empty", "no_verdict", "out_of_range", "truncated", "refused", "ambiguous"]
"""Why no verdict can be read: the judge said nothing; no verdict is in what it said; a grade off the scale; cut off at
the limit; it declined to judge; more than one verdict."""

UNREADABLE: Final[tuple[UnreadableKind, ...]] = (
    "empty",
    "no_verdict",
    "out_of_range",
    "truncated",
    "refused",
    "ambiguous",
)


class Rating(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="is", tag="rating"):
    """A judge's grade of one reply, on the rubric's scale.

    ``value`` is the overall grade, ``criteria`` are the others by name. ``weighted`` is the mean of the grades that the
    judge could have written, weighted by their probabilities; None where the engine does not tell them.
    """

    value: float
    criteria: dict[str, float] = {}
    weighted: float | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        grades = [self.value, *self.criteria.values()] + ([] if self.weighted is None else [self.weighted])
        require(all(math.isfinite(grade) for grade in grades), "a grade must be finite")


class Preference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="is", tag="preference"):
    """Which of two replies a judge prefers, by the seats it saw them in."""

    winner: Winner
    reason: str = ""


class Label(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="is", tag="label"):
    """A judge's word for one reply, of those that its rubric allows."""

    name: str
    reason: str = ""


class Unreadable(msgspec.Struct, frozen=True, kw_only=True, tag_field="is", tag="unreadable"):
    """The judge answered, and no verdict can be read from it. ``fault`` says what is wrong, as one would tell it."""

    kind: UnreadableKind
    fault: str


class Failed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="is", tag="failed"):
    """The judge could not be asked, or not everything fitted into its context window (``overflow``).

    ``window`` is the judge's own then, in tokens; None where nobody told it, and for what is no overflow.
    """

    kind: FailureKind | Literal["overflow"]
    message: str
    window: int | None = None


Judgment = Rating | Preference | Label | Unreadable | Failed
READ: Final = (Rating, Preference, Label)
"""The judgments that say something."""


class Question(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that a judge is asked.

    ``run`` is whose reply is judged: at ``turn`` (from 0), or None for the conversation as a whole. ``opponent`` is the
    run that its replies are compared with, at the same conversation and sample; ``seat`` is where ``run``'s are shown
    then. ``repeat`` (from 0) counts how often the same is asked, each time independently.
    """

    mode: Mode
    run: str
    conversation: str
    sample: int = 0
    turn: int | None = None
    opponent: str = ""
    seat: Seat = "first"
    repeat: int = 0

    def __post_init__(self) -> None:
        require((self.mode == "preference") == bool(self.opponent), "an opponent goes with mode preference")
        require(self.mode == "preference" or self.turn is not None, "only a preference is of the whole conversation")
        require(self.turn is None or self.turn >= 0, "turn must be 0 or more")
        require(self.sample >= 0 and self.repeat >= 0, "sample and repeat must be 0 or more")
        require(self.seat == "first" or bool(self.opponent), "a seat goes with an opponent")


class Exhibit(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge is shown: the conversation as the suite has it, and as one run, or two, held it.

    ``opponent`` is there where two are compared.
    """

    conversation: Conversation
    transcript: Transcript
    opponent: Transcript | None = None


class JudgeRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A judge as it is asked: a model with a rubric, under fixed conditions.

    ``created`` is ISO 8601 in UTC. ``sampling`` is None for one whose judgments were imported. ``schema`` says that its
    replies are bound to a JSON schema; ``goldens`` that it is shown the suite's golden replies. ``identity`` is the
    engine's (:class:`multiturn.facts.Facts`).
    """

    created: str
    spec: str
    rubric: Rubric
    sampling: Sampling | None
    schema: bool
    goldens: bool
    identity: dict[str, str]
    versions: dict[str, str] = {}
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require(bool(self.spec.strip()), "the judge's model spec is empty")

    @property
    def id(self) -> str:
        """SHA-256, shortened to 16 digits, over what decides its judgments; the spec counts where it was imported."""
        plain = msgspec.convert(msgspec.to_builtins(self), JudgeRecord)  # a temperature of 0 is one of 0.0
        counts = [
            plain.rubric.digest,
            msgspec.to_builtins(plain.sampling),
            plain.schema,
            plain.goldens,
            plain.identity,
            plain.spec if plain.sampling is None else "",
        ]
        return hashlib.sha256(msgspec.json.encode(counts, order="sorted")).hexdigest()[:16]


class Judged(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A question with what a judge said to it.

    ``judge`` is the id of its :class:`JudgeRecord`. ``key`` is the SHA-256 of what was sent and of the conditions that
    it was sent under: equal keys are one question, whatever runs it stands in. ``text`` is what the judge wrote. Where
    it was asked again, ``first`` and ``first_text`` are what came of the first time. ``prompt`` is the prompt where it
    can't be made again (imported judgments); ``prompt_sha256`` is over what was sent. Token counts are of the last try
    and None where nobody tells; ``seconds`` is of both tries.
    """

    judge: str
    question: Question
    judgment: Judgment
    key: str = ""
    text: str = ""
    reasoning: str = ""
    first: Unreadable | None = None
    first_text: str = ""
    prompt: str = ""
    prompt_sha256: str = ""
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    new_tokens: int | None = None
    seconds: float | None = None

    @property
    def id(self) -> str:
        """SHA-256 over judge and question: a judge says one thing to one question."""
        return hashlib.sha256(msgspec.json.encode([self.judge, self.question])).hexdigest()

    def stands(self, window: int | None) -> bool:
        """Whether asking again is in vain: a judge that was gone may be back, a prompt too long for a window stays so.

        ``window`` is the judge's as it is now: by another one it is another question.
        """
        failed = self.judgment if isinstance(self.judgment, Failed) else None
        return failed is None or (failed.kind == "overflow" and failed.window == window)

    @property
    def said(self) -> str:
        """The judgment's kind in a word: ``rating``, ``preference``, ``label``, ``unreadable`` or ``failed``."""
        return str(type(self.judgment).__struct_config__.tag)
