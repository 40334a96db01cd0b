"""The environment over a suite: which tasks, and how an agent is run on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import verifiers.v1 as vf
from pydantic import model_validator

from programs.own_agents.opened import OpenedTask
from tools.errors import InputError
from worksmith.exports.choice import chosen_tasks
from worksmith.exports.verifiers.task import SuiteTask, SuiteTaskConfig

PLUGIN = "worksmith-suite"
"""The id of the taskset that takes any suite."""

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
        agent: 20 turns at most, unless `--env.agent.max-turns` says otherwise.
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


def load_environment(
    suite: Path | str,
    *,
    split: str | None = None,
    limit: int | None = None,
    where: Sequence[str] | str = (),
    toolset: str | None = None,
    max_turns: int = MAX_TURNS,
) -> SuiteEnv:
    """An environment of verifiers over a suite, for a trainer's loop.

    Args:
        suite: the folder.
        split: `train`, `dev`, `test` or `all`; None for `test`.
        limit: at most so many tasks, spread evenly over all kinds.
        where: conditions such as `area=HR,IT`.
        toolset: the tools on offer, see `ws.OwnAgent`.
        max_turns: of the agent, after which its episode is scored as it stands.

    Raises:
        InputError: verifiers is not installed, or there is no such suite or toolset.
    """
    task = SuiteTaskConfig(suite=Path(suite), toolset=toolset)
    task.sessions()
    chosen = SuiteTasksetConfig(
        id=PLUGIN,
        task=task,
        split=split,
        limit=limit,
        where=(where,) if isinstance(where, str) else tuple(where),
    )
    agent = vf.AgentConfig(runtime=vf.SubprocessConfig(), max_turns=max_turns)
    made = vf.load_environment(SuiteEnvConfig(taskset=chosen, agent=agent))
    if not isinstance(made, SuiteEnv):
        raise InputError(f"another package is named {PLUGIN}", where=type(made).__module__)
    return made
