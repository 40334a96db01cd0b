"""Tables of programs without a category of tools, beside the same programs with all tools."""

from __future__ import annotations

from worksmith.evals.records.record import PRIMARY
from worksmith.evals.running.study import Row, Study, difference
from worksmith.evals.table import Grid, percent, points
from worksmith.evals.task_kind import kind_of


def ablation_grids(study: Study) -> tuple[Grid, ...]:
    """Each program without a category beside the same program with all tools; empty without such programs."""
    pairs = [(row, whole) for row in study.rows if row.arm.without and (whole := _whole(study, row))]
    if not pairs:
        return ()
    published = kind_of(record for row, _ in pairs for record in row.result.records).published_score
    grid = Grid.of(
        "Outcome without a category of functions",
        pairs,
        ("program", lambda pair: pair[0].arm.label),
        ("with, %", lambda pair: percent(pair[1].summary.scores.get(PRIMARY))),
        ("without, %", lambda pair: percent(pair[0].summary.scores.get(PRIMARY))),
        ("points", lambda pair: points(difference(*pair))),
        any(published in row.summary.scores for row, _ in pairs)
        and (f"{published}, points", lambda pair: points(difference(*pair, published))),
        notes=(
            "Differences are paired by task; where one is below zero, the functions of the category help.",
        ),
    )
    return (grid,)


def _whole(study: Study, row: Row) -> Row | None:
    same = (other for other in study.rows if other.arm.program == row.arm.program)
    return next((other for other in same if not other.arm.without and not other.arm.baseline), None)
