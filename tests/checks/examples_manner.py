"""One example of each kind about language and manner: the check, a reply that passes, a reply that fails."""

from __future__ import annotations

from typing import Final

EXAMPLES: Final[dict[str, tuple[dict[str, object], str, str]]] = {
    "language": (
        {"kind": "language", "is": "de"},
        "Das Konzert ist am Samstag um sechs an der alten Mühle.",
        "The concert is on Saturday at six at the old mill.",
    ),
    "script": (
        {"kind": "script", "is": "cyrillic"},
        "Концерт в субботу в шесть.",
        "Kontsert v subbotu v shest.",
    ),
    "register": (
        {"kind": "register", "is": "formal", "language": "de"},
        "Bitte bringen Sie einen Schirm mit.",
        "Bring bitte einen Schirm mit.",
    ),
}
