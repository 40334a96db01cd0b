"""A deck draws all entries of a list before one comes again."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from worksmith.tools.kinds.enterprise.generate.business.deck import Deck


@given(st.integers(), st.integers(1, 12), st.integers(1, 3))
def test_each_round_has_every_entry_once(seed: int, size: int, rounds: int) -> None:
    deck, entries = Deck(random.Random(seed)), list(range(size))

    for _ in range(rounds):
        assert sorted(deck.draw("list", entries) for _ in entries) == entries


@given(st.integers(), st.lists(st.sampled_from("ab"), max_size=20))
def test_lists_do_not_take_from_each_other(seed: int, names: list[str]) -> None:
    deck = Deck(random.Random(seed))
    drawn: dict[str, list[int]] = {"a": [], "b": []}

    for name in names:
        drawn[name].append(deck.draw(name, range(10)))

    assert all(len(set(found[:10])) == len(found[:10]) for found in drawn.values())
