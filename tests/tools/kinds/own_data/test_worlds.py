"""Worlds of own tables are built once for the same content."""

from __future__ import annotations

import multiprocessing
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.sources.csv_files import CsvFile
from worksmith.tools.kinds.own_data.sources.tables import read_tables
from worksmith.tools.kinds.own_data.worlds import build_world, tables_of
from worksmith.tools.persona import Persona
from worksmith.tools.sqlite.schema import Table
from worksmith.tools.world import WORLD_FILE, World

NOW = datetime(2026, 1, 5, 9)
USER = Persona(id="user", name="User")


def tickets(folder: Path, rows: int = 3) -> Path:
    file = folder / "tickets.csv"
    lines = (f"T-{n},{n % 5},{n / 4},{'true' if n % 3 else ''}\n" for n in range(rows))
    file.write_text("ticket_id,priority,hours,urgent\n" + "".join(lines))
    return file


def built(folder: Path, **more: Any) -> World:
    settings: dict[str, Any] = {"now": NOW, "persona": USER, "folder": folder / "worlds"} | more
    choices = {name: settings.pop(name) for name in ("keys", "types") if name in settings}
    return build_world(read_tables({"tickets": folder / "tickets.csv"}, **choices), **settings)


def test_a_world_knows_its_tables(tmp_path: Path) -> None:
    tickets(tmp_path)
    world = built(tmp_path)

    [table] = tables_of(World.open(world.path))

    assert table == Table(
        "tickets",
        ("ticket_id", "priority", "hours", "urgent"),
        generated=("ticket_id",),
        exact=("ticket_id", "priority", "hours", "urgent"),
        indexes=("ticket_id",),
        types={"ticket_id": "text", "priority": "integer", "hours": "real", "urgent": "boolean"},
    )
    assert world.manifest.counts == {"tickets": 3}
    assert (world.manifest.kind, world.manifest.licence, world.manifest.seed) == ("own_data", "", None)


def test_a_world_of_unchanged_sources_is_not_read_again(tmp_path: Path) -> None:
    file = tickets(tmp_path)
    first = built(tmp_path)
    file.touch()

    with patch.object(CsvFile, "rows", side_effect=AssertionError("read again")):
        assert built(tmp_path) == first
        tables_of(first)

    assert [path.name for path in first.path.parent.iterdir() if path.is_dir()] == [first.path.name]
    assert (first.path.parent / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize(
    "change",
    [
        {"keys": {"tickets": "ticket_id"}},
        {"types": {"tickets": {"priority": "text"}}},
        {"now": datetime(2026, 1, 6)},
        {"persona": Persona(id="ann", name="Ann")},
    ],
)
def test_what_decides_a_world_is_in_its_address(change: dict[str, Any], tmp_path: Path) -> None:
    tickets(tmp_path)
    assert built(tmp_path).path != built(tmp_path, **change).path


def test_changed_sources_make_another_world(tmp_path: Path) -> None:
    tickets(tmp_path)
    first = built(tmp_path)
    tickets(tmp_path, rows=4)

    assert built(tmp_path).manifest.counts == {"tickets": 4}
    assert World.open(first.path).manifest.counts == {"tickets": 3}


def test_a_damaged_world_is_built_again(tmp_path: Path) -> None:
    tickets(tmp_path)
    first = built(tmp_path)
    (first.path / WORLD_FILE).write_bytes(b"")

    assert built(tmp_path) == first
    assert World.open(first.path) == first


def test_nothing_is_left_of_a_world_that_cannot_be_built(tmp_path: Path) -> None:
    tickets(tmp_path).write_text("ticket_id,n\nT-1,1\nT-1,2\n")
    with pytest.raises(InputError, match=r"row 3, column ticket_id: T-1 is the key of row 2, too"):
        built(tmp_path)

    assert [path.name for path in (tmp_path / "worlds").iterdir()] == [".gitignore"]


@pytest.mark.slow
def test_processes_that_start_at_once_build_one_world(tmp_path: Path) -> None:
    tickets(tmp_path, rows=20_000)
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=built, args=(tmp_path,)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)

    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert len([path for path in (tmp_path / "worlds").iterdir() if path.is_dir()]) == 1


def test_a_table_named_as_an_index_is_refused(tmp_path: Path) -> None:
    tables = read_tables({"a": [{"id": 1}], "a_id": [{"id": 1}]})
    with pytest.raises(InputError, match="no table can be called a_id: a has the column id"):
        build_world(tables, now=NOW, persona=USER, folder=tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    tickets(tmp_path)
    (tmp_path / "worlds").write_text("")
    with pytest.raises(InputError, match="worlds"):
        built(tmp_path)
