"""The analytics toolkit: visits to the company's web site."""

from __future__ import annotations

from typing import Any

from worksmith.tools.kinds.office import schema
from worksmith.tools.sqlite.schema import columns_sql
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext

PLOT_VALUES = (
    "total_visits",
    "session_duration_seconds",
    "user_engaged",
    "visits_direct",
    "visits_referral",
    "visits_search_engine",
    "visits_social_media",
)
PLOT_TYPES = ("bar", "line", "scatter", "histogram")

_VISITOR = f"SELECT {columns_sql(schema.ANALYTICS.columns)} FROM analytics WHERE visitor_id = ? ORDER BY _row"


@tool(writes=True)
def create_plot(
    ctx: ToolContext,
    time_min: str | None = None,
    time_max: str | None = None,
    value_to_plot: str | None = None,
    plot_type: str | None = None,
) -> str:
    """Plot a daily value of the web site over a range of days and return the file's path.

    Args:
        time_min: First day, YYYY-MM-DD. Required.
        time_max: Last day, YYYY-MM-DD. Required.
        value_to_plot: total_visits, session_duration_seconds, user_engaged, visits_direct, visits_referral,
            visits_search_engine or visits_social_media. Required.
        plot_type: bar, line, scatter or histogram. Required.
    """
    if not time_min:
        return "Start date not provided."
    if not time_max:
        return "End date not provided."
    if value_to_plot not in PLOT_VALUES:
        return (
            "Value to plot must be one of 'total_visits', 'session_duration_seconds', 'user_engaged', "
            "'direct', 'referral', 'search engine', 'social media'"
        )
    if plot_type not in PLOT_TYPES:
        return "Plot type must be one of 'bar', 'line', 'scatter', or 'histogram'"
    path = f"plots/{time_min}_{time_max}_{value_to_plot}_{plot_type}.png"
    ctx.execute(schema.PLOTS.insert_sql(), (path,))
    return path


@tool()
def engaged_users_count(
    ctx: ToolContext, time_min: str | None = None, time_max: str | None = None
) -> dict[str, int]:
    """Number of engaged visits per day, for days with at least one visit.

    Args:
        time_min: First day, YYYY-MM-DD; without it from the first day with data.
        time_max: Last day, YYYY-MM-DD; without it to the last day with data.
    """
    return _per_day(ctx, "sum(user_engaged = 'True')", time_min, time_max)


@tool()
def get_visitor_information_by_id(
    ctx: ToolContext, visitor_id: str | None = None
) -> list[dict[str, Any]] | str:
    """All visits of one visitor.

    Args:
        visitor_id: The 4-digit id. Required.
    """
    if not visitor_id:
        return "Visitor ID not provided."
    visits = ctx.rows(_VISITOR, (visitor_id,))
    for visit in visits:
        visit["user_engaged"] = visit["user_engaged"] == "True"
    return visits or "Visitor not found."


@tool()
def traffic_source_count(
    ctx: ToolContext,
    time_min: str | None = None,
    time_max: str | None = None,
    traffic_source: str | None = None,
) -> dict[str, int]:
    """Number of visits per day from one traffic source, for days with at least one visit from any source.

    Args:
        time_min: First day, YYYY-MM-DD; without it from the first day with data.
        time_max: Last day, YYYY-MM-DD; without it to the last day with data.
        traffic_source: direct, referral, search engine or social media, exactly so; without it all count.
    """
    if not traffic_source:
        return _per_day(ctx, "count(*)", time_min, time_max)
    return _per_day(ctx, "sum(traffic_source = ?)", time_min, time_max, traffic_source)


@tool()
def total_visits_count(
    ctx: ToolContext, time_min: str | None = None, time_max: str | None = None
) -> dict[str, int]:
    """Number of visits per day, for days with at least one.

    Args:
        time_min: First day, YYYY-MM-DD; without it from the first day with data.
        time_max: Last day, YYYY-MM-DD; without it to the last day with data.
    """
    return _per_day(ctx, "count(*)", time_min, time_max)


@tool()
def get_average_session_duration(
    ctx: ToolContext, time_min: str | None = None, time_max: str | None = None
) -> dict[str, float]:
    """Average session duration in seconds per day, for days with at least one visit.

    Args:
        time_min: First day, YYYY-MM-DD; without it from the first day with data.
        time_max: Last day, YYYY-MM-DD; without it to the last day with data.
    """
    return _per_day(ctx, "avg(CAST(session_duration_seconds AS REAL))", time_min, time_max)


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


TOOLKIT = Toolkit.of(
    "analytics",
    "visits to the company's web site",
    (
        create_plot,
        engaged_users_count,
        get_visitor_information_by_id,
        traffic_source_count,
        total_visits_count,
        get_average_session_duration,
    ),
)
