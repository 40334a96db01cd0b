"""Making gold plans: a family's program calls tools as the persona, and every call becomes a step."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from evals.kinds.crm.family import Mode
from evals.tasks.task import Step
from tools.episode import Episode
from tools.errors import WorksmithError


class PlanError(WorksmithError):
    """A call of a gold plan did not succeed, or returned what it never should; a defect."""


@dataclass(frozen=True)
class Seen:
    """What a call returned, or a part of it.

    Attributes:
        step: index of the call.
        whole: whether it is all that the call returned, so that a handle can stand for it.
    """

    value: Any
    step: int
    whole: bool = True

    def __getitem__(self, key: Any) -> Seen:
        return Seen(self.value[key], self.step, whole=False)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value)

    def __len__(self) -> int:
        return len(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    @property
    def handle(self) -> str:
        """How later calls refer to a list or dictionary."""
        return f"#{self.step + 1}"


class Script:
    """What a family's program is given: the clock and the tools.

    Attributes:
        mode: what the function tools go by.
        steps: the calls so far, as steps of a gold plan.
    """

    def __init__(self, episode: Episode, mode: Mode) -> None:
        self.mode = mode
        self.steps: list[Step] = []
        self._episode = episode

    @property
    def today(self) -> date:
        """The date of the clock."""
        return self._episode.now.date()

    def call(self, tool: str, why: str, *, after: Sequence[Seen] = (), **arguments: Any) -> Seen:
        """Call a tool and note it as a step.

        Args:
            why: the thought that leads to the call, one sentence.
            after: earlier results that it needs, besides those among its arguments.
            arguments: text, numbers and lists as they are. What an earlier call returned goes as its `Seen`:
                lists and dictionaries by their handle, anything else by value.

        Raises:
            PlanError: the call did not succeed.
        """
        needs = {seen.step for seen in (*after, *arguments.values()) if isinstance(seen, Seen)}
        written = {name: _written(value) for name, value in arguments.items()}
        observation = self._episode.call(tool, written)
        if observation.status != "ok":
            raise PlanError(f"{tool}({written}): {observation.text}")
        self.steps.append(Step(tool=tool, arguments=written, why=why, after=tuple(sorted(needs))))
        return Seen(observation.value, len(self.steps) - 1)

    def soql(self, why: str, query: str, *, after: Sequence[Seen] = ()) -> Seen:
        """The records that a SOQL query finds."""
        return self.call("query.soql", why, after=after, query=" ".join(query.split()))["records"]

    def sosl(self, why: str, query: str, *, after: Sequence[Seen] = ()) -> Seen:
        """The records that a SOSL search finds."""
        return self.call("query.sosl", why, after=after, query=query)["records"]


def listed(ids: Sequence[str]) -> str:
    """Ids or other plain words as SOQL takes them behind IN."""
    return "(" + ", ".join(f"'{each}'" for each in ids) + ")"


def _written(argument: Any) -> str:
    """An argument as steps of plans keep it: as text."""
    if isinstance(argument, Seen):
        by_handle = argument.whole and isinstance(argument.value, (list, dict))
        return argument.handle if by_handle else _written(argument.value)
    return argument if isinstance(argument, str) else json.dumps(argument, ensure_ascii=False)
