"""A comparison as arms of one study: each program is compiled, measured and recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.dspy_programs.digests import model_digest, state_digest
from evals.records.record import PRIMARY
from evals.reporting.report import Report, study_report
from evals.running.baseline_program import BaselineProgram
from evals.running.study import Arm, Row, Study, run_study
from evals.scoring.constraints import constraints
from evals.statistics import NOTHING
from evals.suite import Suite
from evals.task_kind import task_kind
from optimizers.compiling.claims import too_few_intents
from optimizers.compiling.journal import discard
from optimizers.compiling.plan import Model, Plan, proposing_model
from optimizers.cost.limits import BudgetSpentError
from optimizers.registry import optimizer_class
from programs.parts.tool_retrieval import ALL
from programs.prompting.tool_calling import check_calls
from programs.strategies import strategy
from tools.seeding import digest
from worksmith.jobs.compilation import compiled, describe_compile
from worksmith.jobs.parts.arms import NO_OPTIMIZER, ablated, strategies_for, study_arms
from worksmith.jobs.parts.history import histories
from worksmith.jobs.parts.judges import asked_models
from worksmith.jobs.parts.measurement import Measurement
from worksmith.jobs.parts.metric import check_scores
from worksmith.jobs.parts.opening import LOGS, open_train_suite, teacher_name
from worksmith.jobs.parts.printing import Printable
from worksmith.jobs.parts.programs import new_agent
from worksmith.jobs.parts.progress import SILENT, Progress
from worksmith.jobs.parts.tracking import record_compile, slug
from worksmith.jobs.settings.programs import CompileSettings
from worksmith.models.resolve import resolve

if TYPE_CHECKING:
    from rich.console import Console

    from evals.records.compile_facts import CompileFacts
    from evals.running.result import EvalResult
    from evals.tracking import Run
    from worksmith.jobs.settings.programs import CompareSettings

OnRow = Callable[[Row], None]
"""Takes the row of an arm that has been measured."""

_FOLDER_SETTINGS = {
    "scheme",
    "where",
    "demos",
    "candidates",
    "constraint",
    "seed",
    "max_steps",
    "access",
    "calls",
}
"""Settings on which the episodes in the logs and journals of an arm depend."""


@dataclass(frozen=True, kw_only=True)
class ComparePlan(Printable):
    """A comparison whose suites, models and judges are open.

    Attributes:
        measurement: the suite, tasks, judges and budget of every arm.
        train_suite: the suite whose train and dev tasks arms are compiled on; may be the suite compared on.
        models: the models by name.
        compiled: the trials of each compile, by label of the arm; filled as arms are compiled.
        programs: the files of compiled programs, by label of the arm. A file that is set beforehand is the
            one that is written.
        reruns: by label of the arm the words of its `Arm.rerun`; filled as arms are measured.
        logs: the folder that holds the folders of logs.
    """

    settings: CompareSettings
    measurement: Measurement
    train_suite: Suite
    models: Mapping[str, Model]
    teacher: Model
    arms: Sequence[Arm] = ()
    compiled: dict[str, CompileFacts] = field(default_factory=dict)
    programs: dict[str, Path] = field(default_factory=dict)
    reruns: dict[str, tuple[str, ...]] = field(default_factory=dict)
    logs: Path = LOGS

    @property
    def toolset(self) -> str:
        """The toolset of all agents; where none was chosen and the world has several, those by strategy."""
        if self.settings.toolset is not None:
            return self.settings.toolset
        offers = self.measurement.suite.env.kind.toolset_for.items()
        return "; ".join(f"{name}: {kits}" if name else kits for name, kits in offers) or ALL

    @property
    def folders(self) -> list[Path]:
        """The folders of the logs, one for each model."""
        return [self._folder(model) for model in self.models.values()]

    def begin(self) -> ComparePlan:
        """The plan with an open budget, its tools connected to the live system that the settings name."""
        models = (model.lm for model in (*self.models.values(), self.teacher))
        return replace(self, measurement=self.measurement.begin(models))

    def described(self) -> dict[str, Any]:
        """The settings of the comparison as JSON-able data."""
        return self.measurement.described(
            train_suite=self.train_suite.path.name,
            tasks=len(self.measurement.tasks),
            lm=",".join(self.models),
            teacher=self.teacher.name,
            toolset=self.toolset,
        )

    def to_json(self) -> dict[str, Any]:
        measured = self.measurement
        agents = [arm for arm in self.arms if not arm.baseline]
        of_each = len(measured.tasks) * self.settings.trials
        episodes = {"test": len(agents) * of_each}
        for arm in agents:
            if arm.optimizer != NO_OPTIMIZER:
                for role, count in self._compile_plan(arm).max_episodes().items():
                    episodes[role] = episodes.get(role, 0) + count
        judged = len(self.arms) * of_each * asked_models(measured.judges)
        return {
            "arms": [arm.label for arm in self.arms],
            "tasks": len(measured.tasks),
            "episodes_at_most": episodes,
            # A planner's call comes on top of one for each step.
            "model_calls_at_most": sum(episodes.values()) * (self.settings.max_steps + 1),
            **({"judge_calls": judged} if measured.judges else {}),
        }

    def print(self, console: Console) -> None:
        for name, value in self.to_json().items():
            shown = [f"{k} {v}" for k, v in value.items()] if isinstance(value, dict) else value
            text = "; ".join(shown) if isinstance(shown, list) else shown
            console.out(f"{name.replace('_', ' ')}: {text}", highlight=False)

    def report(self, study: Study, title: str = "Comparison") -> Report:
        """The report on the arms that were run."""
        setting = {"suite": self.measurement.suite.path.name, "split": self.measurement.split}
        rows = (
            replace(row, arm=replace(row.arm, rerun=self.reruns.get(row.arm.label, ()))) for row in study.rows
        )
        return study_report(
            replace(study, rows=tuple(rows)),
            title=title,
            setting=setting,
            histories=histories(self.compiled),
        )

    def run(self, tracked: Run, *, on_row: OnRow | None = None) -> Study:
        """Compile and measure each arm, record it below `tracked`, compare all with the first.

        Arms that the budget leaves unfinished are left out.
        """
        measured = self.measurement
        tracked.dataset(measured.dataset, split=measured.split, tasks=len(measured.tasks))

        def measure(arm: Arm) -> EvalResult:
            if measured.budget is not None and not arm.baseline:
                measured.budget.check()
            params = {
                "strategy": arm.strategy,
                "optimizer": arm.optimizer,
                "lm": self._model(arm).name,
                "split": measured.split,
                "seed": self.settings.seed,
                **arm.settings,
                **({"without_tools": arm.without} if arm.without else {}),
            }
            with tracked.child(arm.label, params=params) as child:
                result = self._measured(arm, self._program(arm, child), child)
            scores = result.summary.scores
            published = task_kind(measured.suite.manifest.kind).published_score
            shown = {n: scores.get(n, NOTHING).value for n in (PRIMARY, published) if n}
            tracked.metrics(
                {f"{measured.split}/{name}/{slug(arm.label)}": value for name, value in shown.items()}
            )
            return result

        return run_study(self.arms, measure, on_row=on_row, skips=(BudgetSpentError,))

    def _measured(self, arm: Arm, program: Any, tracked: Run) -> EvalResult:
        model, measured = self._model(arm), self.measurement
        card = measured.card(
            "compare",
            program,
            model.name,
            # The toolset of an arm is a setting where arms have different ones, and only there.
            {name: value for name, value in self.described().items() if name != "toolset"}
            | dict(arm.settings),
            self.programs.get(arm.label) if arm.label in self.compiled else None,
            self.compiled.get(arm.label),
            label=arm.label,
            strategy=arm.strategy,
            optimizer=arm.optimizer,
            baseline=arm.baseline,
            without=arm.without,
            place=self.arms.index(arm),
        )
        self.reruns[arm.label] = card.rerun
        file = self._folder(model) / f"{slug(arm.label)}-{slug(state_digest(program))}.jsonl"
        with measured.open_log(file) as log:
            return measured.run(program, model.lm, log, card, tracked)

    def _program(self, arm: Arm, tracked: Run) -> Any:
        suite = self.measurement.suite
        if arm.baseline:
            learnt_from = self.train_suite.select(split="train", scheme=self.settings.scheme)
            return BaselineProgram(arm.strategy, suite.env, learnt_from)
        if arm.optimizer == NO_OPTIMIZER:
            return new_agent(suite, self._compile_settings(arm), arm.strategy, without=arm.left_out)
        return self._compiled(arm, tracked)

    def _compiled(self, arm: Arm, tracked: Run) -> Any:
        plan, progress = self._compile_plan(arm), self.measurement.progress
        if not self.settings.resume:
            discard(plan.folder)
        if said := too_few_intents(plan.optimizer, plan.context().dev):
            progress.say(f"{arm.label}: {said}")
        result = compiled(plan, f"compile {arm.label}", progress)
        file = self.programs.setdefault(arm.label, self._file(arm))
        result.artifact.write(file)
        self.compiled[arm.label] = result.artifact.manifest.tried
        works_in = self.measurement.suite
        record_compile(tracked, result, file, trained_on=self.train_suite, works_in=works_in)
        program: Any = result.compiled.program
        program.env = works_in.env
        return program

    def _compile_settings(self, arm: Arm) -> CompileSettings:
        """The settings of an arm's compile.

        A compiled program is compared with the one as it is on other tasks, so it is not tested before.
        """
        return self.settings.adapted(
            CompileSettings,
            suite=self.train_suite.path,
            out=self._file(arm),
            strategy=arm.strategy,
            optimizer=arm.optimizer,
            lm=self._model(arm).name,
            # Native calls that are asked for are for the strategies that make such.
            calls=self.settings.calls if strategy(arm.strategy).calls == "native" else "auto",
            accept="best",
        )

    def _compile_plan(self, arm: Arm) -> Plan:
        settings = self._compile_settings(arm)
        models = (self._model(arm), self.teacher)
        plan = describe_compile(settings, self.train_suite, *models, without=arm.left_out)
        return replace(plan, budget=self.measurement.budget)

    def _model(self, arm: Arm) -> Model:
        return self.models.get(arm.model) or next(iter(self.models.values()))

    def _file(self, arm: Arm) -> Path:
        """The file of an arm's compiled program, unless another was set."""
        return self._folder(self._model(arm)) / slug(arm.label) / "program.json"

    def _folder(self, model: Model) -> Path:
        """The folder of this comparison's logs: the same plan, the same folder."""
        suites = (self.measurement.suite, self.train_suite)
        data: list[Any] = [each for suite in suites for each in (suite.digest, suite.env.digest)]
        data += [[task.id for task in self.measurement.tasks], self.toolset]
        data += [model_digest(model.lm), model_digest(self.teacher.lm)]
        data.append(self.settings.model_dump(mode="json", include=_FOLDER_SETTINGS))
        return self.logs / f"compare-{digest(data)}"


def plan_comparison(settings: CompareSettings, *, progress: Progress = SILENT) -> ComparePlan:
    """Open the suites, models and judges of a comparison.

    Raises:
        InputError: a setting is wrong, or a file.
    """
    # A program must not be tested on what it was compiled on.
    split = settings.split or ("test" if settings.train_suite is None else None)
    measured = Measurement.open(settings.model_copy(update={"split": split}), progress)
    suite = measured.suite
    train_suite = open_train_suite(settings.train_suite, suite) if settings.train_suite else suite
    strategies = strategies_for(settings.strategies, measured.tasks, progress)
    check_calls(settings.calls, *map(strategy, strategies))
    chosen = [optimizer_class(name, option="--optimizers") for name in settings.optimizers]
    compiles = set(settings.optimizers) != {NO_OPTIMIZER}
    every = [*suite.tasks, *train_suite.tasks]
    models = {name: Model(name, resolve(name, tasks=every)) for name in settings.lm}
    # A comparison that compiles nothing needs no teacher, and its suite no gold plans.
    teacher = next(iter(models.values()))
    if compiles:
        trained = train_suite.select(split="train", scheme=settings.scheme)
        name = teacher_name(settings.teacher, teacher.name, trained, progress)
        teacher = Model(name, resolve(name, tasks=train_suite.tasks))
    check_scores(suite.env, PRIMARY, constraints(settings.constraint), judged=bool(settings.judge))
    for optimizer, model in product(chosen, models.values()):
        proposing_model(optimizer, None, teacher, model)
    learning = bool(train_suite.select(split="train", scheme=settings.scheme))
    arms = study_arms(suite, settings, strategies, learning=learning)
    return ComparePlan(
        settings=settings,
        measurement=replace(measured, partial=False),
        train_suite=train_suite,
        models=models,
        teacher=teacher,
        arms=ablated(suite, measured.tasks, arms, settings),
    )
