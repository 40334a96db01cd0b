"""Baselines as programs, so that they run through the same harness as agents and stand in the same tables."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING

from evals.answers.baselines import always_refuse, keyword_search, oracle
from evals.baselines import BASELINES
from tools.episode import Episode, EpisodeResult
from tools.errors import InputError

if TYPE_CHECKING:
    from evals.task import Task
    from tools.workshop import Workshop

Attempt = Callable[["Task", Episode], tuple[str, str]]
"""Does a task in an episode; gives the status and the answer it ends with."""

_JUDGED: dict[str, Attempt] = {
    "always_refuse": always_refuse,
    "keyword_only": keyword_search,
    "oracle": oracle,
}


def baselines_for(workshop: Workshop) -> tuple[str, ...]:
    """The baselines that say something about results in this world: floors, and a ceiling called oracle."""
    return tuple(_JUDGED if workshop.kind.judges_answers else BASELINES)


class BaselineProgram:
    """A baseline over a workshop; asks no model.

    Raises:
        InputError: there is no baseline of this name in this kind of world.
    """

    def __init__(self, name: str, workshop: Workshop) -> None:
        names = baselines_for(workshop)
        if name not in names:
            raise InputError(f"no baseline {name!r}", hint=f"there are {', '.join(names)}")
        self.strategy = name
        self.digest = f"baseline/{name}"
        self._attempt = _JUDGED[name] if workshop.kind.judges_answers else _calls_only(name)
        self._workshop = workshop

    def __call__(self, task: Task) -> SimpleNamespace:
        """Do the task in an episode of its own, with all tools there are."""
        started = time.perf_counter()
        toolkits = None if self._workshop.kind.judges_answers else task.domains
        episode = self._workshop.episode(toolkits, persona=task.persona, now=task.now)
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


def _calls_only(name: str) -> Attempt:
    def attempt(task: Task, episode: Episode) -> tuple[str, str]:
        for tool, arguments in BASELINES[name](task.query, episode.now):
            episode.call(tool, dict(arguments))
        return "", ""

    return attempt
