"""Orgs that several tests look at, and ways to spoil them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from worksmith.tools.kinds.crm.generate import Built, build
from worksmith.tools.kinds.crm.generate.industry import DEFAULT_INDUSTRY, packaged
from worksmith.tools.kinds.crm.schema import OBJECTS

SMALL = 0.05


@cache
def small(seed: int = 7, industry: str = DEFAULT_INDUSTRY) -> Built:
    """A small org; shared, so it is not to be changed."""
    return build(seed, SMALL, industry=packaged(industry))


@cache
def full(seed: int = 7) -> Built:
    """One of the published size."""
    return build(seed, 1.0)


def spoiled(built: Built, name: str, place: int, **cells: str | None) -> Built:
    """The same with some cells of one record changed."""
    columns = OBJECTS[name].columns
    row = list(built.rows[name][place])
    for column, value in cells.items():
        row[columns.index(column)] = value
    rows = list(built.rows[name])
    rows[place] = tuple(row)
    return replace(built, rows={**built.rows, name: rows})


def place_of(built: Built, name: str, **cells: str | None) -> int:
    """Where the first record with these cells is."""
    return next(
        place
        for place, record in enumerate(built.records(name))
        if all(record[column] == value for column, value in cells.items())
    )
