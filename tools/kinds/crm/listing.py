"""What agents that write queries are told about the objects of an org."""

from __future__ import annotations

from tools.kinds.crm.schema import CrmObject, Field, Schema


def listing(schema: Schema) -> str:
    """All objects with their fields, a line for each; references with the object that they point to."""
    return "\n".join(_line(schema, each) for each in schema.objects)


def _line(schema: Schema, each: CrmObject) -> str:
    shown = [field for field in each.queryable if field.shown and field.type != "id"]
    fields = "; ".join(_field(schema, field) for field in shown)
    children = ", ".join(child.name for child in schema.children(each.name))
    return f"{each.name} ({each.note.rstrip('.')}): {fields}{f'; children: {children}' if children else ''}"


def _field(schema: Schema, field: Field) -> str:
    about = [field.note] if field.note else []
    if field.type == "textarea":
        about.append("long text")
    if field.type in ("date", "datetime"):
        about.append("dateTime" if field.type == "datetime" else "date")
    leads = f" -> {field.targets[0]}" if field.targets and schema.object(field.targets[0]) else ""
    said = f" ({', '.join(about)})" if about else ""
    return f"{field.name}{leads}{said}"
