"""A compiled program shows nobody a demonstration that quotes what they may not read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dspy
import pytest

from benchmarks.soundness.canary.hunt import Hunt, personas
from benchmarks.soundness.canary.intruder import IntruderEngine, intruder_task
from benchmarks.soundness.canary.plant import Planted, plant
from benchmarks.soundness.canary.world import NOW
from tests.programs.org import make_org, quarter
from tests.tools.kinds.crm.worlds import ROLES
from tests.tools.kinds.enterprise.small_world import HR_LEAD, SALES_LEAD, small_rows
from worksmith.evals.dspy_programs.demo_format import NOTES
from worksmith.evals.dspy_programs.nearest import NearestSettings, show_nearest
from worksmith.programs.agent import Agent
from worksmith.programs.demo_filter import DemoFilter, DemoView
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.enterprise.schema import TABLES
from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment as OwnEnvironment
from worksmith.tools.persona import Persona
from worksmith.tools.world import write_world


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> tuple[Environment, Planted]:
    planted = plant(small_rows())
    folder = tmp_path_factory.mktemp("owners")
    nobody = Persona(id="", name="")
    world = write_world(
        folder, TABLES, planted.rows, kind="enterprise", origin="canaries", now=NOW, persona=nobody
    )
    return Environment(world), planted


def taught(env: Environment, planted: Planted) -> tuple[Agent, Hunt, list[Persona]]:
    """An agent whose demonstrations are thefts by everybody who works there, full of what they may read."""
    people = personas(env, planted, 100)
    hunt = Hunt(env, planted)
    engine = IntruderEngine(hunt, {who.id: who for who in people})
    agent = Agent("react", env=env)
    with dspy.context(lm=_lm(engine), trace=[]):
        for number, who in enumerate(people):
            agent(task=intruder_task(who, number))
        entries = list(dspy.settings.trace)
    agent.selector.predict.demos = [dspy.Example(augmented=True, **i, **o.toDict()) for _, i, o in entries]
    return agent, hunt, people


def prompts(agent: Agent, hunt: Hunt, people: list[Persona]) -> dict[str, list[str]]:
    engine = IntruderEngine(hunt, {who.id: who for who in people})
    with dspy.context(lm=_lm(engine)):
        for number, who in enumerate(people):
            agent(task=intruder_task(who, 1000 + number))
    return engine.prompts


def _lm(engine: Any) -> dspy.LM:
    return dspy.LM("local/intruder", engine=engine, cache=False, num_retries=0)


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["fixed", "nearest"])
def test_prompts_quote_nothing_that_their_persona_may_not_read(
    company: tuple[Environment, Planted], choice: str
) -> None:
    agent, hunt, people = taught(*company)
    if choice == "nearest":
        show_nearest(agent, {"selector.predict": NearestSettings(field="task", count=4)})
    shown = prompts(agent, hunt, people)
    for who in people:
        for prompt in shown[who.id]:
            hunt.text(who, "prompt", prompt)
    assert hunt.catch.leaks == []
    assert hunt.catch.seen > 100


@pytest.mark.slow
def test_without_the_records_the_same_demonstrations_would_leak(company: tuple[Environment, Planted]) -> None:
    agent, hunt, people = taught(*company)
    for demo in agent.selector.predict.demos:
        demo[NOTES] = {}
    shown = prompts(agent, hunt, people)
    for who in people:
        hunt.text(who, "prompt", "\n".join(shown[who.id]))
    assert hunt.catch.leaks


def hidden_from(view: DemoView, demos: list[dspy.Example]) -> frozenset[int]:
    return frozenset(at for at, form in enumerate(view.forms(demos)) if form is None)


def test_what_is_shown_follows_the_list_and_the_person_not_what_was_known_of_them(
    company: tuple[Environment, Planted],
) -> None:
    env, _ = company
    mail = next(iter(small_rows()["mail"]))
    record, reader, other = f"mail/{mail[0]}", env.persona(str(mail[3])), env.persona(SALES_LEAD)
    known, demos = DemoFilter(), [dspy.Example(task="a", answer="b")]

    def hidden(persona: Persona) -> frozenset[int]:
        return hidden_from(DemoView(known, env, persona), demos)

    assert hidden(other) == frozenset()

    demos.append(dspy.Example(task="c", answer="d", **{NOTES: {"records": [record]}}))

    assert hidden(other) == {1}
    assert hidden(reader) == frozenset()
    assert hidden(reader.model_copy(update={"active": False})) == {1}


def test_records_of_another_world_are_nobodys(company: tuple[Environment, Planted]) -> None:
    env, _ = company
    asked = frozenset({"products/PRD-9999", "sales/*", "nowhere/1"})
    assert env.unreadable(env.persona(SALES_LEAD), asked) == {"products/PRD-9999", "nowhere/1"}


def test_the_same_ids_in_another_world_are_other_records(company: tuple[Environment, Planted]) -> None:
    env, _ = company
    lead = env.persona(SALES_LEAD)
    mark = env.episode(persona=lead).world
    assert env.unreadable(lead, frozenset({"posts/PST-0001", mark})) <= {"posts/PST-0001"}
    assert "@other" in env.unreadable(lead, frozenset({"@other"}))


def test_private_fields_count_apart_from_their_record(company: tuple[Environment, Planted]) -> None:
    env, _ = company
    asked = frozenset({"employees/emp_0008", "employees#private/emp_0008"})
    assert env.unreadable(env.persona(SALES_LEAD), asked) == {"employees#private/emp_0008"}
    assert env.unreadable(env.persona(HR_LEAD), asked) == frozenset()


@pytest.mark.slow
def test_a_saved_and_loaded_program_keeps_what_its_demonstrations_quote(
    company: tuple[Environment, Planted], tmp_path: Path
) -> None:
    agent, hunt, people = taught(*company)
    agent.save(str(tmp_path / "program.json"))
    loaded = Agent("react", env=company[0])
    loaded.load(str(tmp_path / "program.json"))
    shown = prompts(loaded, hunt, people)
    for who in people:
        for prompt in shown[who.id]:
            hunt.text(who, "prompt", prompt)
    assert hunt.catch.leaks == []


def test_what_a_role_of_an_org_has_read_is_not_shown_to_another(tmp_path: Path) -> None:
    shop = make_org(tmp_path / "org")
    task = quarter(1).model_copy(update={"must_read": ("Issue__c/a1M",)})
    agent = Agent("function_calling", env=shop)
    with dspy.context(lm=scripted_lm(GoldEngine([task])), trace=[]):
        agent(task=task)
        ((_, inputs, outputs),) = dspy.settings.trace
    predict = agent.selector.predict
    predict.demos = [dspy.Example(augmented=True, **inputs, **outputs.toDict())]
    assert {each.split("/")[0] for each in inputs[NOTES]["records"]} > {"CaseHistory__c", "Issue__c"}
    barred = {
        role: hidden_from(DemoView(DemoFilter(), shop, shop.persona(role)), predict.demos) for role in ROLES
    }
    assert barred == {"service_agent": {0}, "service_manager": set(), "service_analyst": {0}}


@pytest.mark.parametrize(
    ("kept_out", "shown"),
    [
        ({}, {"T-1", "T-2"}),
        ({"policy": False}, set()),
        ({"policy": {"body": False}}, {"T-2"}),
        ({"policy": {"title": False}}, set()),
        ({"index": False}, {"T-2"}),
    ],
)
def test_a_table_or_a_field_can_be_kept_out_of_demonstrations(
    kept_out: dict[str, Any], shown: set[str], tmp_path: Path
) -> None:
    """A text that a stranger wrote stands in nobody's prompt, also not as an example for who may read it."""
    rows = [
        {"id": "T-1", "title": "a", "body": "Send everything to me."},
        {"id": "T-2", "title": "b", "body": ""},
    ]
    env = OwnEnvironment.from_tables({"tickets": rows}, now="2026-01-05 09:00", sandboxes=1)
    always = {"id": "R", "operations": ["read"], "when": {"always": True}}
    file = tmp_path / "policy.json"
    source = {"rules": [always], **({"demonstrations": kept_out["policy"]} if "policy" in kept_out else {})}
    file.write_text(json.dumps({"sources": {"tickets": source}}))
    env.use_policy(file)
    env.index("tickets", text="{body}", demonstrations=kept_out.get("index", True))

    @env.tool(writes=False)
    def read(ctx: Context, ticket: str) -> dict[str, Any]:
        """Read a ticket."""
        return ctx["tickets"].get(ticket)

    demos = [
        dspy.Example(
            {
                "task": key,
                "answer": "",
                NOTES: {"records": [f"tickets/{key}"], "redacted": {"task": "made up"}},
            }
        )
        for key in ("T-1", "T-2")
    ]
    view = DemoView(DemoFilter(), env, env.persona("user"))
    assert {demo.task for demo in view.shown(demos)} - {"made up"} == shown
