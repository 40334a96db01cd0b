"""How often `worksmith check` fails a program that did not change, and one that is 15 points worse.

Evaluations of 100 tasks are simulated (`support/evaluations.py`). An unchanged program is run twice, as
its baseline and as the run that is checked. Another program of the same rate fails by chance only, too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from benchmarks.support.evaluations import Design, Results
from worksmith.evals.records.record import PRIMARY, Digests, EpisodeRecord
from worksmith.evals.scoring.constraints import Constraint
from worksmith.evals.scoring.regressions import compared
from worksmith.jobs.settings.programs import RECORDED_TRIALS

DESCRIPTION = "how often `worksmith check` fails programs that are as good as before, or 15 points worse"

TASKS, WORSE = 100, 0.15
RATES = (0.5, 0.7, 0.9)
_ONE_TRIAL = {
    "steady": Design(TASKS, 0, 1, 0.5, task=0.8),
    "steady, 25 intents": Design(TASKS, 25, 1, 0.5, task=0.7),
    "steady, 10 intents": Design(TASKS, 10, 1, 0.5, task=0.7),
    "noisy": Design(TASKS, 0, 1, 0.5),
    "noisy, 10 intents": Design(TASKS, 10, 1, 0.5),
}
BASELINES = {f"{name}, baseline as --update records it": RECORDED_TRIALS for name in _ONE_TRIAL}
"""The trials of baselines that have more than the check."""

DESIGNS = {
    **_ONE_TRIAL,
    **dict(zip(BASELINES, _ONE_TRIAL.values(), strict=True)),
    "noisy, 3 trials": Design(TASKS, 0, 3, 0.5),
    "noisy, 25 intents, 3 trials": Design(TASKS, 25, 3, 0.5),
    "noisy, 10 intents, 3 trials": Design(TASKS, 10, 3, 0.5),
}
"""Two runs of an unchanged steady program differ on up to 20 % of the tasks, of a noisy one on up to 40 %."""

BOUND = Constraint("over_refusal", "<=", 0.05)
OVER_REFUSALS = 0.05
"""The rate of an unchanged program, just at its bound."""

_EPISODE = EpisodeRecord(
    key="",
    task_id="",
    split="test",
    status="finished",
    digests=Digests(program="", task="", world="", model=""),
)


def run(quick: bool) -> dict[str, Any]:
    """1,000 programs of each kind (quick: 200)."""
    times = 200 if quick else 1_000
    cells: list[dict[str, Any]] = [
        {"design": name, "rate": rate, **shares(replace(design, rate=rate), times, BASELINES.get(name))}
        for name, design in DESIGNS.items()
        for rate in RATES
    ]
    return {
        "programs": times,
        "tasks": TASKS,
        "cells": cells,
        "unchanged_fail": round(sum(cell["unchanged"] for cell in cells) / len(cells), 4),
        "unchanged_fail_most": max(cell["unchanged"] for cell in cells),
        "worse_fail_least": {
            name: min(cell["worse"] for cell in cells if cell["design"] == name) for name in DESIGNS
        },
    }


def shares(design: Design, times: int, recorded: int | None = None) -> dict[str, float]:
    """The shares of programs that fail, and of tasks on which two runs of an unchanged one differ.

    Args:
        recorded: trials of the baseline, at least those of the design, which are the default.
    """
    failed, flips = dict.fromkeys(("unchanged", "as_good", "worse"), 0), 0.0
    trials = recorded or design.trials
    twice, long = replace(design, trials=trials + design.trials), replace(design, trials=trials)
    refusing = replace(twice, rate=OVER_REFUSALS)
    for number in range(times):
        (both,), (refused,) = (each.draw(key=f"gate/{each}/{number}") for each in (twice, refusing))
        first, again = _halves(both, trials)
        refused_first, refused_again = _halves(refused, trials)
        base, *others = long.draw(
            design.rate, design.rate, design.rate - WORSE, key=f"gate/{design}/{number}"
        )
        other, worse = (_halves(each, design.trials)[0] for each in others)
        for name, now, before in (
            ("unchanged", again, first),
            ("as_good", other, base),
            ("worse", worse, base),
        ):
            failed[name] += fails(records(design, now, refused_again), records(design, before, refused_first))
        flips += sum(first[task][0] != again[task][0] for task in both) / len(both)
    found = {name: round(count / times, 4) for name, count in failed.items()}
    return {**found, "differ_by_chance": round(flips / times, 3)}


def _halves(both: Results, trials: int) -> tuple[Results, Results]:
    first = {task: each[:trials] for task, each in both.items()}
    return first, {task: each[trials:] for task, each in both.items()}


def fails(now: list[EpisodeRecord], before: list[EpisodeRecord]) -> bool:
    """Whether the check fails."""
    return any(found.worse for found in compared(now, before, [BOUND]))


def records(design: Design, right: Results, refused: Results) -> list[EpisodeRecord]:
    """The episodes of a program."""
    return [
        _EPISODE.model_copy(
            update={
                "task_id": str(task),
                "intent": str(task % design.intents) if design.intents else None,
                "scores": {PRIMARY: score, BOUND.metric: refusal},
            }
        )
        for task in right
        for score, refusal in zip(right[task], refused[task], strict=True)
    ]
