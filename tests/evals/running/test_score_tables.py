"""Scoring result tables, from the library and from the command line."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.evals import small_office as office
from tests.evals.small_office import NOW, action, task
from tests.tables import each_row
from worksmith.cli.app import app
from worksmith.evals.kinds.office.baselines import calls_in_words
from worksmith.evals.running.score_tables import score_tables
from worksmith.evals.scoring.actions import format_action
from worksmith.evals.scoring.result_tables import TableRow, read_table, text_list
from worksmith.evals.suite import Suite
from worksmith.tools.errors import InputError

DELETED = 'calendar.delete_event.func(event_id="00000000")'
OTHER = 'calendar.delete_event.func(event_id="00000001")'
MAILED = 'email.send_email.func(recipient="ada@example.com", subject="Hi", body="x")'
PLOT_QUERY = "Please plot total visits since November 27 as a bar chart"

TASKS = [
    task(),
    task(action("calendar.delete_event", event_id="00000000"), number=1),
    task(
        action("calendar.delete_event", event_id="00000000"),
        action("calendar.delete_event", event_id="00000001"),
        number=2,
        domains=("calendar", "email"),
    ),
    task(
        action(
            "analytics.create_plot",
            time_min="2023-11-27",
            time_max="2023-11-29",
            value_to_plot="total_visits",
            plot_type="bar",
        ),
        number=3,
        query=PLOT_QUERY,
        domains=("analytics",),
    ),
]

Row = tuple[str, Sequence[str], str]


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return office.suite(tmp_path_factory.mktemp("suite"), *TASKS)


def write_csv(path: Path, *rows: Row) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["query", "function_calls", "full_response", "error"])
        writer.writerows(
            (query, repr(list(calls)), "{'output': 'many\nlines'}", error) for query, calls, error in rows
        )
    return path


def test_rows_and_summary(suite: Suite, tmp_path: Path) -> None:
    path = write_csv(
        tmp_path / "calendar" / "gpt-9_all_2024-03-21_14-57-26.csv",
        ("Do thing 0", [], ""),
        ("Do thing 1", ["calendar.search_events.func()", DELETED], ""),
        ("Do thing 2", [MAILED], ""),
        (PLOT_QUERY, [], "Context window exceeded"),
    )

    report = score_tables(suite, [path])

    rows = [row.to_json() for row in report.rows]
    assert [row["correct"] for row in rows] == [True, True, False, False]
    assert [row["unwanted_side_effects"] for row in rows] == [False, False, True, False]
    assert [row["exact_match"] for row in rows] == [True, True, False, False]
    assert [row["no_actions"] for row in rows] == [True, False, False, True]
    assert [row["wrong_email"] for row in rows] == [False, False, True, False]
    assert [row["status"] for row in rows] == ["ok", "ok", "ok", "error"]
    assert rows[3]["error"] == "Context window exceeded"
    assert [row["row"] for row in rows] == [1, 2, 3, 4]
    assert [row["domain"] for row in rows] == ["calendar", "calendar", "multi_domain", "analytics"]
    summary = report.summary
    assert summary["n"] == 4
    assert summary["accuracy"]["value"] == 0.5
    assert 0 < summary["accuracy"]["low"] < 0.5 < summary["accuracy"]["high"] < 1
    assert summary["errors"]["value"] == 0.25
    assert summary["by_run"]["gpt-9 all"]["n"] == 4
    assert summary["by_domain"]["multi_domain"]["accuracy"]["value"] == 0
    assert {name: group["n"] for name, group in summary["by_actions"].items()} == {"0": 1, "1+": 3, "2+": 1}
    assert summary["baselines"]["do_nothing"]["accuracy"]["value"] == 0.25
    assert summary["baselines"]["keyword_only"]["accuracy"]["value"] == 0.5
    assert summary["ground_truth"] == "published"
    assert summary["rows_per_second"] > 0


@pytest.mark.parametrize(
    ("wrong", "flag"),
    [
        ({"time_max": "2023-11-30"}, True),
        ({"time_max": "2023-12-01"}, False),
        ({"time_max": "2023-11-30", "plot_type": "line"}, False),
    ],
)
def test_a_plot_that_ends_a_day_late_is_a_minor_error(
    suite: Suite, tmp_path: Path, wrong: dict[str, str], flag: bool
) -> None:
    (expected,) = TASKS[3].expected
    call = format_action(expected.tool, {**expected.arguments, **wrong})
    path = write_csv(tmp_path / "a.csv", (PLOT_QUERY, [call], ""))

    (row,) = score_tables(suite, [path]).rows

    assert row.flags["end_date_minor_error"] is flag
    assert not row.flags["meeting_start_time_error"]


def test_a_missing_error_is_no_error(suite: Suite, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", ("Do thing 0", [], "nan"), ("Do thing 1", [DELETED], "None"))

    assert [row.correct for row in score_tables(suite, [path]).rows] == [True, True]


def test_rows_for_other_tasks_are_counted_and_a_file_of_only_such_refused(
    suite: Suite, tmp_path: Path
) -> None:
    mixed = write_csv(tmp_path / "a.csv", ("Do thing 0", [], ""), ("Something else", [], ""))
    foreign = write_csv(tmp_path / "b.csv", ("Something else", [], ""))

    assert score_tables(suite, [mixed]).summary["unmatched"] == {str(mixed): 1}
    with pytest.raises(InputError, match="none of its tasks"):
        score_tables(suite, [foreign])


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("query,error\nDo thing 0,\n", "function_calls"),
        ('query,function_calls,error\nDo thing 0,"[]"\n', "row 1"),
        ('query,function_calls,error\nA,"[]",\nB,"[open(1)]",\n', "row 2, column function_calls"),
        ('query,function_calls,error\nA,"[1]",\n', "row 1, column function_calls"),
        ('query,function_calls,error\nA,"[]', "line 2"),
    ],
)
def test_damaged_tables_are_refused_with_the_place(tmp_path: Path, text: str, where: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)

    with pytest.raises(InputError) as caught:
        read_table(path)

    assert str(path) in str(caught.value)
    assert where in str(caught.value)


@each_row("texts", [[], ["a"], ["it's", 'say "x"'], ["a\nb", "c\\n"], ["', '"]])
def test_list_literals(texts: list[str]) -> None:
    assert text_list(repr(texts)) == texts


def test_baselines() -> None:
    assert [call[0] for call in calls_in_words(PLOT_QUERY, NOW)] == ["analytics.create_plot"]
    assert calls_in_words("If engaged users grew, make a line plot of it since November 3", NOW) == []
    mail = "Send a note to ada@firm.com titled 'Lunch' saying 'Are you free?'"
    assert calls_in_words(mail, NOW) == [
        ("email.send_email", {"recipient": "ada@firm.com", "subject": "Lunch", "body": "Are you free?"})
    ]
    assert calls_in_words("Cancel my meeting", NOW) == []


def test_twelve_files_after_one_flag(suite: Suite, tmp_path: Path) -> None:
    files = [write_csv(tmp_path / f"d{n}" / "run.csv", ("Do thing 1", [DELETED], "")) for n in range(12)]

    result = CliRunner().invoke(app, ["score", str(suite.path), "--predictions", *map(str, files), "--json"])

    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert len(document["rows"]) == 12
    assert {row["file"] for row in document["rows"]} == {str(file) for file in files}
    assert document["summary"]["accuracy"]["value"] == 1


def test_directories_and_repeated_flags(suite: Suite, tmp_path: Path) -> None:
    write_csv(tmp_path / "one" / "deep" / "run.csv", ("Do thing 1", [DELETED], ""))
    other = write_csv(tmp_path / "other.csv", ("Do thing 1", [OTHER], ""))
    arguments = [str(suite.path), "--predictions", str(tmp_path / "one"), "--predictions", str(other)]

    result = CliRunner().invoke(app, ["score", *arguments, "--ground-truth", "corrected", "--json"])

    assert json.loads(result.stdout)["summary"]["accuracy"]["value"] == 0.5


def test_the_table_shows_the_baselines(suite: Suite, tmp_path: Path) -> None:
    file = write_csv(tmp_path / "run.csv", ("Do thing 1", [DELETED], ""))

    result = CliRunner().invoke(app, ["score", str(suite.path), "--predictions", str(file)])

    assert result.exit_code == 0
    assert "baseline do_nothing" in result.stdout
    assert "100.0" in result.stdout


@pytest.mark.parametrize(
    "arguments", [[], ["--predictions", "nowhere.csv"], ["--predictions", ".", "--ground-truth", "x"]]
)
def test_bad_input_is_a_typed_error(suite: Suite, arguments: list[str]) -> None:
    result = CliRunner().invoke(app, ["score", str(suite.path), *arguments])

    assert isinstance(result.exception, InputError)


def test_a_prediction_is_for_the_task_of_its_folder_when_texts_are_equal(tmp_path: Path) -> None:
    twins = office.suite(
        tmp_path / "twins",
        task(number=1, query="Same", domains=("email",)),
        task(action("calendar.delete_event", event_id="00000000"), number=2, query="Same"),
    )
    path = write_csv(tmp_path / "calendar" / "run.csv", ("Same", [DELETED], ""))

    (row,) = score_tables(twins, [path]).rows

    assert (row.task.id, row.correct) == ("task-2", True)
    assert isinstance(row.prediction, TableRow)
