"""`worksmith judge calibrate`: measure judges on labelled cases and hold them against the gate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worksmith.cli.options import (
    LOCAL_JUDGE,
    JsonFlag,
    JudgedOption,
    NoCacheFlag,
    RubricOption,
    SeedOption,
    WorkersOption,
    leave_out_cache,
    say,
)

if TYPE_CHECKING:
    from evals.judging.calibration.calibrate import Effort
    from evals.judging.calibration.gate import GateVerdict
    from evals.judging.calibration.labels import Case
    from evals.running.judges import Judge


def calibrate_judges(
    labels: Annotated[
        Path | None, typer.Option(help="JSON lines: request, response, reference, level ...", dir_okay=False)
    ] = None,
    planted: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="SUITE",
            help="Make cases with known faults from the tasks of a generated suite; repeat for several.",
        ),
    ] = None,
    judge: JudgedOption = None,
    rubric: RubricOption = None,
    cases: Annotated[int, typer.Option(min=2, help="How many cases to plant.")] = 120,
    repeats: Annotated[
        int, typer.Option(min=0, max=10, help="How often a sample of cases is judged again.")
    ] = 1,
    save_labels: Annotated[
        Path | None, typer.Option(help="Write the planted cases to this file.", dir_okay=False)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="File for the gate's verdict, of a single judge.",
            show_default="mlruns/judges/DIGEST.json",
            dir_okay=False,
        ),
    ] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 8,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many verdicts it takes, ask nobody.")
    ] = False,
    no_cache: NoCacheFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Measure judges on labelled cases, and say whether they may drive a compile.

    Agreement with the labels, whether a judge says the same when asked again, what position and length are
    worth to it, and whether it passes right answers to other questions.
    """
    from evals.judging.calibration.calibrate import Effort
    from tools.errors import InputError
    from worksmith.jobs.judges import judges_called

    leave_out_cache(no_cache)
    if (labels is None) == (not planted):
        raise InputError("cases are needed", hint="give either --labels FILE or --planted SUITE")
    judges = judges_called(judge or [LOCAL_JUDGE], rubric)
    if out is not None and len(judges) > 1:
        raise InputError("a file holds the verdict on one judge", where="--out")
    found = _labelled(labels) if labels else _planted(planted or [], cases, seed, save_labels)
    effort = Effort(repeats=repeats)
    if dry_run:
        _show_plan(judges, found, effort, as_json)
        return
    verdicts = [_measure(each, found, effort, workers, seed, out) for each in judges]
    if as_json:
        typer.echo(json.dumps([_as_json(verdict) for verdict in verdicts]))
    else:
        for verdict in verdicts:
            _show(verdict)
    if not all(verdict.passed for verdict in verdicts):
        raise typer.Exit(1)


def _labelled(file: Path) -> list[Case]:
    from evals.judging.calibration.labels import read_labels

    return read_labels(file)


def _planted(suites: list[Path], count: int, seed: int, save: Path | None) -> list[Case]:
    from evals.judging.calibration.labels import case_of, write_labels
    from evals.judging.calibration.planted import planted
    from evals.suite import Suite

    labels = planted([Suite.open(suite) for suite in suites], count=count, seed=seed)
    if save is not None:
        write_labels(save, labels)
        say(f"{len(labels)} labelled cases are in {save}")
    return [case_of(label) for label in labels]


def _measure(
    judge: Judge, cases: list[Case], effort: Effort, workers: int, seed: int, out: Path | None
) -> GateVerdict:
    from evals.judging.calibration.calibrate import calibrate
    from evals.judging.calibration.gate import gate, write_gate
    from evals.judging.calibration.labels import labels_digest
    from worksmith.cli.runs.judge import verdict_bar
    from worksmith.jobs.judges import GATES, comparing, uncached

    with verdict_bar(judge.name) as on_progress:
        measured = calibrate(
            judge,
            cases,
            again=uncached(judge),
            comparing=comparing(judge),
            effort=effort,
            workers=workers,
            seed=seed,
            on_progress=on_progress,
        )
    verdict = gate(judge, measured, labels_digest(cases))
    file = out or GATES / f"{judge.digest}.json"
    write_gate(file, verdict)
    say(f"{judge.name}: {'passed' if verdict.passed else 'did not pass'}; written to {file}")
    return verdict


def _show_plan(judges: tuple[Judge, ...], cases: list[Case], effort: Effort, as_json: bool) -> None:
    from evals.judging.case import tokens_about
    from worksmith.jobs.judges import asked_models, comparing

    mean = sum(tokens_about(case.task, case.record) for case in cases) / len(cases)
    plans = []
    for judge in judges:
        verdicts = effort.calls(cases, compares=comparing(judge) is not None)
        calls = verdicts * asked_models([judge])
        plans.append(
            {"judge": judge.name, "cases": len(cases), "verdicts": verdicts, "model_calls": calls}
            | {"prompt_tokens_about": round(calls * mean)}
        )
    if as_json:
        typer.echo(json.dumps(plans))
        return
    for plan in plans:
        typer.echo(
            f"{plan['judge']}: {plan['cases']} cases, {plan['verdicts']} verdicts, {plan['model_calls']} "
            f"model calls, about {plan['prompt_tokens_about']:,} prompt tokens"
        )


def _as_json(verdict: GateVerdict) -> dict[str, Any]:
    return {**verdict.model_dump(mode="json"), "passed": verdict.passed}


def _show(verdict: GateVerdict) -> None:
    from rich.console import Console

    from evals.reporting.tables.judge_gate import gate_grids

    console = Console()
    console.print(
        f"{verdict.judge}: {'passed' if verdict.passed else 'did not pass'}",
        style="bold",
        markup=False,
        highlight=False,
    )
    for grid in gate_grids(verdict):
        console.print(grid.rich())
