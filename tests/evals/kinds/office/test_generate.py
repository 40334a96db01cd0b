"""Every intent, over several offices: `generate` itself refuses a task whose gold plan and answer differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from string import Formatter

import pytest

from tests.evals.kinds.office.offices import make_office
from tests.evals.plan_schemas import misfits
from tests.evals.splits import in_two_splits
from worksmith.evals.kinds.office.generate import generate, solve
from worksmith.evals.kinds.office.intents.registry import all_intents, groups, intent
from worksmith.evals.tasks.task import Task
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.office.generate import DEFAULT_NOW
from worksmith.tools.world import World
from worksmith.tools.world_kind import world_kind


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_office(tmp_path_factory.mktemp("office"))


@pytest.fixture(scope="module")
def tasks(office: World) -> list[Task]:
    return generate(office, seed=0)


@pytest.mark.slow
def test_every_intent_has_its_ten_tasks_with_texts_of_their_own(tasks: list[Task]) -> None:
    assert Counter(task.intent for task in tasks) == {one.id: 10 for one in all_intents()}
    assert len({task.query for task in tasks}) == len(tasks)
    assert len({task.id for task in tasks}) == len(tasks)


def test_gold_plans_are_short_calls_with_reasons(tasks: list[Task]) -> None:
    for task in tasks:
        assert task.gold_plan is not None
        assert len(task.gold_plan) <= 20, task.id
        assert all(step.why.endswith(".") for step in task.gold_plan)
        for number, step in enumerate(task.gold_plan):
            assert all(earlier < number for earlier in step.after)


def test_each_intent_has_its_share_of_tasks_with_nothing_to_do(tasks: list[Task]) -> None:
    empty = Counter(task.intent for task in tasks if not task.expected)
    assert empty == {one.id: round(one.empty_share * 10) for one in all_intents() if one.empty_share}


def test_yesterday_is_never_compared_with_its_own_weekday(tasks: list[Task]) -> None:
    yesterday = (DEFAULT_NOW - timedelta(days=1)).strftime("%A")
    compared = [task.query for task in tasks if "yesterday" in task.query and "this past" in task.query]
    assert len(compared) >= 40
    assert not [query for query in compared if f"this past {yesterday}" in query]


def test_splits_share_out_tasks_and_whole_intents(tasks: list[Task]) -> None:
    for one in all_intents():
        mine = [task for task in tasks if task.intent == one.id]
        assert Counter(task.split for task in mine) == {"train": 5, "dev": 2, "test": 3}
        assert len({task.held_out_split for task in mine}) == 1
    for group in groups().values():
        ids = {one.id for one in group}
        assert {task.held_out_split for task in tasks if task.intent in ids} == {"train", "dev", "test"}
    assert not in_two_splits(tasks)


def test_gold_plans_keep_to_the_schemas_of_the_tools(tasks: list[Task]) -> None:
    assert misfits(world_kind("office"), tasks) == []


def test_the_seed_decides_and_no_intent_depends_on_the_others(office: World, tasks: list[Task]) -> None:
    some = all_intents()[::6]
    mine = [task for task in tasks if task.intent in {one.id for one in some}]
    again, others = (generate(office, seed=seed, only=[one.code for one in some]) for seed in (0, 1))
    assert again == mine
    assert Counter(task.intent for task in others) == Counter(task.intent for task in mine)
    assert len({task.query for task in others} - {task.query for task in mine}) > len(mine) / 2


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "scale", "per_intent"), [(1, 0.1, 10), (3, 3.0, 2)])
def test_other_offices(tmp_path: Path, seed: int, scale: float, per_intent: int) -> None:
    tasks = generate(make_office(tmp_path, seed, scale), seed, per_intent)
    assert len({task.query for task in tasks}) == per_intent * len(all_intents())
    assert not in_two_splits(tasks)


def test_a_world_that_is_too_small_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="too small"):
        generate(make_office(tmp_path, 0, 0.05), per_intent=1000, only=["C1"])


def test_too_few_tasks_are_bad_input(office: World) -> None:
    with pytest.raises(InputError, match="too few"):
        generate(office, per_intent=0)


def test_an_intent_is_worded_in_three_ways_that_tell_the_same(tasks: list[Task]) -> None:
    for one in all_intents():
        assert len(set(one.phrasings)) == len(one.phrasings) >= 3, one.code
        slots = next(task.slots for task in tasks if task.intent == one.id)
        for names in _slot_names(one.phrasings):
            assert names <= slots.keys(), one.code
        unused = set(slots).difference(*_slot_names(one.phrasings))
        assert not unused, f"no phrasing of {one.code} shows {unused}"


def test_further_wordings_of_an_intent_show_slots_of_its_phrasings() -> None:
    for one in all_intents():
        assert len({*one.phrasings, *one.wordings}) == len(one.phrasings) + 14, one.code
        known = set().union(*_slot_names(one.phrasings))
        for names in _slot_names(one.wordings):
            assert names <= known, one.code
            assert len(names) == len(_slot_names(one.phrasings)[0]), one.code


def test_many_wordings_are_drawn_where_they_are_asked_for(office: World) -> None:
    few = generate(office, per_intent=9, only=["E1"])
    many = generate(office, per_intent=9, wordings="many", only=["E1"])

    texts = intent("E1").phrasings
    assert {task.phrasing for task in few} <= set(range(len(texts)))
    assert len({task.phrasing for task in many}) > len(texts)
    assert all(task.query == intent("E1").text(task.phrasing or 0, task.slots) for task in many)


def test_a_step_goes_back_to_what_it_needs(office: World) -> None:
    env = Environment(office, sandboxes=1)
    name = next(task.slots["name"] for task in generate(office, only=["C9"]) if len(task.expected) > 1)
    steps, _ = solve(intent("C9"), {"name": name}, f"Cancel everything with {name}", env)
    find, search, *deletions, again = steps
    assert find.after == ()
    assert search.after == (0,)
    assert all(1 in step.after for step in deletions)
    assert again.arguments == search.arguments
    assert again.after == (0, *range(2, len(steps) - 1))


def _slot_names(texts: Sequence[str]) -> list[set[str]]:
    """The slots that each text uses."""
    return [{name for _, name, _, _ in Formatter().parse(text) if name is not None} for text in texts]
