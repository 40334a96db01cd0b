"""The plots that tasks ask for, and the days that they cover."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from worksmith.evals.kinds.office.intents.analytics.metrics import METRICS, yesterday
from worksmith.evals.kinds.office.intents.intent import Draw, Logic, Slots
from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.intents.wording import day_of, weekday_back
from worksmith.evals.tasks.task import Action

WEEK = timedelta(days=7)

CHARTS = {"bar chart": "bar", "line chart": "line", "scatter plot": "scatter", "histogram": "histogram"}
"""What tasks call a plot type."""


def plot(since: date, until: date, value: str, kind: str) -> Action:
    """The call that plots a value over some days."""
    return Action(
        tool="analytics.create_plot",
        arguments={
            "time_min": since.isoformat(),
            "time_max": until.isoformat(),
            "value_to_plot": value,
            "plot_type": kind,
        },
    )


def plots_of(slots: Slots, today: date, kind: str) -> list[Action]:
    """One plot of each metric that the slots name, from their first day to their last."""
    since, until = days_of(slots, today)
    names = [slots[name] for name in ("metric", "metric_2") if name in slots]
    return [plot(since, until, METRICS[name].value_to_plot, kind) for name in names]


def days_of(slots: Slots, today: date) -> tuple[date, date]:
    """The days that a task is about; yesterday is the last unless `date_max` says otherwise."""
    until = day_of(slots["date_max"], today) if "date_max" in slots else yesterday(today)
    if "date" in slots:
        return day_of(slots["date"], today), until
    if "weeks" in slots:
        return today - int(slots["weeks"]) * WEEK, until
    return weekday_back(slots["weekday"], today), until


def make_plots(call: PlanRecorder, plots: list[Action]) -> None:
    for action in plots:
        call.perform(action, f"I make the {action.arguments['plot_type']} plot that was asked for.")


def plotting(draw: Draw, plots: Callable[[Slots, date], list[Action]]) -> Logic:
    """The logic of an intent that asks for plots whatever the figures are."""
    return Logic(
        draw,
        lambda records, slots: plots(slots, records.today),
        lambda slots, call: make_plots(call, plots(slots, call.today)),
    )
