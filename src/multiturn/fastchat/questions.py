"""The questions of an import, with their references: from a file, or got back from what judges were shown.

Raises what a user can mend; knows no store.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from multiturn.conversation import Conversation, Suite, Turn
from multiturn.errors import SuiteError, UsageError
from multiturn.fastchat.folder import USUAL_REFERENCES, FoundFile, FoundFiles, find_files, some
from multiturn.suites.benchmarks import with_references
from multiturn.suites.reading import examine

NAME: Final = "fastchat"
QUESTION_FILE: Final = "question"
MEND: Final = "mend the file; nothing was imported"


class Joined(msgspec.Struct, frozen=True):
    """The questions with their references, and what a reader should know of these."""

    suite: Suite
    notes: tuple[str, ...] = ()


def read_questions(files: FoundFiles, named: Path | None) -> Suite | None:
    """The questions of the file that is named, else of the one among the files; None where there is none.

    Raises:
        UsageError: there are several, or the file that is named holds none, or has faults.
    """
    found = find_files([named]).of("questions") if named is not None else files.of("questions")
    if named is not None and not found:
        raise UsageError(f"{named} holds no questions of FastChat", hint="name question.jsonl: --questions FILE")
    if len(found) > 1:
        raise UsageError(f"there are {len(found)} files of questions: {some(found)}", hint="name one: --questions FILE")
    if not found:
        return None
    (file,) = found
    read = examine(file.data, str(file.path), "fastchat")
    if read.faults:
        raise SuiteError(str(file.path), [fault.told(str(file.path)) for fault in read.faults], hint=MEND)
    name = file.path.resolve().parent.name if file.name == QUESTION_FILE else file.name
    return Suite(name=name or NAME, conversations=read.conversations)


def questions_of(users: Mapping[tuple[str, int], str]) -> Suite:
    """The questions that stood in prompts, by number; categories are not known then.

    Args:
        users: what the user says, by (question, turn from 1).

    Raises:
        UsageError: there is none with all its turns.
    """
    by_question: dict[str, dict[int, str]] = {}
    for (question, turn), text in users.items():
        by_question.setdefault(question, {})[turn] = text
    whole = {name: turns for name, turns in by_question.items() if turns.keys() == set(range(1, len(turns) + 1))}
    if not whole:
        raise UsageError(
            "there are no questions: no question.jsonl, and no judge's prompts to get them back from",
            hint="name FastChat's questions: --questions question.jsonl",
        )
    ids = sorted(whole, key=lambda name: (not name.isdecimal(), int(name) if name.isdecimal() else 0, name))
    return Suite(
        name=NAME,
        description="got back from the prompts of a judge",
        conversations=tuple(
            Conversation(id=name, turns=tuple(Turn(text=whole[name][turn]) for turn in sorted(whole[name])))
            for name in ids
        ),
    )


def join_references(suite: Suite, files: FoundFiles, named: Path | None) -> Joined:
    """The questions with the reference answers of a file, where there is one.

    Raises:
        UsageError: it is not clear which, or the file has faults.
    """
    chosen, notes = _chosen(files, named)
    if chosen is None:
        return Joined(suite)
    joined = with_references(suite, chosen.data)
    if joined.faults:
        raise SuiteError(str(chosen.path), [fault.told(str(chosen.path)) for fault in joined.faults], hint=MEND)
    if joined.unknown:
        notes = (*notes, f"{chosen.path}: {len(joined.unknown)} references are of other questions, and are left out")
    return Joined(joined.suite, notes)


def _chosen(files: FoundFiles, named: Path | None) -> tuple[FoundFile | None, tuple[str, ...]]:
    if named is not None:
        found = find_files([named]).files
        if len(found) != 1 or found[0].kind != "answers":
            hint = "each of its rows has choices, as answers do"
            raise UsageError(f"{named} is no file of reference answers", hint=hint)
        return found[0], ()
    several = files.references
    if len(several) <= 1:
        return (several[0] if several else None), ()
    usual = [file for file in several if file.path.name == USUAL_REFERENCES]
    if len(usual) != 1:
        hint = "name one: --references FILE"
        raise UsageError(f"there are {len(several)} files of reference answers: {some(several)}", hint=hint)
    others = some([file for file in several if file is not usual[0]])
    note = f"{usual[0].path}: taken as the references, as FastChat does; not {others} (--references FILE)"
    return usual[0], (note,)
