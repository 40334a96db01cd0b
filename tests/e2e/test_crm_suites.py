"""CRM suites through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import invoke
from worksmith.evals.suite import Suite


def said(*words: object) -> dict[str, object]:
    result = invoke("suite", *words, "--json")
    assert result.exit_code == 0, result.output
    facts: dict[str, object] = json.loads(result.stdout.splitlines()[-1])
    return facts


@pytest.mark.slow
def test_a_suite_says_by_which_rules_its_answers_were_found(crm: Path, here: Path) -> None:
    clean = said("info", crm)
    faithful = said("build", "crm", "--scale", 0.02, "--mode", "faithful", "--out", here / "faithful")

    assert (clean["mode"], faithful["mode"]) == ("clean", "faithful")
    assert clean["digest"] != faithful["digest"]
    assert said("info", here / "faithful")["mode"] == "faithful"
    assert clean["intents"] == 9
    counts = [clean[name] for name in ("task_types", "personas")]
    assert [sum(each.values()) for each in counts if isinstance(each, dict)] == [clean["tasks"]] * 2
    assert isinstance(clean["without_answer"], int)
    assert clean["without_answer"] > 0
    assert {"persona", "no_action_tasks"}.isdisjoint(clean)
    assert "search_Case" not in str(clean["rows"])


@pytest.mark.slow
def test_gold_plans_answer_every_task_with_either_toolset(crm: Path, here: Path) -> None:
    for toolset in ("functions", "query"):
        result = invoke(
            *("eval", crm, "--strategy", "gold", "--lm", "gold", "--toolset", toolset),
            *("--split", "all", "--no-track", "--json"),
        )
        assert result.exit_code == 0, result.output
        rows = json.loads(result.stdout.splitlines()[-1])["rows"]
        assert len(rows) == len(Suite.open(crm).tasks)
        assert [row["task_id"] for row in rows if not row["correct"] or not row["supported"]] == []


def test_a_dry_run_says_how_many_tasks_it_would_be(here: Path) -> None:
    result = invoke("suite", "build", "crm", "--dry-run", "--json", "--out", here / "crm")

    assert json.loads(result.stdout)["tasks"] == 9 * 220
    assert not (here / "crm").exists()


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        ("office", ["--mode", "clean"], "office suites have no use for it"),
        ("enterprise", ["--mode", "faithful"], "enterprise suites have no use for it"),
        ("crm", ["--index", "minilm"], "it is for enterprise"),
        ("crm", ["--per-intent", "3"], "it is for office"),
        ("crm", ["--writer", "openai/gpt-4o-mini"], "it is for enterprise"),
        ("crm", ["--mode", "sloppy"], "there are clean, faithful"),
    ],
)
def test_options_of_other_kinds_are_refused(here: Path, kind: str, options: list[str], said: str) -> None:
    result = invoke("suite", "build", kind, "--out", here / "suite", *options)

    assert result.exit_code != 0
    assert said in str(result.exception) + result.output
    assert not (here / "suite").exists()
