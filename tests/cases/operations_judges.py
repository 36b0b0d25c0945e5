"""Operations of the published bug cases that reading judges answers: verdicts, games, and which turns are judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from multiturn.conversation import Conversation, Turn
from multiturn.judges.games import combine, pair_from_ratings
from multiturn.judges.planning import turns_to_judge
from multiturn.judges.reading import read_judgment
from multiturn.judgment import Exhibit, Judgment, Preference, Rating, Unreadable, Winner
from multiturn.rubric import Mode, Rubric, Scale, Template
from multiturn.transcript import FinishReason, Reply, Session, Timing, Transcript, TurnRecord

FINISH: Final[dict[str, FinishReason]] = {"stop": "stop", "length": "length", "content_filter": "filter"}
STATUS: Final = {"empty": "unparsed", "no_verdict": "unparsed"}
WINNERS: Final = {"a": "model_1", "b": "model_2", "tie": "tie", None: None}
SEATS: Final[dict[str, Winner]] = {"A": "first", "B": "second", "tie": "tie"}
VERDICTS: Final = {winner: letter for letter, winner in SEATS.items()}


def rubric(mode: Mode, scale: Scale | None = None) -> Rubric:
    """Of this mode; its prompt plays no part here."""
    return Rubric(
        name="case", version="1", mode=mode, scale=scale, templates=(Template(name="t", system="", prompt="", turns=1),)
    )


def judgment(given: dict[str, Any], asked: Rubric) -> Judgment:
    """What the judge's reply of a case says."""
    turn = given.get("judged_turn")
    reply = Reply(
        text=given["text"] or "",
        finish=FINISH.get(given.get("finish_reason", ""), "unknown"),
        timing=Timing(total=0),
        reasoning=given.get("reasoning_content") or "",
    )
    return read_judgment(reply, asked, schema=given.get("format") == "json", turn=None if turn is None else turn - 1)


def status(read: Judgment) -> str:
    """As the cases call it."""
    return STATUS.get(read.kind, read.kind) if isinstance(read, Unreadable) else "ok"


def parse_rating(given: dict[str, Any]) -> dict[str, Any]:
    """A grade on the scale of the case."""
    lowest, highest = given.get("scale", (1, 10))
    read = judgment(given, rubric("rating", Scale(lowest=lowest, highest=highest)))
    return {"status": status(read), "rating": read.value if isinstance(read, Rating) else None}


def parse_pairwise(given: dict[str, Any]) -> dict[str, Any]:
    """Which of two seats."""
    read = judgment(given, rubric("preference"))
    return {"status": status(read), "verdict": VERDICTS[read.winner] if isinstance(read, Preference) else None}


def game(given: dict[str, Any], name: str) -> Judgment | None:
    """One game: not asked where the case leaves it out, unreadable where it is null."""
    if name not in given:
        return None
    seat = given[name]
    return Unreadable(kind="no_verdict", fault="") if seat is None else Preference(winner=SEATS[seat])


def combine_games(given: dict[str, Any]) -> dict[str, Any]:
    """Two games in both orders."""
    outcome = combine(game(given, "game1"), game(given, "game2_swapped"))
    return {"winner": WINNERS[outcome.winner], "consistent": outcome.consistent}


def pair_from_scores(given: dict[str, Any]) -> dict[str, Any]:
    """Two grades; null is missing."""
    one, other = (None if score is None else Rating(value=score) for score in (given["score_1"], given["score_2"]))
    return {"winner": WINNERS[pair_from_ratings(one, other).winner]}


MODES: Final[dict[str, Mode]] = {"single": "rating", "pair": "preference", "pairwise": "preference"}


def plan_judgments(given: dict[str, Any]) -> dict[str, Any]:
    """A conversation whose every turn got a reply; references are goldens, as many as there are."""
    asked = given["conversation"]
    goldens = dict(enumerate(asked.get("references", ())))
    turns = tuple(Turn(text=text, golden=goldens.get(at)) for at, text in enumerate(asked["turns"]))
    held = Transcript(
        session=Session(asked["id"]),
        turns=tuple(
            TurnRecord(turn=at, user=turn.text, status="ok", reply="So it is.") for at, turn in enumerate(turns)
        ),
    )
    mode = MODES[given["mode"]]
    exhibit = Exhibit(
        conversation=Conversation(id=asked["id"], turns=turns),
        transcript=held,
        opponent=held if mode == "preference" else None,
    )
    judged = turns_to_judge(exhibit, mode)
    return {
        "judge_turns": [turn + 1 for turn in judged],
        "with_reference": [turn + 1 for turn in judged if turns[turn].golden is not None],
    }


OPERATIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "parse_rating": parse_rating,
    "parse_pairwise": parse_pairwise,
    "combine_games": combine_games,
    "pair_from_scores": pair_from_scores,
    "plan_judgments": plan_judgments,
}
