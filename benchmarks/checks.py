# ruff: noqa: RUF001 - replies in several languages
"""What checks and signals cost a reply: CPU time of assessing transcripts, and where it goes.

    python benchmarks/checks.py [--transcripts 10000] [--profile]

Transcripts of four turns with replies of 20 to 200 words, no two alike: sentences of the shipped suite's goldens in the
styles that models have (terse, chatty, lists, code), a tenth of them in other languages. Each turn has two checks, of
all kinds in turn. Drawn from a fixed seed, and not timed while they are drawn.
"""

from __future__ import annotations

import argparse
import cProfile
import itertools
import json
import pstats
import random
import time
from collections.abc import Iterator
from typing import Final

from workload import ASKS, TOPICS

from multiturn.api import DEFAULT_SUITE, load_suite
from multiturn.assess import assess
from multiturn.checks.reading import check_transcript
from multiturn.conversation import CheckJson, Conversation, Turn
from multiturn.text.measure import count_words, sentences
from multiturn.transcript import Session, Transcript, TurnRecord

SEED: Final = 7
TURNS: Final = 4
CHECKS_A_TURN: Final = 2

OTHER_LANGUAGES: Final = (
    ("Der Zug an die Küste fährt um neun.", "Bitte nehmen Sie einen Schirm mit.", "Am Abend wird es windig."),
    ("Поезд на побережье уходит в девять.", "Возьмите с собой зонт.", "Вечером будет ветрено."),
    ("去海边的火车九点出发。", "请带一把伞。", "晚上会起风。", "我们在车站等您。"),
)
CHECKS: Final[tuple[dict[str, object], ...]] = (
    {"kind": "says", "any": ["5:45", "17:45", "quarter to six"]},
    {"kind": "says", "all": [["lasagne", "lasagna"], "spinach"], "scope": "artefact"},
    {"kind": "does_not_say", "any": ["walnut*", "nuts"], "unless_negated": True},
    {"kind": "recalls", "facts": ["Mira", ["walnut*"]], "distractors": ["Joel"]},
    {"kind": "chooses", "options": [["planetarium"], ["aquarium"], ["glass workshop"]], "is": 1},
    {"kind": "quotes", "back": 1},
    {"kind": "keeps", "back": 1, "what": ["numbers", "names"]},
    {"kind": "starts_with", "any": ["Heron House"], "scope": "artefact"},
    {"kind": "ends_with", "any": ["wind"]},
    {"kind": "regex", "pattern": "\\d+ legs", "scope": "first_sentence"},
    {"kind": "number", "value": 36},
    {"kind": "count", "of": "sentences", "max": 3},
    {"kind": "one_sentence", "allow_leadin": True},
    {"kind": "shorter"},
    {"kind": "longer"},
    {"kind": "json"},
    {"kind": "code_block", "language": "python", "says": ["convert"]},
    {"kind": "table", "columns": {"exactly": 2}},
    {"kind": "list", "items": {"exactly": 3}},
    {"kind": "no_markdown", "allow": ["emphasis"]},
    {"kind": "language", "is": ["en", "de"]},
    {"kind": "script", "is": "latin", "scope": "prose"},
    {"kind": "register", "is": "formal"},
    {"kind": "polarity", "is": "yes"},
    {"kind": "asks_question"},
    {"kind": "refusal"},
    {"kind": "not_refusal"},
    {"kind": "all_of", "checks": [{"kind": "says", "any": ["Lena"]}, {"kind": "count", "of": "words", "max": 25}]},
    {"kind": "any_of", "checks": [{"kind": "says", "any": ["shelves"]}, {"kind": "says", "any": ["carpets"]}]},
    {"kind": "not", "check": {"kind": "says", "any": ["143"]}},
)
"""One of each kind at least."""


def replies() -> Iterator[str]:
    """Replies without end."""
    draw = random.Random(SEED)  # noqa: S311 - a fixed workload
    goldens = [turn.golden for one in load_suite(DEFAULT_SUITE).conversations for turn in one.turns if turn.golden]
    english = [sentence for golden in goldens if "```" not in golden for sentence in sentences(golden)]
    code = [golden for golden in goldens if "```" in golden]
    for number in itertools.count():
        pool = draw.choice(OTHER_LANGUAGES) if draw.random() < 0.1 else english  # noqa: PLR2004 - a tenth
        said, target = [draw.choice(pool)], draw.randint(20, 200)
        while sum(map(count_words, said)) < target:
            said.append(draw.choice(pool))
        text = f"{' '.join(said)} That makes {number}."
        style = draw.random()
        if style < 0.25:  # noqa: PLR2004
            yield text
        elif style < 0.6:  # noqa: PLR2004
            yield f"Sure! Here's what I'd say:\n\n{text}\n\nLet me know if you'd like any changes!"
        elif style < 0.9:  # noqa: PLR2004
            yield (
                f"### Number {number}\n\n"
                + "\n".join(f"- **{one}**" for one in said)
                + "\n\n---\n*Want a shorter one?*"
            )
        else:
            yield f"{text}\n\n{draw.choice(code)}"


def workload(transcripts: int) -> Iterator[tuple[Conversation, Transcript]]:
    """So many conversations with checks, each as a model held it."""
    written = itertools.cycle([CheckJson(json.dumps(check).encode()) for check in CHECKS])
    reply = replies()
    for number in range(transcripts):
        asked = [ask.format(topic=TOPICS[number % len(TOPICS)], number=number) for ask in ASKS]
        turns = [Turn(text=text, checks=tuple(itertools.islice(written, CHECKS_A_TURN))) for text in asked]
        records = [
            TurnRecord(turn=at, user=text, status="ok", finish="stop", reply=next(reply), new_tokens=200)
            for at, text in enumerate(asked)
        ]
        conversation = Conversation(id=f"c{number:05d}", turns=tuple(turns))
        yield conversation, Transcript(session=Session(conversation.id), turns=tuple(records))


def measure(transcripts: int) -> None:
    """Print replies a second, and what signals and checks have of the time."""
    seconds = {"signals": 0.0, "checks": 0.0}
    words = 0
    for conversation, transcript in workload(transcripts):
        words += sum(count_words(turn.reply or "") for turn in transcript.turns)
        start = time.process_time()
        assess(transcript)
        between = time.process_time()
        check_transcript(conversation, transcript)
        seconds["signals"] += between - start
        seconds["checks"] += time.process_time() - between
    total = sum(seconds.values())
    count = transcripts * TURNS
    print(f"{count} replies of {words / count:.0f} words on average, {CHECKS_A_TURN * count} checks")
    print(f"{count / total:.0f} replies a second, {1000 * total / count:.3f} ms CPU a reply")
    for part, spent in seconds.items():
        print(f"{part:8} {spent / total:5.0%}  {1000 * spent / count:.3f} ms a reply")


def profile(transcripts: int) -> None:
    """Print the fifteen functions with the most time of their own."""
    drawn = list(workload(transcripts))
    profiler = cProfile.Profile()
    profiler.enable()
    for conversation, transcript in drawn:
        assess(transcript, conversation=conversation)
    profiler.disable()
    pstats.Stats(profiler).strip_dirs().sort_stats("tottime").print_stats(15)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--transcripts", type=int, default=10_000)
    parser.add_argument(
        "--profile", action="store_true", help="where the time goes, over a twentieth of the transcripts"
    )
    asked = parser.parse_args()
    for conversation, transcript in workload(50):  # loads the language model, and compiles what is compiled once
        assess(transcript, conversation=conversation)
    measure(asked.transcripts)
    if asked.profile:
        profile(max(1, asked.transcripts // 20))


if __name__ == "__main__":
    main()
