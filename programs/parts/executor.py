"""The executor: makes a call in the episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import dspy

from worksmith.programs.rollout import Rollout
from worksmith.tools.dispatch import Observation


@dataclass(frozen=True, slots=True)
class Execution:
    """The result of a call.

    Attributes:
        failed: the call was refused, or it was to write something and wrote nothing new.
    """

    observation: Observation
    failed: bool


class Executor(dspy.Module):  # type: ignore[misc]
    """Makes calls through the episode, where they are validated, decided on and recorded."""

    def forward(self, rollout: Rollout, tool: str, arguments: Mapping[str, Any]) -> Execution:
        """Make one call. Its observation has any failure."""
        episode = rollout.episode
        before = episode.changeset, episode.written
        observation = episode.call(tool, arguments)
        known = episode.toolset.get(tool)
        idle = known is not None and known.writes and (episode.changeset, episode.written) == before
        return Execution(observation, failed=observation.status != "ok" or idle)
