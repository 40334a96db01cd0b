"""The issues of the company's repositories."""

from __future__ import annotations

from typing import Any

from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.reading import Found, Reading, guard_of, result, with_people
from worksmith.tools.kinds.enterprise.toolkits.github import in_repository
from worksmith.tools.kinds.enterprise.values import changes, choice, required
from worksmith.tools.kinds.enterprise.writing import done, next_id, today
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext

STATUSES = ("open", "closed")


@tool()
def read(
    ctx: ToolContext,
    issue_id: str = "",
    repo_name: str = "",
    path: str = "",
    author: str = "",
    status: str = "",
    date_from: str = "",
    date_to: str = "",
    query: str = "",
    limit: int = 10,
) -> Found:
    """Find issues of repositories with their patches, newest first.

    Args:
        status: open or closed.
    """
    reading = Reading(ctx, "issues", newest="created_at").key(issue_id).person(author, "emp_id")
    in_repository(reading, repo_name).part("path", path)
    reading.equal("status", status and choice("status", status, STATUSES))
    total, rows = reading.days("created_at", date_from, date_to).rows(query, limit)
    return result(total, with_people(reading.guard, rows, emp_id="author_name"))


@tool(writes=True)
def create(ctx: ToolContext, repo_name: str, path: str, title: str, description: str) -> dict[str, Any]:
    """Open an issue about a file of a repository."""
    guard = guard_of(ctx)
    file = guard.get("repositories", f"{required('repo_name', repo_name)}:{required('path', path)}")
    issue_id = next_id(ctx, "issues")
    guard.insert(
        "issues",
        {
            "issue_id": issue_id,
            "repo_name": file["repo_name"],
            "path": file["path"],
            "title": required("title", title),
            "description": required("description", description),
            "status": "open",
            "created_at": today(ctx),
            "closed_at": None,
            "emp_id": ctx.persona.id,
            "patch": None,
        },
    )
    return done("issues", issue_id, "created")


@tool(writes=True)
def update(
    ctx: ToolContext, issue_id: str, title: str = "", description: str = "", status: str = "", patch: str = ""
) -> dict[str, Any]:
    """Change an issue; closing it sets the closing date. A patch is a unified diff.

    Args:
        status: open or closed.
    """
    guard, key = guard_of(ctx), issue_id.strip()
    changed: dict[str, str | None] = {}
    changed |= changes(
        title=title,
        description=description,
        status=status and choice("status", status, STATUSES),
        patch=patch,
    )
    if "patch" in changed:
        changed["patch"] = patch  # as it is: blanks at its ends belong to it
    if "status" in changed:
        if guard.get("issues", key)["status"] == changed["status"]:
            raise ToolError(f"{key} is {changed['status']} already.")
        changed["closed_at"] = today(ctx) if changed["status"] == "closed" else None
    guard.update("issues", key, changed)
    return done("issues", key, "updated")


@tool(writes=True)
def delete(ctx: ToolContext, issue_id: str) -> dict[str, Any]:
    """Delete an issue."""
    guard_of(ctx).delete("issues", issue_id.strip())
    return done("issues", issue_id.strip(), "deleted")


TOOLKIT = Toolkit.of("github_issues", "issues of repositories", (read, create, update, delete))
