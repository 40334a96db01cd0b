"""A task that is open for an agent: its episode, and how it ends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from worksmith.evals.lm.failures import Ended, failure_of
from worksmith.programs.own_agents.task import AgentTask, Answer
from worksmith.programs.own_agents.tools import AgentTools
from worksmith.programs.parts.tool_retrieval import REQUIRED, default_toolset, toolkits_on_offer
from worksmith.programs.prompting.prompt import context_text, with_policies
from worksmith.programs.prompting.steps import read_answer
from worksmith.tools.episode_result import EpisodeResult, Usage
from worksmith.tools.errors import WorksmithError
from worksmith.tools.persona import Attributes
from worksmith.tools.proposed_changes import ProposedChanges
from worksmith.tools.statuses import EpisodeStatus

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import VisibleTask
    from worksmith.tools.environment import Environment
    from worksmith.tools.episode import Episode


class StepLimitError(WorksmithError):
    """An agent that runs elsewhere was stopped in the middle of its calls."""

    episode_status: EpisodeStatus = "step_limit"


class OpenedTask:
    """A task in its own episode.

    Attributes:
        task: as the agent sees it.

    Args:
        toolset: see `OwnAgent`.
        with_finish: see `AgentTools`.
    """

    def __init__(
        self,
        env: Environment,
        task: VisibleTask,
        *,
        toolset: str | None = None,
        max_steps: int = 20,
        with_finish: bool = False,
    ) -> None:
        self._started = time.perf_counter()
        toolset = toolset or default_toolset(env, "react", otherwise=REQUIRED)
        kits = toolkits_on_offer(toolset, task.domains)
        self._env = env
        self._episode = episode = env.episode(kits, persona=task.persona, now=task.now, user=task.user)
        self.task = AgentTask(
            id=task.id,
            text=task.query,
            context=_context(episode, task.context),
            persona=episode.persona.model_copy(update={"attributes": Attributes()}),
            now=episode.now,
            tools=AgentTools(episode, with_finish=with_finish),
            max_steps=max_steps,
        )

    def ended(self, returned: object, failure: Exception | None = None) -> tuple[Answer, Ended]:
        """The answer and the status, after which no call is made any more.

        A failure of the harness comes before all else, then an answer by `finish`.

        Args:
            returned: by the agent: a text or an `Answer`.
            failure: the exception that ended the agent.
        """
        tools = self.task.tools
        tools.end()
        failure = tools.failure or failure
        if failure is not None and (tools.failure or tools.answer is None):
            return Answer(""), failure_of(failure)
        if tools.answer is not None:
            return Answer(*read_answer(tools.answer)), Ended("finished")
        if isinstance(returned, Answer):
            return returned, Ended("finished")
        if isinstance(returned, str):
            return Answer(returned), Ended("finished")
        wrong = TypeError(f"the agent returned {type(returned).__name__}, and neither a text nor ws.Answer")
        return Answer(""), failure_of(wrong)

    def result(self, answer: Answer, ended: Ended, usage: Usage, *, model_calls: int) -> EpisodeResult:
        """The episode, after `ended`."""
        episode = self._episode
        return EpisodeResult(
            ended.status,
            episode.outcome(),
            list(episode.calls),
            answer=answer.text,
            answer_status=answer.status if "status" in episode.kind.finish.arguments else "",
            model_calls=model_calls,
            usage=usage,
            seconds=time.perf_counter() - self._started,
            error=ended.error,
            traceback=ended.traceback,
        )

    def changes(self, result: EpisodeResult) -> ProposedChanges:
        """The rows that the agent would change, after `result`."""
        persona, now = self._episode.persona, self._episode.now
        return ProposedChanges(self._env, self.task.text, result, persona=persona, now=now)


def _context(episode: Episode, policies: str) -> str:
    clock = context_text(episode.now, episode.persona, episode.kind.departments)
    return with_policies(clock, policies)
