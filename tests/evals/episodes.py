"""Tasks, episodes and records with known content."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from worksmith.evals.records.entries import CallEntry
from worksmith.evals.records.record import Digests, EpisodeRecord, WorkUnit
from worksmith.evals.records.summary import summarize
from worksmith.evals.running.result import EvalResult
from worksmith.evals.tasks.task import Action, Task
from worksmith.tools.dispatch import Observation
from worksmith.tools.episode_result import CallRecord, EpisodeResult, Usage
from worksmith.tools.policy import Decision
from worksmith.tools.sqlite.outcome import Outcome


def make_task(number: int, **changes: Any) -> Task:
    fields: dict[str, Any] = {
        "id": f"task-{number:03}",
        "query": f"Do thing {number}",
        "domains": ("calendar",) if number % 2 else ("email", "analytics"),
        "intent": f"intent-{number % 3}",
        "split": "test",
        "expected": tuple(Action(tool="calendar.delete_event", arguments={}) for _ in range(number % 3)),
    }
    return Task(**{**fields, **changes})


def make_episode(**changes: Any) -> EpisodeResult:
    call = CallRecord(
        "calendar.search_events",
        {"query": "lunch"},
        Observation("ok", [], "[]"),
        Decision(True, "office.read"),
        0.001,
    )
    fields: dict[str, Any] = {
        "status": "finished",
        "outcome": Outcome(b"", ()),
        "calls": [call],
        "thoughts": ["Look for it."],
        "answer": "Done.",
        "model_calls": 2,
        "usage": Usage.all_paid(100, 10, requests=2),
        "seconds": 0.5,
    }
    return EpisodeResult(**{**fields, **changes})


def make_record(number: int, *, trial: int = 0, **changes: Any) -> EpisodeRecord:
    task = make_task(number)
    digests = Digests(program="p", task=task.digest, world="w", model="m")
    unit = WorkUnit(task_id=task.id, strategy="react", seed=0, trial=trial, digests=digests)
    fields: dict[str, Any] = {
        "key": unit.key,
        "task_id": task.id,
        "query": task.query,
        "split": "test",
        "domains": task.domains,
        "expected_actions": len(task.expected),
        "trial": trial,
        "strategy": "react",
        "status": "finished",
        "scores": {"outcome": 1.0, "unwanted_side_effects": 0.0},
        "digests": digests,
    }
    return EpisodeRecord(**{**fields, **changes})


def make_result(records: Iterable[EpisodeRecord], **changes: Any) -> EvalResult:
    records = tuple(records)
    fields: dict[str, Any] = {
        "records": records,
        "summary": summarize(records),
        "program": "p",
        "model": "openai/x",
        "strategy": "react",
        "seed": 0,
        "trials": 1,
    }
    return EvalResult(**{**fields, **changes})


def solved(numbers: Iterable[int], *, of: int, **changes: Any) -> EvalResult:
    """The result of a program that solved just these of the first `of` tasks."""
    right = set(numbers)
    records = [
        make_record(number, scores={"outcome": float(number in right), "unwanted_side_effects": 0.0})
        for number in range(of)
    ]
    return make_result(records, **changes)


def mixed(count: int) -> EvalResult:
    """Right and wrong answers and a lost episode, with a call each."""
    call = CallEntry(
        tool="email.search_emails",
        arguments={"query": "naïve ✓"},
        status="ok",
        rule="office.read",
        observation="[]",
        thought="Look.",
        seconds=0.01,
    )
    records = [
        make_record(
            number,
            scores={"outcome": float(number % 2), "unwanted_side_effects": 0.0},
            calls=(call, call),
            seconds=0.5,
            prompt_tokens=100,
            completion_tokens=7,
            answer="Done.",
        )
        for number in range(count)
    ]
    return make_result([*records, make_record(count, status="model_error", scores={}, error="503")])
