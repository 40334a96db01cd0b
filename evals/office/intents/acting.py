"""Making the writing calls of a solution."""

from __future__ import annotations

from evals.office.intents.script import Script
from evals.task import Action


def perform(call: Script, action: Action, why: str) -> None:
    """Make the writing call that `action` describes."""
    call(action.tool, why, **action.arguments)
