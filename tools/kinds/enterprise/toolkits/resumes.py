"""The resumes of employees."""

from __future__ import annotations

from worksmith.tools.kinds.enterprise.reading import Found, Reading, result
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext


@tool()
def read(
    ctx: ToolContext,
    resume_id: str = "",
    employee: str = "",
    name: str = "",
    category: str = "",
    query: str = "",
    limit: int = 10,
) -> Found:
    """Find resumes; employee is whose they are, name as the resume has it or part of it."""
    reading = Reading(ctx, "resumes").key(resume_id).person(employee, "emp_id").part("name", name)
    return result(*reading.alike("category", category).rows(query, limit))


TOOLKIT = Toolkit.of("resumes", "resumes", (read,))
