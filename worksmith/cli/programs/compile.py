"""`worksmith compile`: choose demonstrations for an agent and write it to one file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worksmith.cli.budgeting import (
    Bounds,
    MaxCallsOption,
    MaxMinutesOption,
    MaxTokensOption,
    MaxUsdOption,
    PricesOption,
)
from worksmith.cli.driving import ForceJudgeOption, GateOption, Judging, MaximizeOption, check_scores
from worksmith.cli.options import (
    OPTIMIZERS,
    AccessOption,
    CallsOption,
    ConstraintOption,
    DemosOption,
    DemoTokensOption,
    DemoUnitOption,
    ExperimentOption,
    JsonFlag,
    JudgeOption,
    LmOption,
    MaxStepsOption,
    NoCacheFlag,
    RegisterOption,
    RubricOption,
    SchemeOption,
    SeedOption,
    SelectionOption,
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
    from evals.tracking.registry import Registration
    from optimizers.compiling.compile import Result
    from optimizers.compiling.plan import Plan
    from worksmith.jobs.tracked import Tracking


def compile_program(
    suite: SuiteArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write.", dir_okay=False)],
    strategy: StrategyOption = "react",
    optimizer: Annotated[
        str,
        typer.Option(
            help="none, race (sets meet on dev, the worse leave), bootstrap (every set on all of dev), "
            "knn (nearest to each task), tpe (search for how to choose them), or dspy:NAME.",
            autocompletion=lambda: OPTIMIZERS,
        ),
    ] = "bootstrap",
    lm: LmOption = "local/analogy",
    teacher: Annotated[
        str, typer.Option(help="Model whose successes become demonstrations; gold follows the gold plans.")
    ] = "gold",
    bank: Annotated[
        Path | None,
        typer.Option(help="Trace bank (`worksmith bank build`) to use instead of a teacher.", dir_okay=False),
    ] = None,
    proposer: Annotated[
        str | None,
        typer.Option(
            help="Language model that proposes instructions, where the optimizer has them proposed.",
            show_default="the teacher if it is a language model, else --lm",
        ),
    ] = None,
    demos: DemosOption = None,
    selection: SelectionOption = None,
    demo_unit: DemoUnitOption = "trajectory",
    demo_tokens: DemoTokensOption = None,
    candidates: Annotated[
        int, typer.Option(min=1, max=1000, help="Sets of demonstrations that meet on dev.")
    ] = 4,
    accept: Annotated[
        str,
        typer.Option(
            help="tested: bootstrap, knn and tpe keep the program as it is unless the winner beats it on dev "
            "by a paired test over intents; best: they take the winner all the same. A race always tests."
        ),
    ] = "tested",
    alpha: Annotated[
        float, typer.Option(help="Chance that a program is accepted that is not better, at most.")
    ] = 0.05,
    margin: Annotated[
        float, typer.Option(help="Difference in score below which race does not care who is better.")
    ] = 0.1,
    embedding: Annotated[
        str,
        typer.Option(help="How knn compares tasks: lexical, or minilm beside it (takes seconds to load)."),
    ] = "lexical",
    toolset: ToolsetOption = None,
    max_steps: MaxStepsOption = 20,
    access: AccessOption = "policy",
    calls: CallsOption = "auto",
    scheme: SchemeOption = "standard",
    where: WhereOption = None,
    train_limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many training tasks, spread evenly.")
    ] = None,
    dev_limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many dev tasks, spread evenly.")
    ] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 8,
    aa: Annotated[
        bool,
        typer.Option(
            "--aa",
            help="Compile nothing: check that a race does not tell the program from itself, write what was "
            "found. Fails if it does so more often than --alpha.",
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be run and what it takes, run nothing.")
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Episodes of each program that --dry-run really asks paid models in. Costs money.",
            show_default="none; a few where models are free",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a compile that was interrupted.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there; start anew.")] = False,
    keep_journal: Annotated[
        bool,
        typer.Option(
            "--journal/--no-journal",
            help="Keep the journal, OUT.journal, by which `worksmith verify` derives the program anew.",
        ),
    ] = True,
    judge: JudgeOption = None,
    rubric: RubricOption = None,
    maximize: MaximizeOption = "outcome",
    gate: GateOption = None,
    force_judge: ForceJudgeOption = False,
    constraint: ConstraintOption = None,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    max_usd: MaxUsdOption = None,
    max_minutes: MaxMinutesOption = None,
    prices: PricesOption = None,
    track: TrackFlag = True,
    tracking_uri: TrackingUriOption = None,
    experiment: ExperimentOption = None,
    traces: TracesOption = "none",
    register: RegisterOption = None,
    no_cache: NoCacheFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Choose demonstrations for an agent on a suite's train and dev tasks; write it to one file."""
    from evals.scoring.constraints import constraints
    from optimizers.compiling.journal import check_folder, discard, journal_beside
    from tools.errors import InputError
    from tools.files.atomic import check_writable
    from worksmith.cli.programs.compile_plan import plan_of
    from worksmith.cli.programs.compile_report import (
        few_intents,
        forecast,
        race_finds,
        say_stopped,
        show,
        summary,
    )
    from worksmith.jobs.session import demo_count
    from worksmith.jobs.tracked import Tracking, registration

    leave_out_cache(no_cache)
    if sample is not None and not dry_run:
        raise InputError("a sample is for a forecast", where="--sample", hint="give --dry-run")
    tracking = Tracking.of(track, tracking_uri, experiment, traces)
    register_as = registration(register, track)
    work = journal_beside(out)
    # What a resume writes is what is there, if the compile had been killed in its last moments.
    if out.exists() and not (force or dry_run or (resume and work.exists())):
        raise InputError("the file is already there", where=str(out), hint="give --force to replace it")
    plan = plan_of(
        suite,
        work,
        optimizer=optimizer,
        settings={
            "demos": demo_count(demos, optimizer, lm),
            "candidates": candidates,
            "seed": seed,
            "embedding": embedding,
            "accept": accept,
            "alpha": alpha,
            "margin": margin,
            "selection": selection,
            "demo_unit": demo_unit,
            "demo_tokens": demo_tokens,
            "constraints": constraints(constraint or ()),
        },
        models=(lm, teacher),
        bank=bank,
        proposer=proposer,
        agent={
            "strategy": strategy,
            "toolset": toolset,
            "max_steps": max_steps,
            "access": access,
            "calls": calls,
        },
        limits=(train_limit, dev_limit),
        where=where or (),
        scheme=scheme,
        workers=workers,
        resume=resume,
    )
    bounds = Bounds(max_calls, max_tokens, max_usd, max_minutes, prices)
    check_scores(plan.suite.env, maximize, plan.settings.constraints, judged=bool(judge))
    plan = Judging(judge, rubric, maximize, gate, force_judge).take_part(plan, rehearsed=dry_run)
    plan = replace(plan, budget=bounds.budget(model.lm for model in plan.models().values()))
    if said := few_intents(plan, aa=aa):
        say(said)
    if dry_run:
        show(forecast(plan, aa=aa, sample=sample), as_json)
        return
    check_writable(out)
    if force and not resume:
        discard(work)
    # Now, so that what cannot begin is no failed run in MLflow.
    check_folder(work, plan.fingerprint("aa" if aa else "compile"), resume=resume)
    if aa:
        _check_same_program(plan, out, work, as_json)
        return
    result = _tracked(plan, out, tracking, register_as)
    say_stopped(result.artifact.manifest)
    if not keep_journal and not result.artifact.manifest.stopped:
        discard(work)
    facts = summary(out, result.artifact, result.gaps if as_json else ())
    show({**facts, **race_finds(plan, result)}, as_json)


def _check_same_program(plan: Plan, out: Path, work: Path, as_json: bool) -> None:
    from optimizers.compiling.journal import discard
    from worksmith.cli.programs.aa import check_same_program, end
    from worksmith.cli.programs.compile_report import show

    found = check_same_program(plan, out)
    discard(work)
    show(found, as_json)
    end(found)


def _tracked(plan: Plan, out: Path, tracking: Tracking, register_as: Registration | None) -> Result:
    """Compile, write the file, and record both."""
    from optimizers.compiling.compile import compile_program as run_plan
    from worksmith.cli.programs.compile_report import mind_failures
    from worksmith.jobs.session import compile_bar
    from worksmith.jobs.tracked import record_compile, record_dev_episodes

    proposer = plan.proposing_model()
    settings = {
        "suite": plan.suite.path.name,
        "scheme": plan.scheme,
        "lm": plan.lm.name,
        "teacher": plan.teacher.name,
        **({"proposer": proposer.name} if proposer else {}),
        "optimizer": plan.optimizer,
        **plan.describes,
        **plan.settings.to_json(),
    }
    about = f"{plan.describes['strategy']['name']} {plan.optimizer}"
    with tracking.start(plan.suite.path, "compile", about, params=settings, resume=plan.resume) as run:
        with compile_bar("compile") as on_progress:
            result = run_plan(replace(plan, on_progress=on_progress))
        mind_failures(result)
        result.artifact.write(out)
        address = record_compile(
            run, result, out, trained_on=plan.suite, works_in=plan.suite, register_as=register_as
        )
        record_dev_episodes(run, result, plan.suite)
        if register_as is not None:
            say(f"registered as {address}")
        if run.id:
            say(f"recorded as run {run.id}; `worksmith ui` shows it")
    return result
