"""Own tasks in the runner: over typed tables, with faults, and with judges whose verdict decides."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import dspy
import pytest

from tests.evals.kinds.own_data import desk
from worksmith.evals.judging.metric import JudgedScorer
from worksmith.evals.kinds.own_data.reading import read_own_tasks
from worksmith.evals.kinds.own_data.scorer import OwnScorer
from worksmith.evals.kinds.own_data.task import OwnTask
from worksmith.evals.lm.users_code import UserCodeError
from worksmith.evals.records.entries import Judgement
from worksmith.evals.records.record import PRIMARY, EpisodeRecord
from worksmith.evals.reporting.report import evaluation_report
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Task
from worksmith.tools.environment import Environment as AnyEnvironment
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.errors import InfrastructureError, InputError
from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment

TICKETS = [
    {
        "title": f"Printer {n}",
        "id": f"T-{n}",
        "status": "open",
        "priority": n,
        "urgent": n == 2,
        "hours": n / 2,
    }
    for n in range(1, 5)
]
PEOPLE = [{"id": "ann", "name": "Ann", "department": "IT"}, {"id": "bo", "name": "Bo", "department": "HR"}]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    env = Environment.from_tables(
        {"tickets": TICKETS, "people": PEOPLE},
        now="2026-01-05 09:00",
        personas="people",
        keys={"tickets": "id"},
        folder=tmp_path_factory.mktemp("worlds"),
    )

    @env.tool
    def raise_ticket(ctx: Context, ticket_id: str, priority: int, urgent: bool = False) -> None:
        """Raise the priority of a ticket."""
        ctx["tickets"].update(ticket_id, priority=priority, urgent=urgent)

    @env.tool
    def open_ticket(ctx: Context, title: str, priority: int) -> None:
        """Open a ticket."""
        ctx["tickets"].insert({"title": title, "priority": priority, "status": "open"})

    return env


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": arguments}


def follow(env: AnyEnvironment, suite: Suite, answer: str = "") -> Callable[..., dspy.Prediction]:
    """A program that follows the gold plans and gives one answer."""

    def program(task: Any) -> dspy.Prediction:
        episode = env.episode(persona=task.persona)
        for step in suite.task(task.id).gold_plan or ():
            episode.call(step.tool, step.arguments)
        result = EpisodeResult("finished", episode.outcome(), episode.calls, answer=answer)
        return dspy.Prediction(episode=result)

    return program


def records(suite: Suite, answer: str = "", **settings: Any) -> list[EpisodeRecord]:
    program = follow(suite.env, suite, answer)
    found = evaluate(program, suite.tasks, EvalSettings(env=suite.env, workers=1, **settings))
    return sorted(found.records, key=lambda record: record.task_id)


RAISED = {"tickets": {"T-2": {"priority": 9, "urgent": True}}}


def test_a_report_shows_scores_by_intent_and_persona(shop: Environment) -> None:
    suite = Suite(shop, [{"query": "q", "persona": "ann", "intent": "raise", "changes": RAISED}])
    result = evaluate(follow(shop, suite), suite.tasks, EvalSettings(env=shop, workers=1))
    text = evaluation_report(result).markdown()
    assert "### By task type" in text
    assert "### By persona" in text
    assert "### By domain" not in text


def test_values_of_another_type_are_refused(shop: Environment) -> None:
    changes = {"tickets": {"T-2": {"priority": "high"}}}
    with pytest.raises(InputError, match=r"priority.*an integer") as caught:
        read_own_tasks(shop, [{"query": "q", "changes": changes}])
    assert "changes.tickets.T-2.priority" in str(caught.value)


def test_wrong_changes_say_what_is_wrong_without_any_plan(shop: Environment) -> None:
    lines: list[dict[str, Any]] = [
        {"query": "a", "changes": RAISED},
        {"query": "b", "answer": "x"},
        {
            "query": "c",
            "persona": "bo",
            "changes": RAISED,
            "plan": [call("open_ticket", title="a", priority=1)],
        },
    ]
    suite = Suite(shop, read_own_tasks(shop, lines))
    found = records(suite)
    kinds = [record.fault and record.fault.kind for record in found]
    assert kinds == ["no_action", "wrong_answer", "wrong_record"]
    assert found[0].labels.facets == {"split": suite.tasks[0].split}
    assert found[2].labels.facets["department"] == "HR"


def test_a_suite_takes_the_lines_of_a_task_file_as_dicts(shop: Environment) -> None:
    suite = Suite(shop, [{"query": "q", "metric": lambda example, prediction: prediction.answer == "x"}])
    assert [record.scores[PRIMARY] for record in records(suite, "x")] == [1]
    assert [record.scores[PRIMARY] for record in records(suite, "y")] == [0]
    with pytest.raises(InputError, match="task 1: persona: no persona 'eve'"):
        Suite(shop, [{"query": "q", "answer": "a", "persona": "eve"}])
    with pytest.raises(InputError, match="all of one form"):
        Suite(shop, [{"query": "q", "answer": "a"}, suite.tasks[0]])  # type: ignore[arg-type]


class Levels:
    """A judge that gives one level, or none."""

    name = digest = "levels"

    def __init__(self, level: int | None) -> None:
        self.level = level

    def __call__(self, task: Task, record: EpisodeRecord) -> Judgement:
        status = "ok" if self.level is not None else "model_error"
        return Judgement(judge=self.name, rubric="", status=status, level=self.level, feedback="Too long.")


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    env = desk.env(tmp_path_factory.mktemp("desk"))
    return Suite(env, read_own_tasks(env, [{"query": "q", "answer": "open", "judge": "It is polite."}]))


@pytest.mark.parametrize(
    ("level", "answer", "outcome", "fault"),
    [
        (5, "open", 1, None),
        (4, "open", 1, None),
        (3, "open", 0, "judged_low"),
        (5, "gone", 0, "wrong_answer"),
    ],
)
def test_a_verdict_is_a_part_of_the_outcome(
    judged: Suite, level: int, answer: str, outcome: float, fault: str | None
) -> None:
    (record,) = records(judged, answer, judges=(Levels(level),), scorers=(OwnScorer(judged.env),))
    assert (record.scores[PRIMARY], record.fault and record.fault.kind) == (outcome, fault)
    if fault == "judged_low":
        assert record.fault is not None
        assert record.fault.detail == "Too long."
    scorer = JudgedScorer([OwnScorer(judged.env)], [Levels(level)], drives=False)
    episode = EpisodeResult("finished", judged.env.episode().outcome(), answer=answer)
    assert scorer(judged.tasks[0], episode)[PRIMARY] == outcome


def test_an_episode_without_a_verdict_is_not_graded(judged: Suite) -> None:
    (record,) = records(judged, "open", judges=(Levels(None),))
    assert (record.status, record.graded) == ("harness_error", False)
    scorer = JudgedScorer([OwnScorer(judged.env)], [Levels(None)], drives=False)
    episode = EpisodeResult("finished", judged.env.episode().outcome(), answer="open")
    with pytest.raises(InfrastructureError):
        scorer(judged.tasks[0], episode)


def test_a_judge_that_raises_is_named(judged: Suite) -> None:
    class Broken(Levels):
        def __call__(self, task: Any, record: Any) -> Any:
            raise KeyError("level")

    said = r"the judge \w+ raised KeyError: 'level' \(test_evaluating.py:\d+\)"
    (record,) = records(judged, "open", judges=(Broken(None),))
    assert re.fullmatch(said, str(record.error))
    assert (record.status, record.scores[PRIMARY]) == ("finished", 0)
    scorer = JudgedScorer([OwnScorer(judged.env)], [Broken(None)], drives=False)
    episode = EpisodeResult("finished", judged.env.episode().outcome(), answer="open")
    with pytest.raises(UserCodeError, match=said):
        scorer(judged.tasks[0], episode)


def test_a_rubric_of_a_task_needs_a_judge(judged: Suite) -> None:
    with pytest.raises(InputError, match="name a model with --judge"):
        records(judged, "open")


def test_the_rubric_of_a_task_is_its_own(judged: Suite) -> None:
    from worksmith.evals.judging.rubric import default_rubrics

    task = judged.tasks[0]
    assert isinstance(task, OwnTask)
    assert default_rubrics().for_task(task) is task.rubric
