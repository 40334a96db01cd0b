"""What optimizers that reflect are told of an episode, and what they are not."""

from __future__ import annotations

from typing import Any

import pytest

from worksmith.evals.records.recording import call_entries
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Task
from worksmith.optimizers.proposals.feedback import feedback
from worksmith.tools.dispatch import Observation
from worksmith.tools.episode_result import CallRecord, EpisodeResult
from worksmith.tools.policy import Decision, denial_text


@pytest.fixture
def task(suite: Suite) -> Task:
    return next(task for task in suite.tasks if task.intent == "Shift")


def call(tool: str, status: Any = "ok", decision: Decision | None = None, **arguments: Any) -> CallRecord:
    seen = denial_text(decision) if decision else "the budget is 450000"
    return CallRecord(tool, arguments, Observation(status, None, seen), decision, 0.0)


def told(suite: Suite, task: Task, *calls: CallRecord, status: Any = "finished", **scores: float) -> str:
    outcome = suite.env.episode(task.domains).outcome()
    episode = EpisodeResult(status, outcome, list(calls))
    return feedback(task, episode, call_entries(episode), {"outcome": 0.0, **scores})


def test_a_success_is_a_success(suite: Suite, task: Task) -> None:
    assert told(suite, task, outcome=1.0) == "The task was done right."


def test_what_is_missing_and_what_was_too_much(suite: Suite, task: Task) -> None:
    said = told(suite, task, call("calendar.search_events"), call("email.send"), unwanted_side_effects=1.0)

    assert "never called with success: calendar.update_event." in said
    assert "not needed: email.send." in said
    assert "It changed something that should have stayed" in said


def test_which_argument_was_wrong_and_not_what_it_is(suite: Suite, task: Task) -> None:
    (action,) = task.expected
    given: dict[str, Any] = {**action.arguments, "new_value": "tomorrow"}
    said = told(suite, task, call(action.tool, **given))

    assert f"{action.tool} was called with wrong values of: new_value." in said
    assert "tomorrow" not in said
    assert str(action.arguments["new_value"]) not in said


def test_which_step_failed_and_which_rule_denied(suite: Suite, task: Task) -> None:
    denied = Decision(allow=False, rule="own-records", reason="Only their owner may change records.")
    said = told(
        suite,
        task,
        call("calendar.search_events", "tool_error", query="alpha"),
        call("calendar.update_event", "denied", denied, event_id="00000007"),
        status="step_limit",
    )

    assert "The episode did not finish: step limit." in said
    assert "Step 1, calendar.search_events: failed as tool error (arguments query)." in said
    assert "Step 2, calendar.update_event: denied by the rule own-records. Only their owner" in said
    assert not any(value in said for value in ("450000", "alpha", "00000007"))
