"""What a notebook shows of a comparison, a transcript and a run: a piece of HTML each, without a script.

It has its own style, whose colours are made of the notebook's text colour, so that it is at home in a light notebook
and in a dark one; where a notebook takes the style away, headings, tables and lists are still what they are.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.conversation import MAX_ID_LENGTH, Conversation, Turn
from multiturn.finding import Assessed
from multiturn.report.broken import FIX_FIRST
from multiturn.report.conclusion import sentences
from multiturn.report.numbers import in_short
from multiturn.report.page.conditions_shown import conditions_shown
from multiturn.report.page.sheet import sheet
from multiturn.report.page.shown import ShownArm, Told
from multiturn.report.page.templates import render
from multiturn.report.tables import flipped_checks, most_changed
from multiturn.report.verdicts import verdict_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multiturn.conditions import RunRecord
    from multiturn.results import Comparison
    from multiturn.transcript import Transcript

ARM: Final = "model"
"""What the one arm of a transcript or run is called."""
NAMELESS: Final = "(no id)"
UNSAID: Final = "(nothing)"
"""What stands where there is no text."""


class Line(msgspec.Struct, frozen=True):
    """Something to know, and its name."""

    name: str
    text: str


def comparison_html(comparison: Comparison, more: Sequence[Line] = ()) -> str:
    """What it comes to, what is to be fixed first, the verdicts, the most changed conversations with reasons, notes.

    ``more`` stands below the first sentence.
    """
    first, *others = sentences(comparison)
    changed = most_changed(comparison)
    ids = [comparison.base_run, comparison.tuned_run, *(one.conversation for one in comparison.changes[:1])]
    return render(
        "notebook_comparison.html.j2",
        first=first,
        others=others,
        wrong=[note.removeprefix(FIX_FIRST) for note in comparison.notes if note.startswith(FIX_FIRST)],
        notes=[note for note in comparison.notes if not note.startswith(FIX_FIRST)],
        verdicts=verdict_table(comparison),
        changed=changed,
        command=shlex.join(["multiturn", "diff", *ids]),
        flips=flipped_checks(comparison),
        more=more,
    )


def transcript_html(transcript: Transcript) -> str:
    """A conversation turn by turn, with what is known without measuring: how each turn ended, its flags, prompts."""
    return assessed_html(Assessed(transcript, ()))


def assessed_html(assessed: Assessed) -> str:
    """The same with refusals, signals and what the checks say."""
    transcript = assessed.transcript
    conversation = _as_held(transcript)
    if conversation is None:
        return render("notebook_transcript.html.j2", name=transcript.session.conversation, sheet="")
    arm = ShownArm(name=ARM, label="", run="")
    told = Told(conversation=conversation, samples=((assessed,),))
    return render("notebook_transcript.html.j2", name="", sheet=sheet(told, [arm]))


def _as_held(transcript: Transcript) -> Conversation | None:
    """The conversation as far as the transcript knows it; None where it has no turn."""
    users = {record.turn: record.user for record in transcript.turns if record.user.strip()}
    if not transcript.turns:
        return None
    sample = transcript.session.sample
    name = transcript.session.conversation + (f" (sample {sample + 1})" if sample else "")
    turns = max(record.turn for record in transcript.turns) + 1
    return Conversation(
        id=in_short(name, MAX_ID_LENGTH) or NAMELESS,
        turns=tuple(Turn(text=users.get(turn, UNSAID)) for turn in range(turns)),
    )


def run_html(run: RunRecord, more: Sequence[Line] = ()) -> str:
    """What was held and how, a line each, and how to read it. ``more`` stands before the last."""
    arm = ShownArm(name=ARM, label=run.arm.spec, run=run.id)
    lines = [Line(one.name, one.common) for one in conditions_shown([run], [arm])]
    command = shlex.join(["multiturn", "show", run.id])
    return render("notebook_run.html.j2", run=run, lines=[*lines, *more], command=command)
