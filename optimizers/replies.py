"""Model replies on disk by what was asked, and the engine that asks nobody what was answered before.

A request is told from others by the model's content address, its own text with its sampling settings, and
what samples differ in without saying so to the model: the rollout id, and the number within several
completions of one call. So equal questions are asked once in a compile, however often they come up.
"""

from __future__ import annotations

import errno
import json
import os
import threading
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import dspy
from dspy import lm15
from dspy._vendor.lm15.serde import request_to_dict, response_from_dict, response_to_dict
from dspy.utils import exceptions
from dspy.utils.callback import BaseCallback
from dspy.utils.exceptions import LMError
from dspy.utils.usage_tracker import UsageTracker

from evals.identity import model_name
from evals.stand_in import StandIn, check_unicode
from optimizers.budget import BudgetSpentError
from retrievers.strict_json import open_regular
from tools.errors import InputError, WorksmithError
from tools.json_files import cut_torn_line, tell_torn
from tools.sealed_lines import SealedLine, sealed, unsealed, whole
from tools.secrets import without_secrets
from tools.seeding import digest

_KEY_LENGTH = 32
_SHOWN = 80
"""Characters that are quoted of a request to which there is no reply."""


class NotInJournalError(WorksmithError):
    """A request that the journal holds no reply to, where nobody may be asked."""


Ask = Callable[[], tuple[lm15.Response, bool]]
"""Gives a reply, and whether it came out of DSPy's cache, so that nobody was paid for it."""


class _Place(NamedTuple):
    """Where in the file an entry is."""

    start: int
    length: int
    failed: bool


class ReplyStore:
    """An append-only file of replies, one JSON line each, found by key. Thread-safe, for one process.

    A line is handed to the operating system in one write before its reply is used, so that a killed process
    loses only what nobody had the answer to yet. (A power cut may lose more: nothing is synced to the disk.)
    Failures are kept beside the replies: a model is asked again, but who only retraces what happened is
    given what there was.

    Raises:
        InputError: the file holds something else or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._asking: dict[str, threading.Event] = {}
        self._places: dict[str, _Place] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
            if torn := cut_torn_line(path):
                tell_torn(str(path), torn)
            self._end = 0
            with open_regular(path) as lines:
                for number, line in enumerate(lines, start=1):
                    self._note(_entry(line, where=f"{path}:{number}"), self._end, len(line))
                    self._end += len(line)
        except OSError as error:
            raise InputError("cannot write model replies", where=str(path), hint=str(error)) from error

    def __len__(self) -> int:
        return len(self._places)

    def once(self, key: str, ask: Ask, *, model: str = "") -> lm15.Response:
        """The reply to `key`: the one there is, or else what `ask` gives, kept.

        Of several threads with one key, one asks and the others are given its reply.
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
                self._put(key, ask, model)
            finally:
                with self._lock:
                    del self._asking[key]
                ours.set()
        return self._reply(place)

    def known(self, key: str) -> lm15.Response | None:
        """The reply to `key` without asking anybody; None if there is none.

        Raises:
            LMError: what there is instead of a reply.
        """
        with self._lock:
            place = self._places.get(key)
        return None if place is None else self._reply(place)

    def close(self) -> None:
        """Give the file back; closing twice is harmless."""
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    def _put(self, key: str, ask: Ask, model: str) -> None:
        entry: dict[str, Any] = {"key": key, "model": model}
        try:
            response, cached = ask()
            entry |= {"reply": response_to_dict(response), **({"cached": True} if cached else {})}
        except LMError as error:
            if isinstance(error.__cause__, BudgetSpentError):
                raise  # nobody was asked
            message = without_secrets(error.message)
            said = {"class": type(error).__name__, "message": message, "model": error.model}
            self._append({**entry, "failure": said})
            raise
        self._append(entry)

    def _append(self, entry: dict[str, Any]) -> None:
        line = sealed(json.dumps(entry, ensure_ascii=False).encode())
        with self._lock:
            written = os.write(self._file, line)
            if written != len(line):
                os.ftruncate(self._file, self._end)
                raise OSError(errno.ENOSPC, "only a part could be written", str(self.path))
            self._note(entry, self._end, len(line))
            self._end += written

    def _note(self, entry: dict[str, Any], start: int, length: int) -> None:
        known = self._places.get(entry["key"])
        if "reply" in entry or known is None or known.failed:
            self._places[entry["key"]] = _Place(start, length, "failure" in entry)

    def _reply(self, place: _Place) -> lm15.Response:
        with self._lock:  # or the number of the file may be another one's by then
            line = os.pread(self._file, place.length, place.start)
        entry = json.loads(line)
        if place.failed:
            raise _failure(entry["failure"])
        # Also a fresh reply is read back, so that it is in no way another one when it is replayed.
        return response_from_dict(entry["reply"])


class RememberingEngine(StandIn):
    """Gives the reply that a store has to a request, and asks the model where it has none.

    Attributes:
        asking: whether the model may be asked at all.
        lacking: what was asked that the store has no reply to, where nobody may be asked.
    """

    def __init__(self, lm: dspy.LM, store: ReplyStore, *, asking: bool = True) -> None:
        super().__init__(_keeping_usage(lm.copy(callbacks=[])))
        self._store = store
        self.asking = asking
        self.lacking: list[str] = []

    def installed(self) -> dspy.LM:
        """See `StandIn`."""
        lm = super().installed()
        return lm.copy(callbacks=[*lm.callbacks, _Caller()])

    def complete(self, request: lm15.Request) -> lm15.Response:
        """The reply.

        Raises:
            LMError: the model gave none.
            NotInJournalError: there is none, and nobody may be asked.
        """
        call = _CALL.get()
        rollout, number = (call.rollout, call.answered) if call is not None else (None, 0)
        key = digest([self._own, rollout, number, request_to_dict(request)], length=_KEY_LENGTH)
        response = self._replied(key, request, rollout, number)
        if call is not None:
            call.answered += 1
        return response

    def _replied(self, key: str, request: lm15.Request, rollout: Any, number: int) -> lm15.Response:
        if not self.asking:
            found = self._store.known(key)
            if found is None:
                self.lacking.append(_lack(model_name(self.original), request))
                raise NotInJournalError(self.lacking[-1])
            return found
        options: dict[str, Any] = {} if rollout is None else {"rollout_id": rollout}
        if number:
            # DSPy's cache does not tell the completions of one call apart.
            options["cache"] = False
        return self._store.once(key, lambda: self._asked(request, options), model=model_name(self.original))

    def _asked(self, request: lm15.Request, options: dict[str, Any]) -> tuple[lm15.Response, bool]:
        used = UsageTracker()
        with dspy.context(usage_tracker=used, disable_history=True, callbacks=[]):
            response = self.original(replace(request, model=self.original.model), **options)
        check_unicode(response)
        # DSPy tracks what a request takes, and nothing for what it had in its cache.
        return response, not used.usage_data


class _Through(StandIn):
    """Passes requests on, and does nothing else."""

    def complete(self, request: lm15.Request) -> lm15.Response:
        return self.ask(request, cache=False)


def _keeping_usage(lm: dspy.LM) -> dspy.LM:
    """The same model, whose replies say what they took also when they come out of DSPy's cache.

    With that of some providers DSPy forgets it, and a result would depend on what was in the cache.
    """
    if not lm.cache or not isinstance(lm.engine, str):
        return lm
    kept: dspy.LM = _Through(lm).installed().copy(cache=True)
    return kept


@dataclass
class _Call:
    """A call of a model that is under way in this thread."""

    rollout: Any = None
    answered: int = 0


_CALL: ContextVar[_Call | None] = ContextVar("worksmith_model_call", default=None)


class _Caller(BaseCallback):  # type: ignore[misc]
    """Tells the engine of the call that a request belongs to; DSPy leaves the rollout id out of requests."""

    def on_lm_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        settings = {**getattr(instance, "kwargs", {}), **(inputs.get("kwargs") or {})}
        _CALL.set(_Call(settings.get("rollout_id")))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _entry(line: bytes, *, where: str) -> dict[str, Any]:
    what, hint = "a model's reply", "remove the line, and its question is asked again"
    entry = whole(SealedLine(where, unsealed(line)), what, hint=hint)
    known = isinstance(entry, dict) and all(isinstance(entry.get(name), str) for name in ("key", "model"))
    if known and ("reply" in entry or "failure" in entry):
        return dict(entry)
    raise InputError(f"not {what}: it has no key, no model, or no reply", where=where, hint=hint)


def _failure(said: dict[str, Any]) -> LMError:
    kind = getattr(exceptions, str(said["class"]), None)
    if not (isinstance(kind, type) and issubclass(kind, LMError)):
        kind = LMError
    return kind(said["message"], model=said["model"])


def _lack(model: str, request: lm15.Request) -> str:
    last = " ".join((request.messages[-1].text or "").split())
    return f"no reply of {model} to {last[:_SHOWN]!r}"
