"""The published enterprise benchmark as a suite."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from evals.kinds.enterprise.published.tasks import read_published
from evals.tasks.building import Made, Progress
from tools.files.atomic import write_atomically
from tools.kinds.enterprise.access import POLICY_FILE, packaged_policy
from tools.kinds.enterprise.importing.people import first_active, personas
from tools.kinds.enterprise.importing.reader import NOW, ORIGIN, ORIGINALS_FILE, Imported, read_enterprise
from tools.kinds.enterprise.importing.report import REPORT_FILE
from tools.kinds.enterprise.schema import TABLES
from tools.world import write_world

LICENCE = "MIT (published wrapper over third-party content: for local use only)"


def import_enterprisebench(source: Path, place: Path, progress: Progress) -> Made:
    """Read EnterpriseBench's files: whatever there is of them, in any of their versions.

    What was missing, damaged, changed on the way or put in quarantine stands in `import_report.json`.

    Raises:
        InputError: there is nothing to read.
    """
    imported = read_enterprise(source, progress=progress)
    everybody = personas(imported.rows.get("employees", ()))
    tasks = read_published(imported, everybody)
    progress("writing the world")
    world = write_world(
        place,
        TABLES,
        imported.cells(),
        kind="enterprise",
        origin=ORIGIN,
        now=NOW,
        persona=first_active(everybody),
        licence=LICENCE,
    )
    _write_beside(imported, place)
    for line in imported.report.lines():
        progress(line)
    return Made(world, tasks)


def _write_beside(imported: Imported, directory: Path) -> None:
    for path, file in imported.files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, directory / path)
    lines = (
        json.dumps({"record": record, "fields": fields}) + "\n" for record, fields in imported.extras.items()
    )
    write_atomically(directory / POLICY_FILE, packaged_policy().encode())
    write_atomically(directory / ORIGINALS_FILE, "".join(lines).encode())
    write_atomically(directory / REPORT_FILE, imported.report.to_json())
