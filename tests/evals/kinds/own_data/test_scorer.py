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


MAIL_TO_OTHER = ("mail.send", {"recipient": "emp_0003", "body": "x"})
READ = ("tickets.read", {"ticket_id": "1001"})
RESOLVED = {"tickets": {"1001": {"status": "Resolved"}}}
ONE_OF = {"tickets": {"1001": {"status": {"any": ["closed", {"pattern": "^res"}]}}}}
NEW_MAIL = {"mail": [{"recipient": "emp_0002"}]}
TWO_MAILS = {"mail": [{"sender": "emp_0001"}, {"sender": "emp_0001", "recipient": "emp_0002"}]}
"""The first one fits both new rows, so that a greedy choice could leave the second without."""
DENIED, CLOSING, PLAN = (
    {"answer": {"status": "denied"}},
    {"calls": [CLOSE]},
    {"plan": [{"tool": "read", "arguments": {"ticket_id": "1001"}}, CLOSE]},
)
OF_CALLS = {"calls": [], "answer": "open", "plan": [CLOSE]}
BOTH = {"answer": "1001", "changes": RESOLVED}
OPEN, REFUSED = {"answer": "open"}, {"status": "denied"}


@each_row(
    ("expected", "calls", "ending", "right"),
    [
        (OPEN, [], OPEN, 1),
        (OPEN, [], {"answer": "closed"}, 0),
        (OPEN, [CLOSED], OPEN, 0),
        (OPEN, [], {"answer": "open", "status": ""}, 1),
        (OPEN, [], {"answer": "open", "status": "denied"}, 0),
        (OPEN, [], {"answer": "open", "ended": "step_limit"}, 0),
        (DENIED, [], REFUSED, 1),
        (DENIED, [], {"status": "answered", "answer": "denied"}, 0),
        (DENIED, [CLOSED], REFUSED, 0),
        ({"answer": {"status": "not_found"}}, [], {"status": "not_found"}, 1),
        ({"changes": RESOLVED}, [CLOSED], {}, 1),
        ({"changes": RESOLVED}, [], {}, 0),
        ({"changes": RESOLVED}, [OTHER], {}, 0),
        ({"changes": RESOLVED}, [CLOSED, OTHER], {}, 0),
        ({"changes": RESOLVED}, [CLOSED, MAIL], {}, 0),
        ({"changes": ONE_OF}, [CLOSED], {}, 1),
        ({"changes": ONE_OF}, [("tickets.update", {"ticket_id": "1001", "status": "gone"})], {}, 0),
        ({"changes": NEW_MAIL}, [MAIL], {}, 1),
        ({"changes": NEW_MAIL}, [], {}, 0),
        ({"changes": NEW_MAIL}, [MAIL, MAIL], {}, 0),
        ({"changes": NEW_MAIL}, [MAIL_TO_OTHER], {}, 0),
        ({"changes": TWO_MAILS}, [MAIL, MAIL_TO_OTHER], {}, 1),
        ({"changes": TWO_MAILS}, [MAIL_TO_OTHER, MAIL], {}, 1),
        ({"changes": TWO_MAILS}, [MAIL_TO_OTHER, MAIL_TO_OTHER], {}, 0),
        (
            {"changes": {"tickets": {"1001": {"status": "resolved"}, "new": [{"status": "open"}]}}},
            [CLOSED],
            {},
            0,
        ),
        (CLOSING, [CLOSED], {}, 1),
        (CLOSING, [], {}, 0),
        (PLAN, [CLOSED], {}, 1),
        (PLAN, [READ], {}, 0),
        (OF_CALLS, [], OPEN, 1),
        (OF_CALLS, [CLOSED], OPEN, 0),
        (BOTH, [CLOSED], {"answer": "1001"}, 1),
        (BOTH, [CLOSED], {"answer": "1002"}, 0),
        (BOTH, [], {"answer": "1001"}, 0),
    ],
)
def test_an_episode_is_right_if_answer_status_and_tables_are(
    desk: Environment, expected: dict[str, Any], calls: list[Any], ending: dict[str, Any], right: float
) -> None:
    assert outcome(desk, task(desk, **expected), *calls, **ending) == right


def test_a_deletion_is_expected_too(desk: Environment) -> None:
    deleted = task(desk, changes={"tickets": {"1002": None}})
    assert outcome(desk, deleted) == 0
    nearest = OwnScorer(desk).expected(deleted, episode(desk).outcome)
    assert [(each.operation, each.before["ticket_id"]) for each in nearest.changes] == [("delete", "1002")]


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
