"""The example of own data fits a page."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "own_data.py"


def test_it_fits_on_a_page() -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 35
    assert sum(line.startswith("@env.tool") for line in lines) == 5
    tasks = (ROOT / "examples" / "helpdesk" / "tasks.jsonl").read_text(encoding="utf-8")
    assert len(tasks.splitlines()) == 40
