"""Scores of a published system's result tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from worksmith.evals.running.score_tables import ScoreReport
from worksmith.evals.table import NO_DATA, Grid
from worksmith.jobs.showing.printing import Printable

_HEADINGS = ("", "rows", "accuracy", "effects", "exact", "idle", "errors")
_NOTES = (
    "% with 95 % interval; effects: unwanted side effects, exact: same calls as expected, idle: no calls",
)


@dataclass(frozen=True)
class TableScores(Printable):
    """The scores of result tables."""

    report: ScoreReport

    def to_json(self) -> dict[str, Any]:
        return self.report.to_json()

    def print(self, console: Console) -> None:
        summary = self.report.summary
        console.print(_grid(summary).rich())
        for file, count in summary["unmatched"].items():
            console.print(f"{file}: {count} rows are for no task of the suite")
        console.print(f"{summary['rows_per_second']:,.0f} rows/s")


def _grid(summary: Mapping[str, Any]) -> Grid:
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
    return NO_DATA if share is None or share["value"] is None else f"{100 * share['value']:.1f}"


def _interval(share: Mapping[str, Any]) -> str:
    if share["value"] is None:
        return _percent(share)
    return f"{_percent(share)} [{100 * share['low']:.1f}, {100 * share['high']:.1f}]"
