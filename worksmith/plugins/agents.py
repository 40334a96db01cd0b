"""Parts of an agent, and programs that open their episodes themselves."""

from worksmith.programs.episode_loop import EpisodeLoop
from worksmith.programs.parts.checker import Check
from worksmith.programs.parts.executor import Execution
from worksmith.programs.rollout import Rollout
from worksmith.programs.strategies import Strategy
from worksmith.tools.dispatch import Observation
from worksmith.tools.episode_result import Usage
from worksmith.tools.policy import Decision, Opinion

__all__ = [
    "Check",
    "Decision",
    "EpisodeLoop",
    "Execution",
    "Observation",
    "Opinion",
    "Rollout",
    "Strategy",
    "Usage",
]
