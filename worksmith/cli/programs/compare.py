"""`worksmith compare`: planning strategies and optimizers side by side on the same tasks."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from worksmith.cli import budgeting
from worksmith.cli.choices import tool_categories
from worksmith.cli.lists import names_listed, optimizers_listed, strategies_listed
from worksmith.cli.options import (
    MODELS,
    OPTIMIZERS,
    STRATEGIES,
    AccessOption,
    CallsOption,
    ConstraintOption,
    DemosOption,
    ExperimentOption,
    GroundTruthOption,
    JsonFlag,
    JudgeOption,
    LimitOption,
    MaxStepsOption,
    NoCacheFlag,
    OrgIdsOption,
    OrgOption,
    RubricOption,
    SchemeOption,
    SeedOption,
    SplitOption,
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
    from evals.running.study import Arm, Study
    from evals.suite import Suite
    from worksmith.jobs.study import StudyPlan
    from worksmith.jobs.tracked import Tracking


def compare_strategies(
    suite: SuiteArgument,
    strategies: Annotated[
        str, typer.Option(help="Comma-separated planning strategies.", autocompletion=lambda: STRATEGIES)
    ] = "direct,cot,act,react,plan,gold",
    optimizers: Annotated[
        str,
        typer.Option(
            help="Comma-separated: each strategy with each; none is uncompiled.",
            autocompletion=lambda: OPTIMIZERS,
        ),
    ] = "none,bootstrap",
    train_suite: Annotated[
        Path | None, typer.Option(help="Suite to compile on.", show_default="the suite compared on")
    ] = None,
    lm: Annotated[
        str,
        typer.Option(
            "--lm",
            help="Comma-separated models, each as local/analogy, gold, replay:FILE or any DSPy model name.",
            autocompletion=lambda: MODELS,
        ),
    ] = "local/analogy",
    teacher: Annotated[str, typer.Option(help="Model whose successes become demonstrations.")] = "gold",
    demos: DemosOption = None,
    candidates: Annotated[int, typer.Option(min=1, help="Sets of demonstrations that meet on dev.")] = 4,
    toolset: ToolsetOption = None,
    without_tools: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CATEGORY",
            autocompletion=tool_categories,
            help="Run each program also without the functions of this category, with query tools in their "
            "place; comma-separated or repeated.",
        ),
    ] = None,
    max_steps: MaxStepsOption = 20,
    access: AccessOption = "policy",
    calls: CallsOption = "auto",
    split: SplitOption = None,
    scheme: SchemeOption = "standard",
    limit: LimitOption = None,
    where: WhereOption = None,
    constraint: ConstraintOption = None,
    trials: Annotated[int, typer.Option(min=1, help="Independent attempts at each task.")] = 1,
    ground_truth: GroundTruthOption = "published",
    seed: SeedOption = 0,
    workers: WorkersOption = 8,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a comparison that was stopped.")
    ] = False,
    judge: JudgeOption = None,
    rubric: RubricOption = None,
    org: OrgOption = None,
    org_ids: OrgIdsOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would run, run nothing.")] = False,
    report: Annotated[Path | None, typer.Option(help="Write the report as a page.", dir_okay=False)] = None,
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
    """Compare strategies, each uncompiled and compiled, on the same tasks; baselines stand beside them.

    What an optimizer finds best on dev is compared as it is (`compile --accept best`): these tasks test it. A
    race names a winner only if it is shown to be better.
    """
    from evals.records.record import PRIMARY
    from evals.running.baseline_program import baselines_for
    from evals.scoring.constraints import constraints
    from evals.suite import Suite
    from evals.tasks.task_filter import conditions
    from optimizers.compiling.plan import Model, proposing_model
    from optimizers.settings import Settings
    from programs.prompting.tool_calling import check_calls
    from programs.strategies import strategy
    from tools.files.atomic import check_writable
    from worksmith.cli.driving import check_scores
    from worksmith.cli.programs.compare_report import show, show_plan
    from worksmith.jobs.ablation import ablated, categories_named
    from worksmith.jobs.judges import judges_called, metered_judges
    from worksmith.jobs.session import choose_tasks, connect, ground_truth_called, org_setting
    from worksmith.jobs.study import NO_OPTIMIZER, StudyPlan, study_arms
    from worksmith.jobs.tracked import Tracking
    from worksmith.models.resolve import resolve

    leave_out_cache(no_cache)
    tracking = Tracking.of(track, tracking_uri, experiment, traces)
    opened = Suite.open(suite)
    source = _train_suite(train_suite, opened) if train_suite else opened
    # A program must not be tested on what it was compiled on.
    split_name, tasks = choose_tasks(
        opened, split or ("test" if train_suite is None else None), scheme, limit, where
    )
    chosen = strategies_listed(strategies, tasks)
    names = names_listed(lm, "--lm")
    models = tuple(Model(name, resolve(name, tasks=[*opened.tasks, *source.tasks])) for name in names)
    compiles = any(name != NO_OPTIMIZER for name in optimizers_listed(optimizers))
    plan = StudyPlan(
        suite=opened,
        tasks=tasks,
        split=split_name,
        scheme=cast(Any, scheme),
        train_suite=source,
        lm=models[0],
        # Who compiles nothing needs no teacher, and a suite no gold plans.
        teacher=Model(teacher, resolve(teacher, tasks=source.tasks)) if compiles else models[0],
        settings=Settings(candidates=candidates, seed=seed, constraints=constraints(constraint or ())),
        where=conditions(where or ()),
        demos=demos,
        toolset=toolset,
        max_steps=max_steps,
        access=access,
        calls=check_calls(calls, *(strategy(name) for name in chosen)),
        ground_truth=ground_truth_called(ground_truth),
        workers=workers,
        trials=trials,
        resume=resume,
        models=models,
        judges=judges_called(judge, rubric, opened.env.kind.tables),
    )
    check_scores(opened.env, PRIMARY, plan.settings.constraints, judged=bool(judge))
    for name, model in product(optimizers_listed(optimizers), models):
        proposing_model(name, None, plan.teacher, model)
    learning = bool(source.select(split="train", scheme=plan.scheme))
    baselines = baselines_for(opened.env, learning=learning)
    arms = study_arms(
        chosen, optimizers_listed(optimizers), baselines=baselines, models=names, toolset_of=plan.toolset_of
    )
    arms = ablated(plan, arms, categories_named(without_tools or []))
    bounds = budgeting.Bounds(max_calls, max_tokens, max_usd, max_minutes, prices)
    budget = bounds.budget(model.lm for model in (*models, plan.teacher))
    plan = replace(plan, budget=budget, judges=metered_judges(plan.judges, budget))
    if dry_run:
        show_plan(plan, arms, as_json)
        return
    # Now, before anything is compiled for it.
    connect(opened, org, org_ids)
    opened.env.check_records()
    if report:
        check_writable(report)
    settings = {**_settings(plan, opened, source, scheme), **org_setting(opened)}
    study = _tracked(plan, arms, settings, tracking, report)
    if as_json:
        typer.echo(json.dumps({**settings, **study.to_json()}))
    else:
        show(study)
    if any(row.summary.graded == 0 for row in study.rows if not row.arm.baseline):
        raise typer.Exit(1)
    left = f"{len(arms) - len(study.rows)} of {len(arms)} arms are missing; --resume with more goes on"
    budgeting.end_stopped(budget, left)


def _train_suite(path: Path, compared: Suite) -> Suite:
    from evals.suite import Suite
    from tools.errors import InputError

    suite = Suite.open(path)
    if suite.manifest.kind != compared.manifest.kind:
        raise InputError(
            f"its world is of the kind {suite.manifest.kind}, that of {compared.path} "
            f"of the kind {compared.manifest.kind}",
            where=f"--train-suite {path}",
            hint="what is learnt with other tools is of no use",
        )
    return suite


def _settings(plan: StudyPlan, suite: Suite, train: Suite, scheme: str) -> dict[str, Any]:
    from worksmith.jobs.judges import judge_setting

    return {
        "suite": suite.path.name,
        "train_suite": train.path.name,
        "split": plan.split,
        "scheme": scheme,
        "tasks": len(plan.tasks),
        "lm": ",".join(model.name for model in plan.models),
        "teacher": plan.teacher.name,
        "demos": plan.demos or "default",
        "toolset": plan.offers,
        "max_steps": plan.max_steps,
        **({"access": plan.access} if plan.access != "policy" else {}),
        **({"calls": plan.calls} if plan.calls != "auto" else {}),
        **({"trials": plan.trials} if plan.trials > 1 else {}),
        "ground_truth": plan.ground_truth,
        **judge_setting(plan.judges),
        "seed": plan.settings.seed,
    }


def _tracked(
    plan: StudyPlan,
    arms: list[Arm],
    settings: dict[str, Any],
    tracking: Tracking,
    page: Path | None,
) -> Study:
    from evals.reporting.report import study_report
    from evals.tracking import Dataset
    from tools.files.atomic import write_atomically
    from tools.files.locking import Lock
    from worksmith.cli.programs.compare_report import tell
    from worksmith.jobs.history import study_histories
    from worksmith.jobs.study import run_arms

    folders = [Path(name) for name in dict.fromkeys(str(plan.for_arm(arm).folder) for arm in arms)]
    with ExitStack() as stack:
        for folder in sorted(folders):
            stack.enter_context(Lock(folder / "lock", folder))
        run = stack.enter_context(
            tracking.start(plan.suite.path, "compare", params=settings, resume=plan.resume)
        )
        run.dataset(Dataset(plan.suite.path.name, plan.suite.digest), split=plan.split, tasks=len(plan.tasks))
        study = run_arms(plan, arms, run, on_row=tell)
        setting = {"suite": plan.suite.path.name, "split": plan.split}
        report = study_report(study, setting=setting, histories=study_histories(plan, study))
        run.report(report)
        if run.id:
            say(f"recorded as run {run.id}; `worksmith ui` shows it")
    say(f"the episodes are in {' '.join(map(str, folders))}; `worksmith report` shows each of them")
    if page:
        write_atomically(page, report.html().encode())
    return study
