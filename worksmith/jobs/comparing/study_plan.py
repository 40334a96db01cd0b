"""A study that has not begun: programs on the same tasks, each recorded, all compared with the first."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from worksmith.evals.dspy_programs.digests import model_digest, scorers_digest, state_digest
from worksmith.evals.lm.payer import AdmissionError
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.records.run_card import LoadedRun
from worksmith.evals.reporting.histories import histories
from worksmith.evals.reporting.report import Report, study_report
from worksmith.evals.reporting.study import setting_of
from worksmith.evals.running.study import Row, Study, StudyArm, run_study
from worksmith.evals.statistics import NOTHING
from worksmith.evals.task_kind import task_kind
from worksmith.jobs.measuring.measurement import Measurement, with_settings_of
from worksmith.jobs.opening.suites import LOGS
from worksmith.jobs.recording.tracking import slug
from worksmith.jobs.showing.printing import Printable
from worksmith.optimizers.cost.limits import BudgetSpentError
from worksmith.tools.errors import WorksmithError
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.evals.records.compile_facts import CompileFacts
    from worksmith.evals.running.result import EvalResult
    from worksmith.evals.tracking import Run
    from worksmith.jobs.opening.programs import OpenedProgram
    from worksmith.optimizers.compiling.models import Model

OnRow = Callable[[Row], None]
"""Takes the row of an arm that has been measured."""


@dataclass(frozen=True, kw_only=True)
class StudyPlan(Printable, ABC):
    """A study whose suite, models and judges are open.

    Attributes:
        measurement: the suite, tasks, judges and budget of every arm.
        compiled: the facts of each compile, by label of the arm; filled as arms are opened.
        programs: the files of compiled programs, by label of the arm; filled as arms are opened.
        unopened: why arms could not run, by label; filled as arms are opened.
        logged: the runs as they lie in their logs; filled as arms are measured.
        logs: the folder that holds the folders of logs.
    """

    measurement: Measurement
    arms: Sequence[StudyArm] = ()
    compiled: dict[str, CompileFacts] = field(default_factory=dict)
    programs: dict[str, Path] = field(default_factory=dict)
    unopened: dict[str, str] = field(default_factory=dict)
    logged: list[LoadedRun] = field(default_factory=list)
    logs: Path = LOGS

    @property
    @abstractmethod
    def asked(self) -> Sequence[Model]:
        """All models that the plan asks."""

    @property
    @abstractmethod
    def folders(self) -> list[Path]:
        """The folders of the logs, one for each model."""

    @abstractmethod
    def described(self) -> dict[str, Any]:
        """The settings of the comparison as JSON-able data."""

    @abstractmethod
    def program(self, arm: StudyArm, tracked: Run, above: Run) -> OpenedProgram:
        """The program of an arm; one that is compiled is kept in `tracked`, and its compile below `above`."""

    @abstractmethod
    def model(self, arm: StudyArm) -> Model:
        """The model of an arm."""

    @abstractmethod
    def folder(self, model: Model) -> Path:
        """The folder of the logs of a model: the same plan, the same folder."""

    def begin(self) -> Self:
        """The plan with an open budget, its tools connected to the live system that the settings name."""
        return replace(self, measurement=self.measurement.begin(model.lm for model in self.asked))

    def report(self, study: Study, title: str = "Comparison") -> Report:
        """The report on the arms that were run."""
        setting = {"suite": self.measurement.suite.path.name, **setting_of(self.logged)}
        if self.unopened:
            setting["could not run"] = "; ".join(f"{label}: {why}" for label, why in self.unopened.items())
        reruns = {run.card.label: run.card.rerun for run in self.logged}
        rows = (replace(row, arm=replace(row.arm, rerun=reruns.get(row.arm.label, ()))) for row in study.rows)
        return study_report(
            replace(study, rows=tuple(rows)),
            title=title,
            setting=setting,
            histories=histories(self.compiled),
        )

    def run(self, tracked: Run, *, on_row: OnRow | None = None) -> Study:
        """Open and measure each arm, record it below `tracked`, compare all with the first.

        Arms that the budget leaves unfinished are left out, and so are those whose program cannot be opened
        or compiled.
        """
        measured = self.measurement
        tracked.dataset(measured.dataset, split=measured.split, tasks=measured.tasks)

        def measure(arm: StudyArm) -> EvalResult:
            if measured.budget is not None and not arm.baseline:
                measured.budget.check()
            params = {
                "strategy": arm.strategy,
                "optimizer": arm.optimizer,
                "lm": self.model(arm).name,
                **({"planner_lm": arm.planner} if arm.planner else {}),
                "split": measured.split,
                "seed": measured.settings.seed,
                **arm.settings,
                **({"without_tools": arm.without} if arm.without else {}),
            }
            with tracked.child(arm.label, params=params) as child:
                result = self._measured(arm, self._opened(arm, child, tracked), child)
            scores = result.summary.scores
            published = task_kind(measured.suite.manifest.kind).published_score
            shown = {n: scores.get(n, NOTHING).value for n in (PRIMARY, published) if n}
            tracked.metrics({f"{name}/{slug(arm.label)}": value for name, value in shown.items()})
            return result

        def skips(arm: StudyArm, error: WorksmithError) -> bool:
            return isinstance(error, BudgetSpentError) or arm.label in self.unopened

        return run_study(self.arms, measure, on_row=on_row, skips=skips)

    def _opened(self, arm: StudyArm, tracked: Run, above: Run) -> OpenedProgram:
        try:
            return self.program(arm, tracked, above)
        except AdmissionError:
            raise
        except WorksmithError as error:
            self.unopened[arm.label] = str(error)
            self.measurement.progress.say(f"{arm.label} could not run: {error}")
            raise

    def _measured(self, arm: StudyArm, opened: OpenedProgram, tracked: Run) -> EvalResult:
        model, measured, place = self.model(arm), self.measurement, self.arms.index(arm)
        if opened.compiled is not None:
            self.compiled[arm.label] = opened.compiled
        if opened.file is not None:
            self.programs[arm.label] = opened.file
        card = measured.card(
            "compare",
            opened,
            model.name,
            # Toolset and planner of an arm are settings where arms have different ones, and only there.
            {
                name: value
                for name, value in with_settings_of(model.lm, self.described()).items()
                if name not in ("toolset", "planners")
            }
            | ({"planner_lm": arm.planner} if arm.planner else {})
            | dict(arm.settings),
            label=arm.label,
            strategy=arm.strategy,
            optimizer=arm.optimizer,
            baseline=arm.baseline,
            without=arm.without,
            place=place,
        )
        file = self.folder(model) / f"{slug(arm.label)}-{slug(state_digest(opened.program))}.jsonl"
        with measured.open_log(file) as log:
            result = measured.run(
                opened.program, model.lm, log, card, tracked, number=place + 1, of=len(self.arms)
            )
        self.logged.append(LoadedRun(card, result.records, str(file)))
        return result


@dataclass(frozen=True, kw_only=True)
class ProgramsPlan(StudyPlan):
    """A study of programs that are open, all with one model.

    Attributes:
        opened: the programs by label of their arm.
        lm: the model.
    """

    opened: Mapping[str, OpenedProgram]
    lm: Model

    @property
    def asked(self) -> list[Model]:
        return [self.lm]

    @property
    def folders(self) -> list[Path]:
        return [self.folder(self.lm)]

    def described(self) -> dict[str, Any]:
        return self.measurement.described(tasks=len(self.measurement.tasks), lm=self.lm.name)

    def program(self, arm: StudyArm, tracked: Run, above: Run) -> OpenedProgram:
        return self.opened[arm.label]

    def model(self, arm: StudyArm) -> Model:
        return self.lm

    def folder(self, model: Model) -> Path:
        measured = self.measurement
        data: list[Any] = [measured.suite.digest, measured.suite.env.digest]
        data += [[task.digest for task in measured.tasks], measured.settings.seed, model_digest(model.lm)]
        data += [state_digest(each.program) for each in self.opened.values()]
        data.append(scorers_digest([*measured.own_scorers, *measured.judges]))
        return self.logs / f"compare-{digest(data)}"
