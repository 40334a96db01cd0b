"""The query toolkit: both query languages, for agents that write their own queries.

Either tool takes either language; the first word decides. In faithful mode three habits of the
published system are kept: only a statement that begins with FIND in capitals is a search, columns that are
null in every record are left out, and parents within records still have their `attributes`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from worksmith.tools.kinds.crm.orgs.opening import open_org, settings_of
from worksmith.tools.kinds.crm.schema import CrmObject, Field, Schema, crm_schema
from worksmith.tools.kinds.crm.soql.cursor import MAX_LENGTH
from worksmith.tools.kinds.crm.soql.results import Record, plain
from worksmith.tools.tool import Tool, Toolkit, tool
from worksmith.tools.tool_context import Shown, ToolContext

LONGEST = 20_000
"""Characters of a result that are shown."""

_FENCE = "```"
_FIND = re.compile(r"FIND\b", re.IGNORECASE)
_COUNT = re.compile(r"SELECT\s+COUNT\s*\(\s*\)", re.IGNORECASE)
_LANGUAGE = re.compile(r"\A(?:[A-Za-z]*\s*\n|(?:soql|sosl|sql)\s)", re.IGNORECASE)


@tool()
def soql(ctx: ToolContext, query: str) -> Any:
    """Run a SOQL query over one object.

    WHERE with AND, OR, NOT, IN, LIKE; GROUP BY with aggregates such as COUNT(Id) total, AVG, MIN or MAX, and
    HAVING; ORDER BY with ASC or DESC and NULLS LAST; LIMIT and OFFSET; paths to parents; children in
    sub-selects.

    Args:
        query: e.g. SELECT Id, Owner.Name FROM Case WHERE CreatedDate >= 2022-01-01T00:00:00Z LIMIT 5
    """
    return _run(ctx, query)


@tool()
def sosl(ctx: ToolContext, query: str) -> Any:
    """Run a SOSL search for records with given words in their texts.

    Args:
        query: e.g. FIND {running shoe} IN ALL FIELDS RETURNING Product2(Id, Name)
    """
    return _run(ctx, query)


def _run(ctx: ToolContext, query: str) -> Any:
    query.encode()  # other than text is refused before it can get into a message
    statement, org = _bare(query), open_org(ctx)
    published = settings_of(ctx).mode == "faithful"
    if statement.startswith("FIND") if published else _FIND.match(statement):
        records, total = (found := org.search(statement).records), len(found)
    else:
        result = org.query(statement)
        if _COUNT.match(statement):
            return result.total_size
        records, total = result.records, result.total_size
    return _shown(_as_published(records) if published else plain(records), total)


def _bare(query: str) -> str:
    """A statement without the fences that models put around code."""
    text = query.strip() if len(query) <= MAX_LENGTH else query
    if not (text.startswith(_FENCE) and text.endswith(_FENCE) and len(text) > 2 * len(_FENCE)):
        return text
    inner = text.removeprefix(_FENCE).removesuffix(_FENCE).lstrip(" ")
    return _LANGUAGE.sub("", inner, count=1).strip()


def _as_published(records: list[Record]) -> list[Record]:
    """Records as the published system shows them."""
    named = {key for record in records for key, value in record.items() if value is not None}
    return [
        {key: record[key] for key in record if key in named and key != "attributes"} for record in records
    ]


def _shown(records: list[Record], total: int) -> Shown:
    value = {"total": total, "records": records}
    parts: list[str] = []
    left = LONGEST
    for record in records:
        text = json.dumps(record, ensure_ascii=False)
        left -= len(text) + 2
        if left < 0:
            parts = parts or [f"{text[:LONGEST]} ... (cut)"]
            break
        parts.append(text)
    out = len(records) - len(parts)
    left_out = f"{out} {'record' if out == 1 else 'records'}; use LIMIT, fewer fields or aggregates"
    note = f', "left out": "{left_out}"' if out else ""
    return Shown(value, f'{{"total": {total}, "records": [{", ".join(parts)}]{note}}}')


def listing(schema: Schema) -> str:
    """All objects with their fields, a line for each; references with the object that they point to."""
    return "\n".join(_line(schema, each) for each in schema.objects)


def _line(schema: Schema, each: CrmObject) -> str:
    shown = [field for field in each.queryable if field.shown and field.type != "id"]
    fields = "; ".join(_field(schema, field) for field in shown)
    children = ", ".join(child.name for child in schema.children(each.name))
    return f"{each.name} ({each.note.rstrip('.')}): {fields}{f'; children: {children}' if children else ''}"


def _field(schema: Schema, field: Field) -> str:
    about = [field.note] if field.note else []
    if field.type == "textarea":
        about.append("long text")
    if field.type in ("date", "datetime"):
        about.append("dateTime" if field.type == "datetime" else "date")
    leads = f" -> {field.targets[0]}" if field.targets and schema.object(field.targets[0]) else ""
    message = f" ({', '.join(about)})" if about else ""
    return f"{field.name}{leads}{message}"


def _with_listing() -> Tool:
    asked = Tool("query", soql)
    asked.summary += (
        " Every object has Id, most have Name; long texts cannot be filtered, sorted or grouped. Paths name"
        " references without Id (Order.Account.Name), custom ones with __r for __c. The objects, and what"
        " references point to:\n" + listing(crm_schema())
    )
    return asked


TOOLKIT = Toolkit("query", "queries and searches over all objects", (_with_listing(), Tool("query", sosl)))
