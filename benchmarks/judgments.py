"""What it costs to read what judges wrote and to make scores, rates of winning and rates of labels of it.

    python benchmarks/judgments.py [--most 100000] [--profile]

Ratings, preferences in both orders and labels in equal parts, of conversations with 4 turns; reasons of some 60 words,
half of the verdicts JSON under a schema and half a labelled last line, 2 % unreadable. Timed, in seconds of CPU, are
reading the replies, and the statistics of what was read; drawing the replies is not. Ten times as many should take ten
times as long.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import random
import time
from typing import TYPE_CHECKING, Final

import msgspec
from workload import suite_of

from multiturn.judged_scores import label_rates, scores_of, wins_of
from multiturn.judges.reading import read_judgment
from multiturn.judges.rubrics import load_rubrics
from multiturn.judgment import Judged, Question
from multiturn.transcript import Reply, Timing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multiturn.conversation import Suite
    from multiturn.rubric import Rubric

SEED: Final = 7
TURNS: Final = 4
UNREADABLE: Final = 0.02
REASON: Final = "It keeps to what was asked, though the second part is thin and one fact is wrong. " * 4
QUICK: Final = Timing(total=0.0)
FEWEST: Final = 10_000


class Said(msgspec.Struct, frozen=True):
    """A question and what the judge wrote, under a schema or not."""

    question: Question
    reply: Reply
    schema: bool


def questions(rubric: Rubric, suite: Suite, count: int) -> Iterator[Question]:
    """So many about one run; preferences are asked in both orders."""
    mode = rubric.mode
    asked = 0
    for conversation in suite.conversations:
        for turn in range(TURNS):
            for seat in ("first", "second") if mode == "preference" else ("first",):
                if asked == count:
                    return
                asked += 1
                yield Question(
                    mode=mode,
                    run="tuned",
                    opponent="base" if mode == "preference" else "",
                    conversation=conversation.id,
                    turn=turn,
                    seat="second" if seat == "second" else "first",
                )


def written(rubric: Rubric, draw: random.Random, *, schema: bool) -> str:
    """A judge's reply."""
    if draw.random() < UNREADABLE:
        return REASON
    if rubric.mode == "rating":
        names = [*(one.name for one in rubric.criteria), "overall"]
        grades = {name: draw.randint(1, 10) for name in names}
        verdict, line = {"reason": REASON} | grades, f"Rating: [[{grades['overall']}]]"
    else:
        name = draw.choice([one.name for one in rubric.labels] or ["A", "B", "tie"])
        verdict, line = {"reason": REASON, "label" if rubric.labels else "winner": name}, f"Verdict: [[{name}]]"
    return msgspec.json.encode(verdict).decode() if schema else f"{REASON}\n{line}"


def said_by(rubric: Rubric, suite: Suite, count: int) -> list[Said]:
    """What a judge wrote to so many questions."""
    draw = random.Random(SEED)  # noqa: S311 - a fixed workload
    found = []
    for at, question in enumerate(questions(rubric, suite, count)):
        schema = bool(at % 2)
        reply = Reply(text=written(rubric, draw, schema=schema), finish="stop", timing=QUICK)
        found.append(Said(question, reply, schema))
    return found


def read(rubric: Rubric, said: list[Said]) -> list[Judged]:
    """The judgments."""
    return [
        Judged(
            judge=rubric.name,
            question=one.question,
            judgment=read_judgment(one.reply, rubric, schema=one.schema, turn=one.question.turn),
        )
        for one in said
    ]


def concluded(rubric: Rubric, judged: list[Judged], suite: Suite) -> object:
    """What they come to."""
    if rubric.mode == "preference":
        return wins_of(judged, suite, "tuned", "base")
    if rubric.mode == "label":
        return label_rates(judged, suite, rubric.flagged)
    assert rubric.scale is not None  # noqa: S101 - a rubric that rates has one
    return scores_of(judged, suite, rubric.scale)


def seconds(count: int) -> tuple[float, float]:
    """CPU for reading so many judgments, a third of each mode, and for what they come to."""
    reading = concluding = 0.0
    suite = suite_of(count // TURNS + 1)
    for name in ("quality", "preference", "harm"):
        (rubric,) = load_rubrics(name)
        said = said_by(rubric, suite, count // 3)
        began = time.process_time()
        judged = read(rubric, said)
        reading += time.process_time() - began
        began = time.process_time()
        concluded(rubric, judged, suite)
        concluding += time.process_time() - began
    return reading, concluding


def main() -> None:
    """Time it and say how it grows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=100_000, help="Judgments in the larger run.")
    parser.add_argument("--profile", action="store_true", help="Say where the time of the smaller run goes.")
    asked = parser.parse_args()
    found = {}
    for count in (FEWEST, asked.most):
        found[count] = seconds(count)
        reading, concluding = found[count]
        print(f"{count:>9,} judgments: read in {reading:6.2f} s, concluded in {concluding:6.2f} s of CPU")
    grown = [late / early for early, late in zip(found[FEWEST], found[asked.most], strict=True)]
    more = asked.most / FEWEST
    print(f"{more:g} times as many took {grown[0]:.1f} times as long to read and {grown[1]:.1f} to conclude")
    if asked.profile:
        profile = cProfile.Profile()
        profile.runcall(seconds, FEWEST)
        pstats.Stats(profile).sort_stats("cumulative").print_stats(25)


if __name__ == "__main__":
    main()
