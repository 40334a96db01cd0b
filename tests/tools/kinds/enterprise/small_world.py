"""A company of twenty, small enough to know by heart: who is in it stands in small_world.toml."""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path
from typing import Any

from worksmith.tools.environment import Environment
from worksmith.tools.kinds.enterprise.personnel import NEW_LEAVES
from worksmith.tools.kinds.enterprise.schema import DEPARTMENTS, TABLES
from worksmith.tools.kinds.enterprise.writing import content_hash, content_size
from worksmith.tools.persona import Persona
from worksmith.tools.world import World, write_world

COMPANY: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
NOW: datetime = COMPANY["now"]
PEOPLE = {record["emp_id"]: record for record in COMPANY["employees"]}

CEO, CTO, COO = "emp_0001", "emp_0002", "emp_0003"
DIRECTOR, MANAGER, LEAD, GITA, HARI = "emp_0004", "emp_0005", "emp_0006", "emp_0007", "emp_0008"
IT_LEAD, IT_ASSOCIATE = "emp_0009", "emp_0010"
HR_MANAGER, HR_LEAD, HR_ASSOCIATE = "emp_0011", "emp_0012", "emp_0013"
SALES_MANAGER, SALES_LEAD, SALES_ASSOCIATE = "emp_0014", "emp_0015", "emp_0016"
VENDOR_MANAGER, ACCOUNTANT, DEVELOPER, LEFT = "emp_0017", "emp_0018", "emp_0019", "emp_0020"


def small_rows() -> dict[str, list[tuple[str | None, ...]]]:
    """The records, cells in the order of the schema."""
    return {
        table.name: [tuple(record.get(column) for column in table.columns) for record in _records(table.name)]
        for table in TABLES
    }


def write_small_world(directory: Path) -> World:
    """The company as a world in `directory`."""
    return write_world(
        directory,
        TABLES,
        small_rows(),
        kind="enterprise",
        origin="generated",
        now=NOW,
        persona=Persona(id=CEO, name=PEOPLE[CEO]["name"], department="CE", level=14),
    )


def open_small_env(directory: Path) -> Environment:
    """A environment over the company, without an index: search goes by words."""
    return Environment(write_small_world(directory), sandboxes=1)


def address(emp_id: str) -> str:
    """Somebody's mail address."""
    return ".".join(PEOPLE[emp_id]["name"].lower().split()) + "@example.com"


def _records(source: str) -> list[dict[str, str]]:
    completed = {"employees": _employee, "mail": _mail, "repositories": _file}.get(source, dict)
    return [completed(record) for record in COMPANY[source]]


def _employee(record: dict[str, str]) -> dict[str, str]:
    return {
        "email": address(record["emp_id"]),
        "category": DEPARTMENTS[record["department"]],
        "doj": "2018-01-01",
        "is_valid": "TRUE",
        "age": "30",
        "gender": "Female",
        "marital_status": "Single",
        "performance_rating": "4",
        **NEW_LEAVES,
        **record,
    }


def _mail(record: dict[str, str]) -> dict[str, str]:
    ends = {
        f"{end}_{what}": value
        for end in ("sender", "recipient")
        if f"{end}_emp_id" in record
        for what, value in (
            ("name", PEOPLE[record[f"{end}_emp_id"]]["name"]),
            ("email", address(record[f"{end}_emp_id"])),
        )
    }
    return {**record, **ends}


def _file(record: dict[str, str]) -> dict[str, str]:
    code = record["code"]
    return {
        **record,
        "file_id": f"{record['repo_name']}:{record['path']}",
        "copies": "1",
        "size": content_size(code),
        "hash": content_hash(code),
    }
