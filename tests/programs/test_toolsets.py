"""Which tools a strategy is offered by whose choice, and which gold plan follows from that."""

from __future__ import annotations

import copy
import re

import dspy
import pytest

from tests.programs.office import Script, call, finish, reply, run_agent, run_script, texts
from tests.programs.org import POLICIES, QUARTERS, make_org
from worksmith.evals.tasks.task import Answer, Task
from worksmith.programs.agent import Agent
from worksmith.programs.prompting.prompt import context_text
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.programs.strategies import STRATEGIES, Strategy
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.errors import InputError

FUNCTIONS = ["functions.get_period", "functions.get_agent_handled_cases_by_period"]
FUNCTIONS.append("functions.get_qualified_agent_ids_by_case_count")
QUERY = ["query.soql"]


@pytest.fixture(scope="module")
def org(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return make_org(tmp_path_factory.mktemp("org"))


def by_gold(agent: Agent, task: Task = QUARTERS[0]) -> EpisodeResult:
    episode: EpisodeResult = run_agent(agent, scripted_lm(GoldEngine(QUARTERS)), task).episode
    return episode


def on_offer(agent: Agent) -> set[str]:
    """The toolkits in an agent's prompt."""
    _, script = run_script(agent, finish(), finish(), task=QUARTERS[0])
    text = str(script.requests[0].system).rpartition("[[ ## tools ## ]]\n")[2]
    return set(re.findall(r"^(\w+)\.\w+\(", text, re.MULTILINE))


@pytest.mark.parametrize(
    ("strategy", "toolset", "offered"),
    [
        ("function_calling", None, {"functions"}),
        ("act", None, {"query"}),
        ("react", None, {"query"}),
        ("act", "functions", {"functions"}),
        ("act", "plain", {"plain"}),
        ("function_calling", "query", {"query"}),
        ("act", "query+functions", {"functions", "query"}),
        ("act", "all", {"functions", "query"}),
        ("act", "required", {"functions"}),
    ],
)
def test_a_strategy_is_offered_what_its_world_says_or_who_asks_for_more(
    org: Environment, strategy: str, toolset: str | None, offered: set[str]
) -> None:
    assert on_offer(Agent(strategy, toolset=toolset, prompt="text", env=org)) == offered


def test_a_strategy_of_one_s_own_is_offered_what_most_are(org: Environment) -> None:
    assert Agent(Strategy("mine", "as act"), env=org).toolset == "query"


def test_what_was_left_open_is_decided_when_the_agent_meets_its_environment(org: Environment) -> None:
    agent = Agent("function_calling")
    assert agent.config["toolset"] == "required"

    agent.env = org
    assert agent.config["toolset"] == copy.deepcopy(agent).config["toolset"] == "functions"


@pytest.mark.parametrize("toolset", ["some", "functions+some", "office", "functions+all"])
def test_a_toolkit_that_the_world_lacks_is_refused(org: Environment, toolset: str) -> None:
    agent = Agent("act", toolset=toolset)
    with pytest.raises(InputError, match=r"no toolset .* functions, plain, query"):
        agent.env = org


def test_categories_that_agents_do_without_are_part_of_them(env: Environment) -> None:
    with pytest.raises(InputError, match="no category of tools 'magic'"):
        Agent("act", without=["magic"], env=env)
    assert Agent("act", without=["magic"]).config["without"] == ["magic"]
    assert Agent("act").config["without"] == []


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    ("toolset", "called"),
    [("functions", FUNCTIONS), ("query", QUERY), ("all", FUNCTIONS), ("functions+query", FUNCTIONS)],
)
def test_gold_follows_the_first_plan_whose_tools_are_on_offer(
    org: Environment, strategy: str, toolset: str, called: list[str]
) -> None:
    episode = by_gold(Agent(strategy, toolset=toolset, env=org))

    assert [made.tool for made in episode.calls] == called
    assert {made.observation.status for made in episode.calls} == {"ok"}
    assert (episode.status, episode.answer, episode.answer_status) == ("finished", "January", "")


@pytest.mark.parametrize("k", [1, 2, 4])
def test_gold_keeps_to_one_plan_while_the_offer_changes(org: Environment, k: int) -> None:
    for task in QUARTERS:
        called = [
            made.tool for made in by_gold(Agent("react", toolset=f"retrieved:{k}", env=org), task).calls
        ]
        assert called in (FUNCTIONS, QUERY)


def test_gold_that_can_do_with_nothing_on_offer_says_so(org: Environment) -> None:
    episode = by_gold(Agent("act", toolset="plain", env=org))

    assert episode.status == "model_error"
    assert "no gold plan of the task can do with the tools on offer" in str(episode.error)


@pytest.mark.parametrize(
    ("toolset", "line"),
    [("functions", "1. I need the period (functions.get_period)"), ("query", "1. I look it up (query.soql)")],
)
def test_the_gold_planner_gives_the_plan_for_the_tools_on_offer(
    org: Environment, toolset: str, line: str
) -> None:
    assert by_gold(Agent("gold", toolset=toolset, env=org)).plan.splitlines()[0] == line


@pytest.mark.parametrize("strategy", ["act", "direct", "plan", "function_calling"])
def test_what_a_task_tells_besides_stands_below_the_clock(org: Environment, strategy: str) -> None:
    agent = Agent(strategy, prompt="text", env=org)
    first = reply(plan="1. x") if strategy == "plan" else finish()
    _, script = run_script(agent, first, finish(), finish(), task=QUARTERS[0])
    clock = context_text(org.world.manifest.now, org.world.manifest.persona)

    assert all(
        f"[[ ## context ## ]]\n{clock}\n\n{POLICIES}\n\n[[ ## task ## ]]" in texts(request)[-1]
        for request in script.requests[:1]
    )


def test_demonstrations_leave_out_what_the_running_task_is_told_anyway(org: Environment) -> None:
    with dspy.context(trace=[], lm=scripted_lm(GoldEngine(QUARTERS))):
        Agent("plan", env=org)(task=QUARTERS[0])
        traced = [inputs["context"] for _, inputs, _ in dspy.settings.trace]

    assert traced == [context_text(org.world.manifest.now, org.world.manifest.persona)] * 2


def test_tasks_that_tell_nothing_besides_have_the_clock_alone(env: Environment) -> None:
    _, script = run_script(Agent("act", env=env), finish())

    assert (
        "[[ ## context ## ]]\nNow: Thursday 2023-11-30 00:00. Working for: Sam.\n\n[[ ## task ## ]]"
        in texts(script.requests[0])[0]
    )


def test_the_answer_that_there_is_nothing_is_said_in_words_where_there_is_no_status(org: Environment) -> None:
    nothing = QUARTERS[0].model_copy(update={"answer": Answer(kind="none")})
    assert run_agent(Agent("act", env=org), scripted_lm(GoldEngine([nothing])), nothing).answer == "None"


def test_a_sentence_is_answered_with_the_sentence(org: Environment) -> None:
    assert QUARTERS[0].answer is not None
    answer = QUARTERS[0].answer.model_copy(update={"wording": "sentence", "reference": "In January."})
    asked = QUARTERS[0].model_copy(update={"answer": answer})
    assert run_agent(Agent("act", env=org), scripted_lm(GoldEngine([asked])), asked).answer == "In January."


def test_a_call_of_one_plan_is_judged_by_that_plan(org: Environment) -> None:
    soql = call("query.soql", '{"query": "SELECT Id FROM Case LIMIT 1"}')
    agent = Agent("act", toolset="query", access="model", env=org)
    script = Script(soql, reply(reason="r", verdict="Allowed"), finish())
    assert run_agent(agent, script.lm(), QUARTERS[0]).episode.status == "finished"
    assert [opinion and opinion.allow for opinion in by_gold(agent).opinions] == [True]
