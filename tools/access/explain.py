"""Explanations: who may do what, by which rule, and to how many records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from worksmith.tools.access.access_policy import AccessPolicy
from worksmith.tools.access.guard import Guard
from worksmith.tools.access.lookup import DatabaseLookup
from worksmith.tools.access.predicates import OPERATIONS
from worksmith.tools.errors import InputError, unknown
from worksmith.tools.policy import Decision
from worksmith.tools.sqlite.schema import Table, quoted
from worksmith.tools.tool_context import ToolContext


@dataclass(frozen=True)
class Chance:
    """One rule by which a persona may do something.

    Attributes:
        fields: all that it allows to change; None means every field.
    """

    rule: str
    on_every_record: bool
    fields: tuple[str, ...] | None


@dataclass(frozen=True)
class OperationRights:
    """A persona's rights to one operation; no chance means denied."""

    operation: str
    decision: Decision
    chances: tuple[Chance, ...]


@dataclass(frozen=True)
class SourceRights:
    """The rights of a persona on the records of a source.

    Attributes:
        readable: records that they may read, of `total`.
        private: the private fields, and in how many of the readable records they see them by `private_rule`.
    """

    source: str
    operations: tuple[OperationRights, ...]
    readable: int
    total: int
    private: tuple[str, ...]
    private_rule: str | None
    private_seen: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class RecordRights:
    """The rights of a persona on one record: a decision for each operation on the record.

    Attributes:
        private: whether they see its private fields; None without one or if it is unreadable.
        update_fields: the fields that they may change, each by which rule.
    """

    record: str
    decisions: dict[str, Decision]
    private: Decision | None
    update_fields: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def explain_source(
    ctx: ToolContext, tables: Iterable[Table], source: str, operations: Iterable[str] = OPERATIONS
) -> SourceRights:
    """The rights of the persona of `context` on `source`.

    Raises:
        InputError: it has no rules.
    """
    policy = _policy(ctx, source)
    guard = Guard(ctx, tables)
    private = policy.document.sources[source].private
    keys = guard.keys(source)
    return SourceRights(
        source=source,
        operations=tuple(_operation(policy, ctx, source, operation) for operation in operations),
        readable=len(keys),
        total=int(ctx.values(f"SELECT count(*) FROM main.{quoted(source)}")[0]),
        private=private.fields if private else (),
        private_rule=private.rule.id if private else None,
        private_seen=len(set(keys) - guard.withheld(source, keys)) if private else 0,
    )


def explain_record(
    ctx: ToolContext, tables: Iterable[Table], source: str, key: str, operations: Iterable[str] = OPERATIONS
) -> RecordRights:
    """The rights of the persona of `context` on one record."""
    policy = _policy(ctx, source)
    lookup = DatabaseLookup(ctx.connection)
    found = lookup.records(source, {policy.document.sources[source].key: key})
    if not found:
        raise InputError(f"no record {key!r} in {source}")
    record, persona = found[0], ctx.persona
    decisions = {
        operation: policy.allows(persona, source, operation, record, lookup)
        for operation in operations
        if operation != "create"
    }
    columns = next(table.columns for table in tables if table.name == source)
    return RecordRights(
        record=f"{source}/{key}",
        decisions=decisions,
        private=_private(policy, ctx, source, record),
        update_fields={
            field: decision.rule
            for field in columns
            if "update" in decisions
            and (
                decision := policy.allows(persona, source, "update", record, lookup, frozenset({field}))
            ).allow
        },
    )


def _private(policy: AccessPolicy, ctx: ToolContext, source: str, record: Any) -> Decision | None:
    lookup = DatabaseLookup(ctx.connection)
    readable = policy.allows(ctx.persona, source, "read", record, lookup).allow
    if policy.document.sources[source].private is None or not readable:
        return None
    return policy.sees_private(ctx.persona, source, record, lookup)


def _operation(policy: AccessPolicy, ctx: ToolContext, source: str, operation: str) -> OperationRights:
    chances = policy.chances(ctx.persona, source, operation)
    return OperationRights(
        operation,
        policy.possible(ctx.persona, source, operation),
        tuple(Chance(rule.id, every, rule.fields) for rule, every in chances),
    )


def _policy(ctx: ToolContext, source: str) -> AccessPolicy:
    policy = ctx.policy
    if not isinstance(policy, AccessPolicy):
        raise InputError("this kind of world has no access rules")
    if source not in policy.document.sources:
        raise unknown("no rules for a source", source, policy.document.sources)
    return policy
