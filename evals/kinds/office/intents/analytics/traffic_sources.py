"""Tasks about where visits come from (A11, A12)."""

from __future__ import annotations

from collections import Counter
from datetime import date
from random import Random

from evals.kinds.office.intents.analytics.metrics import draw_since
from evals.kinds.office.intents.analytics.plots import days_of, make_plots, plot
from evals.kinds.office.intents.intent import Logic, Slots
from evals.kinds.office.intents.plan_recorder import PlanRecorder
from evals.kinds.office.intents.wording import day_words
from evals.kinds.office.records import Records
from evals.tasks.task import Action
from tools.kinds.office.schema import TRAFFIC_SOURCES

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
