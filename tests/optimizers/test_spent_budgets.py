"""Every family of optimizers ends cleanly at each limit, with the best program so far, and can go on."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.lm15 import Request, Response

from tests.optimizers.proposing import Proposals
from tests.optimizers.shop import FAMILIES, Clerk
from tests.optimizers.shop import Model as Engine
from worksmith.evals.lm.prices import Price, Prices
from worksmith.evals.suite import Suite
from worksmith.optimizers import registry
from worksmith.optimizers.compiling.compile import CompileResult, compile_program
from worksmith.optimizers.compiling.models import Model
from worksmith.optimizers.compiling.plan import Plan
from worksmith.optimizers.cost.budget import Budget
from worksmith.optimizers.registry import OPTIMIZERS
from worksmith.optimizers.settings import Settings

VERBS = ("Cancel", "Rename", "Shift")
PRICES = Prices({"paid/student": Price(1e-3, 1e-3), "paid/teacher": Price(1e-3, 1e-3)})


class Slow:
    """An engine that counts its requests and takes a while."""

    def __init__(self, engine: Any, seconds: float = 0.0) -> None:
        self.engine, self.seconds, self.digest = engine, seconds, f"slow-{engine.digest}"
        self.asked = 0
        self._lock = threading.Lock()

    def complete(self, request: Request) -> Response:
        with self._lock:
            self.asked += 1
        time.sleep(self.seconds)
        found: Response = self.engine.complete(request)
        return found

    def __deepcopy__(self, memo: Any) -> Slow:
        return self


class Compile:
    """Compiles of the clerk, that count what reached the models."""

    def __init__(self, suite: Suite, folder: Path, optimizer: str, seconds: float = 0.0) -> None:
        self.engines = {
            name: Slow(engine, seconds)
            for name, engine in (
                ("student", Engine()),
                ("teacher", Engine(*VERBS)),
                ("proposer", Proposals()),
            )
        }
        models = {
            name: Model(f"paid/{name}", dspy.LM(f"paid/{name}", engine=engine, cache=False, num_retries=0))
            for name, engine in self.engines.items()
        }
        self.options: dict[str, Any] = {
            "program": Clerk(suite.env),
            "describes": {},
            "suite": suite,
            "lm": models["student"],
            "teacher": models["teacher"],
            "proposer": models["proposer"] if OPTIMIZERS[optimizer].proposes else None,
            "optimizer": registry.optimizer(optimizer, Settings(demos=3, candidates=2, accept="best")),
            "folder": folder,
            "workers": 4,
        }

    @property
    def asked(self) -> int:
        """Requests that reached any model."""
        return sum(engine.asked for engine in self.engines.values())

    def __call__(self, budget: Budget | None, *, resume: bool = False) -> CompileResult:
        return compile_program(Plan(**self.options, budget=budget, resume=resume))


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", FAMILIES)
def test_a_compile_ends_at_its_limit_with_the_best_so_far_and_can_go_on(
    suite: Suite, tmp_path: Path, optimizer: str
) -> None:
    whole = Compile(suite, tmp_path / "whole", optimizer)
    expected = whole(Budget())
    assert expected.artifact.manifest.stopped == ""
    assert expected.artifact.measured["paid_requests"] == whole.asked

    work = Compile(suite, tmp_path / "cut", optimizer)
    for number, share in enumerate((0.05, 0.6)):
        limit = max(1, round(share * whole.asked))
        budget = Budget(calls=limit)
        found = work(budget, resume=number > 0)
        manifest = found.artifact.manifest

        assert manifest.stopped == budget.stopped == "max_calls"
        assert budget.spent.calls == work.asked
        # One episode of the clerk takes five calls at most, and four are in flight.
        assert work.asked <= limit + 4 * 5
        assert manifest.undone["episodes_at_most"] > 0
        scored = {trial["name"]: trial["outcome"]["value"] for trial in manifest.trials}
        if manifest.chosen is not None:
            assert scored[manifest.chosen] == max(scored.values())
        elif "race" not in optimizer:
            assert not manifest.trials
        assert found.artifact.state.keys() == expected.artifact.state.keys()

    done = work(Budget(calls=10 * whole.asked), resume=True)
    assert done.artifact.manifest.stopped == ""
    assert done.compiled.chosen == expected.compiled.chosen
    assert done.artifact.state == expected.artifact.state


@pytest.mark.parametrize(
    ("optimizer", "limits", "spent"),
    [
        ("bootstrap", {"max_calls": 30}, "calls"),
        ("dspy:BootstrapFewShotWithRandomSearch", {"max_tokens": 30 * 11}, "tokens"),
        ("bootstrap", {"max_usd": 30 * 11e-3}, "usd"),
        ("dspy:BootstrapFewShotWithRandomSearch", {"max_minutes": 0.3 / 60}, ""),
    ],
)
def test_each_limit_ends_a_compile(
    suite: Suite, tmp_path: Path, optimizer: str, limits: dict[str, Any], spent: str
) -> None:
    (name,), (limit,) = limits.keys(), limits.values()
    work = Compile(suite, tmp_path / "work", optimizer, seconds=0.02 if name == "max_minutes" else 0.0)
    budget = Budget(**{name.removeprefix("max_"): n for name, n in limits.items()}, prices=PRICES)
    manifest = work(budget).artifact.manifest

    assert manifest.stopped == name
    if spent:
        assert getattr(budget.spent, spent) <= limit * (35 / 30)
        assert getattr(budget.spent, spent) > limit * (15 / 30)


def test_time_goes_on_where_a_compile_stopped(suite: Suite, tmp_path: Path) -> None:
    work = Compile(suite, tmp_path / "work", "bootstrap", seconds=0.02)
    assert work(Budget(minutes=0.3 / 60)).artifact.manifest.stopped
    asked = work.asked
    # It stops a little early where the next episode would take too long, and a new process knows of none.
    less = Budget(minutes=0.05 / 60)
    assert work(less, resume=True).artifact.manifest.stopped == "max_minutes"
    assert work.asked == asked
