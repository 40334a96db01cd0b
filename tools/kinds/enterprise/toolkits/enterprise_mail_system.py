"""The company's mail: one sender, one recipient, threads."""

from __future__ import annotations

from typing import Any

from worksmith.tools.access.guard import Guard
from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.naming import name_matches, only
from worksmith.tools.kinds.enterprise.people import colleague
from worksmith.tools.kinds.enterprise.reading import Reading, guard_of
from worksmith.tools.kinds.enterprise.toolkits.crud import crud
from worksmith.tools.kinds.enterprise.values import choice, required
from worksmith.tools.kinds.enterprise.writing import done, moment, next_id
from worksmith.tools.tool_context import ToolContext

IMPORTANCES = ("High", "Normal", "Low")
EXTERNAL = "EXTERNAL"
CATEGORIES = ("INTERNAL", "FOLLOW-UP", "MEETING", "GENERAL", "ANNOUNCEMENT", "URGENT", EXTERNAL)
PARTNERS = ("clients", "vendors")
"""The sources of those outside who have a contact person."""


def create(
    ctx: ToolContext,
    recipient: str,
    subject: str,
    body: str,
    thread_id: str,
    importance: str,
    category: str,
    signature: str,
    confidentiality_notice: str,
) -> dict[str, Any]:
    guard = guard_of(ctx)
    to = _contact(ctx, guard, recipient.strip()) or colleague(ctx, guard, recipient, "recipient")
    usual = CATEGORIES[0] if to["emp_id"] else EXTERNAL
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
        "recipient_emp_id": to["emp_id"],
        "recipient_email": to["email"],
        "recipient_name": to["name"],
        "subject": required("subject", heading),
        "body": required("body", body),
        "importance": choice("importance", importance, IMPORTANCES),
        "category": choice("category", category or usual, CATEGORIES),
        "signature": signature.strip() or ctx.persona.name,
        "confidentiality_notice": confidentiality_notice.strip() or None,
    }
    if thread:
        _require_part_in(guard, thread)
    guard.insert("mail", values)
    return done("mail", email_id, "created", thread_id=values["thread_id"])


def _with(reading: Reading, _: str, value: str) -> None:
    """Narrow the choice to mails with the contact of a client or vendor."""
    contact = _partner(reading.ctx, reading.guard, value.strip())["contact_email"]
    reading.where("(sender_email = ? OR recipient_email = ?)", contact, contact)


def _end(reading: Reading, end: str, who: str) -> None:
    """Narrow the choice to a sender or recipient, inside the company or outside."""
    wanted = who.strip().lower()
    outside = f"{end}_emp_id IS NULL AND ? IN (lower({end}_email), lower({end}_name))"
    if _away(reading.ctx, wanted) or (wanted and reading.guard.count("mail", [(outside, (wanted,))])):
        reading.where(outside, wanted)
    else:
        reading.person(who, f"{end}_emp_id")


def _away(ctx: ToolContext, address: str) -> bool:
    """Whether a text is a mail address outside the company."""
    return (
        "@" in address and address.lower().rpartition("@")[2] != ctx.persona.email.rpartition("@")[2].lower()
    )


def _partner(ctx: ToolContext, guard: Guard, text: str) -> dict[str, Any]:
    """The client or vendor of this id or name.

    Raises:
        ToolError: none or several are.
        AccessDeniedError: there is one of this id that the persona may not read.
    """
    for source in PARTNERS:
        if found := Reading(ctx, source).key(text).rows("", 1)[1]:
            return found[0]
    found = [row for source in PARTNERS for row in name_matches(guard, source, "business_name", text)]
    return only(found, "client or vendor", text, "business_name", "industry")


def _contact(ctx: ToolContext, guard: Guard, address: str) -> dict[str, Any] | None:
    """Whom an address outside the company belongs to, None for any other text."""
    if not _away(ctx, address):
        return None
    same = [("contact_email = ? COLLATE NOCASE", (address,))]
    rows = [row for source in PARTNERS for row in guard.find(source, same, limit=1)]
    if rows:
        return {"emp_id": None, "email": rows[0]["contact_email"], "name": rows[0]["contact_person_name"]}
    # Of no partner that the persona may read: the policy denies it, whoever it is.
    return {"emp_id": None, "email": address, "name": address}


def _reply_subject(guard: Guard, thread: str) -> str:
    _require_part_in(guard, thread)
    first = str(guard.find("mail", [("thread_id = ?", (thread,))], order="date", limit=1)[0]["subject"])
    return first if first.lower().startswith("re:") else f"Re: {first}"


def _require_part_in(guard: Guard, thread: str) -> None:
    """Refuse a persona that has neither sent nor received a mail of the thread."""
    if not guard.count("mail", [("thread_id = ?", (thread,))]):
        raise ToolError(f"You take part in no thread {thread!r}; leave thread_id empty for a new one.")


TOOLKIT = crud("enterprise_mail_system", selectors={"end": _end, "partner": _with}, create=create)
