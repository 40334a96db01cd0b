"""What wordings speak of: people, places, months, problems, times, transfers, rules (`senses.toml`)."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files


@cache
def sense(name: str) -> re.Pattern[str]:
    """The pattern for all words of a sense, in small letters."""
    return re.compile(rf"\b{_alternatives(name)}\b")


@cache
def opening() -> re.Pattern[str]:
    return re.compile(rf"(?:^|[.:;,!?] )(?:{_alternatives('greeting')}[, ]+)*{_alternatives('opening')}\b")


@cache
def _alternatives(name: str) -> str:
    """All entries of a sense as one pattern; `<name>` in an entry stands for another sense."""
    entries = (re.sub(r"<(\w+)>$", lambda other: _alternatives(other[1]), entry) for entry in _data()[name])
    return f"(?:{'|'.join(entries)})"


@cache
def _data() -> dict[str, list[str]]:
    return tomllib.loads(
        files("evals.kinds.crm.published").joinpath("senses.toml").read_text(encoding="utf-8")
    )
