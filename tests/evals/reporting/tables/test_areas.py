"""Tables where tasks have areas and a policy denies: nothing averaged away, every rate with its count."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.evals.episodes import make_record, make_result, solved
from worksmith.evals.records.entries import CallEntry
from worksmith.evals.records.record import EpisodeRecord, TaskLabels
from worksmith.evals.records.summary import summarize
from worksmith.evals.reporting.report import console_grids, evaluation_report, study_report
from worksmith.evals.reporting.tables.areas import area_grids, checker_grid
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.study import Study, StudyArm, run_study
from worksmith.evals.tracking.figures import summary_metrics


def record(number: int, right: bool, **changes: Any) -> EpisodeRecord:
    """Of twelve tasks: nine in Sales, three in HR; every third hard; two to be denied."""
    denied = number >= 10
    scores = {"outcome": float(right), "leak" if denied else "over_refusal": 0.0}
    facets = {
        "area": "HR" if number % 4 == 3 else "Sales",
        "type": "unanswerable" if denied else "search",
        "difficulty": "hard" if number % 3 == 0 else "easy",
    }
    fields = {"labels": TaskLabels(facets=facets, field=facets["area"]), "scores": scores}
    return make_record(number, **{**fields, **changes})


def arm(right: set[int], **changes: Any) -> EvalResult:
    return make_result([record(number, number in right) for number in range(12)], **changes)


@pytest.fixture
def study() -> Study:
    results = {
        "react": arm({0, 1, 2, 3, 4, 5}),
        "react + knn": arm(set(range(12))),
        "plan": arm({3, 7, 11}, model="local/x"),
        "always_refuse": arm({10, 11}),
    }
    arms = [
        StudyArm("react", strategy="react"),
        StudyArm("react + knn", strategy="react", optimizer="knn"),
        StudyArm("plan", strategy="plan"),
        StudyArm("always_refuse", strategy="always_refuse", baseline=True),
    ]
    return run_study(arms, lambda arm: results[arm.label])


def cells(text: str, label: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.startswith(f"| {label} |"))
    return [cell.strip() for cell in line.strip("|").split("|")[1:]]


def shares(text: str, label: str) -> list[str]:
    """The cells of a row without their intervals."""
    return [cell.split(" ")[0] for cell in cells(text, label)]


def test_areas_count_the_same_and_tasks_count_the_same(study: Study) -> None:
    # HR 1 of 3, Sales 5 of 9.
    assert study.rows[0].summary.macro.value == pytest.approx((1 / 3 + 5 / 9) / 2)
    text = area_grids(study)[0].markdown()

    assert "| model | react | plan |" in text
    assert shares(text, "openai/x") == ["44.4", "-"]
    assert shares(text, "openai/x + knn") == ["100.0", "-"]
    assert shares(text, "local/x") == ["-", "50.0"]
    assert all("[" in cell or cell == "-" for cell in cells(text, "local/x"))
    assert "always_refuse" not in text


def test_models_go_by_the_names_that_were_asked_for(study: Study) -> None:
    rows = [replace(row, arm=replace(row.arm, model="gold")) for row in study.rows]
    text = area_grids(Study(tuple(rows)))[0].markdown()

    assert shares(text, "gold + knn") == ["100.0", "-"]
    assert "openai/x" not in text


def test_episodes_to_read_stand_under_their_arm(study: Study) -> None:
    page = study_report(study).html()

    verdicts = set(re.findall(r'data-arm="(.*?)" data-verdict="(.*?)"', page))
    assert {verdict for arm, verdict in verdicts if arm == "react + knn"} == {"right"}
    assert ("always_refuse", "wrong") in verdicts
    assert page.count('data-arm="plan" data-verdict="wrong"') == 9


def test_the_rates_stand_in_the_same_layout(study: Study) -> None:
    assert cells(area_grids(study)[1].markdown(), "openai/x") == ["0.0 (0/2) / 0.0 (0/10)", "-"]


def test_areas_and_types_cross(study: Study) -> None:
    text = area_grids(study)[2].markdown()

    assert cells(text, "HR, unanswerable") == ["0.0 (0/1)", "100.0 (1/1)", "100.0 (1/1)", "100.0 (1/1)", "1"]
    assert cells(text, "all: leaks")[0] == "0.0 (0/2)"


def test_offices_have_no_such_tables() -> None:
    study = run_study([StudyArm("a"), StudyArm("b")], lambda arm: solved([1], of=4))

    assert area_grids(study) == ()
    assert len(console_grids(study)) == 1
    assert "leaks" not in study_report(study).markdown()
    assert "rates" not in study.rows[0].summary.to_json()


def test_a_leak_is_a_count_of_its_own_everywhere() -> None:
    leaky = {"outcome": 1.0, "leak": 1.0}
    result = make_result([record(n, True, **({"scores": leaky} if n == 11 else {})) for n in range(12)])
    summary = summarize(result.records)
    report = evaluation_report(result)

    assert (summary.rates["leak"].count, summary.rates["leak"].of) == (1, 2)
    assert summary.scores["outcome"].value == 1
    assert "| leak | 50.0 [" in report.markdown()
    assert "| react | 50.0 (1/2) | 0.0 (0/10) |" in report.markdown()
    assert ">50.0 (1/2)</td>" in report.html()
    metrics = summary_metrics(summary)
    assert (metrics["leak"], metrics["leak_count"], metrics["leak_of"]) == (0.5, 1, 2)
    assert metrics["over_refusal_of"] == 10
    assert json.loads(json.dumps(summary.to_json()))["rates"]["leak"]["count"] == 1
    arms = [StudyArm("a"), StudyArm("b")]
    study = run_study(arms, lambda arm: result)
    assert cells(study_report(study).markdown(), "a")[2:4] == ["50.0 (1/2)", "0.0 (0/10)"]


def test_the_check_is_shown_with_its_counts() -> None:
    def call(opinion: str, allowed: bool) -> CallEntry:
        return CallEntry(tool="t", arguments={}, status="ok", allowed=allowed, rule="R1", opinion=opinion)

    calls = (
        call("Denied", False),
        call("Denied", True),
        call("Allowed", False),
        call("Allowed", True),
        call("unreadable", True),
        call("", True),
    )
    grid = checker_grid([record(1, True, calls=calls)])

    assert grid is not None
    text = grid.markdown()
    assert cells(text, "refusals that the policy shares") == ["50.0", "1/2"]
    assert cells(text, "denials foreseen") == ["50.0", "1/2"]
    assert cells(text, "allowed calls refused") == ["50.0", "1/2"]
    assert "Of 5 calls checked 1 verdicts could not be read." in text
    assert checker_grid([record(1, True)]) is None
