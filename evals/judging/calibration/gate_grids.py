"""What was measured of a judge as tables."""

from __future__ import annotations

import math
from typing import Any

from evals.judging.calibration.gate import GateVerdict, bound_of
from evals.judging.rubric import LEVELS
from evals.table import NO_DATA, Grid

_NAMES = {
    "cases": "labelled cases",
    "kappa": "agreement, weighted kappa",
    "kappa_low": "its lower end",
    "kappa_above_always_5": "kappa above always 5",
    "spearman": "rank correlation",
    "pairs": "pairs in the labels' order",
    "self_consistency": "same level when asked again",
    "shuffled_passes": "passes answers to other requests",
    "position_bias": "position bias, from one half",
    "length_bias": "length bias, correlation",
    "failed": "verdicts that failed",
}


def gate_grids(verdict: GateVerdict) -> tuple[Grid, ...]:
    """The measures with their thresholds, the confusion of levels, and what planted faults cost."""
    measured = verdict.measured
    grids = [_measures(verdict), _confusion(measured["confusion"])]
    if measured["by_fault"]:
        grids.append(_faults(measured["by_fault"]))
    return tuple(grids)


def _measures(verdict: GateVerdict) -> Grid:
    values: dict[str, Any] = {"cases": verdict.measured["cases"], **verdict.measured["measures"]}
    intervals = verdict.measured["intervals"]
    rows = []
    for name, label in _NAMES.items():
        if name not in values:
            rows.append((label, NO_DATA, bound_of(name, verdict.thresholds), "does not apply"))
            continue
        bound = bound_of(name, verdict.thresholds)
        failed = any(said.startswith(f"{name} ") for said in verdict.failed)
        rows.append((label, _figure(values[name], intervals.get(name)), bound, "FAILED" if failed else "ok"))
    notes = ("Intervals are 95 %; those of kappa and the correlation are by drawing whole requests.",)
    return Grid("Measured on labelled cases", ("measure", "value", "needed", ""), tuple(rows), notes)


def _confusion(table: list[list[int]]) -> Grid:
    rows = tuple(
        (f"labelled {level}", *(str(count) for count in row))
        for level, row in zip(LEVELS, table, strict=True)
    )
    return Grid("Levels", ("", *(f"judged {level}" for level in LEVELS)), rows)


def _faults(by_fault: dict[str, dict[str, Any]]) -> Grid:
    rows = tuple((name, f"{found['mean_level']:.2f}", str(found["n"])) for name, found in by_fault.items())
    return Grid("Mean level by planted fault", ("fault", "level", "cases"), rows)


def _figure(value: float | None, interval: dict[str, Any] | None) -> str:
    if value is None or math.isnan(value):
        return NO_DATA
    if not interval or interval["low"] is None or math.isnan(interval["low"]):
        return f"{value:g}" if value == int(value) and value > 1 else f"{value:.3f}"
    return f"{value:.3f} [{interval['low']:.3f}, {interval['high']:.3f}]"
