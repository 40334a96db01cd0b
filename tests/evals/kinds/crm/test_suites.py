"""What a generated CRM suite consists of, on disk and in number."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.evals.kinds.crm.orgs import FULL, full_suite
from tests.evals.plan_schemas import misfits
from worksmith.evals.authoring.suite_building import build_suite
from worksmith.evals.kinds.crm.families.registry import FAMILIES, held_out_split
from worksmith.evals.kinds.crm.suites import CrmOptions, build_world, forecast_crm
from worksmith.evals.tasks.task import Task
from worksmith.tools.environment import Environment
from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.crm.access.roles import packaged_policy
from worksmith.tools.kinds.crm.settings import read_settings

FEW_ANSWERS = {
    "top_issue_identification": 26,
    "monthly_trend_analysis": 26,
    "policy_violation_identification": 13,
    "case_routing": 13,
}
"""How often an answer may come: about ten issues, months and policies are all there is; and as published, an
issue has one best agent."""


def test_settings_roles_and_truths_lie_beside_the_world(tmp_path: Path) -> None:
    world, built = build_world(tmp_path, 7, 0.05, "faithful")

    assert read_settings(tmp_path).mode == "faithful"
    assert (tmp_path / "policy.json").read_text() == packaged_policy()
    lines = (tmp_path / "latent.jsonl").read_text().splitlines()
    assert [Latent.from_json(line) for line in lines] == built.latents
    assert world.manifest.counts["search_Case"] == world.manifest.counts["Case"] == len(built.rows["Case"])
    assert Environment(world, sandboxes=1).persona("service_manager") == world.manifest.persona


def test_the_forecast_counts_all_tasks() -> None:
    assert forecast_crm(CrmOptions()) == {"tasks": 9 * 220, "model_calls_at_most": 0}
    assert forecast_crm(CrmOptions(scale=0.05))["tasks"] == 9 * 27


def test_whole_families_can_be_held_out() -> None:
    splits = Counter((family.persona, held_out_split(family.name)) for family in FAMILIES)

    assert [splits[role, "test"] for role in ("service_agent", "service_analyst", "service_manager")] == [
        1
    ] * 3
    assert sum(count for (_, split), count in splits.items() if split == "train") == 5


@pytest.mark.slow
def test_tasks_do_not_depend_on_the_order_of_sets(tmp_path: Path) -> None:
    """As PYTHONHASHSEED decides it."""
    code = (
        "import sys, pathlib\n"
        "from worksmith.evals.authoring.suite_building import build_suite\n"
        "suite = build_suite('crm', pathlib.Path(sys.argv[1]), scale=0.02)\n"
        "print(suite.digest)\n"
    )
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    other = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "other")],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )

    ours = build_suite("crm", tmp_path / "ours", scale=0.02)

    assert other.stdout.strip() == ours.digest


@pytest.mark.slow
def test_a_full_suite_has_as_many_questions_as_were_published() -> None:
    suite, unfilled = full_suite()

    assert suite.counts() == {split: 9 * count for split, count in FULL.by_split().items()}
    assert unfilled == {}
    assert len({task.query for task in suite.tasks}) == len(suite.tasks)
    assert misfits(suite.env.kind, suite.tasks) == []
    for family in FAMILIES:
        test = [task for task in suite.select(split="test") if task.intent == family.name]
        nones = [task for task in test if task.answer and task.answer.kind == "none"]
        assert len(test) == 130
        assert len(nones) == round(130 * family.nones("clean"))
        top = Counter(_answer(task) for task in test if task not in nones).most_common(1)[0][1]
        assert top <= FEW_ANSWERS.get(family.name, 10)


def test_as_many_questions_have_no_answer_as_were_published() -> None:
    published = {"handle_time", "transfer_count", "named_entity_disambiguation"}
    published |= {"policy_violation_identification", "top_issue_identification"}
    for family in FAMILIES:
        assert family.nones("faithful") == (0.3 if family.name in published else 0)
        if family.name != "case_routing":
            assert family.nones("clean") > 0


def _answer(task: Task) -> str:
    assert task.answer is not None
    return task.answer.text
