"""Episodes and their results, for tests, metrics and scorers."""

from worksmith.evals.tasks.task import Answer as ExpectedAnswer
from worksmith.tools.dispatch import Observation
from worksmith.tools.episode import Episode
from worksmith.tools.episode_result import CallRecord, EpisodeResult, Usage
from worksmith.tools.policy import Decision
from worksmith.tools.sqlite.outcome import Outcome, RowChange

__all__ = [
    "CallRecord",
    "Decision",
    "Episode",
    "EpisodeResult",
    "ExpectedAnswer",
    "Observation",
    "Outcome",
    "RowChange",
    "Usage",
]
