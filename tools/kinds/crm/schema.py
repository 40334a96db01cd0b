"""The objects of a CRM world: the tables that hold them, and a catalogue that gives their fields types.

A table's cells are text or NULL, in the form in which query results print the value (the head of
`objects.toml`); the catalogue defines how they compare, sort and group.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Literal

from worksmith.tools.files.data_files import read_toml
from worksmith.tools.sqlite.schema import Table

FieldType = Literal[
    "id",
    "reference",
    "string",
    "picklist",
    "email",
    "phone",
    "url",
    "textarea",
    "boolean",
    "int",
    "double",
    "currency",
    "date",
    "datetime",
]
Links = Literal["text", "lookup"]
"""What fields that happen to hold ids are: plain text, as in the org that this one follows, or lookups."""

NUMBERS = frozenset({"int", "double", "currency"})
IDS = frozenset({"id", "reference"})


@dataclass(frozen=True)
class Field:
    """A field of an object.

    Attributes:
        note: its description for agents.
        targets: names of the objects that a reference points to; several where it is polymorphic.
        parent: relationship name in a path (`Account` in `Account.Name`), or empty.
        children: relationship name as seen from the target (`Cases` in Account), or empty.
        values: of a picklist.
        shown: whether the listing that agents get has it.
        ghost: in the listing of the original benchmark, though no query knows it.
        find: the group of searched fields that it belongs to (name, email, phone, text), or empty.
        made: the system makes up its value.
        links_by_text: holds ids although it is plain text.
    """

    name: str
    type: FieldType
    note: str = ""
    targets: tuple[str, ...] = ()
    parent: str = ""
    children: str = ""
    values: tuple[str, ...] = ()
    shown: bool = True
    ghost: bool = False
    find: str = ""
    made: bool = False
    links_by_text: bool = False

    @property
    def custom(self) -> bool:
        return self.name.endswith("__c")

    @property
    def polymorphic(self) -> bool:
        return len(self.targets) > 1

    @property
    def filterable(self) -> bool:
        return self.type != "textarea"

    @property
    def sortable(self) -> bool:
        return self.type != "textarea"

    @property
    def groupable(self) -> bool:
        """Whether results may be grouped by it; numbers with a fraction and points in time may not."""
        return self.type not in ("textarea", "double", "currency", "datetime")


@dataclass(frozen=True)
class CrmObject:
    """An object with its fields.

    Attributes:
        title: the field that names a record.
        any_word: searches of several words find records with any of them, not only with all.
        all_fields: searches look at all fields, for any requested fields.
    """

    name: str
    prefix: str
    plural: str
    note: str
    fields: tuple[Field, ...]
    title: str = "Name"
    any_word: bool = False
    all_fields: bool = False

    @cached_property
    def queryable(self) -> tuple[Field, ...]:
        return tuple(field for field in self.fields if not field.ghost)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Their names: the columns of the table."""
        return tuple(field.name for field in self.queryable)

    @cached_property
    def _by_name(self) -> dict[str, Field]:
        return {field.name.lower(): field for field in self.queryable}

    @cached_property
    def _by_parent(self) -> dict[str, Field]:
        return {field.parent.lower(): field for field in self.queryable if field.parent}

    def field(self, name: str) -> Field | None:
        """The field called `name`, in any case."""
        return self._by_name.get(name.lower())

    def parent(self, relationship: str) -> Field | None:
        return self._by_parent.get(relationship.lower())

    def table(self) -> Table:
        of_type = {field.name: field.type for field in self.queryable}
        holds_ids = tuple(f.name for f in self.queryable if f.type in IDS or f.links_by_text)
        return Table(
            self.name,
            self.columns,
            generated=("Id", *(f.name for f in self.queryable if f.made)),
            exact=holds_ids,
            free=tuple(name for name, kind in of_type.items() if kind == "textarea"),
            indexes=(*holds_ids, *(name for name, kind in of_type.items() if kind in ("date", "datetime"))),
        )


@dataclass(frozen=True)
class Child:
    """A relationship from the side of the object that is pointed to.

    Attributes:
        object: whose records are the children.
        field: their reference to the parent.
    """

    name: str
    object: str
    field: Field


class Schema:
    """All objects of an org. Names are found in any case."""

    def __init__(self, objects: tuple[CrmObject, ...]) -> None:
        self.objects = objects
        self._by_name = {each.name.lower(): each for each in objects}
        self._by_prefix = {each.prefix: each for each in objects}
        self._children = {
            (target.lower(), field.children.lower()): Child(field.children, each.name, field)
            for each in objects
            for field in each.queryable
            if field.children
            for target in field.targets
        }

    def object(self, name: str) -> CrmObject | None:
        """The object called `name`."""
        return self._by_name.get(name.lower())

    def of_id(self, record_id: str) -> CrmObject | None:
        return self._by_prefix.get(record_id[:3])

    def child(self, parent: str, relationship: str) -> Child | None:
        """The child relationship called `relationship` of object `parent`."""
        return self._children.get((parent.lower(), relationship.lower()))

    def children(self, parent: str) -> tuple[Child, ...]:
        """All child relationships of object `parent`."""
        return tuple(child for (name, _), child in self._children.items() if name == parent.lower())

    def only(self, objects: Collection[str], hidden: Mapping[str, Collection[str]]) -> Schema:
        """The rest for a persona without other objects and fields.

        A reference to an object that is not left is an id that leads nowhere.

        Args:
            objects: names of the objects that are left.
            hidden: by object the names of the fields that are not. Ids always are.
        """
        return Schema(
            tuple(
                replace(each, fields=tuple(_left(each, objects, hidden.get(each.name, ()))))
                for each in self.objects
                if each.name in objects
            )
        )


@cache
def crm_schema(links: Links = "text") -> Schema:
    """The schema of every CRM world.

    Args:
        links: `lookup` makes real references of the fields that are plain text in the original.
    """
    data = read_toml(__package__, "objects.toml")
    return Schema(tuple(_object(name, entry, links) for name, entry in data.items()))


def _left(each: CrmObject, objects: Collection[str], hidden: Collection[str]) -> Iterator[Field]:
    for field in each.fields:
        if field.type == "id" or field.name not in hidden:
            leads = not field.targets or field.targets[0] in objects
            yield field if leads else replace(field, targets=(), parent="", children="")


def _object(name: str, entry: dict[str, Any], links: Links) -> CrmObject:
    fields = tuple(_field(given, links) for given in entry["fields"])
    return CrmObject(name=name, **{**entry, "fields": fields})


def _field(given: dict[str, Any], links: Links) -> Field:
    entry = dict(given)
    targets = tuple(entry.pop("to", ()))
    by_text = entry.pop("text", False)
    values = tuple(entry.pop("values", ()))
    if by_text and links == "text":
        entry |= {"type": "string", "parent": "", "children": ""}
        targets = ()
    return Field(targets=targets, values=values, links_by_text=by_text, **entry)


OBJECTS = {each.name: each for each in crm_schema().objects}
TABLES = tuple(each.table() for each in crm_schema().objects)
"""One table for each object, named as it is, with its fields as columns; Id first."""
