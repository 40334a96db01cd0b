"""`worksmith compile`: choose demonstrations for an agent and write it to one file."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worksmith.commands.options import (
    OPTIMIZERS,
    AccessOption,
    CallsOption,
    DemosOption,
    JsonFlag,
    LmOption,
    MaxStepsOption,
    SchemeOption,
    SeedOption,
    StrategyOption,
    SuiteArgument,
    ToolsetOption,
    TrackFlag,
    TrackingUriOption,
    WorkersOption,
    say,
)

if TYPE_CHECKING:
    from optimizers.artifact import Artifact
    from optimizers.compile import Plan, Result

WORK_SUFFIX = ".work"
"""Added to the name of the file to write: the folder in which a compile keeps what a resume needs."""


def compile_program(
    suite: SuiteArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write.", dir_okay=False)],
    strategy: StrategyOption = "react",
    optimizer: Annotated[
        str,
        typer.Option(
            help="none, bootstrap (one set, chosen on dev), knn (nearest to each task), or dspy:NAME.",
            autocompletion=lambda: OPTIMIZERS,
        ),
    ] = "bootstrap",
    lm: LmOption = "local/analogy",
    teacher: Annotated[
        str, typer.Option(help="Model whose successes become demonstrations; gold follows the gold plans.")
    ] = "gold",
    demos: DemosOption = None,
    candidates: Annotated[
        int, typer.Option(min=1, max=1000, help="Sets of demonstrations that meet on dev.")
    ] = 4,
    embedding: Annotated[
        str,
        typer.Option(help="How knn compares tasks: lexical, or minilm beside it (takes seconds to load)."),
    ] = "lexical",
    toolset: ToolsetOption = None,
    max_steps: MaxStepsOption = 20,
    access: AccessOption = "policy",
    calls: CallsOption = "auto",
    scheme: SchemeOption = "standard",
    train_limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many training tasks, spread evenly.")
    ] = None,
    dev_limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many dev tasks, spread evenly.")
    ] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 8,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be run and what it takes, run nothing.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a compile that was interrupted.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there; start anew.")] = False,
    track: TrackFlag = True,
    tracking_uri: TrackingUriOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Choose demonstrations for an agent on a suite's train and dev tasks; write it to one file."""
    from tools.errors import InputError
    from tools.files import check_writable
    from worksmith.session import demo_count

    if out.exists() and not (force or dry_run):
        raise InputError("the file is already there", where=str(out), hint="give --force to replace it")
    work = out.with_name(out.name + WORK_SUFFIX)
    if force and not (resume or dry_run):
        shutil.rmtree(work, ignore_errors=True)
    plan = _plan(
        suite,
        work,
        optimizer=optimizer,
        settings={
            "demos": demo_count(demos, optimizer, lm),
            "candidates": candidates,
            "seed": seed,
            "embedding": embedding,
        },
        models=(lm, teacher),
        agent={
            "strategy": strategy,
            "toolset": toolset,
            "max_steps": max_steps,
            "access": access,
            "calls": calls,
        },
        limits=(train_limit, dev_limit),
        scheme=scheme,
        workers=workers,
        resume=resume,
    )
    if dry_run:
        _show(_forecast(plan), as_json)
        return
    check_writable(out)
    artifact = _tracked(plan, out, track, tracking_uri)
    shutil.rmtree(work, ignore_errors=True)
    _show(_summary(out, artifact), as_json)


def _plan(
    directory: Path,
    work: Path,
    *,
    optimizer: str,
    settings: dict[str, Any],
    models: tuple[str, str],
    agent: dict[str, Any],
    limits: tuple[int | None, int | None],
    scheme: str,
    workers: int,
    resume: bool,
) -> Plan:
    from evals.suite import Suite
    from optimizers.compile import Model, Plan
    from optimizers.job import Settings
    from optimizers.registry import optimizer as check
    from worksmith import __version__
    from worksmith.models.resolve import resolve
    from worksmith.session import new_agent, scheme_called

    check(optimizer)
    suite = Suite.open(directory)
    program = new_agent(suite, **agent)
    # Without an optimizer nobody teaches, so no teacher has to be there.
    names = (models[0], models[0]) if optimizer == "none" else models
    lm, teacher = (Model(name, resolve(name, tasks=suite.tasks)) for name in names)
    return Plan(
        program=program,
        describes=program.config,
        suite=suite,
        lm=lm,
        teacher=teacher,
        optimizer=optimizer,
        settings=Settings(**settings),
        folder=work,
        scheme=scheme_called(scheme),
        workers=workers,
        resume=resume,
        versions={"worksmith": __version__},
        train_limit=limits[0],
        dev_limit=limits[1],
    )


def _tracked(plan: Plan, out: Path, track: bool, uri: str | None) -> Artifact:
    """Compile, write the file, and record both."""
    from evals.tracking import open_tracker
    from optimizers.compile import compile_program as run_plan
    from worksmith.session import compile_bar
    from worksmith.study import record_compile

    settings = {
        "suite": plan.suite.path.name,
        "scheme": plan.scheme,
        "lm": plan.lm.name,
        "teacher": plan.teacher.name,
        "optimizer": plan.optimizer,
        **plan.describes,
        **asdict(plan.settings),
    }
    with open_tracker(uri, track=track).start("compile", params=settings) as run:
        with compile_bar("compile") as on_progress:
            result = run_plan(replace(plan, on_progress=on_progress))
        _mind_failures(result)
        result.artifact.write(out)
        record_compile(run, result.artifact, out, trained_on=plan.suite, works_in=plan.suite)
        if run.id:
            say(f"recorded as run {run.id}; `worksmith ui` shows it")
    return result.artifact


def _mind_failures(result: Result) -> None:
    """Say what was lost to the infrastructure.

    Raises:
        WorksmithError: nothing is left to choose by or to learn from, so there is no program to write.
    """
    from evals.record import INFRASTRUCTURE
    from tools.errors import WorksmithError
    from worksmith.session import losses

    manifest = result.artifact.manifest
    taught = manifest.cost["teacher"]["episodes"]
    lost = {why: n for why, n in manifest.gaps.items() if why.partition(":")[0] in INFRASTRUCTURE}
    if taught and sum(lost.values()) == taught:
        raise WorksmithError(f"{manifest.teacher} taught nothing: {next(iter(lost)).partition(chr(10))[0]}")
    tried = [(trial.name, trial.result) for trial in result.compiled.trials if trial.result]
    failures = [f"{name}: {said}" for name, found in tried if (said := losses(found))]
    if tried and all(found.summary.graded == 0 for _, found in tried):
        raise WorksmithError(f"nothing could be measured on dev; {failures[0]}")
    for said in failures:
        say(said)


def _forecast(plan: Plan) -> dict[str, Any]:
    job = plan.job()
    episodes = plan.episodes()
    lengths = [len(task.gold_plan) + 1 for task in (*job.train, *job.dev) if task.gold_plan is not None]
    steps = sum(lengths) / len(lengths) if lengths else None
    stepwise = plan.program.strategy.stepwise
    calls = {
        role: None if steps is None else round(count * (steps if stepwise else 1))
        for role, count in episodes.items()
    }
    return {
        "optimizer": plan.optimizer,
        "lm": plan.lm.name,
        "teacher": plan.teacher.name,
        "train_tasks": len(job.train),
        "dev_tasks": len(job.dev),
        "episodes_at_most": episodes,
        # An agent that does a task in other steps than its gold plan needs other calls.
        "model_calls_about": calls,
    }


def _summary(out: Path, artifact: Artifact) -> dict[str, Any]:
    manifest = artifact.manifest
    return {
        "file": str(out),
        "digest": artifact.digest,
        "optimizer": manifest.optimizer,
        "lm": manifest.lm,
        "teacher": manifest.teacher,
        "demonstrations": len(manifest.demonstrations),
        "from_gold_plans": manifest.gold,
        "without_demonstration": manifest.gaps,
        "dev": [{key: t[key] for key in ("name", "outcome", "errors")} for t in manifest.trials],
        "chosen": manifest.chosen,
        "cost": manifest.cost,
        **artifact.measured,
    }


def _show(facts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(facts))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in facts.items():
        for number, line in enumerate(_lines(value)):
            table.add_row(f"[bold]{name.replace('_', ' ')}" if number == 0 else "", line)
    Console().print(table)


def _lines(value: Any) -> list[str]:
    if isinstance(value, list):
        return [line for item in value for line in _lines(item)] or ["-"]
    if isinstance(value, dict):
        if "outcome" in value:
            return [_trial(value)]
        return [", ".join(f"{key} {' '.join(_lines(item))}" for key, item in value.items()) or "-"]
    return ["-" if value is None else str(value)]


def _trial(trial: dict[str, Any]) -> str:
    outcome, errors = trial["outcome"], f", {trial['errors']} failed" if trial["errors"] else ""
    if outcome["value"] is None:
        return f"{trial['name']}: no result{errors}"
    low, value, high = (100 * outcome[bound] for bound in ("low", "value", "high"))
    return f"{trial['name']}: {value:.1f} % ({low:.1f}-{high:.1f}) of {outcome['n']} tasks{errors}"
