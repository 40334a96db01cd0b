from __future__ import annotations

from pathlib import Path
from typing import Any

import dspy
import pytest

from tests.evals import help_desk
from tests.evals.kinds.own_data.desk import CLOSE, env, episode, task
from tests.tables import each_row
from worksmith.evals.kinds.own_data.scorer import OwnScorer
from worksmith.evals.kinds.own_data.task import OwnTask
from worksmith.evals.lm.users_code import UserCodeError
from worksmith.evals.records.record import PRIMARY
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError

CLOSED = ("tickets.update", {"ticket_id": "1001", "status": "resolved"})
OTHER = ("tickets.update", {"ticket_id": "1003", "status": "resolved"})
MAIL = ("mail.send", {"recipient": "emp_0002", "body": "Done."})


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return env(tmp_path_factory.mktemp("desk"))


def outcome(desk: Environment, expected: OwnTask, *calls: tuple[str, dict[str, Any]], **ending: Any) -> float:
    return OwnScorer(desk)(expected, episode(desk, *calls, **ending))[PRIMARY]


def test_an_answer_is_right_if_nothing_changed(desk: Environment) -> None:
    asked = task(desk, answer="open")
    assert outcome(desk, asked, answer="open") == 1
    assert outcome(desk, asked, answer="closed") == 0
    assert outcome(desk, asked, CLOSED, answer="open") == 0


def test_an_answer_without_a_status_counts_and_a_refusal_does_not(desk: Environment) -> None:
    asked = task(desk, answer="open")
    assert outcome(desk, asked, answer="open", status="") == 1
    assert outcome(desk, asked, answer="open", status="denied") == 0


def test_an_episode_that_did_not_end_by_itself_is_wrong(desk: Environment) -> None:
    assert outcome(desk, task(desk, answer="open"), answer="open", ended="step_limit") == 0


@pytest.mark.parametrize("status", ["denied", "not_found"])
def test_a_status_is_expected_in_place_of_an_answer(desk: Environment, status: str) -> None:
    asked = task(desk, answer={"status": status})
    assert outcome(desk, asked, status=status) == 1
    assert outcome(desk, asked, status="answered", answer=status) == 0
    assert outcome(desk, asked, CLOSED, status=status) == 0


def test_changes_are_compared_by_their_outcome(desk: Environment) -> None:
    asked = task(desk, changes={"tickets": {"1001": {"status": "Resolved"}}})
    assert outcome(desk, asked, CLOSED) == 1
    assert outcome(desk, asked) == 0
    assert outcome(desk, asked, OTHER) == 0
    assert outcome(desk, asked, CLOSED, OTHER) == 0
    assert outcome(desk, asked, CLOSED, MAIL) == 0


def test_a_changed_cell_may_have_one_of_several_values(desk: Environment) -> None:
    asked = task(desk, changes={"tickets": {"1001": {"status": {"any": ["closed", {"pattern": "^res"}]}}}})
    assert outcome(desk, asked, CLOSED) == 1
    assert outcome(desk, asked, ("tickets.update", {"ticket_id": "1001", "status": "gone"})) == 0


def test_columns_of_new_rows_that_are_not_named_are_free(desk: Environment) -> None:
    asked = task(desk, changes={"mail": [{"recipient": "emp_0002"}]})
    assert outcome(desk, asked, MAIL) == 1
    assert outcome(desk, asked) == 0
    assert outcome(desk, asked, MAIL, MAIL) == 0
    assert outcome(desk, asked, ("mail.send", {"recipient": "emp_0003", "body": "Done."})) == 0


def test_new_rows_are_matched_as_a_whole(desk: Environment) -> None:
    # The first expected row fits both new ones, so that a greedy choice could leave the second without.
    asked = task(
        desk, changes={"mail": [{"sender": "emp_0001"}, {"sender": "emp_0001", "recipient": "emp_0002"}]}
    )
    other = ("mail.send", {"recipient": "emp_0003", "body": "x"})
    assert outcome(desk, asked, MAIL, other) == 1
    assert outcome(desk, asked, other, MAIL) == 1
    assert outcome(desk, asked, other, other) == 0


def test_rows_and_new_rows_of_a_table_and_deletions(desk: Environment) -> None:
    changes = {"tickets": {"1001": {"status": "resolved"}, "new": [{"status": "open"}]}}
    assert outcome(desk, task(desk, changes=changes), CLOSED) == 0
    deleted = task(desk, changes={"tickets": {"1002": None}})
    assert outcome(desk, deleted) == 0
    nearest = OwnScorer(desk).expected(deleted, episode(desk).outcome)
    assert [(each.operation, each.before["ticket_id"]) for each in nearest.changes] == [("delete", "1002")]


def test_calls_are_executed_for_the_expectation(desk: Environment) -> None:
    asked = task(desk, calls=[CLOSE])
    assert outcome(desk, asked, CLOSED) == 1
    assert outcome(desk, asked) == 0


def test_a_plan_alone_is_its_own_expectation(desk: Environment) -> None:
    asked = task(desk, plan=[{"tool": "read", "arguments": {"ticket_id": "1001"}}, CLOSE])
    assert outcome(desk, asked, CLOSED) == 1
    assert outcome(desk, asked, ("tickets.read", {"ticket_id": "1001"})) == 0


def test_stated_calls_count_before_those_of_the_plan(desk: Environment) -> None:
    asked = task(desk, calls=[], answer="open", plan=[CLOSE])
    assert outcome(desk, asked, answer="open") == 1
    assert outcome(desk, asked, CLOSED, answer="open") == 0


def test_all_parts_have_to_be_right(desk: Environment) -> None:
    asked = task(desk, answer="1001", changes={"tickets": {"1001": {"status": "resolved"}}})
    assert outcome(desk, asked, CLOSED, answer="1001") == 1
    assert outcome(desk, asked, CLOSED, answer="1002") == 0
    assert outcome(desk, asked, answer="1001") == 0


def test_parts_are_scores(desk: Environment) -> None:
    asked = task(desk, answer="1001", changes={"tickets": {"1001": {"status": "resolved"}}})
    scores = OwnScorer(desk)(asked, episode(desk, CLOSED, answer="1002"))
    assert {name: scores[name] for name in ("answer", "state", "over_refusal", "no_action")} == {
        "answer": 0,
        "state": 1,
        "over_refusal": 0,
        "no_action": 0,
    }
    assert scores.keys() <= OwnScorer.score_names


def half(example: Any, prediction: Any, trace: Any = None) -> dspy.Prediction:
    assert example.query == example.task.query
    assert prediction.status == "answered"
    return dspy.Prediction(score=0.5 if prediction.changes else 0.0, feedback="Say more.")


def test_a_metric_gives_the_outcome_and_its_feedback_is_the_fault(desk: Environment) -> None:
    asked, scorer = task(desk, metric=half), OwnScorer(desk)
    found = episode(desk, CLOSED, answer="x")
    assert scorer(asked, found)[PRIMARY] == 0.5
    fault = scorer.fault(asked, found)
    assert fault is not None
    assert fault.kind == "low_metric"
    assert "Say more." in fault.detail


@pytest.mark.parametrize("value", [True, 1, 1.0])
def test_a_metric_may_give_a_bool_or_a_number(desk: Environment, value: Any) -> None:
    assert outcome(desk, task(desk, metric=lambda _example, _prediction: value)) == 1


def test_a_metric_that_raises_is_named_and_the_other_scores_stay(desk: Environment) -> None:
    def broken(_example: Any, _prediction: Any) -> bool:
        raise OSError("no table")

    with pytest.raises(UserCodeError, match=r"raised OSError: no table \(test_scorer.py:\d+\)") as caught:
        outcome(desk, task(desk, metric=broken), CLOSED, answer="x")
    assert caught.value.scores[PRIMARY] == 0
    assert "over_refusal" in caught.value.scores


@each_row("value", [None, "1", 2, -0.5, float("nan"), dspy.Prediction(answer="x")])
def test_what_is_no_score_stops_the_evaluation(desk: Environment, value: Any) -> None:
    with pytest.raises(InputError, match="return a bool, a number from 0 to 1"):
        outcome(desk, task(desk, metric=lambda _example, _prediction: value))


def test_a_wrong_answer_says_what_was_expected(desk: Environment) -> None:
    scorer, asked = OwnScorer(desk), task(desk, answer={"any": ["open", "resolved"]})
    fault = scorer.fault(asked, episode(desk, answer="gone"))
    assert fault is not None
    assert (fault.kind, fault.detail) == ("wrong_answer", "expected one of 'open', 'resolved'")
    assert scorer.fault(asked, episode(desk, answer="open")) is None
    assert scorer.fault(asked, episode(desk, CLOSED, answer="gone")) is None


def test_other_tasks_are_scored_as_those_of_any_kind(desk: Environment) -> None:
    found = episode(desk, answer="Cy Hart; resolved")
    assert OwnScorer(desk)(help_desk.SEARCH, found)[PRIMARY] == 1


def test_expected_changes_are_made_as_nobody(desk: Environment) -> None:
    """No tool makes them, so that no rule denies them: ticket 1002 is another person's."""
    asked = task(desk, changes={"tickets": {"1002": {"emp_id": "emp_0001"}}})
    expected = OwnScorer(desk).expected(asked, episode(desk).outcome)
    assert [change.after for change in expected.changes] == [{"emp_id": "emp_0001"}]


def test_tasks_of_a_temporary_metric_have_its_code_in_their_digest(desk: Environment, tmp_path: Path) -> None:
    first = task(desk, metric=lambda _e, _p: True)
    second = task(desk, metric=lambda _e, _p: False)
    assert first.digest != second.digest
