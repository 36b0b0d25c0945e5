"""Refusals as a list of phrases in one spelling: what it misses, and what it takes for one.

python examples/why_not_a_loop/one_apostrophe.py
"""

from multiturn.text.refusal import refusal

REFUSALS = ["i can't", "i cannot", "i'm sorry", "i am unable", "as an ai"]
REPLIES = (
    "I can't help with that.",
    "I can\u2019t help with that.",
    "I **cannot** assist with this request.",
    "Unfortunately, that's not something I'm able to do.",
    "I'm sorry to hear that! Take your time, and drink enough.",
    'She wrote: "I cannot come." Shall I make it shorter?',
    "As an AI engineer you will need Python.",
)


def main() -> None:
    """Both counts, reply by reply."""
    print(f"{'loop':9}{'multiturn':11}reply")
    for reply in REPLIES:
        flagged = any(phrase in reply.lower() for phrase in REFUSALS)
        print(f"{'refusal' if flagged else '-':9}{_word(refusal(reply).kind):11}{reply}")


def _word(kind: str) -> str:
    return "-" if kind == "none" else "refusal"


if __name__ == "__main__":
    main()
