"""Judges beside the scorers: what a record keeps of them, and what it does not."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import dspy
import pytest
from dspy.utils.exceptions import ContextWindowExceededError, LMServerError

from tests.evals.episodes import make_episode, make_record, make_task
from tests.evals.judging.episodes import Says
from tests.tables import each_row
from worksmith.evals.judging.panel import Panel
from worksmith.evals.lm.payer import AdmissionError
from worksmith.evals.records.entries import Judgement
from worksmith.evals.records.judge_figures import judging_of
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.records.verdicts import judged
from worksmith.evals.running.asked_judges import ask_judge, ask_judges
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.tasks.task import Task
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InfrastructureError, InputError

TASK = make_task(1)
RECORD = make_record(1)


def right(task: Task, episode: Any) -> dict[str, float]:
    return {"outcome": 1.0}


def program(task: Task) -> dspy.Prediction:
    return dspy.Prediction(answer="Done.", episode=make_episode())


def broken(task: Task) -> dspy.Prediction:
    raise ValueError("no")


class Breaks:
    name = digest = "breaks"

    def __call__(self, task: Task, record: EpisodeRecord) -> Judgement:
        raise RuntimeError("the judge's own fault")


class Raises:
    name = digest = "raises"

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __call__(self, task: Task, record: EpisodeRecord) -> Judgement:
        raise self.error


def run(shop: Environment, tasks: list[Task], judges: Any, program: Any = program) -> Any:
    return evaluate(program, tasks, EvalSettings(env=shop, scorers=[right], judges=judges, workers=2))


def test_verdicts_stand_beside_the_scores(shop: Environment, tasks: list[Task]) -> None:
    result = run(shop, tasks, [Says("a", 5), Says("b", 3)])
    assert {record.scores["judge"] for record in result.records} == {0.75}
    assert {record.scores["outcome"] for record in result.records} == {1.0}
    assert [v.judge for v in result.records[0].judgements] == ["a", "b"]


def test_a_failed_verdict_is_no_level_and_does_not_hide(shop: Environment, tasks: list[Task]) -> None:
    judges = [Says("a", 5), Says("b", None, "unreadable"), Says("c", None, "model_error")]
    result = run(shop, tasks, judges)
    assert {record.scores["judge"] for record in result.records} == {1.0}
    assert [(each.judge, each.failed, each.verdicts) for each in result.summary.judging] == [
        ("a", 0, 12),
        ("b", 12, 12),
        ("c", 12, 12),
    ]
    only = run(shop, tasks, [Says("b", None, "unreadable")])
    assert all("judge" not in record.scores for record in only.records)


def test_a_judge_that_breaks_is_not_the_agents_fault(shop: Environment, tasks: list[Task]) -> None:
    result = run(shop, tasks, [Breaks()])
    assert {record.status for record in result.records} == {"finished"}
    (verdict,) = result.records[0].judgements
    assert (verdict.status, verdict.level) == ("program_error", None)
    assert "the judge's own fault" in verdict.feedback


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (LMServerError("503"), "model_error"),
        (ContextWindowExceededError(), "context_limit"),
        (InfrastructureError("the org does not answer"), "harness_error"),
        (KeyError("level"), "program_error"),
    ],
)
def test_a_verdict_says_why_there_is_none(error: Exception, status: str) -> None:
    assert ask_judge(Raises(error), TASK, RECORD).status == status


@pytest.mark.parametrize("error", [InputError("no rubric"), AdmissionError("the budget is spent")])
def test_what_is_not_the_judges_doing_is_no_verdict(error: Exception) -> None:
    with pytest.raises(type(error), match=str(error)):
        ask_judge(Raises(error), TASK, RECORD)
    with pytest.raises(type(error), match=str(error)):
        ask_judge(Panel([Says("a", 5), Raises(error)]), TASK, RECORD)


def test_an_episode_whose_judge_was_refused_a_request_is_left_out(
    shop: Environment, tasks: list[Task]
) -> None:
    leave = type("Leave", (nullcontext,), {"cut_short": False})
    admission: Any = SimpleNamespace(
        admit=lambda kind: leave(), counted=lambda lm: lm, charge=lambda record: None
    )
    judges: Any = [Raises(AdmissionError("the budget is spent"))]
    result = evaluate(
        program, tasks, EvalSettings(env=shop, scorers=[right], judges=judges, workers=2, admission=admission)
    )
    assert (result.records, result.unstarted) == ((), len(tasks))


def test_what_judging_costs_is_no_cost_of_the_episode(shop: Environment, tasks: list[Task]) -> None:
    alone, with_judge = (run(shop, tasks, judges).summary for judges in ([], [Says("a", 5)]))
    assert alone.totals["used_tokens"] == with_judge.totals["used_tokens"]
    assert with_judge.judging[0].usage.used_tokens == 7 * len(tasks)
    assert with_judge.to_json()["judging"][0]["prompt_tokens"] == 7 * len(tasks)


def test_what_the_infrastructure_lost_is_not_judged() -> None:
    judge = Says("a", 5)
    lost = make_record(1, status="model_error", scores={})
    assert ask_judges([judge], TASK, lost) == lost
    assert judge.asked == 0


def test_a_program_that_broke_is_judged(shop: Environment, tasks: list[Task]) -> None:
    result = run(shop, tasks, [Says("a", 1)], broken)
    assert {record.scores["judge"] for record in result.records} == {0.0}


def test_another_judge_makes_another_work_unit(shop: Environment, tasks: list[Task]) -> None:
    keys = {run(shop, tasks[:1], judges).records[0].key for judges in ([], [Says("a", 5)], [Says("b", 5)])}
    assert len(keys) == 3


def test_the_last_verdict_of_a_judge_counts() -> None:
    first = judged(RECORD, [Judgement(judge="a", rubric="r", status="unreadable")])
    second = judged(first, [Judgement(judge="a", rubric="r", level=3)])
    assert [v.level for v in second.judgements] == [3]
    assert second.scores["judge"] == 0.5
    assert "judge" not in first.scores


@each_row(
    ("levels", "expected"),
    [((1, 4, 5), 4), ((2, 4), 2), ((3, 3, 3, 5), 3), ((None, 4, 2), 2), ((None, None, 5), None)],
)
def test_a_panel_votes_by_the_median(levels: tuple[int | None, ...], expected: int | None) -> None:
    judges = [Says(str(n), level, "ok" if level else "unreadable") for n, level in enumerate(levels)]
    verdict = Panel(judges)(TASK, RECORD)
    assert verdict.level == expected
    assert verdict.status == ("ok" if expected else "unreadable")
    assert verdict.prompt_tokens == 7 * len(levels)


def test_a_rubric_that_is_missing_ends_the_evaluation(shop: Environment, tasks: list[Task]) -> None:
    class Without:
        name = digest = "without"

        def __call__(self, task: Task, record: EpisodeRecord) -> Judgement:
            raise InputError("no rubric")

    with pytest.raises(InputError, match="no rubric"):
        run(shop, tasks, [Without()])


def test_figures_count_each_task_once() -> None:
    records = [
        judged(make_record(number, trial=trial), [Judgement(judge="a", rubric="r", level=level)])
        for number, trial, level in ((1, 0, 5), (1, 1, 3), (2, 0, 1))
    ]
    (figures,) = judging_of(records)
    assert figures.score.n == figures.passed.n == 2
    assert figures.score.value == pytest.approx(0.5)
    assert figures.passed.value == pytest.approx(1 / 3)
