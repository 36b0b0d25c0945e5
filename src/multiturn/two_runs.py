"""Two stored runs, conversation by conversation, the most changed first: what a reader goes through.

Memory does not grow with the runs: what is kept of a conversation is how far it changed, and it is read again to be
shown. What this module does not know: what a difference means (``compare.py``), and whether the runs were held under
the same conditions; any two can be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.assess import assess, readings_of
from multiturn.changes import Drift, turned
from multiturn.conversation import Conversation
from multiturn.errors import NotFound
from multiturn.finding import Assessed
from multiturn.results import Change
from multiturn.transcript import Session, Transcript

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multiturn.conditions import RunRecord
    from multiturn.store import Store


class Both(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation as two runs held it: for each sample what either has, None where it has none.

    ``change`` is how far it changed over all samples; None where no turn is in both.
    """

    conversation: Conversation
    samples: tuple[tuple[Assessed | None, Assessed | None], ...]
    change: Change | None


class TwoRuns:
    """Two runs of one store, read side by side.

    ``both`` are the conversations (by id) that both have begun, in the order of the first one's suite; ``only`` those
    that just the first, and just the second, has.
    """

    def __init__(self, store: Store, first: RunRecord, second: RunRecord) -> None:
        self._store: Final = store
        self._runs: Final = (first, second)
        self._suites: Final = tuple(
            {one.id: one for one in store.suite(run.conditions.suite_digest).conversations} for run in self._runs
        )
        self._begun: Final[list[dict[str, list[int]]]] = [{}, {}]
        for run, begun in zip(self._runs, self._begun, strict=True):
            for session in store.begun_sessions(run.id):
                begun.setdefault(session.conversation, []).append(session.sample)
        held, other = (
            [name for name in suite if name in begun] for suite, begun in zip(self._suites, self._begun, strict=True)
        )
        self.both: Final = tuple(name for name in held if name in self._begun[1])
        self.only: Final = (
            tuple(name for name in held if name not in self._begun[1]),
            tuple(name for name in other if name not in self._begun[0]),
        )

    def read(self, conversation: str) -> Both:
        """One conversation, also one that just one of the two has.

        Raises:
            NotFound: neither has it.
        """
        samples = sorted({sample for begun in self._begun for sample in begun.get(conversation, ())})
        if not samples:
            known = ", ".join(sorted({*self.both, *self.only[0], *self.only[1]})) or "none yet"
            raise NotFound(
                f"neither run {self._runs[0].id} nor run {self._runs[1].id} has a conversation {conversation!r}",
                hint=f"they have: {known}",
            )
        found = tuple(
            (self._assessed(0, Session(conversation, sample)), self._assessed(1, Session(conversation, sample)))
            for sample in samples
        )
        item = self._suites[0].get(conversation) or self._suites[1][conversation]
        return Both(conversation=item, samples=found, change=self._change(item, found))

    def most_changed_first(self) -> Iterator[Both]:
        """All that both have: those that did not change at all come last, in the order of the suite."""
        scores = {name: change.score if (change := self.read(name).change) else 0.0 for name in self.both}
        for name in sorted(self.both, key=lambda name: -scores[name]):
            yield self.read(name)

    def _assessed(self, at: int, session: Session) -> Assessed | None:
        run, item = self._runs[at], self._suites[at].get(session.conversation)
        turns = self._store.records(run.id, session)
        if not turns or item is None:
            return None
        system = item.system if run.conditions.system is None else run.conditions.system
        transcript = Transcript(session=session, turns=turns, system=system or None)
        return assess(transcript, conversation=item, golden_history=run.conditions.history == "golden")

    def _change(
        self, item: Conversation, samples: tuple[tuple[Assessed | None, Assessed | None], ...]
    ) -> Change | None:
        drift = Drift(item)
        for first, second in samples:
            if first is None or second is None:
                continue
            before, after = (
                turned(one, readings_of(one, suite[item.id]))
                for one, suite in zip((first, second), self._suites, strict=True)
            )
            for one, other in zip(before, after, strict=False):  # suites that ask for more or fewer turns
                drift.add(first.transcript.session.sample, one, other)
        return drift.change() if drift.seen else None
