from __future__ import annotations

from pathlib import Path

import pytest

from tests.evals.kinds.office.offices import make_office
from worksmith.evals.authoring.suite_building import import_suite
from worksmith.evals.kinds.office.generate import execute
from worksmith.evals.kinds.office.recognition import mentions, recognise, with_gold_plans
from worksmith.evals.kinds.office.records import Records
from worksmith.evals.tasks.task import Action, Task
from worksmith.tools.environment import Environment
from worksmith.tools.world import World

ORIGINAL = Path(__file__).parents[4].parent / "shared" / "data" / "workbench"


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_office(tmp_path_factory.mktemp("office"))


@pytest.fixture(scope="module")
def records(office: World) -> Records:
    return Records.of(office)


def _values(query: str, kind: str, records: Records) -> list[str]:
    return [mention.value for mention in mentions(query, records)[kind]]


def test_quotations_keep_their_apostrophes(records: Records) -> None:
    query = "Write 'I can't, it's Bo's turn' under the title 'No' to Bo's desk, and 'then rest."
    assert _values(query, "quotes", records) == ["I can't, it's Bo's turn", "No", "then rest."]


def test_people_are_found_outside_quotations_once_each(records: Records) -> None:
    one, two = (employee.first_name for employee in records.employees[:2])
    query = f"Tell {two.lower()} 'Hi {one}' and ask {one}, not {two}."
    assert _values(query, "names", records) == [two, one]
    assert _values(f"{one}'s own", "owners", records) == [one]


def test_numbers_are_told_apart_by_what_they_count(records: Records) -> None:
    query = "more than 5% higher than October 2, less than 7 in 3 weeks, 2 days before 11, half an hour"
    found = {kind: [m.value for m in ms] for kind, ms in mentions(query, records).items()}
    assert found["growths"] == ["5%"]
    assert found["directions"] == ["higher"]
    assert found["thresholds"] == ["7"]
    assert found["comparisons"] == ["less"]
    assert found["weeks"] == ["3"]
    assert found["days"] == ["2"]
    assert found["times"] == ["11"]
    assert found["lengths"] == ["30 minutes"]
    assert found["dates"] == ["October 2"]


def test_a_foreign_wording_is_recognised_and_solved(office: World, records: Records) -> None:
    event = records.upcoming[0]
    query = f"Kindly cancel that next {event.name.upper()}"
    recognised = recognise(query, ["calendar"], records)
    assert recognised is not None
    assert (recognised[0].code, recognised[1]) == ("C4", {"event_name": event.name})
    expected = Action(tool="calendar.delete_event", arguments={"event_id": event.id})
    task = Task(id="t", query=query, domains=("calendar",), expected=(expected,))
    (solved,) = with_gold_plans(office, [task])
    assert solved.gold_plan is not None
    assert [step.tool for step in solved.gold_plan] == ["calendar.search_events", "calendar.delete_event"]


def test_a_plan_that_does_something_else_is_not_kept(office: World, records: Records) -> None:
    query = f"Kindly cancel that next {records.upcoming[0].name}"
    task = Task(id="t", query=query, domains=("calendar",), expected=())
    assert with_gold_plans(office, [task])[0].gold_plan is None


@pytest.mark.parametrize("query", ["Water the plants.", "Cancel the next one with somebody unknown"])
def test_what_is_not_recognised_stays_without_a_plan(office: World, records: Records, query: str) -> None:
    assert recognise(query, ["calendar"], records) is None
    task = Task(id="t", query=query, domains=("calendar",))
    assert with_gold_plans(office, [task]) == [task]


def test_a_plan_that_is_there_already_stays(office: World) -> None:
    task = Task(id="t", query="Cancel the next anything", domains=("calendar",), gold_plan=())
    assert with_gold_plans(office, [task]) == [task]


@pytest.mark.slow
def test_nearly_all_tasks_of_the_original_get_plans_that_do_what_is_expected(tmp_path: Path) -> None:
    if not ORIGINAL.is_dir():
        pytest.skip("the original's data is not at hand (../shared/data/workbench)")
    suite = import_suite("workbench", ORIGINAL, tmp_path)
    tasks = with_gold_plans(suite.world, suite.tasks)
    solved = [task for task in tasks if task.gold_plan is not None]
    assert len(solved) >= 0.95 * len(tasks)
    env = Environment(suite.world, sandboxes=1)
    for task in solved[::10]:
        expected = task.expected if task.corrected is None else task.corrected
        assert execute(task.gold_plan or (), env).matches(execute(expected, env)), task.id
