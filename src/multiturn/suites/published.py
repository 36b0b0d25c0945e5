"""Published suites that are not shipped: how they are recognised, and how they are held. Pure.

Their texts are others', so that everybody gets them from where they are published; what is known here are the hashes of
the files, taken from FastChat's repository (lm-sys/FastChat, ``fastchat/llm_judge/data/mt_bench``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from multiturn.conversation import Suite
from multiturn.errors import NotFound, SuiteError, UsageError
from multiturn.suites.benchmarks import with_references
from multiturn.suites.places import Fault
from multiturn.suites.reading import examine

ANY: Final = "any"
"""Stands for every hash: the user knows what the file is."""
HEX_DIGITS: Final = 64


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """A suite that is published in FastChat's form: the SHA-256 of its questions, and of files of references by name.

    ``where`` says where both are, to be read behind "the file that is"; ``held`` are the flags with which it is held
    as published.
    """

    name: str
    description: str
    questions: str
    references: Mapping[str, str]
    where: str
    held: tuple[str, ...]


PUBLISHED: Final[Mapping[str, Published]] = {
    "mtbench": Published(
        name="mtbench",
        description="MT-Bench: 80 questions of two turns in eight categories (L. Zheng et al., NeurIPS 2023)",
        questions="119565adbab82227089cefdb44c8d7e2cf04dc0a0ec233634c82e7d4e2a944f7",
        references={
            "f957a5bc977badb66885ec970e6cd08527845780313f0995764260e5777b9b3f": "gpt-4",
            "e484037da5cc14007dde1d821ef76046fccbd0b2f095237fad9ead2c4fc66800": "gpt-4-0125-preview",
        },
        where="in FastChat's repository, in fastchat/llm_judge/data/mt_bench (question.jsonl, reference_answer/)",
        held=("--temperatures", "mtbench", "--top-p", "1", "--max-tokens", "1024"),
    )
}


class File(msgspec.Struct, frozen=True):
    """A file as it was fetched, with the name by which messages call it."""

    name: str
    data: bytes

    @property
    def sha256(self) -> str:
        """Of its bytes."""
        return hashlib.sha256(self.data).hexdigest()


def published(name: str) -> Published:
    """The published suite of this name.

    Raises:
        NotFound: it is not known.
    """
    if name not in PUBLISHED:
        hint = f"known are {', '.join(PUBLISHED)}; a file of your own is a suite as it is: --suite FILE"
        raise NotFound(f"no published suite is called {name!r}", hint=hint)
    return PUBLISHED[name]


def published_suite(known: Published, questions: File, references: File | None, accepted: Sequence[str]) -> Suite:
    """The suite in these files, with the references as goldens.

    Args:
        known: what it should be.
        questions: FastChat's ``question.jsonl``.
        references: one of its files of reference answers, or None.
        accepted: hashes that are accepted beside those that are known; ``any`` stands for all.

    Raises:
        UsageError: a file has another hash.
        SuiteError: a file has faults.
    """
    _require_hash(questions, {known.questions: "as published"}, accepted, known.where)
    found = examine(questions.data, questions.name, "fastchat")
    _refuse(questions, found.faults, known.where)
    said = [f"{known.description}; question.jsonl has SHA-256 {questions.sha256}"]
    suite = Suite(name=known.name, version=questions.sha256[:8], conversations=found.conversations)
    if references is not None:
        _require_hash(references, known.references, accepted, known.where)
        joined = with_references(suite, references.data)
        _refuse(references, joined.faults, known.where)
        suite = joined.suite
        who = known.references.get(references.sha256, references.name)
        said.append(f"golden replies are the {joined.conversations} references of {who}, SHA-256 {references.sha256}")
    return msgspec.structs.replace(suite, description="; ".join(said))


def _refuse(file: File, faults: Sequence[Fault], where: str) -> None:
    if faults:
        told = [fault.told(file.name) for fault in faults]
        raise SuiteError(file.name, told, hint=f"get the file that is {where}")


def _require_hash(file: File, known: Mapping[str, str], accepted: Sequence[str], where: str) -> None:
    for word in accepted:
        if word != ANY and not (len(word) == HEX_DIGITS and set(word) <= set("0123456789abcdef")):
            raise UsageError(f"--sha256 {word!r} is no SHA-256", hint=f"64 digits from 0 to f, or {ANY}")
    if ANY in accepted or file.sha256 in (*known, *accepted):
        return
    raise UsageError(
        f"{file.name} is not the published file: its SHA-256 is {file.sha256}, not {' or '.join(known)}",
        hint=f"get the file that is {where}; or, if this is the one that you mean: --sha256 {file.sha256}",
    )
