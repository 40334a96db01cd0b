"""Tools by retrieval: what a step is offered, what can be called, and what stays the same of a prompt."""

from __future__ import annotations

import dspy
import pytest

from tests.evals.help_desk import DENIED, SEARCH, TASKS
from tests.programs.office import call, reply, run_script, texts
from worksmith.evals.task_kind import scorers_for
from worksmith.programs.agent import Agent
from worksmith.programs.parts.tool_retrieval import nearest_tools, tools_a_step
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError
from worksmith.tools.tool import toolset
from worksmith.tools.world_kind import world_kind

READ = call("tickets.read", '{"ticket_id": "1002"}', thought="Find the ticket.")
END = call("finish", '{"status": "answered", "answer": "x"}', thought="End.")


def offer(text: str) -> list[str]:
    listed = text.rpartition("[[ ## tools ## ]]\n")[2].partition("\n\n")[0]
    return [line.partition("(")[0] for line in listed.splitlines() if not line.startswith("  ")]


def test_a_step_is_offered_the_nearest_tools_and_those_already_used(shop: Environment) -> None:
    look = call(
        "staff.person", '{"emp_id": "emp_0003"}', thought="What does the employee earn, which salary?"
    )
    done, script = run_script(
        Agent("react", env=shop, toolset="retrieved:2"), READ, look, look, END, task=SEARCH
    )
    offers = [offer(texts(request)[-1]) for request in script.requests]

    assert [made.observation.status for made in done.episode.calls] == ["ok", "unknown_tool", "ok"]
    assert offers[0] == ["tickets.read", "tickets.update", "finish"]
    assert all("tickets.read" in listed and listed[-1] == "finish" for listed in offers)
    assert "staff.person" in offers[2]
    assert "staff.person" in offers[3]


def test_what_is_not_on_offer_cannot_be_called_before_it_is(shop: Environment) -> None:
    pay = call("staff.salary", '{"emp_id": "emp_0002"}', thought="Try.")
    done, script = run_script(Agent("react", env=shop, toolset="retrieved:1"), pay, pay, END, task=SEARCH)
    first, second = done.episode.calls

    assert "staff.salary" not in offer(texts(script.requests[0])[-1])
    assert first.observation.status == "unknown_tool"
    assert "staff.salary" in offer(texts(script.requests[1])[-1])
    assert second.observation.status == "denied"


def test_all_but_the_last_turn_of_a_prompt_stays(shop: Environment) -> None:
    _, script = run_script(
        Agent("react", env=shop, toolset="retrieved:2"), READ, READ, READ, END, task=SEARCH
    )
    last = texts(script.requests[3])

    assert [text.count("[[ ## tools ## ]]") for text in last] == [0] * 6 + [1]
    assert texts(script.requests[2])[:-1] == last[:4]
    assert last[0].endswith("`[[ ## completed ## ]]`.")
    assert texts(script.requests[0])[0].endswith("`[[ ## completed ## ]]`.")


def test_demonstrations_look_the_same_whatever_is_on_offer(shop: Environment) -> None:
    shown = []
    for offered in ("all", "retrieved:2"):
        agent = Agent("react", env=shop, toolset=offered)
        agent.selector.predict.demos = [
            dspy.Example(
                context="Now", task="Old", trajectory=[], thought="T", tool="finish", arguments={"answer": ""}
            )
        ]
        shown.append(texts(run_script(agent, END, task=SEARCH)[1].requests[0])[:2])

    assert shown[0] == shown[1]


@pytest.mark.parametrize("name", ["direct", "react", "plan"])
def test_every_strategy_works_with_tools_by_retrieval(name: str, shop: Environment) -> None:
    agent = Agent(name, env=shop, toolset="retrieved:4")
    scorer, *_ = scorers_for(shop)
    with dspy.context(lm=scripted_lm(GoldEngine(TASKS))):
        assert [scorer(task, agent(task=task).episode)["outcome"] for task in (SEARCH, DENIED)] == [1, 1]


def test_a_planner_is_offered_the_tools_nearest_to_the_task(shop: Environment) -> None:
    agent = Agent("plan", env=shop, toolset="retrieved:2")
    _, script = run_script(agent, reply(plan="1. Look (tickets.read)"), END, task=SEARCH)

    assert "tickets.read(" in str(script.requests[0].system)
    assert "mail.send(" not in str(script.requests[0].system)


@pytest.mark.parametrize("text", ["retrieved", "retrieved:0", "retrieved:x", "retrieved:-1", "", "a+", "a b"])
def test_other_toolsets_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="no toolset"):
        Agent("react", toolset=text)


def test_the_toolset_is_part_of_the_program() -> None:
    assert tools_a_step("retrieved:12") == 12
    assert Agent("react", toolset="retrieved:8").config["toolset"] == "retrieved:8"
    assert Agent("react", toolset="retrieved:8").digest != Agent("react", toolset="all").digest


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("How many days of vacation leave does Gita have left?", "employee_data.read"),
        ("Close the IT ticket about the broken laptop", "it_service_management.update_issue"),
        ("Which reviews of the headphones are negative?", "product_sentiment.read"),
        ("What does the travel policy say about hotels?", "document.read"),
        ("Send a mail to my manager", "enterprise_mail_system.create"),
    ],
)
def test_among_all_tools_of_an_enterprise_the_right_one_is_near(text: str, wanted: str) -> None:
    catalogue = toolset(world_kind("enterprise").toolkits)

    assert len(catalogue) > 50
    assert wanted in nearest_tools(catalogue, [text], 12)
