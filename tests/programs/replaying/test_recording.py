"""A recorded model answers again without being there."""

from __future__ import annotations

from pathlib import Path

import dspy
import pytest

from tests.programs.office import TASKS, Script, finish, lm_of, run_agent
from worksmith.programs.agent import Agent
from worksmith.programs.replaying.recording import RecordingEngine, ReplayEngine
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError


def replaying(path: Path) -> dspy.LM:
    return lm_of(ReplayEngine(path), "replay/test")


def record(path: Path, lm: dspy.LM, agent: Agent) -> list[dspy.Prediction]:
    with dspy.context(lm=RecordingEngine.around(lm, path)):
        return [agent(task=task) for task in TASKS]


def test_a_recording_gives_the_same_episodes(tmp_path: Path, env: Environment) -> None:
    agent, path = Agent("react", env=env), tmp_path / "runs" / "record.jsonl"
    recorded = record(path, scripted_lm(GoldEngine(TASKS)), agent)
    with dspy.context(lm=replaying(path)):
        replayed = [agent(task=task) for task in TASKS]

    assert [p.answer for p in replayed] == [p.answer for p in recorded]
    assert [p.episode.outcome.key for p in replayed] == [p.episode.outcome.key for p in recorded]
    assert len(path.read_text().splitlines()) == 3 * len(TASKS)


def test_a_recording_knows_that_its_model_had_compact_prompts(tmp_path: Path, env: Environment) -> None:
    class Trained(Script):
        compact_prompts = 70

    agent, done = Agent("act", env=env), '{"tool": "finish", "arguments": {"answer": "Done."}}'
    run_agent(agent, RecordingEngine.around(Trained(done).lm(), tmp_path / "r"))
    assert run_agent(agent, replaying(tmp_path / "r")).answer == "Done."


def test_tokens_are_counted_once(tmp_path: Path, env: Environment) -> None:
    agent = Agent("act", env=env)
    with (
        dspy.track_usage() as usage,
        dspy.context(lm=RecordingEngine.around(Script(finish()).lm(), tmp_path / "r")),
    ):
        episode = agent(task=TASKS[0]).episode

    assert episode.usage.prompt_tokens == usage.get_total_tokens()["scripted/test"]["prompt_tokens"] == 10


def test_a_recording_does_not_depend_on_settings(tmp_path: Path, env: Environment) -> None:
    lm = dspy.LM("scripted/warm", engine=Script(finish("warm")), temperature=0.7, cache=True)
    agent = Agent("act", env=env)
    run_agent(agent, RecordingEngine.around(lm, tmp_path / "r"))
    assert run_agent(agent, replaying(tmp_path / "r")).answer == "warm"


def test_several_replies_to_one_request_are_given_in_turn(tmp_path: Path, env: Environment) -> None:
    agent, script = Agent("act", env=env), Script(finish("one"), finish("two"))
    with dspy.context(lm=RecordingEngine.around(script.lm(), tmp_path / "r")):
        for _ in range(2):
            agent(task=TASKS[0])
    with dspy.context(lm=replaying(tmp_path / "r")):
        assert [agent(task=TASKS[0]).answer for _ in range(3)] == ["one", "two", "two"]


def test_a_request_that_was_not_recorded_is_named(tmp_path: Path, env: Environment) -> None:
    record(tmp_path / "r", scripted_lm(GoldEngine(TASKS)), Agent("act", env=env))
    episode = run_agent(Agent("react", env=env), replaying(tmp_path / "r")).episode

    assert episode.status == "model_error"
    assert "no reply is recorded for the request" in str(episode.error)


def test_a_torn_last_line_is_left_out(tmp_path: Path, env: Environment) -> None:
    path = tmp_path / "r"
    record(path, scripted_lm(GoldEngine(TASKS)), Agent("act", env=env))
    path.write_bytes(path.read_bytes()[:-20])

    ReplayEngine(path)


@pytest.mark.parametrize("content", [None, "", "hello\n", '{"request": "x"}\n'])
def test_what_is_no_recording_is_said(content: str | None, tmp_path: Path) -> None:
    path = tmp_path / "r"
    if content is not None:
        path.write_text(content)

    with pytest.raises(InputError):
        ReplayEngine(path)
