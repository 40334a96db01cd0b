"""Choices among rows: those of a year, the latest, the clear best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evals.kinds.enterprise.facts import Record


def in_year(rows: Iterable[Record], column: str, wanted: str) -> list[Record]:
    """The rows of one year."""
    return [row for row in rows if row[column].startswith(wanted)]


def span(wanted: str) -> dict[str, str]:
    """The arguments of a call for one year."""
    return {"date_from": f"{wanted}-01-01", "date_to": f"{wanted}-12-31"}


def latest(rows: Iterable[Record], column: str) -> Record | None:
    """The row with the last day, if no other has the same."""
    order = sorted(rows, key=lambda row: row[column], reverse=True)
    if not order or (len(order) > 1 and order[0][column] == order[1][column]):
        return None
    return order[0]


def clear_best(scores: Mapping[str, float], *, lowest: bool = False) -> str | None:
    """The key with the highest (lowest) score if it leads the next by at least a tenth; None otherwise."""
    order = sorted(scores, key=lambda key: scores[key], reverse=not lowest)
    if len(order) < 2:
        return None
    best, second = scores[order[0]], scores[order[1]]
    return order[0] if abs(best - second) >= 0.1 * max(abs(best), abs(second)) else None
