"""The company's mail: one sender, one recipient, threads."""

from __future__ import annotations

from typing import Any

from tools.access.guard import Guard
from tools.errors import ToolError
from tools.kinds.enterprise.people import colleague
from tools.kinds.enterprise.reading import Reading, guard_of, result
from tools.kinds.enterprise.values import changes, choice, required
from tools.kinds.enterprise.writing import done, moment, next_id
from tools.tool import Toolkit, tool
from tools.tool_context import ToolContext

IMPORTANCES = ("High", "Normal", "Low")
CATEGORIES = ("INTERNAL", "FOLLOW-UP", "MEETING", "GENERAL", "ANNOUNCEMENT", "URGENT")


@tool()
def read(
    ctx: ToolContext,
    email_id: str = "",
    thread_id: str = "",
    sender: str = "",
    recipient: str = "",
    with_employee: str = "",
    subject: str = "",
    importance: str = "",
    category: str = "",
    date_from: str = "",
    date_to: str = "",
    query: str = "",
    limit: int = 10,
) -> dict[str, Any]:
    """Find mails that the user sent or received, newest first; subject is part of the subject."""
    reading = Reading(ctx, "mail", newest="date").key(email_id).equal("thread_id", thread_id)
    reading.person(sender, "sender_emp_id").person(recipient, "recipient_emp_id")
    reading.person(with_employee, "sender_emp_id", "recipient_emp_id").part("subject", subject)
    reading.alike("importance", importance).alike("category", category)
    return result(*reading.days("date", date_from, date_to).rows(query, limit))


@tool(writes=True)
def create(
    ctx: ToolContext,
    recipient: str,
    subject: str = "",
    body: str = "",
    thread_id: str = "",
    importance: str = "Normal",
    category: str = "INTERNAL",
    signature: str = "",
    confidentiality_notice: str = "",
) -> dict[str, Any]:
    """Send a mail to one colleague; with a thread_id it replies in that thread (subject optional then).

    Args:
        importance: High, Normal or Low.
        category: INTERNAL, FOLLOW-UP, MEETING, GENERAL, ANNOUNCEMENT or URGENT.
    """
    guard = guard_of(ctx)
    partner = colleague(ctx, guard, recipient, "recipient")
    thread, heading = thread_id.strip(), subject.strip()
    if thread:
        heading = heading or _reply_subject(guard, thread)
    email_id = next_id(ctx, "mail")
    values = {
        "email_id": email_id,
        "thread_id": thread or next_id(ctx, "mail", "thread_id"),
        "date": moment(ctx),
        "sender_emp_id": ctx.persona.id,
        "sender_email": ctx.persona.email,
        "sender_name": ctx.persona.name,
        "recipient_emp_id": partner["emp_id"],
        "recipient_email": partner["email"],
        "recipient_name": partner["name"],
        "subject": required("subject", heading),
        "body": required("body", body),
        "importance": choice("importance", importance, IMPORTANCES),
        "category": choice("category", category, CATEGORIES),
        "signature": signature.strip() or ctx.persona.name,
        "confidentiality_notice": confidentiality_notice.strip() or None,
    }
    if thread:
        _require_part_in(guard, thread)
    guard.insert("mail", values)
    return done("mail", email_id, "created", thread_id=values["thread_id"])


@tool(writes=True)
def update(
    ctx: ToolContext,
    email_id: str,
    subject: str = "",
    body: str = "",
    importance: str = "",
    category: str = "",
    signature: str = "",
    confidentiality_notice: str = "",
) -> dict[str, Any]:
    """Change a mail that the user sent."""
    changed = changes(
        subject=subject,
        body=body,
        importance=importance and choice("importance", importance, IMPORTANCES),
        category=category and choice("category", category, CATEGORIES),
        signature=signature,
        confidentiality_notice=confidentiality_notice,
    )
    guard_of(ctx).update("mail", email_id.strip(), changed)
    return done("mail", email_id.strip(), "updated")


@tool(writes=True)
def delete(ctx: ToolContext, email_id: str) -> dict[str, Any]:
    """Delete a mail that the user sent or received."""
    guard_of(ctx).delete("mail", email_id.strip())
    return done("mail", email_id.strip(), "deleted")


def _reply_subject(guard: Guard, thread: str) -> str:
    _require_part_in(guard, thread)
    first = str(guard.find("mail", [("thread_id = ?", (thread,))], order="date", limit=1)[0]["subject"])
    return first if first.lower().startswith("re:") else f"Re: {first}"


def _require_part_in(guard: Guard, thread: str) -> None:
    """Refuse a persona that has neither sent nor received a mail of the thread."""
    if not guard.count("mail", [("thread_id = ?", (thread,))]):
        raise ToolError(f"You take part in no thread {thread!r}; leave thread_id empty for a new one.")


TOOLKIT = Toolkit.of("enterprise_mail_system", "the company's mail", (read, create, update, delete))
