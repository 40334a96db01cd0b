"""Batches hold every example once and have a bounded size."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from worksmith.training.batches import batches_of
from worksmith.training.encoding import Encoded, Pair

_LENGTHS = st.lists(st.integers(1, 50), min_size=1, max_size=40)


def _examples(lengths: list[int]) -> list[Encoded]:
    return [Encoded([at] * length, [at] * length) for at, length in enumerate(lengths)]


@given(_LENGTHS, st.integers(1, 120), st.booleans(), st.integers(0, 3))
def test_batches_hold_every_example_once_and_no_more_tokens_than_asked(
    lengths: list[int], most: int, packing: bool, seed: int
) -> None:
    examples = _examples(lengths)
    batches = batches_of(examples, most, packing=packing, seed=seed)
    assert sorted(each.tokens[0] for batch in batches for each in batch if isinstance(each, Encoded)) == [
        *range(len(examples))
    ]
    for batch in batches:
        sizes = [len(each.tokens) for each in batch if isinstance(each, Encoded)]
        assert len(batch) == 1 or (sum(sizes) if packing else max(sizes) * len(sizes)) <= most
    assert batches == batches_of(examples, most, packing=packing, seed=seed)


def test_a_pair_counts_both_replies() -> None:
    pairs = [Pair(*_examples([10, 6])), Pair(*_examples([4, 10]))]
    assert len(batches_of(pairs, 40, packing=False, seed=0)) == 1
    assert len(batches_of(pairs, 39, packing=False, seed=0)) == 2


def test_examples_of_like_lengths_are_together() -> None:
    batches = batches_of(_examples([9, 2, 8, 3]), 20, packing=False, seed=0)
    assert [sorted(len(each.tokens) for each in batch if isinstance(each, Encoded)) for batch in batches] == [
        [2, 3],
        [8, 9],
    ]
