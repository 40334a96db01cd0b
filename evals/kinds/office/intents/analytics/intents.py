"""Tasks about the web site's figures (A1-A12): which plots are to be made, and on what condition."""

from __future__ import annotations

from collections import Counter
from datetime import date
from functools import partial
from random import Random

from worksmith.evals.kinds.office.intents.analytics.metrics import (
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
)
from worksmith.evals.kinds.office.intents.analytics.plots import (
    CHARTS,
    WEEK,
    days_of,
    make_plots,
    plot,
    plots_of,
    plotting,
)
from worksmith.evals.kinds.office.intents.intent import Logic, Slots, intents
from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.intents.wording import day_words, weekday_back
from worksmith.evals.kinds.office.records import Records
from worksmith.evals.tasks.task import Action
from worksmith.tools.kinds.office.schema import TRAFFIC_SOURCES

WEEKS = (2, 6)
"""Tasks compare sources over so many weeks, from the least to the most."""


def _visits_by_source(records: Records, since: date, until: date) -> Counter[str]:
    return Counter(visit.source for visit in records.visits if since <= visit.day <= until)


def _read_visits(call: PlanRecorder, source: str, since: date, until: date) -> int:
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


def draw_top_source(records: Records, rng: Random) -> Slots | None:
    slots = {"date": day_words(draw_since(records, rng))}
    (_, most), *others = _visits_by_source(records, *days_of(slots, records.today)).most_common(2)
    return slots if not others or others[0][1] < most else None


def top_source(records: Records, slots: Slots) -> list[Action]:
    period = days_of(slots, records.today)
    source = _visits_by_source(records, *period).most_common(1)[0][0]
    return [plot(*period, _source_value(source), "line")]


def solve_top_source(slots: Slots, call: PlanRecorder) -> None:
    period = days_of(slots, call.today)
    visits = {source: _read_visits(call, source, *period) for source in TRAFFIC_SOURCES}
    source = max(visits, key=visits.__getitem__)
    make_plots(call, [plot(*period, _source_value(source), "line")])


def draw_sources(records: Records, rng: Random) -> Slots:
    first, second = rng.sample(TRAFFIC_SOURCES, 2)
    return {"source_1": first, "source_2": second, "weeks": str(rng.randint(*WEEKS))}


def _source_plots(slots: Slots, today: date) -> list[Action]:
    period = days_of(slots, today)
    return [plot(*period, _source_value(slots[name]), "bar") for name in ("source_1", "source_2")]


def if_more_visits(records: Records, slots: Slots) -> list[Action]:
    visits = _visits_by_source(records, *days_of(slots, records.today))
    return (
        _source_plots(slots, records.today) if visits[slots["source_1"]] > visits[slots["source_2"]] else []
    )


def solve_if_more_visits(slots: Slots, call: PlanRecorder) -> None:
    period = days_of(slots, call.today)
    first, second = (_read_visits(call, slots[name], *period) for name in ("source_1", "source_2"))
    if first > second:
        make_plots(call, _source_plots(slots, call.today))


TRAFFIC = {
    "A11": Logic(draw_top_source, top_source, solve_top_source),
    "A12": Logic(draw_sources, if_more_visits, solve_if_more_visits),
}


GROWTHS = ("2%", "3%", "5%", "10%")


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
    return plots_of(slots, today, CHARTS[slots["chart"]])


def _one_day(slots: Slots, today: date) -> list[Action]:
    return plots_of({**slots, "date_max": slots["date"]}, today, "histogram")


def _draw_weeks(records: Records, rng: Random) -> Slots:
    return draw_threshold(records, rng) | {"weeks": str(rng.randint(*WEEKS))}


def _if_passed(records: Records, slots: Slots) -> list[Action]:
    values = series(records, slots["metric"], *days_of(slots, records.today)).values()
    return plots_of(slots, records.today, "line") if passed(values, slots) else []


def _solve_if_passed(slots: Slots, call: PlanRecorder) -> None:
    if passed(read_series(call, slots["metric"], *days_of(slots, call.today)).values(), slots):
        make_plots(call, plots_of(slots, call.today, "line"))


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
    since, until = days_of(slots, records.today)
    return starts_above_zero(series(records, slots["metric"], since, until), since)


def _two_weekdays(slots: Slots, today: date) -> tuple[date, date]:
    until = weekday_back(slots["weekday"], today)
    return until - WEEK, until


def _grown(slots: Slots, share: float) -> bool:
    least = int(slots["growth"].rstrip("%")) / 100
    return share > least if slots["higher_or_lower"] == "higher" else share < -least


def _if_grown(records: Records, slots: Slots) -> list[Action]:
    values = series(records, slots["metric"], *days_of(slots, records.today))
    return plots_of(slots, records.today, "line") if _grown(slots, growth(values)) else []


def _solve_if_grown(slots: Slots, call: PlanRecorder) -> None:
    values = read_series(call, slots["metric"], *days_of(slots, call.today))
    if _grown(slots, growth(values)):
        make_plots(call, plots_of(slots, call.today, "line"))


def _week_plot(slots: Slots, today: date) -> list[Action]:
    return [plot(*_two_weekdays(slots, today), METRICS[slots["metric"]].value_to_plot, "line")]


def _if_grown_in_week(records: Records, slots: Slots) -> list[Action]:
    values = series(records, slots["metric"], *_two_weekdays(slots, records.today))
    return _week_plot(slots, records.today) if _grown(slots, growth(values)) else []


def _solve_if_grown_in_week(slots: Slots, call: PlanRecorder) -> None:
    values = read_series(call, slots["metric"], *_two_weekdays(slots, call.today))
    if _grown(slots, growth(values)):
        make_plots(call, _week_plot(slots, call.today))


def _if_grown_more(records: Records, slots: Slots) -> list[Action]:
    return plots_of(slots, records.today, "line") if grew_more(records, slots) else []


def _solve_if_grown_more(slots: Slots, call: PlanRecorder) -> None:
    if check_growth(slots, call):
        make_plots(call, plots_of(slots, call.today, "line"))


INTENTS = intents(
    "analytics/intents.toml",
    {
        "A1": plotting(_draw_chart, _chart),
        "A2": plotting(_draw_day, _one_day),
        "A3": plotting(_draw_range, partial(plots_of, kind="histogram")),
        "A4": Logic(draw_condition, _if_passed, _solve_if_passed),
        "A5": plotting(_draw_pair_since, partial(plots_of, kind="bar")),
        "A6": Logic(_draw_weeks, _if_passed, _solve_if_passed),
        "A7": Logic(_draw_growth_since, _if_grown, _solve_if_grown),
        "A8": Logic(_draw_growth_since_weekday, _if_grown, _solve_if_grown),
        "A9": Logic(_draw_growth_in_week, _if_grown_in_week, _solve_if_grown_in_week),
        "A10": Logic(draw_growth_comparison, _if_grown_more, _solve_if_grown_more),
        **TRAFFIC,
    },
)
