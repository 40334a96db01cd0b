"""The company's policy documents, page by page."""

from __future__ import annotations

from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.reading import Found, Reading
from worksmith.tools.kinds.enterprise.values import whole
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext


@tool()
def read(ctx: ToolContext, query: str = "", title: str = "", page: str = "", limit: int = 3) -> Found:
    """Find pages of policy documents by query, by title or part of it, or one page of a title."""
    if not (query.strip() or title.strip()):
        raise ToolError("Give a query or a title.")
    reading = Reading(ctx, "policies").part("title", title)
    total, rows = reading.equal("page", page and whole("page", page, 1)).rows(query, limit)
    shown = ("page_id", "title", "page", "text")
    return {"total": total, "records": [{name: row[name] for name in shown} for row in rows]}


TOOLKIT = Toolkit.of("document", "policy documents", (read,))
