"""What a trace shows: questions with tokens and cost, verdicts, ratings, the truth, and no secrets."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import opentelemetry.trace
import pytest

from tests.evals.episodes import make_record, make_result, make_task
from tests.evals.tracking.stored import traces_of
from tests.programs.office import TASKS, make_env
from tests.tables import each_row
from worksmith.evals.rating.ratings import Rating
from worksmith.evals.records.entries import AskEntry, CallEntry, FaultEntry, Judgement, SpanEntry
from worksmith.evals.records.run_card import LoadedRun, RunCard
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.tasks.task import Answer, Entity, Step, Task
from worksmith.evals.tracking import log_ratings, open_tracker
from worksmith.evals.tracking.assessments import expectations
from worksmith.evals.tracking.choice import NONE
from worksmith.evals.tracking.mlflow_tracker import MlflowTracker
from worksmith.programs.own_agents.model import own_models
from worksmith.programs.own_agents.program import OwnAgent
from worksmith.programs.own_agents.task import AgentTask
from worksmith.tools.episode_result import Exchange, Message

pytestmark = pytest.mark.slow

SECRET = "91,250"
STEP = Step(tool="hr.salary", arguments={"emp_id": "e1"})


def ask(part: Any, call: int, **changes: Any) -> AskEntry:
    used = {"prompt_tokens": 1000, "completion_tokens": 10, "seconds": 0.1}
    paid = {"paid_requests": 1, "paid_prompt_tokens": 1000, "paid_completion_tokens": 10}
    return AskEntry(part=part, call=call, **{**used, **paid, **changes})


def asked(**changes: Any) -> EvalResult:
    """A planned episode of two calls, the first checked by the model, the second asking it."""
    calls = (
        CallEntry(
            tool="calendar.search_events",
            arguments={"query": "lunch"},
            status="ok",
            rule="office.own",
            observation="[]",
            thought="Look.",
            opinion="Allowed",
            opinion_reason="Mine.",
            seconds=0.01,
        ),
        CallEntry(
            tool="query.ask", arguments={}, status="ok", observation="1", thought="Count.", seconds=0.2
        ),
    )
    fields: dict[str, Any] = {
        "calls": calls,
        "plan": "1. Look.",
        "asks": (
            ask("plan", 0),
            ask("select", 0),
            ask("check", 0),
            ask("select", 1),
            ask("tool", 1),
            ask("select", 2, paid_requests=0, paid_prompt_tokens=0, paid_completion_tokens=0),
        ),
        "model_calls": 6,
        "prompt_tokens": 6000,
        "completion_tokens": 60,
        "paid_requests": 5,
        "paid_prompt_tokens": 5000,
        "paid_completion_tokens": 50,
        "seconds": 1.0,
        "answer": "None.",
    }
    record = make_record(1, **{**fields, **changes})
    return make_result([record], model="openai/gpt-4o-mini")


def only_trace(tracker: MlflowTracker, result: EvalResult, tasks: list[Task]) -> Any:
    with tracker.start("eval") as run:
        run.evaluation(result, split="test", tasks=tasks)
    (trace,) = traces_of(tracker, run)
    return trace


def test_questions_and_calls_are_spans_in_their_order(tracker: MlflowTracker) -> None:
    trace = only_trace(tracker, asked(), [])
    root, *below = sorted(trace.data.spans, key=lambda span: span.start_time_ns)
    names = {span.span_id: span.name for span in trace.data.spans}

    assert [(span.name, span.span_type, names.get(span.parent_id)) for span in below] == [
        ("plan", "LLM", "react"),
        ("select", "LLM", "react"),
        ("check", "LLM", "react"),
        ("calendar.search_events", "TOOL", "react"),
        ("select", "LLM", "react"),
        ("query.ask", "TOOL", "react"),
        ("answer the tool", "LLM", "query.ask"),
        ("select", "LLM", "react"),
    ]
    plan, select, check = below[:3]
    assert plan.outputs == "1. Look."
    assert select.outputs == {"thought": "Look.", "tool": "calendar.search_events"}
    assert check.outputs == {"opinion": "Allowed", "reason": "Mine."}
    assert root.outputs["answer"] == "None."
    assert [span.attributes["paid_requests"] for span in below if span.span_type == "LLM"] == [1] * 5 + [0]
    assert all(span.end_time_ns <= root.end_time_ns for span in below)


def test_a_question_shows_its_prompt_and_the_reply(
    tracker: MlflowTracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "Xyzzy-9876")
    opening = (Message("tools", "[]"), Message("developer", "Do it."), Message("user", "Xyzzy-9876?"))
    later = (Message("assistant", "calendar"), Message("user", "None."))
    asks = (
        ask("select", 0, exchange=Exchange(0, opening, "calendar Xyzzy-9876"), finish_reason="length"),
        ask("select", 1, exchange=Exchange(3, later, "")),
    )
    trace = only_trace(tracker, asked(asks=asks), [])
    first, second = [span for span in trace.data.spans if span.span_type == "LLM"]

    chat = [{"role": "system", "content": "Do it."}, {"role": "user", "content": "[hidden]?"}]
    assert first.inputs == {"messages": chat, "tools": "[]"}
    assert first.outputs == "calendar [hidden]"
    assert [span.attributes.get("finish_reason") for span in (first, second)] == ["length", None]
    assert second.inputs["messages"][0]["content"] == "[3 messages as in the question before]"
    assert [message["content"] for message in second.inputs["messages"][1:]] == ["calendar", "None."]
    assert second.outputs is None


def test_tokens_in_a_providers_cache_are_shown_and_priced(tracker: MlflowTracker) -> None:
    asks = (ask("select", 0, cached_tokens=800, cache_write_tokens=100), ask("select", 1))
    part = {"cached_tokens": 800, "cache_write_tokens": 100, "paid_cached_tokens": 800}
    trace = only_trace(tracker, asked(asks=asks, prompt_tokens=2000, completion_tokens=20, **part), [])
    first, second = [s.attributes for s in trace.data.spans if s.span_type == "LLM"]
    priced = 1200 * 0.15e-6 + 800 * 0.075e-6 + 20 * 0.6e-6

    assert first["mlflow.chat.tokenUsage"] == {
        "input_tokens": 1000,
        "output_tokens": 10,
        "total_tokens": 1010,
        "cache_read_input_tokens": 800,
        "cache_creation_input_tokens": 100,
    }
    assert set(second["mlflow.chat.tokenUsage"]) == {"input_tokens", "output_tokens", "total_tokens"}
    assert trace.info.token_usage["cache_read_input_tokens"] == 800
    assert trace.info.cost["total_cost"] == pytest.approx(priced)
    assert sum(each["mlflow.llm.cost"]["total_cost"] for each in (first, second)) == pytest.approx(priced)


def test_tokens_and_dollars_are_those_of_the_questions(tracker: MlflowTracker) -> None:
    trace = only_trace(tracker, asked(), [])
    spans = [span for span in trace.data.spans if span.span_type == "LLM"]

    assert trace.info.token_usage["total_tokens"] == 6060
    assert sum(s.attributes["mlflow.chat.tokenUsage"]["total_tokens"] for s in spans) == 6060
    assert trace.info.cost["total_cost"] == pytest.approx(6000 * 0.15e-6 + 60 * 0.6e-6)
    used = [s.attributes["mlflow.llm.cost"]["total_cost"] for s in spans]
    assert sum(used) == pytest.approx(trace.info.cost["total_cost"])
    assert sum(s.attributes["paid_tokens"] for s in spans) == 5050
    assert trace.info.trace_metadata["paid_tokens"] == "5050"


def test_a_model_without_a_known_price_has_no_cost(tracker: MlflowTracker) -> None:
    result = make_result(asked().records, model="hosted_vllm/mine")
    trace = only_trace(tracker, result, [])

    assert trace.info.cost is None
    assert trace.info.token_usage["total_tokens"] == 6060


def test_verdicts_are_assessments_of_their_judges(tracker: MlflowTracker) -> None:
    verdicts = (
        Judgement(judge="local/rubric", rubric="search", level=2, feedback="It leaves out the date."),
        Judgement(judge="openai/gpt-4o-mini", rubric="search", level=5, feedback="Good.", prompt_tokens=1000),
        Judgement(judge="openai/gpt-4o", rubric="search", status="unreadable", feedback="No level."),
    )
    result = asked(judgements=verdicts, fault=FaultEntry(kind="retrieval_miss", step=1))
    trace = only_trace(tracker, result, [make_task(1)])
    found = {a.source.source_id: a for a in trace.info.assessments if a.name == "judge_search"}

    assert {a.source.source_type for a in found.values()} == {"LLM_JUDGE"}
    local = found["local/rubric (no language model)"]
    assert (local.value, local.rationale) == (2, "It leaves out the date.")
    paid = found["openai/gpt-4o-mini"]
    assert paid.metadata["mlflow.assessment.judgeInputTokens"] == "1000"
    assert float(paid.metadata["mlflow.assessment.judgeCost"]) == pytest.approx(0.15e-3)
    assert found["openai/gpt-4o"].value is None
    assert found["openai/gpt-4o"].error.error_code == "UNREADABLE"
    assert trace.info.tags["fault"] == "retrieval_miss"
    scores = [a for a in trace.info.assessments if a.source.source_type == "CODE"]
    assert {a.name for a in scores} == {"outcome", "unwanted_side_effects", "expected"}


def test_a_trace_of_a_denied_task_holds_nothing_that_is_denied(tracker: MlflowTracker) -> None:
    task = make_task(
        1, gold_plan=(STEP,), answer=Answer(kind="denial", forbidden=(SECRET,), reference=f"It is {SECRET}.")
    )
    verdict = Judgement(judge="local/rubric", rubric="denial", level=1, feedback=f"It told {SECRET}!")
    trace = only_trace(tracker, asked(judgements=(verdict,)), [task])

    assert SECRET not in str(trace.info.to_dict()) + str([span.to_dict() for span in trace.data.spans])
    told = {a.name: a.value for a in trace.info.assessments if a.expectation is not None}
    assert told == {"expected": {"status": "denied", "tools": ["hr.salary"]}}


def test_what_a_judge_says_is_left_out_where_the_task_is_not_at_hand(tracker: MlflowTracker) -> None:
    verdict = Judgement(judge="local/rubric", rubric="denial", level=1, feedback=f"It told {SECRET}!")
    trace = only_trace(tracker, asked(judgements=(verdict,)), [])

    (kept,) = [a for a in trace.info.assessments if a.name == "judge_denial"]
    assert (kept.value, kept.rationale) == (1, None)


@each_row(
    ("answer", "told"),
    [
        (
            Answer(kind="entities", required=(Entity(type="amount", value="7"),)),
            {"expected_status": "answered", "expected_response": "7"},
        ),
        (Answer(kind="none"), {"expected_status": "not_found"}),
        (Answer(kind="done"), {"expected_status": "answered"}),
        (Answer(kind="denial", required=(Entity(type="amount", value="7"),)), {"expected_status": "denied"}),
        (
            Answer(kind="entities", required=(Entity(type="amount", value=SECRET),), forbidden=(SECRET,)),
            {"expected_status": "answered"},
        ),
    ],
)
def test_expectations_tell_the_truth_that_the_persona_may_have(answer: Answer, told: dict[str, str]) -> None:
    assert expectations(make_task(3, answer=answer, expected=())) == told


def test_ratings_stand_beside_the_trace_and_the_last_one_counts(tracker: MlflowTracker, uri: str) -> None:
    result = asked()
    with tracker.start("eval") as run:
        run.evaluation(result, split="test")
    key = result.records[0].key
    from_log = LoadedRun(RunCard(label="x"), result.records, "somewhere/x.jsonl")

    def give(level: int) -> int:
        rating = Rating(
            key=key, task_id="task-001", rater="rater 1", scale="correctness", level=level, note="So."
        )
        return log_ratings(
            LoadedRun(from_log.card, from_log.records, f"runs:/{run.id}/episodes/test.jsonl"),
            [rating],
            uri=uri,
        )

    assert [give(2), give(4)] == [1, 1]
    (trace,) = traces_of(tracker, run)
    human = [a for a in trace.info.assessments if a.source.source_type == "HUMAN"]
    assert [(a.name, a.value, a.source.source_id, a.rationale) for a in human] == [
        ("correctness", 4, "rater 1", "So.")
    ]


def test_a_rating_goes_to_every_run_that_has_the_episode(tracker: MlflowTracker, uri: str) -> None:
    result = make_result([make_record(0, seed=78)])
    runs = []
    for _ in range(2):
        with tracker.start("eval") as run:
            run.evaluation(result, split="test")
        runs.append(run)
    given = Rating(key=result.records[0].key, task_id="task-001", rater="r", scale="realism", level=5)

    assert log_ratings(LoadedRun(RunCard(label="x"), result.records, "x.jsonl"), [given], uri=uri) == 1
    for run in runs:
        (trace,) = traces_of(tracker, run)
        assert [a.value for a in trace.info.assessments if a.source.source_type == "HUMAN"] == [5]


def test_a_rated_episode_without_a_trace_gets_one(tracker: MlflowTracker, uri: str) -> None:
    silent = open_tracker(uri, traces=NONE)
    records = [make_record(number, seed=77) for number in range(3)]
    with silent.start("eval") as run:
        run.evaluation(make_result(records), split="test")
    assert traces_of(tracker, run) == []

    rating = Rating(key=records[1].key, task_id="task-001", rater="r", scale="realism", level=5)
    loaded = LoadedRun(
        RunCard(label="x", lm="openai/x"), tuple(records), f"runs:/{run.id}/episodes/test.jsonl"
    )
    assert log_ratings(loaded, [rating], uri=uri) == 1

    (trace,) = traces_of(tracker, run)
    assert trace.info.tags["mlflow.traceName"] == "task-001"
    assert {a.name: a.value for a in trace.info.assessments}["realism"] == 5


def test_ratings_of_a_log_that_was_never_traced_go_nowhere(uri: str) -> None:
    loaded = LoadedRun(RunCard(label="x"), (), "somewhere/x.jsonl")
    rating = Rating(key="f" * 32, task_id="t", rater="r", scale="realism", level=5)

    assert log_ratings(loaded, [rating], uri=uri) == 0


def test_spans_of_the_program_s_framework_hang_below_the_episode(tracker: MlflowTracker) -> None:
    chat = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": '[{"role": "user", "parts": [{"type": "text", "content": "Hello"}]}]',
        "gen_ai.request.model": "gpt-4o-mini",
        "gen_ai.usage.input_tokens": 9,
        "gen_ai.usage.output_tokens": 1,
    }
    chain = {"mlflow.spanType": '"CHAIN"', "mlflow.spanInputs": '{"x": 1}', "mlflow.spanOutputs": '{"y'}
    spans = (
        SpanEntry(name="agent", start=0.1, seconds=0.5, attributes={"gen_ai.operation.name": "invoke_agent"}),
        SpanEntry(name="chat", parent=0, start=0.2, seconds=0.1, attributes={**chat}),
        SpanEntry(name="step", parent=0, start=0.4, seconds=9.0, error="oops", attributes={**chain}),
    )
    trace = only_trace(tracker, asked(spans=spans, asks=(), calls=()), [])
    root, agent, chatted, step = sorted(trace.data.spans, key=lambda span: span.start_time_ns)

    assert [each.parent_id for each in (agent, chatted, step)] == [root.span_id, agent.span_id, agent.span_id]
    assert [each.span_type for each in (agent, chatted, step)] == ["AGENT", "CHAT_MODEL", "CHAIN"]
    assert (agent.start_time_ns - root.start_time_ns, agent.end_time_ns - agent.start_time_ns) == (
        10**8,
        5 * 10**8,
    )
    assert (chatted.inputs[0]["role"], chatted.attributes["model"]) == ("user", "gpt-4o-mini")
    assert chatted.attributes["mlflow.chat.tokenUsage"]["input_tokens"] == 9
    assert (step.inputs, step.outputs) == ({"x": 1}, '{"y')
    assert (step.status.status_code.name, step.end_time_ns) == ("ERROR", root.end_time_ns)
    assert trace.info.token_usage["total_tokens"] == 6060
    assert "mlflow.llm.cost" not in chatted.attributes


def test_an_agent_s_own_spans_are_read_back_below_its_episode(tracker: MlflowTracker, tmp_path: Path) -> None:
    emitting = opentelemetry.trace.get_tracer("a.framework")

    async def agent(task: AgentTask) -> str:
        with emitting.start_as_current_span("agent"), emitting.start_as_current_span(f"think of {task.id}"):
            await asyncio.sleep(0)
        return "I give up."

    env = make_env(tmp_path)
    result = evaluate(OwnAgent(agent, env), TASKS, EvalSettings(env=env, lm=own_models(), workers=2))
    with tracker.start("eval") as run:
        run.evaluation(result, split="test", tasks=TASKS)

    seen = []
    for trace in traces_of(tracker, run):
        names = {span.span_id: span.name for span in trace.data.spans}
        seen.append([(span.name, names.get(span.parent_id)) for span in trace.data.spans])
    wanted = [[("agent", None), ("agent", "agent"), (f"think of {task.id}", "agent")] for task in TASKS]
    assert sorted(seen) == sorted(wanted)
