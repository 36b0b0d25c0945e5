"""A report as Markdown for a pull request: the verdict, what proves it, the conditions. Short enough for a comment.

A comment of GitHub has 65,536 characters; what would go beyond is left out, and it is said that it is. Every text that
comes from a model, a suite or a command line is inert (``markdown.py``) and never stands first in a line.

What this module does not know: transcripts, and how a verdict comes about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.report.broken import CONSEQUENCE, FIX_FIRST, broken, what_is_wrong
from multiturn.report.conclusion import (
    ARMS,
    CLOSING,
    Names,
    beside,
    opening,
    primary_of,
    rules,
    what_next,
    where_to_start,
)
from multiturn.report.judged import judged_tables
from multiturn.report.markdown import fenced, inert, inert_table
from multiturn.report.numbers import arms_of, counted, difference, in_short, label_of, number, unit_of
from multiturn.report.page.conditions_shown import conditions_shown
from multiturn.report.ranking import ranking_tables
from multiturn.report.tables import QUOTED, Table, flipped_checks, pass_rates
from multiturn.report.verdicts import verdict_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from multiturn.judged_pair import JudgedPair
    from multiturn.report.dossier import Dossier, FailedCheck
    from multiturn.report.page.read_first import ReadFirst
    from multiturn.results import Comparison, Verdict, VerdictWord

MOST: Final = 60_000
"""Characters of the whole: GitHub takes 65,536, and whoever posts it may have something to say too."""
_ROOM: Final = 12_000
"""Characters of one folded part."""
_NAME: Final = 100
_QUOTED: Final = 200
_NOTE: Final = 400
"""Characters of a model's name, of what was said, of a note."""
_REASONS: Final = 3
"""Reasons why a conversation is to be read."""
_ROWS: Final = 20
"""Rows of flipped or failed checks."""
_LEFT: Final = 6
_LEFT_ROOM: Final = 500
"""Parts that were left out that are named, and characters that this takes."""
_WAYS: Final[tuple[tuple[VerdictWord, str], ...]] = (
    ("regressed", "Got worse"),
    ("improved", "Got better"),
    ("inconclusive", "Can't be told yet"),
    ("changed", "Changed, neither way is better"),
    ("equivalent", "About the same"),
)
_FAILED: Final = ("conversation", "turn", "capability", "what is wrong", "what decided")


class _Paper:
    """Takes in parts as long as there is room, and knows which were left out."""

    def __init__(self, most: int) -> None:
        self._left: Final[list[str]] = []
        self._parts: Final[list[str]] = []
        self._room = most

    def add(self, name: str, lines: Iterable[str]) -> None:
        """A part, if it has any text; ``name`` says what was left out where it has no room."""
        text = "\n".join(lines)
        if not text:
            return
        if len(text) + 2 > self._room:
            self._left.append(name)
            return
        self._parts.append(text)
        self._room -= len(text) + 2

    def text(self) -> str:
        """All of it."""
        left = list(dict.fromkeys(self._left))
        more = f" and {len(left) - _LEFT} more" if len(left) > _LEFT else ""
        told = [f"Left out, since it would be too long: {', '.join(left[:_LEFT])}{more}."] if left else []
        return "\n\n".join([*self._parts, *told]) + "\n"


def pull_request(dossier: Dossier, most: int = MOST) -> str:
    """The whole text; ``most`` is how many characters it has at most, 1,000 or more."""
    paper = _Paper(most - _LEFT_ROOM)
    if len(dossier.runs) == 1:
        _add_one(paper, dossier)
    elif len(dossier.comparisons) == 1:
        _add_pair(paper, dossier)
    else:
        _add_several(paper, dossier)
    if dossier.judged is not None:
        paper.add("what judges say", _folded("What judges say", _judged(dossier.judged)))
    paper.add("conditions", _folded("Conditions, and how to hold it again", _conditions(dossier)))
    if dossier.comparisons:
        paper.add("limits", [CLOSING])
    return paper.text()


def _add_pair(paper: _Paper, dossier: Dossier) -> None:
    (comparison,) = dossier.comparisons
    paper.add("title", [f"## multiturn: {headline(comparison)}"])
    paper.add("models", [_models(dossier)])
    _add_gist(paper, comparison)
    paper.add("what to read first", _to_read(dossier))
    _add_flips(paper, comparison)
    paper.add("how to read the numbers", _folded("How to read the numbers", _explained(comparison)))
    paper.add("notes", _folded("Notes", _items(_notes(comparison.notes, grave=False))))


def _add_gist(paper: _Paper, comparison: Comparison, names: Names = ARMS) -> None:
    """What it comes to, what is to be fixed first, warnings, verdicts."""
    paper.add("summary", [inert(" ".join(opening(comparison, names).sentences))])
    called = {"base": names.base, "tuned": f"{names.tuned[:1].lower()}{names.tuned[1:]}"}
    paper.add("what is to be fixed first", _fix_first(comparison, called))
    paper.add("warnings", _items(_naming_tuned(_notes(comparison.notes, grave=True), called["tuned"])))
    verdicts = verdict_table(comparison)
    header = tuple(" ".join(called.get(word, word) for word in name.split(" ")) for name in verdicts.header)
    table = msgspec.structs.replace(verdicts, header=header)
    paper.add("verdicts", [inert_table(table)] if comparison.verdicts else [])
    paper.add("what moved which way", _moved(comparison))
    paper.add("where to start", ["\n\n".join(map(inert, (*where_to_start(comparison), *what_next(comparison))))])


def _add_several(paper: _Paper, dossier: Dossier) -> None:
    base = dossier.arms[0]
    paper.add("title", [f"## multiturn: {counted(len(dossier.arms), 'model')} on {inert(_suite(dossier))}"])
    paper.add("models", [_models(dossier)])
    if dossier.ranking is not None:
        for table in ranking_tables(dossier.ranking, _naming(dossier)):
            shown = _cut(table, table.rows)
            paper.add(table.title, [f"**{table.title}**", "", inert_table(shown), "", inert(table.footnote)])
        paper.add("notes", _items(inert(in_short(note, _NOTE)) for note in dossier.ranking.notes))
    for comparison, arm in zip(dossier.comparisons, dossier.arms[1:], strict=True):
        called = f"{arm.name} against {base.name}"
        parts = _Paper(_ROOM)
        parts.add("", [f"### {called}: {headline(comparison)}"])
        _add_gist(parts, comparison, Names(f"{arm.name[:1].upper()}{arm.name[1:]}", base.name))
        paper.add(called, [parts.text().rstrip("\n")])
    paper.add("what to read first", _to_read(dossier))


def _add_one(paper: _Paper, dossier: Dossier) -> None:
    (arm,) = dossier.arms
    rates = dossier.rates
    name = inert(in_short(arm.label, _NAME))
    if rates is None or not rates.rates:
        paper.add("title", [f"## multiturn: {name}, without checks"])
        paper.add("summary", ["This suite has no checks, so there is no pass rate: its transcripts are to be read."])
    else:
        first = rates.rates[0]
        passed = number(first.estimate.value, unit_of(first.measure))
        paper.add("title", [f"## multiturn: {name} passes {passed} of its checks"])
        paper.add("models", [_models(dossier)])
        table = pass_rates(rates)
        paper.add("pass rates", [inert_table(table), "", inert(table.footnote)])
        paper.add("notes", _items(inert(in_short(note, _NOTE)) for note in rates.notes))
    several = dossier.runs[0].conditions.samples > 1
    shown = _cut(Table(title="", header=_FAILED, rows=()), [_failed_cells(one, several) for one in dossier.failed])
    if shown.rows:
        told = f"{counted(dossier.failing, 'failing check')}{_first_of(len(shown.rows), dossier.failing)}"
        paper.add("failing checks", _folded(told, [inert_table(shown)]))


def _failed_cells(one: FailedCheck, several: bool) -> tuple[str, ...]:  # noqa: FBT001 - a value
    sample = f" (sample {one.sample + 1})" if several else ""
    decided = f'"{in_short(one.words, QUOTED)}"' if one.words else in_short(one.reason, QUOTED)
    what = in_short(one.what, QUOTED)
    return one.conversation, f"{one.turn + 1}{sample}", label_of(one.capability or "-"), what, decided


def headline(comparison: Comparison) -> str:
    """``REGRESSED, checks passed 16.2% to 5.7%``."""
    primary = primary_of(comparison)
    again = "A/A run: " if comparison.same_model else ""
    if primary is None:
        return f"{again}no verdict"
    base, tuned = arms_of(primary.contrast)
    return f"{again}{primary.word.upper()}, {label_of(primary.measure)} {base} to {tuned}"


def _models(dossier: Dossier) -> str:
    arms = [f"**{arm.name}** {inert(in_short(arm.label, _NAME))}" for arm in dossier.arms]
    return f"{', '.join(arms)}; suite {inert(_suite(dossier))}"


def _suite(dossier: Dossier) -> str:
    run = dossier.runs[0]
    return (
        f"{in_short(run.suite_name, _NAME)} version {run.suite_version}, {counted(run.conversations, 'conversation')}"
    )


def _naming(dossier: Dossier) -> Callable[[str], str]:
    """What an arm of a ranking is called here; that knows it by its model, and by its run where several have one."""
    names: dict[str, str] = {}
    for arm in dossier.arms:
        for known in (arm.label, f"{arm.label} ({arm.run})"):
            names.setdefault(known, f"{arm.name}: {in_short(arm.label, _NAME)}")
    return lambda arm: names.get(arm, arm)


def _naming_tuned(notes: Iterable[str], name: str) -> Iterator[str]:
    """Notes were made of two arms: where one speaks of tuned, it is said which arm that is here."""
    for note in notes:
        yield f"{name} (here called tuned): {note}" if name != "tuned" and "tuned" in note else note


def _fix_first(comparison: Comparison, names: Mapping[str, str]) -> Iterator[str]:
    found = broken(comparison.contrasts, comparison.unsound)
    if found:
        yield "**Fix first**"
        yield ""
        yield from _items(inert(what_is_wrong(one, names)) for one in found)
    if any(one.differs for one in found):
        yield ""
        yield CONSEQUENCE


def _notes(notes: Sequence[str], *, grave: bool) -> Iterator[str]:
    """The warnings, or the others, without what is to be fixed first."""
    for note in notes:
        if not note.startswith(FIX_FIRST) and note.startswith("warning: ") == grave:
            yield inert(in_short(note, _NOTE))


def _moved(comparison: Comparison) -> Iterator[str]:
    """A line for each way that measures went."""
    lines = []
    for word, title in _WAYS:
        found = [one for one in comparison.verdicts if one.word == word]
        if found:
            lines.append(f"- **{title}:** {'; '.join(map(_in_short, found))}")
    yield from lines


def _in_short(verdict: Verdict) -> str:
    told = f"{label_of(verdict.measure)} {difference(verdict.contrast.difference, unit_of(verdict.measure))}"
    return inert(f"{told} (depends on missing data)" if verdict.depends_on_missing else told)


def _to_read(dossier: Dossier) -> Iterator[str]:
    if dossier.read:
        yield "**Read these first**"
    for at, one in enumerate(dossier.read, start=1):
        yield ""
        yield from _excerpt(at, one)


def _excerpt(at: int, one: ReadFirst) -> Iterator[str]:
    why = "; ".join(one.why.split("; ")[:_REASONS])
    yield f"{at}. **{inert(one.conversation)}**, {one.place}: {inert(in_short(why, _QUOTED))}"
    if one.what:
        yield f"   <br>Check {one.flip}. {inert(in_short(one.what, _QUOTED))}"
    yield ""
    yield f"   > **user:** {inert(in_short(one.user, _QUOTED))}"
    for reply in one.replies:
        said = inert(in_short(reply.text, _QUOTED))
        yield "   >"
        yield f"   > **{reply.arm}:** {f'({said})' if reply.absent else said}"


def _add_flips(paper: _Paper, comparison: Comparison) -> None:
    table = flipped_checks(comparison)
    flips = [flip for change in comparison.changes for flip in change.flips]
    lost = sum(flip.after == "fail" for flip in flips)
    shown = _cut(table, table.rows)
    if shown.rows:
        told = f"Flipped checks: {lost} lost, {len(flips) - lost} won{_first_of(len(shown.rows), len(flips))}"
        paper.add("flipped checks", _folded(told, [inert_table(shown), "", inert(table.footnote)]))


def _cut(table: Table, rows: Sequence[tuple[str, ...]]) -> Table:
    """As many of the first rows as have room, ``_ROWS`` at most."""
    kept: list[tuple[str, ...]] = []
    room = _ROOM
    for cells in rows[:_ROWS]:
        room -= sum(len(inert(text)) + 3 for text in cells)
        if room < 0:
            break
        kept.append(cells)
    return Table(title=table.title, header=table.header, rows=tuple(kept))


def _first_of(shown: int, all_of_them: int) -> str:
    return f" (the first {shown})" if shown < all_of_them else ""


def _explained(comparison: Comparison) -> Iterator[str]:
    """What the columns are, and how the words were found."""
    yield inert(verdict_table(comparison).footnote)
    for text in (*beside(comparison), *rules(comparison)):
        yield ""
        yield inert(text)


def _conditions(dossier: Dossier) -> Iterator[str]:
    for line in conditions_shown(dossier.runs, dossier.arms):
        own = "; ".join(f"{one.arm}: {inert(in_short(one.text, _NOTE))}" for one in line.arms)
        both = [inert(in_short(line.common, _NOTE)), own]
        yield f"- **{line.name}:** {'; '.join(part for part in both if part)}"
    if dossier.command:
        yield ""
        yield fenced(dossier.command, "sh")


def _items(texts: Iterable[str]) -> Iterator[str]:
    yield from (f"- {text}" for text in texts)


def _judged(found: JudgedPair) -> Iterator[str]:
    """Each table under its title, with its footnote."""
    for table in judged_tables(found):
        yield from (f"**{inert(table.title)}**", "", inert_table(table), "")
        if table.footnote:
            yield from (inert(table.footnote), "")


def _folded(title: str, lines: Iterable[str]) -> Iterator[str]:
    """A part that opens when it is asked for; ``title`` is ours."""
    inside = "\n".join(lines)
    if inside:
        yield f"<details><summary>{title}</summary>"
        yield ""
        yield inside
        yield ""
        yield "</details>"
