"""The families of questions, in the order in which the paper names them."""

from __future__ import annotations

import importlib
from functools import cache

from evals.crm.family import Family

_NAMES = ("handle_time",)


@cache
def families() -> tuple[Family, ...]:
    """All families."""
    return tuple(importlib.import_module(f"evals.crm.families.{name}").FAMILY for name in _NAMES)
