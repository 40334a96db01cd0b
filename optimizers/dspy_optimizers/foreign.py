"""Optimizers of other packages, and of users, with the interface of DSPy's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from typing import Any, ClassVar

import dspy

from worksmith.evals.dspy_programs.field_texts import text_of
from worksmith.evals.suite import as_examples
from worksmith.evals.task_kind import task_kind
from worksmith.evals.tasks.task import Task, same_text
from worksmith.optimizers.dspy_optimizers.lessons import Lessons, Sampled
from worksmith.optimizers.dspy_optimizers.stock import DspyOptimizer, Optimized, examples
from worksmith.optimizers.optimizer import CompileContext
from worksmith.tools.errors import InputError


class Foreign(DspyOptimizer):
    """An optimizer that is made with those of `metric`, `seed` and `num_threads` that it takes.

    Its `compile` gets `student`, `trainset` and, if it takes one, `valset`. It gets a seed if it takes one.
        How many episodes it runs is not known: the stated maximum is that of the last measurement.

    Attributes:
        made_by: the class.
    """

    made_by: ClassVar[type[Any]]

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        return {"dev": len(context.dev)}

    def optimize(self, context: CompileContext, lessons: Lessons) -> Optimized:
        options = {
            "metric": lessons.metric,
            "seed": context.settings.seed,
            "num_threads": context.student.workers,
        }
        made = self.made_by(**_taken(self.made_by.__init__, options))
        data = {"valset": as_examples(context.dev), "seed": context.settings.seed}
        wrapped = made.compile(
            Sampled(context.program, lessons), trainset=examples(context), **_taken(made.compile, data)
        )
        if not isinstance(wrapped, Sampled):
            raise InputError(
                f"{self.name} returned a {type(wrapped).__name__}, and not its student",
                where="--optimizer",
                hint="let compile return the student that it is given, or a copy of it",
            )
        if task_kind(context.student.env.kind.name).call is None:
            # An example of a suite holds a task and no trajectory; it shows nothing.
            for predictor in wrapped.program.predictors():
                predictor.demos = [demo for demo in predictor.demos if lessons.made(demo)]
        _hold_back(wrapped.program, context.held_back)
        return Optimized(wrapped, "optimized")


def foreign(made_by: type[Any], name: str) -> type[Foreign]:
    """The optimizer that is called `name` and runs the class `made_by`."""
    return type(made_by.__name__, (Foreign,), {"name": name, "made_by": made_by})


def _hold_back(program: dspy.Module, tasks: Sequence[Task]) -> None:
    """Leave out demonstrations with the inputs of an example to choose by; its label would be its answer."""
    held = {_texts(task.example.inputs()) for task in tasks if hasattr(task, "example")}
    names = {frozenset(name for name, _ in each) for each in held}
    for predictor in program.predictors():
        predictor.demos = [
            demo
            for demo in predictor.demos
            if not any(_texts({name: demo[name] for name in each if name in demo}) in held for each in names)
        ]


def _texts(fields: Any) -> frozenset[tuple[str, str]]:
    return frozenset((name, same_text(text_of(value))) for name, value in fields.items())


def _taken(function: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
    """The options that a function names as its parameters."""
    parameters: Collection[str] = inspect.signature(function).parameters
    return {name: value for name, value in options.items() if name in parameters}
