"""Spans that an agent's framework emits through OpenTelemetry are kept with its episode."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from tests.programs.office import TASKS
from worksmith.evals.records.entries import SpanEntry
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.running.emitted_spans import LONGEST_VALUE, MOST_SPANS, MOST_TEXT
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.programs.own_agents.model import own_models
from worksmith.programs.own_agents.program import OwnAgent
from worksmith.programs.own_agents.task import AgentTask
from worksmith.tools.environment import Environment

TRACER = trace.get_tracer("a.framework")


def run(function: Any, env: Environment) -> Sequence[EpisodeRecord]:
    return evaluate(OwnAgent(function, env), TASKS, EvalSettings(env=env, lm=own_models(), workers=4)).records


def tree(spans: Sequence[SpanEntry]) -> list[tuple[str, str | None]]:
    """The names of the spans, each with that of the one above it."""
    return [(span.name, None if span.parent is None else spans[span.parent].name) for span in spans]


def step(task: AgentTask, name: str = "step") -> None:
    with TRACER.start_as_current_span(f"{name} of {task.id}"):
        task.tools.call(task.tools[0].name, {})


def nested(task: AgentTask) -> str:
    with TRACER.start_as_current_span("agent"):
        step(task)
        step(task)
    return ""


async def awaiting(task: AgentTask) -> str:
    async def later() -> None:
        await asyncio.sleep(0.001)
        step(task)

    with TRACER.start_as_current_span("agent"):
        await asyncio.gather(later(), later())
    return ""


async def in_threads(task: AgentTask) -> str:
    with TRACER.start_as_current_span("agent"):
        await asyncio.to_thread(step, task)
        await asyncio.to_thread(step, task)
    return ""


def in_threads_with_context(task: AgentTask) -> str:
    with TRACER.start_as_current_span("agent") as above:
        parent = trace.set_span_in_context(above)
        given = threading.Thread(target=lambda: TRACER.start_span(f"step of {task.id}", context=parent).end())
        copied = threading.Thread(target=copy_context().run, args=(step, task))
        for thread in (given, copied):
            thread.start()
            thread.join()
    return ""


@pytest.mark.parametrize("agent", [nested, awaiting, in_threads, in_threads_with_context])
def test_spans_of_an_agent_are_kept_with_its_episode(env: Environment, agent: Callable[..., Any]) -> None:
    with TRACER.start_as_current_span("of nobody's episode"):
        records = run(agent, env)

    assert len(records) == len(TASKS)
    for record in records:
        mine = f"step of {record.task_id}"
        assert tree(record.spans) == [("agent", None), (mine, "agent"), (mine, "agent")]
        assert 0 <= record.spans[0].start <= record.spans[1].start <= record.spans[2].start
        assert record.spans[0].seconds >= record.spans[1].seconds >= 0


def test_attributes_are_those_of_models_without_secrets(
    env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "Xyzzy-9876")

    def asks(task: AgentTask) -> str:
        given: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": "x" * 5_000,
            "gen_ai.output.messages": "Xyzzy-9876!",
            "gen_ai.usage.input_tokens": 7,
            "gen_ai.response.finish_reasons": ("stop",),
            "gen_ai.tool.definitions": "[]",
            "db.statement": "SELECT secret",
        }
        with TRACER.start_as_current_span("chat Xyzzy-9876", attributes=given) as span:
            span.set_status(trace.StatusCode.ERROR, "no key Xyzzy-9876")
        return ""

    span = run(asks, env)[0].spans[0]

    assert (span.name, span.error) == ("chat [hidden]", "no key [hidden]")
    assert span.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": "x" * LONGEST_VALUE,
        "gen_ai.output.messages": "[hidden]!",
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.response.finish_reasons": '["stop"]',
    }


def test_records_keep_so_many_spans_and_so_much_text(env: Environment) -> None:
    def talks(task: AgentTask) -> str:
        for _ in range(MOST_SPANS + 5):
            TRACER.start_span("chat", attributes={"gen_ai.prompt": "x" * 1_000}).end()
        return ""

    record = run(talks, env)[0]

    assert len(record.spans) == MOST_SPANS
    assert sum(len(str(text)) for span in record.spans for text in span.attributes.values()) == MOST_TEXT


def test_an_agent_that_fails_or_never_ends_a_span_keeps_its_spans(env: Environment) -> None:
    def fails(task: AgentTask) -> str:
        TRACER.start_span("never ended")
        with TRACER.start_as_current_span("agent"):
            raise ValueError("oops")

    record = run(fails, env)[0]

    assert record.status == "program_error"
    assert [(span.name, span.error) for span in record.spans] == [
        ("never ended", ""),
        ("agent", "ValueError: oops"),
    ]
    assert record.spans[0].seconds > 0
    again = EpisodeRecord.model_validate_json(record.model_dump_json())
    assert again.spans == record.spans


def test_spans_after_the_end_of_an_episode_are_nobodys(env: Environment) -> None:
    contexts = []

    def leaves(task: AgentTask) -> str:
        contexts.append(copy_context())
        return ""

    record = run(leaves, env)[0]
    contexts[0].run(lambda: TRACER.start_span("late").end())

    assert record.spans == ()
    assert "spans" not in record.model_dump()


@pytest.mark.slow
def test_the_tracing_of_mlflow_is_heard_as_well(env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlflow.tracing import provider

    own = TracerProvider()
    monkeypatch.setattr(provider.provider, "_isolated_tracer_provider", own)
    tracer = own.get_tracer("mlflow")

    def traced(task: AgentTask) -> str:
        with tracer.start_as_current_span("chain", attributes={"mlflow.spanInputs": '{"x": 1}'}):
            return ""

    span = run(traced, env)[0].spans[0]

    assert (span.name, span.attributes) == ("chain", {"mlflow.spanInputs": '{"x": 1}'})


@pytest.mark.slow
def test_pydantic_ai_tells_of_its_steps(env: Environment) -> None:
    pydantic_ai = pytest.importorskip("pydantic_ai")
    from pydantic_ai.models.test import TestModel

    def agent(task: AgentTask) -> str:
        tool = pydantic_ai.Tool(task.tools.callables()[0])
        model = TestModel(call_tools=[tool.name], custom_output_text="Done.")
        made = pydantic_ai.Agent(model, tools=[tool], name="helper")
        return str(made.run_sync(task.text).output)

    pydantic_ai.Agent.instrument_all()
    record = run(agent, env)[0]
    pydantic_ai.Agent.instrument_all(False)

    assert record.answer == "Done."
    tool = record.spans[2].attributes["gen_ai.tool.name"]
    assert tree(record.spans) == [
        ("invoke_agent helper", None),
        ("chat test", "invoke_agent helper"),
        (f"execute_tool {tool}", "invoke_agent helper"),
        ("chat test", "invoke_agent helper"),
    ]
    assert record.spans[2].attributes["gen_ai.tool.call.result"] == record.calls[0].observation
    assert record.query in str(record.spans[1].attributes["gen_ai.input.messages"])
