"""Tasks for agents that run elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.programs.own_agents.test_program import DONE, cancel, run
from worksmith.evals.records.logs.log import EpisodeLog, read_log
from worksmith.evals.suite import Suite
from worksmith.programs.own_agents.sessions import Sessions
from worksmith.programs.own_agents.task import Answer
from worksmith.programs.own_agents.tools import ENDED
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError


@pytest.fixture
def suite(env: Environment) -> Suite:
    return Suite(env, DONE)


def test_a_session_is_scored_as_an_evaluation_is(suite: Suite, tmp_path: Path) -> None:
    (expected, *_) = run(cancel, suite.env)
    with EpisodeLog.open(tmp_path / "log.jsonl") as log:
        sessions = Sessions(suite, name="elsewhere", log=log)
        session = sessions.open(DONE[0].id)
        cancel(session.task)
        record = session.close("Done.")

        assert session.close("Another answer.") is record
        assert sessions.recorded(DONE[0].id) is record
        assert sessions.recorded(DONE[1].id) is None

    assert record.scores == expected.scores == {**expected.scores, "outcome": 1.0}
    assert (record.answer, record.changes) == ("Done.", expected.changes)
    assert [call.tool for call in record.calls] == [call.tool for call in expected.calls]
    assert (record.strategy, record.usage.uncounted) == ("elsewhere", True)
    assert [each.key for each in read_log(tmp_path / "log.jsonl")] == [record.key]


def test_sessions_of_one_task_know_nothing_of_each_other(suite: Suite) -> None:
    sessions = Sessions(suite, name="elsewhere", trials=2)
    one, other = sessions.open(DONE[0].id), sessions.open(DONE[0].id, trial=1)
    cancel(one.task)

    assert other.close().scores["outcome"] == 0
    assert one.close().scores["outcome"] == 1
    assert one.close().key != other.close().key


def test_the_end_refuses_calls_and_a_failure_is_no_answer(suite: Suite) -> None:
    session = Sessions(suite, name="elsewhere").open(DONE[0].id)
    session.task.usage.add(10, 5)
    record = session.close(Answer("Late."), failure=ValueError("broken"))

    assert session.task.tools.call("calendar.search_events", {"query": "Budget"}) == ENDED
    assert (record.graded, record.answer, record.usage.used_tokens) == (True, "", 15)
    assert record.scores["outcome"] == 0
    assert "broken" in str(record.error)


def test_unknown_tasks_and_toolsets_are_refused(suite: Suite) -> None:
    with pytest.raises(InputError, match="no task 'nothing'"):
        Sessions(suite, name="elsewhere").open("nothing")
    with pytest.raises(InputError, match="toolset"):
        Sessions(suite, name="elsewhere", toolset="nothing")
