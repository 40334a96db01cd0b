"""A small set of questions in the published layouts, with wordings and ids of our own: `small.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from worksmith.tools.kinds.crm.ids import make_id

USER = make_id("005", 61)
PRODUCT = make_id("01t", 17)
CONTACT = make_id("003", 5)
CASE = make_id("500", 900)
ARTICLE = make_id("ka0", 3)
ISSUE = make_id("a1M", 4)
SUBJECT, DESCRIPTION = "Wrong shoes", "I wanted the Tarn Slip-On and got boots."

_SMALL = json.loads(Path(__file__).with_name("small.json").read_text("utf-8"))
RAW: dict[str, list[dict[str, Any]]] = _SMALL["older"]
"""By published name of the family."""

LISTED: list[dict[str, Any]] = _SMALL["newer"]


def write_raw(folder: Path) -> Path:
    """All files of the older layout."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in RAW.items():
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (folder / f"{name}_queries.jsonl").write_text(lines)
    return folder


def write_list(folder: Path, records: list[dict[str, Any]] | None = None) -> Path:
    """A list of tasks as one JSON file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tasks.json").write_text(json.dumps(LISTED if records is None else records))
    return folder
