"""What is special about the goals of SWE and IT: places in code, ids out of texts, and who may ask what."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.evals.kinds.enterprise.goals.ground import GOALS, Ground
from tests.tables import each_row
from tests.tools.kinds.enterprise.generate.patches.checking import passes_tests
from worksmith.evals.kinds.enterprise.filling.quotas import Cell, Place
from worksmith.evals.kinds.enterprise.goals.draw_context import UnfitError
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.it.ticket_lookup import find_ticket, waits
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from worksmith.evals.kinds.enterprise.goals.registry import goals

_GENERIC = ("chats/mails",)
_RARE = {
    *("swe.chat_line", "swe.chat_line_manager", "swe.chat_line_chain", "swe.chat_file_open"),
    *("swe.chat_close", "swe.chat_close_tell", "swe.chat_close_both"),
    *("swe.mend_from_chat", "swe.mend_from_chat_and_close"),
    *("swe.forum_accept", "swe.forum_accept_tell", "swe.newest_repo_question", "swe.newest_repo_answer"),
}
"""They start from a chat about an issue of one's own, an answer that helps and waits for acceptance, or a
question of somebody who reported a fault; the smallest world has too few."""

_NEVER_EMPTY = {"swe.chat_file_open", "swe.newest_repo_open"}
_ALWAYS_EMPTY = {"swe.newest_repo_author_repos"}
"""They start from a repository with a successor; the smallest world has but one."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground(tmp_path_factory.mktemp("world"), seed=26)


def _own() -> list[str]:
    return [g.id for g in goals() if g.area in ("SWE", "IT") and g.subarea not in _GENERIC]


def test_comes_out_of_the_smallest_world(small: Ground) -> None:
    for name in [name for name in _own() if name not in _RARE | _ALWAYS_EMPTY]:
        task, *_ = small.tasks(name, 1)
        assert task.gold_plan is not None, name
        assert len(task.gold_plan) == GOALS[name].steps, name


@each_row("name", [g.id for g in goals() if g.id in _own() and g.empty and g.id not in _NEVER_EMPTY])
def test_may_have_nothing_as_its_answer(small: Ground, name: str) -> None:
    [task] = small.tasks(name, 1, empty=True)
    assert task.answer is not None
    assert task.answer.kind == "none"


@each_row(
    ("name", "reason"),
    [(goal.id, reason) for goal in goals() if goal.id in _own() for reason in goal.denials],
)
def test_who_is_denied_gets_the_question_of_who_is_not(small: Ground, name: str, reason: str) -> None:
    denied, twin = small.denied(name, reason)
    assert denied.query == twin.query
    assert denied.persona is not None
    assert twin.persona is not None
    assert denied.persona.id != twin.persona.id
    assert denied.answer is not None
    assert twin.answer is not None
    assert denied.answer.rule.partition(".")[0] in ("repositories", "issues", "tickets")
    for value in denied.answer.forbidden:
        assert value in [entity.value for entity in twin.answer.required]


@pytest.mark.slow
def test_a_draw_with_two_readings_is_not_asked(small: Ground) -> None:
    goal = GOALS["it.resolver_contact"]
    place = Place(Cell(goal.area, goal.subarea, goal.type), goal.steps)

    def of_the_raiser(slots: Slots, plan: PlanRecorder) -> Values:
        ticket = find_ticket(plan, slots)
        raiser = plan.one("employees", "Who raised it?", emp_id=ticket["raised_by_emp_id"])
        return ticket["ticket_id"], raiser["email"]

    def nothing(_slots: Slots, _plan: PlanRecorder) -> Values:
        raise UnfitError

    planted = small.filler(replace(goal, readings=(of_the_raiser,)))
    assert planted.fill("test", place) is None
    assert all("another reading" in why for why in planted.unfit[goal.id])
    for same in (goal.solve, nothing):
        assert small.filler(replace(goal, readings=(same,))).fill("test", place) is not None


@pytest.mark.slow
def test_mending_just_the_line_asked_for_makes_the_tests_pass(small: Ground) -> None:
    tasks = small.tasks("swe.faulty_line", 4)
    assert tasks
    for task in tasks:
        assert task.answer is not None
        key = task.slots["issue"]
        path, line = task.answer.required
        issue, latent = small.facts.get("issues", key), small.facts.latent("issues", key)
        assert issue is not None
        assert latent is not None
        file = small.facts.get("repositories", f"{issue['repo_name']}:{path.value}")
        assert file is not None
        lines, fixed = file["code"].splitlines(), latent.facts["fixed"].splitlines()
        place = int(line.value) - 1
        mended = "\n".join([*lines[:place], fixed[place], *lines[place + 1 :]]) + "\n"
        assert not passes_tests(file["code"], latent.facts["tests"])
        assert passes_tests(mended, latent.facts["tests"])


def test_the_mended_line_is_the_one_that_the_patch_removes(small: Ground) -> None:
    tasks = small.tasks("swe.mended_line", 4)
    assert tasks
    for task in tasks:
        assert task.answer is not None
        issue = small.facts.get("issues", task.slots["issue"])
        assert issue is not None
        assert int(task.answer.required[0].value) == _removed(issue["patch"])


def test_an_id_is_taken_out_of_a_text_only_if_there_is_just_one(small: Ground) -> None:
    ticket = small.facts.all("tickets")[0]
    persona = small.env.persona(small.facts.staff(("IN",))[0]["emp_id"])
    call = PlanRecorder(small.env.episode(persona=persona), small.facts, "")
    row = call.one("tickets", "", ticket_id=ticket["ticket_id"])
    row["issue"] = "See ISS-0001 and once more ISS-0001."
    assert call.quoted(row, r"ISS-\d+") == "ISS-0001"
    for text in ("See ISS-0001 and ISS-0002.", "See nothing."):
        row["issue"] = text
        with pytest.raises(UnfitError):
            call.quoted(row, r"ISS-\d+")


def test_only_those_are_asked_who_have_what_it_is_about(small: Ground) -> None:
    for task in small.tasks("it.own_priority"):
        assert task.persona is not None
        person = small.facts.person(task.persona.id)
        assert person is not None
        assert waits(small.facts, person)
    assert not all(waits(small.facts, row) for row in small.facts.active)


def _removed(patch: str) -> int:
    """The number of the first line that a unified diff takes away."""
    start = re.search(r"^@@ -(\d+)", patch, re.MULTILINE)
    assert start is not None
    body = patch[patch.index("\n", start.end()) + 1 :].splitlines()
    return int(start[1]) + next(place for place, text in enumerate(body) if text.startswith("-"))
