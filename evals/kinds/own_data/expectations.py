"""The expectation of a task on the tables, and whether an outcome meets it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from worksmith.evals.kinds.own_data.changes import made_directly
from worksmith.evals.kinds.own_data.task import OwnTask

if TYPE_CHECKING:
    from worksmith.tools.environment import Environment
    from worksmith.tools.sqlite.outcome import Outcome


class State(NamedTuple):
    """The tables after an episode against those that its task expects.

    Attributes:
        expected: of the right outcomes, the one nearest to that of the episode.
    """

    right: bool
    expected: Outcome


class Expectations:
    """The expectations of an environment's tasks on its tables. Thread-safe; constant parts are kept."""

    def __init__(self, env: Environment) -> None:
        self._env = env
        self._called: dict[str, Outcome] = {}

    def state(self, task: OwnTask, outcome: Outcome) -> State:
        """Whether an outcome is as the task expects it."""
        if task.free_state:
            return State(True, outcome)
        if task.changes is not None:
            nearest = made_directly(self._env, task.changes, outcome)
            return State(nearest.whole and outcome.matches(nearest.outcome), nearest.outcome)
        expected = self._of_calls(task)
        return State(outcome.matches(expected), expected)

    def _of_calls(self, task: OwnTask) -> Outcome:
        """The outcome of the expected calls, made as the task's persona at its time."""
        found = self._called.get(task.digest)
        if found is None:
            episode = self._env.episode(persona=task.persona, now=task.now, user=task.user, rehearsal=True)
            for call in task.expected:
                episode.call(call.tool, dict(call.arguments))
            found = self._called[task.digest] = episode.outcome()
        return found
