"""The company's social platform: posts that everybody reads."""

from __future__ import annotations

from typing import Any

from tools.desk import Desk
from tools.enterprise.ids import next_id
from tools.enterprise.reading import Reading, guard_of, result
from tools.enterprise.schema import POSTS
from tools.enterprise.values import changes, required
from tools.enterprise.writing import done, today
from tools.tool import tool
from tools.toolkit import Toolkit


@tool()
def read(
    desk: Desk,
    post_id: str = "",
    author: str = "",
    title: str = "",
    date_from: str = "",
    date_to: str = "",
    query: str = "",
    limit: int = 10,
) -> dict[str, Any]:
    """Find posts, newest first; title is part of the title."""
    reading = Reading(desk, POSTS, newest="date").key(post_id).person(author, "emp_id").part("title", title)
    return result(*reading.days("date", date_from, date_to).rows(query, limit))


@tool(writes=True)
def create(desk: Desk, title: str, body: str) -> dict[str, Any]:
    """Publish a post."""
    post_id = next_id(desk, "posts")
    guard_of(desk).insert(
        "posts",
        {
            "post_id": post_id,
            "title": required("title", title),
            "body": required("body", body),
            "emp_id": desk.persona.id,
            "author": desk.persona.name,
            "date": today(desk),
        },
    )
    return done("posts", post_id, "created")


@tool(writes=True)
def update(desk: Desk, post_id: str, title: str = "", body: str = "") -> dict[str, Any]:
    """Change one of the user's own posts."""
    guard_of(desk).update("posts", post_id.strip(), changes(title=title, body=body))
    return done("posts", post_id.strip(), "updated")


@tool(writes=True)
def delete(desk: Desk, post_id: str) -> dict[str, Any]:
    """Delete one of the user's own posts."""
    guard_of(desk).delete("posts", post_id.strip())
    return done("posts", post_id.strip(), "deleted")


TOOLKIT = Toolkit.of("social_platform", "posts that everybody reads", (read, create, update, delete))
