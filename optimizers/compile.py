"""One compile from start to artifact."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import dspy

from evals.identity import model_name
from evals.runner import Progress
from optimizers.artifact import Artifact, Manifest, sources
from optimizers.dspy_optimizers.proposer import Proposer
from optimizers.job import Compiled, Job, Settings
from optimizers.registry import optimizer, proposals, proposes
from optimizers.rollouts import Rollouts
from tools.errors import InputError

if TYPE_CHECKING:
    from evals.suite import Suite
    from evals.task import SplitScheme

GOLD = "gold"
"""The name of the teacher that follows the tasks' gold plans."""

_NO_LANGUAGE = ("local/", "replay:", GOLD)
"""How the names of models begin that cannot write instructions."""


class Model(NamedTuple):
    """A model and the name it was asked for by."""

    name: str
    lm: dspy.LM

    @property
    def proposes(self) -> bool:
        """Whether it is a language model, which can propose instructions."""
        return not self.name.startswith(_NO_LANGUAGE)


@dataclass(frozen=True)
class Plan:
    """What is to be compiled, and how.

    Attributes:
        program: any program that takes `task=` and returns an `.episode`.
        describes: what it takes to build the program anew, for the manifest.
        proposer: proposes instructions, for an optimizer that wants it; default is the teacher, or else the
            model itself, if that is a language model.
        folder: gets the episode logs, by which a killed compile goes on.
        resume: go on with what is in `folder`.
        train_limit, dev_limit: at most so many tasks, spread evenly.
        versions: of the caller's software, for the manifest.
    """

    program: dspy.Module
    describes: Mapping[str, Any]
    suite: Suite
    lm: Model
    teacher: Model
    optimizer: str
    settings: Settings
    folder: Path
    scheme: SplitScheme = "standard"
    proposer: Model | None = None
    train_limit: int | None = None
    dev_limit: int | None = None
    workers: int = 8
    resume: bool = False
    versions: Mapping[str, str] | None = None
    on_progress: Callable[[str, Progress], None] | None = None

    def job(self) -> Job:
        """The plan as optimizers take it.

        Raises:
            InputError: a split has no tasks, a limit makes no sense, or there is no model to propose
                instructions.
        """
        proposer = self.proposed_by()
        select = self.suite.select
        return Job(
            program=self.program,
            train=select(split="train", scheme=self.scheme, limit=self.train_limit),
            dev=select(split="dev", scheme=self.scheme, limit=self.dev_limit),
            held_back=[task for split in ("dev", "test") for task in select(split=split, scheme=self.scheme)],
            teacher=self._rollouts(self.teacher, "teacher"),
            student=self._rollouts(self.lm, "student"),
            settings=self.settings,
            proposer=None if proposer is None else Proposer.of(proposer.lm),
        )

    def proposed_by(self) -> Model | None:
        """The model that proposes instructions, see `proposing_model`."""
        return proposing_model(self.optimizer, self.proposer, self.teacher, self.lm)

    def proposals(self) -> int:
        """How often the compile asks the model that proposes instructions, at most."""
        return proposals(self.optimizer, self.job())

    def episodes(self) -> dict[str, int]:
        """How many episodes the compile will run at most, by what for."""
        return optimizer(self.optimizer).plan(self.job())

    def _rollouts(self, model: Model, role: str) -> Rollouts:
        return Rollouts(
            workshop=self.suite.workshop,
            lm=model.lm,
            folder=self.folder / role,
            workers=self.workers,
            resume=self.resume,
            on_progress=self.on_progress,
        )


def proposing_model(optimizer: str, proposer: Model | None, teacher: Model, lm: Model) -> Model | None:
    """Who proposes instructions for the optimizer called so; None where it has none proposed.

    Raises:
        InputError: there is no language model to do it, or one is named for nothing.
    """
    if not proposes(optimizer):
        if proposer is not None:
            raise InputError(f"{optimizer} has no instructions proposed", where="--proposer")
        return None
    for model in (proposer,) if proposer else (teacher, lm):
        if model.proposes:
            return model
    raise InputError(
        f"{optimizer} has instructions proposed by a language model, which {(proposer or lm).name} is not",
        hint="name one as --lm or --teacher or, to compile, as --proposer, e.g. openai/gpt-4o-mini",
    )


class Result(NamedTuple):
    """What a compile gives: the program in memory, and as it is written to disk."""

    compiled: Compiled
    artifact: Artifact


def compile_program(plan: Plan) -> Result:
    """Compile.

    Raises:
        InputError: something in the plan makes no sense, or `folder` holds an earlier run and `resume`
            is not set.
        EvaluationInterrupted: on Ctrl-C; what was finished is in `folder`.
    """
    started = time.perf_counter()
    job = plan.job()
    compiled = optimizer(plan.optimizer)(job)
    manifest = Manifest(
        program=dict(plan.describes),
        suite=_suite(plan.suite),
        scheme=plan.scheme,
        train=tuple(task.id for task in job.train),
        dev=tuple(task.id for task in job.dev),
        lm=plan.lm.name,
        teacher=plan.teacher.name,
        models=_models(plan),
        gold=plan.teacher.name == GOLD
        and any(shown.teacher == job.teacher.model for shown in compiled.demonstrations),
        optimizer=plan.optimizer,
        settings=asdict(plan.settings),
        trials=tuple(trial.to_json() for trial in compiled.trials),
        chosen=compiled.chosen,
        gaps=compiled.gaps,
        cost=_cost(job),
        demonstrations=sources(compiled.demonstrations),
        seen_by_proposer=tuple(sorted(job.proposer.seen)) if job.proposer else (),
        versions={**(plan.versions or {}), "dspy": dspy.__version__, "python": platform.python_version()},
    )
    seconds = {"seconds": round(time.perf_counter() - started, 3)}
    return Result(compiled, Artifact.of(compiled.program, manifest, seconds))


def _models(plan: Plan) -> dict[str, str]:
    named = {"lm": plan.lm, "teacher": plan.teacher, "proposer": plan.proposed_by()}
    return {role: model_name(model.lm) for role, model in named.items() if model is not None}


def _cost(job: Job) -> dict[str, dict[str, int]]:
    cost = {"teacher": asdict(job.teacher.cost), "student": asdict(job.student.cost)}
    if job.proposer is not None:
        cost["proposer"] = {"model_calls": job.proposer.meter.calls}
    return cost


def _suite(suite: Suite) -> dict[str, str]:
    manifest = suite.manifest
    return {"kind": manifest.kind, "origin": manifest.origin, "digest": manifest.digest}
