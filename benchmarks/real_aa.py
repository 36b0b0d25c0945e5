"""How often a real model regresses against itself: one run with many samples, split into disjoint A/A pairs.

    multiturn run demo:base --suite quick --samples 20 --max-tokens 96 --store outputs/aa.db
    python benchmarks/real_aa.py --store outputs/aa.db [--run latest]

Samples 1 and 2 are a base and a tuned model, so are 3 and 4, and so on: whatever differs between them is noise. Each
pair is compared as two models are, and every verdict that something moved is false. The pairs share conversations, so
the interval of the share of false verdicts (Wilson's) is that for this model and this suite.
"""

from __future__ import annotations

import argparse
from collections import Counter

import msgspec

from multiturn.api import assessed, open_store
from multiturn.compare import compare
from multiturn.finding import Assessed
from multiturn.report.numbers import change, difference_alone, estimate, label_of, unit_of
from multiturn.results import MOVED, Comparison
from multiturn.stats.rates import wilson


def as_only_sample(found: Assessed) -> Assessed:
    """The same as sample 0."""
    session = msgspec.structs.replace(found.transcript.session, sample=0)
    return msgspec.structs.replace(found, transcript=msgspec.structs.replace(found.transcript, session=session))


def pairs(store: str, reference: str) -> list[Comparison]:
    """The comparisons of the run's samples, two by two."""
    with open_store(store, create=False) as opened:
        run = opened.run(reference)
        suite = opened.suite(run.conditions.suite_digest)
        by_sample: dict[int, list[Assessed]] = {}
        for found in assessed(opened, run):
            by_sample.setdefault(found.transcript.session.sample, []).append(as_only_sample(found))
    samples = [by_sample[sample] for sample in sorted(by_sample)]
    return [
        compare(suite, base, tuned, base_run="odd", tuned_run="even", same_model=True)
        for base, tuned in zip(samples[::2], samples[1::2], strict=False)
    ]


def main() -> None:
    """Print each pair's primary verdict, and how many words are false."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--store", required=True)
    parser.add_argument("--run", default="latest")
    asked = parser.parse_args()
    found = pairs(asked.store, asked.run)
    words: Counter[str] = Counter()
    false = {"primary": 0, "secondary": 0, "any": 0}
    for at, comparison in enumerate(found, 1):
        primary = comparison.verdicts[0]
        words[primary.word] += 1
        moved = {verdict.role for verdict in comparison.verdicts if verdict.word in MOVED}
        false["primary"] += "primary" in moved
        false["secondary"] += "secondary" in moved
        false["any"] += bool(moved)
        told = ", ".join(
            f"{label_of(one.measure)} {one.word} {change(one.contrast.difference.value, unit_of(one.measure))}"
            for one in comparison.verdicts[1:]
            if one.word in MOVED
        )
        print(f"pair {at:2}: {difference_alone(primary.contrast.difference, 'share'):34} {primary.word} {told}")
    print(f"primary: {dict(words)}")
    for kind, count in false.items():
        print(
            f"pairs with a false word ({kind}): {count} of {len(found)}: {estimate(wilson(count, len(found)), 'share')}"
        )


if __name__ == "__main__":
    main()
