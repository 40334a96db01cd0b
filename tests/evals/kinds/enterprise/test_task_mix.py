"""The quotas at the published size of the test split, over a world of that size, and how tasks are said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations

import pytest

from tests.evals.kinds.enterprise import speech
from tests.made_once import made_once, shared
from tests.tables import each_row
from tests.tools.kinds.enterprise.generate.worlds import full
from worksmith.evals.kinds.enterprise.filling.query_texts import NEAR, similarity, trigrams
from worksmith.evals.kinds.enterprise.filling.quotas import Cell, cells, denied_places, step_counts
from worksmith.evals.kinds.enterprise.generate import Sizes, generate, offered
from worksmith.evals.kinds.enterprise.goals.registry import goals
from worksmith.evals.kinds.enterprise.suites import write_enterprise
from worksmith.evals.scoring.answer_scorer import AnswerScorer
from worksmith.evals.tasks.task import Task
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.kinds.enterprise.enterprise_world import ENTERPRISE
from worksmith.tools.world import World

pytestmark = pytest.mark.slow

SEED = 7
SIZES = Sizes(test=500, train=100, dev=20)
"""All test tasks of the published size; of the others a tenth."""

ADDED = ("github_issues", "customers", "clients", "vendors", "orders", "resumes", "tables")
"""The toolkits that the published system lacks."""


@pytest.fixture(scope="module")
def made() -> tuple[World, list[Task]]:
    folder = shared("full-enterprise")

    def make() -> list[Task]:
        world = write_enterprise(folder, full(), seed=SEED, scale=1.0)
        return generate(world, full(), SEED, sizes=SIZES)

    tasks = made_once("tasks-of-full-enterprise", make)
    return World.open(folder), tasks


@pytest.fixture(scope="module")
def tasks(made: tuple[World, list[Task]]) -> list[Task]:
    return made[1]


@pytest.mark.parametrize(("split", "size"), SIZES.by_split().items())
def test_every_cell_that_has_goals_is_filled(tasks: list[Task], split: str, size: int) -> None:
    offers = offered(goals())
    found = Counter(Cell(t.area, t.subarea, t.type) for t in tasks if t.split == split and t.type)
    wanted = {cell: count for cell, count in cells(size).items() if cell in offers}
    assert {cell: found[cell] for cell in wanted} == wanted


def test_the_published_size_is_met_exactly(tasks: list[Task]) -> None:
    missing = [cell for cell in cells(500) if cell not in offered(goals())]
    if missing:
        pytest.skip(f"no goals yet for {missing}")
    test = [task for task in tasks if task.split == "test"]
    assert len(test) == 500
    assert Counter(len(task.gold_plan or ()) for task in test) == step_counts(500)
    assert Counter(task.type for task in test) == {"search": 325, "crud": 150, "unanswerable": 25}
    reasons = Counter(task.origin["denial"] for task in test if task.type == "unanswerable")
    assert reasons == Counter(slot.denial for slot in denied_places(500))
    assert sum(task.split == "paired" for task in tasks) == 25


def test_denials_come_at_different_steps(tasks: list[Task]) -> None:
    steps = Counter(
        len(task.gold_plan or ())
        for task in tasks
        if task.split in ("test", "train") and task.type == "unanswerable"
    )
    assert len(steps) >= 3
    assert steps[1] <= 0.75 * steps.total()


def test_a_share_of_the_answers_is_that_there_is_nothing(tasks: list[Task]) -> None:
    asked = [task for task in tasks if task.split == "test" and task.type == "search"]
    nothing = sum(task.answer is not None and task.answer.kind == "none" for task in asked)
    assert nothing / len(asked) == pytest.approx(0.15, abs=0.02)


def test_few_questions_are_nearly_the_same(tasks: list[Task]) -> None:
    texts = [trigrams(task.query) for task in tasks if task.split == "test"]
    near = {
        place
        for (one, first), (other, second) in combinations(enumerate(texts), 2)
        if similarity(first, second) > NEAR
        for place in (one, other)
    }
    assert len(near) < 0.02 * len(texts)


@each_row(
    ("kind", "most"),
    [
        (speech.hops_to_a_manager, 0.2),
        (speech.asks_for_an_address, 0.15),
        (speech.is_said_in_a_telegram, 0.1),
        (speech.speaks_of_itself, 0),
        (speech.says_a_label, 0),
    ],
)
def test_few_tasks_are_alike_or_said_oddly(
    tasks: list[Task], kind: Callable[[Task], bool], most: float
) -> None:
    test = [task for task in tasks if task.split == "test"]
    found = [task.id for task in test if kind(task)]
    assert len(found) <= most * len(test), found


def test_nearly_every_tool_is_used_and_each_published_one_by_three_test_tasks(tasks: list[Task]) -> None:
    tools = set(ENTERPRISE.toolset(None))
    assert len(tools - {step.tool for task in tasks for step in task.gold_plan or ()}) <= 1
    used = Counter(
        tool for task in tasks if task.split == "test" for tool in {s.tool for s in task.gold_plan or ()}
    )
    published = {tool for tool in tools if tool.partition(".")[0] not in ADDED}
    assert len(published) == 46
    assert {tool: used[tool] for tool in published if used[tool] < 3} == {}
    assert used["tables.query"] >= 1
    assert used["resumes.read"] >= 1


def test_gold_plans_of_the_test_split_come_out(made: tuple[World, list[Task]]) -> None:
    world, tasks = made
    env = Environment(world, sandboxes=1)
    scorer = AnswerScorer(env)
    wrong = []
    # One of five: generating has carried out all.
    for task in [task for task in tasks if task.split == "test"][::5]:
        if task.answer is None:
            continue
        episode = env.episode(persona=task.persona, ask=str)
        made_calls = [episode.call(step.tool, step.arguments).status for step in task.gold_plan or ()]
        ends = "denied" if made_calls[-1] == "denied" else "ok"
        result = EpisodeResult(
            "finished",
            episode.outcome(),
            episode.calls,
            answer=task.answer.text,
            answer_status=task.answer.status,
        )
        if made_calls != ["ok"] * (len(made_calls) - 1) + [ends] or scorer(task, result)["outcome"] != 1:
            wrong.append(task.id)
    assert wrong == []
