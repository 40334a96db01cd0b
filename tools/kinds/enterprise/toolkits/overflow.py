"""The company's questions and answers."""

from __future__ import annotations

from typing import Any

from worksmith.tools.access.guard import Guard
from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.reading import Found, Reading, guard_of, result, with_people
from worksmith.tools.kinds.enterprise.values import changes, choice, required
from worksmith.tools.kinds.enterprise.writing import done, moment, next_id, today
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext

TYPES = ("question", "answer")


@tool()
def read(
    ctx: ToolContext,
    post_id: str = "",
    author: str = "",
    post_type: str = "",
    parent_id: str = "",
    tag: str = "",
    date_from: str = "",
    date_to: str = "",
    query: str = "",
    limit: int = 10,
) -> Found:
    """Find questions and answers by colleagues, newest first; parent_id gives the answers to a question.

    Args:
        post_type: question or answer.
    """
    reading = Reading(ctx, "overflow", newest="creation_date").key(post_id).person(author, "emp_id")
    reading.equal("post_type", post_type and choice("post_type", post_type, TYPES))
    reading.equal("parent_id", parent_id)
    if tag.strip():
        reading.where("instr(', ' || lower(tags) || ',', ', ' || lower(?) || ',') > 0", tag.strip())
    total, rows = reading.days("creation_date", date_from, date_to).rows(query, limit)
    return result(total, with_people(reading.guard, rows, emp_id="author_name"))


@tool(writes=True)
def create(
    ctx: ToolContext, body: str, title: str = "", tags: str = "", parent_id: str = ""
) -> dict[str, Any]:
    """Ask a question (title and body), or answer one (parent_id and body); tags separated by ", "."""
    guard = guard_of(ctx)
    parent = parent_id.strip()
    if parent:
        _require_question(guard, parent)
    kind = "answer" if parent else "question"
    post_id = next_id(ctx, "overflow", like=f"post_type = '{kind}'")
    guard.insert(
        "overflow",
        {
            "post_id": post_id,
            "post_type": kind,
            "parent_id": parent or None,
            "accepted_answer_id": None,
            "emp_id": ctx.persona.id,
            "title": None if parent else required("title", title),
            "body": required("body", body),
            "tags": None if parent else _tags(tags),
            "score": "0",
            "view_count": None if parent else "0",
            "creation_date": moment(ctx),
            "last_activity_date": today(ctx),
        },
    )
    return done("overflow", post_id, "created")


@tool(writes=True)
def update(
    ctx: ToolContext,
    post_id: str,
    title: str = "",
    body: str = "",
    tags: str = "",
    accepted_answer_id: str = "",
) -> dict[str, Any]:
    """Change one of the user's own questions or answers, or accept an answer to the user's question."""
    guard, key = guard_of(ctx), post_id.strip()
    changed = changes(title=title, body=body, tags=_tags(tags), accepted_answer_id=accepted_answer_id.strip())
    post = guard.get("overflow", key)
    if post["post_type"] == "answer" and changed.keys() != {"body"}:
        raise ToolError("Only the body of an answer can change; the rest belongs to its question.")
    if accepted := changed.get("accepted_answer_id"):
        _require_answer_to(guard, accepted, key)
    guard.update("overflow", key, {**changed, "last_activity_date": today(ctx)})
    return done("overflow", key, "updated")


@tool(writes=True)
def delete(ctx: ToolContext, post_id: str) -> dict[str, Any]:
    """Delete one of the user's own questions or answers."""
    guard_of(ctx).delete("overflow", post_id.strip())
    return done("overflow", post_id.strip(), "deleted")


def _tags(text: str) -> str | None:
    """Tags as cells hold them: lower case, separated by ", "."""
    return ", ".join(tag.strip().lower() for tag in text.split(",") if tag.strip()) or None


def _require_question(guard: Guard, post_id: str) -> None:
    if guard.get("overflow", post_id)["post_type"] != "question":
        raise ToolError(f"{post_id} is no question; answer the question that it belongs to.")


def _require_answer_to(guard: Guard, answer_id: str, question_id: str) -> None:
    if guard.get("overflow", answer_id)["parent_id"] != question_id:
        raise ToolError(f"{answer_id} is no answer to {question_id}.")


TOOLKIT = Toolkit.of("overflow", "questions and answers among colleagues", (read, create, update, delete))
