"""Running programs for an optimizer: one model, one world, every episode in a log to resume from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.identity import model_name
from evals.log import EpisodeLog
from evals.runner import EvalResult, Progress, Scorer, evaluate

if TYPE_CHECKING:
    import dspy

    from evals.record import EpisodeRecord
    from evals.task import Task
    from tools.episode import EpisodeResult
    from tools.workshop import Workshop


@dataclass
class Cost:
    """What episodes cost together."""

    episodes: int = 0
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, episode: EpisodeRecord | EpisodeResult) -> None:
        """Count one episode. Not thread-safe."""
        self.episodes += 1
        self.model_calls += episode.model_calls
        self.prompt_tokens += episode.prompt_tokens
        self.completion_tokens += episode.completion_tokens


@dataclass
class Rollouts:
    """Runs programs with one model over tasks of one world.

    Attributes:
        lm: the model under which programs run.
        folder: gets one episode log for each evaluation.
        resume: continue logs that are there instead of refusing to.
        scorers: default are the outcome scores.
        on_progress: told of each episode, and of which evaluation it is part.
        cost: of everything run so far.
    """

    workshop: Workshop
    lm: dspy.LM
    folder: Path
    workers: int = 8
    seed: int = 0
    resume: bool = False
    scorers: Sequence[Scorer] | None = None
    on_progress: Callable[[str, Progress], None] | None = None
    cost: Cost = field(default_factory=Cost)

    @property
    def model(self) -> str:
        """The model's name."""
        return model_name(self.lm)

    def __call__(self, program: Callable[..., Any], tasks: Sequence[Task], *, name: str) -> EvalResult:
        """Run `program` on each task once.

        Args:
            name: of the log's file in `folder`; each evaluation of a compile has its own.

        Raises:
            InputError: the log is there and `resume` is not set, or the runner refuses.
        """
        told = self.on_progress
        with EpisodeLog.open(self.folder / f"{name}.jsonl", resume=self.resume) as log:
            result = evaluate(
                program,
                tasks,
                workshop=self.workshop,
                lm=self.lm,
                workers=self.workers,
                seed=self.seed,
                log=log,
                scorers=self.scorers,
                on_progress=(lambda progress: told(name, progress)) if told else None,
            )
        # Episodes that a log already held count as well: they were paid for when they ran.
        for record in result.records:
            self.cost.add(record)
        return result
