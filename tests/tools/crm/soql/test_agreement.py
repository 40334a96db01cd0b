from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tools.crm.soql.agreement import Pair
from tools.crm.schema import Links, crm_schema
from tools.seeding import rng


@given(st.randoms(use_true_random=False), st.sampled_from(["text", "lookup"]))
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_engine_agrees_with_the_naive_evaluator(chooser: random.Random, links: Links) -> None:
    pair = Pair.draw(chooser, 8, crm_schema(links))
    for _ in range(10):
        assert pair.disagreement(pair.chooser.query()) == ""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_they_agree_on_very_many(seed: int) -> None:
    for part in range(10):
        pair = Pair.draw(rng(seed, "agreement", part), 20)
        for _ in range(100):
            assert pair.disagreement(pair.chooser.query()) == ""
