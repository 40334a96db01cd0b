"""The A/A check: does a race tell a program apart from itself?

The program is evaluated once for each arm of the race, under another seed each time, so that a sampling model
gives new answers. The scores are then resampled without any further model call: whole intents are drawn with
replacement, and for each of them the arms' scores are dealt out again, the same way for all its tasks, which
keeps the dependence inside an intent. Arms of the same program are interchangeable, so no such race has
anything to find, and every acceptance is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from random import Random
from typing import Any

from worksmith.evals.records.summary import interval_json
from worksmith.evals.statistics import Interval, wilson
from worksmith.optimizers.optimizer import CompileContext
from worksmith.optimizers.racing.race import Table, race_over
from worksmith.optimizers.racing.rules import INCUMBENT, Arm, IncumbentLostError, RaceOutcome, Rules
from worksmith.optimizers.search.race_optimizer import rules
from worksmith.optimizers.search.track import dev_order
from worksmith.optimizers.trial import episode_score
from worksmith.tools.seeding import rng

RESAMPLINGS = 1_000


@dataclass(frozen=True)
class AACheck:
    """The result of an A/A check.

    Attributes:
        told_apart: the share of resamplings in which a candidate was accepted.
        stated: the rate that must not be exceeded.
        as_measured: whether the race told the actual evaluations apart.
        differing: the share of tasks on which not all arms scored the same. At 0 the check shows little: the
            model answers the same every time.
        lost: episodes that the infrastructure failed; a race counts them against the candidates.
    """

    told_apart: Interval
    stated: float
    as_measured: bool
    differing: float
    arms: int
    intents: int
    tasks: int
    lost: int

    @property
    def passed(self) -> bool:
        return self.told_apart.low <= self.stated

    def to_json(self) -> dict[str, Any]:
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return {"passed": self.passed, **values, "told_apart": interval_json(self.told_apart)}


def max_episodes(context: CompileContext) -> dict[str, int]:
    """The episodes that the check runs, by role."""
    return {"dev": len(context.dev) * (1 + context.settings.candidates)}


def same_program(context: CompileContext) -> AACheck:
    """Evaluate the program of `context` once for each arm of its race, and resample.

    Raises:
        IncumbentLostError: an arm lost too many episodes for a comparison.
    """
    how = rules(context.settings)
    dealt = dev_order(context.dev, context.settings.seed)
    tasks = [task for intent in dealt for task in intent]
    columns: list[list[float | None]] = []
    for number in range(1 + context.settings.candidates):
        rollouts = replace(context.student, seed=number)
        records = rollouts(context.program, tasks, name=f"aa-{number}").records
        columns.append([episode_score(record, context.settings.maximize) for record in records])
    for column in columns:
        # Any of them may stand for the program as it is.
        RaceOutcome(INCUMBENT, {INCUMBENT: Arm(INCUMBENT, column)}, how).check()
    rows = list(zip(*columns, strict=True))
    remaining = iter(rows)
    table = [list(islice(remaining, len(intent))) for intent in dealt]
    return AACheck(
        told_apart=false_accepts(table, how, seed=context.settings.seed),
        stated=how.alpha,
        as_measured=_accepts(table, how),
        differing=sum(len({*row} - {None}) > 1 for row in rows) / len(rows),
        arms=len(columns),
        intents=len(table),
        tasks=len(rows),
        lost=sum(column.count(None) for column in columns),
    )


def false_accepts(table: Table, how: Rules, *, seed: int, resamplings: int = RESAMPLINGS) -> Interval:
    """The rate at which races over resampled scores of one program accept a candidate."""
    accepted = 0
    for number in range(resamplings):
        generator = rng(seed, "aa", number)
        accepted += _accepts(
            [_exchanged(intent, generator) for intent in generator.choices(table, k=len(table))], how
        )
    return wilson(accepted, resamplings)


def _exchanged(intent: Sequence[Sequence[float | None]], generator: Random) -> list[list[float | None]]:
    """The scores of an intent with its arms exchanged, the same way for all tasks."""
    order = generator.sample(range(len(intent[0])), len(intent[0]))
    return [[row[arm] for arm in order] for row in intent]


def _accepts(table: Table, how: Rules) -> bool:
    """Whether a race over the scores ends with a candidate; the first column is the incumbent."""
    try:
        return race_over(table, how).winner != INCUMBENT
    except IncumbentLostError:
        return False
