"""Error bars over turns, as if the turns of a conversation knew nothing of each other.

    python examples/why_not_a_loop/turns_counted_as_independent.py

Simulated: two models that are equally good, 20 conversations of 5 turns. Some conversations are hard for both, and a
conversation that goes wrong stays wrong. How often does a 95 % interval of the difference leave out the truth, 0?
"""

import random

from multiturn.results import Estimate
from multiturn.stats.paired import mean_interval, paired_difference

CONVERSATIONS, TURNS = 20, 5


def main(studies: int = 2000) -> None:
    """Both kinds of interval, over many simulated studies."""
    chance = random.Random(1)  # noqa: S311 - a simulation
    wrong_by_turns = wrong_by_conversations = 0
    for _ in range(studies):
        hard = [chance.random() for _ in range(CONVERSATIONS)]
        base, tuned = ([_refused_turns(chance, one) for one in hard] for _ in range(2))
        differences = [
            float(second) - float(first)
            for one, other in zip(base, tuned, strict=True)
            for first, second in zip(one, other, strict=True)
        ]
        wrong_by_turns += _leaves_out_0(mean_interval(differences))
        before, after = ({str(at): sum(row) / TURNS for at, row in enumerate(arm)} for arm in (base, tuned))
        wrong_by_conversations += _leaves_out_0(paired_difference(before, after))
    print(f"{studies} studies of two equal models; a 95 % interval should find a difference in 5 % of them")
    print(f"the loop, {CONVERSATIONS * TURNS} turns as if independent: {wrong_by_turns / studies:.1%}")
    print(f"multiturn, {CONVERSATIONS} conversations: {wrong_by_conversations / studies:.1%}")


def _refused_turns(chance: random.Random, hard: float) -> list[bool]:
    """Turn by turn: wrong from some turn on, or never."""
    begins = chance.randrange(TURNS) if chance.random() < hard else TURNS
    return [turn >= begins for turn in range(TURNS)]


def _leaves_out_0(found: Estimate) -> bool:
    return found.low is not None and found.high is not None and not found.low <= 0 <= found.high


if __name__ == "__main__":
    main()
