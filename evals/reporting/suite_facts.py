"""A suite as facts by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import task_kind
from worksmith.evals.tasks.task import Task
from worksmith.tools.access.access_policy import AccessPolicy
from worksmith.tools.environment import Environment


def describe(suite: Suite) -> dict[str, Any]:
    """A suite as JSON-able facts, by its kind."""
    world = suite.world.manifest
    facts = {
        "path": str(suite.path),
        "kind": world.kind,
        "origin": world.origin,
        "seed": world.seed,
        "scale": world.scale,
        **({"industry": world.industry} if world.industry else {}),
        "now": world.now.isoformat(sep=" "),
        "persona": world.persona.name,
        **({"records_reworded_by": world.writer} if world.writer else {}),
        "licence": world.licence,
        "rows": {name: world.counts[name] for name in _tables(suite)},
        **_search(suite),
        **({"access": note} if (note := policy_note(suite.env)) else {}),
        "tasks": len(suite.tasks),
        "intents": len({t.intent for t in suite.tasks if t.intent}),
        "splits": {
            scheme: dict(sorted(Counter(t.in_split(scheme) for t in suite.tasks).items()))
            for scheme in ("standard", "held_out_intents")
        },
        **_domains(suite.tasks),
        "gold_plans": sum(t.gold_plan is not None for t in suite.tasks),
        **_outcomes(suite.tasks),
        "digest": suite.digest,
    }
    tell = task_kind(world.kind).facts
    return tell(suite.world, suite.tasks, facts) if tell else facts


def policy_note(env: Environment) -> str:
    """A remark on an environment's policy, e.g. that it has none; empty without one."""
    return env.policy.document.note if isinstance(env.policy, AccessPolicy) else ""


def _tables(suite: Suite) -> list[str]:
    """The tables of records, without those for search."""
    counts = suite.world.manifest.counts
    return [table.name for table in suite.env.kind.tables if table.name in counts]


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
