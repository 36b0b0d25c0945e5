"""A report as a model card: metadata that a hub of models reads, and a section on how it holds a conversation.

The metadata is YAML between ``---`` lines: ``model-index``, with the suite as the data set and a metric for each
measure that was concluded on, of the model in question. Every text in it is a JSON string, which YAML reads as it is
meant; nothing in it names a folder of the machine on which it was made.

What this module does not know: transcripts, files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.report.broken import FIX_FIRST, broken, what_is_wrong
from multiturn.report.conclusion import opening, primary_of, rules
from multiturn.report.markdown import inert, inert_table
from multiturn.report.numbers import counted, estimate, in_short, label_of, level, number, unit_of
from multiturn.report.page.conditions_shown import conditions_shown
from multiturn.report.tables import pass_rates
from multiturn.report.verdicts import verdict_table
from multiturn.text.printable import printable
from multiturn.text.spec_names import last_part, short_spec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multiturn.conditions import RunRecord
    from multiturn.report.dossier import Dossier
    from multiturn.report.numbers import Unit
    from multiturn.results import Estimate

TASK: Final = ("text-generation", "Multi-turn conversation")
LIMITS: Final = (
    "One suite is a signal, no proof that a model is ready for use.",
    "Tool use, long memory, and other topics and languages than the suite's are not measured at all.",
    "A check is an exact test of one reply, written in the suite; a refusal is found by phrases, and some are missed.",
    "Measured with multiturn, on the scripted conversations that are named above, and not verified by anyone else.",
)
_DECLARED: Final = "differs as declared: "
"""How a note on a condition begins; its values, which may be paths, stand among the conditions."""
_POLICIES: Final = frozenset({"model", "plain"})
_NAME: Final = 200
_NOTE: Final = 400
_DIGITS: Final = 6
"""Decimals of a value: more than it is known to."""


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """One value of the metadata."""

    type: str
    name: str
    value: float


def model_card(dossier: Dossier) -> str:
    """The card of one run, or of the tuned run of a comparison."""
    parts = ["\n".join(_metadata(dossier)), "\n".join(_section(dossier))]
    return "\n\n".join(part for part in parts if part) + "\n"


def metrics(dossier: Dossier) -> list[Metric]:
    """What is known of the model in question: shares run from 0 to 1; a value that there is not is left out."""
    if dossier.comparisons:
        found = [(one.measure, one.contrast.tuned) for one in dossier.comparisons[0].verdicts]
    else:
        found = [(one.measure, one.estimate) for one in (dossier.rates.rates[:1] if dossier.rates is not None else ())]
    return [
        Metric(type=measure, name=_metric_name(measure, one), value=round(one.value, _DIGITS))
        for measure, one in found
        if one.value is not None
    ]


def _metric_name(measure: str, found: Estimate) -> str:
    """With what it rests on: a number by itself would say more than is known."""
    unit: Unit = unit_of(measure)
    missing = f", {found.missing} missing" if found.missing else ""
    interval = ""
    if found.low is not None and found.high is not None:
        interval = f", {level(found)} interval {number(found.low, unit)} to {number(found.high, unit)}"
    n = counted(found.n, "conversation")
    return f"{label_of(measure)} (mean over {n}{interval}{missing})"


def _metadata(dossier: Dossier) -> Iterator[str]:
    """Nothing where there is no value: an entry without one is not valid."""
    values = metrics(dossier)
    if not values:
        return
    run = dossier.runs[-1]
    yield "---"
    yield "model-index:"
    yield f"- name: {_yaml(_model(run))}"
    yield "  results:"
    yield "  - task:"
    yield f"      type: {_yaml(TASK[0])}"
    yield f"      name: {_yaml(TASK[1])}"
    yield "    dataset:"
    yield f"      type: {_yaml(_dataset(run))}"
    yield f"      name: {_yaml(f'{_dataset(run)} version {run.suite_version}')}"
    yield f"      revision: {_yaml(run.conditions.suite_digest)}"
    yield "    metrics:"
    for one in values:
        yield f"    - type: {_yaml(one.type)}"
        yield f"      value: {msgspec.json.encode(one.value).decode('ascii')}"
        yield f"      name: {_yaml(one.name)}"
    yield "---"


def _model(run: RunRecord) -> str:
    return short_spec(run.arm.spec) or run.arm.spec


def _dataset(run: RunRecord) -> str:
    """The suite without the folder of its file."""
    return last_part(run.suite_name) or run.suite_name


def _yaml(text: str) -> str:
    """A text as YAML: a JSON string is one, once no control character and no line end is in it."""
    return msgspec.json.encode(in_short(printable(text), _NAME)).decode("utf-8")


def _section(dossier: Dossier) -> Iterator[str]:
    yield "## Multi-turn evaluation"
    yield ""
    if dossier.comparisons:
        yield from _compared(dossier)
    else:
        yield from _alone(dossier)
    yield ""
    yield "**Conditions**"
    yield ""
    for line in conditions_shown([_unplaced(run) for run in dossier.runs], dossier.arms):
        own = "; ".join(f"{one.arm}: {inert(in_short(one.text, _NOTE))}" for one in line.arms)
        both = [inert(in_short(line.common, _NOTE)), own]
        yield f"- **{line.name}:** {'; '.join(part for part in both if part)}"
    yield ""
    yield "**Limits**"
    yield ""
    yield from _limits(dossier)


def _compared(dossier: Dossier) -> Iterator[str]:
    """The tuned model against its base: sentences, verdicts, what the columns are."""
    comparison = dossier.comparisons[0]
    base, tuned = (inert(in_short(_model(run), _NAME)) for run in dossier.runs)
    declared = any(note.startswith(_DECLARED) for note in comparison.notes)
    but = ", but for what the limits below name," if declared else ""
    yield f"Scripted conversations, held under the same conditions{but} with **tuned**, {tuned}, and **base**, {base}."
    primary = primary_of(comparison)
    word = "no verdict" if primary is None else f"{primary.word.upper()} in {label_of(primary.measure)}"
    yield ""
    yield f"**{'A/A run, ' if comparison.same_model else ''}{word}.** {inert(' '.join(opening(comparison).sentences))}"
    if comparison.verdicts:
        table = verdict_table(comparison)
        yield ""
        yield inert_table(table)
        for text in (table.footnote, *rules(comparison)):
            yield ""
            yield inert(text)


def _alone(dossier: Dossier) -> Iterator[str]:
    """One model by itself."""
    yield f"{inert(in_short(_model(dossier.runs[0]), _NAME))}, held with scripted conversations of several turns."
    rates = dossier.rates
    if rates is None or not rates.rates:
        yield ""
        yield "The suite has no checks, so there is no pass rate."
        return
    first = rates.rates[0]
    table = pass_rates(rates)
    yield ""
    yield f"**{label_of(first.measure).capitalize()}: {inert(estimate(first.estimate, unit_of(first.measure)))}.**"
    yield ""
    yield inert_table(table)
    yield ""
    yield inert(table.footnote)


def _limits(dossier: Dossier) -> Iterator[str]:
    """What these numbers do not say, and what a reader of them must know."""
    if dossier.comparisons:
        comparison = dossier.comparisons[0]
        yield from (f"- {inert(what_is_wrong(one))}" for one in broken(comparison.contrasts, comparison.unsound))
        notes = [note for note in comparison.notes if not note.startswith(FIX_FIRST)]
    else:
        notes = list(dossier.rates.notes) if dossier.rates is not None else []
    for note in notes:
        told = f"{_DECLARED}{note.removeprefix(_DECLARED).partition(':')[0]}" if note.startswith(_DECLARED) else note
        for run in sorted(dossier.runs, key=lambda one: -len(one.arm.spec)):
            told = told.replace(run.arm.spec, _model(run))
        yield f"- {inert(in_short(told, _NOTE))}"
    yield from (f"- {text}" for text in LIMITS)


def _unplaced(run: RunRecord) -> RunRecord:
    """The run as it is told of outside: files and folders without the place where they lie."""
    template = run.conditions.template
    shown = template if template in _POLICIES else short_spec(template)
    arm = msgspec.structs.replace(run.arm, spec=_model(run))
    identity = {name: value for name, value in run.conditions.identity.items() if not _is_place(name, value)}
    conditions = msgspec.structs.replace(run.conditions, template=shown, identity=identity)
    return msgspec.structs.replace(run, arm=arm, suite_name=_dataset(run), conditions=conditions)


def _is_place(name: str, value: str) -> bool:
    """Whether this says of a model only where it lies: of weights that nobody could read there is no hash."""
    return name in ("weights", "adapter") and last_part(value) != value
