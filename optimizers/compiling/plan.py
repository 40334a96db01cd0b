"""The plan of a compile."""

from __future__ import annotations

import platform
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import dspy

from worksmith.evals.attacks.attacker import Attacker
from worksmith.evals.dspy_programs.digests import model_digest, program_digest, state_digest
from worksmith.evals.dspy_programs.own_models import check_models, with_models
from worksmith.evals.lm.prices import Prices
from worksmith.evals.lm.rewards import telling_rewards
from worksmith.evals.records.record import ASR, PRIMARY
from worksmith.evals.running.outage import Unscored
from worksmith.evals.running.result import EvaluationProgress
from worksmith.evals.scoring.expression import Expression
from worksmith.evals.scoring.scorer import Scorer, check_score_names
from worksmith.evals.task_kind import scorers_for
from worksmith.evals.tasks.task import SplitScheme
from worksmith.optimizers.candidates.undoing import made_of, taken_off
from worksmith.optimizers.compiling.fingerprint import Fingerprint, ModelFacts
from worksmith.optimizers.compiling.journal import Journal
from worksmith.optimizers.compiling.models import Model, proposing_model
from worksmith.optimizers.cost.budget import Budget
from worksmith.optimizers.cost.limits import Limits
from worksmith.optimizers.demos.steps import check_unit
from worksmith.optimizers.demos.trace_bank import TraceBank
from worksmith.optimizers.optimizer import CompileContext, Optimizer
from worksmith.optimizers.proposer import Proposer
from worksmith.optimizers.rollouts import Rollouts
from worksmith.optimizers.settings import Settings
from worksmith.tools.code import code_digest
from worksmith.tools.errors import InputError
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.evals.running.episode_engine import EpisodeEngine
    from worksmith.evals.suite import Suite
    from worksmith.evals.tasks.task import Task
    from worksmith.evals.tasks.task_filter import Condition
    from worksmith.optimizers.candidates.candidate import Candidate
    from worksmith.optimizers.compiling.artifact import Artifact

BANK_FILE = "bank.jsonl"
"""A copy of the prebuilt bank in the journal's folder."""


class Metric(NamedTuple):
    """Scorers whose `outcome` programs are chosen by, and their description for journal and manifest."""

    scorers: Sequence[Scorer]
    about: Mapping[str, str]


class TaskSets(NamedTuple):
    """The tasks of a compile, see `CompileContext`."""

    train: Sequence[Task]
    dev: Sequence[Task]
    held_back: Sequence[Task]

    @property
    def digest(self) -> str:
        return digest([[task.digest for task in tasks] for tasks in self])


@dataclass(frozen=True)
class Plan:
    """The inputs of a compile.

    Attributes:
        program: any program that takes `task=` and returns a prediction with an `.episode`.
        describes: the configuration from which the program can be built again, for the manifest.
        start: the compiled program that `program` is; None if it was not compiled.
        suite: gives the train, dev and held-back tasks, and the environment.
        lm: the model that the program is compiled for.
        teacher: the model that makes demonstrations.
        folder: gets the journal, from which a killed compile goes on.
        where: conditions on the tasks to learn from and to choose on.
        tasks: takes the place of those that `scheme`, `where` and the limits choose.
        teaching_program: makes the demonstrations in the program's place, under the teacher's model.
        proposer: proposes instructions, for an optimizer that wants it; default is the teacher, or else the
            model itself, if that is a language model.
        planner: plans for the program, which has it already; None if it has no such model.
        train_limit, dev_limit: the most tasks of the split, spread evenly.
        workers: episodes that run at once.
        time_limit: the most seconds of an episode; None sets no limit.
        resume: go on with the journal in `folder`.
        may_ask: whether models may be asked for replies that the journal lacks.
        begun: gives the keys of the episodes to run, by a log's path; None runs all.
        bank: takes the teacher's place; the teacher is then called `BANK` and never asked.
        origin: where further parts were found, for who verifies the journal.
        versions: of the caller's software, for the manifest.
        on_progress: called after each episode.
        budget: the limits of the compile; None sets no limit.
        limits, prices: decide which episodes run without a budget, as in a compile that is derived again.
        say: takes a sentence about what is tried, and why.
        metric: takes the place of the outcome scores.
        engine: runs the programs in other processes; None runs them here.
    """

    program: dspy.Module
    describes: Mapping[str, Any]
    suite: Suite
    lm: Model
    teacher: Model
    optimizer: Optimizer
    folder: Path
    start: Artifact | None = None
    scheme: SplitScheme = "standard"
    where: tuple[Condition, ...] = ()
    tasks: TaskSets | None = None
    teaching_program: dspy.Module | None = None
    proposer: Model | None = None
    planner: Model | None = None
    train_limit: int | None = None
    dev_limit: int | None = None
    workers: int = 8
    time_limit: float | None = None
    resume: bool = False
    may_ask: bool = True
    begun: Callable[[Path], Collection[str]] | None = None
    bank: TraceBank | None = None
    versions: Mapping[str, str] | None = None
    origin: Mapping[str, str] = field(default_factory=dict)
    on_progress: Callable[[EvaluationProgress], None] | None = None
    budget: Budget | None = None
    limits: Limits | None = None
    prices: Prices | None = None
    say: Callable[[str], None] = lambda _: None
    metric: Metric | None = None
    engine: EpisodeEngine | None = None

    @property
    def settings(self) -> Settings:
        """The optimizer's."""
        return self.optimizer.settings

    @property
    def undo(self) -> Candidate | None:
        """What takes the parts off that the program was compiled with before; None if it was not."""
        return self.start.manifest.undo if self.start else None

    def check(self) -> None:
        """Check that the models, the settings and the bank suit the optimizer."""
        chosen = self.optimizer
        self.proposing_model()
        if self.settings.chooses and not chosen.selects:
            raise InputError(
                f"{chosen.name} chooses demonstrations in its own way",
                where="--selection, --demo-unit, --demo-tokens",
                hint="use bootstrap, race or knn",
            )
        if self.undo is not None:
            for each in taken_off(self.undo, self.program).values():
                made_of(each, self.program)
        context = self.context()
        chosen.check(context)
        if (weighed := Expression(self.settings.maximize)).text != PRIMARY:
            if not chosen.races:
                hint = "use race, bootstrap or knn"
                raise InputError(f"{chosen.name} chooses by the outcome", where="--maximize", hint=hint)
            scorers = context.student.scorers or scorers_for(self.suite.env)
            check_score_names(scorers, weighed.scores, where="--maximize")
        check_unit(self.program, self.settings.demo_unit)
        check_models(self.program, [self.lm.lm])
        if self.bank is None:
            check_models(self.teaching_program or self.program, [self.teacher.lm])
            return
        if not chosen.takes_bank:
            raise InputError(f"{chosen.name} draws from no trace bank", where="--bank")
        self.bank.check(self.program, self.suite.manifest.kind)

    def open_journal(self, purpose: str = "compile") -> Journal:
        """The journal in `folder`, opened.

        Raises:
            InputError: it exists and `resume` is not set, or it is of something else.
            InUseError: another process works in it.
        """
        origin = {"suite": str(self.suite.path), **self.origin}
        return Journal.open(
            self.folder, self.fingerprint(purpose), resume=self.resume, origin=origin, may_ask=self.may_ask
        )

    def context(self, journal: Journal | None = None) -> CompileContext:
        """The context of the plan's optimizer.

        Args:
            journal: through which models are asked; None for a plan that does not run.

        Raises:
            InputError: the dev tasks are missing, a limit is invalid, or the model that proposes instructions
                is missing.
        """

        def metered(lm: dspy.LM) -> dspy.LM:
            """The model, asked by the budget's leave, and not for replies in the journal."""
            lm = lm if self.budget is None else self.budget.counted(lm)
            return lm if journal is None else journal.remembering(lm)

        scorers = (
            None if self.metric is None else [with_models(each, metered) for each in self.metric.scorers]
        )

        unscored = Unscored()

        def rollouts(model: Model, role: str) -> Rollouts:
            return Rollouts(
                env=self.suite.env,
                lm=metered(model.lm),
                folder=self.folder / role,
                workers=self.workers,
                # Whether it may be gone on with was settled when the journal was opened.
                resume=self.resume or journal is not None,
                scorers=scorers,
                on_progress=self.on_progress,
                budget=self.budget,
                begun=self.begun,
                time_limit=self.time_limit,
                engine=self.engine,
                unscored=unscored,
            )

        proposer, taught_by = self.proposing_model(), self.teaching_program
        train, dev, held_back = self.task_sets()
        return CompileContext(
            program=telling_rewards(with_models(self.program, metered)),
            train=train,
            dev=dev,
            held_back=held_back,
            teaching_program=None if taught_by is None else telling_rewards(with_models(taught_by, metered)),
            teacher=rollouts(self.teacher, "teacher"),
            student=rollouts(self.lm, "student"),
            settings=self.settings,
            undo=self.undo,
            proposer=None if proposer is None else Proposer.of(metered(proposer.lm)),
            prebuilt_bank=self.bank,
            suite=self.suite.digest,
            budget=self.budget,
            limits=self.limits or (Limits() if self.budget is None else self.budget.limits),
            prices=self.prices or (Prices() if self.budget is None else self.budget.prices),
            say=self.say,
            metered=metered,
        )

    def task_sets(self) -> TaskSets:
        """The tasks to learn from, to choose by, and to hold back.

        If attacks are bounded, the tasks to choose by are repeated under attack.

        Raises:
            InputError: a limit is invalid, a condition holds for no task, or dev tasks, or needed attackable
                ones, are missing.
        """
        found = self._given_tasks() if self.tasks is None else self.tasks
        if all(each.metric != ASR for each in self.settings.constraints):
            return found
        attacker = Attacker(self.suite.env, [*found.train, *found.dev], self.settings.seed)
        attacked = [
            task.model_copy(update={"id": f"{task.id}+attack"}) for task in attacker.attacked(found.dev)
        ]
        return found._replace(dev=[*found.dev, *attacked])

    def _given_tasks(self) -> TaskSets:
        select = self.suite.select
        dev = select(split="dev", scheme=self.scheme, limit=self.dev_limit, where=self.where)
        if not dev:
            raise InputError(
                "there are no dev tasks to choose a program by",
                where=str(self.suite.path),
                hint="choose another --scheme or --where, or a suite with more tasks of each intent",
            )
        return TaskSets(
            select(split="train", scheme=self.scheme, limit=self.train_limit, where=self.where),
            dev,
            [task for split in ("dev", "test") for task in select(split=split, scheme=self.scheme)],
        )

    def fingerprint(self, purpose: str = "compile") -> dict[str, Any]:
        """The plan's `Fingerprint` as JSON-able data."""
        suite = self.suite
        return Fingerprint.model_construct(
            purpose=purpose,
            suite={"kind": suite.manifest.kind, "digest": suite.digest, "environment": suite.env.digest},
            scheme=self.scheme,
            train_limit=self.train_limit,
            dev_limit=self.dev_limit,
            where=list(map(str, self.where)),
            tasks=self.tasks.digest if self.tasks else "",
            teaching_program=program_digest(self.teaching_program) if self.teaching_program else "",
            program=dict(self.describes),
            program_code=digest([code_digest(self.program), suite.env.code_digest]),
            program_digest=state_digest(self.program),
            start=self.start.digest if self.start else "",
            models={
                role: ModelFacts(name=model.name, digest=model_digest(model.lm))
                for role, model in self.models().items()
            },
            optimizer=self.optimizer.name,
            settings=self.settings.to_json(),
            bank=None if self.bank is None else self.bank.digest,
            metric={} if self.metric is None else dict(self.metric.about),
            versions=self.software(),
        ).model_dump(mode="json")

    def models(self) -> dict[str, Model]:
        """The models that take part, by role: `lm`, `teacher`, `proposer`, `planner`."""
        teacher = self.teacher if self.bank is None else None
        named = {
            "lm": self.lm,
            "teacher": teacher,
            "proposer": self.proposing_model(),
            "planner": self.planner,
        }
        return {role: model for role, model in named.items() if model is not None}

    def software(self) -> dict[str, str]:
        """The versions of all software that a result depends on."""
        own = {"dspy": dspy.__version__, "python": platform.python_version()}
        return {**(self.versions or {}), **own}

    def proposing_model(self) -> Model | None:
        return proposing_model(self.optimizer, self.proposer, self.teacher, self.lm)

    def max_episodes(self) -> dict[str, int]:
        """The most episodes the compile will run, by role; none of a teacher whose place a bank takes."""
        episodes = self.optimizer.max_episodes(self.context())
        return {role: n for role, n in episodes.items() if role != "teacher" or self.bank is None}
