"""Making the writing calls of a solution."""

from __future__ import annotations

from evals.kinds.office.intents.script import Script
from evals.tasks.task import Action


def perform(call: Script, action: Action, why: str) -> None:
    """Make the writing call that `action` describes."""
    call(action.tool, why, **action.arguments)
