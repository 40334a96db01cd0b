"""Tasks about the web site's figures (A1-A12): which plots are to be made, and on what condition."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from random import Random

from evals.office.intents.acting import perform
from evals.office.intents.intent import Logic, Slots, intents
from evals.office.intents.metrics import (
    METRICS,
    check_growth,
    draw_condition,
    draw_growth_comparison,
    draw_metric_pair,
    draw_since,
    draw_threshold,
    draw_weekday_back,
    grew_more,
    growth,
    passed,
    read_series,
    series,
    starts_above_zero,
    yesterday,
)
from evals.office.intents.script import Script
from evals.office.intents.wording import day_of, day_words, weekday_back
from evals.office.records import Records
from evals.task import Action
from tools.office.schema import TRAFFIC_SOURCES

CHARTS = {"bar chart": "bar", "line chart": "line", "scatter plot": "scatter", "histogram": "histogram"}
"""What tasks call a plot type."""

GROWTHS = ("2%", "3%", "5%", "10%")
_WEEKS = (2, 6)
_WEEK = timedelta(days=7)


def _plot(since: date, until: date, value: str, kind: str) -> Action:
    return Action(
        tool="analytics.create_plot",
        arguments={
            "time_min": since.isoformat(),
            "time_max": until.isoformat(),
            "value_to_plot": value,
            "plot_type": kind,
        },
    )


def _plots(slots: Slots, today: date, kind: str) -> list[Action]:
    """One plot of each metric that the slots name, from their first day to their last."""
    since, until = _period(slots, today)
    names = [slots[name] for name in ("metric", "metric_2") if name in slots]
    return [_plot(since, until, METRICS[name].value_to_plot, kind) for name in names]


def _period(slots: Slots, today: date) -> tuple[date, date]:
    """The days that a task is about; yesterday is the last unless `date_max` says otherwise."""
    until = day_of(slots["date_max"], today) if "date_max" in slots else yesterday(today)
    if "date" in slots:
        return day_of(slots["date"], today), until
    if "weeks" in slots:
        return today - int(slots["weeks"]) * _WEEK, until
    return weekday_back(slots["weekday"], today), until


def _make(call: Script, plots: list[Action]) -> None:
    for plot in plots:
        perform(call, plot, f"I make the {plot.arguments['plot_type']} plot that was asked for.")


# --- plots without a condition: A1, A2, A3, A5 ----------------------------------------------------------


def _draw_chart(records: Records, rng: Random) -> Slots:
    return {
        "chart": rng.choice(list(CHARTS)),
        "metric": rng.choice(list(METRICS)),
        "date": day_words(draw_since(records, rng)),
    }


def _draw_day(records: Records, rng: Random) -> Slots:
    return {"metric": rng.choice(list(METRICS)), "date": day_words(draw_since(records, rng))}


def _draw_range(records: Records, rng: Random) -> Slots | None:
    since, until = sorted(draw_since(records, rng) for _ in range(2))
    if since == until:
        return None
    return draw_metric_pair(rng) | {"date": day_words(since), "date_max": day_words(until)}


def _draw_pair_since(records: Records, rng: Random) -> Slots:
    return draw_metric_pair(rng) | {"date": draw_since(records, rng).isoformat()}


def _chart(slots: Slots, today: date) -> list[Action]:
    return _plots(slots, today, CHARTS[slots["chart"]])


def _one_day(slots: Slots, today: date) -> list[Action]:
    return _plots({**slots, "date_max": slots["date"]}, today, "histogram")


# --- plots of a figure that passed a value: A4, A6 ------------------------------------------------------


def _draw_weeks(records: Records, rng: Random) -> Slots:
    return draw_threshold(records, rng) | {"weeks": str(rng.randint(*_WEEKS))}


def _if_passed(records: Records, slots: Slots) -> list[Action]:
    values = series(records, slots["metric"], *_period(slots, records.today)).values()
    return _plots(slots, records.today, "line") if passed(values, slots) else []


def _solve_if_passed(slots: Slots, call: Script) -> None:
    if passed(read_series(call, slots["metric"], *_period(slots, call.today)).values(), slots):
        _make(call, _plots(slots, call.today, "line"))


# --- plots of a figure that grew: A7, A8, A9 ------------------------------------------------------------


def _draw_growth(records: Records, rng: Random) -> dict[str, str]:
    return {
        "metric": rng.choice(list(METRICS)),
        "growth": rng.choice(GROWTHS),
        "higher_or_lower": rng.choice(("higher", "lower")),
    }


def _draw_growth_since(records: Records, rng: Random) -> Slots | None:
    slots = _draw_growth(records, rng) | {"date": day_words(draw_since(records, rng))}
    return slots if _tells_growth(records, slots) else None


def _draw_growth_since_weekday(records: Records, rng: Random) -> Slots | None:
    slots = _draw_growth(records, rng) | {"weekday": draw_weekday_back(records, rng)}
    return slots if _tells_growth(records, slots) else None


def _draw_growth_in_week(records: Records, rng: Random) -> Slots | None:
    slots = _draw_growth(records, rng) | {"weekday": draw_weekday_back(records, rng)}
    since, until = _two_weekdays(slots, records.today)
    values = series(records, slots["metric"], since, until)
    return slots if starts_above_zero(values, since) and until in values else None


def _tells_growth(records: Records, slots: Slots) -> bool:
    since, until = _period(slots, records.today)
    return starts_above_zero(series(records, slots["metric"], since, until), since)


def _two_weekdays(slots: Slots, today: date) -> tuple[date, date]:
    until = weekday_back(slots["weekday"], today)
    return until - _WEEK, until


def _grown(slots: Slots, share: float) -> bool:
    least = int(slots["growth"].rstrip("%")) / 100
    return share > least if slots["higher_or_lower"] == "higher" else share < -least


def _if_grown(records: Records, slots: Slots) -> list[Action]:
    values = series(records, slots["metric"], *_period(slots, records.today))
    return _plots(slots, records.today, "line") if _grown(slots, growth(values)) else []


def _solve_if_grown(slots: Slots, call: Script) -> None:
    values = read_series(call, slots["metric"], *_period(slots, call.today))
    if _grown(slots, growth(values)):
        _make(call, _plots(slots, call.today, "line"))


def _week_plot(slots: Slots, today: date) -> list[Action]:
    return [_plot(*_two_weekdays(slots, today), METRICS[slots["metric"]].value_to_plot, "line")]


def _if_grown_in_week(records: Records, slots: Slots) -> list[Action]:
    values = series(records, slots["metric"], *_two_weekdays(slots, records.today))
    return _week_plot(slots, records.today) if _grown(slots, growth(values)) else []


def _solve_if_grown_in_week(slots: Slots, call: Script) -> None:
    values = read_series(call, slots["metric"], *_two_weekdays(slots, call.today))
    if _grown(slots, growth(values)):
        _make(call, _week_plot(slots, call.today))


# --- plots of two figures if one grew more: A10 ---------------------------------------------------------


def _if_grown_more(records: Records, slots: Slots) -> list[Action]:
    return _plots(slots, records.today, "line") if grew_more(records, slots) else []


def _solve_if_grown_more(slots: Slots, call: Script) -> None:
    if check_growth(slots, call):
        _make(call, _plots(slots, call.today, "line"))


# --- plots of traffic sources: A11, A12 -----------------------------------------------------------------


def _visits_by_source(records: Records, since: date, until: date) -> Counter[str]:
    return Counter(visit.source for visit in records.visits if since <= visit.day <= until)


def _read_visits(call: Script, source: str, since: date, until: date) -> int:
    found: dict[str, int] = call(
        "analytics.traffic_source_count",
        f"I need the visits from {source} in that period.",
        time_min=since.isoformat(),
        time_max=until.isoformat(),
        traffic_source=source,
    )
    return sum(found.values())


def _source_value(source: str) -> str:
    return f"visits_{source.replace(' ', '_')}"


def _draw_top_source(records: Records, rng: Random) -> Slots | None:
    """None where two sources share the first place."""
    slots = {"date": day_words(draw_since(records, rng))}
    (_, most), *others = _visits_by_source(records, *_period(slots, records.today)).most_common(2)
    return slots if not others or others[0][1] < most else None


def _top_source(records: Records, slots: Slots) -> list[Action]:
    period = _period(slots, records.today)
    source = _visits_by_source(records, *period).most_common(1)[0][0]
    return [_plot(*period, _source_value(source), "line")]


def _solve_top_source(slots: Slots, call: Script) -> None:
    period = _period(slots, call.today)
    visits = {source: _read_visits(call, source, *period) for source in TRAFFIC_SOURCES}
    source = max(visits, key=visits.__getitem__)
    _make(call, [_plot(*period, _source_value(source), "line")])


def _draw_sources(records: Records, rng: Random) -> Slots:
    first, second = rng.sample(TRAFFIC_SOURCES, 2)
    return {"source_1": first, "source_2": second, "weeks": str(rng.randint(*_WEEKS))}


def _source_plots(slots: Slots, today: date) -> list[Action]:
    period = _period(slots, today)
    return [_plot(*period, _source_value(slots[name]), "bar") for name in ("source_1", "source_2")]


def _if_more_visits(records: Records, slots: Slots) -> list[Action]:
    visits = _visits_by_source(records, *_period(slots, records.today))
    return (
        _source_plots(slots, records.today) if visits[slots["source_1"]] > visits[slots["source_2"]] else []
    )


def _solve_if_more_visits(slots: Slots, call: Script) -> None:
    period = _period(slots, call.today)
    first, second = (_read_visits(call, slots[name], *period) for name in ("source_1", "source_2"))
    if first > second:
        _make(call, _source_plots(slots, call.today))


INTENTS = intents(
    "analytics.toml",
    {
        "A1": Logic(
            _draw_chart,
            lambda records, slots: _chart(slots, records.today),
            lambda slots, call: _make(call, _chart(slots, call.today)),
        ),
        "A2": Logic(
            _draw_day,
            lambda records, slots: _one_day(slots, records.today),
            lambda slots, call: _make(call, _one_day(slots, call.today)),
        ),
        "A3": Logic(
            _draw_range,
            lambda records, slots: _plots(slots, records.today, "histogram"),
            lambda slots, call: _make(call, _plots(slots, call.today, "histogram")),
        ),
        "A4": Logic(draw_condition, _if_passed, _solve_if_passed),
        "A5": Logic(
            _draw_pair_since,
            lambda records, slots: _plots(slots, records.today, "bar"),
            lambda slots, call: _make(call, _plots(slots, call.today, "bar")),
        ),
        "A6": Logic(_draw_weeks, _if_passed, _solve_if_passed),
        "A7": Logic(_draw_growth_since, _if_grown, _solve_if_grown),
        "A8": Logic(_draw_growth_since_weekday, _if_grown, _solve_if_grown),
        "A9": Logic(_draw_growth_in_week, _if_grown_in_week, _solve_if_grown_in_week),
        "A10": Logic(draw_growth_comparison, _if_grown_more, _solve_if_grown_more),
        "A11": Logic(_draw_top_source, _top_source, _solve_top_source),
        "A12": Logic(_draw_sources, _if_more_visits, _solve_if_more_visits),
    },
)
