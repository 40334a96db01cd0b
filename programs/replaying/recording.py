"""Recording a model's replies, and answering from a recording without the model.

A recording is a file of JSON lines, each a request's digest and the reply to it. The digest covers the
prompt, not the model's name and settings, so a recording can be replayed without them.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import dspy
from dspy import lm15
from dspy._vendor.lm15.serde import request_to_dict, response_from_dict, response_to_dict

from worksmith.evals.lm.lm_proxy import ProxyEngine, Sample, check_unicode
from worksmith.programs.prompting.forms import AUTO, compact_length
from worksmith.tools.errors import InputError, WorksmithError
from worksmith.tools.files.atomic import append
from worksmith.tools.files.json_files import read_file, read_lines
from worksmith.tools.seeding import digest, digest_bytes

_DIGEST_LENGTH = 32
_NATIVE = "tools"
_COMPACT = "compact"
"""Marks the reply to a request that came with tools."""


NOT_RECORDED = "no reply is recorded"
"""The text of every `NotRecordedError`."""


class NotRecordedError(WorksmithError):
    """A request that the recording has no reply for.

    Attributes:
        digest: of the request.
    """

    def __init__(self, path: Path, request: str) -> None:
        super().__init__(f"{path}: {NOT_RECORDED} for the request {request}")
        self.digest = request


class RecordingEngine(ProxyEngine):
    """Asks a model and appends each request's digest and reply to a file. Thread-safe.

    DSPy's response cache is not used while recording: a reply from it would be missing from the file, and
    the trials of a task would all get the same one.
    """

    def __init__(self, lm: dspy.LM, path: Path | str) -> None:
        super().__init__(lm.copy(cache=False))
        self.path = Path(path)
        self._compact = compact_length(AUTO, lm)
        # One line is one write of one thread, so that replies never run into each other.
        self._lock = threading.Lock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch()
        except OSError as error:
            raise InputError("cannot write the recording", where=str(path), hint=str(error)) from error

    @classmethod
    def around(cls, lm: dspy.LM, path: Path | str) -> dspy.LM:
        """A model that answers as `lm` does, under the same name, and is recorded in `path`."""
        return cls(lm, path).installed()

    def reply(self, request: lm15.Request, sample: Sample) -> lm15.Response:
        response = self.ask(request, sample)
        check_unicode(response)
        entry = {"request": request_digest(request), "reply": response_to_dict(response)}
        if request.tools:
            entry[_NATIVE] = True
        if self._compact is not None:
            entry[_COMPACT] = self._compact
        line = json.dumps(entry, ensure_ascii=False).encode() + b"\n"
        with self._lock, self.path.open("ab") as file:
            append(file.fileno(), line, self.path)
        return response

    def __getstate__(self) -> dict[str, Any]:
        return {"lm": self.original, "path": self.path}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["lm"], state["path"])  # type: ignore[misc]


class ReplayEngine:
    """Answers from a recording. Thread-safe.

    Where one request was recorded with several replies (trials at a temperature), they are given in the
    order of recording, and the last one from then on.

    Attributes:
        supports_function_calling: whether the model was given tools when it was recorded. It must be asked in
            the same way again.
        compact_prompts: the characters of an observation in the prompts of a model that was trained on
            compact ones; None of other models.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        data = read_file(self.path, "a recording")
        self.digest = digest_bytes(data)
        entries = list(_read(self.path))
        self.supports_function_calling = any(_NATIVE in entry for entry in entries)
        self.compact_prompts: int | None = entries[0].get(_COMPACT)
        self._replies: dict[str, list[dict[str, Any]]] = {}
        for entry in entries:
            self._replies.setdefault(entry["request"], []).append(entry["reply"])
        # Two episodes may ask the same at the same time; each takes its own reply.
        self._lock = threading.Lock()

    def complete(self, request: lm15.Request) -> lm15.Response:
        """The recorded reply; `NotRecordedError` without one."""
        key = request_digest(request)
        with self._lock:
            replies = self._replies.get(key)
            if not replies:
                raise NotRecordedError(self.path, key)
            reply = replies.pop(0) if len(replies) > 1 else replies[0]
        return response_from_dict(reply)

    def dump_state(self) -> dict[str, Any]:
        return {"path": str(self.path)}

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> Self:
        return cls(state["path"])

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self.path),))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def request_digest(request: lm15.Request) -> str:
    """The content address of system text, messages and tools."""
    content = request_to_dict(request)
    shown = {name: content.get(name) for name in ("system", "messages", "tools")}
    return digest(shown, length=_DIGEST_LENGTH)


def _read(path: Path) -> Iterator[dict[str, Any]]:
    entry = None
    for where, entry in read_lines(path, "a recorded reply", appended=True):
        try:
            response_from_dict(entry["reply"])
            hash(entry["request"])
            if not isinstance(entry.get(_COMPACT), int | None):
                raise ValueError("the length of an observation is a number")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"not a recorded reply: {error}", where=where) from error
        yield entry
    if entry is None:
        raise InputError("the recording is empty", where=str(path))
