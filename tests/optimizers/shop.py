"""A tiny office, a tiny agent for it, and a model that can do what it has been shown."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import dspy
from dspy.lm15 import Request, Response

from tests.optimizers.proposing import proposing_lm, reply
from worksmith.evals.suite import Suite, write_suite
from worksmith.evals.tasks.task import Action, Step, Task
from worksmith.optimizers.optimizer import CompileContext
from worksmith.optimizers.proposer import Proposer
from worksmith.optimizers.registry import OPTIMIZERS
from worksmith.optimizers.rollouts import Rollouts
from worksmith.optimizers.settings import Settings
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.kinds.office.office_world import OFFICE
from worksmith.tools.kinds.office.policy import SAM
from worksmith.tools.world import write_world

ANY_MODEL = [name for name in OPTIMIZERS if not OPTIMIZERS[name].trains and name != "dspy:ReAnchor"]
"""The optimizers that do with any model and any program; `dspy:ReAnchor` asks for decisions."""

FAMILIES = ["bootstrap", "race", "dspy:BootstrapFewShotWithRandomSearch", "dspy:InferRules", "dspy:GEPA"]
"""One of each base class of optimizers, for what the class does and not its heirs."""

TITLES = [
    f"{first} {second}"
    for first in ("alpha", "beta", "gamma", "delta")
    for second in ("sync", "review", "call")
]
PHRASINGS = {
    "Cancel": ("Cancel '{title}'", "Cancel the meeting called '{title}', please"),
    "Rename": ("Rename '{title}' to 'done'", "Rename the meeting called '{title}' to 'done'"),
    "Shift": ("Shift '{title}' by a day", "Shift the meeting called '{title}' by a day"),
}


def make_suite(directory: Path) -> Suite:
    """36 tasks, 12 a split. Those of train have three intents; every dev and test task has one of its own."""
    events = [
        (f"{number:08}", title, "kim.lee@atlas.com", f"2023-12-{number + 1:02} 10:00:00", "30")
        for number, title in enumerate(TITLES)
    ]
    world = write_world(
        directory,
        OFFICE.tables,
        {"calendar": events},
        kind=OFFICE.name,
        origin="tests",
        now=datetime(2023, 11, 30),
        persona=SAM,
    )
    return write_suite(world, [_task(verb, number) for verb in PHRASINGS for number in range(len(TITLES))])


def _task(verb: str, number: int) -> Task:
    query = PHRASINGS[verb][number % 2].format(title=TITLES[number])
    event = f"{number:08}"
    if verb == "Cancel":
        action = Action(tool="calendar.delete_event", arguments={"event_id": event})
    else:
        column, value = _change(verb, number)
        arguments = {"event_id": event, "field": column, "new_value": value}
        action = Action(tool="calendar.update_event", arguments=arguments)
    return Task(
        id=f"{verb.lower()}-{number:02}",
        query=query,
        domains=("calendar",),
        intent=verb if number < 4 else f"{verb} {TITLES[number]}",
        split=("train", "dev", "test")[number // 4],
        gold_plan=(
            Step(tool="calendar.search_events", arguments={"query": TITLES[number]}, why="Find the event."),
            Step(tool=action.tool, arguments=action.arguments, why="Do it.", after=(0,)),
        ),
        expected=(action,),
    )


def _change(verb: str, number: int) -> tuple[str, str]:
    return (
        ("event_name", "done") if verb == "Rename" else ("event_start", f"2023-12-{number + 2:02} 10:00:00")
    )


class NextCall(dspy.Signature):  # type: ignore[misc]
    """Do the task."""

    task: str = dspy.InputField()
    trajectory: list[dict[str, Any]] = dspy.InputField()
    tool: str = dspy.OutputField()
    arguments: dict[str, Any] = dspy.OutputField()


class Clerk(dspy.Module):  # type: ignore[misc]
    """One predictor, one call at a time."""

    def __init__(self, env: Environment) -> None:
        super().__init__()
        self.step = dspy.Predict(NextCall)
        self._env = env

    def forward(self, task: Task) -> dspy.Prediction:
        episode = self._env.episode(task.domains)
        trajectory: list[dict[str, Any]] = []
        for _ in range(5):
            said = self.step(task=task.query, trajectory=list(trajectory))
            if said.tool == "finish":
                break
            observation = episode.call(said.tool, said.arguments)
            trajectory.append(
                {"tool": said.tool, "arguments": said.arguments, "observation": observation.value}
            )
        result = EpisodeResult("finished", episode.outcome(), episode.calls, model_calls=len(trajectory) + 1)
        return dspy.Prediction(answer="done", episode=result)


class Model:
    """Knows how to do the verbs it was told of, and those that a demonstration in the prompt shows."""

    def __init__(self, *verbs: str) -> None:
        self.verbs = set(verbs)
        self.digest = "-".join(verbs)
        self.requests: list[Request] = []

    def complete(self, request: Request) -> Response:
        self.requests.append(request)
        users = [_text(message) for message in request.messages if message.role == "user"]
        known = self.verbs | {field(user, "task").split()[0] for user in users[:-1]}
        tool, arguments = self._next(users[-1], known)
        fields = {"tool": tool, "arguments": json.dumps(arguments), "completed": ""}
        text = "\n\n".join(f"[[ ## {name} ## ]]\n{value}" for name, value in fields.items())
        return reply(request.model, text)

    def _next(self, user: str, known: set[str]) -> tuple[str, dict[str, Any]]:
        task, trajectory = field(user, "task"), json.loads(field(user, "trajectory"))
        verb = task.split()[0]
        title = task.split("'")[1]
        if verb not in known or len(trajectory) > 1:
            return "finish", {}
        if not trajectory:
            return "calendar.search_events", {"query": title}
        event = trajectory[0]["observation"][0]["event_id"]
        if verb == "Cancel":
            return "calendar.delete_event", {"event_id": event}
        column, value = _change(verb, int(event))
        return "calendar.update_event", {"event_id": event, "field": column, "new_value": value}


def lm(*verbs: str) -> dspy.LM:
    """A model that knows `verbs`; its engine is at `.engine`."""
    return dspy.LM(f"scripted/{'-'.join(verbs) or 'none'}", engine=Model(*verbs), cache=False)


def make_context(
    suite: Suite, folder: Path, *, teacher: dspy.LM, student: dspy.LM, workers: int = 1, **settings: Any
) -> CompileContext:
    """A compile of the clerk for `student`, taught by `teacher`."""

    def rollouts(model: dspy.LM, name: str) -> Rollouts:
        return Rollouts(suite.env, model, folder / name, workers=workers)

    return CompileContext(
        program=Clerk(suite.env),
        train=suite.select(split="train"),
        dev=suite.select(split="dev"),
        held_back=[*suite.select(split="dev"), *suite.select(split="test")],
        teacher=rollouts(teacher, "teacher"),
        student=rollouts(student, "student"),
        settings=Settings(**settings),
        proposer=Proposer.of(proposing_lm()),
    )


def _text(message: Any) -> str:
    return "".join(part.text for part in message.parts)


def field(text: str, name: str) -> str:
    """A field of a prompt's turn."""
    found = re.search(rf"\[\[ ## {name} ## \]\]\n(.*?)(?:\n\n|\Z)", text, re.S)
    assert found, (name, text)
    return found[1]
