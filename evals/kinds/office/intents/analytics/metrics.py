"""The web site's daily figures, and the conditions that tasks put on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from random import Random

from worksmith.evals.kinds.office.intents.intent import Slots
from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.intents.wording import day_of, day_words, weekday_back, weekday_words
from worksmith.evals.kinds.office.records import Records, Visit

Series = Mapping[date, float]


@dataclass(frozen=True)
class Metric:
    """One daily figure.

    Attributes:
        words: what tasks call it.
        tool: shows its series.
        value_to_plot: what the plotting tool calls it.
    """

    words: str
    tool: str
    value_to_plot: str


METRICS = {
    metric.words: metric
    for metric in (
        Metric("total visits", "analytics.total_visits_count", "total_visits"),
        Metric(
            "average session duration", "analytics.get_average_session_duration", "session_duration_seconds"
        ),
        Metric("engaged users", "analytics.engaged_users_count", "user_engaged"),
    )
}


def yesterday(today: date) -> date:
    """The last day with visits."""
    return today - timedelta(days=1)


def daily(metric: str, visits: list[Visit]) -> float:
    """A metric's figure for the visits of one day."""
    if metric == "total visits":
        return len(visits)
    if metric == "engaged users":
        return sum(visit.engaged for visit in visits)
    return sum(visit.seconds for visit in visits) / len(visits)


def series(records: Records, metric: str, since: date, until: date | None = None) -> Series:
    """A metric's daily figures from `since` to `until`, by default yesterday, for days with visits."""
    last = until or yesterday(records.today)
    return {day: value for day, value in _whole_series(records, metric).items() if since <= day <= last}


@lru_cache(maxsize=16)
def _whole_series(records: Records, metric: str) -> Series:
    days = records.visits_on
    return {day: daily(metric, days[day]) for day in sorted(days)}


def read_series(call: PlanRecorder, metric: str, since: date, until: date | None = None) -> Series:
    """The same through the metric's tool."""
    last = until or yesterday(call.today)
    found: dict[str, float] = call(
        METRICS[metric].tool,
        f"I need the daily figures for {metric} in that period.",
        time_min=since.isoformat(),
        time_max=last.isoformat(),
    )
    return {date.fromisoformat(day): value for day, value in found.items()}


def passed(values: Iterable[float], slots: Slots) -> bool:
    """Whether at least one value is more, or less, than the threshold that the slots name."""
    threshold = int(slots["threshold"])
    if slots["more_or_less"] == "more":
        return any(value > threshold for value in values)
    return any(value < threshold for value in values)


def growth(values: Series) -> float:
    """From the first to the last value, relative to the first, which must not be 0."""
    first, *_ = values.values()
    *_, last = values.values()
    return (last - first) / first


def draw_threshold(records: Records, rng: Random) -> dict[str, str]:
    """Slots metric, more_or_less, above_or_below and threshold.

    The threshold is the least, the middle or the greatest of all daily figures, cut to a whole number.
    """
    metric = rng.choice(list(METRICS))
    values = sorted(series(records, metric, date.min).values())
    more = rng.random() < 0.5
    return {
        "metric": metric,
        "more_or_less": "more" if more else "less",
        "above_or_below": "above" if more else "below",
        "threshold": str(max(1, int(rng.choice((values[0], values[len(values) // 2], values[-1]))))),
    }


def draw_since(records: Records, rng: Random) -> date:
    last = yesterday(records.today)
    return rng.choice(sorted(day for day in records.visits_on if day < last))


def draw_condition(records: Records, rng: Random) -> dict[str, str]:
    return draw_threshold(records, rng) | {"date": day_words(draw_since(records, rng))}


def condition_held(records: Records, slots: Slots) -> bool:
    since = day_of(slots["date"], records.today)
    return passed(series(records, slots["metric"], since).values(), slots)


def check_condition(slots: Slots, call: PlanRecorder) -> bool:
    since = day_of(slots["date"], call.today)
    return passed(read_series(call, slots["metric"], since).values(), slots)


def draw_metric_pair(rng: Random) -> dict[str, str]:
    metric, second = rng.sample(list(METRICS), 2)
    return {"metric": metric, "metric_2": second}


def draw_weekday_back(records: Records, rng: Random) -> str:
    """A weekday to compare yesterday with; not its own, which could mean the one a week before."""
    return weekday_words(records.today - timedelta(days=rng.randint(2, 6)))


def draw_growth_comparison(records: Records, rng: Random) -> dict[str, str] | None:
    slots = draw_metric_pair(rng) | {"weekday": draw_weekday_back(records, rng)}
    since = weekday_back(slots["weekday"], records.today)
    both = (series(records, slots[name], since) for name in ("metric", "metric_2"))
    return slots if all(starts_above_zero(values, since) for values in both) else None


def starts_above_zero(values: Series, since: date) -> bool:
    """Whether growth since a day can be told."""
    return values.get(since, 0) > 0


def grew_more(records: Records, slots: Slots) -> bool:
    since = weekday_back(slots["weekday"], records.today)
    return growth(series(records, slots["metric"], since)) > growth(series(records, slots["metric_2"], since))


def check_growth(slots: Slots, call: PlanRecorder) -> bool:
    since = weekday_back(slots["weekday"], call.today)
    first = growth(read_series(call, slots["metric"], since))
    return first > growth(read_series(call, slots["metric_2"], since))
