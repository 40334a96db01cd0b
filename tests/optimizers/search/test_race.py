from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import dspy
import pytest
from dspy.lm15 import Request, Response

from tests.optimizers.shop import Model, field, lm, make_context
from worksmith.evals.suite import Suite
from worksmith.optimizers.candidates.building import Built
from worksmith.optimizers.cost.limits import Limits
from worksmith.optimizers.demos.trace_bank import NothingTaughtError, TraceBank
from worksmith.optimizers.optimizer import CompileContext
from worksmith.optimizers.racing.rules import IncumbentLostError
from worksmith.optimizers.search.aa import same_program
from worksmith.optimizers.search.candidates import (
    bank_schedule,
    covering_order,
    draw_candidates,
    thrifty_bank,
)
from worksmith.optimizers.search.race_optimizer import Race
from worksmith.optimizers.search.track import dev_order
from worksmith.optimizers.settings import Settings
from worksmith.tools.errors import InputError

VERBS = ("Cancel", "Rename", "Shift")


def context(suite: Suite, folder: Path, **settings: Any) -> CompileContext:
    return make_context(suite, folder, teacher=lm(*VERBS), student=lm(), **settings)


def test_the_winner_beats_the_program_as_it_is(suite: Suite, tmp_path: Path) -> None:
    work = context(suite, tmp_path, demos=3, candidates=2)
    compiled = Race().search(work)

    assert compiled.trials[0].name == "uncompiled"
    assert compiled.chosen == "nearest-3"
    assert {d.intent for d in compiled.demonstrations} == set(VERBS)
    chosen = next(trial for trial in compiled.trials if trial.name == compiled.chosen)
    assert chosen.race is not None
    assert chosen.race["accepted"]
    assert chosen.race["met"] == chosen.score.n
    assert (
        work.student.cost.episodes
        == sum(t.score.n for t in compiled.trials)
        <= Race().max_episodes(work)["dev"]
    )


@pytest.mark.parametrize("candidates", [1, 4], ids=["at once", "growing"])
def test_a_teacher_that_taught_nothing_ends_a_race(suite: Suite, tmp_path: Path, candidates: int) -> None:
    work = make_context(suite, tmp_path, teacher=lm(), student=lm(), demos=1, candidates=candidates)
    with pytest.raises(NothingTaughtError, match="none of 12 attempts at training tasks"):
        Race().search(work)

    assert work.student.cost.episodes == 0


def test_the_bank_grows_while_that_pays(suite: Suite, tmp_path: Path) -> None:
    work = context(suite, tmp_path, demos=1, candidates=4)
    entered = [trial.name for trial in Race().search(work).trials]

    assert bank_schedule(work) == [3, 6, 12]
    # The first three tasks show all three verbs: more of them bring nothing, and the rest is not asked for.
    assert entered[:3] == ["uncompiled", "nearest-1", "covering-1-0"]
    assert entered[3:] == ["nearest-1-of-6"]
    assert work.teacher.cost.episodes == 6


def test_a_bank_that_brings_nothing_yet_grows_to_the_end(suite: Suite, tmp_path: Path) -> None:
    knows_all = make_context(suite, tmp_path, teacher=lm(*VERBS), student=lm(*VERBS), demos=1, candidates=3)
    compiled = Race().search(knows_all)

    assert compiled.chosen == "uncompiled"
    assert knows_all.teacher.cost.episodes == 12
    assert len(compiled.trials) == 4


def test_what_is_found_on_the_way_is_told_with_its_calls(suite: Suite, tmp_path: Path) -> None:
    work = context(suite, tmp_path, demos=1, candidates=4)
    compiled = Race().search(work)

    *_, last = compiled.path
    assert (last.chosen, last.program) == (compiled.chosen, compiled.program)
    calls = [step.model_calls for step in compiled.path]
    assert calls == sorted(calls)
    assert calls[-1] <= work.teacher.cost.model_calls + work.student.cost.model_calls


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings", [{"demos": 4}, {"demos": 1, "candidates": 4}], ids=["at once", "growing"]
)
def test_workers_change_nothing(suite: Suite, tmp_path: Path, settings: dict[str, int]) -> None:
    one, eight = (
        Race().search(context(suite, tmp_path / str(workers), seed=3, workers=workers, **settings))
        for workers in (1, 8)
    )

    assert [trial.to_json() for trial in one.trials] == [trial.to_json() for trial in eight.trials]
    assert one.chosen == eight.chosen
    assert [step.model_calls for step in one.path] == [step.model_calls for step in eight.path]


def tasks_of(candidate: Built) -> frozenset[str]:
    return frozenset(demonstration.task_id for demonstration in candidate.demonstrations)


def test_candidates_come_in_sizes_and_kinds_without_repeats(suite: Suite, tmp_path: Path) -> None:
    work = context(suite, tmp_path, demos=8, candidates=9)
    found = draw_candidates(work, work.bank(), work.settings.candidates)
    fixed = [tasks_of(candidate) for name, candidate in found.items() if "nearest" not in name]

    assert list(found)[:4] == ["nearest-8", "covering-8-0", "random-8-0", "nearest-4"]
    assert [name for name in found if "nearest" in name] == ["nearest-8", "nearest-4", "nearest-2"]
    assert {len(ids) for ids in fixed} == {8, 4, 2}
    assert len(set(fixed)) == len(fixed) == 6


def test_a_small_bank_gives_no_candidate_twice(suite: Suite, tmp_path: Path) -> None:
    work = context(suite, tmp_path, demos=100, candidates=50)
    found = draw_candidates(work, work.bank(), work.settings.candidates)

    assert [name for name, candidate in found.items() if len(tasks_of(candidate)) == 12] == [
        "nearest-12",
        "covering-12-0",
        "nearest-6",
        "nearest-3",
    ]


def test_a_program_that_hides_the_task_from_its_predictors_is_searched_by_their_inputs(
    suite: Suite, tmp_path: Path
) -> None:
    work = context(suite, tmp_path, demos=4)
    bank = work.bank()
    blind = [
        d.model_copy(update={"parts": {"step": {**d.parts["step"], "task": "in other words"}}})
        for d in bank.demonstrations
    ]
    found = draw_candidates(work, TraceBank(tuple(blind)), 4)

    assert len(found) == 4
    assert found["nearest-4"].program.step.nearest.field == ""


def test_the_order_of_intents_depends_on_the_seed_only(suite: Suite) -> None:
    tasks = suite.select(split="dev")

    assert dev_order(tasks, 1) == dev_order(tasks[::-1], 1)
    assert dev_order(tasks, 1) != dev_order(tasks, 2)


def test_intents_are_dealt_as_a_whole_and_a_task_without_one_is_its_own(suite: Suite) -> None:
    three = [
        task.model_copy(update={"intent": task.id.partition("-")[0]}) for task in suite.select(split="dev")
    ]
    alone = [task.model_copy(update={"intent": None}) for task in three[:2]]
    dealt = dev_order([*three[2:], *alone], 0)

    assert sorted(map(len, dealt)) == [1, 1, 2, 4, 4]
    assert all(len({task.intent for task in intent}) == 1 for intent in dealt)


def test_settings_that_make_no_sense_are_refused() -> None:
    for wrong in ({"alpha": 0.0}, {"alpha": 1.0}, {"margin": 1.0}, {"margin": -0.1}):
        with pytest.raises(InputError):
            Settings(**wrong)  # type: ignore[arg-type]


def test_a_program_against_itself_takes_one_evaluation_an_arm(suite: Suite, tmp_path: Path) -> None:
    work = make_context(suite, tmp_path, teacher=lm(), student=lm("Cancel"), candidates=2)
    found = same_program(work)

    assert work.student.cost.episodes == 36
    assert work.teacher.cost.episodes == 0
    assert found.passed
    assert (found.told_apart.value, found.told_apart.n) == (0.0, 1_000)
    assert (found.arms, found.tasks, found.differing, found.as_measured) == (3, 12, 0.0, False)


class Moody(Model):
    """Knows its verb or not, as the mood takes it."""

    def __init__(self) -> None:
        super().__init__("Cancel")
        self._mood = Random(0)

    def complete(self, request: Request) -> Response:
        self.verbs = {"Cancel", "Rename"} if self._mood.random() < 0.7 else set()
        return super().complete(request)


def test_chance_is_not_mistaken_for_a_difference(suite: Suite, tmp_path: Path) -> None:
    moody = dspy.LM("scripted/moody", engine=Moody(), cache=False)
    found = same_program(make_context(suite, tmp_path, teacher=lm(), student=moody, candidates=2))

    assert found.differing > 0
    assert found.passed
    assert found.told_apart.value <= 0.05


def test_the_first_tasks_of_a_growing_bank_stand_for_the_others(suite: Suite) -> None:
    tasks = suite.select(split="train")
    ordered = covering_order(tasks)

    assert {task.intent for task in ordered[:3]} == set(VERBS)
    assert sorted(task.id for task in ordered) == sorted(task.id for task in tasks)
    assert covering_order(tasks[::-1]) == ordered


@pytest.mark.parametrize(
    ("limits", "episodes"),
    [({}, 12), ({"max_calls": 15}, 8), ({"max_calls": 165}, 11), ({"max_tokens": 1650}, 10)],
)
def test_the_teacher_takes_its_share_of_a_budget(
    suite: Suite, tmp_path: Path, limits: dict[str, int], episodes: int
) -> None:
    work = replace(context(suite, tmp_path, demos=4), limits=Limits(**limits))
    bank = thrifty_bank(work)

    assert work.teacher.cost.episodes == episodes
    assert {demonstration.intent for demonstration in bank.demonstrations} == {*VERBS}


class Astray(Model):
    """Searches for ever unless it is shown how to do a task."""

    def _next(self, user: str, known: set[str]) -> tuple[str, dict[str, Any]]:
        tool, arguments = super()._next(user, known)
        lost = tool == "finish" and not json.loads(field(user, "trajectory"))
        return ("calendar.search_events", {"query": "?"}) if lost or not known else (tool, arguments)


def test_a_program_that_takes_many_calls_leaves_room_for_candidates(suite: Suite, tmp_path: Path) -> None:
    student = dspy.LM("scripted/astray", engine=Astray(), cache=False)
    over = ("demonstrations", "temperature")
    work = make_context(
        suite, tmp_path, teacher=lm(*VERBS), student=student, over=over, accept="best", demos=3
    )
    compiled = Race(over=over).search(replace(work, limits=Limits(max_calls=150)))

    plain, *others = compiled.trials
    assert work.student.cost.model_calls > 5 * plain.score.n
    assert compiled.chosen == others[0].name
    assert work.teacher.cost.model_calls + work.student.cost.model_calls <= 150


class Lossy(Model):
    """Cannot be reached for tasks whose text fits."""

    def __init__(self, fits: Callable[[str], bool]) -> None:
        super().__init__()
        self._fits = fits

    def complete(self, request: Request) -> Response:
        asked = [message for message in request.messages if message.role == "user"][-1].parts[0].text
        if self._fits(asked.partition("[[ ## trajectory")[0]):
            raise ConnectionError("nobody there")
        return super().complete(request)


def lossy(fits: Callable[[str], bool]) -> dspy.LM:
    return dspy.LM("scripted/lossy", engine=Lossy(fits), cache=False, num_retries=0)


def test_a_program_against_itself_loses_no_task_with_an_episode(suite: Suite, tmp_path: Path) -> None:
    student = lossy(lambda asked: "beta review" in asked and "Cancel" in asked)  # one of the twelve
    found = same_program(make_context(suite, tmp_path, teacher=lm(), student=student, candidates=2))

    assert (found.tasks, found.intents, found.lost) == (12, 12, 3)
    assert found.passed


def test_a_program_that_loses_much_is_not_compared_with_itself(suite: Suite, tmp_path: Path) -> None:
    student = lossy(lambda asked: sum(map(ord, asked)) % 2 == 1)
    work = make_context(suite, tmp_path, teacher=lm(), student=student, candidates=2)
    with pytest.raises(IncumbentLostError, match=r"the program as it is lost \d+ of 12 episodes"):
        same_program(work)
