"""`worksmith judge`: have finished episodes judged, and find out whether a judge can be trusted."""

from __future__ import annotations

import json

import typer

from worksmith.cli.command import Commands, with_default
from worksmith.cli.options import DryRunFlag, JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, show
from worksmith.jobs.settings.runs import CalibrateSettings, JudgeSettings

_RUN = "run"


app = Commands(cls=with_default(_RUN), no_args_is_help=True, help="Judge finished runs by a rubric.")


@app.command("calibrate")
@from_settings(CalibrateSettings)
def calibrate(settings: CalibrateSettings, dry_run: DryRunFlag = False, as_json: JsonFlag = False) -> None:
    """Measure judges on labelled cases, and decide if they may choose programs in a compile.

    Measures agreement with the labels, consistency, position bias, length bias, and the share of passed
    answers to other questions.
    """
    from worksmith.jobs.runs.calibration import calibrate_judges, plan_calibration

    if dry_run:
        show(plan_calibration(settings, progress=Terminal()), as_json)
        return
    result = calibrate_judges(settings, progress=Terminal())
    show(result, as_json)
    if not result.passed:
        raise typer.Exit(1)


@app.command(_RUN)
@from_settings(JudgeSettings)
def judge_runs(settings: JudgeSettings, dry_run: DryRunFlag = False, as_json: JsonFlag = False) -> None:
    """Judge the episodes of finished runs; the word `run` may be omitted.

    Verdicts go at once to a file beside each log, and every command that opens the log sees them. The same
    command continues after a stop.
    """
    from worksmith.jobs.judgement import judge, plan_judging

    if dry_run:
        plans = plan_judging(settings)
        if as_json:
            typer.echo(json.dumps([plan.to_json() for plan in plans]))
        else:
            for plan in plans:
                show(plan, as_json=False)
        return
    result = judge(settings, progress=Terminal())
    show(result, as_json)
    if result.failed:
        raise typer.Exit(1)
