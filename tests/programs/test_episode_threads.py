"""Agents in an event loop."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import dspy
import pytest
from dspy.lm15 import Request, Response

from tests.programs.office import TASKS, Script, answer, lm_of
from worksmith.programs import episode_threads as at_once
from worksmith.programs.agent import Agent
from worksmith.programs.prompting.request import AgentRequest
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.tools.environment import Environment

EPISODES = 200


class Gold:
    """Follows gold plans after a moment, and takes as many tokens as a task has characters."""

    digest = "slow-gold"

    def __init__(self, all_at_once: int = 1) -> None:
        self._gold = GoldEngine(TASKS)
        self._first = threading.Barrier(all_at_once)
        self._lock = threading.Lock()
        self.running = self.most = 0

    def complete(self, request: Request) -> Response:
        assert isinstance(request, AgentRequest)
        query, steps = request.data.inputs["task"], request.data.steps
        with self._lock:
            self.running += 1
            self.most = max(self.most, self.running)
        if not steps:
            self._first.wait(60)
        time.sleep(0.005)
        with self._lock:
            self.running -= 1
        said = answer(request, str(self._gold.complete(request).message.text))
        usage = type(said.usage)(input_tokens=len(query), output_tokens=len(steps))
        return Response(None, request.model, said.message, "stop", usage)


def told(prediction: dspy.Prediction, trace: list[Any]) -> list[Any]:
    episode = prediction.episode
    return [
        prediction.answer,
        episode.status,
        episode.outcome.to_json(),
        [call.to_json() for call in episode.calls],
        [(ask.part, ask.call, ask.usage.prompt_tokens, ask.usage.completion_tokens) for ask in episode.asks],
        (episode.model_calls, episode.usage),
        [(inputs, outputs.toDict()) for _, inputs, outputs in trace],
    ]


@pytest.mark.slow
def test_two_hundred_episodes_in_one_loop_give_what_they_give_one_by_one(env: Environment) -> None:
    agent, tasks = Agent("plan", env=env), [TASKS[n % len(TASKS)] for n in range(EPISODES)]

    async def one(number: int) -> list[Any]:
        with dspy.context(trace=[]):
            prediction = await agent.acall(task=tasks[number])
            return told(prediction, dspy.settings.trace)

    async def every() -> list[list[Any]]:
        return await asyncio.gather(*map(one, range(EPISODES)))

    # Nobody is answered before all of them have asked: they really are under way together.
    with dspy.context(lm=lm_of(Gold(all_at_once=EPISODES))):
        together = asyncio.run(every())
    alone = []
    with dspy.context(lm=lm_of(Gold())):
        for task in TASKS:
            with dspy.context(trace=[]):
                alone.append(told(agent(task=task), dspy.settings.trace))

    assert together == [alone[number % len(TASKS)] for number in range(EPISODES)]
    assert len({str(each) for each in alone}) == len(TASKS)


def test_no_more_run_than_the_bound_says(env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_once, "EPISODES_AT_ONCE", 3)
    engine = Gold()
    agent = Agent("act", env=env)

    async def every() -> list[dspy.Prediction]:
        return await asyncio.gather(*(agent.acall(task=TASKS[n % len(TASKS)]) for n in range(12)))

    with dspy.context(lm=lm_of(engine)):
        found = asyncio.run(every())

    assert {each.episode.status for each in found} == {"finished"}
    assert engine.most <= 3


def test_what_is_raised_reaches_the_caller_and_others_go_on(env: Environment) -> None:
    agent = Agent("act", env=env)

    async def every() -> list[Any]:
        asked: list[Any] = [TASKS[0], None, TASKS[1]]
        return await asyncio.gather(*(agent.acall(task=task) for task in asked), return_exceptions=True)

    with dspy.context(lm=scripted_lm(GoldEngine(TASKS))):
        first, wrong, last = asyncio.run(every())

    assert "NoneType is not a task" in str(wrong)
    assert [first.episode.status, last.episode.status] == ["finished", "finished"]


def test_a_cancelled_episode_gives_its_place_back(env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_once, "EPISODES_AT_ONCE", 1)
    agent, gate = Agent("act", env=env), threading.Event()

    class Waiting(Script):
        def complete(self, request: Request) -> Response:
            gate.wait(60)
            raise RuntimeError("too late")

    async def cancelled_then_another() -> dspy.Prediction:
        with dspy.context(lm=Waiting().lm()):
            waiting = asyncio.create_task(agent.acall(task=TASKS[0]))
        await asyncio.sleep(0.01)
        waiting.cancel()
        gate.set()
        with dspy.context(lm=scripted_lm(GoldEngine(TASKS))):
            return await agent.acall(task=TASKS[1])

    assert asyncio.run(cancelled_then_another()).episode.status == "finished"
