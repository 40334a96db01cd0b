"""A suite as facts: what `worksmith suite` says of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from evals.kinds.crm.task_types import TASK_TYPES
from evals.suite import Suite
from evals.tasks.task import Task


def describe(suite: Suite) -> dict[str, Any]:
    """A suite as JSON-able facts."""
    world = suite.world.manifest
    types = _task_types(suite.tasks)
    return {
        "path": str(suite.path),
        "kind": world.kind,
        "origin": world.origin,
        "seed": world.seed,
        "scale": world.scale,
        **_mode(suite),
        "now": world.now.isoformat(sep=" "),
        **({} if types else {"persona": world.persona.name}),
        "licence": world.licence,
        "rows": {name: world.counts[name] for name in _tables(suite)},
        **_search(suite),
        "tasks": len(suite.tasks),
        "intents": len({t.intent for t in suite.tasks if t.intent}),
        "splits": {
            scheme: dict(sorted(Counter(t.in_split(scheme) for t in suite.tasks).items()))
            for scheme in ("standard", "held_out_intents")
        },
        **(types or _domains(suite.tasks)),
        "gold_plans": sum(t.gold_plan is not None for t in suite.tasks),
        **({} if types else _outcomes(suite.tasks)),
        "digest": suite.digest,
    }


def _tables(suite: Suite) -> list[str]:
    """The tables that hold records, without what the world's file has besides to search them."""
    counts = suite.world.manifest.counts
    return [table.name for table in suite.env.kind.tables if table.name in counts]


def _mode(suite: Suite) -> dict[str, str]:
    """By which rules answers were found, where there is a choice: scores of different ones do not compare."""
    from evals.task_kind import modes

    if not modes(suite.world.manifest.kind):
        return {}
    from tools.kinds.crm.settings import read_settings

    return {"mode": read_settings(suite.path).mode}


def _search(suite: Suite) -> dict[str, str]:
    """What searches go by, where tools search: scores depend on it."""
    library = suite.env.library
    if library is None:
        return {}
    vectors = f"words and vectors ({library.embedder})" if library.embedder else "words only"
    return {"search": vectors}


def _quotas(tasks: Sequence[Task]) -> dict[str, Any]:
    """Areas, types and difficulties, where tasks have them."""
    counted: dict[str, Counter[str]] = {
        "areas": Counter(t.area for t in tasks if t.area),
        "types": Counter(t.type for t in tasks if t.type),
        "difficulties": Counter(t.difficulty for t in tasks if t.difficulty),
    }
    return {name: dict(sorted(counts.items())) for name, counts in counted.items() if counts}


def _task_types(tasks: Sequence[Task]) -> dict[str, Any]:
    """Of questions about a CRM: their types, in whose name they are asked, and how many have no answer.

    Nothing for other tasks.
    """
    codes = [TASK_TYPES[t.intent].code for t in tasks if t.intent in TASK_TYPES]
    if len(codes) < len(tasks) or not tasks:
        return {}
    counted = Counter(codes)
    return {
        "task_types": {each.code: counted[each.code] for each in TASK_TYPES.values() if each.code in counted},
        "personas": dict(sorted(Counter(t.persona.id for t in tasks if t.persona).items())),
        "without_answer": sum(t.answer is not None and t.answer.kind == "none" for t in tasks),
    }


def _domains(tasks: Sequence[Task]) -> dict[str, Any]:
    """Toolkits that tasks need, and what else tasks are counted by."""
    domains = Counter("+".join(t.domains) if len(t.domains) == 1 else "multi-domain" for t in tasks)
    return {"domains": dict(sorted(domains.items())), **_quotas(tasks)}


def _outcomes(tasks: Sequence[Task]) -> dict[str, int]:
    """Of tasks that may change something: how many must not, and how many truths were put right."""
    return {
        "no_action_tasks": sum(not t.expected for t in tasks),
        "corrected_tasks": sum(t.corrected is not None for t in tasks),
    }
