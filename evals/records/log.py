"""The episode log: one JSON line an episode, written the moment the episode ends.

Tables, reports and tracking are derived from it, so a run that dies loses only the episodes in flight. A
line is one write; a torn line is recognised by its missing newline, and its episode runs again. Only one
process at a time can write a log. Model replies to episodes that have not ended may lie beside it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from evals.records.record import EpisodeRecord
from evals.records.run_card import replies_beside
from tools.errors import InputError
from tools.files.atomic import append
from tools.files.json_files import read_file, validated
from tools.files.locking import Lock
from tools.files.sealed_lines import SealedLine, mended, sealed, sealed_lines, whole

if TYPE_CHECKING:
    from evals.lm.replies.episodes import EpisodeReplies

_NO_WAITING = getattr(os, "O_NONBLOCK", 0)
"""Opening a FIFO that nobody reads fails, and does not hang."""

_WHAT, _HINT = "an episode record", "remove the line to run it again"

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
        self._records: dict[str, EpisodeRecord] = {}
        if resume and _holds_bytes(path):
            if not _begins_as_log(path):
                raise _no_log(path)  # not to be mended: it is something else
            self._records = {record.key: record for record in map(_record, mended(path, _WHAT))}
        self._file = _open(path)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        resume: bool = False,
        make_room: Callable[[Path], object] | None = None,
        replies: bool = False,
    ) -> Self:
        """Open a log for writing; with `resume`, read its records.

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

    def finished(self, key: str) -> EpisodeRecord | None:
        """The record of a work unit that need not run again; None if there is none, or it is a lost one."""
        record = self._records.get(key)
        return record if record is not None and record.graded else None

    def last(self, key: str) -> EpisodeRecord | None:
        """The last record of a work unit, even of a lost episode."""
        return self._records.get(key)

    @property
    def records(self) -> tuple[EpisodeRecord, ...]:
        """The last record of each key."""
        return tuple(self._records.values())

    def append(self, record: EpisodeRecord) -> None:
        """Write one record in one write."""
        self._records[record.key] = record
        append(self._file, log_line(record), self.path)

    def __len__(self) -> int:
        return len(self._records)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
            if self.replies is not None:
                self.replies.close(lambda key: self.finished(key) is not None)
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_log(path: str | Path) -> Iterator[EpisodeRecord]:
    """All records of a log in the order of writing; the last one of a key counts.

    A torn last line is skipped, with a notice.

    Raises:
        InputError: the file is missing, or a whole line is not an episode record.
    """
    path, record = Path(path), None
    for line in sealed_lines(path, _WHAT):
        if record is None and line.data is None and not _begins_as_log(path):
            raise InputError("it holds no episode record", where=str(path), hint="name the log of a run")
        record = _record(line)
        yield record
    if record is None and _holds_bytes(path):
        raise _no_log(path)


def log_line(record: EpisodeRecord) -> bytes:
    """A record as the line of a log."""
    return sealed(record.model_dump_json().encode())


def _record(line: SealedLine) -> EpisodeRecord:
    value = whole(line, _WHAT, hint=_HINT)
    return validated(value, EpisodeRecord, _WHAT, where=line.where, hint=_HINT)


def _begins_as_log(path: Path) -> bool:
    """Whether the file has a whole line, or is one torn line."""
    lines = sealed_lines(path, _WHAT)
    return any(line.data is not None for line in lines) or bool(_TORN.fullmatch(read_file(path, _WHAT)))


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
    from evals.lm.replies.episodes import EpisodeReplies  # imports DSPy, which reports do without

    return EpisodeReplies(replies_beside(log))


def _holds_bytes(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_WAITING, 0o644)
    except OSError as error:
        raise InputError("cannot write the episode log", where=str(path), hint=str(error)) from error
