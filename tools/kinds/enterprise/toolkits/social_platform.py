"""The company's social platform: posts that everybody reads."""

from __future__ import annotations

from typing import Any

from worksmith.tools.kinds.enterprise.reading import Found, Reading, guard_of, result
from worksmith.tools.kinds.enterprise.values import changes, required
from worksmith.tools.kinds.enterprise.writing import done, next_id, today
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext


@tool()
def read(
    ctx: ToolContext,
    post_id: str = "",
    author: str = "",
    title: str = "",
    date_from: str = "",
    date_to: str = "",
    query: str = "",
    limit: int = 10,
) -> Found:
    """Find posts, newest first; title is part of the title."""
    reading = Reading(ctx, "posts", newest="date").key(post_id).person(author, "emp_id").part("title", title)
    return result(*reading.days("date", date_from, date_to).rows(query, limit))


@tool(writes=True)
def create(ctx: ToolContext, title: str, body: str) -> dict[str, Any]:
    """Publish a post."""
    post_id = next_id(ctx, "posts")
    guard_of(ctx).insert(
        "posts",
        {
            "post_id": post_id,
            "title": required("title", title),
            "body": required("body", body),
            "emp_id": ctx.persona.id,
            "author": ctx.persona.name,
            "date": today(ctx),
        },
    )
    return done("posts", post_id, "created")


@tool(writes=True)
def update(ctx: ToolContext, post_id: str, title: str = "", body: str = "") -> dict[str, Any]:
    """Change one of the user's own posts."""
    guard_of(ctx).update("posts", post_id.strip(), changes(title=title, body=body))
    return done("posts", post_id.strip(), "updated")


@tool(writes=True)
def delete(ctx: ToolContext, post_id: str) -> dict[str, Any]:
    """Delete one of the user's own posts."""
    guard_of(ctx).delete("posts", post_id.strip())
    return done("posts", post_id.strip(), "deleted")


TOOLKIT = Toolkit.of("social_platform", "posts that everybody reads", (read, create, update, delete))
