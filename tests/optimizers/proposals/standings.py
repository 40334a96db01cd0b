"""Standings of races over tiny suites, for tests of proposals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import dspy

from tests.evals.episodes import make_record
from worksmith.evals.records.entries import CallEntry, ChangeEntry, FaultEntry
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.tasks.task import Task
from worksmith.optimizers.candidates.building import built
from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.optimizers.demos.demonstration import Demonstration
from worksmith.optimizers.demos.trace_bank import TraceBank
from worksmith.optimizers.proposals.source import Standing
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.optimizers.settings import Settings


def failed(task: Task, *calls: CallEntry, **changes: Any) -> EpisodeRecord:
    """A wrong episode of a task."""
    fields = {"task_id": task.id, "query": task.query, "intent": task.intent, "scores": {"outcome": 0.0}}
    return make_record(0, **{**fields, "calls": calls, **changes})


def called(tool: str, status: str = "ok", observation: str = "", **arguments: Any) -> CallEntry:
    return CallEntry(tool=tool, arguments=arguments, status=status, observation=observation)


def fault(kind: str, step: int | None = None, detail: str = "") -> FaultEntry:
    return FaultEntry(kind=kind, step=step, detail=detail)


def change(row: int, **after: Any) -> ChangeEntry:
    return ChangeEntry(table="calendar", operation="update", key=str(row), row=row, after=after)


def solved(task: Task, predictor: str = "", **fields: Any) -> Demonstration:
    """A demonstration that a bank holds of a task; default is that of an agent."""
    parts = {predictor: fields}
    if not predictor:
        parts = {"selector.predict": {"task": task.query, "tool": "finish", "arguments": {}, **fields}}
    return Demonstration.of(task, teacher="teacher", parts=parts)


def standing(
    program: dspy.Module,
    tasks: Iterable[Task],
    failures: Iterable[EpisodeRecord] = (),
    *,
    tried: dict[str, Candidate] | None = None,
    leader: str = INCUMBENT,
    bank: Iterable[Demonstration] = (),
    scores: dict[str, dict[str, float]] | None = None,
    **further: Any,
) -> Standing:
    """A standing in which `leader` has the failures."""
    tried, stored = tried or {}, TraceBank(tuple(bank))
    best = tried.get(leader, Candidate())
    return Standing(
        program=program,
        best=best,
        best_program=built(best, program, stored, Settings()).program,
        tried=tried,
        scores=scores or {},
        records={leader: tuple(failures)},
        tasks={task.id: task for task in tasks},
        bank=stored,
        **further,
    )
