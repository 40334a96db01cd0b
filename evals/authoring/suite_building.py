"""Making suites: built from settings, or imported from the files of a published system."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from worksmith.evals.suite import Suite, write_suite
from worksmith.evals.task_kind import importer, record_files, suite_builder
from worksmith.evals.tasks.building import BuildContext, Progress
from worksmith.tools.errors import InputError
from worksmith.tools.files.directories import directory_atomically

REPORT_FILE = "import_report.json"
"""The file with an importer's missing, damaged and omitted records."""


def build_suite(
    kind: str,
    out: Path,
    *,
    progress: Progress = lambda _: None,
    resolve: Callable[[str], Any] | None = None,
    cache: Path | None = None,
    **options: Any,
) -> Suite:
    """Generate a suite in the folder `out`.

    Args:
        resolve, cache: see `BuildContext`.
        options: settings of the kind by name, such as `seed` and `scale`; see `SuiteBuilder.options`.

    Raises:
        InputError: the kind is unknown, or the scale is out of range.
        pydantic.ValidationError: an option is none of the kind's, or its value makes no sense.
    """
    builder = suite_builder(kind)
    context = BuildContext(progress, cache=cache)
    if resolve is not None:
        context = BuildContext(progress, resolve, cache)
    made = builder.build(out, builder.options(**options), context)
    return write_suite(made.world, made.tasks)


def import_suite(
    system: str,
    source: Path,
    out: Path,
    *,
    records: Path | None = None,
    progress: Progress = lambda _: None,
) -> Suite:
    """Read the files of a published system in `source` into a suite.

    The suite appears in `out` as a whole or not at all; one that was there before is replaced.

    Args:
        records: file with the system's records, where they are not among its other files.

    Raises:
        InputError: nothing imports such files, there is nothing to read, its records come in no file of their
            own, or `out` cannot be written.
    """
    read = importer(system)
    more = {} if records is None else {"records": _checked(system, records)}
    if not source.is_dir():
        raise InputError("no such directory", where=str(source))
    with directory_atomically(out) as place:
        made = read(source, place, progress, **more)
        write_suite(made.world, made.tasks)
    if (out / REPORT_FILE).exists():
        progress(f"details: {out / REPORT_FILE}")
    return Suite.open(out)


def _checked(system: str, records: Path) -> Path:
    if system not in record_files():
        names = ", ".join(sorted(record_files())) or "none"
        raise InputError(
            f"records of {system} do not come in a file of their own",
            where=str(records),
            hint=f"those of: {names}",
        )
    return records
