"""The page of results, into which benchmarks write their tables."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "results.md"


def between(page: str, name: str, text: str) -> str:
    """A page with a text between the marks of this name."""
    begin, end = f"<!-- {name} of the benchmark -->", f"<!-- end of the {name} -->"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"
