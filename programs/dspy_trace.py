"""An agent's entries in DSPy's trace, and the state of its parts."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable
from typing import Any

import dspy

from worksmith.evals.dspy_programs.demo_format import DemoNotes
from worksmith.programs.prompting.trajectory import Trajectory
from worksmith.programs.rollout import Rollout

TraceEntry = tuple[dspy.Predict, dict[str, Any], dspy.Prediction]
"""An entry of DSPy: a predictor, its inputs, its outputs."""

_TOOLS = "tools"


def append_to_trace(
    entries: Iterable[TraceEntry], rollout: Rollout, selecting: Collection[dspy.Predict]
) -> None:
    """Append a rollout to DSPy's trace, as `dspy.Predict` does, with the records that it quotes.

    Of a predictor of the tool selector only the last step, with all steps before it as its input: DSPy's
    optimizers pick a single entry per predictor, and half a trajectory is a demonstration of stopping
    halfway. Tools are left out, replies that could not be read and the task's own context as well.

    Args:
        entries: that DSPy made in the rollout.
        selecting: the predictors of the tool selector.
    """
    trace, limit = dspy.settings.trace, dspy.settings.max_trace_size
    last = {id(predict): (predict, inputs, outputs) for predict, inputs, outputs in entries}
    chosen = {id(predict): last[id(predict)] for predict in selecting if id(predict) in last}
    others = [entry for entry in entries if id(entry[0]) not in chosen]
    notes = DemoNotes(rollout.quoted()).to_fields()
    for predict, inputs, outputs in [*others, *chosen.values()]:
        if len(trace) >= limit:
            trace.pop(0)
        trace.append((predict, {**_shown(predict, inputs, rollout), **notes}, _last(outputs, rollout)))


def _shown(predict: dspy.Predict, inputs: dict[str, Any], rollout: Rollout) -> dict[str, Any]:
    """The inputs of a call as a demonstration shows them, in the order of the signature."""
    shown: dict[str, Any] = {}
    for name, field in predict.signature.input_fields.items():
        value = None if name == _TOOLS else inputs.get(name)
        if isinstance(value, Trajectory):
            steps = value.readable()[: rollout.seen]
            value = steps if steps or field.is_required() else None
        elif name == "context" and value == rollout.context:
            value = rollout.clock
        if value is not None:
            shown[name] = value
    return shown


def _last(outputs: dspy.Prediction, rollout: Rollout) -> dspy.Prediction:
    """The outputs with the last call of a reply that had several; the calls before it are steps."""
    if "further" not in outputs:
        return outputs
    made = {name: rollout.chosen.get(name) for name in outputs.toDict() if name != "further"}
    return dspy.Prediction(**{name: "" if value is None else value for name, value in made.items()})


def portable(part: Any) -> Any:
    """A part of a program without its model and without examples that lack an output."""
    if not isinstance(part, dspy.Predict):
        return part
    bare = copy.copy(part)
    bare.lm, bare.traces, bare.train = None, [], []
    outputs = part.signature.output_fields
    bare.demos = [demo for demo in part.demos if all(demo.get(name) is not None for name in outputs)]
    return bare
