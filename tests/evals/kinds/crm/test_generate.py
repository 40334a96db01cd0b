"""Tasks of a CRM suite: enough of each kind, kept apart, and with plans that solve them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from itertools import islice
from random import Random

import pytest

from tests.evals.kinds.crm.orgs import org, org_records
from tests.evals.splits import in_two_splits
from worksmith.evals.kinds.crm.families.best_region_identification import BestRegion
from worksmith.evals.kinds.crm.families.periodic import Periodic
from worksmith.evals.kinds.crm.families.registry import FAMILIES
from worksmith.evals.kinds.crm.generate import Generated, Sizes, TruthError, generate
from worksmith.evals.kinds.crm.questions.family import Doubt, Family, Mode, Question, Truth
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.kinds.crm.questions.periods import Period
from worksmith.evals.tasks.task import Entity, Step, Task
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError

MODES: tuple[Mode, ...] = ("clean", "faithful")
SIZES = Sizes(test=16, train=7, dev=4)
PERIODIC = [family for family in FAMILIES if isinstance(family, Periodic)]
NONES = {
    "handle_time": (5, 5),
    "transfer_count": (5, 5),
    "named_entity_disambiguation": (5, 5),
    "top_issue_identification": (5, 5),
    "monthly_trend_analysis": (3, 0),
    "best_region_identification": (3, 0),
    "case_routing": (0, 0),
    "knowledge_qa": (2, 0),
}
"""Of sixteen, in clean mode and in the other. A small org has too few violations to tell."""


@cache
def generated(mode: Mode) -> Generated:
    """Some tasks of every family; shared, so they are not to be changed."""
    world, built = org(mode)
    return generate(world, built, mode, 7, sizes=SIZES)


@pytest.fixture(params=MODES)
def some(request: pytest.FixtureRequest) -> tuple[Mode, Generated]:
    """A mode, and some tasks in it."""
    return request.param, generated(request.param)


def empty(task: Task) -> bool:
    return task.answer is not None and task.answer.kind == "none"


def test_there_are_nine_families() -> None:
    assert len(FAMILIES) == len({family.code for family in FAMILIES}) == 9
    assert Counter(family.persona for family in FAMILIES) == {
        "service_agent": 3,
        "service_analyst": 3,
        "service_manager": 3,
    }


def test_every_family_has_its_tasks_and_those_without_an_answer(some: tuple[Mode, Generated]) -> None:
    mode, found = some
    counts = Counter((task.intent, task.split) for task in found.tasks)
    nones = Counter(task.intent for task in found.tasks if task.split == "test" and empty(task))

    assert found.unfilled.keys() <= {"policy_violation_identification"}
    assert not any(drops["wording says something else"] for drops in found.drops.values())
    for name, wanted in NONES.items():
        assert [counts[name, split] for split in ("test", "train", "dev")] == [16, 7, 4]
        assert nones[name] == wanted[MODES.index(mode)], name


def test_no_question_and_no_text_comes_twice(some: tuple[Mode, Generated]) -> None:
    tasks = some[1].tasks

    assert len({task.id for task in tasks}) == len(tasks)
    assert len({task.query for task in tasks}) == len(tasks)
    assert len({(task.intent, *sorted(task.slots.items())) for task in tasks}) == len(tasks)
    assert not in_two_splits(tasks)


def test_tasks_say_who_asks_when_and_how_to_answer(some: tuple[Mode, Generated]) -> None:
    known = {family.name: family for family in FAMILIES}
    for task in some[1].tasks:
        family = known[str(task.intent)]
        assert task.persona is not None
        assert task.persona.id == family.persona
        assert task.query.endswith(family.answer_format(some[0]))
        if "product_name" in task.slots:
            assert "Product Id: " + task.slots["product"] in task.query
        assert task.context == family.context(some[0])


@pytest.mark.slow
def test_plans_can_be_replayed_and_end_in_the_answer(some: tuple[Mode, Generated]) -> None:
    env = Environment(org(some[0])[0], sandboxes=1)
    for task in some[1].tasks:
        assert task.gold_plan is not None
        by_functions, by_queries = replayed(env, task, task.gold_plan), task.other_plans[0]
        replayed(env, task, by_queries)
        if not empty(task) and task.intent in {family.name for family in PERIODIC}:
            assert task.answer is not None
            assert by_functions == [entity.value for entity in task.answer.required]


def replayed(env: Environment, task: Task, plan: tuple[Step, ...]) -> object:
    """What the last step returns."""
    toolkits = {step.tool.partition(".")[0] for step in plan}
    assert len(toolkits) == 1
    episode = env.episode(toolkits, persona=task.persona, now=task.now)
    for number, step in enumerate(plan):
        observation = episode.call(step.tool, step.arguments)
        assert observation.status == "ok", observation.text
        assert all(after < number for after in step.after)
        assert step.why
    return observation.value


def test_in_clean_mode_all_is_over_on_the_day_of_the_question() -> None:
    known = org_records()
    for task in generated("clean").tasks:
        if task.intent not in {family.name for family in PERIODIC}:
            continue
        assert task.now is not None
        today = task.now.date()
        window = Period.of(task.slots["period"]).window(today)
        assert known.first_day <= window.start.date()
        assert window.end.date() <= today <= known.snapshot
        if "n" in task.slots:
            assert all(known.last_event[case.id] < task.now for case in known.opened(window))


def drawn(family: Family, mode: Mode, tries: int) -> list[Question]:
    draws = (family.candidates(org_records(), mode, stratum, Random(5)) for stratum in family.strata(mode))
    return [each for of in draws for each in islice(of, tries) if isinstance(each, Question)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_wording_says_what_is_asked_and_nothing_that_others_ask(family: Family, mode: Mode) -> None:
    random = Random(1)
    questions = drawn(family, mode, 12)
    assert questions
    others = [each for each in FAMILIES if each.worded and each is not family and each not in PERIODIC]
    for question in questions:
        assert family.truth(org_records(), mode, question) == question.answer
        expected = {slot: question.slots[slot] for slot in family.worded}
        for words in {family.phrase(question, random) for _ in range(4)}:
            assert family.parse(words) == expected, words
            assert family in PERIODIC or not [each for each in others if each.parse(words)], words


@pytest.mark.parametrize("family", PERIODIC, ids=lambda family: family.name)
@pytest.mark.parametrize("text", ["", "Who was it in March?", "What is the weather like today?"])
def test_other_texts_are_of_no_family(family: Family, text: str) -> None:
    assert family.parse(text) is None


@dataclass(frozen=True)
class Wrong(BestRegion):
    """Gives the wrong answer to every question."""

    def truth(self, org: OrgRecords, mode: Mode, question: Question) -> Truth:
        found = super().truth(org, mode, question)
        return (Entity(type="state", value="HI"),) if found and not isinstance(found, Doubt) else found


@dataclass(frozen=True)
class Drifting(BestRegion):
    """Asks about another year than it means."""

    def phrase(self, question: Question, random: Random) -> str:
        return super().phrase(question, random).replace("20", "19")


@dataclass(frozen=True)
class Impossible(BestRegion):
    """Has nothing to ask."""

    def candidates(
        self, org: OrgRecords, mode: Mode, stratum: str, random: Random
    ) -> Iterator[Question | Doubt]:
        while True:
            yield Doubt("never")


PARTS = ("best_region_identification", "bri", "service_analyst", frozenset({"period"}))


def test_a_truth_that_the_tools_do_not_find_stops_everything() -> None:
    world, built = org()
    with pytest.raises(TruthError, match=r"functions find \('\w\w',\), not \('HI',\)"):
        generate(world, built, "clean", 7, sizes=SIZES, only=[Wrong(*PARTS)])


def test_wordings_that_drift_are_counted_and_replaced() -> None:
    world, built = org()
    found = generate(world, built, "clean", 7, sizes=SIZES, only=[Drifting(*PARTS)])

    assert found.drops["best_region_identification"]["wording says something else"] > 0
    assert all(Period.of(task.slots["period"]).relative for task in found.tasks)


def test_what_cannot_be_filled_is_noted() -> None:
    world, built = org()
    found = generate(world, built, "clean", 7, sizes=Sizes(4, 0, 0), only=[Impossible(*PARTS), PERIODIC[0]])

    assert found.unfilled == {"best_region_identification": 4}
    assert len(found.tasks) == 4
    with pytest.raises(InputError, match="no task fits"):
        generate(world, built, "clean", 7, sizes=SIZES, only=[Impossible(*PARTS)])


def test_the_same_seed_gives_the_same_tasks() -> None:
    world, built = org()
    one, two, other = (
        generate(world, built, "clean", seed, sizes=Sizes(4, 0, 0), only=PERIODIC[:1]).tasks
        for seed in (1, 1, 2)
    )

    assert [task.digest for task in one] == [task.digest for task in two]
    assert not {task.query for task in one} & {task.query for task in other}


def test_sizes_fall_with_the_scale() -> None:
    assert Sizes.of_scale(1.0) == Sizes.of_scale(4.0) == Sizes(130, 60, 30)
    assert Sizes.of_scale(0.05) == Sizes(16, 7, 4)


def test_relative_periods_are_drawn_on_many_days() -> None:
    days = {
        date.fromisoformat(question.slots["today"])
        for question, _ in zip(
            PERIODIC[0].candidates(org_records(), "faithful", "week/1", Random(2)), range(300), strict=False
        )
        if isinstance(question, Question)
    }

    assert max(days) - min(days) > timedelta(days=4 * 365)
    assert len({day.isocalendar().week for day in days}) > 45
