"""Finding mails and writing them: for oracles and for solutions."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any

from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.records import Mail
from worksmith.evals.tasks.task import Action

PAGE = 5
"""A search shows at most that many mails, the latest first."""

MailRow = dict[str, str]
"""A mail as the mailbox's search shows it."""

SENDER = "sender/recipient"
"""The field that holds a received mail's sender."""


def latest(mails: Iterable[Mail]) -> Mail:
    """The one sent last; there must be one."""
    return max(mails, key=lambda mail: mail.sent)


def search_mails(
    call: PlanRecorder, why: str, query: str, first: date | None = None, last: date | None = None
) -> list[MailRow]:
    """All received mails that contain the words of `query`, sent from `first` to `last`, page by page."""
    found: dict[str, MailRow] = {}
    while True:
        page = _page(call, why, query, first, last)
        fresh = [row for row in page if row["email_id"] not in found]
        found |= {row["email_id"]: row for row in fresh}
        if len(page) < PAGE or not fresh:
            return [row for row in found.values() if row["inbox/outbox"] == "inbox"]
        last = sent_on(page[-1])
        why = "The page is full, so I look for earlier emails."


def search_mails_from(call: PlanRecorder, why: str, address: str, first: date) -> list[MailRow]:
    """All mails that somebody has sent from `first` on, page by page."""
    found = search_mails(call, why, address, first)
    return [row for row in found if row[SENDER] == address]


def search_latest(call: PlanRecorder, why: str, query: str, **wanted: str) -> MailRow:
    """The latest mail that contains the words of `query` and whose `wanted` fields are exactly so.

    Raises:
        LookupError: if there is none.
    """
    last: date | None = None
    while True:
        page = _page(call, why, query, None, last)
        for row in page:
            if wanted.items() <= row.items():
                return row
        if len(page) < PAGE or last == sent_on(page[-1]):
            raise LookupError(f"no email {query!r} with {wanted}")
        last = sent_on(page[-1])
        why = "None of these is the email I need, so I look for earlier ones."


def sent_on(row: MailRow) -> date:
    """The day on which a mail that a search has shown was sent."""
    return datetime.fromisoformat(row["sent_datetime"]).date()


def last_week(today: date) -> tuple[date, date]:
    """Monday and Sunday of the week before today's."""
    monday = today - timedelta(days=today.weekday() + 7)
    return monday, monday + timedelta(days=6)


def send(recipient: str, subject: str, body: str) -> Action:
    return Action(
        tool="email.send_email", arguments={"recipient": recipient, "subject": subject, "body": body}
    )


def forward(email_id: str, recipient: str) -> Action:
    return Action(tool="email.forward_email", arguments={"email_id": email_id, "recipient": recipient})


def reply(email_id: str, body: str) -> Action:
    """The call that answers a mail."""
    return Action(tool="email.reply_email", arguments={"email_id": email_id, "body": body})


def delete(email_id: str) -> Action:
    """The call that deletes a mail."""
    return Action(tool="email.delete_email", arguments={"email_id": email_id})


def _page(call: PlanRecorder, why: str, query: str, first: date | None, last: date | None) -> list[MailRow]:
    arguments = {"query": query}
    if first is not None:
        arguments["date_min"] = first.isoformat()
    if last is not None:
        arguments["date_max"] = last.isoformat()
    value: Any = call("email.search_emails", why, **arguments)
    # With nothing found it is a message instead of a list.
    return value if isinstance(value, list) else []
