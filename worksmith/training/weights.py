"""DSPy's optimizers that train weights, for `--optimizer`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dspy

from worksmith.evals.dspy_programs.traces import TraceStep
from worksmith.optimizers.dspy_optimizers import instructions
from worksmith.optimizers.dspy_optimizers.few_shot import RandomSearch
from worksmith.optimizers.dspy_optimizers.lessons import Lessons, Sampled
from worksmith.optimizers.dspy_optimizers.stock import DspyOptimizer, Optimized, examples
from worksmith.optimizers.optimizer import CompileContext, Compiled
from worksmith.programs.agent import Agent
from worksmith.programs.prompting.adapter import TrajectoryAdapter
from worksmith.programs.prompting.forms import COMPACT, TEXT, compact_length
from worksmith.tools.errors import InputError
from worksmith.training.provider import LOCAL, LocalProvider, TrainableLM

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode_result import EpisodeResult

FOLDER = Path("weights")
"""What compiles train, relative to the current directory."""

_LENGTH = 8_192
"""The most tokens of a trajectory; full prompts have thousands."""

_TRAINED = (
    "exclude_demos is on (its own: off), the teacher's whole trajectories are taught in the program's own "
    "prompts (its own: each call in DSPy's), metric_threshold 1"
)


class BootstrapFinetune(DspyOptimizer):
    """`dspy.BootstrapFinetune`: the teacher's successes become weights of the model."""

    name = "dspy:BootstrapFinetune"
    bootstraps = trains = True
    differs = _TRAINED

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        return {"teacher": len(context.train), "dev": len(context.dev)}

    def search(self, context: CompileContext) -> Compiled:
        return _named(super().search(context), context)

    def optimize(self, context: CompileContext, lessons: Lessons) -> Optimized:
        student = Sampled(context.program.deepcopy(), lessons)
        student.set_lm(_trainable(context))
        wrapped = _finetune(context, lessons).compile(
            student, trainset=examples(context), teacher=_taught(context, lessons)
        )
        return _measured(wrapped, "weights", context)


class BetterTogether(instructions.PromptsTogether):
    """`dspy.BetterTogether`: demonstrations, weights, demonstrations, if the model's weights can be trained.

    Of other models instructions are sought in place of weights.
    """

    trains = True
    differs = (
        "strategy is demos -> weights -> demos (its own: p -> w -> p), and demos -> instructions where no "
        f"weights can be trained; of demos {RandomSearch.differs}; of weights {_TRAINED}; of instructions "
        f"{instructions.COPRO.differs}"
    )

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        """The most episodes: those of its steps, and dev before, between and after them."""
        if not _has_weights(context):
            return super().max_episodes(context)
        candidates = context.settings.candidates
        return {
            "teacher": len(context.train) * (2 * (candidates + 1) + 1),
            "dev": len(context.dev) * (2 * (candidates + 2) + 5),
        }

    def max_proposals(self, context: CompileContext) -> int:
        return 0 if _has_weights(context) else super().max_proposals(context)

    def search(self, context: CompileContext) -> Compiled:
        return _named(super().search(context), context)

    def optimize(self, context: CompileContext, lessons: Lessons) -> Optimized:
        if not _has_weights(context):
            return super().optimize(context, lessons)
        wrapped = instructions.better_together(
            context,
            lessons,
            _trainable(context),
            strategy="demos -> weights -> demos",
            optimizers={"weights": _finetune(context, lessons)},
            arguments={"weights": {"teacher": _taught(context, lessons)}},
        )
        return _measured(wrapped, "together", context)


class _Taught(Sampled):
    """A program that the teacher's model runs, for any caller, with every call in its trace.

    The last prompt of an agent shows all calls before it, so of agents the last call is enough.
    """

    def forward(self, **inputs: Any) -> dspy.Prediction:
        with dspy.context(lm=self._lessons.context.teacher.lm):
            return super().forward(**inputs)

    def _steps(
        self, task: Task, episode: EpisodeResult, trace: list[TraceStep], taught: bool
    ) -> list[TraceStep]:
        one = super()._steps(task, episode, trace, taught)
        return one if isinstance(self.program, Agent) else trace


def _taught(context: CompileContext, lessons: Lessons) -> _Taught:
    return _Taught((context.teaching_program or context.program).deepcopy(), lessons)


def _finetune(context: CompileContext, lessons: Lessons) -> dspy.BootstrapFinetune:
    adapter, prompt = _prompts(context)

    def metric(example: dspy.Example, prediction: dspy.Prediction, trace: Any = None) -> bool:
        return lessons.metric(example, prediction, trace or ())  # every episode is a lesson

    return dspy.BootstrapFinetune(
        metric=metric,
        adapter=adapter,
        exclude_demos=True,
        num_threads=context.student.workers,
        train_kwargs={"prompt": prompt, "max_length": _LENGTH, "seed": context.settings.seed, "track": False},
    )


def _prompts(context: CompileContext) -> tuple[dspy.ChatAdapter, str]:
    """What renders the program's prompts, and the name of their format."""
    program = context.program
    if not isinstance(program, Agent):
        return dspy.ChatAdapter(), TEXT
    length = compact_length(program.prompt, context.student.lm)
    return TrajectoryAdapter(observation=length), TEXT if length is None else f"{COMPACT}:{length}"


def _has_weights(context: CompileContext) -> bool:
    name: str = context.student.lm.model.partition("@")[0]
    return name.startswith(LOCAL)


def _trainable(context: CompileContext) -> TrainableLM:
    """The student's model, which trains into `FOLDER`."""
    lm = context.student.lm
    if not _has_weights(context):
        raise InputError(
            f"the weights of {lm.model.partition('@')[0]} cannot be trained here",
            where="--lm",
            hint="give --lm local/smollm2, or a model that worksmith train made",
        )
    return TrainableLM.of(lm, LocalProvider(FOLDER), context.metered)


def _measured(wrapped: Sampled, name: str, context: CompileContext) -> Optimized:
    """The found program; from now on the student's model is the one that it was trained to."""
    models: Sequence[Any] = [predictor.lm for predictor in wrapped.predictors()]
    trained = next(lm for lm in models if lm is not None)
    context.student = replace(context.student, lm=trained)
    return Optimized(wrapped, name)


def _named(compiled: Compiled, context: CompileContext) -> Compiled:
    return replace(compiled, lm=context.student.lm.model.partition("@")[0])
