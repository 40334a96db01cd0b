"""The environment over a suite: which tasks, and how an agent is run on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf
from pydantic import model_validator

from worksmith.exports.choice import chosen_tasks
from worksmith.exports.verifiers.task import SuiteTask, SuiteTaskConfig
from worksmith.programs.own_agents.opened import OpenedTask

MAX_TURNS = 20


class SuiteTasksetConfig(vf.TasksetConfig):
    """The choice of tasks, as `worksmith eval` makes it.

    Attributes:
        task: names the suite and the tools.
    """

    task: SuiteTaskConfig = SuiteTaskConfig()
    split: str | None = None
    limit: int | None = None
    where: tuple[str, ...] = ()
    scheme: str = "standard"


class SuiteTaskset(vf.Taskset[SuiteTask, SuiteTasksetConfig]):  # type: ignore[type-var]
    """The tasks of a suite, with their prompts and without their expectations."""

    def load(self) -> Iterator[SuiteTask]:
        config = self.config
        suite = config.task.sessions().suite
        choice: Any = config.model_dump(include={"split", "limit", "where", "scheme"})
        _, _, tasks = chosen_tasks(suite, **choice)
        for task in tasks:
            opened = OpenedTask(suite.env, task.visible(), toolset=config.task.toolset).task
            opened.tools.end()
            data = vf.TaskData(
                id=task.id, name=task.intent, prompt=opened.text, system_prompt=opened.instructions
            )
            yield SuiteTask(data, config.task)


class SuiteEnvConfig(vf.SingleAgentEnvConfig):
    """One agent, in this process.

    Attributes:
        agent: 20 turns at most, unless `--env.agent.max-turns` sets another number.
    """

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig(), max_turns=MAX_TURNS)

    @model_validator(mode="after")
    def _own_harness(self) -> SuiteEnvConfig:
        """Refuse agents that would get no tools."""
        harness = self.agent.harness
        if harness is not None and self.taskset.id and harness.id != self.taskset.id:
            raise ValueError(
                f"the harness {harness.id!r} would get no tools of the suite: leave out env.agent.harness"
            )
        return self


class SuiteEnv(vf.SingleAgentEnv, vf.Env[SuiteEnvConfig]):
    """An environment of verifiers over a suite."""
