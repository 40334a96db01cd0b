"""`worksmith eval`: run a program on a suite's tasks and score every episode."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worksmith.cli import budgeting
from worksmith.cli.options import (
    AccessOption,
    CallsOption,
    ExperimentOption,
    GroundTruthOption,
    JsonFlag,
    JudgeOption,
    LimitOption,
    LmOption,
    MaxStepsOption,
    NoCacheFlag,
    OrgIdsOption,
    OrgOption,
    RubricOption,
    SchemeOption,
    SeedOption,
    SplitOption,
    StrategyOption,
    SuiteArgument,
    ToolsetOption,
    TracesOption,
    TrackFlag,
    TrackingUriOption,
    WhereOption,
    WorkersOption,
    leave_out_cache,
    say,
)

if TYPE_CHECKING:
    import dspy

    from evals.records.log import EpisodeLog
    from evals.records.run_card import RunCard
    from evals.running.judges import Judge
    from evals.running.runner import EvalResult
    from evals.scoring.outcomes import GroundTruth
    from evals.suite import Suite
    from evals.tasks.task import Task
    from optimizers.cost.budget import Budget
    from worksmith.jobs.tracked import Tracking


def evaluate_program(
    suite: SuiteArgument,
    program: Annotated[
        Path | None, typer.Option(help="A compiled program; its own strategy and toolset apply.")
    ] = None,
    strategy: StrategyOption = "react",
    toolset: ToolsetOption = None,
    max_steps: MaxStepsOption = 20,
    access: AccessOption = "policy",
    calls: CallsOption = "auto",
    lm: LmOption = "local/analogy",
    split: SplitOption = None,
    scheme: SchemeOption = "standard",
    limit: LimitOption = None,
    where: WhereOption = None,
    trials: Annotated[int, typer.Option(min=1, help="Independent attempts at each task.")] = 1,
    ground_truth: GroundTruthOption = "published",
    seed: SeedOption = 0,
    workers: WorkersOption = 8,
    log: Annotated[Path | None, typer.Option(help="Episode log (JSON lines).", dir_okay=False)] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the log of a stopped run.")] = False,
    record: Annotated[
        Path | None, typer.Option(help="Keep every request and reply; replay:FILE plays them back.")
    ] = None,
    judge: JudgeOption = None,
    rubric: RubricOption = None,
    org: OrgOption = None,
    org_ids: OrgIdsOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would run, run nothing.")] = False,
    max_calls: budgeting.MaxCallsOption = None,
    max_tokens: budgeting.MaxTokensOption = None,
    max_usd: budgeting.MaxUsdOption = None,
    max_minutes: budgeting.MaxMinutesOption = None,
    prices: budgeting.PricesOption = None,
    track: TrackFlag = True,
    tracking_uri: TrackingUriOption = None,
    experiment: ExperimentOption = None,
    traces: TracesOption = "some",
    no_cache: NoCacheFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Run a program on a suite's tasks and score every episode by its outcome."""
    from evals.suite import Suite
    from worksmith.cli.programs.eval_report import mind_failures, results_json, show, show_plan
    from worksmith.jobs.judges import judge_setting, judges_called, metered_judges
    from worksmith.jobs.session import choose_tasks, connect, ground_truth_called, new_agent, org_setting
    from worksmith.jobs.tracked import Tracking

    leave_out_cache(no_cache)
    tracking = Tracking.of(track, tracking_uri, experiment, traces)
    judged_by = ground_truth_called(ground_truth)
    opened = Suite.open(suite)
    split_name, tasks = choose_tasks(opened, split, scheme, limit, where)
    if program:
        agent = _compiled(program, opened)
    else:
        agent = new_agent(opened, strategy, toolset, max_steps, access, calls=calls)
    judges = judges_called(judge, rubric, opened.env.kind.tables)
    run = Evaluation(opened, agent, split_name, tasks, seed, trials, workers, judged_by, log, resume, judges)
    models = _models(lm, opened, None if dry_run else record)
    if dry_run:
        show_plan(run, as_json)
        return
    budget = budgeting.Bounds(max_calls, max_tokens, max_usd, max_minutes, prices).budget(models.values())
    run = replace(run, budget=budget, judges=metered_judges(judges, budget))
    connect(opened, org, org_ids)
    opened.env.check_records()
    settings = {
        "suite": opened.path.name,
        "split": split_name,
        "scheme": scheme,
        **({"where": ", ".join(where)} if where else {}),
        "lm": lm,
        **agent.config,
        "program": program.name if program else "uncompiled",
        "ground_truth": ground_truth,
        "seed": seed,
        "trials": trials,
        **judge_setting(judges),
        **org_setting(opened),
    }
    results = _tracked(run, models, settings, tracking, program)
    if as_json:
        typer.echo(json.dumps(results_json(settings, results)))
    else:
        show(results, ground_truth)
    mind_failures(results)
    left = sum(result.unstarted for result in results.values())
    budgeting.end_stopped(budget, f"{left} episodes were not run; --resume with more goes on")


@dataclass(frozen=True)
class Evaluation:
    """One program on one set of tasks, whatever the model."""

    suite: Suite
    program: Any
    split: str
    tasks: list[Task]
    seed: int
    trials: int
    workers: int
    ground_truth: GroundTruth
    log: Path | None
    resume: bool
    judges: tuple[Judge, ...] = ()
    budget: Budget | None = None

    def open_log(self, lm: dspy.LM) -> EpisodeLog:
        """The log of the program's episodes with `lm`."""
        from evals.records.log import EpisodeLog
        from worksmith.jobs.session import new_log

        make_room = None if self.log or self.resume else new_log
        return EpisodeLog.open(self._log_file(lm), resume=self.resume, make_room=make_room)

    def with_model(self, label: str, lm: dspy.LM, card: RunCard, log: EpisodeLog) -> EvalResult:
        """The program's episodes with `lm`, all of them or as many as the budget lets start."""
        from evals.records.run_card import write_card
        from evals.running.runner import evaluate
        from evals.running.settings import EvalSettings
        from evals.task_kind import scorers_for
        from worksmith.jobs.budgets import admission, counted
        from worksmith.jobs.session import episode_bar

        with episode_bar(label) as on_progress:
            write_card(log.path, card)
            result = evaluate(
                self.program,
                self.tasks,
                EvalSettings(
                    env=self.suite.env,
                    lm=counted(lm, self.budget),
                    workers=self.workers,
                    seed=self.seed,
                    trials=self.trials,
                    scorers=scorers_for(self.suite.env, self.ground_truth),
                    judges=self.judges,
                    admission=admission(lm, self.budget),
                ),
                log=log,
                on_progress=on_progress,
                on_resume=lambda found: say(str(found)),
            )
        say(f"the episodes are in {log.path}; `worksmith report` shows each of them")
        return result

    def _log_file(self, lm: dspy.LM) -> Path:
        """The log that was asked for, or one named after everything that it depends on but the code."""
        from evals.dspy_programs.digests import model_digest, state_digest
        from tools.seeding import digest
        from worksmith.jobs.session import LOGS

        if self.log:
            return self.log
        data = [self.suite.digest, self.suite.env.digest]
        of = [*data, state_digest(self.program), model_digest(lm), self.ground_truth]
        on = [self.split, [task.id for task in self.tasks], self.seed, self.trials]
        by = [judge.digest for judge in self.judges]
        return LOGS / f"eval-{digest([*of, *on, *by])}.jsonl"


def _compiled(file: Path, suite: Suite) -> Any:
    from worksmith.jobs.compiled import load_program

    return load_program(file, suite)


def _models(name: str, suite: Suite, record: Path | None) -> Mapping[str, dspy.LM]:
    """The model, or each recorded run of a replay, by label."""
    from worksmith.jobs.session import lm_label
    from worksmith.models.resolve import REPLAY, replay_runs, resolve

    if name.startswith(REPLAY):
        return replay_runs(name, suite.tasks)
    return {lm_label(name): resolve(name, tasks=suite.tasks, record=record)}


def _tracked(
    run: Evaluation,
    models: Mapping[str, dspy.LM],
    settings: dict[str, Any],
    tracking: Tracking,
    artifact: Path | None,
) -> dict[str, EvalResult]:
    from evals.dspy_programs.digests import strategy_name
    from evals.reporting.report import evaluation_report
    from evals.tracking import Dataset
    from tools.errors import InputError
    from worksmith.jobs.cards import eval_card
    from worksmith.jobs.tracked import keep_card

    results = {}
    about = strategy_name(run.program)
    if run.log and len(models) > 1:
        hint = "leave it out: each model's episodes get a log of their own"
        raise InputError(
            f"one log cannot hold the episodes of {len(models)} models", where="--log", hint=hint
        )
    with ExitStack() as stack:
        # A log that cannot be used is said before a run is begun in MLflow.
        logs = {label: stack.enter_context(run.open_log(lm)) for label, lm in models.items()}
        parent = stack.enter_context(
            tracking.start(run.suite.path, "eval", about, params=settings, resume=run.resume)
        )
        for label, lm in models.items():
            with parent.child(label) if len(models) > 1 else _same(parent) as child:
                card = eval_card(label, run.program, lm, run.suite, settings, artifact, run.judges)
                result = run.with_model(label, lm, card, logs[label])
                if not result.records and run.budget is not None:
                    run.budget.check()
                child.dataset(
                    Dataset(run.suite.path.name, run.suite.digest), split=run.split, tasks=len(run.tasks)
                )
                child.evaluation(result, split=run.split, tasks=run.tasks)
                keep_card(child, card)
                child.report(evaluation_report(result, title=label))
                results[label] = result
        if parent.id:
            say(f"recorded as run {parent.id}; `worksmith ui` shows it")
    return results


def _same(run: Any) -> Any:
    """The run itself as a block of its own that does not end it."""
    from contextlib import nullcontext

    return nullcontext(run)
