"""What to do after a measurement."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from worksmith.evals.records.record import PRIMARY
from worksmith.evals.reporting.tables.findings import before, leading, power, shown
from worksmith.evals.running.study import difference

if TYPE_CHECKING:
    from worksmith.evals.running.study import Study


def next_step(study: Study, logs: Sequence[str]) -> str:
    """A sentence with a command, where one helps; empty where all is done.

    Args:
        logs: what the episodes are in, as commands take it.
    """
    row, base = leading(study), before(study)
    if any(each.summary.errors for each in study.rows):
        return "the same command with --resume runs the lost episodes again."
    if base and not shown(difference(row, base)) and (said := power(study)):
        return f"more tasks of more intents; {said[0].lower()}{said[1:]}"
    if any(record.scores.get(PRIMARY, 0.0) < 1 for record in row.result.records):
        arm = ["--arm", row.arm.label] if len(study.rows) > 1 else []
        return shlex.join(["worksmith", "episodes", *logs, *arm, "--wrong"])
    return ""
