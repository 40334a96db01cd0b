"""Beginnings that are kept once, and found again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.slow  # torch takes seconds to load

TOKENS = st.lists(st.integers(1, 3), min_size=1, max_size=12)


@given(st.lists(TOKENS, max_size=8), st.sampled_from([200, 10_000]))
@settings(max_examples=60, deadline=None)
def test_what_is_found_is_the_longest_kept_beginning(sequences: list[list[int]], room: int) -> None:
    import torch

    from worksmith.models.transformer.prefixes import Prefixes

    def layers(tokens: list[int]) -> list[tuple[torch.Tensor, torch.Tensor]]:
        values = torch.tensor(tokens, dtype=torch.float32).reshape(1, -1, 1)
        return [(values, -values)]

    prefixes = Prefixes(room)
    kept: list[list[int]] = []
    for tokens in sequences:
        path = prefixes.find(tokens)
        known = path[-1].end if path else 0
        longest = max((shared(tokens, each) for each in kept), default=0)
        assert known <= longest
        assert known == longest or room == 200

        if rest := tokens[known:]:
            path = prefixes.keep(path, rest, layers(rest))
        kept.append(tokens)
        assert [token for each in path for token in each.tokens] == tokens
        for each in path:
            [(keys, values)] = each.layers
            assert keys.flatten().tolist() == each.tokens == (-values).flatten().tolist()


def shared(one: list[int], other: list[int]) -> int:
    return max(n for n in range(len(other) + 1) if one[:n] == other[:n])
