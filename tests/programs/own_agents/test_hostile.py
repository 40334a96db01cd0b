"""Agents that go wrong in strange ways: each fails alone, as a program that failed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import numpy as np
import pytest

from tests.programs.own_agents.test_program import DONE, cancel, run
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.programs.own_agents.model import own_models
from worksmith.programs.own_agents.program import OwnAgent
from worksmith.programs.own_agents.task import AgentTask, Answer
from worksmith.tools.environment import Environment

SEARCH = "calendar.search_events"


def generator(task: AgentTask) -> Iterator[str]:
    yield "Done."


async def async_generator(task: AgentTask) -> AsyncIterator[str]:
    yield "Done."


def exits(task: AgentTask) -> str:
    raise SystemExit(0)


async def exits_later(task: AgentTask) -> str:
    raise SystemExit(0)


def closes(task: AgentTask) -> str:
    raise GeneratorExit


def is_cancelled(task: AgentTask) -> str:
    raise asyncio.CancelledError


async def is_cancelled_later(task: AgentTask) -> str:
    raise asyncio.CancelledError


class _Broken:
    def __await__(self) -> Iterator[None]:
        raise RuntimeError("cannot be awaited")


def broken(task: AgentTask) -> _Broken:
    return _Broken()


def numbers(task: AgentTask) -> Answer:
    return Answer(5)  # type: ignore[arg-type]


def strange_status(task: AgentTask) -> Answer:
    return Answer("Done.", status=["denied"])  # type: ignore[arg-type]


def part_of_a_token(task: AgentTask) -> str:
    task.usage.add(1.5)  # type: ignore[arg-type]
    return "Done."


def no_number(task: AgentTask) -> str:
    task.usage.add(float("nan"))  # type: ignore[arg-type]
    return "Done."


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        (generator, "returned generator"),
        (async_generator, "returned async_generator"),
        (exits, "SystemExit"),
        (exits_later, "SystemExit"),
        (closes, "GeneratorExit"),
        (is_cancelled, "CancelledError"),
        (is_cancelled_later, "CancelledError"),
        (broken, "cannot be awaited"),
        (numbers, "Answer.text is a str, and not int"),
        (strange_status, "Answer.status is a str, and not list"),
        (part_of_a_token, "float"),
        (no_number, "float"),
    ],
)
def test_its_failure_is_its_own(env: Environment, agent: Any, said: str) -> None:
    for record in run(agent, env):
        assert (record.status, record.scores["outcome"]) == ("program_error", 0.0)
        assert said in str(record.error)


def test_one_that_exits_stops_no_other(env: Environment) -> None:
    async def later(task: AgentTask) -> str:
        return cancel(task)

    run(exits_later, env)

    assert [record.scores["outcome"] for record in run(later, env)] == [1.0] * 4


@pytest.mark.parametrize("how", ["stop", "exit"])
def test_one_that_ends_the_event_loop_stops_no_other(env: Environment, how: str) -> None:
    async def exits() -> None:
        raise SystemExit(0)

    async def ends(task: AgentTask) -> str:
        loop = asyncio.get_running_loop()
        if how == "stop":
            loop.stop()
        left = loop.create_task(exits())
        await asyncio.wait([left])
        return cancel(task)

    assert [record.scores["outcome"] for record in run(ends, env)] == [1.0] * 4


def within_itself() -> Any:
    values: dict[str, Any] = {}
    values["query"] = [values, values]
    return values


def deep() -> Any:
    values: Any = "Budget"
    for _ in range(5000):
        values = {"query": values}
    return values


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [within_itself(), deep(), [[within_itself()]]])
def test_arguments_without_end_are_refused(env: Environment, arguments: Any) -> None:
    def agent(task: AgentTask) -> str:
        return task.tools.call(SEARCH, arguments)

    settings = EvalSettings(env=env, lm=own_models())
    (record,) = evaluate(OwnAgent(agent, env), DONE[:1], settings).records
    assert (record.status, record.calls[0].status) == ("finished", "bad_arguments")
    assert "must be an object" in record.answer


@pytest.mark.parametrize("value", [object(), {object(): 1}, b"\xff", np.int64(3), [lambda: 1]])
def test_arguments_that_are_no_json_are_refused_and_recorded(env: Environment, value: Any) -> None:
    def agent(task: AgentTask) -> str:
        return task.tools.call(SEARCH, {"query": "Budget", "limit": value})

    for record in run(agent, env):
        assert (record.status, record.calls[0].status) == ("finished", "bad_arguments")
        assert f"limit: {type(value).__name__} is not a JSON value" in record.answer
        assert record.calls[0].arguments == {"query": "Budget", "limit": type(value).__name__}


@pytest.mark.parametrize("name", [None, 5, [], {}, b"x", object()])
def test_names_that_are_no_text_are_no_tools(env: Environment, name: Any) -> None:
    def agent(task: AgentTask) -> str:
        return task.tools.call(name, {})

    for record in run(agent, env):
        assert record.status == "finished"
        assert "is not a valid tool" in record.answer


def test_one_that_changes_schemas_changes_its_own(env: Environment) -> None:
    def agent(task: AgentTask) -> str:
        seen = str([tool.schema for tool in task.tools] + task.tools.openai())
        for tool in task.tools:
            tool.schema["properties"].clear()
            tool.schema["forged"] = True
        return seen

    first, *rest = {record.answer for record in run(agent, env)}

    assert rest == []
    assert "forged" not in first
    assert "forged" not in str([tool.parameters for tool in env.episode().toolset.values()])
