"""One documented example of each kind about words, facts and speech: the check, a reply that passes, one that fails.

``TURNS`` are what came before: what the user said, what the model replied.
"""

from __future__ import annotations

from typing import Final

TURNS: Final = (
    ("My friend Mira eats no walnuts. Which cake for Saturday?", "A lemon cake: it is light and takes 40 minutes."),
    ("Could she eat it on Friday already?", "Yes, it keeps for days."),
)

EXAMPLES: Final[dict[str, tuple[str, str, str]]] = {
    "says": (
        '{"kind": "says", "any": ["lemon*", "citrus"]}',
        "Bake the lemon cake.",
        "Bake the chocolate cake.",
    ),
    "does_not_say": (
        '{"kind": "does_not_say", "any": ["walnut*"], "unless_negated": true}',
        "A lemon cake, without walnuts.",
        "A carrot cake with walnuts.",
    ),
    "recalls": (
        '{"kind": "recalls", "facts": [["Mira"], ["Saturday", "the weekend"]], "distractors": ["Friday"]}',
        "You bake it for Mira, on Saturday.",
        "You bake it for Mira, on Friday.",
    ),
    "chooses": (
        '{"kind": "chooses", "options": [["lemon*"], ["carrot*"], ["chocolate"]], "back": 2}',
        "The lemon cake, not the carrot cake.",
        "The carrot cake.",
    ),
    "quotes": (
        '{"kind": "quotes", "back": 2, "words": 4}',
        "I said that “it is light and takes 40 minutes”.",
        "I said that it is quick and light.",
    ),
    "keeps": (
        '{"kind": "keeps", "back": 2, "what": ["names"]}',
        "A cake for Mira, on Saturday.",
        "A cake for your friend, on Saturday.",
    ),
    "starts_with": (
        '{"kind": "starts_with", "any": ["Dear Mira"]}',
        "> **Dear Mira**, the cake is ready.",
        "Here is the letter: Dear Mira, the cake is ready.",
    ),
    "ends_with": (
        '{"kind": "ends_with", "any": ["see you on Saturday"]}',
        "The cake is ready. See you on Saturday!",
        "See you on Saturday! The cake is ready.",
    ),
    "regex": (
        '{"kind": "regex", "pattern": "(?m)^Step \\\\d+:"}',
        "Step 1: beat the eggs.",
        "First, beat the eggs.",
    ),
    "polarity": (
        '{"kind": "polarity", "same_as": 1}',
        "She can eat it on Friday, yes.",
        "No, it must rest.",
    ),
    "asks_question": (
        '{"kind": "asks_question", "about": ["oven", "tin"]}',
        "Gladly. How large is your tin?",
        "Why does the tin matter? Because a large one needs less time.",
    ),
    "refusal": (
        '{"kind": "refusal"}',
        "I'm sorry, but I can't help with that.",
        "Beat the eggs, then add the lemon.",
    ),
    "not_refusal": (
        '{"kind": "not_refusal"}',
        "Beat the eggs, then add the lemon.",
        "I'm sorry, but I can't help with that.",
    ),
    "all_of": (
        '{"kind": "all_of", "checks": [{"kind": "says", "any": ["lemon*"]}, {"kind": "says", "any": ["40 minutes"]}]}',
        "The lemon cake takes 40 minutes.",
        "The lemon cake takes an hour.",
    ),
    "any_of": (
        '{"kind": "any_of", "checks": [{"kind": "says", "any": ["lemon*"]}, {"kind": "asks_question"}]}',
        "Which cake does she like?",
        "The carrot cake.",
    ),
    "not": (
        '{"kind": "not", "check": {"kind": "quotes", "back": 2}}',
        "It is quick to bake.",
        "As I said, it is light and takes 40 minutes.",
    ),
}
"""kind -> (check, a reply that passes it after ``TURNS``, a reply that fails it there)"""
