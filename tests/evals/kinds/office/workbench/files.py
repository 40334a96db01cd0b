"""Where the original's own files lie, if this checkout has them beside it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

ORIGINAL = Path(__file__).parents[6] / "shared" / "data" / "workbench"

needs_original = pytest.mark.skipif(
    not ORIGINAL.is_dir(), reason="the original's files are not in ../shared/data/workbench"
)


def write_tasks(directory: Path, domain: str, *rows: Sequence[str]) -> Path:
    """A task table with the columns query, answer, domains and template."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{domain}_queries_and_answers.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["query", "answer", "base_template", "chosen_template", "domains"])
        writer.writerows(
            (query, answer, template, "unused", domains) for query, answer, domains, template in rows
        )
    return path
