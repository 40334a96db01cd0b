"""Tasks about the web site's figures (A1-A12): which plots are to be made, and on what condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from random import Random

from worksmith.evals.kinds.office.intents.actions import plot
from worksmith.evals.kinds.office.intents.intent import Act, Desk, Slots, intents
from worksmith.evals.kinds.office.intents.wording import day_of, day_words, weekday_back, weekday_words
from worksmith.evals.kinds.office.records import METRICS, Records, Series
from worksmith.tools.kinds.office.schema import TRAFFIC_SOURCES

CHARTS = {"bar chart": "bar", "line chart": "line", "scatter plot": "scatter", "histogram": "histogram"}
"""What tasks call a plot type."""

_WEEK = timedelta(days=7)
_WEEKS = (2, 6)
"""Tasks compare sources over this number of weeks, from the least to the most."""

_GROWTHS = ("2%", "3%", "5%", "10%")

Days = tuple[date, date]
DaysOf = Callable[[Slots, date], Days]
Condition = Callable[[Desk, Slots], bool]


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


def days_of(slots: Slots, today: date) -> Days:
    """The days of a task; the last is yesterday by default, or `date_max`."""
    until = day_of(slots["date_max"], today) if "date_max" in slots else yesterday(today)
    if "date" in slots:
        return day_of(slots["date"], today), until
    if "weeks" in slots:
        return today - int(slots["weeks"]) * _WEEK, until
    return weekday_back(slots["weekday"], today), until


def yesterday(today: date) -> date:
    """The last day with visits."""
    return today - timedelta(days=1)


def _since_a_weekday(slots: Slots, today: date) -> Days:
    until = weekday_back(slots["weekday"], today)
    return until - _WEEK, until


def draw_metric(rng: Random) -> str:
    return rng.choice(list(METRICS))


def _draw_metric_pair(rng: Random) -> dict[str, str]:
    metric, second = rng.sample(list(METRICS), 2)
    return {"metric": metric, "metric_2": second}


def _draw_since(records: Records, rng: Random) -> date:
    last = yesterday(records.today)
    return rng.choice(sorted(day for day in records.visits_on if day < last))


def _draw_weekday_back(records: Records, rng: Random) -> str:
    """A weekday to compare yesterday with; not its own, which could mean the one a week before."""
    return weekday_words(records.today - timedelta(days=rng.randint(2, 6)))


def _draw_threshold(records: Records, rng: Random) -> dict[str, str]:
    """The threshold is the least, the middle or the greatest of all daily figures, cut to a whole number."""
    metric = draw_metric(rng)
    values = sorted(records.series(metric, date.min).values())
    more = rng.random() < 0.5
    return {
        "metric": metric,
        "more_or_less": "more" if more else "less",
        "above_or_below": "above" if more else "below",
        "threshold": str(max(1, int(rng.choice((values[0], values[len(values) // 2], values[-1]))))),
    }


def draw_condition(records: Records, rng: Random) -> dict[str, str]:
    return _draw_threshold(records, rng) | {"date": day_words(_draw_since(records, rng))}


def draw_growth_comparison(records: Records, rng: Random) -> dict[str, str] | None:
    slots = _draw_metric_pair(rng) | {"weekday": _draw_weekday_back(records, rng)}
    since = weekday_back(slots["weekday"], records.today)
    return slots if all(_starts(records, slots[name], since) for name in ("metric", "metric_2")) else None


def _starts(records: Records, metric: str, since: date) -> bool:
    """Whether growth since a day is defined: the figure is above zero."""
    return records.series(metric, since).get(since, 0) > 0


def condition_held(desk: Desk, slots: Slots) -> bool:
    """Whether the figure passed the threshold since a day."""
    return passed(desk.series(slots["metric"], day_of(slots["date"], desk.today)).values(), slots)


def grew_more(desk: Desk, slots: Slots) -> bool:
    """Whether the first figure grew more than the second since a weekday."""
    since = weekday_back(slots["weekday"], desk.today)
    first = growth(desk.series(slots["metric"], since))
    return first > growth(desk.series(slots["metric_2"], since))


def _draw_chart(records: Records, rng: Random) -> Slots:
    return {
        "chart": rng.choice(list(CHARTS)),
        "metric": draw_metric(rng),
        "date": day_words(_draw_since(records, rng)),
    }


def _draw_day(records: Records, rng: Random) -> Slots:
    return {"metric": draw_metric(rng), "date": day_words(_draw_since(records, rng))}


def _draw_range(records: Records, rng: Random) -> Slots | None:
    since, until = sorted(_draw_since(records, rng) for _ in range(2))
    if since == until:
        return None
    return _draw_metric_pair(rng) | {"date": day_words(since), "date_max": day_words(until)}


def _draw_pair_since(records: Records, rng: Random) -> Slots:
    return _draw_metric_pair(rng) | {"date": _draw_since(records, rng).isoformat()}


def _draw_weeks(records: Records, rng: Random) -> Slots:
    return _draw_threshold(records, rng) | {"weeks": str(rng.randint(*_WEEKS))}


def _draw_growth(records: Records, rng: Random) -> dict[str, str]:
    return {
        "metric": draw_metric(rng),
        "growth": rng.choice(_GROWTHS),
        "higher_or_lower": rng.choice(("higher", "lower")),
    }


def _draw_growth_since(records: Records, rng: Random) -> Slots | None:
    slots = _draw_growth(records, rng) | {"date": day_words(_draw_since(records, rng))}
    return slots if _starts(records, slots["metric"], days_of(slots, records.today)[0]) else None


def _draw_growth_since_weekday(records: Records, rng: Random) -> Slots | None:
    slots = _draw_growth(records, rng) | {"weekday": _draw_weekday_back(records, rng)}
    return slots if _starts(records, slots["metric"], days_of(slots, records.today)[0]) else None


def _draw_growth_in_week(records: Records, rng: Random) -> Slots | None:
    slots = _draw_growth(records, rng) | {"weekday": _draw_weekday_back(records, rng)}
    since, until = _since_a_weekday(slots, records.today)
    values = records.series(slots["metric"], since, until)
    return slots if values.get(since, 0) > 0 and until in values else None


def _draw_top_source(records: Records, rng: Random) -> Slots | None:
    slots = {"date": day_words(_draw_since(records, rng))}
    since, until = days_of(slots, records.today)
    visits = Counter(visit.source for visit in records.visits if since <= visit.day <= until)
    (_, most), *others = visits.most_common(2)
    return slots if not others or others[0][1] < most else None


def _draw_sources(records: Records, rng: Random) -> Slots:
    first, second = rng.sample(TRAFFIC_SOURCES, 2)
    return {"source_1": first, "source_2": second, "weeks": str(rng.randint(*_WEEKS))}


def _plots(kind: str, condition: Condition | None = None, days: DaysOf = days_of) -> Act:
    """One plot of each metric that the slots name, if a condition holds."""

    def act(desk: Desk, slots: Slots) -> None:
        if condition is None or condition(desk, slots):
            names = [slots[name] for name in ("metric", "metric_2") if name in slots]
            values = [METRICS[name].value_to_plot for name in names]
            _plot(desk, days(slots, desk.today), values, CHARTS.get(slots.get("chart", ""), kind))

    return act


def _plot(desk: Desk, days: Days, values: list[str], kind: str) -> None:
    for value in values:
        desk.do(plot(*days, value, kind), f"I make the {kind} plot that was asked for.")


def _one_day(desk: Desk, slots: Slots) -> None:
    _plots("histogram")(desk, {**slots, "date_max": slots["date"]})


def _passed(desk: Desk, slots: Slots) -> bool:
    return passed(desk.series(slots["metric"], *days_of(slots, desk.today)).values(), slots)


def _grown(days: DaysOf) -> Condition:
    """Whether a figure grew, or fell, by more than the share that the slots name."""

    def condition(desk: Desk, slots: Slots) -> bool:
        share = growth(desk.series(slots["metric"], *days(slots, desk.today)))
        least = int(slots["growth"].rstrip("%")) / 100
        return share > least if slots["higher_or_lower"] == "higher" else share < -least

    return condition


def _source_value(source: str) -> str:
    return f"visits_{source.replace(' ', '_')}"


def _top_source(desk: Desk, slots: Slots) -> None:
    days = days_of(slots, desk.today)
    visits = {source: desk.visits(source, *days) for source in TRAFFIC_SOURCES}
    _plot(desk, days, [_source_value(max(visits, key=visits.__getitem__))], "line")


def _if_more_visits(desk: Desk, slots: Slots) -> None:
    days, sources = days_of(slots, desk.today), (slots["source_1"], slots["source_2"])
    first, second = (desk.visits(source, *days) for source in sources)
    if first > second:
        _plot(desk, days, [_source_value(source) for source in sources], "bar")


INTENTS = intents(
    "analytics/intents.toml",
    {
        "A1": (_draw_chart, _plots("")),
        "A2": (_draw_day, _one_day),
        "A3": (_draw_range, _plots("histogram")),
        "A4": (draw_condition, _plots("line", _passed)),
        "A5": (_draw_pair_since, _plots("bar")),
        "A6": (_draw_weeks, _plots("line", _passed)),
        "A7": (_draw_growth_since, _plots("line", _grown(days_of))),
        "A8": (_draw_growth_since_weekday, _plots("line", _grown(days_of))),
        "A9": (_draw_growth_in_week, _plots("line", _grown(_since_a_weekday), _since_a_weekday)),
        "A10": (draw_growth_comparison, _plots("line", grew_more)),
        "A11": (_draw_top_source, _top_source),
        "A12": (_draw_sources, _if_more_visits),
    },
)
