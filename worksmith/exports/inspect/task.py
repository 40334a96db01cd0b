"""Tasks of inspect_ai over a suite: samples, setup, agent, scorer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from inspect_ai import Task as InspectTask
from inspect_ai.agent import Agent, AgentState, react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageSystem, ModelOutput
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from worksmith.evals.records.record import PRIMARY
from worksmith.exports.inspect.tools import OPEN, EpisodeTools, open_running, running_session
from worksmith.exports.rows import row_of
from worksmith.programs.own_agents.opened import StepLimitError
from worksmith.programs.own_agents.sessions import Sessions

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.suite import Suite
    from worksmith.evals.tasks.task import Task


def made_task(
    suite: Suite,
    split: str,
    tasks: Sequence[Task],
    *,
    toolset: str | None,
    max_steps: int,
    solver: Any,
) -> InspectTask:
    """The task of inspect_ai, see `inspect_task`.

    Args:
        split: the name of the split that the tasks were taken from.
    """
    episodes = Episodes(Sessions(suite, name="inspect_ai", toolset=toolset, max_steps=max_steps))
    name = suite.path.resolve().name
    return InspectTask(
        name=name,
        dataset=MemoryDataset([_sample(suite, task) for task in tasks], name=f"{name}-{split}"),
        setup=episodes.setup(),
        solver=solver or tool_loop(),
        scorer=episodes.scorer(),
        cleanup=episodes.cleanup,
        turn_limit=max_steps,
        version=suite.digest,
        metadata={"suite": str(suite.path), "split": split},
    )


def tool_loop() -> Agent:
    """The agent: calls of tools until the model makes no call, or ends the task with `finish`."""
    return react(prompt=None, tools=[EpisodeTools()], submit=False, on_continue=_goes_on)


async def _goes_on(state: AgentState) -> AgentState | bool:
    if not state.output.message.tool_calls or running_session().task.tools.answer is not None:
        return False
    # Words beside a call are not an answer, not even as the last ones before a limit.
    continued = AgentState(messages=state.messages)
    continued.output = ModelOutput(model=state.output.model)
    return continued


class Episodes:
    """The episodes of the samples of one task.

    Args:
        sessions: open them.
    """

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def setup(self) -> Solver:
        """Opens the episode of a sample: its system message and its tools."""

        @solver
        def open_episode() -> Solver:
            async def solve(state: TaskState, generate: Generate) -> TaskState:
                session = self._sessions.open(str(state.sample_id), trial=state.epoch - 1)
                state.messages.insert(0, ChatMessageSystem(content=session.task.instructions))
                state.tools = open_running(state.uuid, session).tools
                return state

            return solve

        return open_episode()

    def scorer(self) -> Scorer:
        """Ends the episode of a sample and scores it; the answer is that of `finish`, else the last words."""

        @scorer(name=PRIMARY, metrics=[mean(), stderr(cluster="intent")])
        def outcome() -> Scorer:
            async def score(state: TaskState, target: Target) -> Score:
                opened = OPEN.get(state.uuid)
                if opened is None:
                    message = "its episode is over; run the sample again"
                    return Score.unscored(reason="scoring_failed", explanation=message)
                text, stopped = state.output.completion, _stopped(state.messages)
                record = await anyio.to_thread.run_sync(lambda: opened.session.close(text, failure=stopped))
                return _score(record)

            return score

        return outcome()

    async def cleanup(self, state: TaskState) -> None:
        """End the episode of a sample that was not scored."""
        opened = OPEN.pop(state.uuid, None)
        if opened is not None:
            opened.session.task.tools.end()


def _stopped(messages: Sequence[ChatMessage]) -> StepLimitError | None:
    """The failure of an agent that a limit stopped: its last words are calls or their results."""
    last = messages[-1]
    if last.role == "tool" or (last.role == "assistant" and last.tool_calls):
        return StepLimitError("a limit stopped the agent in the middle of its calls")
    return None


def _score(record: EpisodeRecord) -> Score:
    if not record.graded:
        return Score.unscored(reason=record.status, explanation=record.error)
    fault = record.fault
    return Score(
        value=record.scores[PRIMARY],
        answer=record.answer,
        explanation=f"{fault.kind}: {fault.detail}" if fault else None,
        metadata={"status": record.answer_status, "scores": dict(record.scores)},
    )


def _sample(suite: Suite, task: Task) -> Sample:
    row = row_of(suite, task)
    shown = {name: row[name] for name in ("persona", "now", "domains")}
    # Errors are clustered by intent; a task without one is its own cluster.
    return Sample(task.query, id=task.id, metadata={**shown, "intent": task.intent or task.id})
