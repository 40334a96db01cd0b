"""The e-mail toolkit."""

from __future__ import annotations

from typing import Any

from worksmith.tools.kinds.office import schema
from worksmith.tools.kinds.office.moments import CELL_FORMAT, moment
from worksmith.tools.kinds.office.records import FOUND_AT_MOST, RecordTable
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext

EMAILS = RecordTable(schema.EMAIL, "Email", 0)


@tool(writes=True)
def send_email(
    ctx: ToolContext, recipient: str | None = None, subject: str | None = None, body: str | None = None
) -> str:
    """Send an e-mail to one recipient.

    Args:
        recipient: One address. Required.
        subject: Required.
        body: Required.
    """
    return _send(ctx, recipient, subject, body)


@tool(writes=True)
def delete_email(ctx: ToolContext, email_id: str | None = None) -> str:
    """Delete an e-mail.

    Args:
        email_id: The id. Required.
    """
    return EMAILS.delete(ctx, email_id)


@tool(writes=True)
def forward_email(ctx: ToolContext, email_id: str | None = None, recipient: str | None = None) -> str:
    """Forward an e-mail to one recipient; the subject gets "FW: " in front.

    Args:
        email_id: The id. Required.
        recipient: One address. Required.
    """
    if not email_id or not recipient:
        return "Email ID or recipient not provided."
    mail = EMAILS.get(ctx, email_id)
    if mail is None:
        return "Email not found."
    sent = _send(ctx, recipient, f"FW: {mail['subject']}", mail["body"])
    return "Email forwarded successfully." if sent == _SENT else sent


@tool(writes=True)
def reply_email(ctx: ToolContext, email_id: str | None = None, body: str | None = None) -> str:
    """Answer an e-mail: goes to its sender (or, if Sam sent it, to its recipient) with the same subject.

    Args:
        email_id: The id. Required.
        body: The answer. Required.
    """
    if not email_id or not body:
        return "Email ID or body not provided."
    mail = EMAILS.get(ctx, email_id)
    if mail is None:
        return "Email not found."
    sent = _send(ctx, mail["sender/recipient"], mail["subject"], body)
    return "Email replied successfully." if sent == _SENT else sent


@tool()
def get_email_information_by_id(
    ctx: ToolContext, email_id: str | None = None, field: str | None = None
) -> dict[str, Any] | str:
    """Look up one field of an e-mail.

    Args:
        email_id: The id. Required.
        field: email_id, inbox/outbox, sender/recipient, subject, sent_datetime or body. Required.
    """
    return EMAILS.information(ctx, email_id, field)


@tool()
def search_emails(
    ctx: ToolContext, query: str | None = "", date_min: str | None = None, date_max: str | None = None
) -> list[dict[str, Any]] | str:
    """Find e-mails, received and sent, by words and date. Returns at most 5, the latest first.

    Args:
        query: Words that must all occur, as parts of words too, in subject, body or address together,
            ignoring case; empty matches all.
        date_min: First day, inclusive, YYYY-MM-DD; a time of day is ignored.
        date_max: Last day, inclusive, YYYY-MM-DD; a time of day is ignored.
    """
    words = (query or "").lower().split()
    mails = [mail for mail in EMAILS.all(ctx) if _mentions(mail, words)]
    mails.sort(key=lambda mail: str(mail["sent_datetime"]), reverse=True)
    # A bound is read only when something is left to compare it with.
    if date_min and mails:
        first = moment(date_min, ctx.now).date().isoformat()
        mails = [mail for mail in mails if mail["sent_datetime"][:10] >= first]
    if date_max and mails:
        last = moment(date_max, ctx.now).date().isoformat()
        mails = [mail for mail in mails if mail["sent_datetime"][:10] <= last]
    return mails[:FOUND_AT_MOST] or "No emails found."


_SENT = "Email sent successfully."


def _send(ctx: ToolContext, recipient: str | None, subject: str | None, body: str | None) -> str:
    if not recipient or not subject or not body:
        return "Recipient, subject, or body not provided."
    if "@" not in recipient or "." not in recipient:
        return "Invalid recipient email address."
    EMAILS.append(ctx, "outbox", recipient.lower(), subject, ctx.now.strftime(CELL_FORMAT), body)
    return _SENT


def _mentions(mail: dict[str, Any], words: list[str]) -> bool:
    if not words:
        return True
    text = f"{mail['subject']} {mail['body']} {mail['sender/recipient']}".lower()
    return all(word in text for word in words)


TOOLKIT = Toolkit.of(
    "email",
    "Sam's mailbox",
    (send_email, delete_email, forward_email, reply_email, get_email_information_by_id, search_emails),
)
