"""Toolkits that read, create, update and delete records of one source, as `toolkits.toml` declares them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter
from typing import Any, get_type_hints

from worksmith.tools.access.guard import Guard
from worksmith.tools.declared import declared
from worksmith.tools.errors import ToolError
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.enterprise.naming import name_matches, named_key
from worksmith.tools.kinds.enterprise.reading import (
    Found,
    Reading,
    Row,
    guard_of,
    nearest,
    result,
    with_names,
)
from worksmith.tools.kinds.enterprise.schema import KEYS
from worksmith.tools.kinds.enterprise.values import amount, changes, choice, past_day, required, whole
from worksmith.tools.kinds.enterprise.writing import done, next_id, today
from worksmith.tools.tool import Toolkit
from worksmith.tools.tool_context import ToolContext

Cells = dict[str, str | None]
Selector = Callable[..., object]
"""Narrows a `Reading` by an argument's name and value, and by the parameters that the data file gives."""

Check = Callable[..., str | None]
"""The cell for an argument: of a `Change`, its name and value, and the parameters of the data file."""

_DATA = read_toml(__package__, "toolkits.toml")

_NAMED_BY = {KEYS[source]: source for source in ("products", "customers")}
"""The sources, other than employees, whose ids are shown with names."""

DATES = ("date_from", "date_to")
LIMIT = 10
NEAREST = 5
"""A query looks at the records of so many products."""


@dataclass(frozen=True)
class Change:
    """A record on its way into the world.

    Attributes:
        key: of the record.
        new: whether it is created.
        cells: those that the arguments of the call set.
        given: the arguments themselves.
    """

    ctx: ToolContext
    guard: Guard
    source: str
    key: str
    new: bool
    given: Mapping[str, str]
    cells: Cells

    def stored(self) -> Mapping[str, Any]:
        """The record as it is; empty if it is new."""
        return {} if self.new else self.guard.get(self.source, self.key)


def _named(reading: Reading, name: str, value: str) -> None:
    found = name_matches(reading.guard, reading.source, name, value)
    reading.among(KEYS[reading.source], [row[KEYS[reading.source]] for row in found])


def _other(reading: Reading, name: str, value: str, source: str) -> None:
    """Records of the one product or customer that is called so."""
    noun = source[:-1]
    reading.equal(KEYS[source], named_key(reading.guard, source, noun, value, KEYS[source], name))


def _repository(reading: Reading, name: str, value: str) -> None:
    """Records of a repository, given as "owner/name" or as the name alone."""
    if "/" in value:
        reading.equal(name, value)
    else:
        reading.where(f"substr({name}, instr({name}, '/') + 1) = ? COLLATE NOCASE", value.strip())


def _nearest(reading: Reading, _: str, value: str, source: str) -> None:
    keys = nearest(reading.ctx, reading.guard, source, value.strip(), (), NEAREST)
    reading.among(KEYS[source], keys)


def _unique(change: Change, name: str, value: str) -> str:
    """A name that no other record of the source has."""
    wanted, key = required(name, value), KEYS[change.source]
    change.stored()
    taken = f"SELECT 1 FROM {change.source} WHERE {name} = ? COLLATE NOCASE AND {key} <> ?"
    if change.ctx.values(taken, (wanted, change.key)):
        raise ToolError(f"There is a {change.source[:-1]} called {wanted!r} already.")
    return wanted


SELECTORS: dict[str, Selector] = {
    "key": lambda reading, _, value: reading.key(value),
    "equal": lambda reading, name, value: reading.equal(name, value),
    "alike": lambda reading, name, value: reading.alike(name, value),
    "part": lambda reading, name, value, column="": reading.part(column or name, value),
    "person": lambda reading, name, value, *columns: reading.person(value, *(columns or (name,))),
    "choice": lambda reading, name, value, *known: reading.alike(name, choice(name, value, known)),
    "named": _named,
    "other": _other,
    "repository": _repository,
    "nearest": _nearest,
}

CHECKS: dict[str, Check] = {
    "choice": lambda _, name, value, *known: choice(name, value, known),
    "amount": lambda _, name, value: amount(name, value),
    "whole": lambda _, name, value, least=0: whole(name, value, least),
    "unique": _unique,
    "past_day": lambda change, name, value: past_day(name, value, change.ctx.now.date()),
    "existing": lambda change, name, value, source: change.guard.get(source, required(name, value))[name],
}

MADE: dict[str, Callable[[ToolContext, str, str], str]] = {
    "me": lambda ctx, *_: ctx.persona.id,
    "my_name": lambda ctx, *_: ctx.persona.name,
    "today": lambda ctx, *_: today(ctx),
    "next_id": next_id,
}


@dataclass(frozen=True)
class Crud:
    """A source with all that its tools do in a way of their own.

    Attributes:
        selectors, checks: further ones, by the names that the data file gives them.
        follows: cells that follow from those of a change; refuses what does not fit together.
        shows: rows with more columns.
    """

    data: Mapping[str, Any]
    selectors: Mapping[str, Selector]
    checks: Mapping[str, Check]
    follows: Callable[[Change], Cells]
    shows: Callable[[Guard, list[Row]], list[Row]]

    @property
    def source(self) -> str:
        return str(self.data["source"])

    def read(self, ctx: ToolContext, tool: Mapping[str, Any], given: Mapping[str, Any]) -> Found:
        newest = self.data.get("newest", "")
        reading = Reading(ctx, self.source, newest=newest)
        for name, selector in tool["select"].items():
            kind, *parameters = [selector] if isinstance(selector, str) else selector
            if given[name].strip():
                self.selectors[kind](reading, name, given[name], *parameters)
        if newest:
            reading.days(newest, *(given[name] for name in DATES))
        query = "" if "query" in tool["select"] else given["query"]
        total, rows = reading.rows(query, given["limit"])
        for column, shown in self.data.get("names", {}).items():
            source = _NAMED_BY.get(column, "employees")
            name = "name" if source == "employees" else shown
            rows = with_names(reading.guard, rows, source, {column: shown}, name)
        return result(total, self.shows(reading.guard, rows))

    def create(self, ctx: ToolContext, tool: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
        key = next_id(ctx, self.source)
        change = Change(ctx, guard_of(ctx), self.source, key, new=True, given=given, cells={})
        made = {name: MADE[kind](ctx, self.source, name) for name, kind in tool.get("made", {}).items()}
        for argument in tool["arguments"]:
            name, optional, default = argument.partition("=")
            value = given[name] if given[name].strip() else default
            if cell := self._cell(change, name, value, needed=not optional):
                change.cells[self._column(name)] = cell
        cells = {KEYS[self.source]: key, **tool.get("cells", {}), **made, **change.cells}
        change.guard.insert(self.source, cells | self.follows(change))
        return done(self.source, key, "created")

    def update(self, ctx: ToolContext, tool: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
        (_, key), *fields = given.items()
        change = Change(ctx, guard_of(ctx), self.source, key.strip(), new=False, given=given, cells={})
        asked = changes(**{name: self._cell(change, name, value) for name, value in fields})
        change.cells.update({self._column(name): cell for name, cell in asked.items()})
        change.guard.update(self.source, change.key, change.cells | self.follows(change))
        return done(self.source, change.key, "updated")

    def delete(self, ctx: ToolContext, tool: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
        (key,) = given.values()
        guard_of(ctx).delete(self.source, key.strip())
        return done(self.source, key.strip(), "deleted")

    def _column(self, argument: str) -> str:
        return str(self.data.get("columns", {}).get(argument, argument))

    def _cell(self, change: Change, name: str, value: str, *, needed: bool = False) -> str | None:
        field = self.data.get("fields", {}).get(name)
        if field is None and needed:
            return required(name, value)
        if field is None or not (value.strip() or needed):
            return value.strip() or None
        kind, *parameters = [field] if isinstance(field, str) else field
        return self.checks[kind](change, name, value, *parameters)


def crud(
    name: str,
    *,
    selectors: Mapping[str, Selector] | None = None,
    checks: Mapping[str, Check] | None = None,
    follows: Callable[[Change], Cells] = lambda _: {},
    shows: Callable[[Guard, list[Row]], list[Row]] = lambda _, rows: rows,
    **own: Callable[..., Any],
) -> Toolkit:
    """The toolkit that the data file declares by this name.

    Args:
        selectors, checks, follows, shows: see `Crud`.
        own: tools with a body of their own, `body(context, **arguments)`.
    """
    data = _DATA[name]
    bodies = Crud(data, SELECTORS | dict(selectors or {}), CHECKS | dict(checks or {}), follows, shows)
    return Toolkit.of(
        name,
        data["title"],
        [_tool(bodies, short, told, own.get(short)) for short, told in data["tools"].items()],
    )


def _tool(
    bodies: Crud, name: str, told: Mapping[str, Any], own: Callable[..., Any] | None
) -> Callable[..., Any]:
    """A body with the name, the texts and the arguments that the data file gives it."""
    body = own or getattr(bodies, name.partition("_")[0])

    def run(ctx: ToolContext, **given: Any) -> Any:
        return body(ctx, told, given)

    return declared(
        name,
        told,
        [
            (argument, int if default == LIMIT else str, default)
            for argument, default in _arguments(told, dated="newest" in bodies.data)
        ],
        own or run,
        result=get_type_hints(body)["return"],
        writes="arguments" in told,
    )


def _arguments(told: Mapping[str, Any], *, dated: bool) -> list[tuple[str, Any]]:
    """The arguments of a tool with their defaults."""
    if "arguments" in told:
        parts = [argument.partition("=") for argument in told["arguments"]]
        return [(name, default if optional else Parameter.empty) for name, optional, default in parts]
    names = [*(name for name in told["select"] if name != "query"), *(DATES if dated else ()), "query"]
    return [*((name, "") for name in names), ("limit", LIMIT)]
