"""Tools of every kind over tables of one form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from worksmith.tools.kinds.own_data.context import Context

if TYPE_CHECKING:
    from worksmith.tools.kinds.own_data.environment import Environment

Named = Literal["open_", "own", "same_", "crew", "grants", "ranked", "granted", "few", "codes"]
"""The tables that the tools work on: each has rules of another form."""


def declare_tools(env: Environment) -> None:
    @env.tool(writes=False)
    def read(ctx: Context, table: Named, key: str) -> dict[str, Any]:
        """Read a record."""
        return ctx[table].get(key)

    @env.tool(writes=False)
    def tell(ctx: Context, table: Named, key: str) -> str:
        """Say what a record says."""
        row = ctx[table].get(key)
        return f"{row['title']} of {row['owner']}: {row['amount']}" + (", urgent" if row["urgent"] else "")

    @env.tool(writes=False)
    def find(ctx: Context, table: Named, status: str) -> list[dict[str, Any]]:
        """List records by status."""
        return ctx[table].find(status=status, order="title")

    @env.tool(writes=False)
    def count(ctx: Context, table: Named, status: str) -> int:
        """Count records by status."""
        return ctx[table].count(status=status)

    @env.tool(writes=False)
    def totals(ctx: Context, table: Named) -> dict[str, Any]:
        """The sum of the amounts of each owner."""
        rows = ctx.select(f"SELECT owner, sum(amount) AS total FROM {table} GROUP BY owner LIMIT 5")
        return {"owners": {str(row["owner"]): row["total"] for row in rows}}

    @env.tool(writes=False)
    def look_for(ctx: Context, table: Named, text: str) -> list[dict[str, Any]]:
        """Search records by their words."""
        return ctx[table].search(text, k=3)

    @env.tool(writes=False)
    def me(ctx: Context) -> dict[str, Any]:
        """Who is asking."""
        who = ctx.persona
        return {"email": who.email, "level": who.level, "managers": list(who.managers), **who.attributes}

    @env.tool
    def close(ctx: Context, table: Named, key: str, note: str) -> dict[str, Any]:
        """Close a record with a note."""
        ctx[table].update(key, status="closed", note=note)
        return ctx[table].get(key)

    @env.tool
    def add(ctx: Context, table: Named, title: str, owner: str, department: str) -> str:
        """Add a record."""
        key = ctx[table].insert({"title": title, "owner": owner, "department": department, "status": "open"})
        return f"{key} was added."
