"""Damaged files: whatever can be read is, and the report names file and record."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.damage import mutated, values
from tests.tools.kinds.enterprise.importing.small import EMPLOYEES, FILES, ORDER, POLICY, SALES, write_json
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.enterprise.importing.reader import read_enterprise
from worksmith.tools.kinds.enterprise.schema import TABLES

PEOPLE = "Human_Resource_Management/Employees/employees.json"
PRICES = "Customer_Relation_Management/sales.json"

Damage = Callable[[Path], object]


def _people(*values: object) -> Damage:
    return lambda file: write_json(file, list(values))


def _text(text: str) -> Damage:
    return lambda file: file.write_text(text)


def _directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


ANN, BOB, CYD = EMPLOYEES

DAMAGES: dict[str, tuple[Damage, str, str, int]] = {
    "empty": (_text(""), "empty_file", "", 0),
    "only space": (_text(" \n\n"), "empty_file", "", 0),
    "truncated": (lambda f: f.write_text(json.dumps(EMPLOYEES)[:-150]), "damaged_json", "record 3", 2),
    "broken in the middle": (
        lambda f: f.write_text(json.dumps(EMPLOYEES, indent=1).replace('"Bob Bee"', '"Bob Bee', 1)),
        "damaged_json",
        "record 2",
        2,
    ),
    "a text at the top": (_text('"hello"'), "wrong_type", "", 0),
    "a number at the top": (_text("12"), "wrong_type", "", 0),
    "no JSON at all": (_text("<html>moved</html>"), "not_json", "", 0),
    "not objects": (_people(ANN, 3, None, ["x"], CYD), "not_an_object", "record 2", 2),
    "no key": (_people({k: v for k, v in ANN.items() if k != "emp_id"}, CYD), "no_id", "record 1", 1),
    "empty key": (_people({**ANN, "emp_id": " "}, CYD), "no_id", "record 1", 1),
    "a list for a text": (_people({**ANN, "Name": ["Ann"]}), "unreadable_value", "employees/emp_0001", 1),
    "an object for a text": (_people({**ANN, "Age": {"x": {"y": 1}}}), "", "", 1),
    "a text for a number": (_people({**ANN, "Age": "old"}), "unreadable_value", "employees/emp_0001", 1),
    "no date": (_people({**ANN, "DOJ": "31-02-2012"}), "unreadable_value", "employees/emp_0001", 1),
    "another currency": (_people({**ANN, "Salary": "$51"}), "unreadable_value", "employees/emp_0001", 1),
    "no flag": (_people({**ANN, "is_valid": "perhaps"}), "unreadable_value", "employees/emp_0001", 1),
    "no level": (_people({**ANN, "Level": "boss"}), "unreadable_value", "employees/emp_0001", 1),
    "encoding": (
        lambda f: f.write_bytes(json.dumps([ANN, CYD]).encode().replace(b"Ann Ada", b"Ann \xff\xfe")),
        "bad_encoding",
        "line 1",
        2,
    ),
    "the same id": (_people(ANN, {**CYD, "emp_id": "emp_0001"}), "duplicate_id", "employees/emp_0001", 2),
    "the same record": (_people(ANN, ANN), "repeated_record", "employees/emp_0001", 1),
    "not a number": (
        lambda f: f.write_text(json.dumps([{**ANN, "Salary": float("nan")}])),
        "unreadable_value",
        "employees/emp_0001",
        1,
    ),
    "infinite": (
        lambda f: f.write_text(json.dumps([{**ANN, "Age": float("inf")}])),
        "unreadable_value",
        "employees/emp_0001",
        1,
    ),
    "huge": (
        lambda f: f.write_text(json.dumps([ANN]).replace('"51000"', "9" * 6000)),
        "unreadable_value",
        "employees/emp_0001",
        1,
    ),
    "huge exponent": (
        _people({**ANN, "Age": "1"}, {**CYD, "Age": "1e999999"}),
        "unreadable_value",
        "employees/emp_0003",
        2,
    ),
    "nested": (_text("[" * 100_000 + "]" * 100_000), "damaged_json", "record 1", 0),
    "nested in a record": (
        lambda f: f.write_text(json.dumps([CYD])[:-1] + ', {"emp_id": ' + "[" * 100_000),
        "damaged_json",
        "record 2",
        1,
    ),
    "a directory": (_directory, "unreadable_file", "", 0),
    "bad lines": (
        lambda f: f.write_text(json.dumps(ANN) + "\n{oops\n" + json.dumps(CYD) + "\n"),
        "bad_line",
        "line 2",
        2,
    ),
    "something after the end": (
        lambda f: f.write_text(json.dumps([ANN]) + json.dumps([CYD])),
        "damaged_json",
        "record 2",
        1,
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_the_report_names_file_and_record(small: Path, name: str) -> None:
    damage, kind, record, kept = DAMAGES[name]
    damage(small / PEOPLE)
    imported = read_enterprise(small)
    assert len(imported.rows["employees"]) == kept
    assert imported.report.counts["tickets"] == 2
    if kind:
        found = [f for f in imported.report.findings if f.kind == kind]
        assert (found[0].file, found[0].record) == (PEOPLE, record)
        assert found[0].reason
    note = next(n for n in imported.report.files if n.file == PEOPLE)
    errors = [f for f in imported.report.findings if f.severity == "error" and f.file == PEOPLE]
    assert not errors or any(PEOPLE in line for line in imported.report.lines()) or note.status == "read"


@pytest.mark.parametrize("content", [b"", b"no pdf", b"%PDF-1.4\n%%EOF", None])
@pytest.mark.parametrize("name", [POLICY, ORDER])
def test_documents_that_cannot_be_read(small: Path, name: str, content: bytes | None) -> None:
    (small / name).unlink()
    if content is None:
        (small / name).mkdir()
    else:
        (small / name).write_bytes(content)
    imported = read_enterprise(small)
    found = [f for f in imported.report.findings if f.kind == "unreadable_pdf"]
    assert [f.file for f in found] == [name]
    assert {n.status for n in imported.report.files if n.file == name} == {"unreadable"}


def test_nothing_readable_is_refused(small: Path, tmp_path: Path) -> None:
    write_json(tmp_path / "bad" / PEOPLE, [])
    (tmp_path / "bad" / PEOPLE).write_text("{")
    with pytest.raises(InputError, match="nothing here can be read") as caught:
        read_enterprise(tmp_path / "bad")
    assert "employees.json" in str(caught.value)
    with pytest.raises(InputError, match="no such folder"):
        read_enterprise(tmp_path / "nowhere")
    (tmp_path / "void").mkdir()
    with pytest.raises(InputError, match="none of the original's files"):
        read_enterprise(tmp_path / "void")


VALUES = values("", "|", "31-12-2020", "emp_0001", "₹1", "\ud800", "\x00", "99-99-9999", "~2")


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mutation=mutated(FILES, VALUES))
def test_no_damage_is_too_much(small: Path, mutation: tuple[str, bytes]) -> None:
    name, data = mutation
    whole = (small / name).read_bytes()
    try:
        (small / name).write_bytes(data)
        imported = read_enterprise(small)
    finally:
        (small / name).write_bytes(whole)
    json.loads(imported.report.to_json())
    cells = imported.cells()
    for table in TABLES:
        keys = [line[0] for line in cells[table.name]]
        assert len(set(keys)) == len(keys)
        assert None not in keys
        for cell in (cell for line in cells[table.name] for cell in line if cell is not None):
            assert type(cell) is str
            cell.encode()


def test_a_bad_price_leaves_the_sale(small: Path) -> None:
    write_json(small / PRICES, [{**SALES[0], "actual_price": "free", "discount_percentage": "much"}])
    imported = read_enterprise(small)
    assert imported.rows["sales"][0]["actual_price"] is None
    reasons = [f.reason for f in imported.report.findings if f.record == "sales/SAL-0"]
    assert len(reasons) == 2
    assert "actual_price" in reasons[0]
