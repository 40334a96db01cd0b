"""The policy document: who may do what with which records, as data that people edit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from worksmith.tools.access.predicates import (
    AtLevel,
    Exists,
    InDepartment,
    IsSelf,
    Manages,
    May,
    Name,
    Names,
    Operation,
    Outranks,
    PersonaIn,
    PolicyNode,
    Predicate,
    RecordIn,
    Same,
    nodes,
)

Operations = Annotated[tuple[Operation, ...], Field(min_length=1)]


class Rule(PolicyNode):
    """Whom it allows which operations on the records of a source.

    Attributes:
        id: what decisions and denials name; unique in the document.
        fields: an update by this rule may change these fields only; None means every field.
        note: for readers of the document.
    """

    id: Name
    operations: Operations
    when: Predicate
    fields: Names | None = None
    note: str = ""


class PrivateRule(PolicyNode):
    """Who may see the private fields of a readable record."""

    id: Name
    when: Predicate
    note: str = ""


class Private(PolicyNode):
    """Fields of a readable record that need a further rule to be seen."""

    fields: Names
    rule: PrivateRule


class Source(PolicyNode):
    """The rules of one source. What no rule allows is denied.

    Attributes:
        key: the field that identifies a record; empty for the table's own key, where tables have one.
        demonstrations: whether demonstrations may quote its records, or by field whether those that have a
            value in it.
        announce: whether results have a note that they hold only readable records, for each persona that may
            not read every record, with or without such records.
    """

    key: str = ""
    rules: tuple[Rule, ...]
    private: Private | None = None
    demonstrations: bool | dict[Name, bool] = True
    announce: bool = False
    note: str = ""


class People(PolicyNode):
    """Where the hierarchy is recorded.

    Attributes:
        manager: the field with the id of the manager; `manages` needs it.
        level: the field with the level, a number or a text of one or two digits; `outranks` needs it.
    """

    source: Name
    id: Name
    manager: Name | None = None
    level: Name | None = None


class PolicyDocument(PolicyNode):
    """A whole policy.

    Attributes:
        editor_schema: for editors, which complete and check the file by it; it decides nothing.
        note: for people; `worksmith access check` shows it.
        groups: names for several departments.
        tools: for each tool the source and the operation that it performs; None for a tool without records.
    """

    editor_schema: str = Field("", alias="$schema", exclude=True)
    format: Literal["worksmith-policy/1"] = "worksmith-policy/1"
    note: str = ""
    groups: dict[Name, Names] = Field(default_factory=dict)
    people: People | None = None
    tools: dict[Name, tuple[Name, Operation] | None] = Field(default_factory=dict)
    sources: dict[Name, Source]

    def rules(self, source: str, operation: str) -> Iterator[Rule]:
        """The rules of one operation, in the order of the document."""
        if source in self.sources:
            yield from (rule for rule in self.sources[source].rules if operation in rule.operations)

    @property
    def announcing(self) -> bool:
        """Whether results of any source have a note that they hold only readable records."""
        return any(source.announce for source in self.sources.values())

    @cached_property
    def compared(self) -> Mapping[str, set[str]]:
        """The fields of each source that some rule compares; those of personas are of the people's source."""
        found: dict[str, set[str]] = defaultdict(set)
        people = self.people.source if self.people else ""
        if self.people:
            found[people] = {field for field in (self.people.manager, self.people.level) if field}
        for name, settings in self.sources.items():
            private = [settings.private.rule.when] if settings.private else []
            for when in (*(rule.when for rule in settings.rules), *private):
                for _, node, source in nodes(when, "", name):
                    match node:
                        case Same():
                            found[source].add(node.pair.record)
                            found[people].add(node.pair.persona)
                        case IsSelf():
                            found[source].update(node.fields)
                        case Manages():
                            found[source].add(node.manages)
                        case Outranks():
                            found[source].add(node.outranks)
                        case RecordIn():
                            found[source].add(node.record.field)
                        case PersonaIn():
                            found[people].add(node.persona.field)
                        case InDepartment():
                            found[people].add("department")
                        case AtLevel():
                            found[people].add("level")
                        case May() | Exists():
                            joined = node.may if isinstance(node, May) else node.exists
                            found[source].update(joined.on)
                            found[joined.source].update(joined.on.values())
        return found
