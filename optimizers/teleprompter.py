"""Optimizers as DSPy's `Teleprompter`, for any program, examples and metric."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import dspy
import dspy.teleprompt

from worksmith.evals.dspy_programs.copies import copied_program
from worksmith.evals.dspy_programs.digests import strategy_name
from worksmith.evals.dspy_programs.nearest import Embedding
from worksmith.evals.dspy_programs.own_models import without_models
from worksmith.evals.lm.prices import prices_in_use
from worksmith.evals.progress.screen import on_screen
from worksmith.evals.scoring.constraints import Constraint, constraints
from worksmith.evals.scoring.expression import priced
from worksmith.evals.tasks.transcript import GOLD
from worksmith.evals.tracking import open_tracker, tolerant
from worksmith.optimizers.candidates.undoing import artifact_of
from worksmith.optimizers.compilation import Compilation
from worksmith.optimizers.compiling.claims import counted_intents, too_few_intents
from worksmith.optimizers.compiling.compile import compile_program
from worksmith.optimizers.compiling.models import BANK, Model, default_model, name_of
from worksmith.optimizers.compiling.plan import Metric, Plan, TaskSets
from worksmith.optimizers.compiling.trials import record_prompts, record_trials
from worksmith.optimizers.cost.budget import Budget
from worksmith.optimizers.demos.labels import LABELS, has_labels, labelled
from worksmith.optimizers.demos.steps import Unit
from worksmith.optimizers.demos.trace_bank import TraceBank, interface_of
from worksmith.optimizers.learning_data import LearningData, check_given, chosen_by, learning_data
from worksmith.optimizers.optimizer import Optimizer
from worksmith.optimizers.settings import Accept, Settings, default_demos, default_over
from worksmith.optimizers.wording import errors_in_python, in_python
from worksmith.tools.errors import InputError, Notice

if TYPE_CHECKING:
    from worksmith.evals.running.result import EvaluationProgress
    from worksmith.evals.suite import Suite
    from worksmith.evals.tasks.task import Task
    from worksmith.optimizers.compiling.compile import CompileResult

GivenModel: TypeAlias = "str | dspy.BaseLM"


class Teleprompter(Optimizer, dspy.teleprompt.Teleprompter):  # type: ignore[misc]
    """An optimizer of DSPy programs.

    Args:
        metric: takes an example and a prediction; gives a bool, a number from 0 to 1, or a `dspy.Prediction`
            with `score` and `feedback`. None is for examples of a suite, which has scorers.
        budget: limits of the compile; None for no limit.
        threshold: the lowest score of a success, which may become a demonstration.
        lm: the model that the program is compiled for; default is DSPy's, else `local/apprentice`.
        teacher: makes the demonstrations: a model, its name, or a program with the same predictors. Default
            is `gold` if training tasks have gold plans, else `lm`. A named teacher also answers for
            predictors with their own model.
        proposer: proposes instructions, for optimizers that change them; default is the teacher, else `lm`.
        bank: demonstrations that were made before, in the teacher's place; `labels` makes them of the labels
            that plain examples hold.
        workers: calls of the program at once.
        journal: a folder that keeps every reply, so that a killed compile goes on; None to keep no journal.
        resume: go on with the journal.
        track: record the compile in MLflow, in an experiment of this name if it is a text.
        intent: the field of plain examples that names their kind; None for the input `intent`, if there is
            one. Claims are about new kinds.
        progress: show the compile as it goes: a bar with score so far, cost and remaining time. None shows it
            in a terminal and in a notebook.
        on_progress: called after each call of a program, with an `EvaluationProgress`.
        demos: the most demonstrations that a prompt gets; default is 4 for `local/apprentice`, else 16.
        candidates: the number of sets of demonstrations that are compared on the dev tasks.
        seed: the seed of every random choice.
        embedding: the comparison of texts: `lexical`, or `minilm` fused with it.
        alpha: the highest chance, from 0 to 1, of accepting a program that is not better.
        margin: the difference in score, from 0 to 1, below which a race spends no episodes.
        selection: the way to choose demonstrations; None stands for the optimizer's own way.
        demo_unit: the unit of a demonstration: a whole `trajectory` or one `step`.
        demo_tokens: the most tokens of a prompt's demonstrations.
        constraints: bounds that a chosen program keeps on the dev tasks, such as `leak=0`.
        accept: the rule for the winner: `tested` if it must beat the uncompiled program by a test, `best`
            if not.
        over: the parts of the program that a race may change: `demonstrations`, `instructions`, `tools`
            (their descriptions), `form` (of prompts), `strategy`, `toolset`, `temperature`. Default is the
            first and, where a proposer is named, the first three.
        forbidden: words that proposed texts may not have.
        pinned: the names of predictors and tools whose texts stay as they are.
        maximize: the quantity by which a race compares programs: the name of a score, or an expression of
            scores and costs from 0 to 1 such as `outcome - 0.1 * dollars`.

    Raises:
        InputError: a setting is out of its range, or a package is missing.
    """

    @errors_in_python()
    def __init__(
        self,
        metric: Callable[..., Any] | None = None,
        *,
        budget: Budget | None = None,
        threshold: float = Settings.threshold,
        lm: GivenModel | Model | None = None,
        teacher: GivenModel | Model | dspy.Module | None = None,
        proposer: GivenModel | Model | None = None,
        bank: TraceBank | Path | str | None = None,
        workers: int = 8,
        journal: Path | str | None = None,
        resume: bool = False,
        track: bool | str = False,
        intent: str | None = None,
        progress: bool | None = None,
        on_progress: Callable[[EvaluationProgress], None] | None = None,
        demos: int | None = None,
        candidates: int = Settings.candidates,
        seed: int = Settings.seed,
        embedding: Embedding = Settings.embedding,
        alpha: float = Settings.alpha,
        margin: float = Settings.margin,
        selection: str | None = Settings.selection,
        demo_unit: Unit = Settings.demo_unit,
        demo_tokens: int | None = Settings.demo_tokens,
        constraints: Sequence[Constraint | str] = (),
        accept: Accept = Settings.accept,
        over: Sequence[str] | None = None,
        forbidden: Sequence[str] = (),
        pinned: Sequence[str] = (),
        maximize: str = Settings.maximize,
    ) -> None:
        super().__init__()
        check_given(metric, budget)
        if resume and journal is None:
            raise InputError("there is no journal to continue", where="resume", hint='journal="FOLDER"')
        self.metric = metric
        self.budget = budget
        self.lm = lm
        self.teacher = teacher
        self.proposer = proposer
        self.bank: TraceBank | str | None = bank if bank == LABELS else None
        if bank != LABELS:
            self.bank = TraceBank.read(Path(bank)) if isinstance(bank, str | Path) else bank
        self.workers = workers
        self.journal = None if journal is None else Path(journal)
        self.resume = resume
        self.track = track
        self.intent = intent
        self.progress = progress
        self.on_progress = on_progress
        given = Settings(
            demos=default_demos(name_of(lm)) if demos is None else demos,
            candidates=candidates,
            seed=seed,
            embedding=embedding,
            alpha=alpha,
            margin=margin,
            selection=selection,
            demo_unit=demo_unit,
            demo_tokens=demo_tokens,
            constraints=_bounds(constraints),
            accept=accept,
            threshold=threshold,
            over=default_over(proposing=self.may_propose and proposer is not None)
            if over is None
            else _names("over", over),
            forbidden=_names("forbidden", forbidden),
            pinned=_names("pinned", pinned),
            maximize=priced(maximize, name_of(lm), budget.prices if budget else prices_in_use()),
        )
        self.settings = self.settled(given)
        self.require()

    def require(self) -> None:
        """See that the packages are installed that it needs.

        Raises:
            InputError: one is not.
        """

    def compile(
        self,
        student: dspy.Module,
        *,
        trainset: Sequence[Any],
        valset: Sequence[Any] | None = None,
        teacher: GivenModel | dspy.Module | None = None,
    ) -> dspy.Module:
        """Compile a program.

        Args:
            student: any DSPy program; it is not changed.
            trainset: examples to learn from: `dspy.Example`s with inputs, or `suite.train`.
            valset: examples to choose by. None sets every second example of the trainset aside, of each
                intent.
            teacher: in place of the optimizer's own.

        Returns:
            A program of the student's class. Its attribute `compilation` has the trials, the acceptance and
            the cost.

        Raises:
            InputError: the examples, the metric, the models or the settings do not suit.
            WorksmithError: there is no program to return: nothing was taught, no program keeps the
                constraints, or the budget was spent too early.
        """
        with errors_in_python():
            return self._compile(student, trainset, valset, teacher)

    def _compile(
        self, student: dspy.Module, trainset: Any, valset: Any, teacher: GivenModel | dspy.Module | None
    ) -> dspy.Module:
        if not isinstance(student, dspy.Module):
            named = getattr(student, "__name__", type(student).__name__)
            hint = "make an object of the class" if isinstance(student, type) else "give a dspy.Module"
            raise InputError(f"no DSPy program: {named}", where="student", hint=hint)
        data = learning_data(trainset, valset, seed=self.settings.seed, intent=self.intent)
        notes = [data.said, self._note(), counted_intents(data.tasks.dev), self._too_few(data)]
        with tempfile.TemporaryDirectory() if self.journal is None else nullcontext(self.journal) as folder:
            plan = self.plan(
                student,
                data.suite,
                folder=Path(folder) / "journal" if self.journal is None else self.journal,
                tasks=data.tasks,
                teacher=teacher,
                metric=chosen_by(self.metric, data.suite),
            )
            result, run_id = self._compiled(plan, data)
        program = result.compiled.program
        program = copied_program(program) if program is student else program
        program.compilation = Compilation.of(result, notes=tuple(filter(None, notes)), run_id=run_id)
        program._compiled = True
        return program

    def plan(
        self,
        student: dspy.Module,
        suite: Suite,
        *,
        folder: Path,
        tasks: TaskSets | None = None,
        teacher: GivenModel | Model | dspy.Module | None = None,
        metric: Metric | None = None,
        describes: Mapping[str, Any] | None = None,
        **choice: Any,
    ) -> Plan:
        """The plan of a compile.

        Args:
            suite: holds the tasks.
            folder: of the journal.
            tasks: None for those that `choice` selects.
            describes: the configuration to build the program again; default is its own `config`.
            choice: further fields of `Plan`, such as `scheme` and `where`.
        """
        lm = Model.of(self.lm, suite) if self.lm is not None else default_model()
        taught_by = self.teacher if teacher is None else teacher
        train = suite.select(split="train") if tasks is None else tasks.train
        bank = self.bank
        if bank is None and taught_by is None and self.labels and has_labels(train):
            bank = LABELS
        if isinstance(bank, str):
            bank = labelled(student, train)
        teaching = (
            Model(BANK, lm.lm) if bank is not None else self._teaching_model(taught_by, suite, train, lm)
        )
        program = taught_by if isinstance(taught_by, dspy.Module) else None
        if program is not None:
            self._check_teacher(program, student)
        elif teaching is not lm and (asking := without_models(student)) is not student:
            program = asking
        return Plan(
            program=student,
            describes=_config(student) if describes is None else describes,
            suite=suite,
            lm=lm,
            teacher=teaching,
            optimizer=self,
            folder=folder,
            start=artifact_of(student),
            tasks=tasks,
            teaching_program=program,
            proposer=None if self.proposer is None else Model.of(self.proposer, suite),
            workers=self.workers,
            resume=self.resume,
            bank=bank,
            on_progress=self.on_progress,
            budget=self.budget,
            metric=metric,
            **choice,
        )

    def _teaching_model(self, given: Any, suite: Suite, train: Sequence[Task], lm: Model) -> Model:
        if isinstance(given, dspy.Module):
            return lm
        if given is not None:
            return Model.of(given, suite)
        planned = any(task.gold_plan is not None for task in train)
        return Model.of(GOLD, suite) if planned else lm

    def _check_teacher(self, teacher: dspy.Module, student: dspy.Module) -> None:
        if not self.takes_bank:
            raise InputError(
                f"{self.name} takes no program as its teacher", where="teacher", hint="give a model"
            )
        if interface_of(teacher) != interface_of(student):
            raise InputError(
                "the teacher's predictors have other names or fields than the student's",
                where="teacher",
                hint="give a program of the student's class, or a model",
            )

    def _compiled(self, plan: Plan, data: LearningData) -> tuple[CompileResult, str | None]:
        """The result of a plan, and the id of its run in MLflow."""
        suite, named = data.suite, self.track if isinstance(self.track, str) else data.suite.path.name
        tracker = open_tracker(track=bool(self.track), experiment=named)
        params = {
            "optimizer": self.name,
            "program": type(plan.program).__name__,
            "lm": plan.lm.name,
            "teacher": plan.teacher.name,
            **plan.settings.to_json(),
        }
        name = f"compile {type(plan.program).__name__} {self.name}"
        with (
            tolerant(tracker.start(name, params=params)) as run,
            on_screen(self.progress).bar(f"{self.name} compiles") as tick,
        ):

            def told(at: EvaluationProgress) -> None:
                at.tell(tick)
                if self.on_progress is not None:
                    self.on_progress(at)

            result = compile_program(replace(plan, on_progress=told))
            record_trials(run, result.artifact, suite)
            record_prompts(run, result.artifact, f"{suite.path.name}.{strategy_name(plan.program)}")
            run.text(result.artifact.text, "program.json")
        return result, run.id

    def _too_few(self, data: LearningData) -> str:
        """The warning that nothing can be shown; it is given before anything is paid as well."""
        said = in_python(too_few_intents(self, data.tasks.dev))
        if said:
            said += "; a label is not an intent: leave intent out" if self.intent else ""
            warnings.warn(said, Notice, stacklevel=2)
        return said

    def _note(self) -> str:
        """The remark on a default model."""
        return "" if self.lm is not None else f"the model is {default_model().name}, as none was given"


def _config(program: dspy.Module) -> Mapping[str, Any]:
    config = getattr(program, "config", None)
    return config if isinstance(config, Mapping) and "strategy" in config else {}


def _names(argument: str, given: Sequence[str]) -> tuple[str, ...]:
    if isinstance(given, str) or not all(isinstance(each, str) for each in given):
        raise InputError(f"no list of texts: {given!r}", where=argument, hint=f"give [{str(given)!r}]")
    return tuple(given)


def _bounds(given: Sequence[Constraint | str]) -> tuple[Constraint, ...]:
    texts = [each for each in given if isinstance(each, str)]
    return (*(each for each in given if not isinstance(each, str)), *constraints(texts))
