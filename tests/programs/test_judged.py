"""Agents in a world that judges answers and denies: how they finish, ask, check access and are taught."""

from __future__ import annotations

from pathlib import Path

import dspy
import pytest

from tests.evals import help_desk as desk
from tests.evals.help_desk import ASHA, CRUD, DENIED, SEARCH, TASKS
from tests.programs.office import call, reply, run_script, texts
from tests.tools.kinds.enterprise import small_world
from worksmith.evals.task_kind import scorers_for
from worksmith.programs.agent import Agent
from worksmith.programs.parts.checker import Access
from worksmith.programs.parts.rules import rules_text
from worksmith.programs.prompting.prompt import context_text
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.programs.strategies import STRATEGIES
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError


def end(status: str = "answered", answer: str = '"x"') -> str:
    return call("finish", f'{{"status": "{status}", "answer": {answer}}}', thought="End.")


def verdict(word: str) -> str:
    return reply(reason="Because.", verdict=word)


READ = call("tickets.read", '{"ticket_id": "1002"}', thought="Look.")
PAY = call("staff.salary", '{"emp_id": "emp_0002"}', thought="Look.")


@pytest.mark.parametrize("access", ["policy", "model", "both"])
@pytest.mark.parametrize("name", STRATEGIES)
def test_the_gold_engine_solves_every_task_with_every_strategy(
    name: str, access: Access, shop: Environment
) -> None:
    agent = Agent(name, env=shop, toolset="all", access=access)
    scorer, *_ = scorers_for(shop)
    with dspy.context(lm=scripted_lm(GoldEngine(TASKS))):
        for task in TASKS:
            scores = scorer(task, agent(task=task).episode)
            assert (task.id, scores["outcome"]) == (task.id, 1)


def test_the_agent_says_what_came_of_the_task(shop: Environment) -> None:
    last = end("Answered ", '["Cy Hart", "resolved"]')
    done, script = run_script(Agent("react", env=shop), last, task=SEARCH)

    assert (done.episode.answer_status, done.episode.answer) == ("answered", "Cy Hart; resolved")
    assert "Working for: Asha Rao (emp_0001, IT, level 10)." in texts(script.requests[0])[0]
    assert "status: answered, denied or not_found." in str(script.requests[0].system)


def test_departments_are_called_by_their_names() -> None:
    said = context_text(desk.NOW, ASHA, {"IT": "Information Technology"})

    assert said.endswith("Working for: Asha Rao (emp_0001, Information Technology, level 10).")


@pytest.mark.parametrize("name", ["direct", "cot"])
def test_who_calls_all_at_once_answers_after_seeing_what_came_of_it(name: str, shop: Environment) -> None:
    first = reply(reasoning="Look.", calls='[{"tool": "tickets.read", "arguments": {"ticket_id": "1002"}}]')
    last = reply(
        reasoning="End.",
        calls='[{"tool": "mail.send", "arguments": {}}, '
        '{"tool": "finish", "arguments": {"status": "denied"}}]',
    )
    done, script = run_script(Agent(name, env=shop), first, last, task=SEARCH)

    assert [made.tool for made in done.episode.calls] == ["tickets.read"]
    assert done.episode.answer_status == "denied"
    assert "Cannot log in after the update." in texts(script.requests[1])[-1]
    assert "Leave `finish` out" in str(script.requests[0].system)


def test_a_trace_of_calls_at_once_shows_what_they_returned(shop: Environment) -> None:
    agent = Agent("direct", env=shop)
    with dspy.context(lm=scripted_lm(GoldEngine(TASKS)), trace=[]):
        agent(task=SEARCH)
        (_, inputs, outputs), *more = dspy.settings.trace
    assert not more
    assert [made["tool"] for made in inputs["trajectory"][0]["calls"]] == ["tickets.read", "staff.person"]
    assert [made["tool"] for made in outputs.calls] == ["finish"]
    agent.selector.predict.demos = [dspy.Example(**inputs, **outputs.toDict())]
    _, script = run_script(agent, reply(calls="[]"), reply(calls="[]"), task=CRUD)
    shown = texts(script.requests[0])
    assert len(shown) == 5
    assert "Cannot log in after the update." in shown[2]


def test_a_tool_may_ask_the_agents_own_model(shop: Environment) -> None:
    asking = call("llm.call", '{"prompt": "Say hello."}', thought="Ask.")
    done, script = run_script(Agent("react", env=shop, toolset="all"), asking, "Hello!", end(), task=SEARCH)

    assert done.episode.calls[0].observation.text == "Hello!"
    assert done.episode.model_calls == 3
    assert done.episode.usage.prompt_tokens == 30
    assert texts(script.requests[1]) == ["Say hello."]


def test_a_model_that_fails_a_tool_is_no_wrong_answer(shop: Environment) -> None:
    asking = call("llm.call", '{"prompt": "Say hello."}', thought="Ask.")
    done, _ = run_script(Agent("react", env=shop, toolset="all"), asking, RuntimeError("down"), task=SEARCH)

    assert done.episode.status == "model_error"
    assert "down" in done.episode.error


def test_without_a_model_opinion_nothing_is_asked(shop: Environment) -> None:
    done, script = run_script(Agent("react", env=shop), PAY, end("denied"), task=DENIED)

    assert len(script.requests) == 2
    assert done.episode.opinions == []
    assert [given.allow for given in done.verdicts] == [False]


def test_a_model_that_denies_keeps_the_agent_from_the_call(shop: Environment) -> None:
    agent = Agent("react", env=shop, access="model")
    done, script = run_script(agent, READ, verdict("Denied"), end("denied"), task=SEARCH)
    (opinion,), (made,) = done.episode.opinions, done.episode.calls

    assert (made.observation.status, made.decision) == ("refused", None)
    assert "own access check refused tickets.read" in texts(script.requests[2])[-1]
    assert (opinion.allow, opinion.reason) == (False, "Because.")
    assert opinion.truth is not None
    assert opinion.truth.allow
    scorer, *_ = scorers_for(shop)
    scores = scorer(SEARCH, done.episode)
    assert (scores["checker_over_refusal"], scores["over_refusal"]) == (1, 1)


def test_a_model_that_allows_overrides_nothing(shop: Environment) -> None:
    agent = Agent("react", env=shop, access="model")
    done, _ = run_script(agent, PAY, verdict("Allowed"), end("denied"), task=DENIED)

    assert done.episode.calls[0].observation.status == "denied"
    assert (done.episode.opinions[0].allow, done.episode.opinions[0].truth.allow) == (True, False)
    assert [given.allow for given in done.verdicts] == [False]


def test_with_both_the_policy_is_asked_first_and_spares_the_model(shop: Environment) -> None:
    done, script = run_script(Agent("react", env=shop, access="both"), PAY, end("denied"), task=DENIED)
    (made,) = done.episode.calls

    assert (made.observation.status, done.episode.opinions) == ("refused", [None])
    assert "denied by STA-R2" in made.observation.text
    assert len(script.requests) == 2


def test_the_truth_of_a_refused_call_is_that_of_the_record(shop: Environment) -> None:
    change = call("tickets.update", '{"ticket_id": "1002", "status": "open"}', thought="Go.")
    own = call("tickets.update", '{"ticket_id": "1001", "status": "resolved"}', thought="Go.")
    no = verdict("Denied")
    done, _ = run_script(Agent("react", env=shop, access="model"), change, no, own, no, end(), task=CRUD)

    assert [opinion.truth.rule for opinion in done.episode.opinions] == ["TIC-U1", "tickets.update-R1"]
    assert done.episode.outcome.empty


@pytest.mark.parametrize("said", ["Perhaps", "no fields at all"])
def test_an_opinion_that_cannot_be_read_refuses_nothing(said: str, shop: Environment) -> None:
    wrong = verdict(said) if said == "Perhaps" else reply(other="x")
    done, _ = run_script(Agent("react", env=shop, access="model"), READ, wrong, end(), task=SEARCH)

    assert done.episode.calls[0].observation.status == "ok"
    assert done.episode.opinions[0].allow is None
    assert done.unreadable == (said != "Perhaps")


def test_checks_can_be_shown_as_examples_without_their_rules(shop: Environment) -> None:
    agent = Agent("react", env=shop, access="model")
    with dspy.context(lm=scripted_lm(GoldEngine(TASKS)), trace=[]):
        agent(task=DENIED)
        checks = [entry for entry in dspy.settings.trace if entry[0] is agent.checker.predict]
    assert [outputs.verdict for _, _, outputs in checks] == ["Allowed", "Denied"]
    agent.checker.predict.demos = [
        dspy.Example(**inputs, **outputs.toDict()) for _, inputs, outputs in checks
    ]
    _, script = run_script(agent, READ, verdict("Allowed"), end(), task=SEARCH)
    shown = texts(script.requests[1])

    assert len(shown) == 5
    assert ["[[ ## rules ## ]]" in text for text in shown] == [False] * 4 + [True]
    assert "[[ ## verdict ## ]]\nDenied" in shown[3]


def test_the_mode_is_part_of_the_program(shop: Environment) -> None:
    assert Agent("react", access="model").config["access"] == "model"
    assert Agent("react", access="model").digest != Agent("react").digest
    assert Agent("react").config["access"] == "policy"
    with pytest.raises(InputError, match="no access mode"):
        Agent("react", access="nobody")  # type: ignore[arg-type]


def test_rules_are_told_in_words(tmp_path: Path, shop: Environment) -> None:
    policy = small_world.open_small_env(tmp_path).policy
    told = rules_text(policy, "employee_data.read")

    assert told.startswith("To read a record of employees one of these must hold:\n- EMP-R")
    assert "salary" in told
    assert rules_text(policy, "llm.call").startswith("Everybody")
    assert "No rule mentions nonsense.read" in rules_text(policy, "nonsense.read")
    assert rules_text(shop.policy, "tickets.read") == "Nothing is known about the rules."
    for tool in policy.document.tools:  # type: ignore[attr-defined]
        assert "{" not in rules_text(policy, tool)
