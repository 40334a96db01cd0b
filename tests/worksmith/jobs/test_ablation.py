"""Programs without a category of tools, beside the same programs with all of theirs, on a small org."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.worksmith.commands import called
from worksmith.evals.kinds.crm.suites import build_world
from worksmith.evals.running.study import StudyArm
from worksmith.evals.suite import Suite, write_suite
from worksmith.evals.tasks.task import Answer, Entity, Split, Step, Task
from worksmith.jobs.opening.arms import without_category
from worksmith.jobs.opening.programs import load_program
from worksmith.jobs.settings.programs import CompareSettings
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.crm.access.policy import persona_of

CALCULATION, QUERY = "calculation-dependent", "query-independent"
ASSIGNED = (
    "SELECT NewValue__c, COUNT(Id) total FROM CaseHistory__c WHERE Field__c = 'Owner Assignment' AND "
    "CreatedDate >= {start} AND CreatedDate < {end} GROUP BY NewValue__c ORDER BY COUNT(Id) DESC LIMIT 1"
)
SPLITS: tuple[Split, ...] = ("train", "train", "train", "dev", "test", "test")


def question(number: int, env: Environment) -> Task:
    """Who got most cases in a half of a year; nobody in the years before the org."""
    year, half = 2019 + number // 2, number % 2
    start, end = f"{year}-0{1 + 6 * half}-01T00:00:00Z", f"{year + half}-0{7 - 6 * half}-01T00:00:00Z"
    period = {"start_date": start, "end_date": end}
    by_functions = (
        Step(tool="functions.get_agent_handled_cases_by_period", arguments=period, why="Count."),
        Step(tool="functions.find_id_with_max_value", arguments={"values_by_id": "#1"}, why="Choose."),
    )
    by_query = (
        Step(tool="query.soql", arguments={"query": ASSIGNED.format(start=start, end=end)}, why="Count."),
    )
    episode = env.episode(persona=persona_of("service_manager"))
    found = [episode.call(step.tool, dict(step.arguments)).value for step in by_functions][-1]
    best = found[0] if isinstance(found, list) and found else None
    answer = (
        Answer(kind="entities", required=(Entity(type="user_id", value=best),))
        if best
        else Answer(kind="none")
    )
    return Task(
        id=f"handled-{number}",
        query=f"From {start} to {end}: who got most cases?",
        domains=("functions",),
        persona=persona_of("service_manager"),
        now=datetime(2024, 6, 1),
        intent="handle_time",
        split=SPLITS[number % len(SPLITS)],
        gold_plan=by_functions,
        other_plans=(by_query,),
        answer=answer,
    )


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    world, _ = build_world(tmp_path_factory.mktemp("crm"), seed=7, scale=0.1)
    env = Environment(world)
    return write_suite(world, [question(number, env) for number in range(12)])


def run(suite: Suite, *arguments: object) -> Any:
    fixed = ("--lm", "gold", "--no-track", "--toolset", "functions", "--workers", "2")
    return called("compare", suite.path, *fixed, *arguments)


@pytest.mark.slow
def test_each_program_also_runs_without_each_category(suite: Suite, here: Path) -> None:
    chosen = ("--strategies", "react,function_calling", "--optimizers", "none")
    result = run(suite, *chosen, "--without-tools", CALCULATION, "--trials", 2, "--json")
    rows = {row["label"]: row for row in json.loads(result.stdout)["rows"]}

    assert list(rows) == [
        "react",
        f"react without {CALCULATION}",
        "function_calling",
        f"function_calling without {CALCULATION}",
        "always_none",
        "most_frequent",
        "keyword_only",
        "oracle",
    ]
    assert rows[f"react without {CALCULATION}"]["without"] == CALCULATION
    assert len({row["program"] for row in rows.values()}) == len(rows)
    assert rows["react"]["episodes"] == 2 * rows["react"]["tasks"] == 8
    # The query that stands in for two functions finds the same.
    assert rows["react"]["scores"]["supported"]["value"] == 1
    assert rows["react"]["means"]["steps"] == 2
    assert rows[f"react without {CALCULATION}"]["means"]["steps"] == 1


def test_the_difference_stands_beside_the_full_program(suite: Suite, here: Path) -> None:
    options = ("--strategies", "react", "--optimizers", "none", "--without-tools", CALCULATION)
    result = run(suite, *options, "--verbose")

    assert "Outcome without a category of functions" in result.stdout
    assert f"react without {CALCULATION}" in result.stdout


def test_a_compiled_program_that_does_without_is_loaded_as_one(suite: Suite, here: Path) -> None:
    run(suite, "--strategies", "react", "--optimizers", "bootstrap", "--without-tools", CALCULATION)
    file = next(here.glob("mlruns/logs/*/react-bootstrap-without-calculation-dependent/program.json"))
    agent = load_program(file, suite.env)

    assert agent.without == (CALCULATION,)
    assert Artifact.read(file).manifest.program["without"] == [CALCULATION]
    episode = suite.env.episode(["functions"], without=agent.without)
    assert "functions.get_cases" in episode.toolset
    assert "query.soql" in episode.toolset
    assert "functions.find_id_with_max_value" not in episode.toolset
    whole = next(here.glob("mlruns/logs/*/react-bootstrap/program.json"))
    assert Artifact.read(whole).manifest.program["without"] == []


def test_who_is_offered_no_function_has_nothing_to_do_without(suite: Suite) -> None:
    with pytest.raises(InputError, match="no program is offered any function"):
        run(suite, "--strategies", "react", "--without-tools", QUERY, "--toolset", "query", "--dry-run")


def test_tables_name_the_tools_that_stand_in() -> None:
    whole = StudyArm("react", "react", settings={"toolset": "functions"})
    assert without_category(QUERY, whole, ("query",)).settings == {"toolset": "functions+query"}
    both = replace(whole, settings={"toolset": "functions+query"})
    assert without_category(QUERY, both, ("query",)).settings == {"toolset": "functions+query"}
    assert without_category(QUERY, StudyArm("react", "react"), ("query",)).settings == {}


def test_an_option_that_names_nothing() -> None:
    with pytest.raises(InputError, match="no name is given"):
        CompareSettings(suite="x", without_tools=[" , "])


def test_a_category_that_is_not_there(suite: Suite) -> None:
    with pytest.raises(InputError, match=CALCULATION):
        run(suite, "--without-tools", "calculations", "--dry-run")


def test_the_plan_counts_all_programs_and_trials(suite: Suite) -> None:
    several = ("--without-tools", CALCULATION, "--without-tools", f"{QUERY}, {CALCULATION}")
    chosen = ("--strategies", "react", "--optimizers", "none", "--trials", 3)
    plan = json.loads(run(suite, *chosen, *several, "--dry-run", "--json").stdout)

    assert plan["arms"][:3] == ["react", f"react without {CALCULATION}", f"react without {QUERY}"]
    assert plan["episodes_at_most"]["test"] == 3 * 3 * plan["tasks"]


@pytest.mark.parametrize("given", ["plots, sums", ["plots", "sums"], ["plots, sums", "plots", " "]])
def test_categories_are_named_once(given: object) -> None:
    settings = CompareSettings.model_validate({"suite": "x", "without_tools": given})
    assert settings.without_tools == ("plots", "sums")
