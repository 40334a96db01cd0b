from __future__ import annotations

import pickle
import threading
from pathlib import Path
from typing import Any

import dspy
import pytest

from tests.optimizers.shop import Clerk, field, lm, make_context
from worksmith.evals.dspy_programs.nearest import NearestSettings, show_nearest
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite
from worksmith.optimizers.demos.selection import Selector
from worksmith.optimizers.demos.showing import give_demonstrations
from worksmith.optimizers.demos.trace_bank import TraceBank
from worksmith.optimizers.optimizer import CompileContext
from worksmith.optimizers.search.few_shot import KNN

VERBS = ("Cancel", "Rename", "Shift")


def context(suite: Suite, folder: Path, **settings: Any) -> CompileContext:
    return make_context(suite, folder, teacher=lm(*VERBS), student=lm(), **settings)


@pytest.fixture(scope="module")
def bank(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> TraceBank:
    return context(suite, tmp_path_factory.mktemp("bank")).bank()


def accuracy(program: dspy.Module, suite: Suite, **options: Any) -> float:
    tasks = suite.select(split="test")
    result = evaluate(program, tasks, EvalSettings(env=suite.env, lm=lm(), **options))
    return result.summary.scores["outcome"].value


def test_selections_depend_on_seed_and_restart_only(bank: TraceBank) -> None:
    for draw in ("random", "covering"):
        sets = [
            [d.task_id for d in getattr(Selector(bank.demonstrations), draw)(5, seed=seed, restart=restart)]
            for seed in (0, 1)
            for restart in (1, 2)
            for _ in range(2)
        ]
        assert sets[0::2] == sets[1::2]
        assert len({tuple(ids) for ids in sets}) > 1


def test_knn_runs_nothing_again_at_inference(suite: Suite, tmp_path: Path) -> None:
    work = context(suite, tmp_path, demos=2)
    program = KNN().search(work).program
    taught = len(work.teacher.lm.engine.requests)
    student = lm()
    with dspy.context(lm=student):
        program(task=suite.select(split="test")[0])

    assert len(work.teacher.lm.engine.requests) == taught
    assert len(student.engine.requests) == 3


@pytest.mark.slow
def test_knn_program_survives_copies(suite: Suite, tmp_path: Path) -> None:
    program = KNN().search(context(suite, tmp_path, demos=2)).program
    accuracy(program, suite)  # builds the index
    bare = program.reset_copy()

    assert bare.step.demos == []
    assert accuracy(bare, suite) == 0.0
    assert accuracy(program.deepcopy(), suite) == 1.0
    assert accuracy(pickle.loads(pickle.dumps(program)), suite) == 1.0
    assert len(program.step.demos) == 12


def shown(program: dspy.Module, task: str) -> list[str]:
    model = lm()
    with dspy.context(lm=model):
        program.step(task=task, trajectory=[])
    users = [message.parts[0].text for message in model.engine.requests[0].messages if message.role == "user"]
    return [field(user, "task") for user in users]


def test_nearest_comes_last_and_never_the_task_itself(suite: Suite, bank: TraceBank) -> None:
    program = give_demonstrations(Clerk(suite.env), bank.demonstrations)
    show_nearest(program, {"step": NearestSettings("task", 4)})
    *tasks, query = shown(program, bank.demonstrations[0].query.upper().replace("CANCEL", "Cancel"))

    assert len(tasks) == 4
    assert tasks[-1] == "Cancel 'alpha call'"
    assert query.casefold() not in [task.casefold() for task in tasks]


def test_replaced_demonstrations_are_seen(suite: Suite, bank: TraceBank) -> None:
    program = give_demonstrations(Clerk(suite.env), bank.demonstrations)
    show_nearest(program, {"step": NearestSettings("task", 1)})
    assert shown(program, "Cancel 'x'")[0].startswith("Cancel")
    program.step.demos = [demo for demo in program.step.demos if demo.task.startswith("Shift")]

    assert shown(program, "Cancel 'x'")[0].startswith("Shift")


def test_many_threads_get_their_own_demonstrations(suite: Suite, bank: TraceBank) -> None:
    program = give_demonstrations(Clerk(suite.env), bank.demonstrations)
    show_nearest(program, {"step": NearestSettings("task", 1)})
    seen: dict[str, set[str]] = {}

    def ask(verb: str) -> None:
        seen[verb] = {shown(program, f"{verb} 'new {number}'")[0].split()[0] for number in range(20)}

    threads = [threading.Thread(target=ask, args=(verb,)) for verb in VERBS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert seen == {verb: {verb} for verb in VERBS}
