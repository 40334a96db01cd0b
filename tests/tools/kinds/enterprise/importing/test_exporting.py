from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.tools.kinds.enterprise.importing.exporting import export_enterprise
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.enterprise.importing.people import NOBODY
from worksmith.tools.kinds.enterprise.importing.reader import NOW, ORIGIN, Imported, read_enterprise
from worksmith.tools.kinds.enterprise.schema import TABLES
from worksmith.tools.world import World, write_world


def world_of(directory: Path, rows: Mapping[str, Sequence[Sequence[str | None]]], origin: str) -> World:
    return write_world(directory, TABLES, rows, kind="enterprise", origin=origin, now=NOW, persona=NOBODY)


def lay_beside(imported: Imported, world: World) -> None:
    for path, file in imported.files.items():
        (world.path / path).parent.mkdir(parents=True, exist_ok=True)
        (world.path / path).write_bytes(file.read_bytes())
    lines = [json.dumps({"record": r, "fields": f}) for r, f in imported.extras.items()]
    (world.path / "originals.jsonl").write_text("\n".join(lines))


def test_an_imported_world_comes_back(small: Path, tmp_path: Path) -> None:
    imported = read_enterprise(small)
    world = world_of(tmp_path / "world", imported.cells(), ORIGIN)
    lay_beside(imported, world)
    export_enterprise(world, tmp_path / "out")
    again = read_enterprise(tmp_path / "out")
    assert again.cells() == imported.cells()
    assert again.extras == imported.extras
    assert again.report.flagged_by_kind() == imported.report.flagged_by_kind()
    export_enterprise(world_of(tmp_path / "world2", again.cells(), ORIGIN), tmp_path / "out2")
    assert read_enterprise(tmp_path / "out2").cells() == imported.cells()


def test_files_look_like_the_original(small: Path, tmp_path: Path) -> None:
    imported = read_enterprise(small)
    world = world_of(tmp_path / "world", imported.cells(), ORIGIN)
    lay_beside(imported, world)
    export_enterprise(world, tmp_path / "out")

    def records(name: str) -> list[dict[str, Any]]:
        text = (tmp_path / "out" / name).read_text()
        assert text.isascii()
        found: list[dict[str, Any]] = json.loads(text)
        return found

    ann, bob, _ = records("Human_Resource_Management/Employees/employees.json")
    assert (ann["Level"], ann["DOJ"], ann["DOL"], bob["DOL"]) == (
        "EN14",
        "03-01-2012",
        "Present",
        "05-03-2020",
    )
    assert (ann["reportees"], ann["reports_to"], bob["reports_to"]) == (["emp_0002"], None, "emp_0001")
    assert (ann["index"], ann["Description"]) == ("1", "Engineering")
    sale = records("Customer_Relation_Management/sales.json")[0]
    assert sale == {
        "product_id": "B000000001",
        "discounted_price": "₹399",
        "actual_price": "₹1,099",
        "discount_percentage": "64%",
        "customer_id": "arout",
        "Date_of_Purchase": "2013-02-06",
        "sales_record_id": 0,
    }
    one, two = records("Workspace/GitHub/GitHub.json")
    assert one["issues"]["id"] == "i-1"
    assert [issue["id"] for issue in two["issues"]] == ["i-2", "i-3"]
    mail = records("Enterprise_mail_system/emails.json")[0]
    assert mail["date"] == "2015-06-08 04:24:36 IST"


EXTRA: dict[str, dict[str, str]] = {
    "employees": {
        "emp_id": "emp_0001",
        "name": "Eve Exe",
        "department": "CE",
        "category": "Executive",
        "level": "14",
        "title": "CEO",
        "doj": "2012-01-03",
        "is_valid": "TRUE",
    },
    "mail": {
        "email_id": "EM-000001",
        "thread_id": "THR-000001",
        "date": "2022-03-04T09:30:00",
        "body": " x\n",
    },
    "conversations": {"conversation_id": "CV-00001", "date": "2022-03-04T09:30:00", "text": "Hi"},
    "repositories": {"file_id": "o/n:a.py", "repo_name": "o/n", "path": "a.py", "emp_id": "emp_0001"},
    "issues": {
        "issue_id": "ISS-0001",
        "repo_name": "o/n",
        "path": "b.py",
        "title": "T",
        "emp_id": "emp_0002",
        "closed_at": "2022-01-01",
    },
    "tickets": {"ticket_id": "1001", "category": "vpn", "status": "resolved", "closed_date": "2022-01-01"},
    "products": {"product_id": "PRD-0001", "actual_price": "1234567.5", "stock": "12"},
    "customers": {
        "customer_id": "CUS-0001",
        "region": "North",
        "invoice_path": "orders/invoice_CUS-0001.txt",
    },
    "sales": {"sales_record_id": "SAL-00001", "emp_id": "emp_0001", "quantity": "2"},
    "sentiments": {"sentiment_id": "SEN-00001", "review_content": "Fine"},
    "support_chats": {"chat_id": "SCH-00001", "text": "Hi"},
    "overflow": {"post_id": "OVF-00001", "post_type": "question", "tags": "a, b"},
    "posts": {"post_id": "PST-0001", "title": "T", "date": "2022-01-01"},
    "orders": {
        "order_id": "ORD-1",
        "kind": "invoice",
        "customer_id": "CUS-0001",
        "total": "99.50",
        "path": "orders/invoice_CUS-0001.txt",
        "text": "Total 99.50",
    },
    "policies": {
        "page_id": "P1-1",
        "policy_id": "P1",
        "page": "1",
        "path": "documents/policies/p.pdf",
        "text": "x",
    },
    "clients": {"client_id": "CL-1", "renewal_date": "2023-01-01", "monthly_revenue": "1000"},
    "vendors": {"vendor_id": "VN-1"},
    "resumes": {"resume_id": "RS-1", "emp_id": "emp_0001", "content": 'a,\n"b"'},
}


def test_a_generated_world_comes_back(tmp_path: Path) -> None:
    """Columns that the original lacks, executives, ids of another form, documents that are no files."""
    rows = {t.name: [tuple(EXTRA[t.name].get(column) for column in t.columns)] for t in TABLES}
    world = world_of(tmp_path / "world", rows, "generated")
    export_enterprise(world, tmp_path / "out")
    assert read_enterprise(tmp_path / "out").cells() == rows


def test_only_enterprises(tmp_path: Path) -> None:
    other = write_world(
        tmp_path, (), {}, kind="office", origin="generated", now=datetime(2023, 11, 30), persona=NOBODY
    )
    with pytest.raises(InputError, match="office"):
        export_enterprise(other, tmp_path / "out")
