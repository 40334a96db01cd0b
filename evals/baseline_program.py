"""Baselines as programs, so that they run through the same harness as agents and stand in the same tables."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

from evals.baselines import BASELINES
from tools.episode import EpisodeResult
from tools.errors import InputError

if TYPE_CHECKING:
    from evals.task import Task
    from tools.workshop import Workshop


class BaselineProgram:
    """A baseline over a workshop; asks no model.

    Raises:
        InputError: there is no baseline of this name.
    """

    def __init__(self, name: str, workshop: Workshop) -> None:
        if name not in BASELINES:
            raise InputError(f"no baseline {name!r}", hint=f"there are {', '.join(BASELINES)}")
        self.strategy = name
        self.digest = f"baseline/{name}"
        self._calls = BASELINES[name]
        self._workshop = workshop

    def __call__(self, task: Task) -> SimpleNamespace:
        """Make the baseline's calls in an episode of its own."""
        started = time.perf_counter()
        episode = self._workshop.episode(task.domains, persona=task.persona, now=task.now)
        for tool, arguments in self._calls(task.query, episode.now):
            episode.call(tool, dict(arguments))
        result = EpisodeResult(
            status="finished",
            outcome=episode.outcome(),
            calls=episode.calls,
            seconds=time.perf_counter() - started,
        )
        return SimpleNamespace(answer="", episode=result)
