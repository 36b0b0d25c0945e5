"""What a notebook shows of each value that a Python user gets; ``multiturn.api`` puts it to use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.conditions import RunRecord
from multiturn.finding import Assessed
from multiturn.jobs import Compared, Held
from multiturn.report.notebook import Line, assessed_html, comparison_html, run_html, transcript_html
from multiturn.report.numbers import counted
from multiturn.results import Comparison
from multiturn.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multiturn.display import Show


def held_html(held: Held) -> str:
    """A run, how far it is, and whether it had to be held for that."""
    return run_html(held.run, [Line("Progress", ", ".join(_progress(held)))])


def _progress(held: Held) -> Iterator[str]:
    done = held.progress
    yield f"{done.turns_done} of {counted(done.turns, 'turn')}"
    yield f"{done.conversations_done} of {counted(done.conversations, 'conversation')}"
    if done.missing:
        yield f"{counted(done.missing, 'turn')} missing by no doing of the model"
    yield "it was in the store" if held.reused else f"{counted(done.replies, 'reply')} held now"


def compared_html(compared: Compared) -> str:
    """A comparison: of which runs, and the files that it was written to."""
    arms = (("base", compared.base.run), ("tuned", compared.tuned.run))
    files = (("page", compared.page), ("numbers and transcripts", compared.results))
    told = [Line(name, f"{run.arm.spec}, run {run.id}") for name, run in arms]
    told += [Line(name, str(path)) for name, path in files if path is not None]
    return comparison_html(compared.comparison, told)


SHOWS: Final[dict[type, Show]] = {
    Comparison: comparison_html,
    Transcript: transcript_html,
    Assessed: assessed_html,
    RunRecord: run_html,
    Held: held_html,
    Compared: compared_html,
}
