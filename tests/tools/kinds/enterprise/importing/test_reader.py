from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.tools.kinds.enterprise.importing.pdfs import write_pdf
from tests.tools.kinds.enterprise.importing.small import (
    EMPLOYEES,
    FILES,
    MAILS,
    ORDER,
    POLICY,
    RESUME,
    write_json,
)
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.enterprise.importing.people import first_active, personas
from worksmith.tools.kinds.enterprise.importing.reader import Imported, read_enterprise
from worksmith.tools.kinds.enterprise.importing.rows import Row
from worksmith.tools.kinds.enterprise.schema import TABLES


def row(imported: Imported, source: str, key: str) -> Row:
    return next(row for row in imported.rows[source] if key in row.values())


def flags(imported: Imported) -> set[tuple[str, str]]:
    return {(flag.record, flag.kind) for flag in imported.report.quarantine}


def test_every_source_is_read_and_normalised(small: Path) -> None:
    imported = read_enterprise(small)
    assert imported.report.counts == {
        "employees": 3,
        "conversations": 3,
        "mail": 2,
        "repositories": 2,
        "issues": 3,
        "tickets": 2,
        "products": 1,
        "customers": 1,
        "sales": 1,
        "sentiments": 1,
        "support_chats": 1,
        "orders": 1,
        "overflow": 2,
        "posts": 2,
        "policies": 2,
        "clients": 1,
        "vendors": 1,
        "resumes": 1,
    }
    ann, bob = imported.rows["employees"][:2]
    assert (ann["department"], ann["level"], ann["doj"], ann["dol"]) == ("EN", "14", "2012-01-03", None)
    assert (ann["description"], ann["is_valid"], ann["total_sick_leaves"]) == ("Director", "TRUE", "10")
    assert (bob["dol"], bob["is_valid"], bob["salary"]) == ("2020-03-05", "FALSE", "109999.50")
    first, second, third = imported.rows["conversations"]
    assert (first["date"], second["sender_emp_id"], second["date"]) == (
        "2019-05-06",
        "emp_0001",
        "2019-05-07",
    )
    assert (third["sender_emp_id"], third["recipient_emp_id"]) == ("emp_0001", "emp_0003")
    assert (third["category"], third["date"]) == (None, "2021-01-01")
    assert imported.extras["conversations/c-3"]["metadata.repo_name"] == "own/er"


def test_both_shapes_of_mail(small: Path) -> None:
    nested, flat = read_enterprise(small).rows["mail"]
    assert (nested["sender_emp_id"], nested["recipient_name"]) == ("emp_0001", "Bob Bee")
    assert (nested["date"], nested["importance"]) == ("2015-06-08T04:24:36", "High")
    assert nested["confidentiality_notice"] == "Keep it"
    assert flat["sender_emp_id"] == "emp_0003"  # by the address, which only one has
    assert flat["recipient_email"] == "ann.ada@inazuma.com"


def test_a_shared_address_names_nobody(small: Path) -> None:
    twin = {**EMPLOYEES[2], "emp_id": "emp_0004", "Name": "Cyd Coxe"}
    write_json(small / "Human_Resource_Management/Employees/employees.json", [*EMPLOYEES, twin])
    imported = read_enterprise(small)
    assert imported.rows["mail"][1]["sender_emp_id"] is None
    assert imported.report.by_kind()["shared_address"] == 1


def test_repositories_and_issues(small: Path) -> None:
    imported = read_enterprise(small)
    assert [r["file_id"] for r in imported.rows["repositories"]] == ["own/er:a.py", "own/er:b.py"]
    one, two, three = imported.rows["issues"]
    assert (one["path"], one["emp_id"], one["status"], one["patch"]) == ("a.py", "emp_0001", None, None)
    assert one["created_at"] == "2020-05-08T10:11:12"
    assert (two["path"], two["patch"], three["status"]) == ("b.py", "--- a", "closed")


def test_amounts_ids_and_everything_else(small: Path) -> None:
    imported = read_enterprise(small)
    sale = imported.rows["sales"][0]
    assert (sale["sales_record_id"], sale["actual_price"], sale["discount_percentage"]) == (
        "SAL-0",
        "1099",
        "64",
    )
    product = imported.rows["products"][0]
    assert (product["actual_price"], product["rating"], product["stock"]) == ("999999", None, None)
    resolved, unresolved = imported.rows["tickets"]
    assert (resolved["priority"], resolved["status"], unresolved["status"]) == ("high", "resolved", "open")
    question, answer = imported.rows["overflow"]
    assert (question["post_id"], question["post_type"], question["tags"]) == (
        "OVF-4",
        "question",
        "python, regex",
    )
    assert question["accepted_answer_id"] == answer["post_id"] == "OVF-5"
    assert (answer["parent_id"], question["creation_date"]) == ("OVF-4", "2010-08-03T19:39:39")
    client = imported.rows["clients"][0]
    assert (client["monthly_revenue"], client["phone_number"]) == ("2357113", "330923271")
    assert imported.rows["vendors"][0]["vendor_id"] == "CLNT-0001"
    ids = [r["post_id"] for r in imported.rows["posts"]]
    assert len(set(ids)) == 2
    customer = imported.rows["customers"][0]
    assert (
        customer["invoice_path"] == "documents/orders/invoice_arout.pdf" == imported.rows["orders"][0]["path"]
    )
    assert imported.rows["orders"][0]["text"] == "Invoice\nCustomer ID: arout\nB000000001\n₹399"
    assert imported.report.by_kind()["order_document_missing"] == 1
    pages = imported.rows["policies"]
    assert [(p["title"], p["page"]) for p in pages] == [
        ("Leave Policy (new)", "1"),
        ("Leave Policy (new)", "2"),
    ]
    assert pages[1]["text"] == "Casual leave: 12 days"


def test_quarantine(small: Path) -> None:
    imported = read_enterprise(small)
    assert flags(imported) == {
        ("conversations/c-2", "self_conversation"),
        ("mail/m-2", "foreign_signature"),
        ("support_chats/SCH-7", "chat_before_purchase"),
        ("tickets/718", "ticket_after_leaving"),
        ("resumes/r-1", "resume"),
    }
    report = json.loads(imported.report.to_json())
    assert report["summary"]["quarantine"]["self_conversation"] == 1
    assert all({"file", "record", "reason"} <= set(finding) for finding in report["findings"])


@pytest.mark.parametrize("keep", [*FILES, POLICY, ORDER, RESUME])
def test_any_one_file_will_do(small: Path, tmp_path: Path, keep: str) -> None:
    alone = tmp_path / "alone"
    (alone / keep).parent.mkdir(parents=True)
    shutil.copyfile(small / keep, alone / keep)
    if keep == "published_tasks.json":
        with pytest.raises(InputError, match="none of the original's files"):
            read_enterprise(alone)
        return
    imported = read_enterprise(alone)
    assert sum(imported.report.counts.values()) > 0
    assert "dangling" not in imported.report.by_kind()
    assert {note.file for note in imported.report.files if note.status == "missing"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Enterprise_mail_system/emails.json", "enterprise mail system/Emails.JSON"),
        ("Enterprise_mail_system/emails.json", "emails.json"),
        ("Workspace/GitHub/GitHub.json", "workspace/github/github.json"),
        ("Inazuma_Overflow/overflow.json", "somewhere/Inazuma Overflow/Overflow.json"),
    ],
)
def test_case_separators_and_place_do_not_matter(small: Path, old: str, new: str) -> None:
    before = read_enterprise(small).cells()
    (small / new).parent.mkdir(parents=True, exist_ok=True)
    (small / old).rename(small / new)
    assert read_enterprise(small).cells() == before


@pytest.mark.parametrize("shape", ["lines", "wrapped", "single"])
def test_other_json_shapes(small: Path, shape: str) -> None:
    file = small / "Human_Resource_Management/Employees/employees.json"
    before = read_enterprise(small).rows["employees"]
    if shape == "lines":
        file.write_text("\n".join(json.dumps(record) for record in EMPLOYEES) + "\n")
    elif shape == "wrapped":
        file.write_text(json.dumps({"count": 3, "employees": EMPLOYEES}))
    else:
        before = before[:1]
        file.write_text(json.dumps({**EMPLOYEES[0], "reportees": []}, indent=2))
    imported = read_enterprise(small)
    assert imported.rows["employees"] == before
    assert not [f for f in imported.report.findings if f.severity == "error"]


def test_keys_in_any_spelling(small: Path) -> None:
    file = small / "Customer_Relation_Management/sales.json"
    before = read_enterprise(small).rows["sales"]
    record = json.loads(file.read_text())[0]
    spelled: dict[str, Any] = {key.replace("_", " ").title(): value for key, value in record.items()}
    write_json(file, [spelled])
    assert read_enterprise(small).rows["sales"] == before


def test_managers_and_personas(small: Path) -> None:
    circle: list[dict[str, Any]] = [
        {**EMPLOYEES[0], "reports_to": "emp_0003", "reportees": []},
        {**EMPLOYEES[1], "reportees": []},
        {**EMPLOYEES[2], "reports_to": "emp_0002", "Level": "SA09", "Total Leaves Taken": "99"},
        {**EMPLOYEES[2], "emp_id": "emp_0009", "reports_to": "emp_7777", "reportees": ["emp_0001"]},
    ]
    write_json(small / "Human_Resource_Management/Employees/employees.json", circle)
    imported = read_enterprise(small)
    kinds = imported.report.by_kind()
    assert (kinds["manager_circle"], kinds["unknown_manager"], kinds["asymmetric_manager"]) == (1, 1, 1)
    assert kinds["level_and_category"] == 1
    everybody = personas(imported.rows["employees"])
    assert everybody["emp_0003"].department == "IN"
    assert everybody["emp_0001"].managers == ("emp_0003", "emp_0002")
    assert everybody["emp_0002"].managers == ()
    assert not everybody["emp_0002"].active
    assert first_active(everybody).id == "emp_0001"
    assert first_active({}).id == ""


def test_dangling_ids_are_found(small: Path) -> None:
    write_json(
        small / "Enterprise_mail_system/emails.json", [{**MAILS[1], "recipient_emp_id": "emp_9999"}, MAILS[0]]
    )
    imported = read_enterprise(small)
    assert ("mail/m-2", "dangling") in flags(imported)
    found = [f for f in imported.report.findings if f.kind == "dangling"]
    assert [(f.file, f.record) for f in found] == [("Enterprise_mail_system/emails.json", "mail/m-2")]
    assert "emp_9999" in found[0].reason


def test_a_page_built_otherwise_is_read_too(small: Path) -> None:
    write_pdf(small / ORDER, [["Invoice", "Customer ID: other"]])
    text = (small / ORDER).read_text().replace("(Invoice) Tj", "[(Inv) -1 (oice)] TJ")
    (small / ORDER).write_text(text)
    imported = read_enterprise(small)
    assert "oice" in str(imported.rows["orders"][0]["text"])
    assert imported.rows["orders"][0]["customer_id"] == "other"
    assert {"order_customer", "dangling"} <= set(imported.report.by_kind())


def test_cells_fit_the_schema(small: Path) -> None:
    cells = read_enterprise(small).cells()
    for table in TABLES:
        for line in cells[table.name]:
            assert len(line) == len(table.columns)
            assert all(cell is None or (type(cell) is str and cell.strip()) for cell in line)
