"""Moving a world to an org, in steps that can be interrupted anywhere and gone on with."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from worksmith.tools.errors import InputError, WorksmithError
from worksmith.tools.kinds.crm.live.ids import IdFile, their_values
from worksmith.tools.kinds.crm.live.plan import LATER, PER_REQUEST, ObjectPlan, Row, UploadPlan
from worksmith.tools.kinds.crm.live.target import Target, Values

_BYTES = 1_000_000
"""Of one request, about."""

_COMPARED = frozenset({"string", "picklist", "email", "phone", "url", "date", "datetime", "reference"})
"""Types of fields by which records are recognised that came through without an answer."""


@dataclass(frozen=True)
class Step:
    """How far an upload is: records of one object."""

    object: str
    done: int
    total: int


Progress = Callable[[Step], None]


def check_file(file: IdFile, world: str, host: str) -> None:
    """See that a file of ids is of this world and org.

    Raises:
        InputError: it is not.
    """
    if file.world != world:
        raise InputError("is of the upload of another world", where=str(file.path))
    if file.org != host:
        raise InputError(f"is of an upload to {file.org}, not {host}", where=str(file.path))


class Upload:
    """One upload. `file`: the finished steps, kept up to date. `batch`: records of one request."""

    def __init__(
        self,
        plan: UploadPlan,
        target: Target,
        file: IdFile,
        *,
        batch: int = PER_REQUEST,
        progress: Progress = lambda _: None,
    ) -> None:
        self._plan = plan
        self._target = target
        self._file = file
        self._batch = batch
        self._progress = progress

    def run(self) -> dict[str, int]:
        """Do the remaining steps; gives the number of records by object.

        Raises:
            RefusedError: the org will not take a record.
            InfrastructureError: it does not answer; the same upload can be resumed.
            WorksmithError: its content differs from the sent one.
        """
        if not self._file.looked:
            there = {each.name: self._target.ids(each.name) for each in self._plan.objects if not each.absent}
            self._file.note({"there": {name: ids for name, ids in there.items() if ids}})
        self._settle()
        for each in self._plan.objects:
            self._match(each)
            self._make(each)
        for each in self._plan.objects:
            self._change_later(each)
            self._publish(each)
        theirs = self._file.theirs
        return {
            each.name: sum(row["Id"] in theirs for row in (*each.rows, *each.matched))
            for each in self._plan.objects
        }

    def _settle(self) -> None:
        """Find out what became of records that were sent without an answer on record."""
        if self._file.under_way is None:
            return
        name, ours = self._file.under_way
        plan = next(each for each in self._plan.objects if each.name == name)
        known = {*self._file.theirs.values(), *self._file.there.get(name, ())}
        fresh = [each for each in self._target.ids(name) if each not in known]
        if fresh:
            rows = {row["Id"]: row for row in plan.rows}
            self._file.note({"ids": self._recognised(plan, [rows[our] for our in ours], fresh)})

    def _recognised(self, plan: ObjectPlan, rows: Sequence[Row], fresh: Sequence[str]) -> dict[str, str]:
        """The org's ids by worksmith's: records are the same if their short fields are."""
        strange = WorksmithError(
            f"{plan.name}: the org has {len(fresh)} new records that are not those sent last; "
            "somebody else adds to it"
        )
        if len(fresh) != len(rows):
            raise strange
        types = {each.name: each.type for each in plan.entity.queryable}
        fields = [name for name in plan.sent if types[name] in _COMPARED]
        found: dict[tuple[str, ...], list[str]] = {}
        for record in self._target.records(plan.name, ["Id", *fields], fresh):
            found.setdefault(_key(record, fields), []).append(record["Id"])
        pairs = {}
        for row in rows:
            alike = found.get(_key(self._values(plan, row), fields))
            if not alike:
                raise strange
            pairs[str(row["Id"])] = alike.pop(0)
        return pairs

    def _match(self, plan: ObjectPlan) -> None:
        """Note the ids of records that the org has, or has made by itself."""
        theirs = self._file.theirs
        left = [row for row in plan.matched if row["Id"] not in theirs]
        if not left:
            return
        if plan.name == "Pricebook2":
            book = self._target.standard_book
            if book is None:
                raise WorksmithError("the org has no standard price book; activate it in its settings")
            self._file.note({"ids": {str(row["Id"]): book for row in left}})
            return
        accounts = {theirs[str(row["AccountId"])]: str(row["Id"]) for row in left}
        for some in _chunks(list(accounts), PER_REQUEST):
            records = self._target.records("Account", ["Id", "PersonContactId"], some)
            self._file.note({"ids": {accounts[each["Id"]]: each["PersonContactId"] for each in records}})

    def _make(self, plan: ObjectPlan) -> None:
        left = [row for row in plan.rows if row["Id"] not in self._file.theirs]
        total = len(plan.rows)
        done = total - len(left)
        for rows, values in self._requests(plan, left):
            ours = [str(row["Id"]) for row in rows]
            self._file.note({"object": plan.name, "sending": ours})
            ids = self._target.create(plan.name, values)
            self._file.note({"ids": dict(zip(ours, ids, strict=True))})
            done += len(ids)
            self._progress(Step(plan.name, done, total))

    def _requests(self, plan: ObjectPlan, rows: Sequence[Row]) -> Iterator[tuple[list[Row], list[Values]]]:
        some: list[Row] = []
        values: list[Values] = []
        size = 0
        for row in rows:
            value = self._values(plan, row)
            length = len(json.dumps(value))
            if some and (len(some) == self._batch or size + length > _BYTES):
                yield some, values
                some, values, size = [], [], 0
            some.append(row)
            values.append(value)
            size += length
        if some:
            yield some, values

    def _values(self, plan: ObjectPlan, row: Row) -> Values:
        values = their_values(plan.entity, plan.sent, row, self._file.theirs)
        begin = {name: value for name, value in LATER.get(plan.name, {}).items() if name in values}
        return values | begin | dict(self._plan.constants.get(plan.name, {}))

    def _change_later(self, plan: ObjectPlan) -> None:
        fields = [name for name in LATER.get(plan.name, {}) if name in plan.sent]
        for number, rows in enumerate(_chunks(plan.rows, self._batch) if fields else ()):
            step = f"{plan.name} later {self._batch} {number}"
            if step not in self._file.finished:
                theirs = self._file.theirs
                changes = [
                    {"id": theirs[str(row["Id"])], **their_values(plan.entity, fields, row, theirs)}
                    for row in rows
                ]
                self._target.update(plan.name, changes)
                self._file.note({"finished": step})

    def _publish(self, plan: ObjectPlan) -> None:
        if plan.name != "Knowledge__kav":
            return
        for row in plan.rows:
            step = f"online {row['Id']}"
            if row["PublishStatus"] == "Online" and step not in self._file.finished:
                self._target.publish(self._file.theirs[str(row["Id"])])
                self._file.note({"finished": step})


def _key(record: dict[str, Any], fields: Sequence[str]) -> tuple[str, ...]:
    """The key that identifies a record, for any change of blanks and case by the org."""
    return tuple(" ".join(str(record.get(name) or "").lower().split()) for name in fields)


def _chunks(items: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [items[at : at + size] for at in range(0, len(items), size)]
