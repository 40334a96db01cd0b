"""The regular expressions of `patterns.toml`."""

from __future__ import annotations

import re
from typing import Any

from worksmith.tools.files.data_files import read_toml

_REFERENCE = re.compile(r"@(\w+)@")


def _expanded(tables: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    known = {"unit_words": "|".join(sorted(tables["units"], key=len, reverse=True))}

    def expand(value: Any) -> Any:
        if isinstance(value, str):
            return _REFERENCE.sub(lambda found: known[found[1]], value)
        if isinstance(value, list):
            return [expand(each) for each in value]
        return {key: expand(each) for key, each in value.items()} if isinstance(value, dict) else value

    for table in tables.values():
        for name, value in table.items():
            table[name] = expand(value)
            if isinstance(value, str):
                known[name] = table[name]
    return tables


PATTERNS = _expanded(read_toml(__package__, "patterns.toml"))
"""By table and name, references resolved."""
