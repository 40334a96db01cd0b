"""Baselines as programs: they run, score and report as agents do."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from worksmith.evals.task_kind import baselines_of
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.errors import unknown
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.environment import Environment


def baselines_for(env: Environment, *, learning: bool = True) -> tuple[str, ...]:
    """The names of the baselines of a world's kind.

    Args:
        learning: whether baselines that learn from training tasks are included.
    """
    found = baselines_of(env)
    return tuple(name for name, baseline in found.items() if learning or not baseline.learns)


class BaselineProgram:
    """A baseline over an environment; asks no model.

    Args:
        train: the tasks to learn from; never those that it is measured on.

    Raises:
        InputError: this kind of world has no baseline of this name.
    """

    sees_truth = True

    def __init__(self, name: str, env: Environment, train: Sequence[Task] = ()) -> None:
        baselines = baselines_of(env)
        if name not in baselines:
            raise unknown("no baseline", name, baselines)
        baseline = baselines[name]
        self.strategy = name
        self.digest = f"baseline/{name}"
        if baseline.learns:
            self.digest += f"/{digest([task.digest for task in train])}"
        self._attempt = baseline.make(train)
        self._env = env

    def __call__(self, task: Task) -> SimpleNamespace:
        """Do the task in a new episode, with all tools or those of its domains."""
        started = time.perf_counter()
        toolkits = None if self._env.kind.judges_answers else task.domains
        episode = self._env.episode(toolkits, persona=task.persona, now=task.now, user=task.user)
        status, answer = self._attempt(task, episode)
        result = EpisodeResult(
            status="finished",
            outcome=episode.outcome(),
            calls=episode.calls,
            answer=answer,
            answer_status=status,
            seconds=time.perf_counter() - started,
        )
        return SimpleNamespace(answer=answer, episode=result)
