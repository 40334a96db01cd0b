"""Write tools: the ids, times and content addresses of new records, and the results of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from worksmith.tools.kinds.enterprise.schema import KEYS
from worksmith.tools.seeding import digest_bytes
from worksmith.tools.sqlite.keys import next_key

if TYPE_CHECKING:
    from worksmith.tools.tool_context import ToolContext

Done = Literal["created", "updated", "deleted"]


def done(source: str, key: str, what: Done, **more: Any) -> dict[str, Any]:
    """The result of a write tool: the record's key and the kind of change."""
    return {KEYS[source]: key, **more, "done": what}


def today(ctx: ToolContext) -> str:
    """The day of the episode's clock, as cells hold it."""
    return ctx.now.date().isoformat()


def moment(ctx: ToolContext) -> str:
    """The time of the episode's clock, as cells hold it."""
    return ctx.now.isoformat(timespec="seconds")


FIRST = {
    "employees.emp_id": "emp_0001",
    "conversations.conversation_id": "CV-00001",
    "mail.email_id": "EM-000001",
    "mail.thread_id": "THR-000001",
    "issues.issue_id": "ISS-0001",
    "tickets.ticket_id": "1001",
    "products.product_id": "PRD-0001",
    "customers.customer_id": "CUS-0001",
    "sales.sales_record_id": "SAL-00001",
    "sentiments.sentiment_id": "SEN-00001",
    "sentiments.review_id": "REV-00001",
    "support_chats.chat_id": "SUP-0001",
    "overflow.post_id": "Q-00001",
    "posts.post_id": "POST-00001",
}
"""The first id where a world has none, or none that can be counted on from."""


def next_id(ctx: ToolContext, source: str, column: str = "", like: str = "1") -> str:
    """The number after the highest, written as the world's last record writes its own.

    Args:
        column: default is the key.
        like: a condition in SQL on the last record, where not all write theirs alike.
    """
    column = column or KEYS[source]
    return next_key(ctx.connection, source, column, first=FIRST[f"{source}.{column}"], like=like)


def content_hash(code: str) -> str:
    """The content address of a file, 32 hex digits."""
    return digest_bytes(code.encode(), 32)


def content_size(code: str) -> str:
    return str(len(code.encode()))
