"""The directory toolkit: the employees' addresses."""

from __future__ import annotations

from worksmith.tools.kinds.office.matching import containing
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext


@tool()
def find_email_address(ctx: ToolContext, name: str | None = "") -> list[str] | str:
    """Find the company addresses that contain a name. An empty list means that nobody is called so.

    Args:
        name: A first or last name (not both: addresses are first.last@...), or a regular expression,
            ignoring case. Required.
    """
    if not name:
        return "Name not provided."
    found = containing(name)
    return [
        address for address in ctx.values("SELECT address FROM directory ORDER BY _row") if found(address)
    ]


TOOLKIT = Toolkit.of("company_directory", "the employees' addresses", (find_email_address,))
