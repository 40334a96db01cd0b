"""`worksmith score`: score prediction files against a suite."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from worksmith.commands.options import JsonFlag, SuiteArgument

_GROUND_TRUTHS = ["published", "corrected"]
_CAPTION = (
    "% with 95 % interval; effects: unwanted side effects, exact: same calls as expected, idle: no calls"
)


def score_predictions(
    suite: SuiteArgument,
    more: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]...", help="More prediction files.", hidden=True)
    ] = None,
    predictions: Annotated[
        list[Path] | None,
        typer.Option(
            "--predictions",
            "-p",
            metavar="FILE...",
            help="JSON lines (our episode logs too) or the original's result CSVs; directories are searched.",
        ),
    ] = None,
    ground_truth: Annotated[
        str,
        typer.Option(
            help="published answers, or corrected: mended where they contradict the task, and ambiguous "
            "tasks accept every reading.",
            autocompletion=lambda: _GROUND_TRUTHS,
        ),
    ] = "published",
    as_json: JsonFlag = False,
) -> None:
    """Score recorded runs by their outcomes: execute them and the right answers, compare what changed."""
    from evals.score import score_files
    from evals.suite import Suite
    from tools.errors import InputError
    from worksmith.session import ground_truth_called

    paths = [*(predictions or ()), *(more or ())]
    if not paths:
        raise InputError("nothing to score", where="--predictions", hint="give at least one file")
    judged_by = ground_truth_called(ground_truth)
    opened = Suite.open(suite)
    if opened.workshop.kind.judges_answers:
        raise InputError(
            "predictions hold no answers, and in this kind of world answers are judged",
            where=str(suite),
            hint="run the agent with `worksmith eval`",
        )
    report = score_files(opened, paths, ground_truth=judged_by)
    if as_json:
        typer.echo(json.dumps(report.to_json()))
    else:
        _show(report.summary)


def _show(summary: Mapping[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    title = f"{summary['n']} predictions, {summary['ground_truth']} ground truth"
    table = Table(title=title, caption=_CAPTION, box=None, title_justify="left")
    table.add_column("", no_wrap=True)
    for column in ("rows", "accuracy", "effects", "exact", "idle", "errors"):
        table.add_column(column, justify="right", no_wrap=column == "accuracy")
    for name, group in summary["by_run"].items():
        table.add_row(name, *_cells(group))
    table.add_row()
    for name, group in summary["by_domain"].items():
        table.add_row(name, *_cells(group))
    table.add_row()
    for name, group in summary["by_actions"].items():
        table.add_row(f"{name} actions", *_cells(group))
    table.add_row()
    table.add_row("all", *_cells(summary), style="bold")
    for name, baseline in summary["baselines"].items():
        cells = [str(baseline["n"]), _interval(baseline["accuracy"])]
        table.add_row(f"baseline {name}", *cells, _percent(baseline["unwanted_side_effects"]))
    console = Console()
    console.print(table)
    for file, count in summary["unmatched"].items():
        console.print(f"{file}: {count} rows are for no task of the suite")
    console.print(f"{summary['rows_per_second']:,.0f} rows/s")


def _cells(group: Mapping[str, Any]) -> list[str]:
    rates = ("unwanted_side_effects", "exact_match", "no_actions", "errors")
    return [str(group["n"]), _interval(group["accuracy"]), *(_percent(group[name]) for name in rates)]


def _percent(share: Mapping[str, Any]) -> str:
    return "-" if share["value"] is None else f"{100 * share['value']:.1f}"


def _interval(share: Mapping[str, Any]) -> str:
    if share["value"] is None:
        return "-"
    return f"{_percent(share)} ({100 * share['low']:.1f}-{100 * share['high']:.1f})"
