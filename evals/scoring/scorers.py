"""The scores of an episode, from what it changed and what it called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from evals.records.record import PRIMARY
from evals.scoring.actions import format_action
from evals.scoring.outcomes import GroundTruth, OutcomeScorer
from evals.scoring.path_scores import made_calls
from evals.scoring.scorer import KnowsNames
from tools.errors import InputError

if TYPE_CHECKING:
    from evals.scoring.scorer import Scorer
    from evals.tasks.task import Task
    from tools.environment import Environment
    from tools.episode_result import CallRecord, EpisodeResult
    from tools.outcome import Outcome

STATE_SCORES = frozenset({PRIMARY, "unwanted_side_effects", "exact_match", "no_action"})
"""The names of what `state_scores` gives."""


class EpisodeScorer:
    """Scores an episode that ran under this environment. Thread-safe.

    Gives, each 0 or 1:
        outcome: the world is as the task wants it, and the episode ended by itself.
        unwanted_side_effects: something changed, and the world is not as the task wants it.
        exact_match: the writing calls are the expected ones, in any order.
        no_action: no writing call was made.

    Args:
        ground_truth: see `OutcomeScorer`.
    """

    def __init__(self, env: Environment, ground_truth: GroundTruth = "published") -> None:
        self._outcomes = OutcomeScorer(env, ground_truth)
        self.writing_tools = self._outcomes.writing_tools
        self.score_names = STATE_SCORES
        self.digest = f"outcome/{ground_truth}"

    def __call__(self, task: Task, episode: EpisodeResult) -> dict[str, float]:
        """The four scores."""
        return state_scores(self._outcomes, task, episode)

    def expected(self, task: Task, outcome: Outcome) -> Outcome:
        """See `OutcomeScorer.nearest`."""
        return self._outcomes.nearest(task, outcome)


def check_score_names(scorers: Sequence[Scorer], names: Iterable[str], *, where: str) -> None:
    """See that scorers can give the scores called so, as far as they say what they give.

    Raises:
        InputError: they give no such score.
    """
    if not all(isinstance(scorer, KnowsNames) for scorer in scorers):
        return
    known = frozenset().union(*(scorer.score_names for scorer in scorers if isinstance(scorer, KnowsNames)))
    for name in names:
        if name not in known:
            hint = f"there are {', '.join(sorted(known))}"
            raise InputError(f"episodes have no score {name!r} here", where=where, hint=hint)


def state_scores(outcomes: OutcomeScorer, task: Task, episode: EpisodeResult) -> dict[str, float]:
    """The scores of what an episode changed; see `EpisodeScorer`."""
    calls = made_calls(episode)
    actions = [_as_text(call) for call in calls]
    verdict = outcomes.judge(
        task,
        episode.outcome,
        failed=episode.status != "finished",
        malformed=any(outcomes.changed_a_table(call.tool, call.observation.text) for call in calls),
    )
    return {
        "outcome": float(verdict.correct),
        "unwanted_side_effects": float(verdict.unwanted_side_effects),
        "exact_match": float(outcomes.exact_match(task, actions)),
        "no_action": float(not outcomes.writing(actions)),
    }


def _as_text(call: CallRecord) -> str:
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    return format_action(call.tool, arguments)
