"""Whether the engine and the naive evaluator agree on a query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from random import Random
from typing import Any

from tests.tools.kinds.crm.soql.model import Select, soql
from tests.tools.kinds.crm.soql.naive import Naive, fold
from tests.tools.kinds.crm.soql.org import connect, random_day, random_org
from tests.tools.kinds.crm.soql.queries import Chooser
from worksmith.tools.kinds.crm.schema import Schema, crm_schema
from worksmith.tools.kinds.crm.soql.results import plain
from worksmith.tools.kinds.crm.soql.soql_engine import Soql


@dataclass
class Pair:
    """Both evaluators over one random org."""

    chooser: Chooser
    naive: Naive
    engine: Soql

    @classmethod
    def draw(cls, chooser: Random, size: int = 12, schema: Schema | None = None) -> Pair:
        schema = schema or crm_schema()
        org = random_org(chooser, size, schema)
        return cls.over(chooser, org, random_day(chooser), schema)

    @classmethod
    def over(cls, chooser: Random, org: Any, today: date, schema: Schema) -> Pair:
        engine = Soql(connect(org), today, schema=schema)
        return cls(Chooser(chooser, schema, org), Naive(schema, org, today), engine)

    def disagreement(self, query: Select) -> str:
        """The query with both results where they differ; empty where they agree."""
        text = soql(query)
        result = self.engine.query(text)
        got: Any = result.total_size
        expected: Any = self.naive.count(query)
        if query.items:
            got, expected = plain(result.records), self.naive.run(query)
            if _loose(query):
                got, expected = _folded(got), _folded(expected)
        return "" if got == expected else f"{text}\n  engine: {got}\n  naive:  {expected}"


def _loose(query: Select) -> bool:
    """Of texts that differ in case only, either may be the least."""
    return any(not isinstance(item, tuple) and item.function in ("MIN", "MAX") for item in query.items)


def _folded(rows: Any) -> Any:
    return [{name: fold(value) for name, value in row.items()} for row in rows]
