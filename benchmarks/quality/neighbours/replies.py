"""A model for any framework that does tasks rightly and in many wrong ways: for `worksmith serve model`.

The words of the prompt tell the task, the task's id the manner, and the replies so far the place in it. So
every framework that shows the same task gets the same replies.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from dspy.lm15 import FunctionTool, Message, Request, Response, TextPart, ToolCallPart, Usage

from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Step, Task
from worksmith.programs.prompting.native_tools import native_name
from worksmith.tools.seeding import digest
from worksmith.tools.tool import FINISH

SUITES = "NEIGHBOURS_SUITES"
"""The environment variable with the folders of the suites."""

Call = tuple[str, dict[str, Any]]
Turn = Sequence[Call] | str
"""The calls of a reply, or its words."""

Offered = Mapping[str, Any]
"""The schemas of the tools in a request, by name."""


def manner_of(task: Task) -> str:
    """The way in which the model does a task."""
    names = [*_RIGHT, *_WRONG, *_WRONG]
    return names[int(digest(task.id), 16) % len(names)]


class Replies:
    """The model."""

    version = "1"

    def complete(self, request: Request) -> Response:
        said = "\n".join(part.text for message in request.messages for part in message.parts_of(TextPart))
        said += "\n" + str(request.system or "")
        task = next(task for task in self._tasks if task.query in said and _person(task) in said)
        place = sum(message.role == "assistant" for message in request.messages)
        offered = {tool.name: tool.parameters for tool in request.tools if isinstance(tool, FunctionTool)}
        reply = _message((_RIGHT | _WRONG)[manner_of(task)](task, offered), place)
        reason: Any = "tool_call" if reply.first(ToolCallPart) else "stop"
        return Response(None, request.model, reply, reason, Usage(100, 10, 110))

    @cached_property
    def _tasks(self) -> list[Task]:
        suites = map(Suite.open, os.environ[SUITES].split(os.pathsep))
        return sorted((task for suite in suites for task in suite.tasks), key=lambda task: -len(task.query))


def _message(turns: Sequence[Turn], place: int) -> Message:
    turn = turns[place] if place < len(turns) else "That is all."
    if isinstance(turn, str):
        return Message.assistant(turn)
    calls = enumerate(turn)
    return Message(
        "assistant", tuple(ToolCallPart(f"call{place:03}{n:03}", name, args) for n, (name, args) in calls)
    )


def _person(task: Task) -> str:
    return task.persona.name if task.persona else ""


def _plan(task: Task) -> list[Turn]:
    return [[_step(step)] for step in task.gold_plan or ()]


def _step(step: Step, **changed: Any) -> Call:
    return native_name(step.tool), {**step.arguments, **changed}


def _end(task: Task, offered: Offered, *, answer: str | None = None, status: str | None = None) -> Turn:
    right = task.answer.text if task.answer else "Done."
    text = right if answer is None else answer
    if FINISH not in offered:
        return text or "There is nothing."
    return [
        (FINISH, {"answer": text, "status": status or (task.answer.status if task.answer else "answered")})
    ]


def _right(task: Task, offered: Offered) -> list[Turn]:
    return [*_plan(task), _end(task, offered)]


def _together(task: Task, offered: Offered) -> list[Turn]:
    return [[call for turn in _right(task, offered) if not isinstance(turn, str) for call in turn], "Done."]


def _mistaken(task: Task, offered: Offered) -> list[Turn]:
    first = (task.gold_plan or (None,))[0]
    wrong: list[Turn] = [
        [("no_such__tool", {"x": 1})],
        [(_step(first)[0] if first else "other", {"no": "argument"})],
    ]
    return [*wrong, *_right(task, offered)]


def _with_nulls(task: Task, offered: Offered) -> list[Turn]:
    """Arguments that are left out are null, as many models write them; schemas do not allow that."""
    plan = []
    for step in task.gold_plan or ():
        name, arguments = _step(step)
        schema = offered.get(name, {})
        optional = schema.get("properties", {}).keys() - set(schema.get("required", ()))
        plan.append([(name, {**dict.fromkeys(sorted(optional)), **arguments})])
    return [*plan, _end(task, offered)]


def _in_words(task: Task, offered: Offered) -> list[Turn]:
    return [*_plan(task), _end(task, {})]


def _wrong_answer(task: Task, offered: Offered) -> list[Turn]:
    return [*_plan(task), _end(task, offered, answer="The answer is 42.")]


def _wrong_status(task: Task, offered: Offered) -> list[Turn]:
    denied = task.answer is not None and task.answer.status == "denied"
    return [*_plan(task), _end(task, offered, status="answered" if denied else "denied")]


def _at_once(task: Task, offered: Offered) -> list[Turn]:
    return [_end(task, offered)]


def _cut_short(task: Task, offered: Offered) -> list[Turn]:
    return [*_plan(task)[:-1], _end(task, offered)]


def _twice(task: Task, offered: Offered) -> list[Turn]:
    return [*_plan(task), *_plan(task), _end(task, offered)]


def _other_values(task: Task, offered: Offered) -> list[Turn]:
    plan = list(task.gold_plan or ())
    changed = [{name: f"{v}, or not" for name, v in s.arguments.items() if isinstance(v, str)} for s in plan]
    return [*([_step(s, **more)] for s, more in zip(plan, changed, strict=True)), _end(task, offered)]


def _endless(task: Task, offered: Offered) -> list[Turn]:
    return _plan(task)[:1] * 100 or [_end(task, offered)]


_Manner = Callable[[Task, Offered], list[Turn]]
"""The turns of a task; takes the task and the tools."""

_RIGHT: dict[str, _Manner] = {
    "right": _right,
    "together": _together,
    "mistaken": _mistaken,
    "with_nulls": _with_nulls,
    "in_words": _in_words,
}
_WRONG: dict[str, _Manner] = {
    "wrong_answer": _wrong_answer,
    "wrong_status": _wrong_status,
    "at_once": _at_once,
    "cut_short": _cut_short,
    "twice": _twice,
    "other_values": _other_values,
    "endless": _endless,
}

engine = Replies()
