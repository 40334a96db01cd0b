"""The company's questions and answers."""

from __future__ import annotations

from typing import Any

from worksmith.tools.access.guard import Guard
from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.reading import Reading, guard_of
from worksmith.tools.kinds.enterprise.toolkits.crud import Cells, Change, crud
from worksmith.tools.kinds.enterprise.values import required
from worksmith.tools.kinds.enterprise.writing import done, moment, next_id, today
from worksmith.tools.tool_context import ToolContext


def create(ctx: ToolContext, body: str, title: str, tags: str, parent_id: str) -> dict[str, Any]:
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


def _follows(change: Change) -> Cells:
    post, cells = change.stored(), change.cells
    if post["post_type"] == "answer" and cells.keys() != {"body"}:
        raise ToolError("Only the body of an answer can change; the rest belongs to its question.")
    if accepted := cells.get("accepted_answer_id"):
        _require_answer_to(change.guard, accepted, change.key)
    return {"last_activity_date": today(change.ctx)}


def _tagged(reading: Reading, _: str, value: str) -> None:
    reading.where("instr(', ' || lower(tags) || ',', ', ' || lower(?) || ',') > 0", value.strip())


def _tags(text: str) -> str | None:
    """Tags as cells hold them: lower case, separated by ", "."""
    return ", ".join(tag.strip().lower() for tag in text.split(",") if tag.strip()) or None


def _require_question(guard: Guard, post_id: str) -> None:
    if guard.get("overflow", post_id)["post_type"] != "question":
        raise ToolError(f"{post_id} is no question; answer the question that it belongs to.")


def _require_answer_to(guard: Guard, answer_id: str, question_id: str) -> None:
    if guard.get("overflow", answer_id)["parent_id"] != question_id:
        raise ToolError(f"{answer_id} is no answer to {question_id}.")


TOOLKIT = crud(
    "overflow",
    selectors={"tag": _tagged},
    checks={"tags": lambda _, __, value: _tags(value)},
    follows=_follows,
    create=create,
)
