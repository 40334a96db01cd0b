"""A small folder with every file of the original's layout; `small.json` has the records by file."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from tests.tools.kinds.enterprise.importing.pdfs import write_pdf

RESUME = "Human_Resource_Management/Resume/resume_information.csv"
FILES: dict[str, list[dict[str, Any]]] = json.loads(Path(__file__).with_name("small.json").read_text("utf-8"))
RESUMES = FILES.pop(RESUME)
EMPLOYEES = FILES["Human_Resource_Management/Employees/employees.json"]
MAILS = FILES["Enterprise_mail_system/emails.json"]
SALES = FILES["Customer_Relation_Management/sales.json"]
TASKS = FILES["published_tasks.json"]
POLICY = "Policy_Documents/Inazuma.co Leave Policy (new).pdf"
ORDER = "Customer_Relation_Management/Customer_orders/invoice_arout.pdf"


def write_small(root: Path) -> Path:
    """Write all files under `root`."""
    for name, records in FILES.items():
        write_json(root / name, records)
    (root / RESUME).parent.mkdir(parents=True)
    with (root / RESUME).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(RESUMES[0]))
        writer.writeheader()
        writer.writerows(RESUMES)
    write_pdf(root / POLICY, [["Leave Policy", "[Insert Date]"], ["Casual leave: 12 days"]])
    write_pdf(root / ORDER, [["Invoice", "Customer ID: arout", "B000000001", "I399"]])
    return root


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
