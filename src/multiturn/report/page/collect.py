"""What a page needs of the transcripts, gathered while they pass by; kept compressed, so that memory stays small.

Transcripts come in as each arm's are read. Once all arms have told a conversation, its side-by-side sheet is rendered
and put into a chunk with its neighbours; a full chunk is compressed, and the page opens it when it is asked for.
"""

from __future__ import annotations

import base64
import zlib
from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.report.page.facets import conversation_tags, turn_tags
from multiturn.report.page.sheet import sheet
from multiturn.report.page.shown import Collected, Row, Told
from multiturn.report.page.telling import fluent_but_wrong, proof

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from multiturn.conversation import Suite
    from multiturn.finding import Assessed
    from multiturn.report.page.facets import Tag
    from multiturn.report.page.shown import Fluent, Heard, ShownArm

CHUNK: Final = 16
"""Conversations that are compressed together: enough alike for a third of the size, quick to open one."""

MOST_FLUENT: Final = 40
"""Fluent but wrong replies that are kept with their words; all are counted, and found by their tag."""


class Collector:
    """Takes in the transcripts of all arms and gives them on unchanged."""

    def __init__(
        self,
        suite: Suite,
        arms: Sequence[ShownArm],
        samples: Sequence[int],
        render: Callable[[Told, Sequence[ShownArm]], str] = sheet,
        heard: Callable[[str], Heard | None] = lambda _conversation: None,
    ) -> None:
        """Gather for these arms.

        Args:
            suite: what they held.
            arms: what they are called.
            samples: how often each held each conversation at most.
            render: makes a sheet.
            heard: what judges said of the conversation of this name.
        """
        self._conversations: Final = {one.id: one for one in suite.conversations}
        self._order: Final = {one.id: at for at, one in enumerate(suite.conversations)}
        self._arms: Final = tuple(arms)
        self._samples: Final = tuple(samples)
        self._render: Final = render
        self._heard: Final = heard
        self._waiting: Final[dict[str, dict[tuple[int, int], Assessed]]] = {}
        self._tags: Final[dict[Tag, int]] = {}
        self._rows: Final[list[Row]] = []
        self._open: Final[list[str]] = []
        self._chunks: Final[list[str]] = []
        self._words: Final = tuple(Counter[int]() for _ in arms)
        self._fluent: Final[list[Fluent]] = []

    def watch(self, arm: int, transcripts: Iterable[Assessed]) -> Iterator[Assessed]:
        """The same transcripts, of the arm at this place; what the page needs of them is kept."""
        for assessed in transcripts:
            yield assessed
            session = assessed.transcript.session
            held = self._waiting.setdefault(session.conversation, {})
            held[session.sample, arm] = assessed
            self._words[arm].update(
                round(one.value) for one in assessed.signals if one.name == "words" and one.value is not None
            )
            if len(held) == sum(self._samples):
                self._tell(session.conversation)

    def collected(self) -> Collected:
        """What was gathered, in the order of the suite; conversations that an arm did not hold are there too."""
        for conversation in [*self._waiting]:
            self._tell(conversation)
        self._close()
        return Collected(
            arms=self._arms,
            tags=tuple(self._tags),
            rows=tuple(sorted(self._rows, key=lambda row: self._order[row.id])),
            chunks=tuple(self._chunks),
            words=self._words,
            fluent=tuple(self._fluent),
        )

    def _tell(self, name: str) -> None:
        """All that is to be shown of a conversation."""
        held = self._waiting.pop(name)
        samples = 1 + max(sample for sample, _ in held)  # also those that no arm held: numbers stay true
        told = Told(
            conversation=self._conversations[name],
            samples=tuple(tuple(held.get((at, arm)) for arm in range(len(self._arms))) for at in range(samples)),
            heard=self._heard(name),
        )
        tags = list(turn_tags(told, self._arms))
        self._rows.append(self._row(told, tags))
        self._open.append(str(self._render(told, self._arms)))
        self._keep(fluent_but_wrong(told, self._arms, tags))
        if len(self._open) == CHUNK:
            self._close()

    def _row(self, told: Told, tags: Sequence[Sequence[Tag]]) -> Row:
        held = [[one for one in arm if one is not None] for arm in zip(*told.samples, strict=True)]
        outcomes = [Counter(checked.result.outcome for one in arm for checked in one.checks) for arm in held]
        return Row(
            id=told.conversation.id,
            turns=len(told.conversation.turns),
            samples=len(told.samples),
            tags=self._places(conversation_tags(told.conversation, told.heard)),
            turn_tags=tuple(map(self._places, tags)),
            passed=tuple(found["pass"] for found in outcomes),
            applied=tuple(found["pass"] + found["fail"] for found in outcomes),
            refusals=tuple(sum(len(one.refusals) for one in arm) for arm in held),
            chunk=len(self._chunks),
            place=len(self._open),
            proof=proof(told, self._arms, tags),
        )

    def _places(self, tags: Iterable[Tag]) -> tuple[int, ...]:
        return tuple(self._tags.setdefault(tag, len(self._tags)) for tag in tags)

    def _keep(self, found: Iterable[Fluent]) -> None:
        """Those of lost checks first, the other arms' before the first one's, high grades first; the last fall out."""
        self._fluent.extend(found)
        self._fluent.sort(key=lambda one: (not one.lost, one.arm == 0, -(one.grade or 0)))
        del self._fluent[MOST_FLUENT:]

    def _close(self) -> None:
        if self._open:
            self._chunks.append(packed(msgspec.json.encode(self._open)))
            self._open.clear()


def packed(data: bytes) -> str:
    """Deflated without a header, in base64: what a browser's ``deflate-raw`` stream opens."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(deflate.compress(data) + deflate.flush()).decode("ascii")
