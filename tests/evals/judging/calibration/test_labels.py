from __future__ import annotations

from pathlib import Path

import pytest

from tests.evals.help_desk import SEARCH
from worksmith.evals.judging.calibration.labels import (
    Label,
    case_of,
    pairs_of,
    read_labels,
    write_labels,
)
from worksmith.evals.judging.local import LocalRubric
from worksmith.evals.judging.rubric import default_rubrics
from worksmith.tools.errors import InputError

RIGHT = Label(request="Who?", facts=("Cy Hart",), response="It is Cy Hart.", level=5)
WRONG = Label(request="Who?", facts=("Cy Hart",), response="It is Bo Ek.", level=1)


def test_labels_come_back_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    write_labels(file, [RIGHT, Label(task=SEARCH, response="Cy Hart", level=3, fault="omission")])
    first, second = read_labels(file)
    assert (first.level, first.record.answer) == (5, "It is Cy Hart.")
    assert (second.task, second.level, second.fault) == (SEARCH, 3, "omission")


def test_labels_can_be_judged_without_a_suite() -> None:
    judge = LocalRubric()
    levels = [judge(case.task, case.record).level for case in map(case_of, (RIGHT, WRONG))]
    assert levels == [5, 1]


def test_a_label_says_by_which_rubric() -> None:
    case = case_of(RIGHT.model_copy(update={"rubric": "search"}))
    assert default_rubrics().for_task(case.task).name == "search"
    assert default_rubrics().for_task(case_of(RIGHT).task).name == "question"


def test_cases_of_one_request_are_pairs_with_the_better_one_first() -> None:
    other = Label(request="What?", response="That.", level=2)
    right, wrong, alone = (case_of(label) for label in (RIGHT, WRONG, other))
    assert pairs_of([wrong, alone, right]) == [(right, wrong)]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"response": "x", "level": 3}', "does not say what was asked"),
        ('{"request": "Who?", "response": "x", "level": 6}', "level"),
        ('{"request": "Who?", "level": 3}', "response"),
        ('{"request": "Who?", "response": "x", "level": 3, "grade": 1}', "grade"),
        ("nonsense", "not a label"),
    ],
)
def test_what_is_wrong_with_a_label_is_said_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text(f"{RIGHT.model_dump_json(exclude_defaults=True)}\n{line}\n")
    with pytest.raises(InputError, match=said) as raised:
        read_labels(file)
    assert raised.value.where == f"{file}:2"


def test_no_labels_at_all_is_said(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")
    for name in ("empty.jsonl", "none.jsonl"):
        with pytest.raises(InputError):
            read_labels(tmp_path / name)
