"""The query toolkit: both query languages, for agents that write their own queries."""

from __future__ import annotations

import json
import re
from typing import Any

from tools.crm.opening import open_org
from tools.crm.soql.records import plain
from tools.desk import Desk
from tools.result import Shown
from tools.tool import tool
from tools.toolkit import Toolkit

_FENCE = re.compile(r"^\s*```[^\n]*\n(.*?)\n?\s*```\s*$", re.DOTALL)
_FIND = re.compile(r"\s*FIND\b", re.IGNORECASE)

LONGEST = 20_000
"""Characters of a result that are shown."""


@tool()
def soql(desk: Desk, query: str) -> Any:
    """Run a SOQL query: records of one object, with conditions, aggregates, parents and children.

    Args:
        query: a SELECT statement
    """
    return _run(desk, query)


@tool()
def sosl(desk: Desk, query: str) -> Any:
    """Run a SOSL search: records with given words in their texts.

    Args:
        query: a FIND statement
    """
    return _run(desk, query)


def _run(desk: Desk, query: str) -> Any:
    org, text = open_org(desk), _bare(query)
    if _FIND.match(text):
        return _shown(plain(org.search(text).records))
    result = org.query(text)
    if result.total_size and not result.records:
        return result.total_size  # COUNT()
    return _shown(plain(result.records))


def _bare(query: str) -> str:
    """A query without the fences that models put around code."""
    fenced = _FENCE.match(query)
    return fenced[1] if fenced else query


def _shown(records: list[dict[str, Any]]) -> Shown:
    value = {"total": len(records), "records": records}
    return Shown(value, json.dumps(value, ensure_ascii=False))


TOOLKIT = Toolkit.of("query", "queries and searches over all objects", (soql, sosl))
