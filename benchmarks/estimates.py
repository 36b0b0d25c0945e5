"""What all estimates, intervals and verdicts of a large comparison cost, once its replies are measured.

    python benchmarks/estimates.py [--conversations 10000] [--samples 1] [--profile]

Two arms of so many conversations x 4 turns, with the signals that a reply has and two checks a turn, drawn from a fixed
seed and not timed. Timed is what takes in each transcript's findings and what is concluded from them: every measure in
every group of turns with its intervals, verdicts, decay, profile, noise floor. Goal: at most 10 s of CPU for 10,000
conversations.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import random
import time
from collections.abc import Iterator
from typing import Final, get_args

from workload import suite_of

from multiturn.compare import compare
from multiturn.conversation import Capability, Category, CheckJson, Conversation, Suite, Turn
from multiturn.finding import Assessed, Checked, CheckResult, Signal
from multiturn.results import Comparison
from multiturn.transcript import Session, Transcript, TurnRecord

SEED: Final = 11
CAPABILITIES: Final[tuple[Capability, ...]] = get_args(Capability)
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
CHECK: Final = CheckJson(b'{"kind":"says","any":["x"]}')
RARE: Final = 0.02
"""How often a flag is raised, and a reply refuses."""

FLAGS: Final = ("empty", "cut_off", "collapse", "language_change", "role_leakage")
LENGTHS: Final = ("words", "sentences", "characters", "tokens")


def checked_suite(conversations: int) -> Suite:
    """Each turn after the first probes something and has two checks."""
    told = []
    for at, one in enumerate(suite_of(conversations).conversations):
        turns = [
            Turn(
                text=turn.text,
                capability=CAPABILITIES[(at + place) % len(CAPABILITIES)] if place else None,
                distance=place or None,
                checks=(CHECK, CHECK) if place else (),
                refusal_expected=False,
            )
            for place, turn in enumerate(one.turns)
        ]
        told.append(Conversation(id=one.id, turns=tuple(turns), category=CATEGORIES[at % len(CATEGORIES)]))
    return Suite(name="benchmark", conversations=tuple(told))


def arm(suite: Suite, *, passes: float, samples: int, seed: int) -> Iterator[Assessed]:
    """What is found in each transcript of one arm."""
    draw = random.Random(seed)  # noqa: S311 - a fixed workload
    outcomes = {passed: CheckResult(outcome="pass" if passed else "fail", reason="drawn") for passed in (True, False)}
    for conversation in suite.conversations:
        for sample in range(samples):
            records, signals, checks = [], [], []
            for at, turn in enumerate(conversation.turns):
                records.append(TurnRecord(turn=at, user=turn.text, status="ok", finish="stop", reply="said"))
                words = draw.lognormvariate(4, 0.5)
                signals += [Signal(name=name, turn=at, value=words, unit="words") for name in LENGTHS]
                signals += [
                    Signal(name=name, turn=at, value=float(draw.random() < RARE), unit="flag") for name in FLAGS
                ]
                signals.append(Signal(name="repetition", turn=at, value=draw.random() / 5, unit="share"))
                signals.append(Signal(name="sameness", turn=at, value=draw.random() / 5, unit="share"))
                label = "full" if draw.random() < RARE else "none"
                signals.append(Signal(name="refusal", turn=at, value=float(label == "full"), unit="flag", label=label))
                checks += [
                    Checked(turn=at, check=place, kind="says", wants="says x", result=outcomes[draw.random() < passes])
                    for place in range(len(turn.checks))
                ]
            transcript = Transcript(session=Session(conversation.id, sample), turns=tuple(records))
            yield Assessed(transcript, tuple(signals), tuple(checks))


def concluded(suite: Suite, base: list[Assessed], tuned: list[Assessed]) -> Comparison:
    """The comparison of the two."""
    return compare(suite, base, tuned, base_run="base", tuned_run="tuned")


def main() -> None:
    """Measure, and print what was concluded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--conversations", type=int, default=10_000)
    parser.add_argument("--samples", type=int, default=1)
    parser.add_argument("--profile", action="store_true")
    asked = parser.parse_args()
    suite = checked_suite(asked.conversations)
    base = list(arm(suite, passes=0.6, samples=asked.samples, seed=SEED))
    tuned = list(arm(suite, passes=0.55, samples=asked.samples, seed=SEED + 1))
    profiler = cProfile.Profile()
    if asked.profile:
        profiler.enable()
    before = time.process_time()
    found = concluded(suite, base, tuned)
    seconds = time.process_time() - before
    if asked.profile:
        profiler.disable()
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(25)
    numbers = 3 * (len(found.contrasts) + len(found.profile))
    print(f"{asked.conversations} conversations x 4 turns x 2 arms x {asked.samples} samples: {seconds:.1f} s of CPU")
    print(f"{numbers} estimates, {len(found.verdicts)} verdicts")
    print(f"primary: {found.verdicts[0].word}, n={found.verdicts[0].contrast.difference.n}")


if __name__ == "__main__":
    main()
