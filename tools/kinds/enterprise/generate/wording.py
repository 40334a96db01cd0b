"""Writing texts from templates that are kept as data."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from worksmith.tools.files.data_files import read_toml

FEW = ("three", "four", "five", "six", "seven", "eight", "nine")
"""What a slot called `few` may hold."""

_CHOICE = re.compile(r"\[([^\]]+)\]")


@cache
def texts(name: str) -> dict[str, Any]:
    """The templates of `texts/<name>.toml`. Shared: callers do not change it."""
    return read_toml(__package__, f"texts/{name}.toml")


def fill(template: str, slots: Mapping[str, str]) -> str:
    """`template` with each `{slot}` filled; what begins a sentence is capitalised by the template, not here.

    Raises:
        KeyError: if a slot has no value.
    """
    return template.format_map(slots)


def pick(numbers: random.Random, templates: list[str], slots: Mapping[str, str]) -> str:
    return fill(numbers.choice(templates), slots)


def vary(numbers: random.Random, template: str) -> str:
    """`template` with one phrase of each choice: `[dry|damp]` becomes `dry` or `damp`."""
    return _CHOICE.sub(lambda found: numbers.choice(found[1].split("|")), template)


def with_article(noun: str) -> str:
    """`noun` after `a` or `an`, by its first letter."""
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"
