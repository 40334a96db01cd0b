"""Lines of episode logs: one record each, with a checksum."""

from __future__ import annotations

import weakref
from array import array
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Lock
from typing import NamedTuple, Self, overload

from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.records.rows import Records, ShownRecords
from worksmith.retrievers.strict_json import open_regular
from worksmith.tools.files.json_files import validated
from worksmith.tools.files.sealed_lines import SealedLine, sealed, unsealed, whole

WHAT = "an episode record"

HINT = "remove the line to run it again"


class Place(NamedTuple):
    """The bytes of a line in a log."""

    start: int
    size: int


def log_line(record: EpisodeRecord) -> bytes:
    """A record as the line of a log."""
    return sealed(record.model_dump_json().encode())


def record_of(line: SealedLine) -> EpisodeRecord:
    """The record in a line of a log.

    Raises:
        InputError: the line is damaged, or holds something else.
    """
    return validated(whole(line, WHAT, hint=HINT), EpisodeRecord, WHAT, where=line.where, hint=HINT)


class LogRecords(ShownRecords, Sequence[EpisodeRecord]):
    """Records that are read from their log each time they are asked for, so that only one is in memory.

    They stay readable when the log is moved, as long as the object exists. Any thread may ask.

    Args:
        places: of the lines, in the order of the records.
        change: is done with each record that is read.
    """

    def __init__(
        self,
        log: Path,
        places: Iterable[Place],
        change: Callable[[EpisodeRecord], EpisodeRecord] = lambda record: record,
    ) -> None:
        self._log = log
        self._starts, self._sizes = array("q"), array("q")
        for start, size in places:
            self._starts.append(start)
            self._sizes.append(size)
        self._change = change
        self._file, self._lock = open_regular(log), Lock()
        weakref.finalize(self, self._file.close)

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> EpisodeRecord: ...
    @overload
    def __getitem__(self, index: slice) -> list[EpisodeRecord]: ...
    def __getitem__(self, index: int | slice) -> EpisodeRecord | list[EpisodeRecord]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        return self._change(self.read(Place(self._starts[index], self._sizes[index])))

    def read(self, place: Place) -> EpisodeRecord:
        """The record at a place of the log.

        Raises:
            InputError: the line is damaged, or holds something else.
        """
        with self._lock:
            self._file.seek(place.start)
            line = self._file.read(place.size)
        where = f"{self._log}: the line at byte {place.start:,}"
        return record_of(SealedLine(where, unsealed(line), *place))


class TableRecords(Records):
    """Records with all that tables show, without the trajectories, which are most of their size.

    Attributes:
        whole: the same as they lie in the log.
    """

    whole: LogRecords

    @classmethod
    def of(cls, whole: LogRecords) -> Self:
        found = cls(map(_without_trajectory, whole))
        found.whole = whole
        return found


def _without_trajectory(record: EpisodeRecord) -> EpisodeRecord:
    opinions = (call for call in record.calls if call.opinion)
    return record.model_copy(
        update={
            "calls": tuple(
                call.model_copy(update={"observation": "", "arguments": None}) for call in opinions
            ),
            "asks": tuple(ask for ask in record.asks if ask.model or ask.reading),
            "answer": "",
            "traceback": "",
            "plan": "",
            "shown": (),
            "spans": (),
            "changes": (),
            "expected_changes": (),
        }
    )
