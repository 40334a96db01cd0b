"""Goals on employees and policies: what clauses say, what follows from them, and who is denied what."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evals.kinds.enterprise.goals.ground import GOALS, Ground
from tests.tables import each_row
from worksmith.evals.kinds.enterprise.goals.draw_context import UnfitError
from worksmith.evals.kinds.enterprise.goals.hr import clauses
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder

SEED = 3
_RARE = {"hr.post_writer", "hr.post_writer_posts"}
"""They ask about a post that is easily mistaken for two others; the smallest world has twenty posts."""

HR = {name: goal for name, goal in GOALS.items() if goal.area == "HR" and goal.subarea != "chats/mails"}


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground(tmp_path_factory.mktemp("world"), SEED, SEED)


# --- clauses --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_pages_show_every_clause_as_it_is(ground: Ground) -> None:
    persona = ground.env.persona(ground.facts.active[0]["emp_id"])
    truths = clauses.clauses(ground.facts)
    assert len(truths) > 150
    for truth in truths:
        script = PlanRecorder(ground.env.episode(persona=persona), ground.facts, "")
        shown = clauses.rule(script, clauses.title(ground.facts, truth), "", truth.facts["clause"])
        assert shown.subject == truth.facts["subject"]
        assert shown.exceptions == truth.facts["exceptions"]
        if truth.facts["operator"] not in ("required", "forbidden"):
            assert shown.value == int(truth.facts["value"])
        assert script.picked == [truth.ref]


@pytest.mark.slow
def test_a_clause_that_a_document_lacks_is_not_found(ground: Ground) -> None:
    persona = ground.env.persona(ground.facts.active[0]["emp_id"])
    script = PlanRecorder(ground.env.episode(persona=persona), ground.facts, "")
    with pytest.raises(UnfitError):
        clauses.rule(script, clauses.LEAVE, "", clauses.RETURN)


def test_working_days_leave_weekends_out() -> None:
    friday = date(2022, 12, 30)
    assert clauses.working_days_later(friday, 1) == date(2023, 1, 2)
    assert clauses.working_days_later(date(2022, 12, 31), 3) == date(2023, 1, 4)


@given(st.dates(date(2000, 1, 1), date(2050, 1, 1)), st.integers(1, 30))
def test_working_days_are_counted_one_by_one(start: date, days: int) -> None:
    end = clauses.working_days_later(start, days)
    between = [start + timedelta(days=n) for n in range(1, (end - start).days + 1)]
    assert sum(one.weekday() < 5 for one in between) == days
    assert end.weekday() < 5


@given(st.dates(date(2000, 1, 1), date(2050, 1, 1)).filter(lambda one: one.day <= 28), st.integers(0, 40))
def test_months_keep_the_day(start: date, months: int) -> None:
    end = clauses.months_later(start, months)
    assert end.day == start.day
    assert (end.year - start.year) * 12 + end.month - start.month == months


# --- tasks ----------------------------------------------------------------------------------------------


def test_every_number_of_steps_is_on_offer() -> None:
    offered = Counter((goal.subarea, goal.type, goal.steps) for goal in HR.values())
    for part in (("employee DB", "search"), ("employee DB", "crud"), ("policies", "search")):
        assert all(offered[(*part, steps)] for steps in range(1, 7)), part


@pytest.mark.slow
@each_row("name", [name for name in HR if name not in _RARE])
def test_every_goal_comes_out_in_a_small_world(ground: Ground, name: str) -> None:
    goal, task = GOALS[name], ground.tasks(name, 1)[0]
    assert len(task.gold_plan or ()) == goal.steps
    assert ground.carried_out(task).outcome().empty == (goal.type == "search")


@pytest.mark.slow
def test_an_entitlement_is_not_exceeded_by_what_lapses(ground: Ground) -> None:
    task = ground.tasks("hr.lapsing", 1)[0]
    row = ground.facts.where("employees", name=task.slots["name"])[0]
    assert task.answer is not None
    assert int(row["remaining_vacation_leaves"]) - int(task.answer.required[0].value) == 5


@pytest.mark.slow
@pytest.mark.parametrize("name", [g.id for g in HR.values() if "self_protection" in g.denials])
def test_only_who_could_do_it_for_others_is_protected_from_themselves(ground: Ground, name: str) -> None:
    found = ground.denied(name, "self_protection")
    if not found:
        pytest.skip("nobody of this small world fits")
    denied, twin = found
    assert denied.persona is not None
    assert denied.persona.name == denied.slots["name"]
    assert (denied.persona.department, denied.persona.level >= 10) == ("HR", True)
    assert denied.persona.name not in denied.query
    assert denied.persona.name in twin.query
    assert not ground.carried_out(twin).outcome().empty


@pytest.mark.slow
@pytest.mark.parametrize("name", [g.id for g in HR.values() if "private_field" in g.denials])
def test_private_fields_are_hidden_from_outsiders(ground: Ground, name: str) -> None:
    denied, _ = ground.denied(name, "private_field")
    assert denied.answer is not None
    assert denied.answer.rule == "EMP-PRIVATE"
    assert denied.answer.forbidden
    seen = " ".join(call.observation.text for call in ground.carried_out(denied).calls)
    assert not [value for value in denied.answer.forbidden if value in seen]
