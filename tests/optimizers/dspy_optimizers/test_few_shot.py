from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.optimizers.shop import ANY_MODEL, lm, make_context
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite
from worksmith.optimizers.optimizer import CompileContext
from worksmith.optimizers.registry import OPTIMIZERS, optimizer
from worksmith.tools.errors import InputError

VERBS = ("Cancel", "Rename", "Shift")
STOCK = [name for name in ANY_MODEL if name.startswith("dspy:") and not OPTIMIZERS[name].proposes]
# Optuna's trials show a single demonstration.
WHOLE = [name for name in STOCK if name != "dspy:BootstrapFewShotWithOptuna"]
DRAWN = ["dspy:BootstrapFewShotWithRandomSearch", "dspy:BootstrapFewShotWithOptuna"]


def context(suite: Suite, folder: Path, **settings: Any) -> CompileContext:
    return make_context(suite, folder, teacher=lm(*VERBS), student=lm(), **{"candidates": 2, **settings})


@pytest.mark.slow
@pytest.mark.parametrize("name", WHOLE)
def test_stock_optimizers_store_whole_trajectories(suite: Suite, tmp_path: Path, name: str) -> None:
    work = context(suite, tmp_path, demos=12)
    compiled = optimizer(name).search(work)

    demos = compiled.program.step.demos
    assert demos
    assert {demo.tool for demo in demos} == {"finish"}
    assert {len(demo.trajectory) for demo in demos} == {2}
    assert [d.query for d in compiled.demonstrations] == [demo.task for demo in demos]
    tasks = suite.select(split="test")
    result = evaluate(compiled.program, tasks, EvalSettings(env=suite.env, lm=lm()))
    assert result.summary.scores["outcome"].value == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWN)
def test_same_seed_same_program_another_seed_another(suite: Suite, tmp_path: Path, name: str) -> None:
    states = [
        optimizer(name).search(context(suite, tmp_path / str(run), demos=2, seed=seed)).program.dump_state()
        for run, seed in enumerate((0, 0, 1))
    ]

    assert states[0] == states[1]
    assert states[0] != states[2]


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worksmith.optimizers.dspy_optimizers.stock.find_spec", lambda name: None)
    for name in ("dspy:BootstrapFewShotWithOptuna", "dspy:MIPROv2"):
        with pytest.raises(InputError, match=r"pip install .*\[optuna\]"):
            optimizer(name)


def test_nothing_is_printed_to_stdout(
    suite: Suite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    optimizer("dspy:BootstrapFewShotWithRandomSearch").search(context(suite, tmp_path, demos=2))

    assert capsys.readouterr().out == ""


def test_unknown_optimizer_is_the_users_error() -> None:
    with pytest.raises(InputError, match="no optimizer 'magic'"):
        optimizer("magic")
