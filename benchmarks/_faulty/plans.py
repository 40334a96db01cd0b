"""A model that makes the calls of gold plans natively, for a server.

It knows the tasks of the suite in the folder that `SUITE` names, and finds its place by the calls in the
chat.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from worksmith.evals.suite import Suite
from worksmith.programs.prompting.native_tools import native_name
from worksmith.tools.tool import FINISH

if TYPE_CHECKING:
    from dspy.lm15 import Request, Response

    from worksmith.evals.tasks.task import Step

SUITE = "WORKSMITH_FAULTY_SUITE"
"""The environment variable with the folder of the suite."""

ADDRESS = f"{__name__}:engine"
"""For `worksmith serve model`."""


class PlanEngine:
    """Replies with the next call of the plan of the task that a request holds."""

    supports_function_calling = True

    def complete(self, request: Request) -> Response:
        """The next call."""
        from dspy.lm15 import Message, Response, ToolCallPart, Usage

        texts = [message.text or "" for message in request.messages if message.role == "user"]
        plan = next(plan for query, plan in _plans().items() if any(query in text for text in texts))
        called = [part.name for message in request.messages for part in message.parts_of(ToolCallPart)]
        made = _made(plan, called)
        step = plan[made] if made < len(plan) else None
        name, arguments = (native_name(step.tool), step.arguments) if step else (FINISH, {"answer": "Done."})
        call = ToolCallPart(f"call{len(called)}", name, dict(arguments))
        used = Usage(input_tokens=sum(map(len, texts)) // 4, output_tokens=10)
        return Response(None, request.model, Message.assistant([call]), "tool_call", used)


def _made(plan: Sequence[Step], called: Sequence[str]) -> int:
    """The number of steps that were made; other calls are none."""
    made = 0
    for name in called:
        made += made < len(plan) and name == native_name(plan[made].tool)
    return made


@cache
def _plans() -> Mapping[str, Sequence[Step]]:
    """Gold plans by query, those of longer queries first."""
    tasks = sorted(Suite.open(os.environ[SUITE]).select(split="all"), key=lambda task: -len(task.query))
    return {task.query: task.gold_plan or () for task in tasks}


engine = PlanEngine()
