"""Baselines as programs, so that they run through the same harness as agents and stand in the same tables."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING

from evals.scoring.answers.baselines import always_refuse, keyword_search, oracle
from evals.scoring.baselines import BASELINES
from tools.episode import Episode
from tools.episode_result import EpisodeResult
from tools.errors import InputError
from tools.seeding import digest

if TYPE_CHECKING:
    from evals.tasks.task import Task
    from tools.environment import Environment
    from tools.world_kind import WorldKind

Attempt = Callable[["Task", Episode], tuple[str, str]]
"""Does a task in an episode; gives the status and the answer it ends with."""


@dataclass(frozen=True)
class Baseline:
    """How a baseline comes about.

    Attributes:
        make: gives what attempts tasks, out of the tasks that may be learnt from.
        learns: whether those make a difference.
    """

    make: Callable[[Sequence[Task]], Attempt]
    learns: bool = False

    @classmethod
    def of(cls, attempt: Attempt) -> Baseline:
        """One that learns nothing."""
        return cls(lambda _: attempt)


def baselines_for(env: Environment, *, learning: bool = True) -> tuple[str, ...]:
    """The baselines that say something about results in this world: floors, and maybe a ceiling, `oracle`.

    Args:
        learning: with those that learn from training tasks; without any, they would know nothing.
    """
    found = _baselines(env.kind)
    return tuple(name for name, baseline in found.items() if learning or not baseline.learns)


class BaselineProgram:
    """A baseline over an environment; asks no model.

    Args:
        train: tasks that it may learn from; never those that it is measured on.

    Raises:
        InputError: there is no baseline of this name in this kind of world.
    """

    sees_truth = True

    def __init__(self, name: str, env: Environment, train: Sequence[Task] = ()) -> None:
        baselines = _baselines(env.kind)
        if name not in baselines:
            raise InputError(f"no baseline {name!r}", hint=f"there are {', '.join(baselines)}")
        baseline = baselines[name]
        self.strategy = name
        self.digest = f"baseline/{name}"
        if baseline.learns:
            self.digest += f"/{digest([task.digest for task in train])}"
        self._attempt = baseline.make(train)
        self._env = env

    def __call__(self, task: Task) -> SimpleNamespace:
        """Do the task in an episode of its own, with all tools there are."""
        started = time.perf_counter()
        toolkits = None if self._env.kind.judges_answers else task.domains
        episode = self._env.episode(toolkits, persona=task.persona, now=task.now)
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


def _baselines(kind: WorldKind) -> Mapping[str, Baseline]:
    """Those of a kind: its own, or else those that fit what is judged in it."""
    if kind.name in _OWN:
        module, _, attribute = _OWN[kind.name].partition(":")
        own: Mapping[str, Baseline] = getattr(importlib.import_module(module), attribute)
        return own
    return _OF_ANSWERS if kind.judges_answers else _OF_STATE


def _calls_only(name: str) -> Attempt:
    def attempt(task: Task, episode: Episode) -> tuple[str, str]:
        for tool, arguments in BASELINES[name](task.query, episode.now):
            episode.call(tool, dict(arguments))
        return "", ""

    return attempt


_OWN = {"crm": "evals.kinds.crm.baselines:BASELINES"}
_OF_STATE = {name: Baseline.of(_calls_only(name)) for name in BASELINES}
_OF_ANSWERS = {
    "always_refuse": Baseline.of(always_refuse),
    "keyword_only": Baseline.of(keyword_search),
    "oracle": Baseline.of(oracle),
}
