"""Demonstrations from the labels that plain examples hold, as `dspy.LabeledFewShot` shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from worksmith.evals.dspy_programs.field_texts import plain
from worksmith.evals.records.record import PRIMARY
from worksmith.optimizers.demos.demonstration import Demonstration
from worksmith.optimizers.demos.trace_bank import Gap, TraceBank
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.tasks.task import Task

LABELS: Final = "labels"
"""The name of this bank, and of the teacher of its demonstrations."""


def has_labels(tasks: Sequence[Task]) -> bool:
    """Whether tasks are plain examples, which may have labels."""
    return bool(tasks) and all(hasattr(task, "example") for task in tasks)


def labelled(program: dspy.Module, tasks: Sequence[Task]) -> TraceBank:
    """The bank of examples, made without a model.

    Each predictor is shown the fields of its signature that an example has. Others, such as a reasoning, are
    missing, as DSPy's prompts state. A predictor without any input or output in an example is not shown it.
    """
    if not has_labels(tasks):
        raise InputError("the tasks are no examples with labels", where="bank", hint="name a teacher")
    made, gaps = [], []
    for task in tasks:
        parts = _parts(program, task.example)  # type: ignore[attr-defined]
        if parts:
            scores = {PRIMARY: 1.0}
            made.append(Demonstration.of(task, scores=scores, teacher=LABELS, parts=parts))
        else:
            gaps.append(Gap(task_id=task.id, reason="no label", intent=task.intent))
    if not made:
        hint = "a label has the name of an output field; or name a teacher"
        raise InputError("no example has an output of a predictor", where="bank", hint=hint)
    return TraceBank(tuple(made), tuple(gaps))


def _parts(program: dspy.Module, example: dspy.Example) -> dict[str, dict[str, Any]]:
    found = {}
    for name, predictor in program.named_predictors():
        signature = predictor.signature
        known = {field for field in signature.fields if example.get(field) is not None}
        if known & signature.input_fields.keys() and known & signature.output_fields.keys():
            found[name] = {field: plain(example[field]) for field in signature.fields if field in known}
    return found
