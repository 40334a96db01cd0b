"""Work in a sandbox leaves no trace, in a private copy as over an image that others share."""

from __future__ import annotations

import hashlib
import mmap
import threading
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from worksmith.tools.sqlite.sandbox import Sandbox, SandboxPool
from worksmith.tools.sqlite.schema import Table

NOTES = Table("notes", ("id", "text"), indexes=("id",))
ROWS = 3_000
TOTAL = "SELECT count(*), sum(length(text)) FROM notes"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("world") / "world.sqlite"
    connection = apsw.Connection(str(path))
    with connection:
        for statement in NOTES.ddl():
            connection.execute(statement)
        connection.executemany(NOTES.insert_sql(), ((f"n{number}", "word " * 20) for number in range(ROWS)))
    connection.close()
    return path


@pytest.fixture(params=["private", "shared"])
def sandbox(request: pytest.FixtureRequest, file: Path) -> Sandbox:
    if request.param == "private":
        return Sandbox(file.read_bytes(), (NOTES,))
    with file.open("rb") as opened:
        return Sandbox(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ), (NOTES,))


def running(*statements: str) -> Callable[[apsw.Connection], list[tuple[object, ...]]]:
    def run(connection: apsw.Connection) -> list[tuple[object, ...]]:
        for statement in statements:
            connection.execute(statement)
        return list(connection.execute(TOTAL))

    return run


def test_changes_are_kept_in_the_changeset_alone(sandbox: Sandbox, file: Path) -> None:
    before = hashlib.sha256(file.read_bytes()).digest()
    many = "INSERT INTO notes(id, text) SELECT id || 'b', text FROM notes"

    found, changes = sandbox.run(b"", running("UPDATE notes SET text = 'x' WHERE id < 'n2'", many))
    assert sandbox.read(b"", running()) == [(ROWS, ROWS * 100)]
    assert sandbox.read(changes, running()) == found
    _, more = sandbox.run(changes, running("DELETE FROM notes WHERE id LIKE '%b'"))
    assert sandbox.read(more, running())[0][0] == ROWS
    assert hashlib.sha256(file.read_bytes()).digest() == before


@pytest.mark.parametrize("statement", ["ROLLBACK", "COMMIT", "BEGIN", "PRAGMA locking_mode=normal"])
def test_no_statement_ends_the_transaction(sandbox: Sandbox, statement: str) -> None:
    for _ in range(2):
        with pytest.raises(apsw.AuthError):
            sandbox.run(b"", running(statement))
    assert sandbox.read(b"", running()) == [(ROWS, ROWS * 100)]


def test_a_sandbox_that_cannot_be_made_leaves_its_place_in_the_pool(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, failing = threading.Event(), threading.Event()

    def full(*_: object) -> None:
        begun.set()
        failing.wait(5)
        raise MemoryError

    pool = SandboxPool(file.read_bytes(), (NOTES,), size=1)
    found: list[object] = []

    def work() -> None:
        try:
            with pool.borrow() as sandbox:
                found.append(sandbox.read(b"", running())[0][0])
        except MemoryError as error:
            found.append(error)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(2)]
    with monkeypatch.context() as patched:
        patched.setattr("worksmith.tools.sqlite.sandbox.Sandbox", full)
        threads[0].start()
        assert begun.wait(5)
    threads[1].start()  # waits for the first one
    failing.set()
    for thread in threads:
        thread.join(5)

    assert list(map(type, found)) == [MemoryError, int]
