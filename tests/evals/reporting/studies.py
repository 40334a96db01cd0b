"""Studies and records that reports are tested with."""

from __future__ import annotations

from typing import Any

from tests.evals.episodes import make_record, make_result
from worksmith.evals.records.entries import AskEntry, CallEntry, ChangeEntry, FaultEntry, Judgement
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.running.study import Study, StudyArm, run_study

WRONG = ChangeEntry(
    table="calendar", operation="update", row=7, before={"start": "09:00"}, after={"start": "10:00"}
)
RIGHT = ChangeEntry(
    table="calendar", operation="update", row=7, before={"start": "09:00"}, after={"start": "13:00"}
)


def full_record(number: int, *, trial: int = 0, right: bool = True, **changes: Any) -> EpisodeRecord:
    """A record that has something of everything."""
    calls = tuple(
        CallEntry(
            tool="calendar.search_events",
            arguments={"query": f"lunch {number} {step}"},
            status="ok" if step else "denied",
            allowed=bool(step),
            rule="office.own-records",
            thought=f"Look for lunch, try {step}.",
            opinion="Allowed",
            observation=f"[event {number}.{step}] " + "Lunch with Nadia in the canteen. " * 12,
        )
        for step in range(8)
    )
    fields: dict[str, Any] = {
        "scores": {"outcome": float(right), "unwanted_side_effects": float(number % 5 == 1 and not right)},
        "calls": calls,
        "steps": 8,
        "plan": "1. search\n2. move",
        "asks": (AskEntry(part="plan", call=0),),
        "changes": () if right else (WRONG,),
        "expected_changes": () if right else (RIGHT,),
        "judgements": (Judgement(judge="local/rubric", rubric="general", level=4, feedback="Says it all."),),
        "fault": None if right else FaultEntry(kind="wrong_argument", step=2, detail="The hour is wrong."),
        "model_calls": 9,
        "prompt_tokens": 900 + number,
        "completion_tokens": 50,
        "seconds": 1.5,
        "answer": "Moved.",
    }
    return make_record(number, trial=trial, **{**fields, **changes})


def full_study(tasks: int = 12, trials: int = 2) -> Study:
    """Three arms and a lost episode; the second arm does more, the third is a baseline."""

    def result(share: int, model: str, **changes: Any) -> Any:
        records = [
            full_record(number, trial=trial, right=number % share == 0, **changes)
            for number in range(tasks)
            for trial in range(trials)
        ]
        lost = full_record(tasks, status="timeout", scores={}, fault=None, changes=(), expected_changes=())
        return make_result([*records, lost], model=model, trials=trials)

    results = {
        "act": result(3, "openai/gpt-4o-mini"),
        "react + knn": result(2, "openai/gpt-4o-mini", prompt_tokens=4_000),
        "nothing": result(6, "none", prompt_tokens=0, completion_tokens=0, model_calls=0),
    }
    arms = [
        StudyArm("act", "act"),
        StudyArm("react + knn", "react", "knn"),
        StudyArm("nothing", "nothing", baseline=True),
    ]
    return run_study(arms, lambda arm: results[arm.label])
