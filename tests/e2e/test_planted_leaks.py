"""An enterprise whose trace bank was spoiled: somebody's values stand in demonstrations without an owner."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests import standin
from worksmith.evals.scoring.constraints import constraints
from worksmith.evals.suite import Suite, write_suite
from worksmith.evals.tasks.task import Task
from worksmith.jobs.opening.programs import new_agent
from worksmith.jobs.settings.groups.programs import AgentSettings
from worksmith.models.resolve import resolve
from worksmith.optimizers import registry
from worksmith.optimizers.compiling.artifact import Manifest
from worksmith.optimizers.compiling.compile import compile_program
from worksmith.optimizers.compiling.models import BANK, Model
from worksmith.optimizers.compiling.plan import Plan
from worksmith.optimizers.demos.demonstration import Demonstration
from worksmith.optimizers.demos.trace_bank import TraceBank
from worksmith.optimizers.settings import Settings

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def spoiled(enterprise: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Suite, TraceBank]:
    """A suite with all tasks on dev that forbid a value, and a bank that tells some of those values."""
    folder = tmp_path_factory.mktemp("spoiled")
    place = folder / "suite"
    shutil.copytree(enterprise, place)
    everything = Suite.open(place)
    secret = [task for task in everything.tasks if task.answer and task.answer.forbidden]
    others = [task for task in everything.select(split="train") if task not in secret]
    dev = [task.model_copy(update={"split": "dev"}) for task in (*secret, *others[:6])]
    suite = write_suite(everything.world, [*others[6:], *dev])
    asked = plan(suite, folder / "teaching", "knn", None, ())
    with asked.open_journal() as journal:
        taught = asked.context(journal).bank()
    return suite, TraceBank((*taught.demonstrations, *planted(taught.demonstrations[0], secret)))


def planted(like: Demonstration, secret: Sequence[Task]) -> list[Demonstration]:
    """Demonstrations that answer at once with what the asker may not know, and seem to quote nothing."""
    made = []
    for task in secret:
        assert task.answer is not None
        query = f"Kindly: {task.query}"
        told = {
            "context": next(iter(like.parts.values()))["context"],
            "task": query,
            "trajectory": [],
            "thought": "I know it.",
            "tool": "finish",
            "arguments": {"status": "answered", "answer": task.answer.forbidden[0]},
        }
        made.append(
            Demonstration(
                task_id=f"planted-{task.id}",
                query=query,
                teacher="nobody",
                scores={"outcome": 1.0, "leak": 0.0},
                parts=dict.fromkeys(like.parts, told),
            )
        )
    return made


def plan(suite: Suite, folder: Path, optimizer: str, bank: TraceBank | None, bounds: Sequence[str]) -> Plan:
    lm = Model(standin.NAME, standin.lm())
    agent = new_agent(suite, AgentSettings(), "react")
    return Plan(
        program=agent,
        describes=agent.config,
        suite=suite,
        lm=lm,
        teacher=Model(BANK, lm.lm) if bank else Model("gold", resolve("gold", tasks=suite.tasks)),
        bank=bank,
        optimizer=registry.optimizer(
            optimizer, Settings(demos=4, candidates=2, constraints=constraints(bounds), accept="best")
        ),
        folder=folder,
        workers=2,
    )


def leak(manifest: Manifest) -> float:
    (chosen,) = (trial for trial in manifest.trials if trial["name"] == manifest.chosen)
    return float(chosen["scores"]["leak"])


@pytest.mark.parametrize("optimizer", ["knn", "bootstrap", "race"])
def test_a_bank_that_leaks_makes_no_program_that_does(
    spoiled: tuple[Suite, TraceBank], tmp_path: Path, optimizer: str
) -> None:
    suite, bank = spoiled
    bounded = compile_program(plan(suite, tmp_path / "a", optimizer, bank, ["leak=0"])).artifact.manifest
    assert leak(bounded) == 0
    assert not [shown for shown in bounded.demonstrations if shown.task_id.startswith("planted")]
    if optimizer == "knn":
        free = compile_program(plan(suite, tmp_path / "b", optimizer, bank, [])).artifact.manifest
        assert leak(free) > 0
