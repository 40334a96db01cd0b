"""What an agent leaves for DSPy: entries of its trace, and the state of its parts."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import dspy

from evals.dspy_programs.demo_format import DemoNotes
from programs.rollout import TraceEntry


def append_to_trace(entries: list[TraceEntry], quoted: Callable[[], list[str]]) -> None:
    """Append to DSPy's trace, as `dspy.Predict` does, with the records that the entries quote."""
    trace, limit = dspy.settings.trace, dspy.settings.max_trace_size
    if trace is None or limit <= 0:
        return
    records = quoted()
    marked = DemoNotes(records).to_fields() if records else {}
    for predict, inputs, outputs in entries:
        if len(trace) >= limit:
            trace.pop(0)
        trace.append((predict, {**inputs, **marked}, outputs))


def portable(part: Any) -> Any:
    """A part of a program without model and without examples that show nothing."""
    if not isinstance(part, dspy.Predict):
        return part
    bare = copy.copy(part)
    bare.lm, bare.traces, bare.train = None, [], []
    outputs = part.signature.output_fields
    bare.demos = [demo for demo in part.demos if all(demo.get(name) is not None for name in outputs)]
    return bare
