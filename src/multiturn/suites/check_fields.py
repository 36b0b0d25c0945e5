"""The checks of a turn: from a suite file to checks that can be asked, with every fault of them collected."""

from __future__ import annotations

import msgspec

from multiturn.checks.reading import DOCS, longest_back, read_check
from multiturn.conversation import CheckJson
from multiturn.suites.findings import Place, kind_of, plain
from multiturn.suites.places import Raw, Refused


def read_checks(value: object, index: int, place: Place) -> tuple[CheckJson, ...]:
    """The checks of a turn, each tried; what a check reads of earlier turns must be there."""
    if value is None or isinstance(value, Refused):
        return ()
    if not isinstance(value, list):
        place.fault(f"must be a list of checks, not {kind_of(value)}; {DOCS}")
        return ()
    found: list[CheckJson] = []
    for number, written in enumerate(value):
        here = place.item(number)
        if isinstance(written, Refused):
            continue
        if not isinstance(written, Raw):
            here.fault(f'must be an object like {{"kind": "says", "any": ["5:45"]}}, not {kind_of(written)}')
            continue
        try:
            data = msgspec.json.encode(plain(written))
            back = longest_back(read_check(CheckJson(data)))
        except ValueError as error:
            here.fault(str(error))
            continue
        if back > index:
            most = f"turns[{index}] can look back {index} at most" if index else "the first turn has none before it"
            here.fault(f"looks {back} turns back, before the first turn; {most}")
            continue
        found.append(CheckJson(data))
    return tuple(found)
