from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from tests.programs.office import EVENTS, cancel, make_env
from worksmith.evals.running.baseline_program import BaselineProgram
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.scoring.episode_scorer import EpisodeScorer
from worksmith.evals.tasks.task import Action, Task
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.errors import InputError

DELETE = "calendar.delete_event"


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return make_env(tmp_path_factory.mktemp("office"))


@pytest.fixture
def task() -> Task:
    expected = (Action(tool=DELETE, arguments={"event_id": EVENTS[0][0]}),)
    return cancel(0).model_copy(update={"expected": expected})


def attempt(office: Environment, *calls: tuple[str, Any], status: Any = "finished") -> EpisodeResult:
    episode = office.episode()
    for tool, arguments in calls:
        episode.call(tool, arguments)
    return EpisodeResult(status=status, outcome=episode.outcome(), calls=episode.calls)


RIGHT = (DELETE, {"event_id": EVENTS[0][0]})
WRONG = (DELETE, {"event_id": EVENTS[1][0]})
READ = ("calendar.search_events", {"query": "Budget"})


@pytest.mark.parametrize(
    ("calls", "status", "outcome", "effects", "exact", "idle"),
    [
        ([RIGHT], "finished", 1, 0, 1, 0),
        ([READ, RIGHT], "finished", 1, 0, 1, 0),
        ([RIGHT, RIGHT], "finished", 1, 0, 0, 0),
        ([WRONG], "finished", 0, 1, 0, 0),
        ([RIGHT, WRONG], "finished", 0, 1, 0, 0),
        ([READ], "finished", 0, 0, 0, 1),
        ([], "finished", 0, 0, 0, 1),
        ([RIGHT], "step_limit", 0, 0, 1, 0),
        ([WRONG], "invalid_reply", 0, 1, 0, 0),
        ([("calendar.nonsense", "no object")], "finished", 0, 0, 0, 1),
    ],
)
def test_scores(
    calls: list[Any],
    status: str,
    outcome: float,
    effects: float,
    exact: float,
    idle: float,
    office: Environment,
    task: Task,
) -> None:
    scores = EpisodeScorer(office)(task, attempt(office, *calls, status=status))

    assert scores == {
        "outcome": outcome,
        "unwanted_side_effects": effects,
        "exact_match": exact,
        "no_action": idle,
    }


@pytest.mark.parametrize(("origin", "verdict"), [("workbench", (0, 1)), ("generated", (1, 0))])
def test_a_field_that_does_not_exist_counts_as_published_in_published_worlds_only(
    office: Environment, task: Task, origin: str, verdict: tuple[int, int]
) -> None:
    manifest = office.world.manifest.model_copy(update={"origin": origin})
    office = Environment(dataclasses.replace(office.world, manifest=manifest))
    calls = (
        ("calendar.update_event", {"event_id": EVENTS[0][0], "field": "colour", "new_value": "red"}),
        RIGHT,
    )
    scores = EpisodeScorer(office)(task, attempt(office, *calls))

    assert (scores["outcome"], scores["unwanted_side_effects"]) == verdict


def test_corrected_answers_replace_published_ones(office: Environment, task: Task) -> None:
    corrected = (Action(tool=DELETE, arguments={"event_id": EVENTS[1][0]}),)
    mended = task.model_copy(update={"corrected": corrected})
    episode = attempt(office, WRONG)

    assert EpisodeScorer(office)(mended, episode)["outcome"] == 0
    assert EpisodeScorer(office, "corrected")(mended, episode)["outcome"] == 1
    assert EpisodeScorer(office).digest != EpisodeScorer(office, "corrected").digest


def test_baselines_run_like_programs(office: Environment, task: Task) -> None:
    nothing_asked = task.model_copy(update={"id": "idle", "expected": ()})
    result = evaluate(BaselineProgram("do_nothing", office), [task, nothing_asked], EvalSettings(env=office))

    assert [record.scores["outcome"] for record in result.records] == [0, 1]
    assert result.strategy == "do_nothing"
    with pytest.raises(InputError, match="do_nothing"):
        BaselineProgram("do_anything", office)
