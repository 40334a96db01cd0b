"""Catching a program's DSPy trace while a runner drives it, and keeping it across a kill."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import dspy
from pydantic import BaseModel, ConfigDict

from evals.dspy_programs.asked import given_to
from evals.dspy_programs.code import code_digest
from evals.dspy_programs.demo_format import ExampleFields
from evals.dspy_programs.digests import state_digest, strategy_name
from optimizers.demos.demonstration import last_calls, quoted_records
from optimizers.demos.redaction import with_twins
from tools.files.atomic import append
from tools.files.json_files import validated
from tools.files.sealed_lines import SealedLine, mended, sealed, sealed_lines, whole

if TYPE_CHECKING:
    from evals.tasks.task import Task
    from tools.environment import Environment


TRACES = "traces.jsonl"
"""The name of the file in the folder of the episodes' logs."""

_WHAT = "a caught trace"


class _Trace(BaseModel):
    model_config = ConfigDict(extra="forbid")

    run: str
    task: str
    parts: dict[str, ExampleFields]
    tools: list[str]
    records: list[str]


class TraceStore:
    """An append-only file of caught traces, one JSON line an episode. Thread-safe.

    The runner's log knows which episodes succeeded, this file what they looked like. A trace is written
    before its episode's record, so every recorded episode has one. A line that is damaged, or not where it
    was written, is dropped and told of: its episode is owed again.

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
        known = [_trace(line) for line in mended(path, _WHAT, placed=True)]
        self._count = len(known)
        self._lines = {trace["task"]: trace for trace in known if trace["run"] == run}

    def put(self, task: Task, trace: dict[str, Any]) -> None:
        """Keep the trace of one task; a later one replaces it."""
        data = json.dumps({"run": self._run, "task": task.digest, **trace}, ensure_ascii=False).encode()
        with self._lock:
            self._lines[task.digest] = json.loads(data)
            self._count += 1
            with self.path.open("ab") as file:
                append(file.fileno(), sealed(data, place=self._count), self.path)

    def get(self, task: str) -> dict[str, Any] | None:
        """The trace of the task with this digest, if there is one."""
        return self._lines.get(task)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class Capture(dspy.Module):  # type: ignore[misc]
    """The program itself, except that each call leaves its trace in a store."""

    sees_truth = True

    def __init__(self, program: dspy.Module, store: TraceStore, env: Environment) -> None:
        super().__init__()
        self._env = env
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
            prediction = self.program(task=given_to(self.program, task))
            trace = list(dspy.settings.trace)
        episode = prediction.episode
        calls = with_twins(last_calls(self.program, trace), task, self._env)
        self._store.put(
            task,
            {
                "parts": {name: call.fields for name, call in calls.items()},
                "tools": [call.tool for call in episode.calls],
                "records": quoted_records(episode),
            },
        )
        return prediction


def read_traces(path: Path) -> Iterator[dict[str, Any]]:
    """The traces in a file, in their order; none if there is none.

    Raises:
        InputError: it cannot be read, or a line is damaged or not where it was written.
    """
    for line in sealed_lines(path, _WHAT, placed=True) if path.exists() else ():
        yield _trace(line)


def _trace(line: SealedLine) -> dict[str, Any]:
    return validated(whole(line, _WHAT), _Trace, _WHAT, where=line.where).model_dump()
