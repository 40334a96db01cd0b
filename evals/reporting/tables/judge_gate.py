"""Tables of a judge's calibration."""

from __future__ import annotations

import math
from typing import Any

from worksmith.evals.judging.calibration.gate import GateVerdict, bound_of
from worksmith.evals.judging.rubric import LEVELS
from worksmith.evals.table import NO_DATA, Grid

_LABELS = {
    "cases": "labelled cases",
    "kappa": "agreement, weighted kappa",
    "kappa_low": "agreement, lower end",
    "kappa_above_always_5": "kappa above always 5",
    "spearman": "rank correlation",
    "pairs": "pairs in the labels' order",
    "self_consistency": "same level when asked again",
    "shuffled_passes": "passes answers to other requests",
    "position_bias": "position bias, from one half",
    "length_bias": "length bias, correlation",
    "failed": "verdicts that failed",
}


def failures(verdict: GateVerdict) -> list[str]:
    """Each measure that missed its threshold, with its value and the threshold."""
    named = (text.partition(" ") for text in verdict.failed)
    return [f"{_LABELS[name]}: {said.removeprefix('is ')}" for name, _, said in named]


def gate_grids(verdict: GateVerdict) -> tuple[Grid, ...]:
    """The measures with their thresholds, the confusion of levels, and the mean level by planted fault."""
    measured = verdict.measured
    values: dict[str, Any] = {"cases": measured["cases"], **measured["measures"]}

    def outcome(name: str) -> str:
        if any(text.startswith(f"{name} ") for text in verdict.failed):
            return "FAILED"
        if not bound_of(name, verdict.thresholds):
            return ""
        return "ok" if name in values else "does not apply"

    measures = Grid.of(
        "Measured on labelled cases",
        _LABELS,
        ("measure", lambda name: _LABELS[name]),
        ("value", lambda name: _figure(values.get(name), measured["intervals"].get(name))),
        ("needed", lambda name: bound_of(name, verdict.thresholds)),
        ("", outcome),
        notes=("Intervals are 95 %; those of kappa and the correlation are by drawing whole requests.",),
    )
    confusion = Grid.of(
        "Levels",
        list(zip(LEVELS, measured["confusion"], strict=True)),
        ("", lambda row: f"labelled {row[0]}"),
        *((f"judged {n}", lambda row, n=n: str(row[1][n - 1])) for n in LEVELS),
    )
    faults = Grid.of(
        "Mean level by planted fault",
        measured["by_fault"].items(),
        ("fault", lambda row: row[0]),
        ("level", lambda row: f"{row[1]['mean_level']:.2f}"),
        ("cases", lambda row: str(row[1]["n"])),
    )
    return (measures, confusion, faults) if faults.rows else (measures, confusion)


def _figure(value: float | None, interval: dict[str, Any] | None) -> str:
    if value is None or math.isnan(value):
        return NO_DATA
    if not interval or interval["low"] is None or math.isnan(interval["low"]):
        return f"{value:g}" if value == int(value) and value > 1 else f"{value:.3f}"
    return f"{value:.3f} [{interval['low']:.3f}, {interval['high']:.3f}]"
