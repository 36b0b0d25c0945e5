"""One documented example of each kind about numbers, length and form: the check, a reply that passes, one that fails.

``TURNS`` are what came before: what the user said, what the model replied.
"""

from __future__ import annotations

from typing import Final

TURNS: Final = (
    (
        "How do I store 36 jars of plum jam?",
        "Keep the jars in a cool and dark cupboard, two rows deep, with the oldest ones in front.",
    ),
)

EXAMPLES: Final[dict[str, tuple[str, str, str]]] = {
    "number": (
        '{"kind": "number", "value": 36, "unit": ["jar*"], "not": [30]}',
        "In 2 rows of 18 you store all 36 of the jars.",
        "In 2 rows of 15 you store all 30 jars.",
    ),
    "count": (
        '{"kind": "count", "of": "bullets", "min": 2, "max": 3}',
        "- Keep it cool.\n- Keep it dark.",
        "- Keep it cool.\n- Keep it dark.\n- Keep it dry.\n- Keep it closed.",
    ),
    "one_sentence": (
        '{"kind": "one_sentence", "allow_leadin": true}',
        "Sure! Here it is: Keep the 36 jars cool and dark.",
        "Keep the 36 jars cool. Keep them dark.",
    ),
    "shorter": (
        '{"kind": "shorter", "ratio": 0.5, "floor": 5}',
        "In a cool and dark cupboard.",
        "Keep the jars in a cool and dark cupboard, two rows deep.",
    ),
    "longer": (
        '{"kind": "longer", "ratio": 1.2}',
        "Keep the jars in a cool and dark cupboard, two rows deep, with the oldest ones in front, and write the year on each lid.",
        "Keep the jars in a cool and dark cupboard.",
    ),
    "json": (
        '{"kind": "json", "schema": {"type": "object", "required": ["jars"], "properties": {"jars": {"const": 36}}}}',
        'Here it is:\n\n```json\n{"jars": 36, "place": "cupboard"}\n```',
        'Here it is:\n\n```json\n{"jars": "36", "place": "cupboard"}\n```',
    ),
    "code_block": (
        '{"kind": "code_block", "language": "python", "says": ["jars", ["rows", "row"]]}',
        "```python\nrows = jars // 18\n```",
        "```python\nprint(36)\n```",
    ),
    "table": (
        '{"kind": "table", "columns": {"exactly": 2}, "rows": {"min": 2}, "header": [["year", "date"]]}',
        "| Year | Jars |\n|---|---|\n| 2025 | 12 |\n| 2026 | 24 |",
        "| Shelf | Jars |\n|---|---|\n| 1 | 12 |\n| 2 | 24 |",
    ),
    "list": (
        '{"kind": "list", "items": {"exactly": 3}, "ordered": true}',
        "1. Wash the jars.\n2. Dry them.\n3. Close them.",
        "- Wash the jars.\n- Dry them.\n- Close them.",
    ),
    "no_markdown": (
        '{"kind": "no_markdown", "allow": ["list"]}',
        "Two rules:\n- Cool.\n- Dark.",
        "**Two rules:**\n- Cool.\n- Dark.",
    ),
}
