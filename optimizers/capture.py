"""Catching a program's DSPy trace while a runner drives it, and keeping it across a kill."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import dspy

from evals.identity import state_digest, strategy_name
from evals.source import code_digest
from optimizers.demonstration import last_calls, quoted_records
from optimizers.redaction import with_twins
from tools.errors import InputError
from tools.json_files import cut_torn_line, read_lines

if TYPE_CHECKING:
    from evals.task import Task
    from tools.workshop import Workshop


class TraceStore:
    """An append-only file of caught traces, one JSON line an episode. Thread-safe.

    The runner's log knows which episodes succeeded, this file what they looked like. A trace is written
    before its episode's record, so every recorded episode has one.

    Args:
        run: content address of what the traces depend on besides the task; those of other runs in the
            same file are not seen.
    """

    def __init__(self, path: Path, run: str) -> None:
        self.path = path
        self._run = run
        # Workers finish episodes at the same time; the lock keeps dict and file in step.
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lines = {line["task"]: line for line in _read_whole_lines(path) if line["run"] == run}

    def put(self, task: Task, trace: dict[str, Any]) -> None:
        """Keep the trace of one task; a later one replaces it."""
        data = json.dumps({"run": self._run, "task": task.digest, **trace}, ensure_ascii=False) + "\n"
        with self._lock:
            self._lines[task.digest] = json.loads(data)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(data)

    def get(self, task: Task) -> dict[str, Any] | None:
        """The trace of one task, if there is one."""
        return self._lines.get(task.digest)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class Capture(dspy.Module):  # type: ignore[misc]
    """The program itself, except that each call leaves its trace in a store."""

    def __init__(self, program: dspy.Module, store: TraceStore, workshop: Workshop) -> None:
        super().__init__()
        self._workshop = workshop
        self.program = program
        self._store = store

    @property
    def digest(self) -> str:
        """Of the program itself: catching its trace changes nothing about it."""
        return state_digest(self.program)

    @property
    def code_digest(self) -> str:
        """Of the program itself."""
        return code_digest(self.program)

    @property
    def strategy(self) -> str:
        """Of the program itself."""
        return strategy_name(self.program)

    def forward(self, task: Task) -> dspy.Prediction:
        """Run the program on `task`."""
        with dspy.context(trace=[]):
            prediction = self.program(task=task)
            trace = list(dspy.settings.trace)
        episode = prediction.episode
        calls = with_twins(last_calls(self.program, trace), task, self._workshop)
        self._store.put(
            task,
            {
                "parts": {name: call.fields for name, call in calls.items()},
                "tools": [call.tool for call in episode.calls],
                "records": quoted_records(episode),
            },
        )
        return prediction


def _read_whole_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of an earlier run; one that a kill tore in half is cut off."""
    if not path.exists():
        return []
    cut_torn_line(path)
    lines = []
    for where, trace in read_lines(path, "a caught trace", hint="delete the file", appended=True):
        if not isinstance(trace, dict) or not trace.keys() >= {"run", "task", "parts", "tools", "records"}:
            raise InputError("not a caught trace: fields are missing", where=where, hint="delete the file")
        lines.append(trace)
    return lines
