"""`dspy:SIMBA` in a size that ends within the calls: else it has nothing to return where they are spent."""

from __future__ import annotations

from worksmith.optimizers.dspy_optimizers.reflective import SIMBA


class ShortSIMBA(SIMBA):
    batch, rounds = 20, 3
