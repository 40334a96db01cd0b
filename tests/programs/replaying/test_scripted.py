"""Engines that answer from a script."""

from __future__ import annotations

import copy
import pickle

import dspy
import pytest

from tests.programs.office import TASKS, run_agent
from worksmith.evals.tasks.transcript import Transcript, TranscriptStep
from worksmith.programs.agent import Agent
from worksmith.programs.replaying.scripted import GoldEngine, ScriptedEngine, TranscriptEngine, scripted_lm
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.errors import InputError

QUERY = TASKS[0].query
SEARCH = TranscriptStep("calendar.search_events", {"query": "Budget"})


def replay(transcript: Transcript, env: Environment, strategy: str = "react") -> EpisodeResult:
    engine = TranscriptEngine([transcript])
    result: EpisodeResult = run_agent(Agent(strategy, env=env), scripted_lm(engine)).episode
    return result


def test_a_run_is_replayed_to_its_last_message(env: Environment) -> None:
    episode = replay(Transcript(QUERY, (SEARCH, SEARCH), final="Looked twice."), env)

    assert (episode.status, episode.answer) == ("finished", "Looked twice.")
    assert [call.arguments for call in episode.calls] == [{"query": "Budget"}] * 2


def test_a_run_without_calls_ends_at_once(env: Environment) -> None:
    assert replay(Transcript(QUERY, final="I can't."), env).model_calls == 1


@pytest.mark.parametrize("strategy", ["react", "direct"])
def test_a_run_that_died_dies_again(strategy: str, env: Environment) -> None:
    episode = replay(Transcript(QUERY, (SEARCH,), error="Context window exceeded"), env, strategy)

    assert (episode.status, episode.error) == ("context_limit", "Context window exceeded")
    assert len(episode.calls) == (1 if strategy == "react" else 0)


def test_a_bare_text_goes_to_the_first_argument(env: Environment) -> None:
    step = TranscriptStep("calendar.search_events", "Retro")

    assert replay(Transcript(QUERY, (step,)), env).calls[0].arguments == {"query": "Retro"}


def test_a_task_without_a_script_is_a_model_error(env: Environment) -> None:
    assert replay(Transcript("Another task"), env).status == "model_error"


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_engines_can_be_sent_elsewhere(twin: object) -> None:
    engine = GoldEngine(TASKS)

    assert twin(engine).digest == engine.digest  # type: ignore[operator]


def test_models_over_engines_can_be_saved() -> None:
    state = scripted_lm(GoldEngine(TASKS)).dump_state()
    loaded = dspy.LM.load_state(state, allow_custom_lm_class=True)

    assert isinstance(loaded.engine, GoldEngine)
    assert loaded.engine.digest == GoldEngine(TASKS).digest


def test_other_scripts_have_other_names() -> None:
    names = {scripted_lm(GoldEngine(TASKS[:number])).model for number in (1, 2)}

    assert len(names) == 2


def test_nothing_to_answer_from_is_said() -> None:
    with pytest.raises(InputError, match="no task has"):
        ScriptedEngine([])
