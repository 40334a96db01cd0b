"""Recording of office plans: where each call's arguments come from."""

from __future__ import annotations

from typing import Any

from worksmith.evals.authoring.plan_recorder import PlanRecorder as Recorder
from worksmith.evals.authoring.plan_recorder import leaves
from worksmith.evals.tasks.task import Action
from worksmith.tools.episode import Episode
from worksmith.tools.errors import WorksmithError


class ToolRefusedError(WorksmithError):
    """A tool refused a call of a solution."""


class PlanRecorder(Recorder):
    """The clock and the tools for an intent's `solve`.

    Args:
        query: the task's text; what it names need not be shown by a step.
    """

    def __init__(self, episode: Episode, query: str) -> None:
        super().__init__(episode)
        self._query = query.lower()
        self._observed: list[set[str]] = []

    def __call__(self, tool: str, why: str, **arguments: str) -> Any:
        """Call a tool.

        Args:
            tool: `toolkit.function`.
            why: the thought that leads to the call, one sentence.
            arguments: the tool's.

        Returns:
            The observation's value.

        Raises:
            ToolRefusedError: the tool refuses the call.
        """
        observation = self._call(tool, why, arguments, self._sources(tool, arguments))
        if observation.status != "ok":
            raise ToolRefusedError(f"{tool}({arguments}): {observation.text}")
        self._observed.append(set(leaves(observation.value, keys=True)))
        return observation.value

    def perform(self, action: Action, why: str) -> None:
        """Make the writing call that `action` describes."""
        self(action.tool, why, **action.arguments)

    def find_address(self, name: str) -> str:
        """The address of the employee whom a task calls `name`, from the directory."""
        found: list[str] = self(
            "company_directory.find_email_address", f"I need the email address of {name}.", name=name
        )
        return found[0]

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
        writes = [self._writes(step) for step in self.steps]
        last = max((i for i, write in enumerate(writes) if not write), default=-1)
        first = last
        while first > 0 and not writes[first - 1]:
            first -= 1
        return list(range(first, last + 1)) if last >= 0 else []
