"""Model replies on disk, by request."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Self

from dspy import lm15
from dspy._vendor.lm15.serde import response_from_dict
from dspy.utils import exceptions
from dspy.utils.exceptions import LMError
from pydantic import BaseModel, ConfigDict, NonNegativeInt, model_validator

from worksmith.evals.lm.failures import remembered
from worksmith.evals.lm.metering import metering, reply_to_json
from worksmith.evals.lm.payer import AdmissionError
from worksmith.retrievers.strict_json import open_regular
from worksmith.tools.episode_result import Usage
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import append
from worksmith.tools.files.json_files import cut_torn_line, tell_torn, validated
from worksmith.tools.files.sealed_lines import SealedLine, sealed, unsealed, whole
from worksmith.tools.files.secrets import without_secrets
from worksmith.tools.statuses import EpisodeStatus

Ask = Callable[[], lm15.Response]


class Failure(BaseModel):
    """A failure in place of a reply.

    Attributes:
        ended: the status of an episode that it ends, and the error of its record; see
            `worksmith.evals.lm.failures`.
    """

    model_config = ConfigDict(extra="forbid")

    kind: str
    message: str
    model: str | None
    ended: tuple[EpisodeStatus, str]

    @classmethod
    def of(cls, error: LMError) -> Self:
        return cls(
            kind=type(error).__name__,
            message=without_secrets(error.message),
            model=error.model,
            ended=remembered(error),
        )

    def error(self) -> LMError:
        kind = getattr(exceptions, self.kind, None)
        if not (isinstance(kind, type) and issubclass(kind, LMError)):
            kind = LMError
        error = kind(message=self.message, model=self.model)
        error.episode_status, error.episode_error = self.ended
        return error


class Asker(NamedTuple):
    """An attempt at a piece of work that asks models, such as an episode.

    Attributes:
        work: its content address.
        attempt: its number, from 1.
    """

    work: str = ""
    attempt: int = 0


ANYBODY = Asker()
"""The asker of replies that all pieces of work share."""


class _Entry(BaseModel):
    """A line of the file: a reply or a failure, its paid usage, and the asker."""

    model_config = ConfigDict(extra="forbid")

    key: str
    model: str
    work: str = ""
    attempt: NonNegativeInt = 0
    paid: Usage
    reply: dict[str, Any] | None = None
    failure: Failure | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.reply is None) == (self.failure is None):
            raise ValueError("it has no reply")
        return self

    @classmethod
    def read(cls, line: bytes, *, where: str) -> Self:
        what, hint = "a model's reply", "remove the line, and its question is asked again"
        data = whole(SealedLine(where, unsealed(line)), what, hint=hint)
        return validated(data, cls, what, where=where, hint=hint)


class _Place(NamedTuple):
    start: int
    length: int
    failed: bool


class ReplyStore:
    """An append-only file of replies, one JSON line each, found by key. Thread-safe, for one process.

    A line is handed to the operating system in one write before its reply is used, so that a killed process
    loses no reply that was used. (A power cut may lose more: nothing is synced to the disk.) Failures are
    kept as well: a model is asked again, but where no model may be asked, the failure is raised again.

    Raises:
        InputError: the file holds something else or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._asking: dict[str, threading.Event] = {}
        self._places: dict[str, _Place] = {}
        self._paid: dict[tuple[Asker, str], Usage] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
            if torn := cut_torn_line(path):
                tell_torn(str(path), torn)
            self._end = 0
            with open_regular(path) as lines:
                for number, line in enumerate(lines, start=1):
                    self._note(_Entry.read(line, where=f"{path}:{number}"), self._end, len(line))
                    self._end += len(line)
        except OSError as error:
            raise InputError("cannot write model replies", where=str(path), hint=str(error)) from error

    def __len__(self) -> int:
        return len(self._places)

    @property
    def paid(self) -> dict[str, Usage]:
        """The paid usage of all lines of the file, failures included, by the model's name."""
        paid: dict[str, Usage] = {}
        for (_, model), usage in self.paid_by_asker.items():
            paid[model] = paid.get(model, Usage()) + usage
        return paid

    @property
    def paid_by_asker(self) -> dict[tuple[Asker, str], Usage]:
        """The same by asker and the model's name."""
        with self._lock:
            return dict(self._paid)

    def once(self, key: str, ask: Ask, *, model: str = "", asker: Asker = ANYBODY) -> lm15.Response:
        """The reply to `key`: the known one, or else the reply of `ask`, which is kept.

        Of several threads with one key, one asks and the others get its reply.
        """
        while True:
            with self._lock:
                place = self._places.get(key)
                if place is not None and not place.failed:
                    break
                asked_by = self._asking.get(key)
                if asked_by is None:
                    ours = self._asking[key] = threading.Event()
            if asked_by is not None:
                asked_by.wait()
                continue
            try:
                self._put(key, ask, model, asker)
            finally:
                with self._lock:
                    del self._asking[key]
                ours.set()
        return self._reply(place)

    def known(self, key: str) -> lm15.Response | None:
        """The known reply to `key`; None without one.

        Raises:
            LMError: a failure is known instead of a reply.
        """
        with self._lock:
            place = self._places.get(key)
        return None if place is None else self._reply(place)

    def close(self) -> None:
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    def _put(self, key: str, ask: Ask, model: str, asker: Asker) -> None:
        named = {"key": key, "model": model, **asker._asdict()}
        with metering() as meter:
            try:
                reply = reply_to_json(ask())
            except LMError as error:
                if isinstance(error.__cause__, AdmissionError):
                    raise  # the model's failure is not known
                failure = Failure.of(error)
                self._append(_Entry(**named, paid=meter.usage.paid, failure=failure))
                raise
        self._append(_Entry(**named, paid=meter.usage.paid, reply=reply))

    def _append(self, entry: _Entry) -> None:
        data = entry.model_dump(mode="json", exclude_defaults=True)
        line = sealed(json.dumps(data, ensure_ascii=False).encode())
        with self._lock:
            append(self._file, line, self.path)
            self._note(entry, self._end, len(line))
            self._end += len(line)

    def _note(self, entry: _Entry, start: int, length: int) -> None:
        known, failed = self._places.get(entry.key), entry.failure is not None
        if not failed or known is None or known.failed:
            self._places[entry.key] = _Place(start, length, failed)
        of = Asker(entry.work, entry.attempt), entry.model
        self._paid[of] = self._paid.get(of, Usage()) + entry.paid

    def _reply(self, place: _Place) -> lm15.Response:
        with self._lock:  # or the number of the file may be another one's by then
            line = os.pread(self._file, place.length, place.start)
        entry = json.loads(line)
        if place.failed:
            raise Failure.model_validate(entry["failure"]).error()
        # A fresh reply is read back as well, so that it equals the reply of a replay.
        return response_from_dict(entry["reply"])
