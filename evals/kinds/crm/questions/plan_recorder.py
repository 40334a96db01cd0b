"""Making gold plans: a family's program calls tools as the persona, and every call becomes a step."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from worksmith.evals.authoring.plan_recorder import PlanRecorder as Recorder
from worksmith.tools.episode import Episode
from worksmith.tools.errors import WorksmithError
from worksmith.tools.kinds.crm.settings import Mode


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
        return f"#{self.step + 1}"


class PlanRecorder(Recorder):
    """The clock and the tools for a family's program. `mode`: the rules that the function tools go by."""

    def __init__(self, episode: Episode, mode: Mode) -> None:
        super().__init__(episode)
        self.mode = mode

    def call(self, tool: str, why: str, *, after: Sequence[Seen] = (), **arguments: Any) -> Seen:
        """Call a tool and note it as a step.

        Args:
            why: the thought that leads to the call, one sentence.
            after: earlier results that it needs, besides those among its arguments.
            arguments: text, numbers and lists as they are. The result of an earlier call goes as its `Seen`:
                lists and dictionaries by their handle, anything else by value.

        Raises:
            PlanError: the call did not succeed; it is no step.
        """
        needs = {seen.step for seen in (*after, *arguments.values()) if isinstance(seen, Seen)}
        written = {name: _written(value) for name, value in arguments.items()}
        observation = self._call(tool, why, written, needs)
        if observation.status != "ok":
            self.steps.pop()
            raise PlanError(f"{tool}({written}): {observation.text}")
        return Seen(observation.value, len(self.steps) - 1)

    def soql(self, why: str, query: str, *, after: Sequence[Seen] = ()) -> Seen:
        return self.call("query.soql", why, after=after, query=" ".join(query.split()))["records"]

    def sosl(self, why: str, query: str, *, after: Sequence[Seen] = ()) -> Seen:
        return self.call("query.sosl", why, after=after, query=query)["records"]


def listed(ids: Sequence[str]) -> str:
    return "(" + ", ".join(f"'{each}'" for each in ids) + ")"


def _written(argument: Any) -> str | int:
    if isinstance(argument, Seen):
        by_handle = argument.whole and isinstance(argument.value, (list, dict))
        return argument.handle if by_handle else _written(argument.value)
    return argument if isinstance(argument, str | int) else json.dumps(argument, ensure_ascii=False)
