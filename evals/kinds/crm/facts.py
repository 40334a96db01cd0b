"""CRM suites as facts: how answers were found, types of questions, and in whose name they are asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from worksmith.evals.kinds.crm.task_types import TASK_TYPES
from worksmith.evals.tasks.task import Task
from worksmith.tools.kinds.crm.settings import read_settings
from worksmith.tools.world import World

_NO_USE = ("persona", "no_action_tasks", "corrected_tasks")
"""Facts without meaning for questions of roles without changes."""


def tell(world: World, tasks: Sequence[Task], facts: dict[str, Any]) -> dict[str, Any]:
    """The facts with types of questions, and with the mode: scores of different modes do not compare."""
    types = _task_types(tasks)
    told: dict[str, Any] = {}
    for name, value in facts.items():
        if types and name == "domains":
            told |= types
        elif not types or name not in _NO_USE:
            told[name] = value
        if name == "scale":
            told["mode"] = read_settings(world.path).mode
            told |= {"industry": world.manifest.industry} if world.manifest.industry else {}
    return told


def _task_types(tasks: Sequence[Task]) -> dict[str, Any]:
    """Types, roles and the number of questions without an answer; empty for other tasks."""
    codes = [TASK_TYPES[t.intent].code for t in tasks if t.intent in TASK_TYPES]
    if len(codes) < len(tasks) or not tasks:
        return {}
    counted = Counter(codes)
    return {
        "task_types": {each.code: counted[each.code] for each in TASK_TYPES.values() if each.code in counted},
        "personas": dict(sorted(Counter(t.persona.id for t in tasks if t.persona).items())),
        "without_answer": sum(t.answer is not None and t.answer.kind == "none" for t in tasks),
    }
