"""What programs lose, or gain, when they do without a category of tools."""

from __future__ import annotations

from evals.records.record import PRIMARY, REWARD
from evals.running.study import Row, Study, difference
from evals.table import Grid, percent, points


def ablation_grids(study: Study) -> tuple[Grid, ...]:
    """Each program without a category beside the same program with all tools; none without such programs."""
    pairs = [(row, whole) for row in study.rows if row.arm.without and (whole := _whole(study, row))]
    if not pairs:
        return ()
    rewarded = any(REWARD in row.summary.scores for row, _ in pairs)
    cells = tuple(
        (
            row.arm.label,
            percent(whole.summary.scores.get(PRIMARY)),
            percent(row.summary.scores.get(PRIMARY)),
            points(difference(row, whole)),
            *((points(difference(row, whole, REWARD)),) if rewarded else ()),
        )
        for row, whole in pairs
    )
    headings = ("program", "with, %", "without, %", "points", *(("reward, points",) if rewarded else ()))
    note = "Differences are paired by task; where one is below zero, the functions of the category help."
    return (Grid("Outcome without a category of functions", headings, cells, (note,)),)


def _whole(study: Study, row: Row) -> Row | None:
    """The row of the same program with all tools."""
    same = (other for other in study.rows if other.arm.program == row.arm.program)
    return next((other for other in same if not other.arm.without and not other.arm.baseline), None)
