"""Ratings by people, of episodes, tasks and records: the rest of a rater's work; agreement."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Console

from worksmith.evals.rating.agreement import RaterAgreement, agreement, to_json
from worksmith.evals.rating.ratings import Rating, append_ratings, ratings_file, read_ratings
from worksmith.evals.rating.sample import SampledEpisode, draw_sample
from worksmith.evals.rating.scales import LEVELS, Scale, scales_named
from worksmith.evals.rating.suite_sample import RATINGS_FILE, Rated, SampledText, draw_texts
from worksmith.evals.records.summary import interval_json
from worksmith.evals.statistics import Interval, mean
from worksmith.evals.suite import Suite
from worksmith.evals.table import Grid
from worksmith.evals.tracking import log_ratings
from worksmith.evals.tracking.run_loading import open_runs
from worksmith.jobs.opening.suites import LOGS
from worksmith.jobs.showing.printing import Printable
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.records.run_card import LoadedRun
    from worksmith.jobs.settings.runs import RateSettings


class Item(NamedTuple):
    """Something to rate.

    Attributes:
        place: the number of its run or suite, which raters do not see.
        task_id: empty for a record.
    """

    place: int
    key: str
    task_id: str
    shown: SampledEpisode | SampledText


@dataclass
class RatingSession:
    """One rater at work, who does not see the origin of an episode, a task or a record.

    Attributes:
        files: of the ratings, by run or suite.
        runs: empty for suites.
    """

    settings: RateSettings
    items: Sequence[Item]
    files: Sequence[Path]
    scales: Sequence[Scale]
    rater: str
    runs: Sequence[LoadedRun] = ()
    given: list[tuple[int, Rating]] = field(default_factory=list)

    @classmethod
    def open(cls, settings: RateSettings) -> RatingSession:
        """Begin, or go on."""
        scales, rater = _scales(settings), (settings.rater or "").strip()
        runs: Sequence[LoadedRun] = ()
        if rated := _rated(settings):
            suites = [Suite.open(Path(name)) for name in settings.runs]
            texts = draw_texts(suites, rated, settings.sample, rater=rater, seed=settings.seed)
            items = [Item(text.suite, text.key, text.key if rated == "task" else "", text) for text in texts]
            files = [suite.path / RATINGS_FILE for suite in suites]
        else:
            runs = open_runs(settings.runs, tracking_uri=settings.tracking_uri)
            shown = draw_sample(runs, settings.sample, rater=rater, seed=settings.seed)
            items = [Item(each.run, each.record.key, each.record.task_id, each) for each in shown]
            files = [ratings_file(run, LOGS) for run in runs]
        session = cls(settings, items, files, scales, rater, runs)
        session._done |= {
            _unit(scale, rating.key, rating.task_id)
            for scale in scales
            for rating in _ratings(files)
            if (rating.rater, rating.scale) == (rater, scale.name)
        }
        return session

    def __post_init__(self) -> None:
        self._done: set[tuple[str, str]] = set()

    def owed(self, item: Item) -> list[Scale]:
        """The scales on which an item is not rated yet."""
        return [scale for scale in self.scales if _unit(scale, item.key, item.task_id) not in self._done]

    def keep(self, scale: Scale, item: Item, level: int, note: str = "") -> None:
        """Write a rating beside the log or into the suite's folder; level 0 skips the item."""
        self._done.add(_unit(scale, item.key, item.task_id))
        if not level:
            return
        rating = Rating(
            key=item.key, task_id=item.task_id, rater=self.rater, scale=scale.name, level=level, note=note
        )
        append_ratings(self.files[item.place], [rating])
        self.given.append((item.place, rating))

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
class RatingAgreement(Printable):
    """How far raters agree, and the mean level of each run by scale."""

    agreement: Sequence[RaterAgreement]
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
            console.print(Grid("Mean level", ("run", *scales), rows).rich())


def agreement_of(settings: RateSettings) -> RatingAgreement:
    """The agreement of the raters of runs or suites, and their levels for each."""
    scales, seed = _scales(settings), settings.seed
    if _rated(settings):
        files = {name: Path(name) / RATINGS_FILE for name in settings.runs}
        means = {name: _means_of(_ratings([file]), scales, seed) for name, file in files.items()}
        return RatingAgreement(
            [agreement(scale, _ratings([*files.values()]), seed=seed) for scale in scales], means
        )
    runs = open_runs(settings.runs, tracking_uri=settings.tracking_uri)
    ratings = _ratings([ratings_file(run, LOGS) for run in runs])
    about = [scale for scale in scales if scale.about == "episode"]
    return RatingAgreement(
        [agreement(scale, ratings, seed=seed) for scale in scales],
        {run.card.label: _means_of(_of_run(run, ratings), about, seed) for run in runs},
    )


def _rated(settings: RateSettings) -> Rated | None:
    """The rated part of suites; None for episodes of runs.

    Raises:
        InputError: both tasks and records are named.
    """
    if settings.tasks and settings.records:
        raise InputError("tasks and records are rated apart", where="--records", hint="give one of them")
    return "task" if settings.tasks else "record" if settings.records else None


def _scales(settings: RateSettings) -> tuple[Scale, ...]:
    """The scales that settings name, else those of the rated part.

    Raises:
        InputError: a scale is about something else.
    """
    rated = _rated(settings) or "episode"
    found = scales_named(",".join(settings.scales or _USUAL[rated]))
    # Who rates episodes reads their tasks as well.
    fitting = ("episode", "task") if rated == "episode" else (rated,)
    for scale in found:
        if scale.about not in fitting:
            raise InputError(
                f"the scale {scale.name} is about a {scale.about}",
                where="--scales",
                hint=f"usual: {', '.join(_USUAL[rated])}",
            )
    return found


_USUAL = {
    "episode": ("correctness", "realism"),
    "task": ("realism", "clarity"),
    "record": ("record_realism", "coherence"),
}


def _ratings(files: Sequence[Path]) -> list[Rating]:
    return [rating for file in dict.fromkeys(files) for rating in read_ratings(file)]


def _of_run(run: LoadedRun, ratings: Sequence[Rating]) -> list[Rating]:
    keys = {record.key for record in run.records}
    return [rating for rating in ratings if rating.key in keys]


def _unit(scale: Scale, key: str, task: str) -> tuple[str, str]:
    """The unit of a rating: a task, in any episode; an episode; a record."""
    return scale.name, task if scale.about == "task" else key


def _means_of(ratings: Sequence[Rating], scales: Sequence[Scale], seed: int) -> dict[str, Interval]:
    """The mean level with its interval, by scale."""
    found = {}
    for scale in scales:
        given: dict[str, list[float]] = {}
        for rating in ratings:
            if rating.scale == scale.name:
                given.setdefault(rating.task_id or rating.key, []).append((rating.level - 1) / (LEVELS - 1))
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
