"""One loop, six strategies: what an episode of an agent is, and what it survives."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import dspy
import pytest

from tests.programs.office import TASKS, Script, call, cancel, finish, reply, run_agent, run_script, texts
from worksmith.programs.agent import Agent
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.programs.strategies import STRATEGIES, Strategy
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError

SEARCH = call("calendar.search_events", '{"query": "Budget"}', thought="Look.")
DELETE = call("calendar.delete_event", '{"event_id": "00000000"}', thought="Go.")


@pytest.fixture
def gold() -> Iterator[None]:
    with dspy.context(lm=scripted_lm(GoldEngine(TASKS))):
        yield


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_does_a_task_from_end_to_end(name: str, env: Environment, gold: None) -> None:
    episode = Agent(name, env=env)(task=TASKS[2]).episode

    assert episode.status == "finished"
    assert [c.tool for c in episode.calls] == ["calendar.search_events", "calendar.delete_event"]
    assert [change.before["event_name"] for change in episode.outcome.changes] == ["Launch call"]
    assert episode.answer == "Done."


@pytest.mark.parametrize(
    ("name", "calls"),
    [("direct", 1), ("cot", 1), ("act", 3), ("react", 3), ("plan", 4), ("gold", 3), ("gold-arguments", 3)],
)
def test_model_calls_are_what_the_strategy_needs(name: str, calls: int, env: Environment, gold: None) -> None:
    assert Agent(name, env=env)(task=TASKS[0]).episode.model_calls == calls


def test_thoughts_stand_beside_their_calls(env: Environment, gold: None) -> None:
    assert Agent("react", env=env)(task=TASKS[0]).episode.thoughts == [
        "Find the meeting.",
        "Delete it.",
    ]
    assert Agent("cot", env=env)(task=TASKS[0]).episode.thoughts == [
        "Find the meeting. Delete it.",
        "",
    ]
    assert Agent("act", env=env)(task=TASKS[0]).episode.thoughts == ["", ""]


def test_the_prompt_has_clock_persona_house_rules_and_tools(env: Environment) -> None:
    _, script = run_script(Agent("react", env=env), finish())
    request = script.requests[0]

    assert "Now: Thursday 2023-11-30 00:00. Working for: Sam." in texts(request)[0]
    assert env.kind.house_rules in str(request.system)
    assert "calendar.search_events(" in str(request.system)
    assert "company_directory.find_email_address(" in str(request.system)
    assert "email.send_email(" not in str(request.system)


def test_all_tools_are_on_offer_if_asked_for(env: Environment) -> None:
    _, script = run_script(Agent("act", toolset="all", env=env), finish())

    assert all(f"{name}(" in str(script.requests[0].system) for name in env.episode().toolset)


def test_a_step_adds_its_own_turns_to_the_prompt_and_nothing_else(env: Environment) -> None:
    _, script = run_script(Agent("react", env=env), SEARCH, SEARCH, DELETE, finish())
    prompts = [request.messages for request in script.requests]

    assert len({request.system for request in script.requests}) == 1
    for before, after in pairwise(prompts):
        assert after[: len(before)] == before
        assert len(after) == len(before) + 2
        # The very same objects: nothing was rendered a second time.
        assert all(a is b for a, b in zip(before, after, strict=False))


def test_usage_of_all_calls_is_added_up(env: Environment) -> None:
    with dspy.track_usage() as outer:
        prediction, _ = run_script(Agent("react", env=env), SEARCH, finish())

    assert (prediction.episode.usage.prompt_tokens, prediction.episode.usage.completion_tokens) == (20, 6)
    assert outer.get_total_tokens()["scripted/test"]["prompt_tokens"] == 20


def test_threads_share_an_agent_and_not_its_episodes(env: Environment) -> None:
    agent = Agent("react", env=env)
    lm = scripted_lm(GoldEngine(TASKS))

    def work(number: int) -> list[str | None]:
        with dspy.context(lm=lm):
            episode = agent(task=TASKS[number % len(TASKS)]).episode
        return [change.before["event_id"] for change in episode.outcome.changes]

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(work, range(64))) == [[f"{n % len(TASKS):08}"] for n in range(64)]


def test_an_unreadable_reply_is_shown_to_the_model_once(env: Environment) -> None:
    prediction, script = run_script(Agent("react", env=env), "I would rather not.", DELETE, finish())

    assert prediction.episode.status == "finished"
    assert (prediction.unreadable, prediction.episode.model_calls) == (1, 3)
    assert texts(script.requests[1])[-2] == "I would rather not."
    assert "there is no [[ ## tool ## ]]" in texts(script.requests[1])[-1]
    assert [c.tool for c in prediction.episode.calls] == ["calendar.delete_event"]


def test_a_thought_may_be_left_out(env: Environment) -> None:
    prediction, script = run_script(Agent("react", env=env), call("calendar.search_events"), finish())

    assert (prediction.unreadable, prediction.episode.thoughts) == (0, [""])
    assert "[[ ## thought ## ]]" not in texts(script.requests[1])[1]


@pytest.mark.parametrize("name", ["react", "direct", "plan"])
def test_a_model_that_fails_is_no_wrong_answer(name: str, env: Environment) -> None:
    prediction, _ = run_script(Agent(name, env=env), RuntimeError("line is down"))

    assert prediction.episode.status == "model_error"
    assert "line is down" in prediction.episode.error


def test_what_was_done_before_the_model_failed_is_kept(env: Environment) -> None:
    episode = run_script(Agent("react", env=env), DELETE, RuntimeError("gone"))[0].episode

    assert episode.status == "model_error"
    assert len(episode.calls) == len(episode.outcome.changes) == 1


@pytest.mark.parametrize("name", ["react", "direct", "plan"])
@pytest.mark.parametrize(
    ("error", "status"),
    [
        (dspy.lm15.ContextLengthError("too many tokens"), "context_limit"),
        (dspy.lm15.InvalidRequestError("no such parameter: top_k"), "invalid_request"),
        (dspy.lm15.InvalidRequestError("Prompt blocked: SAFETY"), "filtered"),
    ],
)
def test_a_request_that_the_model_does_not_take_ends_the_episode(
    name: str, error: Exception, status: str, env: Environment
) -> None:
    episode = run_script(Agent(name, env=env), error)[0].episode

    assert (episode.status, episode.traceback) == (status, "")
    assert str(error) in episode.error


@pytest.mark.parametrize("name", ["react", "direct"])
def test_a_mistake_in_the_program_is_its_own_and_has_a_traceback(name: str, env: Environment) -> None:
    agent = Agent(name, env=env)
    agent.selector.predict.demos = [5]
    prediction, script = run_script(agent, finish())

    assert prediction.episode.status == "program_error"
    assert prediction.episode.error.startswith("AttributeError: ")
    assert "Traceback" in prediction.episode.traceback
    assert script.requests == []


def test_an_interrupt_passes_through(env: Environment) -> None:
    class Interrupting(Script):
        def complete(self, request: dspy.lm15.Request) -> dspy.lm15.Response:
            raise KeyboardInterrupt

    with dspy.context(lm=Interrupting().lm()), pytest.raises(KeyboardInterrupt):
        Agent("react", env=env)(task=TASKS[0])


def test_a_call_that_goes_wrong_is_an_observation(env: Environment) -> None:
    replies = [call("calendar.fly"), call("calendar.delete_event", '{"id": "1"}'), finish()]
    prediction, script = run_script(Agent("act", env=env), *replies)

    assert [c.observation.status for c in prediction.episode.calls] == ["unknown_tool", "bad_arguments"]
    assert "is not a valid tool" in texts(script.requests[1])[-1]


def test_the_episode_ends_at_the_step_limit(env: Environment) -> None:
    episode = run_script(Agent("act", max_steps=2, env=env), SEARCH, SEARCH)[0].episode

    assert (episode.status, len(episode.calls)) == ("step_limit", 2)


def test_the_checker_gives_the_policy_s_verdict_before_each_call(env: Environment) -> None:
    prediction, _ = run_script(Agent("act", env=env), SEARCH, call("calendar.fly"), finish())

    assert [verdict and verdict.rule for verdict in prediction.verdicts] == ["office.own-records", None]
    assert prediction.verdicts[0] == prediction.episode.calls[0].decision


def test_a_failed_step_revises_the_plan_a_bounded_number_of_times(env: Environment) -> None:
    missing = call("calendar.delete_event", '{"event_id": "99999999"}')
    replies = [reply(plan="1. Delete it"), missing, reply(plan="1. Search first"), missing]
    other = call("calendar.delete_event", '{"event_id": "88888888"}')
    replies += [reply(plan="1. Give up"), other, finish("It is not there.")]
    prediction, script = run_script(Agent("plan", env=env), *replies)

    assert prediction.episode.plan == "1. Delete it"
    assert "[[ ## progress ## ]]\n1. calendar.delete_event" in texts(script.requests[2])[0]
    assert texts(script.requests[3])[-1].endswith("[[ ## plan ## ]]\n1. Search first")
    assert "[[ ## plan ## ]]" not in texts(script.requests[6])[-1]
    assert prediction.episode.model_calls == 7


def test_the_same_failing_call_three_times_in_a_row_ends_the_episode(env: Environment) -> None:
    wrong, other = call("calendar.fly", "{}"), call("calendar.delete_event", '{"event_id": "99999999"}')
    look = call("calendar.search_events", '{"query": "Retro"}')
    varied = [wrong, wrong, other, wrong, wrong, look, look, look]
    prediction, script = run_script(Agent("act", env=env), *varied, wrong, wrong, wrong, finish())

    assert prediction.episode.status == "repetition"
    assert len(prediction.episode.calls) == len(script.requests) == len(varied) + 3


def test_a_plan_may_come_without_its_marker(env: Environment) -> None:
    assert run_script(Agent("plan", env=env), "1. Look", finish())[0].episode.plan == "1. Look"


@pytest.mark.parametrize(
    ("strategy", "plan"),
    [
        ("gold", "1. Find the meeting (calendar.search_events)\n2. Delete it (calendar.delete_event)\n\n"),
        ("gold-arguments", '1. Find the meeting (calendar.search_events {"query": "Budget review"})\n'),
    ],
)
def test_the_gold_plan_is_given_with_or_without_arguments(env: Environment, strategy: str, plan: str) -> None:
    _, script = run_script(Agent(strategy, env=env), finish())
    assert texts(script.requests[0])[0].partition("[[ ## plan ## ]]\n")[2].startswith(plan)


def test_a_strategy_of_one_s_own_is_data(env: Environment, gold: None) -> None:
    mixed = Strategy("mixed", "plan, then all at once", planner="model", thought=True, stepwise=False)

    assert Agent(mixed, env=env)(task=TASKS[0]).episode.status == "finished"


def test_what_a_user_forgot_is_said(env: Environment) -> None:
    with pytest.raises(InputError, match="no strategy"):
        Agent("guess")
    with pytest.raises(InputError, match="no environment"):
        Agent()(task=TASKS[0])
    with dspy.context(lm=None), pytest.raises(InputError, match="no model"):
        Agent(env=env)(task=TASKS[0])
    without_plan = cancel(0).model_copy(update={"gold_plan": None})
    with pytest.raises(InputError, match="no gold plan"):
        Agent("gold", env=env)(task=without_plan)


def test_the_digest_covers_what_decides_how_an_agent_acts(env: Environment) -> None:
    agent = Agent("act", env=env)
    taught = agent.deepcopy()
    taught.selector.predict.demos = [dspy.Example(task="t", trajectory=[], tool="finish", arguments={})]

    told = Agent("act", descriptions={"calendar.search_events": {"description": "Finds meetings."}})
    warm = agent.deepcopy()
    warm.selector.predict.config = {"temperature": 0.5}
    others = [Agent("react"), Agent("act", max_steps=3), Agent("act", toolset="all"), taught, told, warm]
    assert agent.digest == Agent("act").digest
    assert len({agent.digest, *(other.digest for other in others)}) == 7


@pytest.mark.parametrize("keep", [False, True])
def test_dspy_keeps_prompts_only_if_asked_to(keep: bool, env: Environment) -> None:
    agent, lm = Agent("act", env=env, keep_history=keep), Script(finish()).lm()
    run_agent(agent, lm, disable_history=False)

    assert len(lm.history) == keep
