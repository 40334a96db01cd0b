"""Score recorded predictions by their outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console

from evals.running.score_files import ScoreReport, score_files
from evals.suite import Suite
from evals.table import NO_DATA, Grid
from tools.errors import InputError
from worksmith.jobs.parts.printing import Printable

if TYPE_CHECKING:
    from worksmith.jobs.settings.runs import ScoreSettings

_HEADINGS = ("", "rows", "accuracy", "effects", "exact", "idle", "errors")
_NOTES = (
    "% with 95 % interval; effects: unwanted side effects, exact: same calls as expected, idle: no calls",
)


@dataclass(frozen=True)
class Scores(Printable):
    """The scores of predictions."""

    report: ScoreReport

    def to_json(self) -> dict[str, Any]:
        return self.report.to_json()

    def print(self, console: Console) -> None:
        summary = self.report.summary
        console.print(_grid(summary).rich())
        for file, count in summary["unmatched"].items():
            console.print(f"{file}: {count} rows are for no task of the suite")
        console.print(f"{summary['rows_per_second']:,.0f} rows/s")


def score(settings: ScoreSettings) -> Scores:
    """Execute recorded runs and the right answers, and compare what changed."""
    files = [*settings.predictions, *settings.more]
    if not files:
        raise InputError("nothing to score", where="--predictions", hint="give at least one file")
    suite = Suite.open(settings.suite)
    if suite.env.kind.judges_answers:
        raise InputError(
            "predictions hold no answers, and in this kind of world answers are judged",
            where=str(settings.suite),
            hint="run the agent with `worksmith eval`",
        )
    return Scores(score_files(suite, files, ground_truth=settings.ground_truth))


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
