"""The policy document: who may do what with which records, as data that people edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from tools.access.faults import FaultError, check, validation_fault
from tools.access.predicates import Name, Names, Operation, Part, Predicate
from tools.errors import InputError
from tools.files.json_files import parsed, read_file

FORMAT = "worksmith-policy/1"

Operations = Annotated[tuple[Operation, ...], Field(min_length=1)]


class Rule(Part):
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


class PrivateRule(Part):
    """Who may see the private fields of a record that they may read."""

    id: Name
    when: Predicate
    note: str = ""


class Private(Part):
    """The fields that not everybody sees who may read a record."""

    fields: Names
    rule: PrivateRule


class Source(Part):
    """The rules of one source. What no rule allows is denied.

    Attributes:
        key: the field that identifies a record.
    """

    key: Name
    rules: tuple[Rule, ...]
    private: Private | None = None
    note: str = ""


class People(Part):
    """Where the hierarchy is recorded: needed by `manages` and `outranks`.

    Attributes:
        level: the field with the level, a text of one or two digits.
    """

    source: Name
    id: Name
    manager: Name
    level: Name


class PolicyDocument(Part):
    """A whole policy.

    Attributes:
        groups: names for several departments.
        tools: for each tool the source and the operation that it performs; None for a tool that
            touches no records of its own.
    """

    format: Literal["worksmith-policy/1"]
    groups: dict[Name, Names] = Field(default_factory=dict)
    people: People | None = None
    tools: dict[Name, tuple[Name, Operation] | None] = Field(default_factory=dict)
    sources: dict[Name, Source]

    def rules(self, source: str, operation: str) -> Iterator[Rule]:
        """The rules of one operation, in the order of the document."""
        if source in self.sources:
            yield from (rule for rule in self.sources[source].rules if operation in rule.operations)


def read_document(
    policy: Path | str,
    schema: Mapping[str, tuple[str, ...]] | None = None,
    tools: frozenset[str] | None = None,
) -> PolicyDocument:
    """A policy document from a file, or from its text.

    Args:
        policy: a path, or a text that starts with `{`.
        schema: the sources there are, with their fields; None leaves their names unchecked.
        tools: the names of the tools there are; None leaves them unchecked.

    Raises:
        InputError: it cannot be read or is invalid; `where` names the file and the place in it.
    """
    name, text = _read(policy)
    raw = parsed(text, "JSON", where=name)
    try:
        document = PolicyDocument.model_validate_json(
            text
        )  # its models are strict: lists are tuples only here
        check(document, schema, tools)
    except ValidationError as error:
        fault = validation_fault(error, raw)
        raise InputError(fault.message, where=_place(name, fault.path)) from error
    except FaultError as fault:
        raise InputError(fault.message, where=_place(name, fault.path)) from fault
    return document


def _place(name: str, path: str) -> str:
    return f"{name}: {path}" if path else name


def _read(policy: Path | str) -> tuple[str, str | bytes]:
    if isinstance(policy, str) and policy.lstrip().startswith("{"):
        return "policy", policy
    return str(policy), read_file(Path(policy), "the policy")
