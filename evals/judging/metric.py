"""Judges as a scorer: beside the outcome, or in its place where they are trusted with a compile."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from worksmith.evals.dspy_programs.digests import scorers_digest
from worksmith.evals.dspy_programs.own_models import with_models
from worksmith.evals.lm.users_code import UserCodeError
from worksmith.evals.records.record import PRIMARY, Digests, EpisodeRecord, WorkUnit
from worksmith.evals.records.recording import change_entries, record_episode
from worksmith.evals.records.verdicts import JUDGE, PASSED, with_verdict
from worksmith.evals.running.asked_judges import Judge, ask_judges, judge_raised
from worksmith.evals.scoring.objective import AroundScorers, in_place
from worksmith.evals.scoring.scorer import scores_of
from worksmith.tools.errors import InfrastructureError
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.evals.scoring.scorer import Scorer
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode_result import EpisodeResult


class JudgedScorer(AroundScorers):
    """The scores of `scorers` with judges' scores of the same episode. Thread-safe.

    Of a task with a rubric, the judges' pass is a part of the outcome in any case.

    Args:
        drives: whether the judges' pass (a mean score of level 4 or more) takes the place of the outcome, by
            which optimizers choose. The outcome is then `checked_outcome`.
    """

    def __init__(self, scorers: Sequence[Scorer], judges: Sequence[Judge], *, drives: bool) -> None:
        super().__init__(scorers)
        self._judges, self._drives = tuple(judges), drives
        self.digest = digest(["judged", drives, scorers_digest([*self._scorers, *self._judges])])

    def __call__(self, task: Task, episode: EpisodeResult) -> Mapping[str, float]:
        """The scores by name.

        Raises:
            InfrastructureError: no judge gave a level.
            UserCodeError: a judge of the user raised.
        """
        scores = scores_of(self._scorers, task, episode)
        record = ask_judges(self._judges, task, self._record(task, episode, scores))
        if not record.graded:
            return scores
        if JUDGE not in record.scores:
            if said := judge_raised(record):
                error = UserCodeError(said)
                error.scores = scores
                raise error
            why = record.judgements[0].feedback.partition("\n")[0] if record.judgements else "there is none"
            raise InfrastructureError(f"no judge gave a level: {why}")
        scores[JUDGE] = record.scores[JUDGE]
        if self._drives:
            return in_place(scores, float(scores[JUDGE] >= PASSED))
        return with_verdict(scores) if task.judged else scores

    def with_models(self, change: Callable[[Any], Any]) -> JudgedScorer:
        judges = [with_models(judge, change) for judge in self._judges]
        return JudgedScorer(self._scorers, judges, drives=self._drives)

    def _record(self, task: Task, episode: EpisodeResult, scores: Mapping[str, float]) -> EpisodeRecord:
        digests = Digests(program="", task=task.digest, world="", model="")
        unit = WorkUnit(task_id=task.id, strategy="", seed=0, trial=0, digests=digests)
        record = record_episode(unit, task, episode, scores=scores)
        if scores.get(PRIMARY, 1.0) >= 1:
            return record
        wanted = change_entries(self.expected(task, episode.outcome).beside(episode.outcome))
        return record.model_copy(update={"expected_changes": wanted})
