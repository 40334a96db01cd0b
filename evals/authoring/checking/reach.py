"""Whether any tool could make the changes that a task expects, and whether its persona may make them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import apsw

from worksmith.evals.authoring.checking.findings import Finding, finding
from worksmith.tools.access.access_policy import NO_FIELDS, AccessPolicy
from worksmith.tools.access.lookup import DatabaseLookup
from worksmith.tools.sqlite.schema import ROW, Table, columns_sql, quoted

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.environment import Environment
    from worksmith.tools.sqlite.outcome import Outcome, RowChange
    from worksmith.tools.tool import Tool

_OPERATIONS = {"insert": "create", "update": "update", "delete": "delete"}


def reach_findings(env: Environment, task: Task, expected: Outcome) -> Iterator[Finding]:
    """Why no tool could make the expected changes of a task without a gold plan, if that is so."""
    tables = {table.name: table for table in env.kind.tables}
    tools = env.episode(task.domains, persona=task.persona).toolset.values()
    writing = [tool for tool in tools if tool.writes]
    if not expected.empty and not writing:
        yield finding("unsolvable", task, "changes", "no tool on offer changes anything")
        return
    for name in dict.fromkeys(change.table for change in expected.changes):
        if not any(mentions(tool, name) for tool in writing):
            said = f"no writing tool on offer has to do with the table {name}"
            yield finding("unsolvable", task, f"changes.{name}", said)
    for change in expected.changes:
        if said := _forbidden(env, task, change, tables[change.table]):
            yield finding("unsolvable", task, f"changes.{change.table}", said)


def mentions(tool: Tool, word: str) -> bool:
    """Whether a tool's code, or that of a function that it uses, has a text with a word."""
    found = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    return any(found.search(text) for text in _texts(inspect.unwrap(tool.function), set()))


def _texts(function: Any, seen: set[int]) -> Iterator[str]:
    if not isinstance(function, FunctionType) or id(function) in seen:
        return
    seen.add(id(function))
    values = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    for code in _codes(function.__code__):
        texts = (text for constant in code.co_consts for text in _strings(constant))
        yield from (text for text in texts if text != function.__doc__)
        for name in code.co_names + code.co_freevars:
            value = values.get(name)
            yield from _strings(value)
            yield from _texts(inspect.unwrap(value) if callable(value) else value, seen)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | frozenset | list):
        yield from (each for each in value if isinstance(each, str))
    elif isinstance(value, Table):
        yield value.name


def _forbidden(env: Environment, task: Task, change: RowChange, table: Table) -> str:
    """Why the persona may not make a change by itself; empty if it may, or if rules are no document."""
    policy = env.policy
    if not isinstance(policy, AccessPolicy):
        return ""
    persona = task.persona or env.world.manifest.persona
    operation = _OPERATIONS[change.operation]

    def body(connection: apsw.Connection) -> str:
        lookup = DatabaseLookup(connection)
        records = [change.after]
        if change.operation != "insert":
            columns = columns_sql(table.columns)
            row = next(
                connection.execute(
                    f"SELECT {columns} FROM main.{quoted(table.name)} WHERE {ROW} = ?", (change.row,)
                )
            )
            stored = dict(zip(table.columns, row, strict=True))
            records = [stored, *([{**stored, **change.after}] if change.operation == "update" else [])]
        fields = frozenset(change.after) if change.operation == "update" else NO_FIELDS
        for record in records:
            decision = policy.allows(persona, table.name, operation, record, lookup, fields)
            if not decision.allow:
                return f"{persona.id} may not {operation} this record ({decision.rule}): {decision.reason}"
        return ""

    return env.episode().edit(body)
