"""Simulated models, for benchmarks of machinery that need thousands of cheap calls: no language models.

Both know the gold plans of suites and answer in any framework's requests, text or native. They find the task
by its words and the person's name in the prompt, and the place in the plan by the calls that were made.
`gold` always makes the next call of the plan. `student` gives up now and then: the more demonstrations a
prompt shows, the more rarely; a draw from the prompt itself decides, so equal prompts get equal replies.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from dspy.lm15 import Message, Request, Response, TextPart, ToolCallPart, Usage

from worksmith.evals.suite import Suite
from worksmith.evals.tasks.transcript import Transcript, TranscriptStep, gold_transcripts
from worksmith.programs.prompting.native_tools import native_name
from worksmith.programs.prompting.render import as_fields
from worksmith.tools.seeding import rng
from worksmith.tools.tool import FINISH

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.tasks.task import Task

SUITES = "GOLD_PLANS_OF"
"""The environment variable with the folders of a served model's suites, parted as those of PATH."""

_SURE, _MISSES, _HALVED = 0.98, 0.6, 3
"""The chance of the right call is `_SURE`, less `_MISSES` without demonstrations; that halves for so many."""

_CALLED = re.compile(r"\[\[ ## tool ## \]\]\s*(\S+)")
_GIVES_UP = {"answer": "I do not know.", "status": "not_found"}


class Plan(NamedTuple):
    """A gold plan, and the name of the person that asks; empty for anybody."""

    script: Transcript
    person: str


class GoldPlans:
    """Follows the plans.

    Args:
        tasks: of the plans; None for those of the suites that `SUITES` names.
        latency: the fewest and the most seconds until a reply.
    """

    version = "2"
    supports_function_calling = True

    def __init__(self, tasks: Iterable[Task] | None = None, latency: tuple[float, float] = (0, 0)) -> None:
        self._tasks = tasks
        self._latency = latency

    def complete(self, request: Request) -> Response:
        """The next call of the plan."""
        offered = {tool.name for tool in request.tools}
        place, script = self._asked(request, offered)
        said = "\n".join(_texts(request.system, request.messages))
        if any(self._latency):
            time.sleep(Random(said).uniform(*self._latency))
        if not offered and "[[ ## tool ## ]]" not in said:
            reply = _react(script, request)
        else:
            name, arguments = self._next(script, said, request.messages[:place], request.messages[place:])
            reply = _as_text(name, arguments, said) if not offered else _as_call(name, arguments, request)
        reason: Any = "tool_call" if reply.first(ToolCallPart) else "stop"
        return Response(None, request.model, reply, reason, Usage(len(said) // 4, 10))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def _next(
        self, script: Transcript, said: str, before: Sequence[Message], since: Sequence[Message]
    ) -> tuple[str, dict[str, Any]]:
        """The next call.

        Args:
            said: the whole prompt.
            before, since: the messages before the task, and from there on.
        """
        made = _made(script, since)
        if made < len(script.steps):
            return script.steps[made].tool, _arguments(script.steps[made])
        return FINISH, _end(script)

    @cached_property
    def _plans(self) -> list[Plan]:
        """The plans, those of long requests first: one request may be a part of another."""
        tasks = self._tasks
        if tasks is None:
            tasks = [t for place in os.environ[SUITES].split(os.pathsep) for t in Suite.open(place).tasks]
        found = [
            Plan(script, task.persona.name if task.persona else "")
            for task in tasks
            for script in gold_transcripts(task)
        ]
        return sorted(found, key=lambda plan: -len(plan.script.query))

    def _asked(self, request: Request, offered: set[str]) -> tuple[int, Transcript]:
        """The message with the task, and the task's plan: of this person, with the tools on offer."""
        told = "\n".join(_texts(request.system, request.messages))

        def fits(plan: Plan) -> tuple[int, bool, bool]:
            names = [(step.tool, native_name(step.tool)) for step in plan.script.steps]
            there = all(native in (offered or told) or name in told for name, native in names)
            asks = bool(plan.person) and f"Working for: {plan.person}" in f"{request.system}{text}"
            return len(plan.script.query), asks, there

        for place in reversed(range(len(request.messages))):
            message = request.messages[place]
            text = message.text or ""
            found = [plan for plan in self._plans if plan.script.query in text]
            if message.role == "user" and found:
                return place, max(found, key=fits).script
        raise LookupError("the request holds no task of the suites")


class Student(GoldPlans):
    """Follows the plans more often the more demonstrations it is shown."""

    version = "student-2"

    def _next(
        self, script: Transcript, said: str, before: Sequence[Message], since: Sequence[Message]
    ) -> tuple[str, dict[str, Any]]:
        shown = sum(message.role == "assistant" for message in before) / 2
        if rng(0, "student", said).random() < _SURE - _MISSES * 0.5 ** (shown / _HALVED):
            return super()._next(script, said, before, since)
        return FINISH, {name: _GIVES_UP[name] for name in _end(script)}


def simulated(engine: GoldPlans) -> dspy.LM:
    """A simulated model in this process."""
    import dspy

    name = type(engine).__name__.lower()
    return dspy.LM(f"simulated/{name}", engine=engine, cache=False, num_retries=0)


def _made(script: Transcript, since: Sequence[Message]) -> int:
    """The number of steps that were made; calls of other tools are none."""
    called = [part.name for message in since for part in message.parts_of(ToolCallPart)]
    called += [
        native_name(name)
        for message in since
        if message.role == "assistant"
        for name in _CALLED.findall(message.text or "")
    ]
    made = 0
    for name in called:
        made += made < len(script.steps) and name == native_name(script.steps[made].tool)
    return made


def _as_call(name: str, arguments: dict[str, Any], request: Request) -> Message:
    last = [part.name for message in request.messages[-2:] for part in message.parts_of(ToolCallPart)]
    if name == FINISH and (FINISH not in {tool.name for tool in request.tools} or last == [FINISH]):
        return Message.assistant(arguments["answer"] or "(none)")
    return Message.assistant([ToolCallPart(f"call{len(request.messages):05}", native_name(name), arguments)])


def _as_text(name: str, arguments: dict[str, Any], said: str) -> Message:
    thought = {"thought": "Next."} if "[[ ## thought ## ]]" in said else {}
    return Message.assistant(as_fields({**thought, "tool": name, "arguments": _json(arguments)}))


def _react(script: Transcript, request: Request) -> Message:
    """A step of `dspy.ReAct`, or its last answer."""
    last = request.messages[-1].text or ""
    made = last.count("[[ ## observation_")
    if "next_tool_name" not in last:
        return Message.assistant(as_fields({"reasoning": "It is done.", **_end(script)}))
    tool, arguments = FINISH, dict[str, Any]()
    if made < len(script.steps):
        tool, arguments = native_name(script.steps[made].tool), _arguments(script.steps[made])
    written = {"next_tool_name": tool, "next_tool_args": _json(arguments)}
    return Message.assistant(as_fields({"next_thought": "Next.", **written}))


def _json(arguments: dict[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def _arguments(step: TranscriptStep) -> dict[str, Any]:
    assert not isinstance(step.arguments, str)
    return dict(step.arguments)


def _end(script: Transcript) -> dict[str, str]:
    answer = script.final or ("None" if script.status == "not_found" else "")
    return {"answer": answer, "status": script.status} if script.status else {"answer": answer}


def _texts(system: Any, messages: Iterable[Message]) -> Iterator[str]:
    yield str(system or "")
    for message in messages:
        yield from (part.text for part in message.parts_of(TextPart))


gold, student = GoldPlans(), Student()
