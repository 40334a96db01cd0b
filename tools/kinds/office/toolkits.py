"""The toolkits of an office, in the order of prompts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, get_type_hints

from worksmith.tools.declared import declared
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.office import analytics, calendar, email
from worksmith.tools.kinds.office.matching import containing
from worksmith.tools.kinds.office.records import RecordTable
from worksmith.tools.tool import Toolkit
from worksmith.tools.tool_context import ToolContext


def find_email_address(ctx: ToolContext, name: str | None) -> list[str] | str:
    if not name:
        return "Name not provided."
    found = containing(name)
    return [
        address for address in ctx.values("SELECT address FROM directory ORDER BY _row") if found(address)
    ]


_OWN: Mapping[str, Callable[..., Any]] = {
    "send_email": email.send_email,
    "forward_email": email.forward_email,
    "reply_email": email.reply_email,
    "search_emails": email.search_emails,
    "search_events": calendar.search_events,
    "find_email_address": find_email_address,
    **analytics.OWN,
}
"""Tools with their own body; the table of the toolkit, if any, is the first argument."""


def _toolkit(name: str, data: Mapping[str, Any]) -> Toolkit:
    table = RecordTable(data) if "table" in data else None
    return Toolkit.of(name, data["title"], [_tool(table, *entry) for entry in data["tools"].items()])


def _tool(table: RecordTable | None, name: str, data: Mapping[str, Any]) -> Callable[..., Any]:
    own = _OWN.get(name)
    body = own or getattr(table, name.partition("_")[0])

    def run(ctx: ToolContext, **given: str | None) -> Any:
        return body(ctx, data, given)

    named = own if own is None or table is None else partial(own, table)
    arguments = [argument.partition("=") for argument in data["arguments"]]
    return declared(
        name,
        data,
        [(argument, str | None, default if empty else None) for argument, empty, default in arguments],
        named or run,
        result=get_type_hints(body)["return"],
        writes=data.get("writes", False),
    )


TOOLKITS = tuple(_toolkit(name, data) for name, data in read_toml(__package__, "toolkits.toml").items())
