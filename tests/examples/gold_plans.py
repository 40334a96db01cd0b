"""A model that follows the gold plans of a suite in any framework's requests: for `worksmith serve model`.

It finds the task by its words in the prompt, and the place in the plan by the results of tools. Where a
request offers no tools, it writes DSPy's fields.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from dspy.lm15 import Message, Request, Response, TextPart, ToolCallPart, ToolResultPart, Usage

from evals.suite import Suite
from evals.tasks.task import Task
from programs.prompting.native_tools import native_name
from tools.tool import FINISH

SUITE = "GOLD_PLANS_OF"
"""The environment variable with the suite's folder."""


class GoldPlans:
    version = "1"

    def complete(self, request: Request) -> Response:
        task = self._task("\n".join(_texts(request)))
        reply = _native(task, request) if request.tools else _fields(task, request)
        reason: Any = "tool_call" if request.tools and reply.first(ToolCallPart) else "stop"
        return Response(None, request.model, reply, reason, Usage(100, 10, 110))

    @cached_property
    def _tasks(self) -> list[Task]:
        return sorted(Suite.open(os.environ[SUITE]).tasks, key=lambda task: -len(task.query))

    def _task(self, said: str) -> Task:
        return next(task for task in self._tasks if task.query in said)


def _native(task: Task, request: Request) -> Message:
    made = sum(len(message.parts_of(ToolResultPart)) for message in request.messages)
    plan, offered = task.gold_plan or (), {tool.name for tool in request.tools}
    if made < len(plan):
        step = plan[made]
        return _call(native_name(step.tool), step.arguments, made)
    if made == len(plan) and FINISH in offered:
        return _call(FINISH, _end(task), made)
    return Message.assistant(_end(task)["answer"])


def _fields(task: Task, request: Request) -> Message:
    """A step of `dspy.ReAct`, or its last answer."""
    last, plan = request.messages[-1].text or "", task.gold_plan or ()
    made = last.count("[[ ## observation_")
    if "next_tool_name" not in last:
        return Message.assistant(_said(reasoning="It is done.", answer=_end(task)["answer"]))
    tool, arguments = (
        (native_name(plan[made].tool), plan[made].arguments) if made < len(plan) else (FINISH, {})
    )
    written = json.dumps(arguments, ensure_ascii=False)
    return Message.assistant(_said(next_thought="Next.", next_tool_name=tool, next_tool_args=written))


def _end(task: Task) -> dict[str, str]:
    if task.answer is None:
        return {"answer": "Done."}
    return {"answer": task.answer.text, "status": task.answer.status}


def _said(**fields: str) -> str:
    return "\n\n".join(
        [*(f"[[ ## {name} ## ]]\n{text}" for name, text in fields.items()), "[[ ## completed ## ]]"]
    )


def _call(name: str, arguments: dict[str, Any], number: int) -> Message:
    return Message("assistant", (ToolCallPart(f"call{number:05}", name, arguments),))


def _texts(request: Request) -> Iterator[str]:
    for message in request.messages:
        yield from (part.text for part in message.parts_of(TextPart))


engine = GoldPlans()
