"""A model that follows the gold plans of suites in any framework's requests: for `worksmith serve model`.

It finds the task by its words and the person's name in the prompt, and the place in the plan by the results
of tools. Where a request offers no tools, it writes DSPy's fields.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from dspy.lm15 import Message, Request, Response, TextPart, ToolCallPart, ToolResultPart, Usage

from worksmith.evals.suite import Suite
from worksmith.evals.tasks.transcript import Transcript, TranscriptStep, gold_transcripts
from worksmith.programs.prompting.native_tools import native_name
from worksmith.tools.tool import FINISH

SUITES = "GOLD_PLANS_OF"
"""The environment variable with the suites' folders, parted as those of PATH."""


class Plan(NamedTuple):
    """A gold plan, and the name of the person that asks; empty for anybody."""

    script: Transcript
    person: str


class GoldPlans:
    version = "1"

    def complete(self, request: Request) -> Response:
        said = "\n".join(_texts(request))
        offered = {tool.name for tool in request.tools}
        script = self._script(said, offered)
        reply = _native(script, request, offered) if offered else _fields(script, request)
        reason: Any = "tool_call" if reply.first(ToolCallPart) else "stop"
        return Response(None, request.model, reply, reason, Usage(100, 10, 110))

    @cached_property
    def _plans(self) -> list[Plan]:
        """The plans, those of long requests first: one request may be a part of another."""
        found = [
            Plan(script, task.persona.name if task.persona else "")
            for folder in os.environ[SUITES].split(os.pathsep)
            for task in Suite.open(folder).tasks
            for script in gold_transcripts(task)
        ]
        return sorted(found, key=lambda plan: -len(plan.script.query))

    def _script(self, said: str, offered: set[str]) -> Transcript:
        """The plan of the task that the prompt is about: of this person, with the tools on offer."""

        def fits(plan: Plan) -> tuple[int, bool, bool]:
            names = [native_name(step.tool) for step in plan.script.steps]
            there = all(name in offered if offered else name in said for name in names)
            asks = bool(plan.person) and f"Working for: {plan.person}" in said
            return len(plan.script.query), asks, there

        return max((plan for plan in self._plans if plan.script.query in said), key=fits).script


def _native(script: Transcript, request: Request, offered: set[str]) -> Message:
    made = sum(len(message.parts_of(ToolResultPart)) for message in request.messages)
    if made < len(script.steps):
        step = script.steps[made]
        return _call(native_name(step.tool), _arguments(step), made)
    if made == len(script.steps) and FINISH in offered:
        return _call(FINISH, _end(script), made)
    return Message.assistant(_end(script)["answer"] or "(none)")


def _fields(script: Transcript, request: Request) -> Message:
    """A step of `dspy.ReAct`, or its last answer."""
    last = request.messages[-1].text or ""
    made = last.count("[[ ## observation_")
    if "next_tool_name" not in last:
        return Message.assistant(_said(reasoning="It is done.", **_end(script)))
    tool, arguments = FINISH, dict[str, Any]()
    if made < len(script.steps):
        step = script.steps[made]
        tool, arguments = native_name(step.tool), _arguments(step)
    written = json.dumps(arguments, ensure_ascii=False)
    return Message.assistant(_said(next_thought="Next.", next_tool_name=tool, next_tool_args=written))


def _arguments(step: TranscriptStep) -> dict[str, Any]:
    assert not isinstance(step.arguments, str)
    return dict(step.arguments)


def _end(script: Transcript) -> dict[str, str]:
    answer = script.final or ("None" if script.status == "not_found" else "")
    return {"answer": answer, "status": script.status} if script.status else {"answer": answer}


def _said(**fields: str) -> str:
    return "\n\n".join(
        [*(f"[[ ## {name} ## ]]\n{text}" for name, text in fields.items()), "[[ ## completed ## ]]"]
    )


def _call(name: str, arguments: dict[str, Any], number: int) -> Message:
    return Message("assistant", (ToolCallPart(f"call{number:05}", name, arguments),))


def _texts(request: Request) -> Iterator[str]:
    yield str(request.system or "")
    for message in request.messages:
        yield from (part.text for part in message.parts_of(TextPart))


engine = GoldPlans()
