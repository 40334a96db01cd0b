"""Compiling under constraints, where renaming a meeting counts as a leak, so nothing may teach it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.optimizers.shop import lm, make_context
from worksmith.evals.scoring.constraints import constraints
from worksmith.evals.scoring.episode_scorer import EpisodeScorer
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Task
from worksmith.optimizers.compiling.finalize import ConstraintsBrokenError, within_constraints
from worksmith.optimizers.demos.trace_bank import BREAKING, TraceBank, count_reasons
from worksmith.optimizers.optimizer import CompileContext, Compiled, Optimizer
from worksmith.optimizers.racing.race import race
from worksmith.optimizers.racing.rules import INCUMBENT, Rules
from worksmith.optimizers.registry import optimizer
from worksmith.optimizers.search.few_shot import Bootstrap
from worksmith.optimizers.search.race_optimizer import Race
from worksmith.optimizers.trial import pareto_front
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.errors import InputError

VERBS = ("Cancel", "Rename", "Shift")
NO_LEAK = constraints(["leak=0"])


class Leaking:
    """The outcome, and a leak for every episode that gives a meeting another name."""

    def __init__(self, env: Environment) -> None:
        self._scorer = EpisodeScorer(env)
        self.digest = "leaking"

    def __call__(self, task: Task, episode: EpisodeResult) -> Mapping[str, float]:
        renamed = any(call.arguments.get("field") == "event_name" for call in episode.calls)
        return {**self._scorer(task, episode), "leak": float(renamed)}


def context(suite: Suite, folder: Path, **settings: Any) -> CompileContext:
    made = make_context(
        suite, folder, teacher=lm(*VERBS), student=lm(), **{"constraints": NO_LEAK, **settings}
    )
    scorers = (Leaking(suite.env),)
    return replace(
        made, teacher=replace(made.teacher, scorers=scorers), student=replace(made.student, scorers=scorers)
    )


@pytest.fixture(scope="module")
def planted(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> TraceBank:
    """Trajectories of all three verbs that nobody has looked at for leaks."""
    return make_context(suite, tmp_path_factory.mktemp("bank"), teacher=lm(*VERBS), student=lm()).bank()


def intents(found: Compiled) -> set[str | None]:
    return {shown.intent for shown in found.demonstrations}


def leaks(found: Compiled) -> dict[str, float]:
    results = {trial.name: trial.result for trial in found.trials if trial.result}
    return {name: result.summary.scores["leak"].value for name, result in results.items()}


@pytest.mark.slow
@pytest.mark.parametrize("search", [Race, Bootstrap])
def test_a_search_space_with_leaking_demonstrations_ends_without_them(
    suite: Suite, tmp_path: Path, planted: TraceBank, search: type[Optimizer]
) -> None:
    settings = {"demos": 2, "candidates": 12, "selection": "random", "alpha": 0.4, "margin": 0.0}
    made = replace(context(suite, tmp_path, **settings), prebuilt_bank=planted)
    found = within_constraints(made, search().search(made))

    leaked = {name for name, value in leaks(found).items() if value}
    assert leaked, "nothing was planted among the candidates"
    assert found.chosen not in leaked | {INCUMBENT}
    assert "Rename" not in intents(found)
    assert {trial.name for trial in found.trials if trial.broken} == leaked
    assert not leaked & set(pareto_front(found.trials))


def test_who_leaks_in_a_race_leaves_at_once(suite: Suite, tmp_path: Path, planted: TraceBank) -> None:
    made = context(suite, tmp_path, demos=12, candidates=1, selection="covering")
    found = Race().search(replace(made, prebuilt_bank=planted))

    races = {trial.name: trial.race for trial in found.trials if trial.race}
    out = next(told for name, told in races.items() if name != INCUMBENT)
    assert (out["left"], found.chosen) == ("cannot keep leak<=0", INCUMBENT)


def test_what_leaks_by_its_own_score_never_gets_into_a_bank(suite: Suite, tmp_path: Path) -> None:
    made = context(suite, tmp_path)
    bank = made.bank()
    assert {shown.intent for shown in bank.demonstrations} == {"Cancel", "Shift"}
    assert count_reasons(bank.gaps)[BREAKING] == 4


@pytest.mark.parametrize("name", ["dspy:BootstrapFewShot", "dspy:BootstrapFewShotWithRandomSearch"])
def test_dspys_optimizers_are_shown_that_a_leak_is_no_success(
    suite: Suite, tmp_path: Path, name: str
) -> None:
    made = context(suite, tmp_path, demos=8, candidates=1)
    found = within_constraints(made, optimizer(name).search(made))

    assert intents(found) == {"Cancel", "Shift"}
    assert leaks(found)[str(found.chosen)] == 0


def test_what_breaks_a_constraint_gives_way_to_the_best_that_does_not(
    suite: Suite, tmp_path: Path, planted: TraceBank
) -> None:
    made = replace(context(suite, tmp_path, demos=12, accept="best"), prebuilt_bank=planted)
    knn = optimizer("knn").search(made)
    found = within_constraints(made, knn)

    assert leaks(found)[str(knn.chosen)] > 0
    assert (found.chosen, found.demonstrations) == (INCUMBENT, ())
    assert [trial.name for trial in found.trials] == [knn.chosen, INCUMBENT]


def test_where_nothing_keeps_the_constraints_there_is_no_program(suite: Suite, tmp_path: Path) -> None:
    made = context(suite, tmp_path, constraints=constraints(["model_calls<=0.5"]), candidates=1)
    with pytest.raises(ConstraintsBrokenError, match=r"model_calls<=0\.5"):
        within_constraints(made, Bootstrap().search(made))


def test_a_constraint_about_nothing_is_refused(suite: Suite, tmp_path: Path) -> None:
    made = context(suite, tmp_path, constraints=constraints(["joy>=1"]))
    with pytest.raises(InputError, match="no episode has a score 'joy'"):
        within_constraints(made, optimizer("none").search(made))


class Fixed:
    """Bounds that are known beforehand."""

    def __init__(self, *out: str) -> None:
        self._out = out

    def lost(self, name: str) -> str:
        return "a bound" if name in self._out else ""

    def kept(self, name: str) -> bool:
        return name not in self._out


def test_nobody_has_to_beat_an_incumbent_that_is_out() -> None:
    chances = {INCUMBENT: 1.0, "good": 1.0, "bad": 0.0, "leaky": 1.0}

    def run(wanted: Mapping[str, range]) -> dict[str, list[float | None]]:
        return {name: [chances[name]] * len(places) for name, places in wanted.items()}

    found = race([["bad", "leaky", "good"]], [1] * 40, run, Rules(), bounds=Fixed(INCUMBENT, "leaky"))
    assert found.winner == "good"
    assert found.arms["leaky"].left == "cannot keep a bound"
    assert found.report(INCUMBENT)["verdict"] == "cannot keep a bound, good can"
    for sealed in (0, 28):
        rounds = [["leaky"], ["bad"]] if sealed else [["leaky"]]
        nobody = race(rounds, [1] * 40, run, Rules(), sealed=sealed, bounds=Fixed(*chances))
        assert nobody.winner == INCUMBENT
