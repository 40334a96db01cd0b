"""Collecting a trace bank: a teacher runs the training tasks, and its successes are kept."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import dspy
from pydantic import BaseModel, ConfigDict

from worksmith.evals.dspy_programs.demo_format import ExampleFields
from worksmith.evals.dspy_programs.digests import model_digest, program_digest, state_digest, strategy_name
from worksmith.evals.dspy_programs.traces import traced
from worksmith.evals.records.record import PRIMARY, EpisodeRecord
from worksmith.evals.task_kind import run_program
from worksmith.optimizers.demos.demonstration import Demonstration, example_calls, quoted_records
from worksmith.optimizers.demos.redaction import with_twins
from worksmith.optimizers.demos.trace_bank import NO_TRACE, Gap, TraceBank
from worksmith.optimizers.rollouts import Rollouts
from worksmith.tools.code import code_digest
from worksmith.tools.files.atomic import append
from worksmith.tools.files.json_files import validated
from worksmith.tools.files.sealed_lines import SealedLine, mended, sealed, sealed_lines, whole
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.environment import Environment


TRACES = "traces.jsonl"
"""The name of the file in the folder of the episodes' logs."""

_WHAT = "a caught trace"


class _KeptTrace(BaseModel):
    model_config = ConfigDict(extra="forbid")

    run: str
    task: str
    parts: dict[str, ExampleFields]
    tools: list[str]
    records: list[str]


class TraceStore:
    """An append-only file of caught traces, one JSON line an episode. Thread-safe.

    The runner's log has the successes, this file holds their traces. A trace is written before
    its episode's record, so every recorded episode has one. A line that is damaged or out of place is dropped
    with a notice, and its episode runs again.

    Args:
        run: content address of everything but the task that the traces depend on; those of other runs in the
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
    """A program whose calls leave their traces in a store.

    Its digests and strategy are the program's. It runs in the process of the store, with any engine.
    """

    sees_truth = True
    runs_here = True

    def __init__(self, program: dspy.Module, store: TraceStore, env: Environment, seed: int) -> None:
        super().__init__()
        self._env = env
        self.program = program
        self._store, self._seed = store, seed

    @property
    def digest(self) -> str:
        return state_digest(self.program)

    @property
    def code_digest(self) -> str:
        return code_digest(self.program)

    @property
    def strategy(self) -> str:
        return strategy_name(self.program)

    def forward(self, task: Task) -> dspy.Prediction:
        with traced() as trace:
            prediction = run_program(self.program, task, self._env)
        episode = prediction.episode
        calls = with_twins(example_calls(self.program, trace, self._seed, task.id), task, self._env)
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
    """The traces in a file, in their order; none without a file.

    Raises:
        InputError: the file cannot be read, or a line is damaged or out of place.
    """
    for line in sealed_lines(path, _WHAT, placed=True) if path.exists() else ():
        yield _trace(line)


def _trace(line: SealedLine) -> dict[str, Any]:
    return validated(whole(line, _WHAT), _KeptTrace, _WHAT, where=line.where).model_dump()


def collect(
    program: dspy.Module, tasks: Sequence[Task], rollouts: Rollouts, *, threshold: float = 1.0
) -> TraceBank:
    """Run `program` with the teacher over `tasks` and keep the successes.

    Args:
        rollouts: runs programs with the teacher as their model. If it resumes, tasks that an earlier run
            finished are not run again; once its budget is spent, no further ones.
        threshold: the lowest score of a success.

    Returns:
        A bank with one demonstration or one gap for each task.
    """
    run = digest([program_digest(program), model_digest(rollouts.lm), rollouts.seed])
    store = TraceStore(rollouts.folder / TRACES, run)
    idle = teaches_idle(rollouts.env)

    def lacking(record: EpisodeRecord) -> str | None:
        return shortcoming(record, threshold=threshold, idle=idle)

    def known(record: EpisodeRecord) -> bool:
        """Whether an episode need not run again: a success that left no trace would be lost to the bank."""
        return lacking(record) is not None or store.get(record.digests.task) is not None

    captured = Capture(program, store, rollouts.env, rollouts.seed)
    result = rollouts(captured, tasks, name="teacher", partly=True, known=known)
    by_task = {record.task_id: record for record in result.records}
    demonstrations, gaps = [], []
    for task in tasks:
        record, trace = by_task.get(task.id), store.get(task.digest)
        reason = "not run" if record is None else lacking(record)
        if reason is None and (trace is None or not trace["parts"]):
            reason = NO_TRACE
        if reason is not None:
            gaps.append(Gap(task_id=task.id, reason=reason, intent=task.intent))
            continue
        assert record is not None
        assert trace is not None
        demonstrations.append(
            Demonstration.of(
                task,
                tools=trace["tools"],
                records=trace["records"],
                scores=record.scores,
                teacher=rollouts.model,
                parts=trace["parts"],
            )
        )
    return TraceBank(tuple(demonstrations), tuple(gaps))


def teaches_idle(env: Environment) -> bool:
    """Whether a success without a tool call shows anything.

    It does not if only the world's state counts: doing nothing was right, without a visible reason.
    """
    return env.kind.judges_answers or not env.kind.toolkits


def shortcoming(record: EpisodeRecord, *, threshold: float = 1.0, idle: bool = False) -> str | None:
    """The reason against an episode as an example; None if it is one.

    Args:
        threshold: the lowest score of a success.
        idle: whether an episode without a tool call may be one.
    """
    if record.status != "finished":
        detail = f": {record.error}" if record.error else ""
        return f"{record.status}{detail}"
    if record.scorer_failed:
        return record.error
    if record.scores.get(PRIMARY, 0.0) < threshold:
        unknown = sorted({call.tool for call in record.calls if call.status == "unknown_tool"})
        return f"tools not on offer: {', '.join(unknown)}" if unknown else "wrong outcome"
    if not (idle or record.calls):
        return "called no tool"
    return None
