"""Traces of programs: the input of each predictor at the time of the call, and its output."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dspy
from dspy.utils.callback import BaseCallback

from worksmith.evals.dspy_programs.copies import copied

TraceStep = tuple[dspy.Predict, dict[str, Any], dspy.Prediction]
"""DSPy's note of one predictor call: the predictor, its inputs, its outputs."""


@contextmanager
def traced(wanted: bool = True) -> Iterator[list[TraceStep]]:
    """A block whose predictor calls, if they are `wanted`, are in the list when it ends.

    DSPy's trace refers to the inputs. A program that appends to a list after it passed it would change them.
    """
    steps: list[TraceStep] = []
    if not wanted:
        with dspy.context(trace=None):
            yield steps
        return
    given = _Given()
    with dspy.context(trace=[], callbacks=[*dspy.settings.get("callbacks", []), given]):
        yield steps
        steps += (
            (predictor, given.inputs(inputs, outputs), outputs)
            for predictor, inputs, outputs in dspy.settings.trace
        )


class _Given(BaseCallback):  # type: ignore[misc]
    """Copies the inputs of each predictor call as it begins."""

    def __init__(self) -> None:
        self._begun: dict[str, dict[str, tuple[Any, Any]]] = {}
        # The outputs are kept so that no later object has the id of one.
        self._made: dict[int, tuple[Any, dict[str, tuple[Any, Any]]]] = {}

    def on_module_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        if isinstance(instance, dspy.Predict):
            given = inputs["kwargs"].items()
            self._begun[call_id] = {name: (value, copied(value)) for name, value in given}

    def on_module_end(self, call_id: str, outputs: Any, exception: BaseException | None = None) -> None:
        given = self._begun.pop(call_id, None)
        if given is not None:
            self._made[id(outputs)] = outputs, given

    def inputs(self, traced: dict[str, Any], outputs: Any) -> dict[str, Any]:
        """The inputs of DSPy's trace of the call that gave `outputs`, as they were when it began.

        A program may trace other inputs than it gave, as agents do; these are kept.
        """
        _, given = self._made.get(id(outputs), (None, {}))
        pairs = {name: given.get(name, (None, None)) for name in traced}
        return {name: pairs[name][1] if value is pairs[name][0] else value for name, value in traced.items()}
