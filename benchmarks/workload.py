"""What the benchmarks hold: suites of any size, written here so that figures do not move with the shipped suite."""

from __future__ import annotations

from multiturn.conversation import Conversation, Suite, Turn

TOPICS = ("bread", "tides", "chess openings", "a lost umbrella", "solar panels", "the colour blue", "beekeeping")
ASKS = (
    "Tell me something about {topic} that a beginner should know, case {number}.",
    "Go on from there and give me one example of it.",
    "Now say the same for somebody who has only ten seconds to read it.",
    "What was my first question, and what would you add to your answer to it?",
)


def suite_of(conversations: int, turns: int = 4) -> Suite:
    """So many conversations of up to four turns each, no two alike."""
    return Suite(
        name="benchmark",
        conversations=tuple(
            Conversation(
                id=f"c{number:05d}",
                turns=tuple(
                    Turn(text=ask.format(topic=TOPICS[number % len(TOPICS)], number=number)) for ask in ASKS[:turns]
                ),
            )
            for number in range(conversations)
        ),
    )
