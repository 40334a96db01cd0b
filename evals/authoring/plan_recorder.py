"""Recording of gold plans: a program calls tools in an episode, and every call becomes a step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import Any

from worksmith.evals.tasks.task import Step
from worksmith.tools.dispatch import Observation
from worksmith.tools.episode import Episode


class PlanRecorder:
    """The clock and the tools for a program that solves a task.

    Each kind of suite derives its own recorder with the calls that its programs make.

    Attributes:
        now: the clock.
        steps: the calls so far, as steps of a gold plan.
    """

    def __init__(self, episode: Episode) -> None:
        self.now: datetime = episode.now
        self.steps: list[Step] = []
        self._episode = episode

    @property
    def today(self) -> date:
        """The date of the clock."""
        return self.now.date()

    def _call(
        self, tool: str, why: str, arguments: Mapping[str, str | int], after: Iterable[int]
    ) -> Observation:
        """Call a tool and keep the call as a step, whatever its outcome.

        Args:
            why: the thought that leads to the call, one sentence.
            after: the indexes of the earlier steps that the call needs.
        """
        observation = self._episode.call(tool, arguments)
        self.steps.append(Step(tool=tool, arguments=dict(arguments), why=why, after=tuple(sorted(after))))
        return observation

    def _writes(self, step: Step) -> bool:
        return self._episode.toolset[step.tool].writes


def leaves(value: Any, *, keys: bool = False) -> Iterator[str]:
    """Yield the texts of all values inside nested lists and dictionaries; of keys too, if asked."""
    if isinstance(value, dict):
        for key, item in value.items():
            if keys:
                yield str(key)
            yield from leaves(item, keys=keys)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, keys=keys)
    elif value is not None:
        yield str(value)
