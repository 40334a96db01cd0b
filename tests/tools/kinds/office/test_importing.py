from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from worksmith.tools.errors import InputError
from worksmith.tools.kinds.office.importing import import_tables

FILES = {
    "calendar_events.csv": "processed",
    "emails.csv": "processed",
    "analytics_data.csv": "processed",
    "project_tasks.csv": "processed",
    "customer_relationship_manager_data.csv": "processed",
    "email_addresses.csv": "raw",
}


@pytest.fixture
def copy(original: Path, tmp_path: Path) -> Path:
    """The original's data as its own repository lays it out."""
    for name, folder in FILES.items():
        (tmp_path / "data" / folder).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(original / name, tmp_path / "data" / folder / name)
    return tmp_path


def test_all_layouts_give_the_same_tables(original: Path, copy: Path) -> None:
    tables = import_tables(original)
    assert import_tables(copy) == import_tables(copy / "data") == tables
    counts = {name: len(rows) for name, rows in tables.items()}
    assert counts == {
        "calendar": 300,
        "email": 500,
        "analytics": 1000,
        "tasks": 300,
        "customers": 200,
        "directory": 20,
    }
    assert sum(cell is None for row in tables["customers"] for cell in row) == 144


def _replace(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("name", "damage", "where"),
    [
        ("calendar_events.csv", _replace("event_start", "start"), "calendar_events.csv"),
        ("calendar_events.csv", _replace("2023-08-01 09:00:00", "2023-08-01"), "line 2, column event_start"),
        ("calendar_events.csv", _replace("luis.ortiz@", "luis.ortiz"), "line 2, column participant_email"),
        ("calendar_events.csv", _replace("00000275", "00000013"), "line 3, column event_id"),
        ("emails.csv", _replace(",inbox,", ",spam,"), "line 2, column inbox/outbox"),
        ("emails.csv", lambda text: text[:-30], "emails.csv, line"),
        ("analytics_data.csv", _replace("0860,8,4", "0860,8"), "line 2"),
        ("analytics_data.csv", _replace(",False", ",maybe"), "column user_engaged"),
        ("project_tasks.csv", _replace("2023-11-27", "2023-11-31"), "line 2, column due_date"),
        ("project_tasks.csv", _replace("Backlog", "backlog"), "line 2, column list_name"),
        ("customer_relationship_manager_data.csv", _replace("Taylor Jackson", ""), "column customer_name"),
        ("customer_relationship_manager_data.csv", lambda text: "", "customer_relationship_manager_data.csv"),
        ("email_addresses.csv", _replace("@atlas.com", ""), "line 1"),
        ("email_addresses.csv", lambda text: text + text, "line 21"),
    ],
)
def test_damage_is_refused_with_its_place(
    copy: Path, name: str, damage: Callable[[str], str], where: str
) -> None:
    file = copy / "data" / FILES[name] / name
    text = file.read_text()
    assert damage(text) != text
    file.write_text(damage(text))
    with pytest.raises(InputError) as caught:
        import_tables(copy)
    assert caught.value.where is not None
    assert where in caught.value.where
    assert name in caught.value.where


def test_files_that_are_missing_or_not_text_are_refused(copy: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        import_tables(copy / "nowhere")
    file = copy / "data" / "processed" / "emails.csv"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        import_tables(copy)
    file.unlink()
    with pytest.raises(InputError, match=r"emails\.csv is missing"):
        import_tables(copy)
