"""One compile from start to artifact."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import dspy

from evals.dspy_programs.own_models import with_models
from evals.lm.metering import unmetered
from evals.running.runner import Progress
from optimizers.compiling.artifact import Artifact
from optimizers.compiling.description import GOLD, Metric, decides, given
from optimizers.compiling.finalize import best_so_far, within_constraints
from optimizers.compiling.journal import Journal
from optimizers.compiling.manifests import manifest_of, measured
from optimizers.cost.budget import Budget, BudgetSpentError
from optimizers.cost.earlier_attempts import earlier_attempts_counted
from optimizers.demos.selection.steps import check_unit
from optimizers.demos.trace_bank import Gap, TraceBank
from optimizers.dspy_optimizers.proposer import Proposer
from optimizers.job import Compiled, Job
from optimizers.registry import chooses_on_dev, differs, optimizer, proposals, proposes, selects, takes_bank
from optimizers.rollouts import Rollouts
from optimizers.search.acceptance import accepted
from optimizers.settings import Settings
from tools.errors import InputError

if TYPE_CHECKING:
    from evals.scoring.scorer import Scorer
    from evals.suite import Suite
    from evals.tasks.task import SplitScheme
    from evals.tasks.task_filter import Condition

BANK = "bank"
"""What stands for the teacher where a bank was given."""

BANK_FILE = "bank.jsonl"
"""In the journal's folder: the bank as it was given."""

_NO_LANGUAGE = ("local/", "replay:", GOLD, BANK)
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
        folder: gets the journal, by which a killed compile goes on.
        resume: go on with what is in `folder`.
        asking: whether models may be asked what the journal does not answer.
        begun: the keys of the episodes that are run of those of a log, by its path; None runs all.
        bank: takes the teacher's place; the teacher is then called `BANK` and never asked.
        where: what tasks have to be to be learnt from or chosen on.
        train_limit, dev_limit: at most so many tasks, spread evenly.
        versions: of the caller's software, for the manifest.
        budget: that the compile is to keep; None is no limit.
        metric: what programs are chosen by in place of the outcome scores.
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
    where: tuple[Condition, ...] = ()
    proposer: Model | None = None
    train_limit: int | None = None
    dev_limit: int | None = None
    workers: int = 8
    resume: bool = False
    asking: bool = True
    begun: Callable[[Path], Collection[str]] | None = None
    bank: TraceBank | None = None
    versions: Mapping[str, str] | None = None
    on_progress: Callable[[str, Progress], None] | None = None
    budget: Budget | None = None
    metric: Metric | None = None

    def journal(self, purpose: str = "compile") -> Journal:
        """The journal in `folder`, opened.

        Raises:
            InputError: it is there and `resume` is not set, or it is of something else.
            InUseError: another process works in it.
        """
        about = decides(self, purpose)
        return Journal.open(self.folder, about, resume=self.resume, given=given(self), asking=self.asking)

    def job(self, journal: Journal | None = None) -> Job:
        """The plan as optimizers take it.

        Args:
            journal: through which models are asked; None where nothing will be run.

        Raises:
            InputError: a split has no tasks, a limit makes no sense, or there is no model to propose
                instructions.
        """
        proposer = self.proposed_by()
        select = self.suite.select
        return Job(
            program=with_models(self.program, lambda lm: self._asked(lm, journal)),
            train=select(split="train", scheme=self.scheme, limit=self.train_limit, where=self.where),
            dev=select(split="dev", scheme=self.scheme, limit=self.dev_limit, where=self.where),
            held_back=[task for split in ("dev", "test") for task in select(split=split, scheme=self.scheme)],
            teacher=self._rollouts(self.teacher, "teacher", journal),
            student=self._rollouts(self.lm, "student", journal),
            settings=self.settings,
            proposer=None if proposer is None else Proposer.of(self._asked(proposer.lm, journal)),
            given=self.bank,
            suite=self.suite.digest,
            budget=self.budget,
        )

    def check(self) -> None:
        """See that the models and the bank are of use to the optimizer.

        Raises:
            InputError: one is not.
        """
        self.proposed_by()
        if self.settings.chooses and not selects(self.optimizer):
            raise InputError(
                f"{self.optimizer} chooses demonstrations in its own way",
                where="--selection, --demo-unit, --demo-tokens",
                hint="use bootstrap, race, tpe or knn",
            )
        check_unit(self.program, self.settings.demo_unit)
        if self.bank is None:
            return
        if not takes_bank(self.optimizer):
            raise InputError(f"{self.optimizer} draws from no trace bank", where="--bank")
        self.bank.check(self.program, self.suite.manifest.kind)

    def proposed_by(self) -> Model | None:
        """The model that proposes instructions, see `proposing_model`."""
        return proposing_model(self.optimizer, self.proposer, self.teacher, self.lm)

    def proposals(self) -> int:
        """How often the compile asks the model that proposes instructions, at most."""
        return proposals(self.optimizer, self.job())

    def episodes(self) -> dict[str, int]:
        """How many episodes the compile will run at most, by what for."""
        episodes = optimizer(self.optimizer).plan(self.job())
        return {role: n for role, n in episodes.items() if role != "teacher" or self.bank is None}

    def _rollouts(self, model: Model, role: str, journal: Journal | None) -> Rollouts:
        return Rollouts(
            env=self.suite.env,
            lm=self._asked(model.lm, journal),
            folder=self.folder / role,
            workers=self.workers,
            # Whether it may be gone on with was settled when the journal was opened.
            resume=self.resume or journal is not None,
            scorers=self._scorers(journal),
            on_progress=self.on_progress,
            budget=self.budget,
            begun=self.begun,
        )

    def _scorers(self, journal: Journal | None) -> list[Scorer] | None:
        """The scorers of the metric, if there is one; models of judges are asked as all others are."""
        if self.metric is None:
            return None
        return [with_models(each, lambda lm: self._asked(lm, journal)) for each in self.metric.scorers]

    def _asked(self, lm: dspy.LM, journal: Journal | None) -> dspy.LM:
        """A model as it is asked: by the budget's leave, and nothing that the journal has the reply to."""
        lm = lm if self.budget is None else self.budget.counted(lm)
        return lm if journal is None else journal.remembering(lm)


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
    """A compile's end: the program in memory and as it is written to disk, and which tasks taught nothing."""

    compiled: Compiled
    artifact: Artifact
    gaps: tuple[Gap, ...] = ()


def compile_program(plan: Plan) -> Result:
    """Compile. Where the budget is spent before the end, the best program so far is the result.

    Raises:
        InputError: something in the plan makes no sense, or `folder` holds an earlier run and `resume`
            is not set.
        InUseError: another process works in `folder`.
        IncompleteJournalError: models may not be asked, and the journal does not suffice.
        IncumbentLostError: the program as it is lost too many episodes to compare anything with it.
        NothingTaughtError: no training task gave a demonstration.
        ConstraintsBrokenError: no program keeps the constraints.
        BudgetSpentError: the budget was spent before it was known whether any does.
        EvaluationInterrupted: on Ctrl-C; what was finished is in `folder`.
    """
    started = time.perf_counter()
    plan.check()
    with plan.journal() as journal:
        if plan.bank is not None:
            plan.bank.write(plan.folder / BANK_FILE)
        job = plan.job(journal)
        with earlier_attempts_counted(plan.budget, journal):
            try:
                compiled = optimizer(plan.optimizer)(job)
            except BudgetSpentError:
                compiled = best_so_far(job)
            compiled = accepted(
                job,
                compiled,
                differs=differs(plan.optimizer),
                best_on_dev=chooses_on_dev(plan.optimizer),
            )
            compiled = within_constraints(job, compiled)
    # The program goes on without the journal and the budget of its compile.
    compiled = replace(compiled, program=with_models(compiled.program, unmetered))
    artifact = Artifact.of(
        compiled.program, manifest_of(plan, job, compiled), measured(plan, journal, started)
    )
    return Result(compiled, artifact, job.gaps)
