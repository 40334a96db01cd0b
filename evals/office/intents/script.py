"""Making a gold plan: a script calls tools in an episode, and every call becomes a step."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from evals.task import Step
from tools.dispatch import Observation
from tools.episode import Episode
from tools.errors import WorksmithError


class ScriptError(WorksmithError):
    """A script made a call that its tool refused."""


class Script:
    """What an intent's `solve` is given: the clock, and the tools.

    Attributes:
        now: the clock.
        steps: the calls so far, as steps of a gold plan.
    """

    def __init__(self, episode: Episode, query: str) -> None:
        self.now: datetime = episode.now
        self.steps: list[Step] = []
        self._episode = episode
        self._query = query.lower()
        self._observed: list[set[str]] = []

    @property
    def today(self) -> date:
        """The date of the clock."""
        return self.now.date()

    def __call__(self, tool: str, why: str, **arguments: str) -> Any:
        """Call a tool.

        Args:
            tool: `toolkit.function`.
            why: the thought that leads to the call, one sentence.
            arguments: the tool's.

        Returns:
            The observation's value.

        Raises:
            ScriptError: if the tool refuses the call.
        """
        observation = self._episode.call(tool, arguments)
        if observation.status != "ok":
            raise ScriptError(f"{tool}({arguments}): {observation.text}")
        after = self._sources(arguments)
        self.steps.append(Step(tool=tool, arguments=arguments, why=why, after=after))
        self._observed.append(_values(observation))
        return observation.value

    def _sources(self, arguments: dict[str, str]) -> tuple[int, ...]:
        """The earlier steps that showed an argument which the task does not tell.

        Of several steps that showed one, the latest is meant: a plan goes by what it saw last.
        """
        found = set()
        for value in arguments.values():
            if value.lower() not in self._query:
                shown = [i for i, values in enumerate(self._observed) if value in values]
                found.update(shown[-1:])
        return tuple(sorted(found))


def _values(observation: Observation) -> set[str]:
    return set(_leaves(observation.value))


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif value is not None:
        yield str(value)
