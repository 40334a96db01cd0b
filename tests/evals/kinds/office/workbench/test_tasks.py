"""Importing the original's task tables."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.evals.kinds.office.workbench.files import ORIGINAL, needs_original, write_tasks
from worksmith.evals.kinds.office.intents.registry import all_intents
from worksmith.evals.kinds.office.records import Records
from worksmith.evals.kinds.office.workbench.tasks import read_tasks
from worksmith.evals.scoring.actions import format_action
from worksmith.evals.scoring.result_tables import text_list
from worksmith.evals.tasks.task import Action
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.office.importing import NOW, import_tables

DELETE = """['calendar.delete_event.func(event_id="00000000")']"""
GOOD = ("Cancel it", DELETE, "['calendar']", "Cancel {x}")


@pytest.mark.parametrize("folder", [".", "queries_and_answers", "data/processed/queries_and_answers"])
def test_every_layout_and_any_subset_is_read(tmp_path: Path, folder: str) -> None:
    write_tasks(tmp_path / folder, "calendar", GOOD, ("Wait", "[]", "['calendar']", "Wait {x}"))
    write_tasks(tmp_path / folder, "multi_domain", ("Do both", "[]", "['email', 'crm']", "Do {x}"))

    first, second, third = read_tasks(tmp_path)

    assert first.expected == (Action(tool="calendar.delete_event", arguments={"event_id": "00000000"}),)
    assert (first.id, first.query, first.domains) == ("workbench.calendar.000", "Cancel it", ("calendar",))
    assert (second.expected, second.intent) == ((), "workbench.calendar.template_01")
    assert third.domains == ("email", "customer_relationship_manager")
    assert third.origin["domain"] == "multi_domain"
    assert third.origin["row"] == 0


def test_templates_stay_out_of_the_tasks(tmp_path: Path) -> None:
    write_tasks(tmp_path, "calendar", GOOD)

    (task,) = read_tasks(tmp_path)

    assert "{x}" not in task.model_dump_json()


@pytest.mark.parametrize(
    ("row", "where"),
    [
        (("", "[]", "['calendar']", "t"), "row 1, column query"),
        (GOOD, "row 1, column query"),
        (("A", "nothing", "['calendar']", "t"), "row 1, column answer"),
        (("A", "['oops(']", "['calendar']", "t"), "row 1, column answer"),
        (("A", """['calendar.burn.func(event_id="1")']""", "['calendar']", "t"), "row 1, column answer"),
        (("A", """['calendar.delete_event.func(id="1")']""", "['calendar']", "t"), "row 1, column answer"),
        (("A", "[]", "['kitchen']", "t"), "row 1, column domains"),
        (("A", "[]", "[]", "t"), "row 1, column domains"),
    ],
)
def test_damaged_rows_are_refused_with_the_place(tmp_path: Path, row: tuple[str, ...], where: str) -> None:
    path = write_tasks(tmp_path, "calendar", GOOD, row)

    with pytest.raises(InputError) as caught:
        read_tasks(tmp_path)

    assert str(path) in str(caught.value)
    assert where in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "query,answer\nA,[]\n", "\xff\xfe", 'query,answer,base_template,domains\n"A']
)
def test_damaged_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "email_queries_and_answers.csv"
    path.write_bytes(text.encode("latin-1"))

    with pytest.raises(InputError, match="email_queries_and_answers"):
        read_tasks(tmp_path)


def test_a_folder_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no task table"):
        read_tasks(tmp_path)


@needs_original
def test_the_original_tasks_keep_text_and_answers() -> None:
    tasks = read_tasks(ORIGINAL)

    assert Counter(task.origin["domain"] for task in tasks) == {
        "analytics": 60,
        "calendar": 55,
        "customer_relationship_manager": 40,
        "email": 45,
        "project_management": 40,
        "multi_domain": 105,
    }
    assert len({task.intent for task in tasks}) == 69
    assert {len(list(group)) for group in _by_intent(tasks).values()} == {5}
    assert all("crm" not in task.domains for task in tasks)
    assert _published_answers() == {
        task.query: [format_action(action.tool, action.arguments) for action in task.expected]
        for task in tasks
        if task.origin["domain"] != "multi_domain"
    }


@needs_original
def test_every_template_is_in_every_split_and_held_out_templates_in_one() -> None:
    for group in _by_intent(read_tasks(ORIGINAL)).values():
        assert Counter(task.split for task in group) == {"train": 2, "dev": 1, "test": 2}
        assert len({task.held_out_split for task in group}) == 1


@needs_original
def test_what_is_corrected() -> None:
    tasks = read_tasks(ORIGINAL, Records.of_tables(NOW, import_tables(ORIGINAL)))
    corrected = [task for task in tasks if task.corrected is not None]

    assert Counter(task.origin["domain"] for task in corrected) == {
        "multi_domain": 8,
        "customer_relationship_manager": 3,
    }
    assert all(task.correction_reason for task in tasks if task.corrected is not None or task.alternatives)
    assert sum(1 for task in tasks if task.alternatives and task.corrected is None) == 32


@needs_original
def test_no_text_of_ours_is_one_of_the_original() -> None:
    import csv

    files = sorted((ORIGINAL / "queries_and_answers").glob("*.csv"))
    rows = [row for path in files for row in csv.DictReader(path.open(encoding="utf-8", newline=""))]
    theirs = {_bare(row[column]) for row in rows for column in ("base_template", "chosen_template")}

    ours = [text for one in all_intents() for text in (*one.phrasings, *one.wordings)]
    assert len(theirs) > 69
    # A command of five words, such as to delete a customer, has hardly another form.
    assert not [text for text in ours if len(text.split()) > 5 and _bare(text) in theirs]


def _bare(template: str) -> str:
    """A template's words in lower case, its slots alike."""
    return " ".join(re.findall(r"[a-z#]+", re.sub(r"\{\w+\}", "#", template).lower()))


def _by_intent(tasks: list) -> dict:  # type: ignore[type-arg]
    groups: dict = {}  # type: ignore[type-arg]
    for task in tasks:
        groups.setdefault(task.intent, []).append(task)
    return groups


def _published_answers() -> dict[str, list[str]]:
    import csv

    answers = {}
    for path in sorted((ORIGINAL / "queries_and_answers").glob("*.csv")):
        if path.name.startswith("multi_domain"):
            continue
        with path.open(encoding="utf-8", newline="") as file:
            answers.update({row["query"]: text_list(row["answer"]) for row in csv.DictReader(file)})
    return answers
