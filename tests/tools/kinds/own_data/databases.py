"""A help desk in a database that other processes change."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.e2e.shared_servers import postgres
from tests.tools.kinds.own_data.desk import with_tools, write_policy
from worksmith.tools.kinds.own_data.environment import Environment
from worksmith.tools.kinds.own_data.sources.database import Database

_DESK = (
    "CREATE TABLE people (id VARCHAR(9) PRIMARY KEY, name TEXT, team TEXT)",
    "CREATE TABLE tickets (ticket_id VARCHAR(9) PRIMARY KEY, title TEXT, status TEXT, priority INTEGER,"
    " team TEXT, vip BOOLEAN)",
    "CREATE TABLE articles (number INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT)",
    "CREATE TABLE notes (ticket VARCHAR(9) REFERENCES tickets, line INTEGER, hours NUMERIC(6, 2), day DATE,"
    " PRIMARY KEY (ticket, line))",
    "INSERT INTO people VALUES ('ann', 'Ann', 'red'), ('bo', 'Bo', 'blue')",
    "INSERT INTO tickets VALUES ('T-1', 'Printer jams', 'open', 2, 'red', TRUE),"
    " ('T-2', 'No network', 'open', 3, 'blue', FALSE)",
    "INSERT INTO articles VALUES (7, 'Paper jams', 'Open the tray.')",
    "INSERT INTO notes VALUES ('T-1', 1, 0.5, '2026-01-04')",
)

_IN_SQLITE = (
    "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.executescript(';'.join(sys.argv[2:]))"
)


def elsewhere(url: str, *statements: str) -> None:
    """Change a database in another process: another one's SQLite, or a server."""
    if url.startswith("sqlite"):
        file = url.removeprefix("sqlite:///")
        subprocess.run([sys.executable, "-c", _IN_SQLITE, file, *statements], check=True)
        return
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres() as address:
        yield f"{address}/mlflow"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database with the desk's tables."""
    if request.param == "sqlite":
        file = tmp_path / "desk.db"
        file.touch()
        address = f"sqlite:///{file}"
    else:
        address = request.getfixturevalue("server")
        elsewhere(address, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    elsewhere(address, *_DESK)
    return address


def stored_desk(folder: Path, database: Database, rules: object = None) -> Environment:
    """The desk over its database, with the tools of `desk.desk`."""
    env = with_tools(
        Environment.from_tables(
            {"desk": database},
            now="2026-01-05 09:00",
            personas="people",
            folder=folder / "worlds",
            sandboxes=1,
        )
    )
    if rules is not None:
        env.use_policy(write_policy(folder, rules))
    return env
