"""Agents of any framework as programs of the harness."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import dspy
import openai
import pytest

from tests.evals.client_errors import foreign
from tests.programs.office import TASKS, Script
from worksmith.evals.lm.failures import failure_status
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.programs.own_agents.model import own_models
from worksmith.programs.own_agents.program import OwnAgent
from worksmith.programs.own_agents.task import AgentTask, Answer
from worksmith.programs.own_agents.tools import ENDED
from worksmith.retrievers.errors import RetrievalError
from worksmith.tools.environment import Environment
from worksmith.tools.episode import Episode
from worksmith.tools.errors import InputError

DONE = [task.model_copy(update={"expected": task.gold_plan[-1:]}) for task in TASKS if task.gold_plan]


def run(function: Any, env: Environment, lm: Any = None, **more: Any) -> Sequence[EpisodeRecord]:
    settings = EvalSettings(env=env, lm=lm or own_models(), workers=4, **more)
    return evaluate(OwnAgent(function, env), DONE, settings).records


def cancel(task: AgentTask) -> str:
    """Do what the gold plans do."""
    title = task.text.split("'")[1]
    found = task.tools.call("calendar.search_events", {"query": title})
    number = found.split("event_id")[1].split('"')[2]
    task.tools.call("calendar__delete_event", {"event_id": number})
    return "Done."


async def cancel_later(task: AgentTask) -> Answer:
    await asyncio.sleep(0)
    answer = await asyncio.to_thread(cancel, task)
    task.usage.add(100, 10, cached_tokens=40)
    task.usage.add(0, 0, requests=2)
    return Answer(answer)


def test_an_agent_is_scored_like_any_program(env: Environment) -> None:
    records = run(cancel, env)

    assert [record.scores["outcome"] for record in records] == [1.0] * len(TASKS)
    assert {record.strategy for record in records} == {"cancel"}
    assert {record.answer for record in records} == {"Done."}
    assert [call.tool for call in records[0].calls] == ["calendar.search_events", "calendar.delete_event"]


def test_usage_that_nobody_reports_is_unknown_and_not_zero(env: Environment) -> None:
    result = evaluate(OwnAgent(cancel, env), TASKS, EvalSettings(env=env, lm=own_models()))

    assert all(record.uncounted for record in result.records)
    assert str(result.records[0].usage) == "unknown tokens"
    assert result.summary.means.keys() == result.summary.totals.keys() == {"steps", "seconds"}


def test_asynchronous_agents_report_their_usage(env: Environment) -> None:
    records = run(cancel_later, env)

    assert {record.scores["outcome"] for record in records} == {1.0}
    seen = {(r.model_calls, r.prompt_tokens, r.completion_tokens, r.cached_tokens) for r in records}
    assert seen == {(3, 100, 10, 40)}
    assert {(r.paid_requests, r.uncounted) for r in records} == {(3, False)}


def test_requests_of_dspys_model_are_counted(env: Environment) -> None:
    def asks(task: AgentTask) -> str:
        return str(dspy.Predict("task -> answer")(task=task.text).answer)

    said = "[[ ## answer ## ]]\nNo.\n\n[[ ## completed ## ]]"
    records = run(asks, env, Script(*[said] * len(TASKS)).lm())

    assert {(record.answer, record.model_calls, record.uncounted) for record in records} == {
        ("No.", 1, False)
    }
    with pytest.raises(InputError, match="none is named"):
        run(asks, env)


def test_a_task_shows_who_asks_and_no_expectation(env: Environment) -> None:
    seen: list[AgentTask] = []

    def look(task: AgentTask) -> str:
        seen.append(task)
        return ""

    run(look, env)
    assert seen[0].text == "Cancel the meeting 'Budget review'"
    assert "Now: Thursday 2023-11-30 00:00" in seen[0].instructions
    assert not seen[0].persona.attributes
    assert list(seen[0].tools.answer_fields) == ["answer"]
    assert not {"gold_plan", "expected", "answer"} & set(vars(seen[0]))
    assert seen[0].tools.call("calendar.search_events", {}) == ENDED


def connection_refused(task: AgentTask) -> str:
    client = openai.OpenAI(base_url="http://127.0.0.1:9/v1", api_key="none", max_retries=0)
    return str(client.chat.completions.create(model="m", messages=[]))


def mistaken(task: AgentTask) -> str:
    return dict[str, str]()["answer"]


def silent(task: AgentTask) -> None:
    return None


@pytest.mark.parametrize(
    ("agent", "status", "said"),
    [
        (connection_refused, "model_error", "Connection error"),
        (mistaken, "program_error", "KeyError"),
        (silent, "program_error", "returned NoneType"),
    ],
)
def test_errors_are_classified(env: Environment, agent: Any, status: str, said: str) -> None:
    record = run(agent, env)[0]

    assert record.status == status
    assert said in str(record.error)


LIMITS = {
    "langgraph.errors": "GraphRecursionError",
    "agents.exceptions": "MaxTurnsExceeded",
    "pydantic_ai.exceptions": "UsageLimitExceeded",
}


@pytest.mark.parametrize("module", LIMITS)
def test_a_framework_s_limit_of_steps_is_ours(env: Environment, module: str) -> None:
    def endless(task: AgentTask) -> str:
        raise foreign(module, LIMITS[module], said="Recursion limit of 25 reached")

    record = run(endless, env)[0]

    assert (record.status, record.graded, record.scores["outcome"]) == ("step_limit", True, 0.0)
    assert record.error == f"{LIMITS[module]}: Recursion limit of 25 reached"
    assert failure_status(foreign("my_agent", LIMITS[module])) == "program_error"


@pytest.mark.slow
@pytest.mark.parametrize("module", LIMITS)
def test_frameworks_call_their_limits_so(module: str) -> None:
    pytest.importorskip(module.partition(".")[0])
    error = getattr(importlib.import_module(module), LIMITS[module])("25 steps")

    assert failure_status(error) == "step_limit"


def test_calls_before_an_error_stay_on_record(env: Environment) -> None:
    def halfway(task: AgentTask) -> str:
        cancel(task)
        raise ValueError("oops")

    record = run(halfway, env)[0]

    assert (record.status, len(record.calls), record.scores["outcome"]) == ("program_error", 2, 0.0)


def test_a_failure_of_the_harness_loses_the_episode_even_if_hidden(
    env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Episode, *_: Any) -> Any:
        raise RetrievalError("no index")

    def hides(task: AgentTask) -> str:
        with suppress(Exception):
            cancel(task)
        return "Done."

    monkeypatch.setattr(Episode, "call", broken)

    assert {record.status for record in run(hides, env)} == {"harness_error"}


def test_an_agent_past_its_time_has_unknown_usage_and_changes_nothing(env: Environment) -> None:
    async def slow(task: AgentTask) -> str:
        await asyncio.sleep(0.3)
        return cancel(task)

    records = run(slow, env, time_limit=0.05)

    assert {(record.status, record.uncounted) for record in records} == {("timeout", True)}


def test_settings_and_code_are_in_the_digest(env: Environment) -> None:
    made = [OwnAgent(cancel, env), OwnAgent(cancel, env, max_steps=5), OwnAgent(cancel_later, env)]

    assert len({(each.digest, each.code_digest) for each in made}) == 3
    assert OwnAgent(cancel).bound(env).digest == made[0].digest


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: OwnAgent(dspy.Predict("a -> b")), "needs no wrapper"),
        (lambda: OwnAgent(7), "is not an agent"),  # type: ignore[arg-type]
        (lambda: OwnAgent(cancel, toolset="retrieved:4"), "change at each step"),
        (lambda: OwnAgent(lambda: "Done."), "takes no task"),  # type: ignore[arg-type,misc]
        (lambda: OwnAgent(lambda task, more: "Done."), "takes no task"),  # type: ignore[arg-type,misc]
    ],
)
def test_what_is_no_agent_is_refused(make: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        make()
