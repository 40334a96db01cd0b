"""The rights of a persona in an environment, with the rules behind them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import TASK_KINDS
from worksmith.jobs.showing.access_text import persona_text, record_lines, source_lines
from worksmith.tools.access.access_policy import AccessPolicy
from worksmith.tools.access.explain import RecordRights, SourceRights, explain_record, explain_source
from worksmith.tools.access.predicates import OPERATIONS
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError
from worksmith.tools.files import PROJECT_FILE
from worksmith.tools.persona import Persona
from worksmith.tools.sqlite.memory import open_image
from worksmith.tools.tool_context import ToolContext
from worksmith.tools.world import MANIFEST_FILE, World
from worksmith.tools.world_kind import Explanation


@dataclass(frozen=True)
class AccessRights:
    """What a persona may do.

    Attributes:
        note: the policy's own note, e.g. that no policy is set.
        without_rules: the sources that the policy does not mention, so that everything in them is denied.
        record: rights to one record, if one was asked about.
    """

    persona: Persona
    note: str
    sources: tuple[SourceRights, ...]
    without_rules: tuple[str, ...]
    record: RecordRights | None

    def to_json(self) -> dict[str, Any]:
        """The rights as JSON-able data."""
        rights = {
            "persona": self.persona.model_dump(),
            "note": self.note,
            "sources": [source.to_json() for source in self.sources],
            "without_rules": list(self.without_rules),
        }
        return rights | ({"record": self.record.to_json()} if self.record else {})

    def __str__(self) -> str:
        parts = ["\n".join(filter(None, (persona_text(self.persona), self.note)))]
        parts += ["\n".join(source_lines(source)) for source in self.sources]
        parts += [f"{name}: no rules, so it is denied to all" for name in self.without_rules]
        parts += ["\n".join(record_lines(self.record))] if self.record else []
        return "\n\n".join(parts)


def open_environment(directory: Path) -> Environment:
    """The environment of the world, suite or project in a folder; no tasks are needed.

    Raises:
        InputError: the folder has none.
    """
    if os.path.lexists(directory / MANIFEST_FILE):
        return Environment(World.open(directory))
    if (directory / PROJECT_FILE).is_file():
        return TASK_KINDS.first(lambda kind: kind.open_environment, "opens projects")(directory)
    return Suite.open(directory).env


def access_rights(
    env: Environment,
    persona: str,
    *,
    source: str | None = None,
    operations: Sequence[str] = OPERATIONS,
    record: str | None = None,
) -> AccessRights | Explanation:
    """The rights of a persona by the policy of the environment.

    Args:
        persona: an id.
        source: one source, such as a table; None for all.
        operations: some of `create`, `read`, `update`, `delete`.
        record: the key of a record of the source.

    Returns:
        An `Explanation` from kinds of worlds whose rules are not a policy document.

    Raises:
        InputError: the persona, source or record is unknown.
    """
    if record is not None and source is None:
        raise InputError("a record belongs to a source", where="--record", hint="give --source too")
    connection = open_image(env.world.image)
    ctx = ToolContext(connection, env.world.manifest.now, env.persona(persona), env.policy)
    if env.kind.explain_access is not None:
        return env.kind.explain_access(ctx, source, operations, record)
    policy, tables = env.policy, env.kind.tables
    if not isinstance(policy, AccessPolicy):
        raise InputError("this kind of world has no access rules")
    ruled = [name for name, rules in policy.document.sources.items() if rules.rules]
    return AccessRights(
        persona=ctx.persona,
        note=policy.document.note,
        sources=tuple(
            explain_source(ctx, tables, name, operations) for name in ([source] if source else ruled)
        ),
        without_rules=() if source else tuple(table.name for table in tables if table.name not in ruled),
        record=explain_record(ctx, tables, source, record, operations) if source and record else None,
    )
