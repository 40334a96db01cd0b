from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.kinds.crm.soql.agreement import Pair
from worksmith.tools.kinds.crm.schema import Links, crm_schema
from worksmith.tools.seeding import rng


@given(st.integers(0, 2**32), st.sampled_from(["text", "lookup"]))
@settings(max_examples=20)
def test_the_engine_agrees_with_the_naive_evaluator(seed: int, links: Links) -> None:
    pair = Pair.draw(rng(seed, "agreement"), 12, crm_schema(links))
    for _ in range(20):
        assert pair.disagreement(pair.chooser.query()) == ""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_they_agree_on_very_many(seed: int) -> None:
    for part in range(10):
        pair = Pair.draw(rng(seed, "agreement", part), 20)
        for _ in range(100):
            assert pair.disagreement(pair.chooser.query()) == ""
