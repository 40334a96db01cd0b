"""Test tasks that are worded as a task of the training data, but for names, numbers and dates."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks._stages import Work
from benchmarks.weights.forms import OFFICE, WORKBENCH, Form
from worksmith.evals.suite import Suite

_VALUE = re.compile(r"(?<!\w)'[^']*'(?!\w)|\"[^\"]*\"|(?<=.)\b[A-Z][\w-]*|\d[\w:.-]*")
"""What differs between two tasks of one wording."""

_TASK = "\nTask: "
"""Before the task in a compact prompt."""


def worded_alike(work: Work, form: Form) -> Iterator[dict[str, Any]]:
    """For each test the number of tasks that are worded as a line of the largest data, and of all."""
    data = work.folder(f"data/office-{form.largest}") / "data.jsonl"
    if not data.is_file():
        return
    lines = map(json.loads, data.read_text().splitlines())
    known = {_wording(line["messages"][1]["content"].partition(_TASK)[2]) for line in lines}
    for test in (OFFICE, WORKBENCH):
        if f"test/{test}" in work.stages and work.result(f"test/{test}") is not None:
            found = [_wording(query) in known for query in _queries(work.folder(f"test/{test}"), test)]
            yield {"test": test, "tasks": len(found), "worded_alike": sum(found)}


def _queries(folder: Path, test: str) -> list[str]:
    (place,) = (place for place in folder.iterdir() if place.is_dir())
    tasks = Suite.open(place).select(split="all" if test == WORKBENCH else "test")
    return [task.query for task in tasks]


def _wording(text: str) -> str:
    return " ".join(_VALUE.sub("_", text.strip()).lower().split())
