"""The episodes behind a figure of a report, and each of them in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console

from worksmith.evals.records.record_numbers import COSTS
from worksmith.evals.reporting.episodes import FIELDS, SHORT_KEY, Selection, facet_names, find_episode
from worksmith.evals.reporting.figures import metric_mean, metric_values
from worksmith.evals.reporting.plain import episode_text
from worksmith.evals.reporting.study import episodes_of
from worksmith.evals.suite import Suite
from worksmith.evals.table import NO_DATA, Grid
from worksmith.evals.tasks.task_filter import conditions
from worksmith.evals.tracking.run_loading import open_runs
from worksmith.jobs.showing.printing import Printable
from worksmith.tools.errors import InputError, names_instead, unknown

if TYPE_CHECKING:
    from worksmith.evals.reporting.episodes import ShownEpisode
    from worksmith.jobs.settings.runs import EpisodesSettings


@dataclass(frozen=True)
class Episodes(Printable):
    """Episodes with the value of a metric.

    Attributes:
        mean: of the metric; None if no episode has a value.
        counted: how many episodes have a value.
        rows: one for each episode.
    """

    metric: str
    mean: float | None
    counted: int
    rows: Sequence[dict[str, Any]]

    def to_json(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "mean": self.mean,
            "counted": self.counted,
            "episodes": list(self.rows),
        }

    def print(self, console: Console) -> None:
        def cell(value: Any) -> str:
            return NO_DATA if value is None else f"{value:g}" if isinstance(value, float) else str(value)

        names = ("task", "trial", "status", "fault", self.metric)
        several = len({row["arm"] for row in self.rows}) > 1
        shown = ("arm", *names) if several else names
        cells = tuple((row["id"][:SHORT_KEY], *(cell(row[name]) for name in shown)) for row in self.rows)
        mean = (
            "" if self.mean is None else f"; the mean of {self.metric} over {self.counted} is {self.mean:.6g}"
        )
        title = f"{len(self.rows)} episode{'' if len(self.rows) == 1 else 's'}{mean}"
        console.print(Grid(title, ("id", *shown), cells).rich() if self.rows else title)


@dataclass(frozen=True)
class WholeEpisode(Printable):
    """One episode in full."""

    shown: ShownEpisode

    def to_json(self) -> Any:
        return self.shown.record.model_dump(mode="json")

    def print(self, console: Console) -> None:
        console.out(episode_text(self.shown), end="", highlight=False)


def list_episodes(settings: EpisodesSettings) -> Episodes:
    """List episodes of runs with the contribution of each to a figure."""
    episodes, metric = select_episodes(settings), settings.metric
    records = [episode.record for episode in episodes]
    values = {id(record): value for record, value in metric_values(records, metric)}
    if not values and any(record.graded for record in records):
        known = sorted({name for record in records for name in record.scores} | set(COSTS))
        hint = f"{names_instead(metric, known)}, error_rate, fault/NAME, status/NAME"
        raise InputError(f"no episode has a value of {metric!r}", where="--metric", hint=hint)
    rows = [
        {
            "id": episode.record.key,
            "arm": episode.arm,
            "task": episode.record.task_id,
            "trial": episode.record.trial,
            "status": episode.record.status,
            "fault": episode.record.fault.kind if episode.record.fault else None,
            metric: values.get(id(episode.record)),
        }
        for episode in episodes
    ]
    return Episodes(metric, metric_mean(records, metric), len(values), rows)


def whole_episode(settings: EpisodesSettings, name: str) -> WholeEpisode:
    """One of the episodes, by its id or the id of its task."""
    return WholeEpisode(find_episode(select_episodes(settings), name))


def select_episodes(settings: EpisodesSettings) -> list[ShownEpisode]:
    """The episodes that settings choose."""
    suite = Suite.open(settings.suite) if settings.suite else None
    runs = open_runs(settings.runs, tracking_uri=settings.tracking_uri, suite=suite)
    labels = [run.card.label for run in runs]
    for arm in settings.arm:
        if arm not in labels:
            raise unknown("no program", arm, labels, "--arm")
    if settings.verdict not in ("", "right", "wrong", "lost"):
        raise InputError(
            f"no verdict {settings.verdict!r}", where="--verdict", hint="there are right, wrong, lost"
        )
    short = {"domain": settings.domain, "fault": settings.fault}
    named = (f"{name}={value}" for name, value in short.items() if value is not None)
    chosen = conditions([*settings.where, *named])
    facets = facet_names(record for run in runs for record in run.records)
    for condition in chosen:
        condition.check([*FIELDS, *facets])
    verdict = "wrong" if settings.wrong else settings.verdict
    return list(Selection(settings.arm, chosen, verdict, settings.text)(episodes_of(runs)))
