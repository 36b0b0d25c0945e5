"""Declared looks: each is taken once, kept in order, and outlives its runs."""

from __future__ import annotations

import math

import pytest

from multiturn.errors import StoreError
from multiturn.looks import Look
from multiturn.store import Store, open_store

KEY, OTHER = "a" * 64, "0123456789abcdef" * 4


def look(number: int = 1, key: str = KEY, level: float = 0.0294, *, held_before: bool = False) -> Look:
    return Look(
        key=key,
        look=number,
        created="2026-01-02T03:04:05+00:00",
        base_run="run-0",
        tuned_run="run-1",
        level=level,
        plan='{"margins":{},"primary":"check_pass"}',
        held_before=held_before,
    )


def test_looks_come_back_in_their_order_to_the_last_digit(store: Store) -> None:
    """Added the other way round; those at another comparison are not among them."""
    kept = [look(2, level=0.1 + 0.2, held_before=True), look(1, level=math.ulp(0.0)), look(1, OTHER)]
    for one in kept:
        store.add_look(one)
    assert store.looks(KEY) == (kept[1], kept[0])
    assert store.looks(OTHER) == (kept[2],)
    assert store.looks("b" * 64) == ()


def test_a_look_is_taken_once(store: Store) -> None:
    """What was kept of the first time stands."""
    store.add_look(look(1, level=0.03))
    with pytest.raises(StoreError, match="look 1 at this comparison was taken before"):
        store.add_look(look(1, level=0.05))
    assert [one.level for one in store.looks(KEY)] == [0.03]


def test_looks_outlive_their_runs_and_the_process(store: Store) -> None:
    """The base's run never was here, the tuned model's is deleted."""
    store.add_look(look())
    store.delete_run("run-1")
    with open_store(store.path) as again:
        assert again.looks(KEY) == (look(),)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("key", "a" * 63),
        ("key", "A" * 64),
        ("key", "a" * 64 + "\n"),
        ("look", 0),
        ("look", 3),
        ("created", ""),
        ("base_run", ""),
        ("tuned_run", ""),
        ("plan", ""),
        ("level", 0.0),
        ("level", 1.0),
        ("level", math.nan),
    ],
)
def test_what_is_no_look(field: str, value: object) -> None:
    fields = {name: getattr(look(), name) for name in Look.__struct_fields__}
    with pytest.raises(ValueError, match="look"):
        Look(**(fields | {field: value}))
