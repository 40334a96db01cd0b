"""Sending and finding e-mails."""

from __future__ import annotations

from typing import Any

from worksmith.tools.kinds.office.moments import CELL_FORMAT, moment
from worksmith.tools.kinds.office.records import FOUND_AT_MOST, RecordTable
from worksmith.tools.tool_context import ToolContext

_SENT = "Email sent successfully."


def send_email(
    emails: RecordTable, ctx: ToolContext, recipient: str | None, subject: str | None, body: str | None
) -> str:
    if not recipient or not subject or not body:
        return "Recipient, subject, or body not provided."
    if "@" not in recipient or "." not in recipient:
        return "Invalid recipient email address."
    emails.append(ctx, "outbox", recipient.lower(), subject, ctx.now.strftime(CELL_FORMAT), body)
    return _SENT


def forward_email(emails: RecordTable, ctx: ToolContext, email_id: str | None, recipient: str | None) -> str:
    if not email_id or not recipient:
        return "Email ID or recipient not provided."
    mail = emails.one(ctx, email_id)
    if mail is None:
        return "Email not found."
    sent = send_email(emails, ctx, recipient, f"FW: {mail['subject']}", mail["body"])
    return "Email forwarded successfully." if sent == _SENT else sent


def reply_email(emails: RecordTable, ctx: ToolContext, email_id: str | None, body: str | None) -> str:
    if not email_id or not body:
        return "Email ID or body not provided."
    mail = emails.one(ctx, email_id)
    if mail is None:
        return "Email not found."
    sent = send_email(emails, ctx, mail["sender/recipient"], mail["subject"], body)
    return "Email replied successfully." if sent == _SENT else sent


def search_emails(
    emails: RecordTable, ctx: ToolContext, query: str | None, date_min: str | None, date_max: str | None
) -> list[dict[str, Any]] | str:
    words = (query or "").lower().split()
    mails = [mail for mail in emails.all(ctx) if _mentions(mail, words)]
    mails.sort(key=lambda mail: str(mail["sent_datetime"]), reverse=True)
    # A bound is read only when something is left to compare it with.
    if date_min and mails:
        first = moment(date_min, ctx.now).date().isoformat()
        mails = [mail for mail in mails if mail["sent_datetime"][:10] >= first]
    if date_max and mails:
        last = moment(date_max, ctx.now).date().isoformat()
        mails = [mail for mail in mails if mail["sent_datetime"][:10] <= last]
    return mails[:FOUND_AT_MOST] or "No emails found."


def _mentions(mail: dict[str, Any], words: list[str]) -> bool:
    if not words:
        return True
    text = f"{mail['subject']} {mail['body']} {mail['sender/recipient']}".lower()
    return all(word in text for word in words)
