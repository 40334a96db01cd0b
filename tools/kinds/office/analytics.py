"""Visits to the company's web site: per day, by visitor, and plotted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from worksmith.tools.kinds.office import schema
from worksmith.tools.sqlite.schema import columns_sql
from worksmith.tools.tool_context import ToolContext

_VALUES = (
    "total_visits",
    "session_duration_seconds",
    "user_engaged",
    "visits_direct",
    "visits_referral",
    "visits_search_engine",
    "visits_social_media",
)
_PLOT_TYPES = ("bar", "line", "scatter", "histogram")

_VISITOR = f"SELECT {columns_sql(schema.ANALYTICS.columns)} FROM analytics WHERE visitor_id = ? ORDER BY _row"


def create_plot(
    ctx: ToolContext,
    time_min: str | None,
    time_max: str | None,
    value_to_plot: str | None,
    plot_type: str | None,
) -> str:
    if not time_min:
        return "Start date not provided."
    if not time_max:
        return "End date not provided."
    if value_to_plot not in _VALUES:
        return (
            "Value to plot must be one of 'total_visits', 'session_duration_seconds', 'user_engaged', "
            "'direct', 'referral', 'search engine', 'social media'"
        )
    if plot_type not in _PLOT_TYPES:
        return "Plot type must be one of 'bar', 'line', 'scatter', or 'histogram'"
    path = f"plots/{time_min}_{time_max}_{value_to_plot}_{plot_type}.png"
    ctx.execute(schema.PLOTS.insert_sql(), (path,))
    return path


def get_visitor_information_by_id(ctx: ToolContext, visitor_id: str | None) -> list[dict[str, Any]] | str:
    if not visitor_id:
        return "Visitor ID not provided."
    visits = ctx.rows(_VISITOR, (visitor_id,))
    for visit in visits:
        visit["user_engaged"] = visit["user_engaged"] == "True"
    return visits or "Visitor not found."


def traffic_source_count(
    ctx: ToolContext, time_min: str | None, time_max: str | None, traffic_source: str | None
) -> dict[str, int]:
    if not traffic_source:
        return visits(ctx, time_min, time_max)
    return _per_day(ctx, "sum(traffic_source = ?)", time_min, time_max, traffic_source)


def visits(ctx: ToolContext, time_min: str | None, time_max: str | None) -> dict[str, int]:
    return _per_day(ctx, "count(*)", time_min, time_max)


def engaged_users(ctx: ToolContext, time_min: str | None, time_max: str | None) -> dict[str, int]:
    return _per_day(ctx, "sum(user_engaged = 'True')", time_min, time_max)


def session_duration(ctx: ToolContext, time_min: str | None, time_max: str | None) -> dict[str, float]:
    return _per_day(ctx, "avg(CAST(session_duration_seconds AS REAL))", time_min, time_max)


OWN: dict[str, Callable[..., Any]] = {
    "create_plot": create_plot,
    "engaged_users_count": engaged_users,
    "get_visitor_information_by_id": get_visitor_information_by_id,
    "traffic_source_count": traffic_source_count,
    "total_visits_count": visits,
    "get_average_session_duration": session_duration,
}


def _per_day(
    ctx: ToolContext, value: str, time_min: str | None, time_max: str | None, *parameters: str
) -> dict[str, Any]:
    """Days with visits and `value`, an SQL aggregate, over each; bounds compare as text."""
    conditions = []
    bounds = list(parameters)
    for operator, bound in ((">=", time_min), ("<=", time_max)):
        if bound:
            conditions.append(f"date_of_visit {operator} ?")
            bounds.append(bound)
    condition = f"WHERE {' AND '.join(conditions)} " if conditions else ""
    grouping = "GROUP BY date_of_visit ORDER BY date_of_visit"
    sql = f"SELECT date_of_visit, {value} FROM analytics {condition}{grouping}"
    return dict(ctx.connection.execute(sql, bounds))
