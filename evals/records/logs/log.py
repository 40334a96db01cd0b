"""The episode log: one JSON line an episode, written the moment the episode ends.

Tables, reports and tracking are derived from it, so a run that dies loses only the episodes in flight. A
line is one write; a torn line is recognised by its missing newline, and its episode runs again. Only one
process at a time can write a log. Model replies to episodes that have not ended may lie beside it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from worksmith.evals.records.logs.lines import WHAT, LogRecords, Place, log_line, record_of
from worksmith.evals.records.logs.log_index import LogIndex
from worksmith.evals.records.record import EpisodeRecord, WorkUnit
from worksmith.evals.records.rows import Records
from worksmith.evals.records.run_card import index_beside, replies_beside
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import append
from worksmith.tools.files.json_files import cut_torn_line, read_file
from worksmith.tools.files.locking import Lock
from worksmith.tools.files.sealed_lines import mended, sealed_lines

if TYPE_CHECKING:
    from worksmith.evals.lm.replies.episodes import EpisodeReplies

_NO_WAITING = getattr(os, "O_NONBLOCK", 0)
"""Opening a FIFO without a reader fails, and does not hang."""

MOST_HELD = 1_000
"""The most records in memory. A longer log has an index beside it with their positions."""

_TORN = re.compile(rb'\{"[^\n]*')
"""A log whose first line was torn."""


class EpisodeLog:
    """An append-only file of episode records, keyed by the content address of their work unit.

    Use `EpisodeLog.open`; it is a context manager. One thread uses it: the one that called the runner.

    Attributes:
        replies: to the episodes that have not ended; None if they are not kept.
    """

    def __init__(
        self, path: Path, lock: Lock, *, resume: bool, replies: EpisodeReplies | None = None
    ) -> None:
        self.path = path
        self.replies = replies
        self._lock = lock
        self._held: dict[str, tuple[EpisodeRecord, Place]] = {}
        self._index: LogIndex | None = None
        if resume and _holds_bytes(path):
            if not _begins_as_log(path):
                raise _no_log(path)  # not to be mended: it is something else
            self._take_over()
        else:
            index_beside(path).unlink(missing_ok=True)
        self._file = _open(path)
        self._end = os.fstat(self._file).st_size
        self._reader: LogRecords | None = None

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        resume: bool = False,
        make_room: Callable[[Path], object] | None = None,
        replies: bool = False,
    ) -> Self:
        """Open a log for writing; with `resume`, read its records, or the index of a long one.

        A line whose content does not fit its checksum is removed with a notice, and its episode runs again.

        Args:
            make_room: puts the old log away, once no other process writes to it.
            replies: keep model replies beside the log, until all of its episodes have ended.

        Raises:
            InputError: the log or the file of replies holds something and `resume` is off, a line is no
                record, or the file cannot be written.
            InUseError: another process writes to it.
        """
        path = Path(path)
        lock = Lock(path.with_name(path.name + ".lock"), path)
        try:
            if make_room is not None:
                make_room(path)
            elif not resume:
                _check_unused(path)
            return cls(path, lock, resume=resume, replies=_replies(path) if replies else None)
        except BaseException:
            lock.release()
            raise

    def is_finished(self, key: str) -> bool:
        """Whether a work unit need not run again: it has a record, and not of a lost episode."""
        if self._index is not None:
            return self._index.finished(key)
        return key in self._held and self._held[key][0].graded

    def finished(self, key: str) -> EpisodeRecord | None:
        """The record of a work unit that need not run again; None if it is missing or lost."""
        return self.last(key) if self.is_finished(key) else None

    def last(self, key: str) -> EpisodeRecord | None:
        """The last record of a work unit, even of a lost episode."""
        if self._index is None:
            return self._held[key][0] if key in self._held else None
        place = self._index.place(key)
        return None if place is None else self._read(place)

    def like(self, unit: WorkUnit) -> list[EpisodeRecord]:
        """The graded records of the same task, strategy and trial, with any digest."""
        if self._index is not None:
            return [self._read(place) for place in self._index.like(unit)]
        same = (unit.task_id, unit.strategy, unit.trial)
        return [
            record
            for record, _ in self._held.values()
            if record.graded and (record.task_id, record.strategy, record.trial) == same
        ]

    def records_of(self, keys: Iterable[str]) -> Sequence[EpisodeRecord]:
        """The last records of work units that have one; those of a long log are read when asked for."""
        if self._index is None:
            return Records(self._held[key][0] for key in keys)
        places = map(self._index.place, keys)
        return LogRecords(self.path, (place for place in places if place is not None))

    def append(self, record: EpisodeRecord) -> None:
        line = log_line(record)
        append(self._file, line, self.path)
        self._note(record, Place(self._end, len(line)))
        self._end += len(line)

    def __len__(self) -> int:
        return len(self._held if self._index is None else self._index)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
            if self.replies is not None:
                self.replies.close(self.is_finished)
            if self._index is not None:
                self._index.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take_over(self) -> None:
        """Know the records that the log holds, from its index as far as that goes."""
        self._index = LogIndex.open(self.path)
        start = 0 if self._index is None else self._index.covered
        for line in sealed_lines(self.path, WHAT, start=start):
            if line.data is None:
                if self._index is not None:
                    self._index.close()
                index_beside(self.path).unlink(missing_ok=True)
                self._held = {}
                mended(self.path, WHAT)
                self._take_over()
                return
            self._note(record_of(line), Place(line.start, line.size))
        cut_torn_line(self.path)

    def _note(self, record: EpisodeRecord, place: Place) -> None:
        if self._index is None and len(self._held) == MOST_HELD and record.key not in self._held:
            self._index = LogIndex.create(self.path)
            for each in sorted(self._held.values(), key=lambda held: held[1]):
                self._index.add(*each)
            self._held = {}
        if self._index is None:
            self._held[record.key] = record, place
        else:
            self._index.add(record, place)

    def _read(self, place: Place) -> EpisodeRecord:
        if self._reader is None:
            self._reader = LogRecords(self.path, ())
        return self._reader.read(place)


def read_log(path: str | Path) -> Iterator[EpisodeRecord]:
    """All records of a log in the order of writing; the last one of a key counts.

    A torn last line is skipped, with a notice.

    Raises:
        InputError: the file is missing, or a whole line is not an episode record.
    """
    return (record for record, _ in placed_records(Path(path)))


def placed_records(path: Path) -> Iterator[tuple[EpisodeRecord, Place]]:
    """As `read_log`, each with the place of its line."""
    record = None
    for line in sealed_lines(path, WHAT):
        if record is None and line.data is None and not _begins_as_log(path):
            raise InputError("it holds no episode record", where=str(path), hint="name the log of a run")
        record = record_of(line)
        yield record, Place(line.start, line.size)
    if record is None and _holds_bytes(path):
        raise _no_log(path)


def _begins_as_log(path: Path) -> bool:
    """Whether the file has a whole line, or is one torn line."""
    lines = sealed_lines(path, WHAT)
    return any(line.data is not None for line in lines) or bool(_TORN.fullmatch(read_file(path, WHAT)))


def _no_log(path: Path) -> InputError:
    return InputError("it holds no episode record", where=str(path), hint="name another, or remove it")


def _check_unused(path: Path) -> None:
    hint = "add --resume or choose another"
    if _holds_bytes(path):
        raise InputError("an episode log is already there", where=str(path), hint=hint)
    replies = replies_beside(path)
    if _holds_bytes(replies):
        raise InputError("replies to the episodes of a stopped run are there", where=str(replies), hint=hint)


def _replies(log: Path) -> EpisodeReplies:
    from worksmith.evals.lm.replies.episodes import EpisodeReplies  # imports DSPy, which reports do without

    return EpisodeReplies(replies_beside(log))


def _holds_bytes(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_WAITING, 0o644)
    except OSError as error:
        raise InputError("cannot write the episode log", where=str(path), hint=str(error)) from error
