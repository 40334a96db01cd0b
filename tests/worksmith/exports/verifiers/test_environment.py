"""A suite in verifiers: rollouts get episodes of their own, and the reward is our outcome."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import worksmith as ws
from tests.chat_server import called
from tests.worksmith.exports.verifiers.worker import DELETE, RIGHT, SEARCH, Worker
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite
from worksmith.programs.own_agents.model import own_models
from worksmith.retrievers.extras import install_line
from worksmith.tools.episode import Episode
from worksmith.tools.errors import InfrastructureError, InputError

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[4] / "examples" / "agents" / "openai_loop.py"


@pytest.fixture(autouse=True)
def vf(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """verifiers, which writes into no one's home."""
    module = pytest.importorskip("verifiers.v1")
    monkeypatch.setattr("verifiers.v1.runtimes.subprocess.CACHE_DIR", tmp_path)
    return module


def made(suite: Path, **settings: Any) -> Any:
    from worksmith.exports.verifiers import load_environment

    return load_environment(suite, split="all", **settings)


def rolled_out(vf: Any, env: Any, worker: Worker, *, times: int = 1, tasks: int = 4) -> list[Any]:
    """The traces of all rollouts at once, in the order of the tasks."""

    async def run() -> list[Any]:
        async with env.serving():
            slots = [slot for task in list(env.taskset)[:tasks] for slot in env.slots(task, times)]
            episodes = await asyncio.gather(*(env.run_slot(slot, context(vf, worker)) for slot in slots))
        assert not any(episode.errors for episode in episodes)
        return [episode.traces[0] for episode in episodes]

    return asyncio.run(run())


def context(vf: Any, worker: Worker) -> Any:
    client = vf.EvalClientConfig(base_url=worker.url, api_key_var="NO_KEY")
    return vf.ModelContext(client=client, model="worker", sampling=vf.SamplingConfig())


def ours(suite: Path, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> Sequence[EpisodeRecord]:
    """The records of the same agent in an evaluation of ours."""
    named = {"OPENAI_BASE_URL": worker.url, "OPENAI_API_KEY": "none", "AGENT_MODEL": "worker"}
    for name, value in named.items():
        monkeypatch.setenv(name, value)
    example = SourceFileLoader("openai_loop", str(EXAMPLE)).load_module()
    opened = Suite.open(suite)
    settings = EvalSettings(env=opened.env, lm=own_models())
    return evaluate(ws.OwnAgent(example.agent, opened.env), opened.tasks, settings).records


def test_rollouts_have_our_scores(
    vf: Any, suite: Path, worker: Worker, closed: list[EpisodeRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    traces = rolled_out(vf, made(suite), worker)

    expected = {record.task_id: record for record in ours(suite, worker, monkeypatch)}
    assert {trace.task.data.id: trace.reward for trace in traces} == RIGHT
    for trace in traces:
        record = expected[trace.task.data.id]
        (found,) = [each for each in closed if each.task_id == trace.task.data.id]
        assert (found.scores, found.answer, found.changes) == (record.scores, record.answer, record.changes)
        assert [(call.tool, call.observation) for call in found.calls] == [
            (call.tool, call.observation) for call in record.calls
        ]
        assert found.usage.used_tokens == 13 * len(trace.calls)
        rest = {name: score for name, score in record.scores.items() if name != "outcome"}
        failed = sum(call.status != "ok" for call in record.calls)
        assert trace.metrics == {**rest, "calls": len(record.calls), "failed_calls": failed}
    assert [trace.metrics["failed_calls"] for trace in traces] == [0, 0, 0, 3]
    assert [trace.metrics["unwanted_side_effects"] for trace in traces] == [0, 1, 0, 0]


def test_64_rollouts_at_once_know_nothing_of_each_other(
    vf: Any, suite: Path, worker: Worker, closed: list[EpisodeRecord]
) -> None:
    traces = rolled_out(vf, made(suite), worker, times=16)

    assert len(closed) == len(traces) == 64
    assert {(trace.task.data.id, trace.reward) for trace in traces} == set(RIGHT.items())


def test_prompts_show_the_task_and_no_truth(vf: Any, suite: Path, worker: Worker) -> None:
    env = made(suite)
    task, *_ = env.taskset
    rolled_out(vf, env, worker, tasks=1)
    system, user = worker.bodies[0]["messages"]

    opened = Suite.open(suite)
    agents = ws.AgentTools(opened.env.episode(opened.tasks[0].domains))
    assert worker.bodies[0]["tools"] == agents.openai()
    assert user["content"] == opened.tasks[0].query == task.data.prompt
    assert system["content"] == task.data.system_prompt
    assert "2023-11-30" in system["content"]
    assert "00000000" not in task.data.model_dump_json()
    assert "gold" not in task.data.model_dump_json()


@pytest.mark.parametrize(
    ("failure", "status", "graded"),
    [
        ({"error": 400, "said": "maximum context length is 10 tokens"}, "context_limit", True),
        ({"error": 400, "said": "unknown parameter: tools"}, "invalid_request", True),
        ({"error": 401}, "model_error", False),
    ],
)
def test_a_failure_that_is_the_agents_is_wrong_and_another_one_has_no_reward(
    vf: Any, suite: Path, worker: Worker, closed: list[EpisodeRecord], failure: Any, status: str, graded: bool
) -> None:
    worker.instead = failure
    (trace,) = rolled_out(vf, made(suite), worker, tasks=1)

    assert (trace.ok, bool(trace.rewards), trace.reward) == (graded, graded, 0.0)
    assert [(record.status, record.graded) for record in closed] == [(status, graded)]


def test_a_broken_harness_loses_the_rollout(
    vf: Any, suite: Path, worker: Worker, closed: list[EpisodeRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise InfrastructureError("the disk is full")

    monkeypatch.setattr(Episode, "call", broken)
    (trace,) = rolled_out(vf, made(suite), worker, tasks=1)

    assert (trace.ok, trace.rewards) == (False, {})
    assert "the disk is full" in trace.errors[0].message
    assert [record.status for record in closed] == ["harness_error"]


def test_a_rollout_at_its_limit_of_turns_ran_out_of_steps(
    vf: Any, suite: Path, worker: Worker, closed: list[EpisodeRecord]
) -> None:
    worker.instead = called((SEARCH, {"query": "Team"}), (DELETE, {"event_id": "00000001"}))
    (trace,) = rolled_out(vf, made(suite, max_turns=3), worker, tasks=1)

    assert (trace.ok, trace.is_truncated, trace.stop_condition) == (True, True, "max_turns")
    assert (len(worker.bodies), trace.reward, trace.metrics["calls"]) == (3, 0.0, 6)
    assert [(record.status, record.answer) for record in closed] == [("step_limit", "")]


@pytest.mark.parametrize("seconds", [None, 0.3])
def test_an_episode_ends_with_its_rollout(
    vf: Any, suite: Path, worker: Worker, closed: list[EpisodeRecord], seconds: float | None
) -> None:
    env = made(suite)
    env.config.agent.timeout.rollout = seconds
    worker.go.clear()

    async def run() -> Any:
        async with env.serving():
            (slot,) = env.slots(next(iter(env.taskset)), 1)
            running = asyncio.ensure_future(env.run_slot(slot, context(vf, worker)))
            await asyncio.to_thread(worker.waiting.wait, 20)
            if seconds is None:
                running.cancel()
            await asyncio.wait([running])
        return running

    try:
        running = asyncio.run(run())
    finally:
        worker.go.set()

    (record,) = closed
    if seconds is None:
        assert running.cancelled()
        assert (record.status, record.answer) == ("program_error", "")
    else:
        (trace,) = running.result().traces
        assert (trace.ok, trace.is_timeout, trace.rewards) == (False, True, {})
        assert (record.status, record.graded) == ("timeout", False)


def test_many_rollouts_at_the_start_open_the_suite_once(
    vf: Any, suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from worksmith.exports.verifiers.task import SuiteTaskConfig

    opened, opens = [], Suite.open

    def slowly(folder: Path) -> Suite:
        opened.append(folder)
        time.sleep(0.05)
        return opens(folder)

    monkeypatch.setattr(Suite, "open", slowly)
    config = SuiteTaskConfig(suite=suite / ".." / suite.name)
    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(lambda _: config.sessions(), range(8)))

    assert len(opened) == len(found) == 1


def test_what_makes_no_sense_is_refused(vf: Any, suite: Path, tmp_path: Path) -> None:
    from worksmith.exports.verifiers.environment import SuiteEnvConfig
    from worksmith.exports.verifiers.task import SuiteTaskConfig

    with pytest.raises(InputError, match="no suite here"):
        made(tmp_path)
    with pytest.raises(InputError, match="toolset"):
        made(suite, toolset="nothing")
    with pytest.raises(InputError, match="no suite is named"):
        SuiteTaskConfig().sessions()
    with pytest.raises(InputError, match="another one than was exported"):
        SuiteTaskConfig(suite=suite, digest="1234").sessions()
    with pytest.raises(ValueError, match="would get no tools"):
        SuiteEnvConfig.model_validate(
            {"taskset": {"id": "worksmith-suite"}, "agent": {"harness": {"id": "null"}}}
        )


def test_a_missing_extra_says_how_to_get_it(suite: Path) -> None:
    with patch.dict(sys.modules, {"verifiers.v1": None}), pytest.raises(InputError) as error:
        made(suite)

    assert error.value.hint == install_line("verifiers")
