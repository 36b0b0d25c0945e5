"""A report as JUnit XML, which build servers read: a test for each verdict, and one for each conversation.

Of a comparison a verdict fails if it is *regressed* and is skipped, with the reason, if it is *inconclusive*; a
conversation fails if a check that base passes fails in tuned. One run by itself has no baseline: there a conversation
fails if any of its checks does. Either way a conversation is an error where turns are missing through no doing of the
model, and nothing fails; where only base lacks turns it is skipped, since nothing can be lost there. Numbers stand
in the properties of the suites of verdicts, in full.

Any text can stand in it: what XML 1.0 has no letters for is shown as in a terminal. What this module does not know:
how a verdict comes about, files.
"""

from __future__ import annotations

import shlex
from collections import Counter
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal
from xml.sax.saxutils import escape, quoteattr

import msgspec

from multiturn.finding import failing_means
from multiturn.report.conclusion import opening, primary_of
from multiturn.report.numbers import arms_of, counted, difference, in_short, label_of, unit_of
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from multiturn.conditions import RunRecord
    from multiturn.conversation import Conversation, Suite
    from multiturn.finding import Assessed
    from multiturn.report.dossier import Dossier
    from multiturn.results import Comparison, Flip, Verdict
    from multiturn.transcript import Transcript

Outcome = Literal["failure", "error", "skipped"]

QUOTED: Final = 300
"""Characters of what was said, or of a reason."""
MOST: Final = 20
"""Checks that are told of one conversation."""
_PLAIN: Final = str.maketrans({".": "_", " ": "_", "/": "_", "\\": "_"})
"""What builds take for the parts of a class's name."""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One test. ``outcome`` is None where it passes; ``seconds`` is how long its replies took."""

    classname: str
    name: str
    seconds: float = 0.0
    outcome: Outcome | None = None
    kind: str = ""
    message: str = ""
    text: str = ""
    out: str = ""


def junit(
    dossier: Dossier, suite: Suite, transcripts: Sequence[Iterable[Assessed]], base: Iterable[Transcript]
) -> Iterator[str]:
    """The file, piece by piece.

    Args:
        dossier: The runs and what was concluded.
        suite: What they were held with.
        transcripts: Of one run its own; of more, those of each run but the first, in order.
        base: Of more than one run, those of the first; of one, none.
    """
    suites = list(_suites(dossier, suite, transcripts, base))
    total = _counts([case for *_, cases in suites for case in cases])
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="multiturn"{_attributes(total)}>\n'
    for at, (name, run, found, cases) in enumerate(suites):
        about = {"id": str(at), "package": "multiturn", "hostname": "localhost", "timestamp": run.created[:19]}
        yield f"<testsuite name={_quoted(name)}{_attributes(_counts(cases) | about)}>\n"
        if found:
            yield "<properties>\n"
            yield from (f"<property name={_quoted(key)} value={_quoted(value)}/>\n" for key, value in found.items())
            yield "</properties>\n"
        yield from map(_case, cases)
        yield "</testsuite>\n"
    yield "</testsuites>\n"


def _suites(
    dossier: Dossier, suite: Suite, transcripts: Sequence[Iterable[Assessed]], base: Iterable[Transcript]
) -> Iterator[tuple[str, RunRecord, dict[str, str], list[Case]]]:
    """Each with its name, the run that it is of, its properties and its tests."""
    if not dossier.comparisons:
        run = dossier.runs[0]
        cases = list(_Conversations(suite, run).cases(transcripts[0]))
        yield "conversations", run, {"run": run.id, "model": run.arm.spec}, cases
        return
    lacking = _lacking(suite, dossier.runs[0], base)
    others = zip(dossier.comparisons, dossier.runs[1:], dossier.arms[1:], transcripts, strict=True)
    for comparison, run, arm, held in others:
        of = f" of {arm.name}" if len(dossier.comparisons) > 1 else ""
        yield f"verdicts{of}", run, properties(comparison, dossier.runs[0], run), verdict_cases(comparison)
        yield f"conversations{of}", run, {}, list(_Conversations(suite, run, comparison, lacking).cases(held))


def properties(comparison: Comparison, base: RunRecord, tuned: RunRecord) -> dict[str, str]:
    """The numbers of every verdict, in full; what there is not is left out."""
    found = {
        "base_run": base.id,
        "tuned_run": tuned.id,
        "base_model": base.arm.spec,
        "tuned_model": tuned.arm.spec,
        "suite": comparison.suite,
    }
    for verdict in comparison.verdicts:
        contrast = verdict.contrast
        numbers = {
            "base": contrast.base.value,
            "base_n": contrast.base.n,
            "tuned": contrast.tuned.value,
            "tuned_n": contrast.tuned.n,
            "difference": contrast.difference.value,
            "low": contrast.difference.low,
            "high": contrast.difference.high,
            "level": contrast.difference.level,
            "n": contrast.difference.n,
            "missing": contrast.difference.missing,
            "margin": verdict.margin,
            "p": verdict.p,
            "adjusted_p": verdict.adjusted_p,
            "detectable": verdict.detectable,
        }
        found[f"{verdict.measure}.verdict"] = verdict.word
        found |= {f"{verdict.measure}.{name}": _exact(value) for name, value in numbers.items() if value is not None}
    return found


def verdict_cases(comparison: Comparison) -> list[Case]:
    """A test for each verdict; where the comparison has no primary one, that is skipped with the reason."""
    cases = [_verdict_case(comparison, one) for one in comparison.verdicts]
    if primary_of(comparison) is None:
        name = f"{label_of(comparison.plan.primary)} (primary)"
        why = " ".join(opening(comparison).said)
        cases.insert(0, Case(classname="multiturn.verdicts", name=name, outcome="skipped", message=why))
    return cases


def _verdict_case(comparison: Comparison, verdict: Verdict) -> Case:
    unit, contrast = unit_of(verdict.measure), verdict.contrast
    primary = verdict.role == "primary"
    base, tuned = arms_of(contrast)
    depends = "; what is missing could change this" if verdict.depends_on_missing else ""
    apart = difference(contrast.difference, unit)
    told = f"{verdict.word.upper()}: base {base}, tuned {tuned}, tuned - base {apart}{depends}"
    said = " ".join(opening(comparison).sentences) if primary else verdict.advice
    outcome: Outcome | None = None
    if verdict.word == "regressed":
        outcome = "failure"
    elif verdict.word == "inconclusive" or (primary and verdict.depends_on_missing):
        outcome = "skipped"
    return Case(
        classname="multiturn.verdicts",
        name=f"{label_of(verdict.measure)}{' (primary)' if primary else ''}",
        outcome=outcome,
        kind=verdict.word,
        message=told,
        text=said,
        out="" if outcome == "failure" else "\n".join(filter(None, (told, said))),
    )


class _Conversations:
    """The tests of one run's conversations.

    With a comparison the run is the tuned one, and ``lacking`` says by conversation what base lacks of it.
    """

    def __init__(
        self,
        suite: Suite,
        run: RunRecord,
        comparison: Comparison | None = None,
        lacking: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._suite: Final = suite
        self._run: Final = run
        self._comparison: Final = comparison
        self._lacking: Final = lacking
        changes = comparison.changes if comparison is not None else ()
        self._lost: Final[Mapping[str, Sequence[Flip]]] = {
            one.conversation: [flip for flip in one.flips if flip.after == "fail"] for one in changes
        }

    def cases(self, transcripts: Iterable[Assessed]) -> Iterator[Case]:
        """In the order of the transcripts; then those of which there is none."""
        conversations = {one.id: one for one in self._suite.conversations}
        for name, group in groupby(transcripts, lambda one: one.transcript.session.conversation):
            yield self._case(conversations.pop(name), list(group))
        for conversation in conversations.values():
            yield self._case(conversation, [])

    def _case(self, conversation: Conversation, samples: Sequence[Assessed]) -> Case:
        several = self._run.conditions.samples > 1
        if self._comparison is None:
            told = list(_failing(samples, several=several))
            what, kind = "fails" if len(told) == 1 else "fail", "failed_check"
        else:
            told = [_lost(flip, several=several) for flip in self._lost.get(conversation.id, ())]
            what, kind = f"that base passes {'fails' if len(told) == 1 else 'fail'}", "lost_check"
        missing = _missing(conversation, (one.transcript for one in samples), self._run.conditions.planned_samples)
        lacking = self._lacking.get(conversation.id, "")
        outcome: Outcome | None = "failure" if told else "error" if missing else "skipped" if lacking else None
        absent = [one for one in (missing, lacking) if one]
        message = f"{counted(len(told), 'check')} {what}" if told else "; ".join(absent)
        more = [f"{len(told) - MOST} more"] if len(told) > MOST else []
        lines = [*told[:MOST], *more, *(absent if told else []), self._to_read(conversation)]
        category = conversation.capability or conversation.category or "conversations"
        return Case(
            classname=f"{self._suite.name.translate(_PLAIN)}.{category}",
            name=conversation.id,
            seconds=sum(turn.timing.total for one in samples for turn in one.transcript.turns if turn.timing),
            outcome=outcome,
            kind=kind if told else "missing",
            message=message,
            text="\n".join(lines),
            out=_counted(samples),
        )

    def _to_read(self, conversation: Conversation) -> str:
        name = shlex.quote(conversation.id)
        if self._comparison is None:
            return f"read it: multiturn show {self._run.id} {name}"
        return f"side by side: multiturn diff {self._comparison.base_run} {self._run.id} {name}"


def _lacking(suite: Suite, base: RunRecord, transcripts: Iterable[Transcript]) -> dict[str, str]:
    """What base lacks of each conversation of which it lacks something; of that nothing can be lost or won."""
    held = {name: list(group) for name, group in groupby(transcripts, lambda one: one.session.conversation)}
    planned = base.conditions.planned_samples
    found = {one.id: _missing(one, held.get(one.id, ()), planned, of=" of base") for one in suite.conversations}
    return {name: f"{told}: a check lost there can't be seen" for name, told in found.items() if told}


def _missing(conversation: Conversation, transcripts: Iterable[Transcript], samples: int, of: str = "") -> str:
    """How many turns are missing through no doing of the model, and why; empty where none is.

    ``samples`` is how often the conversation was to be held, ``of`` names another run than the one in question.
    """
    planned = len(conversation.turns) * samples
    records = [turn for one in transcripts for turn in one.turns]
    lost = Counter[str](turn.failure.kind if turn.failure else turn.status for turn in records if turn.missing)
    never = planned - len(records)
    lost.update({"not held": never} if never > 0 else {})
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(lost.items()))
    if not lost:
        return ""
    return f"{lost.total()} of {planned} turns{of} are missing through no doing of the model ({kinds})"


def _failing(samples: Iterable[Assessed], *, several: bool) -> Iterator[str]:
    for assessed in samples:
        for one in assessed.checks:
            if one.result.outcome == "fail":
                words = [f'  model: "{in_short(one.result.span.text, QUOTED)}"'] if one.result.span else []
                place = _place(one.turn, assessed.transcript.session.sample, several=several)
                yield "\n".join([*_wrong(place, one.why, one.wants, one.result.reason), *words])


def _lost(flip: Flip, *, several: bool) -> str:
    """What its failing means, why it fails, and what in each reply decided."""
    lines = [*_wrong(_place(flip.turn, flip.sample, several=several), flip.why, flip.wants, flip.reason)]
    for arm, words in (("base", flip.base_words), ("tuned", flip.tuned_words)):
        if words is not None:
            lines.append(f'  {arm}: "{in_short(words, QUOTED)}"')
    return "\n".join(lines)


def _wrong(place: str, why: str, wants: str, reason: str) -> Iterator[str]:
    """A check that fails: first what that means, which of a refusal is not what its note says; then the rest."""
    meaning = failing_means(why, wants, reason)
    yield f"{place}: {in_short(meaning, QUOTED)}"
    if meaning == reason:
        yield f"  the check's note: {in_short(why or wants, QUOTED)}"
    else:
        yield f"  why: {in_short(reason, QUOTED)}"


def _place(turn: int, sample: int, *, several: bool) -> str:
    return f"turn {turn + 1} (sample {sample + 1})" if several else f"turn {turn + 1}"


def _counted(samples: Iterable[Assessed]) -> str:
    """How many checks pass, and how many replies are refusals."""
    outcomes = Counter[str]()
    refusals = 0
    for assessed in samples:
        outcomes.update(one.result.outcome for one in assessed.checks)
        refusals += len(assessed.refusals)
    applied = outcomes["pass"] + outcomes["fail"]
    checks = f"{outcomes['pass']} of {counted(applied, 'check')} passed" if applied else "no check"
    return f"{checks}, {counted(refusals, 'refusal')}"


def _case(case: Case) -> str:
    head = f"<testcase classname={_quoted(case.classname)} name={_quoted(case.name)} time={_quoted(_time(case))}"
    inside = ""
    if case.outcome == "skipped":
        inside = f"<skipped message={_quoted(case.message)}/>\n"
    elif case.outcome is not None:
        told = _text("\n".join(filter(None, (case.message, case.text))))
        about = f"message={_quoted(case.message)} type={_quoted(case.kind)}"
        inside = f"<{case.outcome} {about}>{told}</{case.outcome}>\n"
    if case.out:
        inside += f"<system-out>{_text(case.out)}</system-out>\n"
    return f"{head}>\n{inside}</testcase>\n" if inside else f"{head}/>\n"


def _time(case: Case) -> str:
    return _exact(round(case.seconds, 3))


def _counts(cases: Sequence[Case]) -> dict[str, str]:
    outcomes = Counter(case.outcome for case in cases)
    found = {
        "tests": len(cases),
        "failures": outcomes["failure"],
        "errors": outcomes["error"],
        "skipped": outcomes["skipped"],
    }
    time = _exact(round(sum(case.seconds for case in cases), 3))
    return {name: str(count) for name, count in found.items()} | {"time": time}


def _attributes(values: Mapping[str, str]) -> str:
    return "".join(f" {name}={_quoted(value)}" for name, value in values.items())


def _exact(value: float) -> str:
    """A number as other programs read it: all its digits."""
    return msgspec.json.encode(value).decode("ascii")


def _quoted(text: str) -> str:
    """An attribute's value with its quotes; line ends stay what they are."""
    return quoteattr(printable(text))


def _text(text: str) -> str:
    return escape(printable(text))
