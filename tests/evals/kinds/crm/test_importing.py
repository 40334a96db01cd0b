from __future__ import annotations

import json
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
import pytest
from typer.testing import CliRunner

from tests.evals.kinds.crm.published.small import (
    ARTICLE,
    CASE,
    CONTACT,
    DESCRIPTION,
    ISSUE,
    LISTED,
    PRODUCT,
    RAW,
    SUBJECT,
    USER,
    write_list,
    write_raw,
)
from worksmith.cli.app import app
from worksmith.evals.authoring.suite_building import import_suite
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Answer, Entity, Task
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.crm.ids import make_id

ORIGINAL = Path(__file__).parents[4].parent / "shared" / "data" / "crmarena"


def run(source: Path, out: Path) -> tuple[Suite, list[str], dict[str, Any]]:
    said: list[str] = []
    suite = import_suite("crmarena", source, out, progress=said.append)
    return suite, said, json.loads((suite.path / "import_report.json").read_text())


def of(suite: Suite, family: str) -> Task:
    return next(task for task in suite.tasks if task.intent == family)


def test_a_suite_with_its_report(tmp_path: Path) -> None:
    suite, said, report = run(write_raw(tmp_path / "raw"), tmp_path / "suite")
    manifest = suite.world.manifest
    assert (manifest.kind, manifest.origin) == ("crm", "crmarena")
    assert manifest.licence.startswith("CC BY-NC")
    assert set(manifest.counts.values()) == {0}
    assert len(suite.tasks) == 11
    assert report["system"] == "crmarena"
    assert report["facts"]["tasks"] == {"published": 11, "usable": 11}
    assert report["facts"]["recognised"]["right"] == 11
    assert report["counts"]["handle_time"] == 2
    assert report["findings"] == report["quarantine"] == []
    assert "wordings: 11 of 11 recognised with all that they say (100.0 %)" in said
    assert str(tmp_path) not in (suite.path / "import_report.json").read_text()
    again, *_ = run(tmp_path / "raw", tmp_path / "again")
    assert again.digest == suite.digest
    assert (again.path / "import_report.json").read_bytes() == (
        suite.path / "import_report.json"
    ).read_bytes()


def test_what_tasks_say(tmp_path: Path) -> None:
    suite, *_ = run(write_raw(tmp_path / "raw"), tmp_path / "suite")
    slow = of(suite, "handle_time")
    assert slow.query.startswith("Who closed cases slowest in the past 5 weeks, with over 2 cases?\n")
    assert slow.slots == {
        "period": "5 weeks",
        "start": "2022-01-25",
        "end": "2022-03-01",
        "n": "2",
        "extreme": "max",
    }
    assert (slow.now, slow.id) == (datetime(2022, 3, 1), "crmarena-htu-001")
    assert slow.answer is not None
    assert slow.answer.required == (Entity(type="user_id", value=USER),)
    assert slow.context
    assert slow.persona is not None
    assert slow.gold_plan is None
    assert suite.task("crmarena-htu-002").answer == Answer(kind="none")

    bought = of(suite, "named_entity_disambiguation")
    assert f"\nContact Id: {CONTACT}\n" in bought.query
    assert bought.slots["phrase"] == "shoes without laces"
    assert (bought.slots["period"], bought.slots["day"], bought.slots["contact"]) == (
        "2 weeks",
        "2022-02-20",
        CONTACT,
    )

    routed = of(suite, "case_routing")
    assert f"Case Subject: {SUBJECT}\nCase Description: {DESCRIPTION}" in routed.query
    assert PRODUCT not in routed.model_dump_json()
    assert ISSUE not in routed.model_dump_json()
    assert routed.now is None

    broken = of(suite, "policy_violation_identification")
    assert f"\nCase Id: {CASE}\n" in broken.query
    assert broken.answer is not None
    assert broken.answer.required == (Entity(type="article_id", value=ARTICLE),)
    known = of(suite, "knowledge_qa")
    assert known.answer is not None
    assert known.answer.reference == "Ninety days."
    assert known.checkable
    assert {task.split for task in suite.tasks} == {"test"}


def test_the_newer_layout(tmp_path: Path) -> None:
    suite, _, report = run(write_list(tmp_path / "list"), tmp_path / "suite")
    assert report["quarantine"] == []
    assert report["facts"]["recognised"]["right"] == 5
    issue = of(suite, "top_issue_identification")
    assert issue.query.startswith(
        f"What is the main complaint about the Ibex City Mid in Q2 2021?\nProduct Id: {PRODUCT}\n"
    )
    assert (issue.now, issue.slots["phrase"]) == (datetime(2022, 4, 1), "Ibex City Mid")
    assert issue.origin["index"] == "0"
    bought = of(suite, "named_entity_disambiguation")
    assert (bought.slots["contact"], bought.now) == (CONTACT, datetime(2022, 4, 2))
    assert bought.answer is not None
    assert bought.answer.kind == "none"
    routed = of(suite, "case_routing")
    assert f"Case Subject: {SUBJECT}\nCase Description: {DESCRIPTION}" in routed.query
    assert of(suite, "policy_violation_identification").slots["case"] == CASE


def test_any_part_will_do_in_lists_or_lines_and_anywhere(tmp_path: Path) -> None:
    folder = tmp_path / "raw" / "some" / "where"
    folder.mkdir(parents=True)
    (folder / "handle_time_queries.jsonl").write_text(json.dumps(RAW["handle_time"]))
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, LISTED)))
    (folder / "schema.json").write_text(json.dumps([{"object": "Case", "fields": {}}]))
    suite, said, report = run(tmp_path / "raw", tmp_path / "suite")
    assert len(suite.tasks) == 7
    statuses = {note["file"]: note["status"] for note in report["files"]}
    assert statuses["some/where/schema.json"] == "ignored"
    assert statuses["best_region_identification_queries.jsonl"] == "missing"
    assert "case_routing_queries.jsonl" not in statuses
    assert any(line.startswith("missing: ") and "transfer_time" in line for line in said)


def test_both_layouts_at_once_ask_nothing_twice(tmp_path: Path) -> None:
    folder = write_raw(tmp_path / "both")
    first = RAW["handle_time"][0]
    twin = {
        "type": "handle_time",
        "query": first["query"] + " Return only the agent Id.",
        "answer": USER,
        "metadata": {"required": f"Today's date: {first['metadata']['today']}"},
    }
    write_list(folder, [twin, LISTED[2], {**twin, "answer": None}])
    suite, _, report = run(folder, tmp_path / "suite")
    assert len(suite.tasks) == 11
    assert [flag["kind"] for flag in report["quarantine"]] == ["repeated", "repeated", "contradicted"]


ASK = RAW["handle_time"][0]


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        ({**ASK, "query": " "}, "no_question"),
        ({**ASK, "query": 17}, "no_question"),
        ({**ASK, "query": "Who? " * 5000}, "too_long"),
        ({**ASK, "answer": ["somebody"]}, "bad_answer"),
        ({**ASK, "answer": [PRODUCT]}, "bad_answer"),
        ({**ASK, "answer": [USER[:-1] + "0"]}, "bad_answer"),
        ({**ASK, "answer": [1]}, "bad_answer"),
        ({**ASK, "answer": {"Id": USER}}, "bad_answer"),
        ({**ASK, "answer": [USER, None]}, "bad_answer"),
        ({key: value for key, value in ASK.items() if key != "answer"}, "bad_answer"),
        ({**ASK, "metadata": {"task": "handle_time"}}, "no_today"),
        ({**ASK, "metadata": {"task": "handle_time", "today": "2022-02-30"}}, "no_today"),
        ({**ASK, "metadata": {"task": "lead_routing", "today": "2022-03-01"}}, "other_family"),
        ({"query": "The parcel came late.", "answer": [USER]}, "no_family"),
        ({"question": "Who?"}, "no_question"),
        (ASK, "repeated"),
        ({**ASK, "answer": [None]}, "contradicted"),
        (
            {
                **RAW["policy_violation_identification"][0],
                "metadata": {"task": "policy_violation_identification"},
            },
            "not_shown",
        ),
        (
            {
                **RAW["top_issue_identification"][0],
                "metadata": {"task": "top_issue_identification", "product_id": CASE},
            },
            "bad_id",
        ),
        ({**RAW["best_region_identification"][0], "answer": ["ZZ"]}, "bad_answer"),
        ({**RAW["seasonality_identification"][0], "answer": ["Smarch"]}, "bad_answer"),
        ({**RAW["knowledge_qa"][0], "answer": [None]}, "bad_answer"),
    ],
)
def test_broken_questions_are_left_out(tmp_path: Path, record: dict[str, Any], kind: str) -> None:
    folder = write_raw(tmp_path / "raw")
    with (folder / "handle_time_queries.jsonl").open("a") as file:
        file.write(json.dumps(record) + "\n")
    suite, _, report = run(folder, tmp_path / "suite")
    assert [flag["kind"] for flag in report["quarantine"]] == [kind]
    assert len(suite.tasks) == 11
    if kind not in ("repeated", "contradicted"):
        assert report["quarantine"][0]["record"] == "handle_time_queries.jsonl:3"


def test_wordings_that_are_not_recognised_are_named(tmp_path: Path) -> None:
    folder = write_raw(tmp_path / "raw")
    odd = [
        {**ASK, "query": "Blue, or not?"},
        {**ASK, "query": "Where were cases closed in Q1 2020?"},
        {**ASK, "query": "Who with few cases closed cases slowest in Q1 2021?"},
    ]
    with (folder / "handle_time_queries.jsonl").open("a") as file:
        file.write("".join(json.dumps(record) + "\n" for record in odd))
    suite, said, report = run(folder, tmp_path / "suite")
    found = [(finding["kind"], finding["record"]) for finding in report["findings"]]
    assert found == [("slot_missing", "record 3"), ("slot_missing", "record 4"), ("slot_missing", "record 5")]
    assert report["facts"]["recognised"]["by_family"]["handle_time"] == {"questions": 5, "right": 2}
    assert "not all of: handle_time (2 of 5)" in said
    # They are published questions all the same.
    assert len(suite.tasks) == 14
    assert [task.slots for task in suite.tasks if not task.origin["recognised"]] == [{}, {}, {}]


def test_oddities_are_noted(tmp_path: Path) -> None:
    folder = write_raw(tmp_path / "raw")
    future = {**RAW["best_region_identification"][0], "query": "Which state closed cases fastest in Q4 2022?"}
    outside = {**RAW["seasonality_identification"][0], "answer": ["April"]}
    (folder / "best_region_identification_queries.jsonl").write_text(json.dumps(future))
    (folder / "seasonality_identification_queries.jsonl").write_text(json.dumps(outside))
    *_, report = run(folder, tmp_path / "suite")
    assert [finding["kind"] for finding in report["findings"]] == ["future_period", "month_outside"]


@pytest.mark.slow
def test_it_says_that_the_org_is_elsewhere(tmp_path: Path) -> None:
    out = tmp_path / "suite"
    runner = CliRunner()
    imported = runner.invoke(
        app, ["suite", "import", "crmarena", str(write_raw(tmp_path / "raw")), "-o", str(out)]
    )
    assert imported.exit_code == 0, imported.output
    assert "crmarena" in runner.invoke(app, ["suite", "info", str(out)]).output
    for command in (
        ["eval", str(out), "--no-track"],
        ["run", str(out), "crmarena-htu-001"],
        ["compare", str(out), "--optimizers", "none", "--strategies", "act", "--no-track"],
    ):
        result = runner.invoke(app, command)
        assert isinstance(result.exception, InputError)
        assert "not here but in a live Salesforce org" in str(result.exception)
        assert "--org salesforce" in str(result.exception)


def test_with_a_file_of_records_it_runs_offline_and_compares_answers(tmp_path: Path) -> None:
    org = small_org(tmp_path / "org.db")
    suite = import_suite("crmarena", write_raw(tmp_path / "raw"), tmp_path / "suite", records=org)
    report = json.loads((suite.path / "import_report.json").read_text())
    assert not suite.world.manifest.elsewhere
    assert suite.world.manifest.counts["Case"] == 3
    assert report["facts"]["answers"]["handle_time"] == {"same": 2}
    slow = of(suite, "handle_time")
    assert slow.gold_plan is not None
    assert [step.tool for step in slow.gold_plan][-1].startswith("functions.")
    assert "Case.Subject" in report["facts"]["records"]["missing"]


def small_org(path: Path) -> Path:
    """An org in which one agent closed three cases of February 2022, each assigned once."""
    with closing(apsw.Connection(str(path))) as file:
        file.execute('CREATE TABLE "Case" (Id, OwnerId, Status, CreatedDate, ClosedDate)')
        file.execute(
            "CREATE TABLE CaseHistory__c (Id, CaseId__c, NewValue__c, OldValue__c, Field__c, CreatedDate)"
        )
        for number in range(3):
            day = f"2022-02-1{number}"
            case = (make_id("500", number), USER, "Closed", f"{day}T08:00:00Z", f"{day}T09:00:00Z")
            file.execute('INSERT INTO "Case" VALUES (?, ?, ?, ?, ?)', case)
            history = (make_id("a0H", number), case[0], USER, None, "Owner Assignment", f"{day}T08:00:00Z")
            file.execute("INSERT INTO CaseHistory__c VALUES (?, ?, ?, ?, ?, ?)", history)
    return path


def test_only_some_systems_have_a_file_of_records(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="do not come in a file of their own"):
        import_suite("workbench", tmp_path, tmp_path / "suite", records=tmp_path / "org.db")


def test_with_a_live_org_there_are_episodes(tmp_path: Path) -> None:
    suite, *_ = run(write_raw(tmp_path / "raw"), tmp_path / "suite")
    with pytest.raises(InputError, match="not here"):
        suite.env.episode()
    suite.env.connect(object())
    assert suite.env.episode() is not None


@pytest.mark.slow
def test_the_original(tmp_path: Path) -> None:
    if not ORIGINAL.is_dir():
        pytest.skip(f"the original's files are not at {ORIGINAL}")
    suite, _, report = run(ORIGINAL, tmp_path / "suite")
    recognised = report["facts"]["recognised"]
    assert recognised["right"] >= 0.98 * recognised["questions"]
    assert all(counts["right"] >= 0.95 * counts["questions"] for counts in recognised["by_family"].values())
    assert len(suite.tasks) == recognised["questions"]
    assert report["quarantine"] == []
    assert "month_outside" not in {finding["kind"] for finding in report["findings"]}
    phrases: dict[str, set[str]] = {}
    for task in suite.tasks:
        if task.intent in ("top_issue_identification", "monthly_trend_analysis"):
            phrases.setdefault(task.slots["product"], set()).add(task.slots["phrase"].removesuffix("s"))
    # One product has one name, however the question goes; some are asked about in the plural.
    assert all(len(names) == 1 for names in phrases.values())
