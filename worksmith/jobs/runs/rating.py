"""Ratings of episodes by people: what a rater still has to rate, and how far raters agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console

from evals.rating.agreement import Agreement, agreement, to_json
from evals.rating.ratings import Rating, append_ratings, ratings_file, read_ratings
from evals.rating.sample import SampledEpisode, draw_sample
from evals.rating.scales import LEVELS, Scale, scales_named
from evals.records.summary import interval_json
from evals.statistics import Interval, mean
from evals.table import Grid
from evals.tracking import log_ratings
from evals.tracking.run_loading import open_runs
from worksmith.jobs.parts.opening import LOGS
from worksmith.jobs.parts.printing import Printable

if TYPE_CHECKING:
    from evals.records.run_card import LoadedRun
    from worksmith.jobs.settings.runs import RateSettings


@dataclass
class RatingSession:
    """One rater at work, who does not see whose an episode is."""

    settings: RateSettings
    runs: Sequence[LoadedRun]
    scales: Sequence[Scale]
    rater: str
    given: list[tuple[int, Rating]] = field(default_factory=list)

    @classmethod
    def open(cls, settings: RateSettings) -> RatingSession:
        """Begin, or go on."""
        scales = scales_named(",".join(settings.scales))
        runs = open_runs(settings.runs, tracking_uri=settings.tracking_uri)
        session = cls(settings, runs, scales, (settings.rater or "").strip())
        session._done |= {
            _unit(scale, rating.key, rating.task_id)
            for scale in scales
            for rating in _ratings(runs)
            if (rating.rater, rating.scale) == (session.rater, scale.name)
        }
        return session

    def __post_init__(self) -> None:
        self._done: set[tuple[str, str]] = set()

    def sample(self) -> Sequence[SampledEpisode]:
        """The episodes that this rater is shown, in order."""
        return draw_sample(self.runs, self.settings.sample, rater=self.rater, seed=self.settings.seed)

    def owed(self, episode: SampledEpisode) -> list[Scale]:
        """The scales on which an episode is not rated yet."""
        key, task = episode.record.key, episode.record.task_id
        return [scale for scale in self.scales if _unit(scale, key, task) not in self._done]

    def keep(self, scale: Scale, episode: SampledEpisode, level: int, note: str = "") -> None:
        """Write a rating beside the log; level 0 skips the episode."""
        record = episode.record
        self._done.add(_unit(scale, record.key, record.task_id))
        if not level:
            return
        rating = Rating(
            key=record.key, task_id=record.task_id, rater=self.rater, scale=scale.name, level=level, note=note
        )
        append_ratings(ratings_file(self.runs[episode.run], LOGS), [rating])
        self.given.append((episode.run, rating))

    def track(self) -> int:
        """Put the ratings of this session beside their traces in MLflow; returns how many have one."""
        if not self.settings.track:
            return 0
        uri = self.settings.tracking_uri
        return sum(
            log_ratings(run, [rating for place, rating in self.given if place == number], uri=uri)
            for number, run in enumerate(self.runs)
            if any(place == number for place, _ in self.given)
        )


@dataclass(frozen=True)
class RaterAgreement(Printable):
    """How far raters agree, and the mean level of each run by scale."""

    agreement: Sequence[Agreement]
    means: Mapping[str, Mapping[str, Interval]]

    def to_json(self) -> dict[str, Any]:
        return {
            "agreement": {each.scale: to_json(each) for each in self.agreement},
            "runs": {
                run: {scale: interval_json(level) for scale, level in row.items()}
                for run, row in self.means.items()
            },
        }

    def print(self, console: Console) -> None:
        agreed = Grid(
            "Agreement of raters",
            ("scale", "raters", "ratings", "mean level", "alpha", "shared"),
            tuple(
                (a.scale, str(a.raters), str(a.ratings), _number(a.mean), _interval(a.alpha), str(a.alpha.n))
                for a in self.agreement
            ),
            (
                "shared: rated by two or more. alpha is Krippendorff's for ordered levels: 1 is perfect "
                "agreement, 0 is chance; 0.8 is good, 0.667 enough for a first guess.",
            ),
        )
        console.print(agreed.rich())
        scales = list(next(iter(self.means.values())))
        if scales:
            rows = tuple(
                (run, *(_interval(row[scale]) for scale in scales)) for run, row in self.means.items()
            )
            console.print(Grid("Mean level by run", ("run", *scales), rows).rich())


def agreement_of(settings: RateSettings) -> RaterAgreement:
    """How far the raters of runs agree, and what they think of each run."""
    scales, seed = scales_named(",".join(settings.scales)), settings.seed
    runs = open_runs(settings.runs, tracking_uri=settings.tracking_uri)
    ratings = _ratings(runs)
    return RaterAgreement(
        [agreement(scale, ratings, seed=seed) for scale in scales],
        {run.card.label: _means(run, scales, ratings, seed) for run in runs},
    )


def _ratings(runs: Sequence[LoadedRun]) -> list[Rating]:
    files = dict.fromkeys(ratings_file(run, LOGS) for run in runs)
    return [rating for file in files for rating in read_ratings(file)]


def _unit(scale: Scale, key: str, task: str) -> tuple[str, str]:
    """What is rated once: a task, in whichever episode, or an episode."""
    return scale.name, task if scale.about == "task" else key


def _means(
    run: LoadedRun, scales: Sequence[Scale], ratings: Sequence[Rating], seed: int
) -> dict[str, Interval]:
    """The mean level of a run's episodes with its interval, by scale; of scales that are about episodes."""
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


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def _interval(interval: Interval) -> str:
    if math.isnan(interval.value):
        return "-"
    return f"{interval.value:.2f} [{interval.low:.2f}, {interval.high:.2f}]"
