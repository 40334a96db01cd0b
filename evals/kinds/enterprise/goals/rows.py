"""Choices among rows: those of a year, the latest, the clear best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.unfit import UnfitError


def in_year(rows: Iterable[Record], column: str, wanted: str) -> list[Record]:
    return [row for row in rows if row[column].startswith(wanted)]


def span(wanted: str) -> dict[str, str]:
    """The arguments of a call for one year."""
    return {"date_from": f"{wanted}-01-01", "date_to": f"{wanted}-12-31"}


def latest(rows: Iterable[Record], column: str) -> Record:
    """The row with the last day, if no other has the same."""
    order = sorted(rows, key=lambda row: row[column], reverse=True)
    if not order or (len(order) > 1 and order[0][column] == order[1][column]):
        raise UnfitError
    return order[0]


def clear_best(scores: Mapping[str, float], *, lowest: bool = False) -> str:
    """The key with the highest (lowest) score if it leads the next by at least a tenth; None otherwise."""
    order = sorted(scores, key=lambda key: scores[key], reverse=not lowest)
    if len(order) < 2:
        raise UnfitError
    best, second = scores[order[0]], scores[order[1]]
    if not abs(best - second) >= 0.1 * max(abs(best), abs(second)):
        raise UnfitError
    return order[0]
