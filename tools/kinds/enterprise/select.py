"""One SELECT over what the user may read."""

from __future__ import annotations

from typing import Any

from worksmith.tools.kinds.enterprise.reading import guard_of
from worksmith.tools.kinds.enterprise.schema import TABLES
from worksmith.tools.kinds.enterprise.values import required
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext


@tool()
def query(ctx: ToolContext, sql: str) -> dict[str, Any]:
    """Run one SQLite SELECT over what the user may read; private fields are NULL where they may not.

    All cells are text: CAST to compare numbers.
    """
    rows = guard_of(ctx).select(required("sql", sql))
    return {"total": len(rows), "records": rows}


# The names come from the schema, so that they cannot go out of date.
_TABLES = "; ".join(f"{table.name}({', '.join(table.columns)})" for table in TABLES)
query.__doc__ = f"{query.__doc__}\nTables: {_TABLES}."


TOOLKIT = Toolkit.of("tables", "a SELECT over all sources", (query,))
