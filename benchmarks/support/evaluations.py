"""Simulated evaluations with known truth: tasks of intents, several trials, two programs on the same tasks.

An attempt succeeds if the sum of its intent's, its task's and its own difficulty, each normal, lies below a
threshold. So the true rate is known exactly, tasks of an intent are alike, and trials of a task even more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worksmith.tools.seeding import digest

Results = dict[int, list[float]]
"""The trials of each task, 1 for a success."""

Attempts = NDArray[np.float64]

_NORMAL = NormalDist()
_PROGRAM = 0.1
"""What part of what varies with a task varies with the program, too; the same of intents."""


@dataclass(frozen=True)
class Design:
    """What an evaluation looks like.

    Attributes:
        intents: how many the tasks have, equally many each; 0 where tasks have nothing in common.
        rate: the chance of an attempt at a task of which nothing is known.
        intent, task: shares of what varies that intents and tasks make.
    """

    tasks: int
    intents: int
    trials: int
    rate: float
    intent: float = 0.2
    task: float = 0.3

    @property
    def alike(self) -> dict[int, int] | None:
        """The intent of each task."""
        if not self.intents:
            return None
        return {number: number % self.intents for number in range(self.tasks)}

    def all_succeed(self, k: int) -> float:
        """The chance that k attempts at a task all succeed."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(80)
        shared = self._intent + self.task
        reached = _NORMAL.inv_cdf(self.rate)
        chances = [
            _NORMAL.cdf((reached - math.sqrt(shared) * node) / math.sqrt(1 - shared)) ** k for node in nodes
        ]
        return float(np.dot(weights, chances) / weights.sum())

    @property
    def _intent(self) -> float:
        return self.intent if self.intents else 0.0

    def draw(self, *rates: float, key: str) -> list[Results]:
        """The results of programs with these rates (default: the design's) on the same tasks."""
        return [dict(enumerate(right.tolist())) for right in self.attempts(*rates, key=key)]

    def attempts(self, *rates: float, key: str) -> list[Attempts]:
        """The same as a table of each program, a row a task and a column a trial."""
        random = np.random.Generator(np.random.PCG64(int(digest(["evaluation", key]), 16)))
        rates = rates or (self.rate,)
        several = _PROGRAM if len(rates) > 1 else 0.0
        intent = self._normal(random, max(1, self.intents))[np.arange(self.tasks) % max(1, self.intents)]
        task = self._normal(random, self.tasks)
        noise = 1 - self._intent - self.task
        found = []
        for rate in rates:
            own_intent = self._normal(random, max(1, self.intents))[
                np.arange(self.tasks) % max(1, self.intents)
            ]
            own_task = self._normal(random, self.tasks)
            mixed = math.sqrt(self._intent) * (
                math.sqrt(1 - several) * intent + math.sqrt(several) * own_intent
            ) + math.sqrt(self.task) * (math.sqrt(1 - several) * task + math.sqrt(several) * own_task)
            attempts = mixed[:, None] + math.sqrt(noise) * random.standard_normal((self.tasks, self.trials))
            found.append((attempts < _NORMAL.inv_cdf(rate)).astype(float))
        return found

    def _normal(self, random: Any, count: int) -> Any:
        return random.standard_normal(count)
