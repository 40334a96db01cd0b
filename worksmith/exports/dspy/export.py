"""Write a suite's tasks as files of plain `dspy.Example`s, with their metric."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.suite import Suite
from worksmith.exports.choice import choice_of, chosen_tasks
from worksmith.exports.folder import check_folder, write_folder
from worksmith.exports.rows import row_of
from worksmith.jobs.showing.printing import Printed

if TYPE_CHECKING:
    from worksmith.jobs.settings.exports import ExportSettings

SPLITS = ("train", "dev", "test")

_METRIC = '''"""Tasks for DSPy: examples of a split, their episodes, and the metric."""

import json
from pathlib import Path

import dspy

from worksmith.exports.dspy import Episodes

episodes = Episodes({suite!r})
metric = episodes.metric


def examples(split: str) -> list[dspy.Example]:
    """The examples of a split; a program gets id, query and context."""
    rows = json.loads((Path(__file__).parent / f"{{split}}.json").read_text(encoding="utf-8"))
    return [dspy.Example(**row).with_inputs("id", "query", "context") for row in rows]
'''


def export(settings: ExportSettings, *, progress: Progress = SILENT) -> Printed:
    """Write a file of examples for each split, and `metric.py`, which opens the suite to score them."""
    check_folder(settings)
    suite = Suite.open(settings.suite)
    counts = suite.counts()
    splits = [name for name in SPLITS if name in counts] if settings.split is None else [settings.split]
    choice = choice_of(settings)
    found = {}
    for split in splits:
        choice["split"] = split
        found[split] = chosen_tasks(suite, progress=progress, **choice)[2]
    files = {
        f"{split}.json": _lines([row_of(suite, task) for task in tasks]) for split, tasks in found.items()
    }
    files["metric.py"] = _METRIC.format(suite=str(settings.suite.resolve()))
    return write_folder(settings, files, sum(map(len, found.values())))


def _lines(rows: list[dict[str, Any]]) -> str:
    """A JSON list with one row a line."""
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"
