"""Tables of CRM questions: as published, of those without an answer, of attempts, of what tools are worth."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from tests.evals.episodes import make_record, make_result, solved
from worksmith.evals.kinds.crm.by_type import metrics
from worksmith.evals.kinds.crm.task_types import TASK_TYPES
from worksmith.evals.records.record import EpisodeRecord, TaskLabels
from worksmith.evals.reporting.report import console_grids, evaluation_report, study_report
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.study import Study, StudyArm, run_study
from worksmith.evals.table import Grid
from worksmith.evals.task_kind import kind_of

CODES = ["NCR", "HTU", "TCU", "NED", "PVI", "KQA", "TII", "MTA", "BRI"]
OF_A_TYPE = 4


def record(number: int, right: bool, trial: int = 0, **changes: Any) -> EpisodeRecord:
    """Four questions of each type; of handle times the first has no answer."""
    intent = list(TASK_TYPES)[number // OF_A_TYPE]
    empty = intent == "handle_time" and number % OF_A_TYPE == 0
    reward = float(right) if intent != "knowledge_qa" else 0.25 + right / 2
    scores = {
        "outcome": float(right),
        "reward": reward,
        "supported": 1.0,
        "unwanted_side_effects": 0.0,
        "unanswerable" if empty else "false_none": float(right if empty else not right),
    }
    labels = TaskLabels(kind="crm", field=intent, closed_intents=True)
    return make_record(
        number, trial=trial, **{"intent": intent, "scores": scores, "labels": labels, **changes}
    )


def arm(right: set[int], *, trials: int = 1, **changes: Any) -> EvalResult:
    records = [
        record(number, number + 100 * trial in right, trial)
        for number in range(OF_A_TYPE * len(TASK_TYPES))
        for trial in range(trials)
    ]
    return make_result(records, trials=trials, **changes)


def study_of(*arms: tuple[StudyArm, EvalResult]) -> Study:
    results = {each.label: result for each, result in arms}
    return run_study([each for each, _ in arms], lambda each: results[each.label])


@pytest.fixture
def study() -> Study:
    return study_of(
        (StudyArm("react", strategy="react"), arm(set(range(8)))),
        (StudyArm("always_none", strategy="always_none", baseline=True), arm({4})),
        (StudyArm("function_calling", strategy="function_calling"), arm(set(range(36)))),
        (StudyArm("react without counting", strategy="react", without="counting"), arm(set(range(2)))),
    )


def grid(study: Study, title: str) -> Grid:
    return next(each for each in console_grids(study) if each.title.startswith(title))


def row(found: Grid, label: str) -> list[str]:
    return list(next(cells for cells in found.rows if cells[0] == label)[1:])


def test_the_layout_is_the_published_one(study: Study) -> None:
    found = grid(study, "Reward by task type")

    assert list(found.headings) == ["program", *CODES, "ALL"]
    assert [cells[0] for cells in found.rows] == ["react", "less counting", "function_calling", "always_none"]
    # Of KQA a quarter is for nothing: the mean of nine means is (100 + 100 + 25) / 9.
    assert row(found, "react") == ["100.0", "100.0", "0.0", "0.0", "0.0", "25.0", "0.0", "0.0", "0.0", "25.0"]
    assert row(found, "function_calling")[5] == "75.0"
    assert "KQA knowledge qa" in found.markdown()


def test_all_is_the_mean_of_the_types_whatever_their_size() -> None:
    records = [record(number, number < 4) for number in range(6)]  # NCR 4 of 4, HTU 0 of 2
    found = grid(study_of((StudyArm("a"), make_result(records))), "Reward")

    assert list(found.headings) == ["program", "NCR", "HTU", "ALL"]
    assert row(found, "a") == ["100.0", "0.0", "50.0"]


def test_the_outcome_has_an_interval(study: Study) -> None:
    found = grid(study, "Outcome by task type")

    assert row(found, "react")[9].startswith("22.2 [")
    assert row(found, "function_calling")[9].startswith("100.0 [")
    low = float(row(found, "function_calling")[9].partition("[")[2].partition(",")[0])
    assert 75 < low < 95
    assert row(found, "react")[10] == "100.0"


def test_questions_without_an_answer_stand_alone(study: Study) -> None:
    found = grid(study, "Questions without an answer")

    assert list(found.headings) == ["program", "HTU", "all", "wrong None"]
    assert row(found, "always_none")[0] == "100.0"
    assert row(found, "less counting")[:2] == ["0.0", "0.0 [0.0, 79.3]"]
    assert row(found, "react")[2].startswith("80.0 [")
    assert "1 of 36 questions" in found.notes[0]


def test_where_everything_has_an_answer_there_is_no_such_table() -> None:
    found = console_grids(
        study_of((StudyArm("a"), make_result([record(number, True) for number in range(4)])))
    )

    assert not [each for each in found if each.title.startswith("Questions")]


def test_attempts_leave_out_what_is_not_yes_or_no() -> None:
    # NCR: all, one of two, none, none; KQA: nothing.
    records = [
        record(number, right, trial)
        for number, attempts in {0: (1, 1), 1: (1, 0), 2: (0, 0), 3: (0, 0), 20: (0, 0)}.items()
        for trial, right in enumerate(map(bool, attempts))
    ]
    result = make_result(records, trials=2)
    study = study_of((StudyArm("a"), result), (StudyArm("oracle", baseline=True), result))
    every, some = grid(study, "pass^k"), grid(study, "pass@k")

    assert list(every.headings) == ["program", "k=1", "k=2"]
    assert [cells[0] for cells in every.rows] == ["a"]
    assert [cell.split()[0] for cell in row(every, "a")] == ["37.5", "25.0"]
    assert [cell.split()[0] for cell in row(some, "a")] == ["37.5", "50.0"]
    shown = evaluation_report(result).markdown()
    assert "| 2 | 25.0 [" in shown
    assert "All task types but knowledge_qa." in shown


def test_turns_are_those_of_right_episodes() -> None:
    records = [record(number, number < 4, model_calls=turns) for number, turns in enumerate((2, 3, 8, 30, 5))]
    found = grid(study_of((StudyArm("react"), make_result(records))), "Turns")

    assert row(found, "react") == ["25.0", "25.0", "0.0", "25.0", "0.0", "0.0", "25.0", "5.5", "4"]


def test_one_attempt_has_no_such_table(study: Study) -> None:
    assert not [each for each in console_grids(study) if each.title.startswith("pass")]


def test_what_tools_are_worth_is_told_beside_the_same_program(study: Study) -> None:
    found = grid(study, "Outcome without a category")

    assert list(found.headings) == ["program", "with, %", "without, %", "points", "reward, points"]
    assert len(found.rows) == 1
    cells = row(found, "react without counting")
    assert [cell.split()[0] for cell in cells] == ["22.2", "5.6", "-16.7", "-16.7"]
    assert study.winner is not None
    assert study.winner.arm.label == "function_calling"


def test_a_program_without_tools_is_no_candidate() -> None:
    better = study_of(
        (StudyArm("react", strategy="react"), arm(set(range(20)))),
        (StudyArm("act", strategy="act"), arm(set(range(2)))),
        (StudyArm("react without counting", strategy="react", without="counting"), arm(set(range(36)))),
    )

    assert better.winner is not None
    assert better.winner.arm.label == "react"


def test_an_evaluation_shows_every_type() -> None:
    text = evaluation_report(arm({0, 1})).markdown()

    assert "| case_routing | 50.0 | 50.0 [15.0, 85.0] | 100.0 | 0.0 | 4 |" in text
    assert "| knowledge_qa | 25.0 | 0.0 [" in text
    assert "By domain" not in text
    assert "| ALL | 8.3 | 5.6 [" in text


def test_everything_stands_in_the_report_and_in_its_data(study: Study) -> None:
    page = study_report(study).html()
    data = json.loads(json.dumps(study.to_json()))["rows"][3]

    assert "Reward by task type" in page
    assert "Outcome without a category" in page
    assert data["without"] == "counting"
    assert data["reward_by_task_type"]["case_routing"]["value"] == 0.5
    assert data["outcome_by_task_type"]["all"]["n"] == 36


def test_figures_by_type_are_tracked() -> None:
    figures = metrics(arm({0, 1, 100}, trials=2).as_program())

    assert figures["reward/case_routing"] == 3 / 8
    assert figures["outcome/all_low"] <= figures["outcome/all"] == pytest.approx(3 / 72)
    assert figures["pass_hat_2/without_knowledge_qa"] == pytest.approx(1 / 32)
    assert figures["pass_at_2/without_knowledge_qa"] == pytest.approx(2 / 32)


def test_other_questions_have_none_of_it() -> None:
    study = study_of((StudyArm("a"), solved([1], of=4)), (StudyArm("b"), solved([2], of=4)))

    assert len(console_grids(study)) == 1
    assert kind_of(study.rows[0].result.records).report().metrics(study.rows[0].result.as_program()) == {}
    assert "reward_by_task_type" not in study.to_json()["rows"][0]


@pytest.mark.parametrize("width", [80, 120])
def test_every_table_fits_a_terminal(study: Study, width: int) -> None:
    console = Console(width=width, record=True, file=StringIO())
    for each in console_grids(study):
        console.print(each.rich())
    lines = console.export_text().splitlines()

    assert max(map(len, lines)) <= width
    assert any("100.0" in line for line in lines)


def test_lost_episodes_are_no_wrong_answers() -> None:
    records = [record(number, True) for number in range(4)]
    records.append(record(4, True, status="model_error", scores={}))
    text = evaluation_report(make_result(records)).markdown()

    assert "| handle_time | - | - | - | 100.0 | 1 |" in text
    assert "| ALL | 100.0 |" in text
