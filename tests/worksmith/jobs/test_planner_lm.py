"""A model of its own for the planner, from the command line: runs, compiles, comparisons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import standin
from tests.worksmith.commands import printed, shown
from worksmith.evals.records.logs.log import read_log
from worksmith.evals.records.run_card import CARD, beside, read_card
from worksmith.evals.suite import Suite
from worksmith.jobs.opening.programs import load_program
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.optimizers.compiling.journal import journal_beside, read_description
from worksmith.tools.errors import InputError

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("here")]


def test_the_log_and_the_card_of_an_evaluation_know_both_models(suite: Suite, here: Path) -> None:
    arguments = ("eval", suite.path, "--strategy", "plan", "--lm", "gold", "--limit", 2, "--no-track")
    log = here / "log.jsonl"
    shown(*arguments, "--planner-lm", standin.NAME, "--log", log)

    card = read_card(beside(log, CARD))
    assert card.settings["planner_lm"] == standin.NAME
    assert card.rerun == ()  # a card of a stranger could name a stranger's code
    assert {(ask.part, ask.model.partition("@")[0]) for each in read_log(log) for ask in each.asks} == {
        ("plan", "local/standin"),
        ("select", ""),
    }


def test_both_models_are_recorded_each_in_a_file(suite: Suite, here: Path) -> None:
    arguments = ("eval", suite.path, "--strategy", "plan", "--limit", 2, "--no-track", "--json")
    first = shown(*arguments, "--lm", "gold", "--planner-lm", standin.NAME, "--record", "calls.jsonl")
    again = shown(*arguments, "--lm", "replay:calls.jsonl", "--planner-lm", "replay:calls.planner.jsonl")

    for said in (first, again):
        assert [row["correct"] for row in json.loads(said)["rows"]] == [True, True]


def test_a_compile_for_a_planner_is_verified_and_its_program_takes_another(suite: Suite, here: Path) -> None:
    small = ("--train-limit", 3, "--dev-limit", 3, "--demos", 2, "--candidates", 1, "--no-track")
    options = ("--strategy", "plan", "--planner-lm", "gold", "--accept", "best", *small)
    shown("compile", suite.path, *options, "--out", here / "p.json")

    assert printed("verify", here / "p.json", "--lm", standin.NAME)["identical"]
    manifest = Artifact.read(here / "p.json").manifest
    assert manifest.models["planner"].startswith("scripted/gold")
    described = read_description(journal_beside(here / "p.json")).fingerprint
    assert described["models"]["planner"]["name"] == "gold"
    assert load_program(here / "p.json", suite.env).planner_lm is None
    evaluated = ("eval", suite.path, "--program", here / "p.json", "--planner-lm", "gold", "--limit", 2)
    assert printed(*evaluated, "--no-track")["planner_lm"] == "gold"


def test_planners_are_compared_with_one_executor(suite: Suite, here: Path) -> None:
    options = ("--strategies", "cot,plan", "--optimizers", "none", "--lm", "gold", "--limit", 2, "--no-track")
    planners = ("--planner-lm", f"{standin.NAME},gold")
    said = shown("compare", suite.path, *options, *planners, "--verbose")
    found = printed("compare", suite.path, *options, *planners)

    rows = [row for row in found["rows"] if not row["baseline"]]
    assert [(row["label"], row.get("planner")) for row in rows] == [
        ("cot", None),
        (f"plan by {standin.NAME}", standin.NAME),
        ("plan by gold", "gold"),
    ]
    assert len({row["program"] for row in rows}) == 3
    table = said[said.index("Outcome by planner, gold executes") :].partition("The planner makes")[0]
    lines = [[cell.strip() for cell in line.split("│")] for line in table.splitlines() if "plan" in line]
    assert any(standin.NAME in " ".join(line) for line in lines)


@pytest.mark.parametrize(
    ("command", "more", "said"),
    [
        ("eval", ["--strategy", "react"], "no model plans in the strategy react"),
        ("compile", ["--strategy", "act", "--out", "p.json"], "no model plans in the strategy act"),
        ("compare", ["--strategies", "act,gold"], "none of the strategies has a model plan"),
        ("run", ["cancel-0", "--strategy", "act"], "no model plans|no task"),
    ],
)
def test_a_planner_for_a_strategy_without_one_is_refused(
    suite: Suite, command: str, more: list[Any], said: str
) -> None:
    task = [suite.tasks[0].id, *more[1:]] if command == "run" else more
    with pytest.raises(InputError, match=said):
        shown(command, suite.path, *task, "--planner-lm", "gold")
