"""Races over several parts of a program: kills, budgets, verification, and what the result says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.quality.surfaces.models import Proposer, Student, simulated
from benchmarks.quality.surfaces.worlds import SURFACES, cases
from tests.optimizers.compiling.test_journal import Photographer, plan, replies
from tests.optimizers.proposals.standings import standing
from tests.optimizers.shop import lm, make_context
from worksmith.evals.lm.prices import Price, Prices
from worksmith.evals.suite import Suite
from worksmith.optimizers.compiling.compile import compile_program
from worksmith.optimizers.compiling.plan import Plan
from worksmith.optimizers.compiling.verification import derived
from worksmith.optimizers.cost.budget import Budget
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.optimizers.search.race_optimizer import Race
from worksmith.optimizers.search.rounds import Rounds
from worksmith.programs.agent import Agent
from worksmith.tools.errors import InputError

OVER = ("demonstrations", "instructions")


def over(suite: Suite, folder: Path, by: Photographer, **settings: Any) -> Plan:
    given = {"over": OVER, "candidates": 3, **settings}
    return replace(plan(suite, folder, "race", by=by, **given), dev_limit=None)


@pytest.mark.slow
def test_a_killed_race_over_texts_goes_on_to_the_same_program(suite: Suite, tmp_path: Path) -> None:
    counter = Photographer()
    whole = compile_program(over(suite, tmp_path / "whole", counter)).artifact
    compile_program(
        over(suite, tmp_path / "disturbed", Photographer(tmp_path / "disturbed", counter.calls // 2))
    )
    known, second = replies(tmp_path / "killed"), Photographer()
    resumed = compile_program(replace(over(suite, tmp_path / "killed", second), resume=True)).artifact

    assert resumed.digest == whole.digest
    assert second.calls == counter.calls - known
    tried = [trial["name"] for trial in whole.manifest.trials]
    assert {name.rsplit("-", 2)[0] for name in tried} >= {"MIPROv2", "reflection", "removal"}
    assert derived(over(suite, tmp_path / "whole", second)).artifact.digest == whole.digest


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "share"), [("calls", 0.4), ("calls", 0.7), ("usd", 0.5)])
def test_a_race_that_its_budget_cuts_short_is_derived_too(
    suite: Suite, tmp_path: Path, limit: str, share: float
) -> None:
    nobody, prices = Photographer(), Prices({"scripted/student": Price(1.0, 1.0)})
    whole = replace(over(suite, tmp_path / "whole", Photographer()), budget=Budget(prices=prices))
    done = compile_program(whole).artifact
    paid, cost = done.measured, done.manifest.cost
    assert cost["student"]["episodes"] <= whole.max_episodes()["dev"]
    assert 0 < cost["proposer"]["model_calls"] <= whole.optimizer.max_proposals(whole.context())
    most = round(share * paid["paid_requests" if limit == "calls" else "paid_usd"])
    limits: dict[str, Any] = {limit: most}
    budget = Budget(**limits, prices=prices)
    cut = replace(over(suite, tmp_path / "cut", Photographer()), budget=budget)
    ended = compile_program(cut).artifact
    told = ended.manifest

    assert told.limits.given == {f"max_{limit}": most}
    plan_ = over(suite, tmp_path / "cut", nobody)
    again = derived(plan_, stopped=told.stopped, limits=told.limits, prices=Prices(told.prices))
    assert again.artifact.digest == ended.digest
    assert again.logs == ()
    assert nobody.calls == 0

    resumed = compile_program(replace(over(suite, tmp_path / "cut", Photographer()), resume=True)).artifact
    anew = derived(over(suite, tmp_path / "cut", nobody))
    assert (anew.artifact.digest, anew.logs) == (resumed.digest, ())


@pytest.mark.slow
def test_the_result_says_what_it_changed_and_what_each_part_is_worth(
    capsys: pytest.CaptureFixture[str],
) -> None:
    surface, known = SURFACES["both"], cases(0)
    program, (train, dev, fresh), metric = surface.world(known)
    student = Student(surface, known, 0)
    student.meet(program, train[0])
    lm = simulated(student)
    race = Race(
        metric, lm=lm, teacher=lm, proposer=simulated(Proposer(0)), demos=4, intent="intent", pinned=[]
    )
    found = race.compile(program, trainset=train, valset=dev)

    assert student.true_mean(found, fresh) > student.true_mean(program, fresh) + 0.2
    said = found.compilation
    (chosen,) = (trial for trial in said.trials if trial.name == said.chosen)
    assert chosen.race is not None
    gains = chosen.race["gains"]
    candidate = said.artifact.manifest.candidate
    assert gains.keys() == {INCUMBENT, *(f"{said.chosen} without {part}" for part in candidate.parts)}
    assert gains[INCUMBENT]["low"] > 0
    assert "demonstrations" in said.difference
    assert "+" in said.difference


def test_descriptions_of_tools_need_a_model_that_writes_them() -> None:
    surface, known = SURFACES["nearest"], cases(0)
    program, (train, dev, _), metric = surface.world(known)
    lm = simulated(Student(surface, known, 0))
    with pytest.raises(InputError, match="a model writes descriptions of tools"):
        Race(metric, lm=lm, over=["tools"]).compile(program, trainset=train, valset=dev)
    with pytest.raises(InputError, match="no part of a program 'sauce'"):
        Race(metric, lm=lm, over=["sauce"])
    with pytest.raises(InputError, match=r"over form: a .* is not an agent"):
        Race(metric, lm=lm, over=["form"]).compile(program, trainset=train, valset=dev)


@pytest.mark.slow
def test_without_a_test_nothing_is_claimed() -> None:
    surface, known = SURFACES["both"], cases(0)
    program, (train, dev, _), metric = surface.world(known)
    student = Student(surface, known, 0)
    student.meet(program, train[0])
    race = Race(metric, lm=simulated(student), over=OVER, accept="best", demos=4, intent="intent")
    said = race.compile(program, trainset=train, valset=dev).compilation

    assert said.chosen != INCUMBENT
    assert not any("accepted" in (trial.race or {}) for trial in said.trials)
    assert f"took {said.chosen}\n" in str(said)


def test_a_pinned_text_stays_whatever_the_strategy(suite: Suite, tmp_path: Path) -> None:
    pinned = ("selector.predict",)
    made = make_context(suite, tmp_path, teacher=lm(), student=lm(), over=("strategy",), pinned=pinned)
    agent = Agent("react", env=suite.env)
    own = agent.selector.predict.signature.instructions
    rounds = Rounds(replace(made, program=agent), adaptive=False)
    found = next(rounds.entering(lambda: standing(agent, suite.tasks)))

    assert found
    for each in found.values():
        texts = {name: part.signature.instructions for name, part in each.program.named_predictors()}
        assert texts.get(*pinned, own) == own
