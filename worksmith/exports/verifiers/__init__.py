"""A suite as an environment of verifiers, for its runners and for trainers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from worksmith.tools.errors import needing

if TYPE_CHECKING:
    from worksmith.exports.choice import TaskChoice
    from worksmith.exports.verifiers.environment import SuiteEnv

__all__ = ["load_environment"]

PLUGIN = "worksmith-suite"
"""The id of the taskset that takes any suite."""


def load_environment(
    suite: Path | str,
    *,
    toolset: str | None = None,
    max_turns: int = 20,
    digest: str = "",
    **choice: Unpack[TaskChoice],
) -> SuiteEnv:
    """An environment of verifiers over a suite, for a trainer's loop.

    Each rollout has its own episode; its reward is the outcome, and other scores are metrics.

    Args:
        suite: the folder.
        toolset: the tools on offer, see `OwnAgent`.
        max_turns: the most requests to the model in a rollout; then it ends as `step_limit`.
        digest: of the suite that is meant; another one is refused. Empty for any.
        choice: `split`, `limit`, `where` and `scheme`, see `worksmith.exports.choice.TaskChoice`.

    Raises:
        InputError: verifiers is not installed, a setting is wrong, or no task fits.

    Example:
        >>> env = load_environment("helpdesk", split="train")
        >>> async with env.serving():
        ...     episode = await env.run_slot(*env.slots(next(iter(env.taskset))), context)
        >>> episode.traces[0].reward
        1.0
    """
    with needing("environments of verifiers", "verifiers"):
        import verifiers.v1 as vf
    from worksmith.exports.verifiers.environment import SuiteEnv, SuiteEnvConfig, SuiteTasksetConfig
    from worksmith.exports.verifiers.task import SuiteTaskConfig

    where = choice.get("where", ())
    chosen = SuiteTasksetConfig(
        id=PLUGIN,
        task=SuiteTaskConfig(suite=Path(suite).absolute(), digest=digest, toolset=toolset),
        **{**choice, "where": (where,) if isinstance(where, str) else tuple(where)},
    )
    agent = vf.AgentConfig(runtime=vf.SubprocessConfig(), max_turns=max_turns)
    made = SuiteEnv(SuiteEnvConfig(taskset=chosen, agent=agent))
    next(iter(made.taskset))
    return made
