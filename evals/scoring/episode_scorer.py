"""Scores of an episode by its changes and its calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from worksmith.evals.records.record import PRIMARY
from worksmith.evals.scoring.actions import format_action
from worksmith.evals.scoring.outcomes import GroundTruth, OutcomeScorer
from worksmith.evals.scoring.path_scores import made_calls

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.environment import Environment
    from worksmith.tools.episode_result import EpisodeResult
    from worksmith.tools.sqlite.outcome import Outcome

STATE_SCORES = frozenset({PRIMARY, "unwanted_side_effects", "exact_match", "no_action"})
"""Names of the scores of an `EpisodeScorer`."""


class EpisodeScorer:
    """Scores an episode that ran in an environment. Thread-safe.

    Gives, each 0 or 1:
        outcome: the world is as the task wants it, and the episode ended by itself.
        unwanted_side_effects: something changed, and the world is not as the task wants it.
        exact_match: the writing calls are the expected ones, in any order.
        no_action: no writing call was made.

    Args:
        ground_truth: see `OutcomeScorer`.
    """

    score_names = STATE_SCORES

    def __init__(self, env: Environment, ground_truth: GroundTruth = "published") -> None:
        self._outcomes = OutcomeScorer(env, ground_truth)
        self.writing_tools = self._outcomes.writing_tools
        self.digest = f"outcome/{ground_truth}"

    def __call__(self, task: Task, episode: EpisodeResult) -> dict[str, float]:
        calls = made_calls(episode)
        actions = [
            format_action(call.tool, call.arguments if isinstance(call.arguments, Mapping) else {})
            for call in calls
        ]
        verdict = self._outcomes.judge(
            task,
            episode.outcome,
            failed=episode.status != "finished",
            malformed=any(self._outcomes.changed_a_table(call.tool, call.observation.text) for call in calls),
        )
        return {
            PRIMARY: float(verdict.correct),
            "unwanted_side_effects": float(verdict.unwanted_side_effects),
            "exact_match": float(self._outcomes.exact_match(task, actions)),
            "no_action": float(not self._outcomes.writing(actions)),
        }

    def expected(self, task: Task, outcome: Outcome) -> Outcome:
        """Of the outcomes that count as right, the one nearest to `outcome`."""
        return self._outcomes.nearest(task, outcome)
