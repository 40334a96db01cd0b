"""Ids of a world and of the org that it was moved to: the file that keeps them, and their translation."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worksmith.tools.errors import InputError
from worksmith.tools.files.json_files import cut_torn_line, read_lines
from worksmith.tools.kinds.crm.ids import canonical
from worksmith.tools.kinds.crm.orgs.org import Org
from worksmith.tools.kinds.crm.schema import NUMBERS, CrmObject, Field, crm_schema
from worksmith.tools.kinds.crm.soql.errors import QueryError
from worksmith.tools.kinds.crm.soql.soql_engine import QueryResult
from worksmith.tools.kinds.crm.sosl.sosl_engine import SearchResult

FORMAT = "worksmith-org-ids/1"


class IdFile:
    """The journal of an upload: the requests before they are sent, and the returned ids.

    Its first line names world and org. Every line is on the disk before the next step, so that a resumed
    upload knows the open requests.

    Attributes:
        theirs: the org's id by worksmith's, of all records so far.
        looked: whether the org's earlier records have been noted.
        there: by object the ids of records that it had.
        under_way: object and worksmith's ids of records that were sent without a recorded answer.
        finished: names of steps that need not be done again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.theirs: dict[str, str] = {}
        self.there: dict[str, list[str]] = {}
        self.under_way: tuple[str, list[str]] | None = None
        self.finished: set[str] = set()
        self.looked = False
        self.world = ""
        self.org = ""

    @classmethod
    def new(cls, path: Path, world: str, org: str) -> IdFile:
        """An empty one.

        Raises:
            InputError: there is one already.
        """
        if os.path.lexists(path):
            raise InputError("there is one already", where=str(path), hint="--resume goes on with it")
        file = cls(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        file.note({"format": FORMAT, "world": world, "org": org})
        return file

    @classmethod
    def read(cls, path: Path) -> IdFile:
        """An existing one. A last line that was cut off by a crash does not count.

        Raises:
            InputError: it cannot be read, or is not such a file.
        """
        file = cls(path)
        try:
            entries = [entry for _, entry in read_lines(path, "a file of ids", appended=True)]
            head, rest = entries[0], entries[1:]
            if head["format"] != FORMAT:
                raise ValueError(f"format {head['format']!r}")
            file.world, file.org = str(head["world"]), str(head["org"])
            for entry in rest:
                file._take(entry)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            raise InputError(f"not a file of ids: {error}", where=str(path)) from error
        cut_torn_line(path)
        return file

    def note(self, entry: Mapping[str, Any]) -> None:
        """Add a line; it is on the disk when this returns."""
        if "format" in entry:
            self.world, self.org = entry["world"], entry["org"]
        else:
            self._take(entry)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _take(self, entry: Mapping[str, Any]) -> None:
        if "there" in entry:
            self.looked = True
            self.there = {name: list(ids) for name, ids in entry["there"].items()}
        if "sending" in entry:
            self.under_way = (str(entry["object"]), list(entry["sending"]))
        if "ids" in entry:
            self.theirs.update(entry["ids"])
            self.under_way = None
        if "finished" in entry:
            self.finished.add(str(entry["finished"]))


_ANY = re.compile(r"\b[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?\b", re.ASCII)
_LONG = re.compile(r"\b[A-Za-z0-9]{18}\b", re.ASCII)


class TranslatedOrg:
    """An org with other ids, asked and answering in those of a world. `theirs`: its ids by the world's."""

    def __init__(self, org: Org, theirs: Mapping[str, str]) -> None:
        self._org = org
        self._theirs = theirs
        self._ours = {their: our for our, their in theirs.items()}

    def __str__(self) -> str:
        return f"{self._org}, in the ids of a world"

    def query(self, soql: str) -> QueryResult:
        try:
            found = self._org.query(self._out(soql))
        except QueryError as error:
            raise self._in_error(error) from None
        return QueryResult(found.total_size, self._in(found.records))

    def search(self, sosl: str) -> SearchResult:
        try:
            return SearchResult(self._in(self._org.search(self._out(sosl)).records))
        except QueryError as error:
            raise self._in_error(error) from None

    def _out(self, statement: str) -> str:
        def theirs(found: re.Match[str]) -> str:
            known = canonical(found[0])
            return self._theirs.get(known, found[0]) if known else found[0]

        return _ANY.sub(theirs, statement)

    def _in(self, item: Any) -> Any:
        if isinstance(item, str):
            return with_ids(item, self._ours)
        if isinstance(item, list):
            return [self._in(each) for each in item]
        if isinstance(item, dict):
            return {name: self._in(value) for name, value in item.items()}
        return item

    def _in_error(self, error: QueryError) -> QueryError:
        return QueryError(error.code, self._in(error.message), error.offset, error.statement)


def translated(org: Org, file: Path) -> TranslatedOrg:
    """An org in the ids of the world that was moved to it.

    Raises:
        InputError: `file` is not a file of ids.
    """
    return TranslatedOrg(org, IdFile.read(file).theirs)


def with_ids(text: str, ids: Mapping[str, str]) -> str:
    """`text` with other ids in the place of those that are known."""
    return ids.get(text) or _LONG.sub(lambda found: ids.get(found[0], found[0]), text)


def their_values(
    entity: CrmObject, names: Sequence[str], row: Mapping[str, str | None], theirs: Mapping[str, str]
) -> dict[str, Any]:
    """Some fields of a record as an org takes them; those without a value are left out.

    Raises:
        InputError: the record refers to one that has not been moved.
    """
    lookup = crm_schema("lookup").object(entity.name)
    assert lookup is not None
    found = {}
    for name in names:
        field, cell = lookup.field(name), row[name]
        assert field is not None
        if cell is not None:
            found[name] = _their_value(entity, field, cell, row, theirs)
    return found


def _their_value(
    entity: CrmObject, field: Field, cell: str, row: Mapping[str, str | None], theirs: Mapping[str, str]
) -> Any:
    if field.type == "boolean":
        return cell == "true"
    if field.type in NUMBERS:
        return int(cell) if field.type == "int" else float(cell)
    if field.targets:
        if cell not in theirs:
            where = f"{entity.name} {row['Id']}"
            raise InputError(f"{field.name} refers to {cell}, which the world has not", where=where)
        return theirs[cell]
    return cell if field.type == "textarea" else with_ids(cell, theirs)
