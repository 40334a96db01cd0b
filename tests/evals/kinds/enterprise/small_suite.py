"""A small generated suite, made once for all processes of a test run."""

from __future__ import annotations

from functools import cache

from tests.made_once import made_once, shared
from worksmith.evals.authoring.suite_building import build_suite
from worksmith.evals.suite import Suite

SEED, SCALE = 3, 0.02


@cache
def small_suite() -> Suite:
    """Without an index. Shared, so it is not to be changed."""
    folder = shared("small-enterprise")

    def make() -> None:
        build_suite("enterprise", folder, seed=SEED, scale=SCALE)

    made_once(folder.name, make)
    return Suite.open(folder)
