"""A tiny office with a handful of tasks, for tests of agents."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import dspy
from dspy.lm15 import Message, Request, Response, Usage

from worksmith.evals.suite import write_suite
from worksmith.evals.tasks.task import Step, Task
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.office.office_world import OFFICE
from worksmith.tools.kinds.office.policy import SAM
from worksmith.tools.world import write_world

NOW = datetime(2023, 11, 30)
EVENTS: list[tuple[str, ...]] = [
    (f"{number:08}", title, "kim.lee@atlas.com", f"2023-12-0{number + 1} 10:00:00", "30")
    for number, title in enumerate(["Budget review", "Team sync", "Launch call", "Retro"])
]


def make_env(directory: Path) -> Environment:
    rows: dict[str, list[tuple[str, ...]]] = {"calendar": EVENTS, "directory": [("kim.lee@atlas.com",)]}
    world = write_world(directory, OFFICE.tables, rows, kind="office", origin="tests", now=NOW, persona=SAM)
    return write_suite(world, TASKS).env


def cancel(number: int) -> Task:
    """Cancel a meeting: one search, one deletion."""
    event_id, title = EVENTS[number][:2]
    return Task(
        id=f"cancel-{number}",
        query=f"Cancel the meeting '{title}'",
        domains=("calendar",),
        gold_plan=(
            Step(tool="calendar.search_events", arguments={"query": title}, why="Find the meeting."),
            Step(tool="calendar.delete_event", arguments={"event_id": event_id}, why="Delete it."),
        ),
    )


TASKS = [cancel(number) for number in range(len(EVENTS))]


class Script:
    """An engine that says one thing after the other and keeps what it was asked."""

    digest = ""

    def __init__(self, *replies: str | Exception) -> None:
        self.requests: list[Request] = []
        self._replies: Iterator[str | Exception] = iter(replies)

    def complete(self, request: Request) -> Response:
        self.requests.append(request)
        reply = next(self._replies)
        if isinstance(reply, Exception):
            raise reply
        return answer(request, reply)

    def lm(self) -> dspy.LM:
        return lm_of(self)


def lm_of(engine: Any, name: str = "scripted/test") -> dspy.LM:
    return dspy.LM(name, engine=engine, cache=False, num_retries=0)


def run_agent(agent: dspy.Module, lm: dspy.LM, task: Any = TASKS[0], **settings: Any) -> dspy.Prediction:
    """The agent's prediction for a task with a model, under DSPy's settings."""
    with dspy.context(lm=lm, **settings):
        return agent(task=task)


def run_script(
    agent: dspy.Module, *replies: str | Exception, task: Any = TASKS[0]
) -> tuple[dspy.Prediction, Script]:
    """As `run_agent`, with a model that says one reply after the other; the script has what it was asked."""
    script = Script(*replies)
    return run_agent(agent, script.lm(), task), script


def answer(request: Request, text: str) -> Response:
    usage = Usage(input_tokens=10, output_tokens=3)
    return Response(None, request.model, Message.assistant(text), "stop", usage)


def reply(**fields: str) -> str:
    """A reply in the format of programs."""
    parts = [f"[[ ## {name} ## ]]\n{text}" for name, text in fields.items()]
    return "\n\n".join([*parts, "[[ ## completed ## ]]"])


def call(tool: str, arguments: str = "{}", **more: str) -> str:
    return reply(**more, tool=tool, arguments=arguments)


def finish(text: str = "Done.") -> str:
    return call("finish", f'{{"answer": "{text}"}}')


def texts(request: Request) -> list[str]:
    return [str(message.text) for message in request.messages]
