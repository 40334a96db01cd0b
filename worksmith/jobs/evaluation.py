"""Evaluate a program: run it on a suite's tasks and score every episode."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.dspy_programs.digests import (
    model_digest,
    model_name,
    scorers_digest,
    state_digest,
    strategy_name,
)
from worksmith.evals.dspy_programs.own_models import check_models, own_models
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.records.models_asked import record_dollars
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.records.rows import COLUMNS, Records, record_row
from worksmith.evals.records.run_card import LoadedRun
from worksmith.evals.records.summary import on_tasks
from worksmith.evals.reporting.brief import show_brief
from worksmith.evals.reporting.episode_row import episode_row
from worksmith.evals.reporting.report import evaluation_report, study_report
from worksmith.evals.reporting.study import setting_of, study_of
from worksmith.evals.reporting.tables.attacks import attack_grid
from worksmith.evals.reporting.tables.costs import said_cost
from worksmith.evals.table import percent
from worksmith.jobs.measuring.measurement import (
    Measurement,
    losses,
    mistakes,
    with_settings_of,
)
from worksmith.jobs.opening.named_judges import asked_models
from worksmith.jobs.opening.suites import LOGS
from worksmith.jobs.recording.tracking import Tracking
from worksmith.jobs.showing.next_step import next_step
from worksmith.jobs.showing.printing import Printable, write_report
from worksmith.models.resolve import OWN, open_models
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import check_writable
from worksmith.tools.seeding import digest
from worksmith.tools.view import View, frame

if TYPE_CHECKING:
    import dspy
    import pandas as pd
    from rich.console import Console

    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.records.summary import Summary
    from worksmith.evals.running.result import EvalResult
    from worksmith.evals.running.study import Study
    from worksmith.evals.suite import Suite
    from worksmith.jobs.opening.programs import OpenedProgram
    from worksmith.jobs.settings.programs import EvaluateSettings


_RUN_COLUMNS = (
    ("run", lambda run: run[0]),
    ("outcome, %", lambda run: percent(run[1].summary.scores.get(PRIMARY))),
    ("lost", lambda run: run[1].summary.errors or None),
    ("mean episode", lambda run: said_cost(run[1])),
)
"""What is shown of each run where there are several."""


@dataclass(frozen=True, repr=False)
class Evaluation(Printable):
    """The result of an evaluation.

    Attributes:
        settings: the settings of the evaluation, as JSON-able data.
        runs: the episodes and figures by label of the model; a replay has one for each recorded run.
        logged: the same as they lie in their logs, with their cards.
        suite: holds the tasks.
        run_id: the id of the run in MLflow; None if it was not tracked.
        stopped: the limit of the budget that ended the evaluation; empty without one.
        notes: remarks, such as the model that was taken by default.

    Example:
        >>> result = ws.evaluate(ws.Agent("react", env), suite.test, lm="gold", progress=False)
        >>> score = result.summary.scores["outcome"]
        >>> score.value, score.n
        (1.0, 16)
        >>> result.report("report.html").name
        'report.html'
    """

    settings: Mapping[str, Any]
    runs: Mapping[str, EvalResult]
    logged: Sequence[LoadedRun] = field(repr=False)
    suite: Suite = field(repr=False)
    run_id: str | None = None
    stopped: str = ""
    notes: Sequence[str] = ()

    @property
    def records(self) -> tuple[EpisodeRecord, ...]:
        """The record of every episode, in the order of tasks and trials; model after model."""
        return Records(record for result in self.runs.values() for record in result.records)

    @property
    def summary(self) -> Summary:
        """The figures: scores from 0 to 1 with their 95 % intervals, rates, costs.

        Raises:
            InputError: there are several models; see `runs`.
        """
        if len(self.runs) > 1:
            raise InputError("each model has a summary of its own", hint=f"see runs: {', '.join(self.runs)}")
        return next(iter(self.runs.values())).summary

    def report(self, file: Path | str) -> Path:
        """Write the report to one page, and return its path.

        Raises:
            InputError: the file cannot be written.
        """
        page = study_report(self._study, title="Evaluation", setting=setting_of(self.logged))
        return write_report(page, Path(file))

    @property
    def unstarted(self) -> int:
        """The number of episodes that did not run because the budget was spent."""
        return sum(result.unstarted for result in self.runs.values())

    @property
    def undone(self) -> tuple[str, str]:
        return self.stopped, f"{self.unstarted} episodes were not run; --resume with more goes on"

    @property
    def failed(self) -> bool:
        """Whether no episode of a run was graded, or all verdicts of a judge failed."""
        summaries = [result.summary for result in self.runs.values()]
        silent = any(judge.failed == judge.verdicts for each in summaries for judge in each.judging)
        return silent or any(each.graded == 0 for each in summaries)

    @property
    def losses(self) -> list[str]:
        """A sentence for errors of metric and program, and for each kind of loss to the infrastructure."""
        return [f"{label}: {said}" for label, result in self.runs.items() for said in losses(result)]

    @property
    def unheard(self) -> Sequence[str]:
        return self.losses

    def to_json(self) -> dict[str, Any]:
        runs = [
            {
                "run": label,
                "summary": result.figures_json(),
                **({"unstarted": result.unstarted} if result.unstarted else {}),
            }
            for label, result in self.runs.items()
        ]
        rows = [
            episode_row(label, record) for label, result in self.runs.items() for record in result.records
        ]
        return {**self.settings, "runs": runs, "rows": rows}

    def _view(self) -> View:
        if len(self.runs) > 1:
            title = f"Evaluation of {len(self.runs)} models"
            return View(title, {"notes": self.notes}, list(self.runs.items()), _RUN_COLUMNS)
        ((label, result),) = self.runs.items()
        summary = result.summary
        scores = {name: f"{percent(score)} %" for name, score in summary.scores.items()}
        rates = {name: f"{rate.count} of {rate.of}" for name, rate in summary.rates.items()}
        facts = {
            PRIMARY: scores.get(PRIMARY),
            "mean episode": said_cost(result),
            "lost": self.losses,
            "stopped": self.stopped and ": ".join(self.undone),
            "notes": self.notes,
        }
        # Failures of access come before other scores, and as counts.
        title = f"Evaluation of {result.strategy} with {label} on {on_tasks(summary)}"
        return View(title, facts | rates | scores | rates, result.records, COLUMNS, record_row)

    def to_frame(self) -> pd.DataFrame:
        """The episodes as rows, a score in a column.

        Raises:
            InputError: pandas is not installed.
        """
        return frame(
            {"run": label, **record_row(record), "dollars": record_dollars(record, result.model)}
            for label, result in self.runs.items()
            for record in result.records
        )

    @property
    def _study(self) -> Study:
        return study_of(self.logged)

    def print(self, console: Console) -> None:
        said = [each for result in self.runs.values() for each in mistakes(result)]
        study = self._study
        step = next_step(study, [run.path for run in self.logged])
        show_brief(console, study, notes=[*said, *self.notes], step=step)
        for grid in map(attack_grid, self.runs.values()):
            if grid is not None:
                console.print(grid.rich())

    def print_tables(self, console: Console) -> None:
        for said in self.losses:
            console.out(said, highlight=False)
        for label, result in self.runs.items():
            corrected = self.settings["ground_truth"] == "corrected"
            title = f"{label}, corrected ground truth" if corrected else label
            evaluation_report(result, title=title).show(console)
        for note in self.notes:
            console.out(note, highlight=False)


@dataclass(frozen=True)
class EvalPlan(Printable):
    """An evaluation that has not begun: its suite, program, models and judges are open.

    Attributes:
        lm: the name that the models were called by.
        models: by label.
        log: the file of the episodes; None for one in `LOGS`.
        notes: remarks for the result.
    """

    program: OpenedProgram
    lm: str
    models: Mapping[str, dspy.LM]
    measurement: Measurement
    log: Path | None = None
    notes: Sequence[str] = ()

    def to_json(self) -> dict[str, int | None]:
        measured, program = self.measurement, self.program.program
        episodes = len(measured.tasks) * measured.settings.trials
        judging = {"judge_calls": episodes * asked_models(measured.judges)} if measured.judges else {}
        own = getattr(program, "counts_itself", False)
        return {
            "tasks": len(measured.tasks),
            "episodes": episodes,
            "model_calls_at_most": None if own else episodes * (getattr(program, "max_steps", 0) + 1),
            **judging,
        }

    def print(self, console: Console) -> None:
        plan = self.to_json()
        judging = f", {plan['judge_calls']} calls of judges" if "judge_calls" in plan else ""
        most = plan["model_calls_at_most"]
        calls = "as many model calls as the agent makes" if most is None else f"at most {most} model calls"
        console.out(f"{plan['tasks']} tasks, {plan['episodes']} episodes, {calls}{judging}", highlight=False)


def plan_evaluation(
    settings: EvaluateSettings, *, progress: Progress = SILENT, record: bool = False
) -> EvalPlan:
    """Open the suite, program, models and judges of an evaluation.

    Args:
        progress: receives messages.
        record: whether to write requests and replies to the file that the settings name for it, if any.

    Raises:
        InputError: a setting is wrong, or a file.
    """
    if record and settings.record is not None:
        check_writable(settings.record)
    measured = Measurement.open(settings, progress).part(settings.shard)
    # DSPy takes a second to load: a wrong name of a suite is reported before.
    from worksmith.jobs.opening.programs import open_program, record_planner

    program = open_program(measured.suite, settings)
    if record and settings.record is not None:
        record_planner(program.program, settings.record)
    name = OWN if settings.agent and "lm" not in settings.model_fields_set else settings.lm
    models = open_models(name, measured.suite.tasks, settings.record if record else None)
    return EvalPlan(program, name, models, measured, settings.log)


def evaluate(settings: EvaluateSettings, *, progress: Progress = SILENT) -> Evaluation:
    """Run a program on a suite's tasks and score every episode by its outcome.

    Args:
        progress: receives messages and the state of the progress bar.

    Returns:
        The episodes and figures of each model.

    Raises:
        InputError: a setting is wrong, or a file.
        BudgetSpentError: the budget was spent before the first episode.
        EvaluationInterrupted: on Ctrl-C; finished episodes are in the log.
    """
    tracking = Tracking.of(settings, track=settings.track)
    return run_evaluation(plan_evaluation(settings, progress=progress, record=True), tracking)


def run_evaluation(plan: EvalPlan, tracking: Tracking) -> Evaluation:
    """Run the program of a plan on its tasks with each of its models; raises as `evaluate` does."""
    check_models(plan.program.program, plan.models.values())
    own = [lm for _, _, lm in own_models(plan.program.program)]
    opened, measured = plan.program, plan.measurement.begin([*plan.models.values(), *own])
    described = measured.described(**opened.config, lm=plan.lm, program=opened.said)
    settings, progress = measured.settings, measured.progress
    if plan.log and len(plan.models) > 1:
        raise InputError(
            f"one log cannot hold the episodes of {len(plan.models)} models",
            where="--log",
            hint="leave it out: each model's episodes get a log of their own",
        )
    runs, logged = {}, []
    with ExitStack() as stack:
        # A log that cannot be used is named before a run is begun in MLflow.
        logs = {
            label: stack.enter_context(
                measured.open_log(plan.log or _log_file(plan, lm), keep=plan.log is not None)
            )
            for label, lm in plan.models.items()
        }
        stack.enter_context(measured.engine or nullcontext())
        tracked = stack.enter_context(
            tracking.start(
                measured.suite.path,
                "eval",
                strategy_name(opened.program),
                params=described,
                resume=settings.resume,
            )
        )
        for number, (label, lm) in enumerate(plan.models.items(), start=1):
            card = measured.card("eval", opened, model_name(lm), with_settings_of(lm, described), model=label)
            with tracked.child(label) if len(plan.models) > 1 else nullcontext(tracked) as child:
                runs[label] = measured.run(
                    opened.program, lm, logs[label], card, child, number=number, of=len(plan.models)
                )
            logged.append(LoadedRun(card, runs[label].records, str(logs[label].path)))
            progress.say(
                f"see each episode with: {shlex.join(['worksmith', 'report', str(logs[label].path)])}"
            )
        if tracked.id:
            progress.say(f"recorded as run {tracked.id}; see it with: worksmith ui")
    suite = measured.suite
    return Evaluation(described, runs, logged, suite, tracked.id, measured.stopped, plan.notes)


def _log_file(plan: EvalPlan, lm: dspy.LM) -> Path:
    """A log whose name is a digest of all that the episodes depend on, except the code."""
    measured = plan.measurement
    data = [measured.suite.digest, measured.suite.env.digest]
    of = [*data, state_digest(plan.program.program), model_digest(lm), measured.settings.ground_truth]
    on = [
        measured.split,
        [task.digest for task in measured.tasks],
        measured.settings.seed,
        measured.settings.trials,
    ]
    by = [judge.digest for judge in measured.judges]
    by += [scorers_digest(measured.own_scorers)] if measured.own_scorers else []
    return LOGS / f"eval-{digest([*of, *on, *by])}.jsonl"
