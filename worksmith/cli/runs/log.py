"""`worksmith log`: put runs that are in episode logs into MLflow, and make one run of parts."""

from __future__ import annotations

import json

import typer

from worksmith.cli.command import Commands, with_default
from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import say
from worksmith.evals.progress.screen import Terminal
from worksmith.jobs.settings.runs import LogSettings, MergeSettings

_SEND = "send"

app = Commands(
    cls=with_default(_SEND), no_args_is_help=True, help="Send episode logs to MLflow, or merge them."
)


@app.command(_SEND)
@from_settings(LogSettings)
def log_runs(settings: LogSettings, as_json: JsonFlag = False) -> None:
    """Write finished or interrupted runs to MLflow from their episode logs, without asking models again.

    The word `send` may be omitted.
    """
    from worksmith.jobs.runs.logging import log_runs

    kept = log_runs(settings, progress=Terminal())
    if as_json:
        typer.echo(json.dumps({"runs": kept}))


@app.command("merge")
@from_settings(
    MergeSettings,
    examples=(
        "worksmith eval mine --lm openai/gpt-4o-mini --shard 1/2 --log part1.jsonl",
        "worksmith log merge part1.jsonl part2.jsonl --out whole.jsonl",
    ),
)
def merge_logs(settings: MergeSettings, as_json: JsonFlag = False) -> None:
    """Make one run of the logs of its parts, which `worksmith eval --shard` ran.

    Suite, program, model and settings of all parts must be the same, and no part may be missing. The result
    is that of one run of all tasks.
    """
    from worksmith.jobs.runs.merging import merge_logs

    merged = merge_logs(settings)
    if as_json:
        typer.echo(json.dumps(merged.to_json()))
    else:
        say(*merged.lines)
