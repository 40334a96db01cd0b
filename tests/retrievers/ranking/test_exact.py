from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worksmith.retrievers.ranking.coded import CodedVectors, encode
from worksmith.retrievers.ranking.exact import ExactVectors


@given(
    seed=st.integers(0, 10_000),
    passages=st.lists(st.integers(1, 3), min_size=1, max_size=60),
    share=st.sampled_from([0.0, 0.05, 0.3, 0.7, 1.0]),
    k=st.integers(1, 70),
    repeated=st.booleans(),
)
def test_finds_what_comparing_with_every_vector_finds(
    seed: int, passages: list[int], share: float, k: int, repeated: bool
) -> None:
    draw = np.random.default_rng(seed)
    owners = np.repeat(np.arange(len(passages), dtype=np.int32), passages)
    matrix = draw.normal(size=(len(owners), 8)).astype(np.float32)
    if repeated:  # ties
        matrix = matrix.round().clip(-1, 1)
    query = draw.normal(size=8).astype(np.float32).round(1)
    eligible = draw.random(len(passages)) < share

    best: dict[int, float] = {}
    for owner, row in zip(owners.tolist(), matrix, strict=True):
        if eligible[owner]:
            best[owner] = max(best.get(owner, -1e9), float(np.dot(row.astype(np.float64), query)))
    expected = sorted(best, key=lambda owner: (-round(best[owner], 9), owner))[:k]

    found = ExactVectors(matrix, owners).nearest(query, k, eligible)

    assert expected == found.places.tolist()
    assert [round(best[owner], 9) for owner in expected] == found.scores.tolist()


def test_many_rows_under_every_kind_of_filter() -> None:
    draw = np.random.default_rng(5)
    matrix = draw.normal(size=(20_000, 16)).astype(np.float32)
    vectors = ExactVectors(matrix, np.arange(len(matrix), dtype=np.int32))
    for share in (0.001, 0.1, 0.25, 0.9):
        eligible = draw.random(len(matrix)) < share
        for query in matrix[:5]:
            scores = np.where(eligible, matrix @ query, -np.inf)
            expected = set(np.argsort(-scores)[:10].tolist())

            assert expected == set(vectors.nearest(query, 10, eligible).places.tolist())


@pytest.mark.parametrize("directions", [12, 96], ids=["alike", "different"])
def test_codes_change_no_result(directions: int) -> None:
    """Rows in few directions are told apart by the head of their codes, others by whole codes."""
    draw = np.random.default_rng(5)
    matrix = draw.normal(size=(30_000, directions)) @ draw.normal(size=(directions, 96))
    matrix = (matrix / np.linalg.norm(matrix, axis=1)[:, None]).astype(np.float32)
    matrix[1], matrix[9000:9010] = 0, matrix[0]  # ties
    owners = (np.arange(len(matrix)) // 2).astype(np.int32)
    exact, coded = ExactVectors(matrix, owners), CodedVectors(matrix, owners, encode(matrix))
    masks = [draw.random(owners[-1] + 1) < share for share in (0.0, 0.05, 0.8)]
    for query in matrix[[0, 7, 500]]:
        for mask in (None, *masks):
            for k in (1, 50):
                one, other = exact.nearest(query, k, mask), coded.nearest(query, k, mask)

                assert one.places.tolist() == other.places.tolist()
                assert one.scores.tolist() == other.scores.tolist()
