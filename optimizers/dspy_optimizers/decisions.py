"""DSPy's optimizer of decisions, which are outputs such as a yes or no, or one of a few labels."""

from __future__ import annotations

from typing import Any

import dspy
from dspy import experimental
from dspy.adapters.types.decision import Choice, Noul
from dspy.teleprompt.reanchor.calibrate import MAX_CANDIDATES, decision_outputs, predictors

from worksmith.optimizers.dspy_optimizers.lessons import Lessons, Sampled
from worksmith.optimizers.dspy_optimizers.stock import DspyOptimizer, Optimized, some_examples
from worksmith.optimizers.optimizer import CompileContext
from worksmith.tools.errors import InputError


class ReAnchor(DspyOptimizer):
    """`dspy.experimental.ReAnchor`: thresholds and weights of a program's decisions, fitted to the metric.

    The model is asked for probabilities in place of decisions. Prompts have no demonstrations and no other
    instructions than before.

    Raises:
        InputError: when called for a program without decisions, or without training tasks.
    """

    name = "dspy:ReAnchor"
    differs = "require_cache is False: replies are cached by worksmith, if at all"

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        """At most: the passes over the training tasks for each parameter of each decision, and one on dev."""
        kinds = [kind for _, each in predictors(context.program) for kind in decision_outputs(each).values()]
        passes = sum(3 + 2 * MAX_CANDIDATES * _parameters(kind) for kind in kinds)
        return {"train": (2 + passes) * len(context.train), "dev": len(context.dev)}

    def optimize(self, context: CompileContext, lessons: Lessons) -> Optimized:
        _check_decisions(context.program)
        tasks = some_examples(context, "ReAnchor")
        optimizer = experimental.ReAnchor(
            lessons.metric, num_threads=context.student.workers, require_cache=False
        )
        return Optimized(optimizer.compile(Sampled(context.program, lessons), trainset=tasks), "calibrated")


def _check_decisions(program: dspy.Module) -> None:
    """Check that a program makes decisions, and that DSPy can ask for their probabilities."""
    found = predictors(program)
    if not found:
        raise InputError(
            "the program makes no decision that could be calibrated",
            where=ReAnchor.name,
            hint="give an output a type such as bool or Literal['low', 'high'], or take another optimizer",
        )
    for name, predictor in found:
        for output in decision_outputs(predictor):
            said = predictor.signature.output_fields[output].json_schema_extra or {}
            if str(said.get("desc", "")) in ("", f"${{{output}}}"):
                raise InputError(
                    f"the output {output!r} does not say what is decided",
                    where=name,
                    hint="describe it: dspy.OutputField(desc=...)",
                )


def _parameters(kind: Any) -> int:
    """The numbers that are fitted for a decision of a kind."""
    if issubclass(kind, Noul):
        return 1
    labels = len(kind.criteria())
    return labels if issubclass(kind, Choice) else labels - 1
