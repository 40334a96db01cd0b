"""The programs that an optimizer of DSPy's has measured: the best so far, should the budget be spent.

DSPy's optimizers keep their candidates to themselves and take an episode that was not run for one that
failed. So outcomes on the dev tasks are noted here as they come in.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from worksmith.evals.dspy_programs.digests import model_name, program_digest
from worksmith.optimizers.cost.limits import BudgetSpentError
from worksmith.optimizers.optimizer import CompileContext
from worksmith.optimizers.trial import Contender, Trial

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.tasks.task import Task
    from worksmith.optimizers.demos.demonstration import Demonstration


@contextmanager
def admitted(context: CompileContext, kind: str) -> Iterator[None]:
    """A block that runs an episode, counted by the context's budget."""
    import dspy

    budget = context.budget
    if budget is None:
        yield
        return
    leave = budget.account(model_name(dspy.settings.lm)).admit(kind)
    if leave is None:
        # The optimizer takes each of them for its own failure and would report it every time.
        logging.getLogger("dspy").setLevel(logging.CRITICAL)
        raise BudgetSpentError(budget.stopped)
    with leave:
        yield


class Standings:
    """The outcomes of programs on the dev tasks. Thread-safe; keeps nothing where nothing is limited.

    Args:
        shown_by: gives the demonstrations in a program.
    """

    def __init__(
        self, context: CompileContext, shown_by: Callable[[dspy.Module], tuple[Demonstration, ...]]
    ) -> None:
        self._limited = context.budget is not None
        self._dev = {task.id for task in context.dev}
        self._shown_by = shown_by
        self._lock = threading.Lock()
        self._programs: dict[str, dspy.Module] = {}
        self._outcomes: dict[str, dict[str, bool | None]] = {}

    def enter(self, program: dspy.Module) -> str:
        """The name of the program in its present state; optimizers change programs in place."""
        if not self._limited:
            return ""
        name = program_digest(program)
        with self._lock:
            if name not in self._programs:
                self._programs[name] = program.deepcopy()
                self._outcomes[name] = {}
        return name

    def note(self, name: str, task: Task, right: bool | None) -> None:
        """Record an outcome, None if the infrastructure failed; the first one of a task counts."""
        if name and task.id in self._dev:
            with self._lock:
                outcomes = self._outcomes[name]
                if outcomes.get(task.id) is None:
                    outcomes[task.id] = right

    def contenders(self) -> list[Contender]:
        """The programs that have an outcome on every dev task, in the order in which they began."""
        with self._lock:
            full = [name for name, outcomes in self._outcomes.items() if outcomes.keys() == self._dev]
        return [self._contender(number, name) for number, name in enumerate(full)]

    def _contender(self, number: int, name: str) -> Contender:
        program = self._programs[name]
        for predictor in program.predictors():
            predictor.lm = None
        demonstrations = self._shown_by(program)
        outcomes = self._outcomes[name].values()
        trial = Trial.of_outcomes(f"candidate-{number}", name, demonstrations, outcomes)
        return Contender(program, demonstrations, trial)
