"""What all functions share: the org, the reading of the rules, and how they refuse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.crm.functions.statements import distinct, parts
from worksmith.tools.kinds.crm.moments import SHAPE, read_moment, read_recorded, text_of
from worksmith.tools.kinds.crm.orgs.org import Org
from worksmith.tools.kinds.crm.settings import Mode
from worksmith.tools.kinds.crm.soql.results import Record, plain

Records = list[dict[str, Any]]
Ids = list[str]
Counts = dict[str, int]
Values = dict[str, float]


LONGEST = 1_000
"""Characters of a text that may go into a condition."""


class FunctionError(ToolError):
    """A function cannot do its task; the message names the argument and the reason."""


class Base:
    """Functions over an org.

    Args:
        mode: `faithful` has the published semantics; `clean` those of the policies that agents read.

    Attributes:
        notes: a note of the last call beside its result, such as its omissions.
    """

    def __init__(self, org: Org, mode: Mode = "clean") -> None:
        self.org = org
        self.mode = mode
        self.notes: list[str] = []

    @property
    def clean(self) -> bool:
        """Whether the functions follow the policies rather than the published system."""
        return self.mode == "clean"

    def refusal(self, message: str) -> FunctionError:
        """That a call cannot be done; in the published system such texts begin with `Error: `."""
        return FunctionError(message if self.clean else f"Error: {message}")

    def moment(self, name: str, text: str) -> datetime:
        found = read_moment(text, lenient=self.clean)
        if found is None:
            also = " or a date YYYY-MM-DD" if self.clean else ""
            raise self.refusal(f"{name} must be a point in time {SHAPE}{also}, not {text[:40]!r}")
        return found

    def check(self, **texts: str | Sequence[str] | None) -> None:
        """See that texts that go into conditions are neither empty, which stands for null, nor endless."""
        for name, given in texts.items():
            for text in [given] if isinstance(given, str) else given or ():
                if not 0 < len(text) <= LONGEST:
                    raise self.refusal(f"{name} must have 1 to {LONGEST} characters")

    def within(self, start_date: str | None, end_date: str | None, *, last: bool = False) -> list[str]:
        """Conditions that CreatedDate lies from one point in time to another.

        Args:
            last: whether the published system counts the end itself. Clean functions never do.
        """
        found = []
        if start_date is not None:
            found.append(f"CreatedDate >= {text_of(self.moment('start_date', start_date))}")
        if end_date is not None:
            before = "<=" if last and not self.clean else "<"
            found.append(f"CreatedDate {before} {text_of(self.moment('end_date', end_date))}")
        return found

    def select(
        self,
        fields: str,
        source: str,
        conditions: Sequence[str] = (),
        lists: Mapping[str, Sequence[str]] | None = None,
        tail: str = "",
    ) -> list[Record]:
        """The records that a query finds, as plain dictionaries.

        Args:
            fields: for SELECT; Id among them if there are lists.
            lists: by field the values of which it must have one; none of them empty.
            tail: the condition after WHERE.
        """
        lists = {field: distinct(values) for field, values in (lists or {}).items()}
        found: dict[str, Record] = {}
        rows: list[Record] = []
        for listed in parts(lists) if lists else [[]]:
            where = " AND ".join([*listed, *conditions])
            text = f"SELECT {fields} FROM {source}{f' WHERE {where}' if where else ''}{tail}"
            rows = plain(self.org.query(text).records)
            if lists:  # a record with two of the values of text fields that differ in case comes twice
                found.update({row["Id"]: row for row in rows})
        return list(found.values()) if lists else rows

    def need(self, name: str, records: Records, *keys: str) -> None:
        """Check that all records of an argument have the needed fields."""
        for place, record in enumerate(records):
            lacking = [key for key in keys if key not in record]
            if lacking:
                raise self.refusal(f"{name}[{place}] has no {', '.join(lacking)}")

    def owner(self, name: str, place: int, record: Mapping[str, Any]) -> str:
        found = record["OwnerId"]
        if not isinstance(found, str):
            raise self.refusal(f"{name}[{place}]: OwnerId must be the id of a user")
        return found

    def seconds(self, name: str, records: Records) -> list[float | None]:
        """How long each case was open; None for those that still are."""
        self.need(name, records, "CreatedDate", "ClosedDate")
        found = [self._seconds(name, place, record) for place, record in enumerate(records)]
        still = found.count(None)
        if still and not self.clean:
            raise self.refusal(f"{name}[{found.index(None)}]: ClosedDate is missing, the case is open")
        if still:
            self.notes.append(f"{still} open {'case' if still == 1 else 'cases'} left out")
        return found

    def _seconds(self, name: str, place: int, record: Mapping[str, Any]) -> float | None:
        if record["ClosedDate"] is None:
            return None
        opened, closed = read_recorded(record["CreatedDate"]), read_recorded(record["ClosedDate"])
        if opened is None or closed is None:
            which = "CreatedDate" if opened is None else "ClosedDate"
            raise self.refusal(f"{name}[{place}]: {which} must look like 2022-03-04T09:30:00.000+0000")
        if closed < opened:
            raise self.refusal(f"{name}[{place}]: ClosedDate lies before CreatedDate")
        return (closed - opened).total_seconds()


def means(pairs: Iterable[tuple[str, float]]) -> Values:
    """The mean of each key's numbers, keys in the order in which they come."""
    numbers: dict[str, list[float]] = {}
    for key, number in pairs:
        numbers.setdefault(key, []).append(number)
    return {key: sum(of) / len(of) for key, of in numbers.items()}


def tally(keys: Iterable[str]) -> Counts:
    counts: Counts = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    return counts
