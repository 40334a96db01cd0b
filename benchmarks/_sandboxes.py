"""What sandboxes over one database cost: a private copy for each, or one mapped image for all."""

from __future__ import annotations

import json
import mmap
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

from worksmith.tools.sqlite.sandbox import Sandbox
from worksmith.tools.sqlite.schema import Table

NOTES = Table("notes", ("id", "owner", "text"), indexes=("id", "owner"))
OWNERS = 12_600
_READS = 1_000


def measure(folder: Path, rows: int, size: int) -> dict[str, Any]:
    """Write a database of so many rows of half a KiB, and open `size` sandboxes of each sort over it."""
    file = folder / "notes.sqlite"
    connection = apsw.Connection(str(file))
    connection.pragma("synchronous", "off")
    with connection:
        for statement in NOTES.ddl():
            connection.execute(statement)
        notes = ((f"n{n}", f"e{n * 7919 % OWNERS}", "word " * 90) for n in range(rows))
        connection.executemany(NOTES.insert_sql(), notes)
    connection.close()
    figures: dict[str, Any] = {"sandboxes": size, "database_mib": round(file.stat().st_size / 2**20, 1)}
    for sort in ("private", "shared"):
        command = [sys.executable, "-m", "benchmarks._sandboxes", sort, str(file), str(rows), str(size)]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        figures[sort] = json.loads(said)
    return figures


def _measured(sort: str, file: Path, rows: int, size: int) -> dict[str, Any]:
    """Microseconds of the processor for calls, and MiB after each sandbox has read the whole table."""
    started = time.perf_counter()
    with file.open("rb") as opened:
        image = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    sandboxes = [Sandbox(image[:] if sort == "private" else image, (NOTES,)) for _ in range(size)]
    opened_s, first = time.perf_counter() - started, sandboxes[0]
    numbers = iter(range(1, rows, max(1, rows // _READS)))

    def read(statement: str, *values: str) -> Callable[[apsw.Connection], object]:
        return lambda connection: list(connection.execute(statement, values))

    one = "SELECT * FROM notes WHERE id = ?"
    _, changes = first.run(b"", read("UPDATE notes SET text = 'x' WHERE id = 'n7'"))
    figures = {
        "open_s": round(opened_s, 2),
        "read_us": _cpu(lambda: first.read(b"", read(one, f"n{next(numbers)}")), min(rows, _READS) // 2),
        "read_again_us": _cpu(lambda: first.read(b"", read(one, "n7")), 200),
        "write_us": _cpu(
            lambda: first.run(changes, read("UPDATE notes SET text = 'y' WHERE id = 'n9'")), 200
        ),
    }
    scan = read("SELECT sum(length(text)) FROM notes")
    figures["scan_us"] = _cpu(lambda: first.read(b"", scan), 1)
    for sandbox in sandboxes:
        sandbox.read(b"", scan)
    return {**figures, "anonymous_mib": _resident("RssAnon"), "mapped_mib": _resident("RssFile")}


def _cpu(work: Callable[[], object], count: int) -> float:
    started = time.thread_time()
    for _ in range(count):
        work()
    return round((time.thread_time() - started) / count * 1e6, 1)


def _resident(part: str) -> int:
    found = re.search(rf"{part}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) // 1024 if found else 0


if __name__ == "__main__":
    print(json.dumps(_measured(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))))
