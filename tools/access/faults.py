"""What can be wrong with a policy document beyond its shape, and where in it that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from tools.access.document import PolicyDocument, Source
from tools.access.predicates import (
    PREDICATE_KEYS,
    Exists,
    Fact,
    IsSelf,
    Manages,
    May,
    Outranks,
    Predicate,
    RecordIn,
    Right,
    nodes,
)

Schema = Mapping[str, tuple[str, ...]]


class FaultError(Exception):
    """Something wrong at one place of a document.

    Attributes:
        path: the place, e.g. `sources.mail.rules[2].when.any[0]`.
    """

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


def validation_fault(error: ValidationError, raw: Any) -> FaultError:
    """The first fault of shape, at its place in the document."""
    first = error.errors(include_url=False)[0]
    shapeless = first["type"] in ("model_type", "model_attributes_type")  # pydantic names our classes
    message = "an object is needed" if shapeless else first["msg"].removeprefix("Value error, ")
    return FaultError(
        _path_in(raw, first["loc"], first["type"] == "missing"), message[0].lower() + message[1:]
    )


def _path_in(raw: Any, location: tuple[int | str, ...], missing: bool) -> str:
    """A location as a path, without the parts that name a type of value."""
    path, here = "", raw
    for index, part in enumerate(location):
        if part in PREDICATE_KEYS and location[index + 1 : index + 2] == (part,):
            continue  # the kind of a predicate, which is also its only key
        inside = isinstance(here, list) and isinstance(part, int) and part < len(here)
        if inside or (isinstance(here, dict) and part in here):
            here = here[part]
        elif not missing or index + 1 < len(location):
            continue
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return path.lstrip(".")


def check(document: PolicyDocument, schema: Schema | None, tools: frozenset[str] | None) -> None:
    """Refuse what the shape alone does not show.

    Raises:
        FaultError: the first one, in the order of the document.
    """
    _check_people(document, schema)
    _check_tools(document, tools)
    seen: dict[str, str] = {}
    for name, source in document.sources.items():
        path = f"sources.{name}"
        if schema is not None and name not in schema:
            raise FaultError(path, f"no such source: there are {', '.join(schema)}")
        _check_field(source.key, f"{path}.key", name, schema)
        for place, rule_id in _ids(source, path):
            if rule_id in seen:
                raise FaultError(place, f"the rule id {rule_id!r} is taken by {seen[rule_id]}")
            seen[rule_id] = place
        for place, field in _named_fields(source, path):
            _check_field(field, place, name, schema)
        for place, predicate in _conditions(source, path):
            _check_predicate(document, schema, name, place, predicate)
    _check_cycles(document)


def _check_people(document: PolicyDocument, schema: Schema | None) -> None:
    people = document.people
    if people is None or schema is None:
        return
    if people.source not in schema:
        raise FaultError("people.source", f"no such source: {people.source!r}")
    for part in ("id", "manager", "level"):
        _check_field(getattr(people, part), f"people.{part}", people.source, schema)


def _check_tools(document: PolicyDocument, tools: frozenset[str] | None) -> None:
    for name, use in document.tools.items():
        if tools is not None and name not in tools:
            raise FaultError(f"tools.{name}", "no such tool")
        if use is not None and use[0] not in document.sources:
            raise FaultError(f"tools.{name}[0]", f"no rules for the source {use[0]!r}")


def _ids(source: Source, path: str) -> Iterator[tuple[str, str]]:
    if source.private:
        yield f"{path}.private.rule.id", source.private.rule.id
    for index, rule in enumerate(source.rules):
        yield f"{path}.rules[{index}].id", rule.id


def _named_fields(source: Source, path: str) -> Iterator[tuple[str, str]]:
    if source.private:
        for index, field in enumerate(source.private.fields):
            place = f"{path}.private.fields[{index}]"
            if field == source.key:
                raise FaultError(place, "the key of a record cannot be private: nothing could be said of it")
            yield place, field
    for number, rule in enumerate(source.rules):
        if rule.fields is not None and rule.operations != ("update",):
            raise FaultError(
                f"{path}.rules[{number}].fields", "only a rule for update alone can be limited to fields"
            )
        for index, field in enumerate(rule.fields or ()):
            yield f"{path}.rules[{number}].fields[{index}]", field


def _conditions(source: Source, path: str) -> Iterator[tuple[str, Predicate]]:
    if source.private:
        yield f"{path}.private.rule.when", source.private.rule.when
    for index, rule in enumerate(source.rules):
        yield f"{path}.rules[{index}].when", rule.when


def _check_predicate(
    document: PolicyDocument,
    schema: Schema | None,
    name: str,
    path: str,
    whole: Predicate,
) -> None:
    for place, part, source in nodes(whole, path, name):
        match part:
            case IsSelf():
                for index, field in enumerate(part.fields):
                    suffix = "" if isinstance(part.own, str) else f"[{index}]"
                    _check_field(field, f"{place}.self{suffix}", source, schema)
            case Manages():
                _check_hierarchy(document, f"{place}.manages", part.manages, source, schema)
            case Outranks():
                _check_hierarchy(document, f"{place}.outranks", part.outranks, source, schema)
            case RecordIn():
                _check_field(part.record.field, f"{place}.record.field", source, schema)
            case May():
                if part.may.source not in document.sources:
                    raise FaultError(f"{place}.may.source", f"no rules for the source {part.may.source!r}")
                _check_join(f"{place}.may", part.may, source, schema)
            case Exists():
                _check_join(f"{place}.exists", part.exists, source, schema)


def _check_hierarchy(
    document: PolicyDocument, path: str, field: str, source: str, schema: Schema | None
) -> None:
    if document.people is None:
        raise FaultError(path, "needs the hierarchy: say under `people` where it is recorded")
    _check_field(field, path, source, schema)


def _check_join(path: str, part: Right | Fact, source: str, schema: Schema | None) -> None:
    if schema is not None and part.source not in schema:
        raise FaultError(f"{path}.source", f"no such source: {part.source!r}")
    for here, there in part.on.items():
        _check_field(here, f"{path}.on.{here}", source, schema)
        _check_field(there, f"{path}.on.{here}", part.source, schema)


def _check_field(field: str, path: str, source: str, schema: Schema | None) -> None:
    if schema is not None and field not in schema[source]:
        raise FaultError(path, f"{source} has no field {field!r}: there are {', '.join(schema[source])}")


def _check_cycles(document: PolicyDocument) -> None:
    """Refuse a right that depends on itself."""
    edges: dict[tuple[str, str], list[tuple[tuple[str, str], str]]] = {}
    for name, source in document.sources.items():
        for index, rule in enumerate(source.rules):
            for place, part, _ in nodes(rule.when, f"sources.{name}.rules[{index}].when", name):
                if isinstance(part, May):
                    for operation in rule.operations:
                        target = (part.may.source, part.may.operation)
                        edges.setdefault((name, operation), []).append((target, f"{place}.may"))
    done: set[tuple[str, str]] = set()
    for start in edges:
        _walk(start, [], edges, done)


def _walk(
    node: tuple[str, str],
    trail: list[tuple[str, str]],
    edges: Mapping[tuple[str, str], list[tuple[tuple[str, str], str]]],
    done: set[tuple[str, str]],
) -> None:
    if node in done:
        return
    for target, place in edges.get(node, ()):
        if target in (*trail, node):
            circle = " -> ".join(".".join(step) for step in (*trail, node, target))
            raise FaultError(place, f"the rules go in a circle: {circle}")
        _walk(target, [*trail, node], edges, done)
    done.add(node)
