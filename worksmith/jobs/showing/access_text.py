"""Rights of personas as text."""

from __future__ import annotations

from collections.abc import Iterator

from worksmith.tools.access.explain import OperationRights, RecordRights, SourceRights
from worksmith.tools.persona import Persona
from worksmith.tools.policy import Decision
from worksmith.tools.sqlite.cells import cell_text


def persona_text(persona: Persona) -> str:
    """A persona with all of its fields, in one line."""
    facts = [persona.department, f"level {persona.level}" if persona.level else ""]
    facts += [f"{name} {cell_text(value)}" for name, value in persona.attributes.items() if value is not None]
    facts += [f"reports to {' > '.join(persona.managers)}"] if persona.managers else []
    told = ", ".join(fact for fact in facts if fact)
    left = "; works here no more and may do nothing" if not persona.active else ""
    return f"{persona.id} {persona.name}{': ' if told else ''}{told}{left}"


def source_lines(rights: SourceRights) -> Iterator[str]:
    """Rights to a source: how much is readable, and the rules of each operation."""
    yield f"{rights.source}: may read {rights.readable} of {rights.total} records"
    for operation in rights.operations:
        yield from _operation_lines(operation)
    if rights.private:
        seen = f"private fields seen in {rights.private_seen} of these, by {rights.private_rule}"
        yield f"  {seen}: {', '.join(rights.private)}"


def _operation_lines(operation: OperationRights) -> Iterator[str]:
    if not operation.chances:
        why = "no rule allows it" if operation.decision.rule != "inactive" else "has left"
        yield f"  {operation.operation:<7} no: {why}"
    for index, chance in enumerate(operation.chances):
        extent = "every record" if chance.on_every_record else "where the record fits"
        fields = f"; only {', '.join(chance.fields)}" if chance.fields else ""
        label = operation.operation if index == 0 else ""
        yield f"  {label:<7} {extent}, by {chance.rule}{fields}"


def record_lines(record: RecordRights) -> Iterator[str]:
    """Rights to a record: the decision on each operation."""
    yield record.record
    for operation, decision in record.decisions.items():
        partly = ", ".join(sorted(set(record.update_fields.values())))
        if operation == "update" and not decision.allow and partly:
            yield f"  update  some fields, by {partly}: {', '.join(record.update_fields)}"
        else:
            yield f"  {operation:<7} {_verdict(decision)}"
    if record.private:
        yield f"  private {_verdict(record.private)}"


def _verdict(decision: Decision) -> str:
    return f"yes, by {decision.rule}" if decision.allow else f"no ({decision.rule})"
