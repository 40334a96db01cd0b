"""What customers say of products."""

from __future__ import annotations

from typing import Any

from worksmith.tools.kinds.enterprise.catalogue import about, customer, product, with_catalogue_names
from worksmith.tools.kinds.enterprise.reading import Found, Reading, guard_of, result
from worksmith.tools.kinds.enterprise.values import changes, past_day, required
from worksmith.tools.kinds.enterprise.writing import done, next_id
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext


@tool()
def read(
    ctx: ToolContext,
    sentiment_id: str = "",
    product_id: str = "",
    product_name: str = "",
    customer_id: str = "",
    customer_name: str = "",
    date_from: str = "",
    date_to: str = "",
    query: str = "",
    limit: int = 10,
) -> Found:
    """Find customers' reviews of products, newest first."""
    reading = Reading(ctx, "sentiments", newest="review_date").key(sentiment_id)
    about(reading, product_id, product_name, customer_id, customer_name)
    total, rows = reading.days("review_date", date_from, date_to).rows(query, limit)
    return result(total, with_catalogue_names(reading.guard, rows))


@tool(writes=True)
def create(
    ctx: ToolContext, product_id: str, customer_id: str, review_content: str, review_date: str = ""
) -> dict[str, Any]:
    """Add a customer's review of a product; the date is today by default."""
    guard = guard_of(ctx)
    sentiment_id = next_id(ctx, "sentiments")
    guard.insert(
        "sentiments",
        {
            "sentiment_id": sentiment_id,
            "product_id": product(guard, product_id)["product_id"],
            "customer_id": customer(guard, customer_id)["customer_id"],
            "review_id": next_id(ctx, "sentiments", "review_id"),
            "review_content": required("review_content", review_content),
            "review_date": past_day("review_date", review_date, ctx.now.date()),
        },
    )
    return done("sentiments", sentiment_id, "created")


@tool(writes=True)
def update(
    ctx: ToolContext, sentiment_id: str, review_content: str = "", review_date: str = ""
) -> dict[str, Any]:
    """Change a review."""
    changed = changes(
        review_content=review_content,
        review_date=review_date and past_day("review_date", review_date, ctx.now.date()),
    )
    guard_of(ctx).update("sentiments", sentiment_id.strip(), changed)
    return done("sentiments", sentiment_id.strip(), "updated")


@tool(writes=True)
def delete(ctx: ToolContext, sentiment_id: str) -> dict[str, Any]:
    """Delete a review."""
    guard_of(ctx).delete("sentiments", sentiment_id.strip())
    return done("sentiments", sentiment_id.strip(), "deleted")


TOOLKIT = Toolkit.of("product_sentiment", "customers' reviews of products", (read, create, update, delete))
