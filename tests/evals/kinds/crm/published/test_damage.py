from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.damage import mutated, values
from tests.evals.kinds.crm.published.small import CASE, LISTED, RAW, USER, write_raw
from worksmith.evals.authoring.suite_building import import_suite
from worksmith.evals.suite import Suite
from worksmith.tools.errors import InputError


def run(source: Path, out: Path) -> tuple[Suite, dict[str, Any]]:
    suite = import_suite("crmarena", source, out)
    return suite, json.loads((suite.path / "import_report.json").read_text())


@pytest.mark.parametrize(
    ("data", "tasks"),
    [
        (b'{"metadata": {"task": "handle_time"}, "query": "Who', 9),
        (b"\xff\xfe\x00", 9),
        (b"\x00\x01\x02" * 100, 9),
        (b"", 9),
        (b"[" * 100_000, 9),
        (b'{"query":' * 100_000, 9),
        (b"[1, null, true, [], {}]", 9),
        (b"17", 9),
        (b'"query"', 9),
        (b'{"query": "\\ud800", "answer": ["\\ud800"]}', 9),
        (b'{"query": "Who?", "answer": ' + b"9" * 10_000 + b"}", 9),
    ],
)
def test_damaged_files_leave_the_others(tmp_path: Path, data: bytes, tasks: int) -> None:
    folder = write_raw(tmp_path / "raw")
    (folder / "handle_time_queries.jsonl").write_bytes(data)
    suite, report = run(folder, tmp_path / "suite")
    assert len(suite.tasks) == tasks
    assert report["findings"] or report["quarantine"]


def test_lines_that_are_cut_leave_the_others(tmp_path: Path) -> None:
    folder = write_raw(tmp_path / "raw")
    file = folder / "handle_time_queries.jsonl"
    file.write_bytes(file.read_bytes() + b'{"metadata": {"task": "handle_time"}, "query": "Wh')
    suite, report = run(folder, tmp_path / "suite")
    assert len(suite.tasks) == 11
    assert [(f["kind"], f["record"]) for f in report["findings"]] == [("bad_line", "line 3")]


def test_what_is_no_plain_file_is_passed_over(tmp_path: Path) -> None:
    folder = write_raw(tmp_path / "raw")
    (folder / "tasks.json").mkdir()
    (folder / "dead.json").symlink_to(tmp_path / "nowhere.json")
    (folder / "loop.json").symlink_to(folder / "loop.json")
    (folder / "round").symlink_to(folder)
    os.mkfifo(folder / "pipe.json")
    suite, _ = run(folder, tmp_path / "suite")
    assert len(suite.tasks) == 11


def test_huge_files_are_not_read(tmp_path: Path) -> None:
    folder = write_raw(tmp_path / "raw")
    with (folder / "huge.json").open("wb") as file:
        file.truncate(70 * 1024 * 1024)
    _, report = run(folder, tmp_path / "suite")
    assert [finding["kind"] for finding in report["findings"]] == ["too_large"]


@pytest.mark.parametrize("content", [None, b"", b"[]", b'[{"object": "Case"}]', b"\x00"])
def test_nothing_to_read(tmp_path: Path, content: bytes | None) -> None:
    folder = tmp_path / "raw"
    folder.mkdir()
    if content is not None:
        (folder / "tasks.json").write_bytes(content)
    with pytest.raises(InputError, match="no published questions"):
        run(folder, tmp_path / "suite")
    assert [path.name for path in tmp_path.iterdir()] == ["raw"]


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mutation=mutated({**RAW, "tasks": LISTED}, values(USER, CASE, "None"), nested="metadata"))
def test_any_mutation_gives_a_suite(tmp_path: Path, mutation: tuple[str, bytes]) -> None:
    name, data = mutation
    folder = write_raw(tmp_path / "raw")
    file = folder / (f"{name}_queries.jsonl" if name in RAW else "tasks.json")
    file.write_bytes(data)
    try:
        suite, report = run(folder, tmp_path / "suite")
    finally:
        file.unlink()
    assert len(suite.tasks) >= 9 - (name in RAW)
    assert report["facts"]["tasks"]["usable"] == len(suite.tasks)
