"""The task kind of plain DSPy programs. Its parts are imported when they are used."""

from __future__ import annotations

from evals.task_kind import TaskKind
from tools.lazy import function_at

DSPY_EXAMPLES = TaskKind(
    name="dspy_examples",
    call=function_at("evals.kinds.dspy_examples.tasks:call"),
    from_examples=function_at("evals.kinds.dspy_examples.tasks:suite_of"),
)
