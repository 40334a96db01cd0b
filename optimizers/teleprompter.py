"""Optimizers as DSPy's `Teleprompter`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dspy.teleprompt

from evals.dspy_programs.nearest import Embedding
from evals.scoring.constraints import Constraint
from optimizers.demos.steps import Unit
from optimizers.optimizer import Optimizer
from optimizers.settings import Accept, Settings


class Teleprompter(Optimizer, dspy.teleprompt.Teleprompter):  # type: ignore[misc]
    """An optimizer of DSPy programs.

    The settings are those of `Settings`.
    """

    def __init__(
        self,
        metric: Callable[..., Any] | None = None,
        *,
        demos: int = Settings.demos,
        candidates: int = Settings.candidates,
        seed: int = Settings.seed,
        embedding: Embedding = Settings.embedding,
        alpha: float = Settings.alpha,
        margin: float = Settings.margin,
        selection: str | None = Settings.selection,
        demo_unit: Unit = Settings.demo_unit,
        demo_tokens: int | None = Settings.demo_tokens,
        constraints: Sequence[Constraint] = (),
        accept: Accept = Settings.accept,
    ) -> None:
        super().__init__()
        self.metric = metric
        self.settings = Settings(
            demos,
            candidates,
            seed,
            embedding,
            alpha,
            margin,
            selection,
            demo_unit,
            demo_tokens,
            tuple(constraints),
            accept,
        )
        self.require()

    def require(self) -> None:
        """See that the packages are installed that it needs.

        Raises:
            InputError: one is not.
        """
