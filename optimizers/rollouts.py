"""Rollouts: episodes for an optimizer, with one model in one world, each in a log to resume from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.records.logs.log import EpisodeLog
from worksmith.evals.running.outage import Unscored
from worksmith.evals.running.program_run import RunPlan
from worksmith.evals.running.result import EvalResult, EvaluationProgress
from worksmith.evals.running.runner import evaluate_together
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.scoring.scorer import Scorer
from worksmith.evals.tasks.transcript import GOLD_PREFIX
from worksmith.optimizers.cost.budget import Budget

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.running.episode_engine import EpisodeEngine
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.environment import Environment
    from worksmith.tools.episode_result import EpisodeResult


@dataclass
class Cost:
    """The usage of episodes, with or without a cache."""

    episodes: int = 0
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, episode: EpisodeRecord | EpisodeResult) -> None:
        self.episodes += 1
        self.model_calls += episode.model_calls
        self.prompt_tokens += episode.usage.prompt_tokens
        self.completion_tokens += episode.usage.completion_tokens


class ProgramTasks(NamedTuple):
    """A program and the tasks that it runs on."""

    program: Callable[..., Any]
    tasks: Sequence[Task]


@dataclass
class Rollouts:
    """Runs programs with one model over tasks of one world.

    Attributes:
        lm: the model under which programs run.
        folder: gets one episode log for each evaluation.
        resume: continue existing logs instead of refusing to.
        scorers: default are the outcome scores.
        on_progress: called after each episode.
        cost: of everything run so far.
        budget: asked before each episode; None for no limit. The model must be one that it meters.
        begun: gives the keys of the episodes to run, by a log's path; None runs all.
        time_limit, engine, unscored: see `worksmith.evals.running.settings`.
    """

    env: Environment
    lm: dspy.LM
    folder: Path
    workers: int = 8
    seed: int = 0
    resume: bool = False
    scorers: Sequence[Scorer] | None = None
    on_progress: Callable[[EvaluationProgress], None] | None = None
    cost: Cost = field(default_factory=Cost)
    budget: Budget | None = None
    begun: Callable[[Path], Collection[str]] | None = None
    time_limit: float | None = None
    engine: EpisodeEngine | None = None
    unscored: Unscored = field(default_factory=Unscored)

    @property
    def model(self) -> str:
        return model_name(self.lm)

    @property
    def free(self) -> bool:
        """Whether the model follows gold plans, and so asks no other."""
        return self.model.startswith(GOLD_PREFIX)

    def __call__(
        self,
        program: Callable[..., Any],
        tasks: Sequence[Task],
        *,
        name: str,
        partly: bool = False,
        known: Callable[[EpisodeRecord], bool] | None = None,
    ) -> EvalResult:
        """Run `program` on each task once, see `together`."""
        return self.together({name: ProgramTasks(program, tasks)}, partly=partly, known=known)[name]

    def together(
        self,
        runs: Mapping[str, ProgramTasks],
        *,
        partly: bool = False,
        known: Callable[[EpisodeRecord], bool] | None = None,
    ) -> dict[str, EvalResult]:
        """Run several programs, each on its tasks, all with the same workers.

        Args:
            runs: by the names of the logs' files in `folder`; each evaluation of a compile has its own.
            partly: whether the episodes will do that were run before the budget was spent.
            known: whether an episode that a log holds need not run again.

        Returns:
            The results, by the same names.

        Raises:
            InputError: a log exists and `resume` is not set, or the runner refuses.
            BudgetSpentError: the budget was spent before all episodes were run, and not `partly`.
        """
        names, told = tuple(runs), self.on_progress
        with ExitStack() as logs:
            plans = []
            for name, run in runs.items():
                path = self.folder / f"{name}.jsonl"
                log = logs.enter_context(EpisodeLog.open(path, resume=self.resume))
                begun = None if self.begun is None else self.begun(path)
                plans.append(RunPlan(run.program, run.tasks, log, known, begun))
            results = evaluate_together(
                plans,
                EvalSettings(
                    env=self.env,
                    lm=self.lm,
                    workers=self.workers,
                    seed=self.seed,
                    scorers=self.scorers,
                    time_limit=self.time_limit,
                    engine=self.engine,
                    unscored=self.unscored,
                    admission=self.budget.account(self.model, logged=False) if self.budget else None,
                ),
                on_progress=None if told is None else lambda at: told(replace(at, name=names[at.program])),
            )
        # Episodes that a log already held count as well: they were paid for when they ran.
        for result in results:
            for record in result.records:
                self.cost.add(record)
        if self.budget and not partly and any(result.unstarted for result in results):
            self.budget.check()
        return dict(zip(names, results, strict=True))
