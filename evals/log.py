"""The episode log: one JSON line an episode, written the moment the episode ends.

Everything else (tables, reports, tracking) is derived from it, so a run that dies loses at most the
episodes that were in flight. A line is handed to the operating system in one write; a line that the
machine tore in half is recognised by its missing newline and owed again.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from evals.record import EpisodeRecord
from tools.errors import InputError
from tools.json_files import cut_torn_line, read_models


class EpisodeLog:
    """An append-only file of episode records, keyed by the content address of their work unit.

    Use `EpisodeLog.open`; it is a context manager. Not shared between threads: the runner writes from
    the thread that called it.
    """

    def __init__(
        self, path: Path, file: int, records: dict[str, EpisodeRecord], *, final: bool = False
    ) -> None:
        self.path = path
        self._final = final
        self._file = file
        self._records = records

    @classmethod
    def open(cls, path: str | Path, *, resume: bool = False, final: bool = False) -> Self:
        """Open a log for writing; with `resume`, read what it already holds.

        Args:
            final: take what was lost to the infrastructure as it is; its unit is not owed again.

        Raises:
            InputError: the log has episodes and `resume` was not asked for, a line is no record, or
                there can be no such file.
        """
        path = Path(path)
        records: dict[str, EpisodeRecord] = {}
        if path.exists() and path.stat().st_size:
            if not resume:
                raise InputError(
                    "an episode log is already there", where=str(path), hint="add --resume or choose another"
                )
            records = {record.key: record for record in read_log(path)}
            cut_torn_line(path)
        return cls(path, _open(path), records, final=final)

    def finished(self, key: str) -> EpisodeRecord | None:
        """The record of a work unit that need not run again.

        An infrastructure failure is no answer: its unit is owed again.
        """
        record = self._records.get(key)
        return record if record is not None and (record.graded or self._final) else None

    @property
    def records(self) -> tuple[EpisodeRecord, ...]:
        """Every record that it holds, the last one of each key."""
        return tuple(self._records.values())

    def append(self, record: EpisodeRecord) -> None:
        """Write one episode, whole, in one write."""
        self._records[record.key] = record
        line = (record.model_dump_json() + "\n").encode()
        written = os.write(self._file, line)
        if written != len(line):
            raise OSError(errno.ENOSPC, "only a part could be written", str(self.path))

    def __len__(self) -> int:
        return len(self._records)

    def close(self) -> None:
        """Give the file back; closing twice is harmless."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_log(path: str | Path) -> Iterator[EpisodeRecord]:
    """The records of a log in the order of writing; of several with the same key the last counts.

    All of them are given. A torn last line is skipped.

    Raises:
        InputError: the file is missing, or a whole line is not an episode record.
    """
    return read_models(
        Path(path), EpisodeRecord, "an episode record", hint="remove the line to run it again", appended=True
    )


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    except OSError as error:
        raise InputError("cannot write the episode log", where=str(path), hint=str(error)) from error
