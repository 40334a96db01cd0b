"""`worksmith score`: score prediction files against a suite."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worksmith.cli.options import JsonFlag, SuiteArgument

if TYPE_CHECKING:
    from evals.table import Grid

_GROUND_TRUTHS = ["published", "corrected"]
_HEADINGS = ("", "rows", "accuracy", "effects", "exact", "idle", "errors")
_NOTES = (
    "% with 95 % interval; effects: unwanted side effects, exact: same calls as expected, idle: no calls",
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
    from evals.running.score_files import score_files
    from evals.suite import Suite
    from tools.errors import InputError
    from worksmith.jobs.session import ground_truth_called

    paths = [*(predictions or ()), *(more or ())]
    if not paths:
        raise InputError("nothing to score", where="--predictions", hint="give at least one file")
    judged_by = ground_truth_called(ground_truth)
    opened = Suite.open(suite)
    if opened.env.kind.judges_answers:
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

    console = Console()
    console.print(_grid(summary).rich())
    for file, count in summary["unmatched"].items():
        console.print(f"{file}: {count} rows are for no task of the suite")
    console.print(f"{summary['rows_per_second']:,.0f} rows/s")


def _grid(summary: Mapping[str, Any]) -> Grid:
    from evals.table import Grid

    gap = ("",) * len(_HEADINGS)
    rows = [
        *(_row(name, group) for name, group in summary["by_run"].items()),
        gap,
        *(_row(name, group) for name, group in summary["by_domain"].items()),
        gap,
        *(_row(f"{name} actions", group) for name, group in summary["by_actions"].items()),
        gap,
        _row("all", summary),
        *(_row(f"baseline {name}", baseline) for name, baseline in summary["baselines"].items()),
    ]
    title = f"{summary['n']} predictions, {summary['ground_truth']} ground truth"
    return Grid(title, _HEADINGS, tuple(rows), _NOTES)


def _row(name: str, group: Mapping[str, Any]) -> tuple[str, ...]:
    rates = (group.get(rate) for rate in ("unwanted_side_effects", "exact_match", "no_actions", "errors"))
    return (name, str(group["n"]), _interval(group["accuracy"]), *(_percent(rate) for rate in rates))


def _percent(share: Mapping[str, Any] | None) -> str:
    from evals.table import NO_DATA

    return NO_DATA if share is None or share["value"] is None else f"{100 * share['value']:.1f}"


def _interval(share: Mapping[str, Any]) -> str:
    if share["value"] is None:
        return _percent(share)
    return f"{_percent(share)} [{100 * share['low']:.1f}, {100 * share['high']:.1f}]"
