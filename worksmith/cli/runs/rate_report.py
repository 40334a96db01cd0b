"""What `worksmith rate` says of ratings: how far raters agree, and what they think of each run."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import typer

from evals.statistics import Interval

if TYPE_CHECKING:
    from evals.rating.agreement import Agreement
    from evals.rating.ratings import Rating
    from evals.rating.scales import Scale
    from evals.records.run_card import LoadedRun


def all_ratings(runs: Sequence[LoadedRun]) -> list[Rating]:
    """Everybody's ratings of the episodes of `runs`."""
    from evals.rating.ratings import ratings_file, read_ratings
    from worksmith.jobs.session import LOGS

    files = dict.fromkeys(ratings_file(run, LOGS) for run in runs)
    return [rating for file in files for rating in read_ratings(file)]


def show_agreement(runs: Sequence[LoadedRun], scales: Sequence[Scale], seed: int, as_json: bool) -> None:
    """How far raters agree, and what they think of each run."""
    from evals.rating.agreement import agreement, to_json

    ratings = all_ratings(runs)
    found = [agreement(scale, ratings, seed=seed) for scale in scales]
    means = {run.card.label: _means(run, scales, ratings, seed) for run in runs}
    if as_json:
        from evals.records.summary import interval_json

        told = {a.scale: to_json(a) for a in found}
        shown = {run: {s: interval_json(mean) for s, mean in row.items()} for run, row in means.items()}
        typer.echo(json.dumps({"agreement": told, "runs": shown}))
        return
    _print(found, means)


def _means(
    run: LoadedRun, scales: Sequence[Scale], ratings: Sequence[Rating], seed: int
) -> dict[str, Interval]:
    """The mean level of a run's episodes with its interval, by scale; of scales that are about episodes."""
    from evals.rating.scales import LEVELS
    from evals.statistics import mean

    keys = {record.key for record in run.records}
    found = {}
    for scale in (scale for scale in scales if scale.about == "episode"):
        given: dict[str, list[float]] = {}
        for rating in ratings:
            if rating.key in keys and rating.scale == scale.name:
                given.setdefault(rating.task_id, []).append((rating.level - 1) / (LEVELS - 1))
        share = mean(given, seed=seed, key=scale.name)
        # Intervals are made for shares, which know that nothing lies beyond their ends.
        value, low, high = (1 + (LEVELS - 1) * bound for bound in share[:3])
        found[scale.name] = Interval(value, low, high, share.n)
    return found


def _print(found: Sequence[Agreement], means: Mapping[str, Mapping[str, Interval]]) -> None:
    from rich.console import Console

    from evals.table import Grid

    agreed = Grid(
        "Agreement of raters",
        ("scale", "raters", "ratings", "mean level", "alpha", "shared"),
        tuple(
            (a.scale, str(a.raters), str(a.ratings), _number(a.mean), _interval(a.alpha), str(a.alpha.n))
            for a in found
        ),
        (
            "shared: rated by two or more. alpha is Krippendorff's for ordered levels: 1 is perfect "
            "agreement, 0 is chance; 0.8 is good, 0.667 enough for a first guess.",
        ),
    )
    console = Console()
    console.print(agreed.rich())
    scales = list(next(iter(means.values())))
    if scales:
        rows = tuple((run, *(_interval(row[scale]) for scale in scales)) for run, row in means.items())
        console.print(Grid("Mean level by run", ("run", *scales), rows).rich())


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def _interval(interval: Interval) -> str:
    if math.isnan(interval.value):
        return "-"
    return f"{interval.value:.2f} [{interval.low:.2f}, {interval.high:.2f}]"
