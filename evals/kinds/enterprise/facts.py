"""The truth of an enterprise world: its rows and latent facts as plain Python, without tools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import cached_property

from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.latent import Built
from worksmith.tools.kinds.enterprise.schema import KEYS, TABLES

Record = Mapping[str, str]
"""A row by column; cells without a value are empty texts."""

_EXECUTIVES = ("CE", "CT", "CO")


class Facts:
    """The rows and latent facts of a world, indexed as they are asked for.

    Args:
        built: the world as generated.
        now: the clock of its episodes.
    """

    def __init__(self, built: Built, now: datetime) -> None:
        self.now = now
        self.today = now.date().isoformat()
        self.industry = built.industry
        self._rows: dict[str, list[Record]] = {
            table.name: [
                dict(zip(table.columns, (cell or "" for cell in row), strict=True))
                for row in built.rows.get(table.name, ())
            ]
            for table in TABLES
        }
        self._latents: dict[str, list[Latent]] = defaultdict(list)
        self._by_kind: dict[tuple[str, str], list[Latent]] = defaultdict(list)
        for latent in built.latents:
            self._latents[latent.ref].append(latent)
            self._by_kind[latent.ref.partition("/")[0], latent.kind].append(latent)
        self._indexes: dict[tuple[str, str], dict[str, list[Record]]] = {}

    def all(self, source: str) -> list[Record]:
        """Every record of a source, in the table's order."""
        return self._rows[source]

    def get(self, source: str, key: str) -> Record | None:
        found = self._index(source, KEYS[source]).get(key)
        return found[0] if found else None

    def at(self, ref: str) -> Record | None:
        """The record that `source/key` refers to."""
        source, _, key = ref.partition("/")
        return self.get(source, key)

    def where(self, source: str, **cells: str) -> list[Record]:
        """The records whose cells are exactly these; the first column named is looked up in an index."""
        (first, value), *rest = cells.items()
        found = self._index(source, first).get(value, [])
        return [row for row in found if all(row[column] == wanted for column, wanted in rest)]

    def unique(self, source: str, column: str, value: str) -> bool:
        """Whether just one record has this value, letter case aside."""
        return len(self._folded(source, column).get(value.lower(), ())) == 1

    def latents(self, source: str, kind: str) -> list[Latent]:
        return self._by_kind.get((source, kind), [])

    def kinds(self, source: str) -> list[str]:
        """The kinds of latent facts that a source has, in alphabetical order."""
        return sorted(kind for owner, kind in self._by_kind if owner == source)

    def latent(self, source: str, key: str, kind: str | None = None) -> Latent | None:
        """The latent facts of one record (of one kind)."""
        for latent in self._latents.get(f"{source}/{key}", ()):
            if kind is None or latent.kind == kind:
                return latent
        return None

    def fact(self, source: str, key: str, name: str) -> str | None:
        """One latent fact of a record, of any kind."""
        for latent in self._latents.get(f"{source}/{key}", ()):
            if name in latent.facts:
                return latent.facts[name]
        return None

    @cached_property
    def active(self) -> list[Record]:
        """The employees who work here now, executives included, by id."""
        return [row for row in self._rows["employees"] if self._works(row)]

    @cached_property
    def left(self) -> list[Record]:
        """The employees who have left, by id."""
        return [row for row in self._rows["employees"] if not self._works(row)]

    def person(self, emp_id: str) -> Record | None:
        """An employee by id, whether still here or not."""
        return self.get("employees", emp_id)

    def colleague(self, emp_id: str) -> Record | None:
        """An employee who works here now and is the only active one of that name."""
        row = self.person(emp_id)
        return row if row is not None and self._works(row) and self.known_by_name(row) else None

    def known_by_name(self, row: Record) -> bool:
        """Whether no other employee has this name."""
        return self.unique("employees", "name", row["name"])

    def manager(self, emp_id: str) -> Record | None:
        """Whom an employee reports to, if that person works here now and is known by name."""
        row = self.person(emp_id)
        return self.colleague(row["reports_to"]) if row is not None and row["reports_to"] else None

    def above(self, emp_id: str) -> frozenset[str]:
        """The ids of all whom an employee reports to, directly or not."""
        found: set[str] = set()
        row = self.person(emp_id)
        while row is not None and row["reports_to"] and row["reports_to"] not in found:
            found.add(row["reports_to"])
            row = self.person(row["reports_to"])
        return frozenset(found)

    def staff(self, departments: Iterable[str] = (), levels: Iterable[str] = ()) -> list[Record]:
        """Active employees below the executives, of these departments and levels (of all by default)."""
        departments, levels = tuple(departments), tuple(levels)
        return [
            row
            for row in self.active
            if row["department"] not in _EXECUTIVES
            and (not departments or row["department"] in departments)
            and (not levels or row["level"] in levels)
        ]

    def _works(self, row: Record) -> bool:
        # A leaving date may be in words while the person is still here.
        left = row["dol"]
        gone = left[:4].isdigit() and left <= self.today
        return row["is_valid"] != "FALSE" and not gone and row["doj"] <= self.today

    def _index(self, source: str, column: str) -> dict[str, list[Record]]:
        found = self._indexes.get((source, column))
        if found is None:
            found = self._indexes[source, column] = defaultdict(list)
            for row in self._rows[source]:
                found[row[column]].append(row)
        return found

    def _folded(self, source: str, column: str) -> dict[str, list[Record]]:
        found = self._indexes.get((source, f"{column}, folded"))
        if found is None:
            found = self._indexes[source, f"{column}, folded"] = defaultdict(list)
            for row in self._rows[source]:
                found[row[column].lower()].append(row)
        return found


def day(text: str) -> date:
    """The day of an ISO date or time."""
    return date.fromisoformat(text[:10])


def ref(source: str, row: Record) -> str:
    """How a record is referred to."""
    return f"{source}/{row[KEYS[source]]}"
