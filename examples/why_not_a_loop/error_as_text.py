"""An error kept as the text of a reply: it is measured, and sent on as what the model said.

python examples/why_not_a_loop/error_as_text.py
"""

from collections.abc import Sequence

import by_multiturn

from multiturn.errors import ReplyFailed
from multiturn.transcript import Request

TURNS = ("Name a river.", "Where does it end?", "And a longer one?")
REPLIES = ("The Tagus is one.", "In the Atlantic.", "The Nile is longer.")


def server(messages: Sequence[str]) -> str:
    """A server that fails at the second turn, and tells what it was sent at the third."""
    turn = len(messages) // 2
    if turn == 1:
        raise ReplyFailed("timeout", "no reply within 30 s")
    return REPLIES[turn]


def scripted(request: Request) -> str:
    """The same server, as an engine of multiturn."""
    return server([message.content for message in request.messages])


def main() -> None:
    """The mean length of the replies, and what the third turn was told."""
    messages: list[str] = []
    lengths = []
    for user in TURNS:
        messages.append(user)
        try:
            reply = server(messages)
        except Exception as error:  # noqa: BLE001 - this is what is shown
            reply = f"ERROR: {error}"
        messages.append(reply)
        lengths.append(len(reply.split()))
    print(f"the loop: {len(lengths)} replies of {sum(lengths) / len(lengths):.1f} words; sent on as the model's own:")
    print(f"  {messages[3]!r}")
    held = by_multiturn.hold("scripted:error_as_text:scripted", {"rivers": TURNS})["rivers"]
    replies = [record.reply for record in held if record.reply is not None]
    words = sum(len(reply.split()) for reply in replies) / len(replies)
    print(f"multiturn: {len(replies)} reply of {words:.1f} words, {sum(record.missing for record in held)} missing:")
    for record in held:
        told = f": {record.failure.kind}" if record.failure else ""
        print(f"  turn {record.turn + 1} {record.status}{told}")


if __name__ == "__main__":
    main()
