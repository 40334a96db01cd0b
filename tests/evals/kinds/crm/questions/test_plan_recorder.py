"""How calls of gold plans are written down."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.tools.kinds.crm.worlds import episode
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanError, PlanRecorder


def test_whole_results_go_by_their_handle_and_parts_by_value() -> None:
    recorder = PlanRecorder(episode(["functions", "query"], "service_manager"), "clean")
    period = recorder.call("functions.get_period", "When.", period_name="Summer", year=2021)
    recorder.soql("Which.", "SELECT Id FROM Issue__c")
    cases = recorder.call(
        "functions.get_cases", "What.", start_date=period["start_date"], end_date="2022-01-01"
    )
    recorder.call("functions.get_agents_with_max_cases", "All.", subset_cases=cases)
    recorder.call("functions.get_agents_with_max_cases", "One.", subset_cases=cases[:1])
    when, _, what, every, one = recorder.steps

    assert when.arguments == {"period_name": "Summer", "year": 2021}
    assert what.arguments["start_date"] == period.value["start_date"]
    assert what.after == (0,)
    assert every.arguments == {"subset_cases": "#3"}
    assert json.loads(one.arguments["subset_cases"]) == cases.value[:1]
    assert one.after == (2,)


def test_a_call_that_fails_is_no_step() -> None:
    recorder = PlanRecorder(episode(["functions"], "service_agent"), "clean")
    year: dict[str, Any] = {"start_date": "2021-01-01", "end_date": "2022-01-01"}
    with pytest.raises(PlanError, match="Access denied"):
        recorder.call("functions.get_non_transferred_case_ids", "Which.", **year)
    assert recorder.steps == []
