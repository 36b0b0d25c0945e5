"""What judges said of the conversations of some runs, found in the store as a page shows it.

What this module does not know: what it comes to (``judged_runs.py``), how judges are asked, HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.judged_runs import opponent_spec
from multiturn.judges.games import rule_of
from multiturn.report.page.shown import AskedJudge, Compared, Heard, Side

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multiturn.judgment import Judged, JudgeRecord
    from multiturn.report.page.shown import ShownArm
    from multiturn.store import Store

    Counts = Mapping[tuple[str, str, str | None, str], int]


class Hearing:
    """Judges of some runs, and what they said: of a reply by itself, or of two runs of which one is here at least."""

    def __init__(self, store: Store, arms: Sequence[ShownArm]) -> None:
        """``arms`` are the runs, with what they are called."""
        self._judgments: Final = store.judgments
        here = {arm.run: Side(arm.name, at) for at, arm in enumerate(arms)}
        counts = {key: count for key, count in self._judgments.counts().items() if key[1] in here or key[2] in here}
        runs = dict.fromkeys(run for _, *both, _ in counts for run in both if run is not None)
        away = [run for run in runs if run not in here]
        self._here: Final = frozenset(here)
        self._sides: Final = here | {run: Side(f"{opponent_spec(store, run)} ({run})", None) for run in away}
        self._asking: Final = tuple(dict.fromkeys(run for _, run, _, _ in counts))
        """Runs that questions name first: of two that are compared it is either."""
        said = {judge for judge, *_ in counts}
        self._judges: Final = {one.id: one for one in reversed(self._judgments.judges()) if one.id in said}
        self.judges: Final = tuple(_asked_judge(store, one, counts) for one in self._judges.values())
        """Those that said something, oldest first, with how much they said."""

    def of(self, conversation: str) -> Heard | None:
        """What they said of the conversation of this name; None where they said nothing."""
        said = [one for run in self._asking for one in self._judgments.of_run(run, conversation=conversation)]
        alone = [one for one in said if not one.question.opponent and one.question.run in self._here]
        compared = tuple(self._compared(said))
        if not alone and not compared:
            return None
        return Heard(judges=self._judges, judged=tuple(alone), compared=compared)

    def _compared(self, said: Sequence[Judged]) -> Iterator[Compared]:
        """The two orders of a pair together, with what they come to."""
        pairs: dict[tuple[str, str, str, int, int | None, int], list[Judged]] = {}
        for one in said:
            asked = one.question
            if asked.opponent and not self._here.isdisjoint({asked.run, asked.opponent}):
                pair = (one.judge, asked.run, asked.opponent, asked.sample, asked.turn, asked.repeat)
                pairs.setdefault(pair, []).append(one)
        for (judge, run, opponent, sample, turn, _), games in pairs.items():
            by_seat = {one.question.seat: one.judgment for one in games}
            outcome = rule_of(self._judges[judge])(by_seat.get("first"), by_seat.get("second"))
            yield Compared(
                judge=judge,
                sample=sample,
                turn=turn,
                a=self._sides[run],
                b=self._sides[opponent],
                winner=outcome.winner,
                consistent=outcome.consistent,
                games=tuple(games),
            )


def _asked_judge(store: Store, judge: JudgeRecord, counts: Counts) -> AskedJudge:
    """A judge with how often it said what of these runs, and the card of its self-check that counts."""
    said = {kind: 0 for *_, kind in counts}
    for (asked, _, _, kind), count in counts.items():
        said[kind] += count if asked == judge.id else 0
    return AskedJudge(
        judge=judge,
        judgments=sum(count for kind, count in said.items() if kind not in {"unreadable", "failed"}),
        unreadable=said.get("unreadable", 0),
        failed=said.get("failed", 0),
        card=store.cards.standing(judge.id),
    )
