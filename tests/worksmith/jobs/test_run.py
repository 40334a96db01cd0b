from __future__ import annotations

import json

import pytest
from rich.console import Console

from tests.programs.office import EVENTS, cancel, make_env
from tests.worksmith.commands import printed, shown
from worksmith.evals.suite import write_suite
from worksmith.evals.tasks.task import Action, Answer, Entity, Task
from worksmith.jobs.showing.episode_text import episode_json, show_episode
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import EpisodeResult

DELETE = "calendar.delete_event"


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    env = make_env(tmp_path_factory.mktemp("office"))
    write_suite(env.world, [_task()])
    return env


def _task() -> Task:
    expected = (Action(tool=DELETE, arguments={"event_id": EVENTS[0][0]}),)
    return cancel(0).model_copy(update={"expected": expected})


def _episode(office: Environment, event_id: str, **changes: object) -> EpisodeResult:
    episode = office.episode()
    episode.call("calendar.search_events", {"query": "[red]Budget[/red]"})
    episode.call(DELETE, {"event_id": event_id})
    result = EpisodeResult(
        "finished", episode.outcome(), episode.calls, ["Find it.", "Delete it."], answer="Gone."
    )
    for name, value in changes.items():
        setattr(result, name, value)
    return result


def _shown(episode: EpisodeResult, scores: dict[str, float]) -> str:
    console = Console(width=100)
    with console.capture() as capture:
        show_episode(console, _task(), episode, scores, setting={"now": "Thursday 2023-11-30 00:00"})
    return capture.get()


def test_every_step_is_shown_in_order(office: Environment) -> None:
    text = _shown(_episode(office, EVENTS[0][0]), {"outcome": 1.0})
    expected = [
        "Cancel the meeting 'Budget review'",
        "now: Thursday 2023-11-30 00:00",
        "step 1",
        "Find it.",
        'calendar.search_events {"query": "[red]Budget[/red]"}',
        "allowed by",
        "step 2",
        "Delete it.",
        "Event deleted successfully.",
        "Gone.",
        "- calendar event_id='00000000'",
        "correct",
        "calls: 2",
    ]

    places = [text.find(part) for part in expected]
    assert -1 not in places
    assert places == sorted(places)


def test_a_wrong_outcome_is_shown_beside_the_expected_calls(office: Environment) -> None:
    text = _shown(_episode(office, EVENTS[1][0]), {"outcome": 0.0, "unwanted_side_effects": 1.0})

    assert "wrong, with unwanted side effects" in text
    assert "expected:" in text
    assert f'{DELETE} {{"event_id": "{EVENTS[0][0]}"}}' in text


def test_a_wrong_answer_is_shown_beside_the_right_one(office: Environment) -> None:
    right = Answer(kind="entities", required=(Entity(type="text", value="Room 4"),))
    asked = _task().model_copy(update={"expected": (), "answer": right})
    episode = office.episode()
    episode.call("calendar.search_events", {"query": "Budget"})
    result = EpisodeResult("finished", episode.outcome(), episode.calls, ["Find it."], answer="Room 5")
    console = Console(width=100)
    with console.capture() as capture:
        show_episode(console, asked, result, {"outcome": 0.0}, setting={})

    assert "expected answer: Room 4\n" in capture.get()
    assert "no change" not in capture.get()


def test_a_failure_of_the_infrastructure_is_no_wrong_answer(office: Environment) -> None:
    episode = _episode(office, EVENTS[0][0], status="model_error", error="503")
    text = _shown(episode, {})

    assert "model_error: 503" in text
    assert "not graded" in text


def test_a_mistake_in_the_program_is_shown_with_its_traceback(office: Environment) -> None:
    episode = _episode(office, EVENTS[0][0], status="program_error", error="KeyError: 'x'")
    episode.traceback = "Traceback (most recent call last):\n  in forward\nKeyError: 'x'"

    assert "in forward" in _shown(episode, {"outcome": 0.0})
    assert episode_json(_task(), episode, {})["traceback"] == episode.traceback


def test_an_episode_is_plain_data(office: Environment) -> None:
    data = json.loads(json.dumps(episode_json(_task(), _episode(office, EVENTS[0][0]), {"outcome": 1.0})))

    assert data["changes"][0]["operation"] == "delete"
    assert [call["tool"] for call in data["calls"]] == ["calendar.search_events", DELETE]


def test_prompts_show_demonstrations_and_no_credentials(
    office: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "Budget review")
    command = ["run", office.world.path, "cancel-0", "--lm", "gold", "--strategy", "plan", "--prompts"]
    text, data = shown(*command), printed(*command)

    assert [prompt["part"] for prompt in data["prompts"]] == ["plan", "select", "select", "select"]
    plan, first, second, last = data["prompts"]
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert second["messages"][:2] == first["messages"]
    assert second["messages"][2] == {"role": "assistant", "content": first["reply"]}
    assert "[hidden]" in plan["messages"][1]["content"]
    assert "Budget review" not in json.dumps(data["prompts"])
    places = [text.find(part) for part in ("question of plan", "question of select", "step 1", "[2 messages")]
    assert -1 not in places
    assert places == sorted(places)
    assert last["reply"].splitlines()[0] in text


def test_the_command_runs_a_task_and_shows_no_prompts_unasked(office: Environment) -> None:
    command = ["run", office.world.path, "cancel-0", "--lm", "gold"]
    text, data = shown(*command, "--strategy", "act"), printed(*command)

    assert "correct" in text
    assert "question of" not in text
    assert data["scores"]["outcome"] == 1.0
    assert "prompts" not in data
