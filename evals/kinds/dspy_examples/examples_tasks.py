"""The task kind of plain DSPy programs. Its parts are imported when they are used."""

from __future__ import annotations

from worksmith.evals.task_kind import TaskKind
from worksmith.tools.lazy import function_at

DSPY_EXAMPLES = TaskKind(
    name="dspy_examples",
    call=function_at("worksmith.evals.kinds.dspy_examples.tasks:call"),
    from_examples=function_at("worksmith.evals.kinds.dspy_examples.tasks:suite_of"),
)
