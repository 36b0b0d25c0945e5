# ruff: noqa: T201 - a script for a terminal
"""Holding a suite blind: whoever replies sees the system prompts and the user turns, one at a time, and nothing else.

::

    python tests/suites/hold_blind.py start batch.json --suite mtbench_conversations --style terse [--ids a,b] [--ablated]
    python tests/suites/hold_blind.py next batch.json                 # what each open conversation's user says now
    python tests/suites/hold_blind.py say batch.json replies.json     # {"id": "the reply", ...} for all of them
    python tests/suites/hold_blind.py finish batch.json held.jsonl    # appends one line a conversation, verbatim

``--ablated`` asks the probes without the turn that they need. ``multiturn suite prove`` reads what ``finish`` writes.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import msgspec

from multiturn.conversation import Conversation
from multiturn.suites.blind import Held
from multiturn.suites.proof import ablations
from multiturn.suites.reading import load_suite


class Batch(msgspec.Struct):
    """The state of a batch: which conversations, and the replies so far by id."""

    suite: str
    style: str
    ablated: bool
    replies: dict[str, list[str]]


def conversations(batch: Batch) -> dict[str, Conversation]:
    """What is asked in this batch, by id."""
    suite = load_suite(batch.suite)
    asked = {one.id: one.asked for one in ablations(suite)} if batch.ablated else {}
    return asked or {one.id: one for one in suite.conversations}


def start(args: argparse.Namespace) -> None:
    """Begin a batch."""
    batch = Batch(suite=args.suite, style=args.style, ablated=args.ablated, replies={})
    known = conversations(batch)
    wanted = args.ids.split(",") if args.ids else list(known)
    unknown = [one for one in wanted if one not in known]
    if unknown:
        sys.exit(f"no such conversations: {', '.join(unknown)}")
    batch.replies = {one: [] for one in wanted}
    save(args.batch, batch)


def show(args: argparse.Namespace) -> None:
    """Print what the user says now in each conversation that is not over."""
    batch = load(args.batch)
    known = conversations(batch)
    for name, replies in batch.replies.items():
        conversation = known[name]
        if len(replies) == len(conversation.turns):
            continue
        print(f"=== {name} (turn {len(replies) + 1})")
        if conversation.system and not replies:
            print(f"[system prompt] {conversation.system}")
        print(conversation.turns[len(replies)].text)
        print()


def say(args: argparse.Namespace) -> None:
    """Take one reply for each open conversation."""
    batch = load(args.batch)
    known = conversations(batch)
    given = json.loads(args.replies.read_text(encoding="utf-8"))
    still_open = [name for name, replies in batch.replies.items() if len(replies) < len(known[name].turns)]
    missing = [name for name in still_open if not isinstance(given.get(name), str)]
    strange = [name for name in given if name not in still_open]
    if missing or strange:
        sys.exit(f"nothing kept. No reply for: {missing}; not open: {strange}")
    for name in still_open:
        batch.replies[name].append(given[name])
    save(args.batch, batch)
    left = sum(len(known[name].turns) > len(replies) for name, replies in batch.replies.items())
    print(f"kept {len(still_open)} replies; {left} conversations go on")


def finish(args: argparse.Namespace) -> None:
    """Append the conversations to a file, one a line."""
    batch = load(args.batch)
    known = conversations(batch)
    unfinished = [name for name, replies in batch.replies.items() if len(replies) < len(known[name].turns)]
    if unfinished:
        sys.exit(f"not over yet: {', '.join(unfinished)}")
    with args.held.open("ab") as file:
        for name, replies in batch.replies.items():
            held = Held(conversation=name, style=batch.style, replies=tuple(replies))
            file.write(msgspec.json.encode(held) + b"\n")


def load(path: Path) -> Batch:
    """The state of a batch."""
    return msgspec.json.decode(path.read_bytes(), type=Batch)


def save(path: Path, batch: Batch) -> None:
    """Keep the state of a batch."""
    path.write_bytes(msgspec.json.encode(batch))


def main() -> None:
    """Read the arguments and do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    begin = commands.add_parser("start")
    begin.add_argument("batch", type=Path)
    begin.add_argument("--suite", required=True)
    begin.add_argument("--style", required=True)
    begin.add_argument("--ids", default="")
    begin.add_argument("--ablated", action="store_true")
    begin.set_defaults(do=start)
    for name, do, more in (("next", show, ""), ("say", say, "replies"), ("finish", finish, "held")):
        command = commands.add_parser(name)
        command.add_argument("batch", type=Path)
        if more:
            command.add_argument(more, type=Path)
        command.set_defaults(do=do)
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
