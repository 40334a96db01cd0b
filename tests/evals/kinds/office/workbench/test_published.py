"""The published runs get the verdicts that the original gave them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.evals.kinds.office.workbench.files import ORIGINAL, needs_original
from worksmith.evals.kinds.office.records import Records
from worksmith.evals.kinds.office.workbench.tasks import read_tasks
from worksmith.evals.running.score_predictions import score_predictions
from worksmith.evals.running.score_tables import ScoreReport, score_tables
from worksmith.evals.scoring.outcomes import GroundTruth, OutcomeScorer
from worksmith.evals.suite import Suite, write_suite
from worksmith.evals.task_kind import scorers_for
from worksmith.tools.kinds.office.importing import NOW, ORIGIN, import_tables
from worksmith.tools.kinds.office.policy import SAM
from worksmith.tools.kinds.office.schema import TABLES
from worksmith.tools.world import write_world

pytestmark = needs_original


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    tables = import_tables(ORIGINAL)
    world = write_world(
        tmp_path_factory.mktemp("suite"), TABLES, tables, kind="office", origin=ORIGIN, now=NOW, persona=SAM
    )
    return write_suite(world, read_tasks(ORIGINAL, Records.of_tables(NOW, tables)))


@pytest.fixture(scope="module")
def report(suite: Suite) -> ScoreReport:
    return score_tables(suite, [ORIGINAL / "results"])


def test_all_verdicts_agree(report: ScoreReport) -> None:
    lines = (ORIGINAL / "reference_verdicts.jsonl").read_text().splitlines()
    verdicts = {(v["mode"], v["domain"], v["query"]): v for v in map(json.loads, lines)}
    names = ("correct", "unwanted_side_effects", "exact_match")

    differing = []
    for row in (row.to_json() for row in report.rows):
        expected = verdicts.pop((row["run"].split()[-1], row["domain"], row["query"]))
        if any(row[name] != expected[name] for name in names):
            differing.append((row["file"], row["row"]))

    assert differing == []
    assert verdicts == {}


def test_expected_actions_do_what_the_original_says(suite: Suite) -> None:
    scorer = OutcomeScorer(suite.env)
    by_query = {task.query: task for task in suite.tasks}

    for line in (ORIGINAL / "expected_outcomes.jsonl").read_text().splitlines():
        entry = json.loads(line)
        (outcome,) = scorer.expectation(by_query[entry["task"]]).outcomes
        changes = outcome.changes
        assert {change.table for change in changes} == set(entry["delta"]), entry["task"]


def test_what_doing_nothing_scores(report: ScoreReport) -> None:
    nothing = report.summary["baselines"]["do_nothing"]

    assert nothing["unwanted_side_effects"]["value"] == 0
    assert round(nothing["accuracy"]["value"] * nothing["n"]) == 66


def test_mended_answers_change_the_scores_as_reported_upstream(suite: Suite, report: ScoreReport) -> None:
    """Accepting both ends of open plots lifts GPT-4 by four to six points; other corrections are few."""
    corrected = score_tables(suite, [ORIGINAL / "results"], ground_truth="corrected")

    for run, group in report.summary["by_run"].items():
        lift = corrected.summary["by_run"][run]["accuracy"]["value"] - group["accuracy"]["value"]
        assert 0.03 < lift < 0.07


def test_a_corrected_answer_is_right_under_its_own_ground_truth(suite: Suite, tmp_path: Path) -> None:
    tasks = [task for task in suite.tasks if task.corrected is not None]
    path = tmp_path / "right.jsonl"
    lines = [
        {
            "task_id": task.id,
            "actions": [{"name": each.tool, "arguments": each.arguments} for each in task.corrected or ()],
        }
        for task in tasks
    ]
    path.write_text("\n".join(map(json.dumps, lines)))

    def verdicts(ground_truth: GroundTruth) -> set[float]:
        scorers = scorers_for(suite.env, ground_truth)
        return {each.scores["outcome"] for each in score_predictions(suite, path, scorers=scorers).records}

    assert verdicts("corrected") == {1.0}
    assert verdicts("published") == {0.0}
