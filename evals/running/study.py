"""A study: several programs on the same tasks, each compared with the first.

Arms differ in strategy, optimizer or model; a given function builds and runs each. The study computes
differences paired by task, intervals, exact tests, and p values adjusted for the number of comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from worksmith.evals.records.groups import by_task, intents_of
from worksmith.evals.records.record import STRICT
from worksmith.evals.records.summary import Summary, interval_json
from worksmith.evals.running.result import EvalResult
from worksmith.evals.statistics import (
    Interval,
    McNemar,
    differences,
    exchange_test,
    holm,
    mcnemar,
    paired_difference,
)
from worksmith.tools.errors import InputError, WorksmithError


@dataclass(frozen=True)
class StudyArm:
    """One program of a study.

    Attributes:
        model: the name of its model, if the study has several.
        planner: the name of the model that plans, if it is another one.
        without: the category of tools that is removed, in an ablation of another arm.
        baseline: compared for orientation, but no candidate.
        settings: further ones, for reports and tracking.
        rerun: the words of the command that runs a task with it again and shows the prompts, `TASK` in the
            place of the task's id; empty without one.
    """

    label: str
    strategy: str = ""
    optimizer: str = "none"
    model: str = ""
    planner: str = ""
    without: str = ""
    baseline: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    rerun: tuple[str, ...] = ()

    @property
    def program(self) -> tuple[str, str, str, str]:
        """The part that an ablation shares with its arm."""
        return self.strategy, self.optimizer, self.model, self.planner

    @property
    def left_out(self) -> tuple[str, ...]:
        """The categories of tools that its program does without."""
        return (self.without,) if self.without else ()

    @property
    def shown(self) -> str:
        """The name in tables, where an ablation is below its arm."""
        return f"less {self.without}" if self.without else self.label


@dataclass(frozen=True)
class PairedComparison:
    """An arm against the first arm, on the tasks of both; lost episodes count as wrong.

    Attributes:
        difference: the difference of `outcome_strict`, paired by task.
        p: the p value of the exchange test by intent, adjusted for all comparisons of the study.
        test: McNemar's exact test, which assumes independent tasks and is not adjusted; None if an arm has
            several trials or partial scores.
    """

    difference: Interval
    p: float = 1.0
    test: McNemar | None = None


@dataclass(frozen=True)
class Row:
    """An arm with its figures; `against_first` is None for the first arm."""

    arm: StudyArm
    result: EvalResult
    against_first: PairedComparison | None = None

    @property
    def summary(self) -> Summary:
        return self.result.summary


@dataclass(frozen=True)
class Study:
    rows: tuple[Row, ...]

    @property
    def ordered(self) -> list[Row]:
        """Candidates first, each with its ablations below it; then baselines."""
        programs = [row.arm.program for row in self.rows]
        return sorted(
            self.rows,
            key=lambda row: (row.arm.baseline, programs.index(row.arm.program), bool(row.arm.without)),
        )

    @property
    def winner(self) -> Row | None:
        """The candidate whose paired difference to every other candidate has an interval above zero, if any.

        Baselines and ablations are not candidates.
        """
        candidates = [row for row in self.rows if not row.arm.baseline and not row.arm.without]
        for row in candidates:
            others = [other for other in candidates if other is not row]
            if others and all(difference(row, other).low > 0 for other in others):
                return row
        return None

    @cached_property
    def compiled(self) -> list[tuple[Row, Row, Interval]]:
        """Each compiled candidate, the same program uncompiled, and the difference between them."""
        uncompiled = {
            row.arm.program: row for row in self.rows if not row.arm.baseline and not row.arm.without
        }
        return [
            (row, base, difference(row, base))
            for (strategy, optimizer, *models), row in uncompiled.items()
            if optimizer != "none" and (base := uncompiled.get((strategy, "none", models[0], models[1])))
        ]

    def before(self, row: Row) -> Row | None:
        """The same program uncompiled, else the first one; None for a baseline, or if it is that itself."""
        uncompiled = next((base for compiled, base, _ in self.compiled if compiled is row), self.rows[0])
        return None if row.arm.baseline or row is uncompiled else uncompiled

    def to_json(self) -> dict[str, Any]:
        winner = self.winner
        return {
            "reference": self.rows[0].arm.label,
            "winner": winner.arm.label if winner else None,
            "compiling": [
                {
                    "program": row.arm.label,
                    "uncompiled": base.arm.label,
                    "difference": interval_json(found),
                }
                for row, base, found in self.compiled
            ],
            "rows": [_row_json(row) for row in self.rows],
        }


def run_study(
    arms: Sequence[StudyArm],
    run: Callable[[StudyArm], EvalResult],
    *,
    on_row: Callable[[Row], None] | None = None,
    same_tasks: bool = True,
    skips: Callable[[StudyArm, WorksmithError], bool] = lambda _, __: False,
) -> Study:
    """Run every arm and compare each with the first.

    Args:
        run: builds and evaluates an arm.
        on_row: called with each arm as it is done; its p value is not yet adjusted.
        same_tasks: whether all arms must have the same tasks; if not, common ones are compared.
        skips: whether an arm that ended with an error is left out.

    Raises:
        InputError: no arms, two arms with one label, or arms that ran on different tasks.
        WorksmithError: the first of those that ended arms, if only baselines are left.
    """
    labels = [arm.label for arm in arms]
    if not arms or len(set(labels)) < len(labels):
        raise InputError(
            "a study needs arms with different labels", hint=f"got {', '.join(labels) or 'none'}"
        )
    rows: list[Row] = []
    ended: WorksmithError | None = None
    for arm in arms:
        try:
            row = Row(arm, run(arm))
        except WorksmithError as error:
            if not skips(arm, error):
                raise
            ended = ended or error
            continue
        if rows:
            row = Row(arm, row.result, _compare(row, rows[0], same_tasks))
        rows.append(row)
        if on_row:
            on_row(row)
    if ended is not None and all(row.arm.baseline for row in rows):
        raise ended
    return Study(_adjusted(rows))


def _compare(row: Row, first: Row, same_tasks: bool) -> PairedComparison:
    tasks = [{record.task_id for record in each.result.records} for each in (row, first)]
    if same_tasks and tasks[0] != tasks[1]:
        raise InputError(f"arms {first.arm.label!r} and {row.arm.label!r} ran on different tasks")
    ours, theirs = by_task(row.result.records, STRICT), by_task(first.result.records, STRICT)
    p = exchange_test(differences(ours, theirs), _alike(row, first), seed=row.result.seed)
    return PairedComparison(difference(row, first), p, _test(ours, theirs))


def difference(row: Row, other: Row, score: str = STRICT) -> Interval:
    """A score of `row` less that of `other`, paired by task.

    With another score than `outcome_strict`, tasks that either lost are left out.
    """
    ours, theirs = by_task(row.result.records, score), by_task(other.result.records, score)
    return paired_difference(ours, theirs, _alike(row, other))


def _alike(row: Row, other: Row) -> dict[Hashable, Hashable] | None:
    return intents_of([*row.result.records, *other.result.records])


def _test(
    ours: Mapping[Hashable, Sequence[float]], theirs: Mapping[Hashable, Sequence[float]]
) -> McNemar | None:
    shared = [task for task in ours if task in theirs]
    values = [value for task in shared for value in (*ours[task], *theirs[task])]
    if len(values) != 2 * len(shared) or not set(values) <= {0.0, 1.0}:
        return None
    return mcnemar([ours[task][0] == 1 for task in shared], [theirs[task][0] == 1 for task in shared])


def _adjusted(rows: Sequence[Row]) -> tuple[Row, ...]:
    adjusted = iter(holm([row.against_first.p for row in rows if row.against_first]))
    return tuple(
        replace(row, against_first=replace(row.against_first, p=next(adjusted))) if row.against_first else row
        for row in rows
    )


def _row_json(row: Row) -> dict[str, Any]:
    found = row.against_first
    return {
        "label": row.arm.label,
        "strategy": row.arm.strategy,
        **({"planner": row.arm.planner} if row.arm.planner else {}),
        "optimizer": row.arm.optimizer,
        "without": row.arm.without,
        "baseline": row.arm.baseline,
        "settings": dict(row.arm.settings),
        "program": row.result.program,
        "model": row.result.model,
        **row.result.figures_json(),
        "difference": interval_json(found.difference) if found else None,
        "mcnemar": found.test._asdict() if found and found.test else None,
        "p_adjusted": found.p if found else None,
    }
