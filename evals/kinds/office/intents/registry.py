"""All intents of office worlds."""

from __future__ import annotations

import importlib
from functools import cache

from worksmith.evals.kinds.office.intents.intent import Intent
from worksmith.tools.errors import InputError

MODULES = ("analytics", "calendar", "crm", "email", "project_management", "multi")
"""Each has `INTENTS`. Whole intents are held out from each module's intents alike."""


@cache
def groups() -> dict[str, tuple[Intent, ...]]:
    return {name: tuple(importlib.import_module(f"{__package__}.{name}.intents").INTENTS) for name in MODULES}


@cache
def all_intents() -> tuple[Intent, ...]:
    """Every intent, in order."""
    return tuple(intent for group in groups().values() for intent in group)


def intent(code: str) -> Intent:
    """The intent with this code or id.

    Raises:
        InputError: it is unknown.
    """
    for one in all_intents():
        if code in (one.code, one.id):
            return one
    raise InputError(f"no intent {code!r}", hint="codes look like 'C1'")
