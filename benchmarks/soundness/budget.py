"""Whether a compile keeps its limits under 32 workers, and takes what a dry run foretells.

Models are simulated (`support/student.py`). Limits: the model follows the gold plans, answers after 50 to
200 ms, and its replies say how many tokens they took, at prices of its own. Each compile is stopped by one
limit at two fifths of what a whole one takes; `over` is by how much it was overstepped, in its unit, in
episodes of mean cost, and in batches of as many episodes as there are workers. Below 0 is what was left.

Forecasts: generated office, a student that answers at once, gold plans as teacher; each `ratio` is what was
foretold over what was taken. Of `race` an expectation and the most are foretold. A compile whose simulated
model mostly keeps it waiting is foretold in minutes only. A computer that is busy with other things takes
longer for what computes: see `slowdown` at the beginning and the end.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.support.student import GoldPlans, Student, simulated
from worksmith.evals.authoring.suite_building import build_suite

if TYPE_CHECKING:
    from worksmith.evals.lm.prices import Prices
    from worksmith.evals.suite import Suite
    from worksmith.optimizers.compiling.models import Model
    from worksmith.optimizers.compiling.plan import Plan

DESCRIPTION = (
    "limits kept under 32 workers, in units and batches; what a dry run foretells, and what was taken"
)

WORKERS = 32
TRAIN, DEV = 30, 20
"""Tasks."""
SHARE = 0.4
"""Of what a whole compile takes, at which each limit lies."""
LATENCY = (0.05, 0.2)
PAID = "simulated/goldplans"
LIMITED = ("bootstrap", "dspy:BootstrapFewShotWithRandomSearch")
FORETOLD = ("bootstrap", "knn", "race", "dspy:BootstrapFewShotWithRandomSearch")


def run(quick: bool) -> dict[str, Any]:
    """Compile under each limit, and forecast and compile."""
    from worksmith.optimizers.cost.sampling import slowdown

    busy = slowdown()
    with tempfile.TemporaryDirectory() as folder:
        suite = _suite(Path(folder))
        figures: dict[str, Any] = {
            "workers": WORKERS,
            "models": "simulated",
            "limits": {
                name: limits(suite, Path(folder) / "limits" / name.replace(":", "-"), name)
                for name in LIMITED[: 1 if quick else 2]
            },
            "forecasts": {
                name: foretold(suite, Path(folder) / "forecasts", name)
                for name in FORETOLD[: 2 if quick else 4]
            },
            "waiting": waiting(suite, Path(folder) / "waiting"),
        }
    figures["slowdown"] = [round(busy, 2), round(slowdown(), 2)]
    return figures


def limits(suite: Suite, folder: Path, optimizer: str) -> dict[str, Any]:
    """Each limit in turn, after a whole compile that says what there is to be limited."""
    from worksmith.optimizers.compiling.compile import compile_program
    from worksmith.optimizers.cost.budget import Budget

    prices = _prices()
    whole = Budget(prices=prices)
    plan = _plan(suite, folder / "whole", optimizer, _simulated(suite), WORKERS)
    done = compile_program(replace(plan, budget=whole))
    spent, seconds = whole.spent, done.artifact.measured["seconds"]
    episodes = done.artifact.manifest.cost["student"]["episodes"]
    rows = {
        "max_calls": (round(SHARE * spent.calls), spent.calls / episodes),
        "max_tokens": (round(SHARE * spent.tokens), spent.tokens / episodes),
        "max_usd": (SHARE * spent.usd, spent.usd / episodes),
        "max_minutes": (SHARE * seconds / 60, seconds / 60 * WORKERS / episodes),
    }
    figures: dict[str, Any] = {"whole": {"calls": spent.calls, "seconds": seconds, "episodes": episodes}}
    for name, (limit, each) in rows.items():
        bounds: dict[str, Any] = {name: limit}
        budget = Budget(**{name.removeprefix("max_"): n for name, n in bounds.items()}, prices=prices)
        manifest = compile_program(replace(plan, budget=budget, folder=folder / name)).artifact.manifest
        took = dict(zip(rows, (*budget.spent.values, budget.seconds / 60), strict=True))[name]
        figures[name] = {
            "limit": round(limit, 4),
            "spent": round(took, 4),
            "over": round(took - limit, 4),
            "over_in_episodes": round((took - limit) / each, 2),
            "over_in_batches": round((took - limit) / each / WORKERS, 3),
            "stopped": manifest.stopped,
            "episodes": sum(manifest.cost[role]["episodes"] for role in ("teacher", "student")),
        }
    return figures


def foretold(suite: Suite, folder: Path, optimizer: str) -> dict[str, Any]:
    """What a dry run says of a compile for a student, and what that took."""
    from worksmith.jobs.measuring.cost_forecast import forecast_of
    from worksmith.optimizers.compiling.compile import compile_program
    from worksmith.optimizers.cost.budget import Budget

    plan = _plan(suite, folder / optimizer.replace(":", "-"), optimizer, _named(Student(suite.tasks)), 8)
    began = time.perf_counter()
    said = forecast_of(plan)
    assert said is not None
    assert said.expected is not None
    dry = time.perf_counter() - began
    measured = compile_program(replace(plan, budget=Budget())).artifact.measured
    return {
        "expected": said.to_json()["expected"],
        "at_most": said.to_json()["at_most"],
        "minutes": round(said.minutes or 0.0, 3),
        "took": {
            "model_calls": measured["paid_requests"],
            "tokens": measured["paid_tokens"],
            "minutes": round(measured["seconds"] / 60, 3),
        },
        "calls_ratio": _ratio(said.expected.calls, measured["paid_requests"]),
        "tokens_ratio": _ratio(said.expected.tokens, measured["paid_tokens"]),
        "minutes_ratio": _ratio(60 * (said.minutes or 0.0), measured["seconds"]),
        "sampled_episodes": said.sampled,
        "dry_run_seconds": round(dry, 1),
    }


def waiting(suite: Suite, folder: Path) -> dict[str, float]:
    """Time foretold and taken where a compile mostly waits for its model."""
    from worksmith.optimizers.compiling.compile import compile_program
    from worksmith.optimizers.compiling.rehearsal import BilledModels, rehearse
    from worksmith.optimizers.registry import optimizer

    plan = _plan(suite, folder, "bootstrap", _simulated(suite), 8)
    billed = BilledModels(PAID, plan.teacher.lm.model)
    said = rehearse(plan.context(), optimizer("bootstrap").search, billed=billed, sample=8, prices=_prices())
    seconds = compile_program(plan).artifact.measured["seconds"]
    return {
        "foretold_seconds": round(said.seconds, 1),
        "seconds": seconds,
        "ratio": _ratio(said.seconds, seconds),
    }


def _ratio(foretold: float, took: float) -> float:
    return round(foretold / took, 3)


def _prices() -> Prices:
    from worksmith.evals.lm.prices import Price, Prices

    return Prices({PAID: Price(1e-6, 4e-6)})


def _suite(folder: Path) -> Suite:

    return build_suite("office", folder / "office")


def _simulated(suite: Suite) -> Model:
    return _named(GoldPlans(suite.tasks, LATENCY))


def _named(engine: GoldPlans) -> Model:
    from worksmith.optimizers.compiling.models import Model

    lm = simulated(engine)
    return Model(lm.model, lm)


def _plan(suite: Suite, folder: Path, optimizer: str, lm: Model, workers: int) -> Plan:
    from worksmith.jobs.opening.programs import new_agent
    from worksmith.jobs.settings.groups.programs import AgentSettings
    from worksmith.models.resolve import resolve
    from worksmith.optimizers.compiling.models import Model
    from worksmith.optimizers.compiling.plan import Plan
    from worksmith.optimizers.registry import optimizer as made
    from worksmith.optimizers.settings import Settings

    agent = new_agent(suite, AgentSettings(), "react")
    return Plan(
        program=agent,
        describes=agent.config,
        suite=suite,
        lm=lm,
        teacher=Model("gold", resolve("gold", tasks=suite.tasks)),
        optimizer=made(optimizer, Settings(demos=16)),
        folder=folder,
        workers=workers,
        train_limit=TRAIN,
        dev_limit=DEV,
    )
