"""Making a gold plan: a script calls tools in an episode, and every call becomes a step."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from evals.tasks.task import Step
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
        after = tuple(sorted(self._sources(tool, arguments)))
        self.steps.append(Step(tool=tool, arguments=arguments, why=why, after=after))
        self._observed.append(_values(observation))
        return observation.value

    def _sources(self, tool: str, arguments: dict[str, str]) -> set[int]:
        """The earlier steps that this call goes back to.

        They are those that first showed an argument which neither the task nor an earlier call names; for
        a writing call also the latest reads, on which it was decided; for a call made before, all steps
        since, after which it shows something else.
        """
        found = {i for value in arguments.values() if (i := self._first_shown(value)) is not None}
        if self._episode.toolset[tool].writes:
            found.update(self._latest_reads())
        for i, step in enumerate(self.steps):
            if (step.tool, step.arguments) == (tool, arguments):
                found.update(range(i + 1, len(self.steps)))
        return found

    def _first_shown(self, value: str) -> int | None:
        if value.lower() in self._query:
            return None
        for i, values in enumerate(self._observed):
            if value in self.steps[i].arguments.values():
                return None
            if value in values:
                return i
        return None

    def _latest_reads(self) -> list[int]:
        """The last unbroken row of reads; writes may have followed."""
        writes = [self._episode.toolset[step.tool].writes for step in self.steps]
        last = max((i for i, write in enumerate(writes) if not write), default=-1)
        first = last
        while first > 0 and not writes[first - 1]:
            first -= 1
        return list(range(first, last + 1)) if last >= 0 else []


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
