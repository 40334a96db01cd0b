"""What can be wrong with a policy document beyond its shape: names, types and circles."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from worksmith.tools.access.document import People, PolicyDocument, Source
from worksmith.tools.access.faults import FaultError
from worksmith.tools.access.predicates import (
    AtLevel,
    Cell,
    Exists,
    Fact,
    InDepartment,
    IsSelf,
    Manages,
    May,
    Outranks,
    PersonaIn,
    Predicate,
    RecordIn,
    Right,
    Same,
    nodes,
)
from worksmith.tools.access.values import NUMBERS, stored
from worksmith.tools.errors import names_instead
from worksmith.tools.persona import FIELDS
from worksmith.tools.sqlite.cells import CellType
from worksmith.tools.sqlite.schema import Table


@dataclass(frozen=True)
class Surroundings:
    """What a policy is for: its names are checked against this, which also completes it.

    Attributes:
        tables: the sources there are, by name.
        tools: the names of the tools there are; None leaves them unchecked.
        keys: the field that identifies a record, by source, where the document may leave it out.
        people: the default source of the hierarchy.
        persona: the fields of personas that rules can compare, with their types.
    """

    tables: Mapping[str, Table]
    tools: frozenset[str] | None = None
    keys: Mapping[str, str] = field(default_factory=dict)
    people: People | None = None
    persona: Mapping[str, CellType] = field(
        default_factory=lambda: {name: "integer" if name == "level" else "text" for name in FIELDS}
    )


def check(document: PolicyDocument, around: Surroundings) -> None:
    """Refuse faults beyond the shape."""
    _check_people(document, around)
    _check_tools(document, around)
    seen: dict[str, str] = {}
    for name, source in document.sources.items():
        path = f"sources.{name}"
        if name not in around.tables:
            raise FaultError(path, _no_source(name, around))
        _check_key(source.key, f"{path}.key", name, around)
        for place, rule_id in _ids(source, path):
            if rule_id in seen:
                raise FaultError(place, f"the rule id {rule_id!r} is taken by {seen[rule_id]}")
            seen[rule_id] = place
        for place, column in _named_fields(source, path):
            _check_field(column, place, name, around)
        for place, predicate in _conditions(source, path):
            _check_predicate(document, around, name, place, predicate)
    _check_cycles(document)


def _check_key(key: str, path: str, source: str, around: Surroundings) -> None:
    _check_field(key, path, source, around)
    own = around.keys.get(source, key)
    if key != own:
        # Rules are checked on one record: another column could name several.
        raise FaultError(path, f"the key of {source} is {own!r}: leave the line out")


def _no_source(name: str, around: Surroundings) -> str:
    return f"no such source {name!r}: {names_instead(name, around.tables)}"


def _check_people(document: PolicyDocument, around: Surroundings) -> None:
    people = document.people
    if people is None:
        return
    if people.source not in around.tables:
        raise FaultError("people.source", _no_source(people.source, around))
    for part in ("id", "manager", "level"):
        if (column := getattr(people, part)) is not None:
            _check_field(column, f"people.{part}", people.source, around)
    if people.manager is not None:
        _check_types(people.source, people.manager, people.source, people.id, "people.manager", around)


def _check_tools(document: PolicyDocument, around: Surroundings) -> None:
    for name, use in document.tools.items():
        if around.tools is not None and name not in around.tools:
            raise FaultError(f"tools.{name}", f"no such tool: {names_instead(name, around.tools)}")
        if use is not None and use[0] not in document.sources:
            raise FaultError(f"tools.{name}[0]", _no_rules(use[0], document))


def _no_rules(source: str, document: PolicyDocument) -> str:
    return f"no rules for the source {source!r}: {names_instead(source, document.sources)}"


def _ids(source: Source, path: str) -> Iterator[tuple[str, str]]:
    if source.private:
        yield f"{path}.private.rule.id", source.private.rule.id
    for index, rule in enumerate(source.rules):
        yield f"{path}.rules[{index}].id", rule.id


def _named_fields(source: Source, path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(source.demonstrations, bool):
        yield from ((f"{path}.demonstrations.{field}", field) for field in source.demonstrations)
    if source.private:
        for index, field in enumerate(source.private.fields):
            place = f"{path}.private.fields[{index}]"
            if field == source.key:
                raise FaultError(place, "the key of a record cannot be private, because messages name it")
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


_DEEPEST = 10


def _check_predicate(
    document: PolicyDocument, around: Surroundings, name: str, path: str, whole: Predicate
) -> None:
    for place, part, source in nodes(whole, path, name):
        if place.count(".exists") > _DEEPEST:
            raise FaultError(place, f"exists is nested more than {_DEEPEST} deep")
        match part:
            case IsSelf():
                for index, column in enumerate(part.fields):
                    suffix = "" if isinstance(part.own, str) else f"[{index}]"
                    _check_id(column, f"{place}.self{suffix}", source, around)
            case Same():
                _check_same(part, f"{place}.same", source, around)
            case InDepartment() if "department" not in around.persona:
                raise FaultError(f"{place}.department", _no_persona_field("department", around))
            case AtLevel() if around.persona.get("level") != "integer":
                raise FaultError(f"{place}.level", "personas have no level that is a whole number")
            case Manages():
                people = _hierarchy(document, f"{place}.manages", "manager")
                _check_id(part.manages, f"{place}.manages", source, around)
                _check_types(source, part.manages, people.source, people.id, f"{place}.manages", around)
            case Outranks():
                people = _hierarchy(document, f"{place}.outranks", "level")
                _check_id(part.outranks, f"{place}.outranks", source, around)
                _check_types(source, part.outranks, people.source, people.id, f"{place}.outranks", around)
            case PersonaIn():
                column = part.persona.field
                if column not in around.persona:
                    raise FaultError(f"{place}.persona.field", _no_persona_field(column, around))
                _check_values(part.persona, around.persona[column], f"{place}.persona")
            case RecordIn():
                column = part.record.field
                _check_field(column, f"{place}.record.field", source, around)
                _check_values(part.record, _type(column, source, around), f"{place}.record")
            case May():
                if part.may.source not in document.sources:
                    raise FaultError(f"{place}.may.source", _no_rules(part.may.source, document))
                _check_join(f"{place}.may", part.may, source, around)
            case Exists():
                _check_join(f"{place}.exists", part.exists, source, around)


def _check_same(part: Same, path: str, source: str, around: Surroundings) -> None:
    pair = part.pair
    one_name = isinstance(part.same, str)
    own, theirs = (path, path) if one_name else (f"{path}.persona", f"{path}.record")
    if pair.persona not in around.persona:
        raise FaultError(own, _no_persona_field(pair.persona, around))
    _check_field(pair.record, theirs, source, around)
    kinds = around.persona[pair.persona], _type(pair.record, source, around)
    if not _comparable(*kinds) and not (pair.persona == "id" and kinds[1] == "integer"):
        raise FaultError(
            path, f"the persona's {pair.persona} is {kinds[0]} and {source}.{pair.record} is {kinds[1]}"
        )


def _no_persona_field(name: str, around: Surroundings) -> str:
    return f"personas have no field {name!r}: {names_instead(name, around.persona)}"


def _check_values(cell: Cell, kind: CellType, path: str) -> None:
    for index, value in enumerate(cell.within):
        if stored(value, kind) is None:
            shown = json.dumps(value, ensure_ascii=False)
            raise FaultError(
                f"{path}.in[{index}]", f"{cell.field} is {kind}; {shown} can never be its value{_HELP[kind]}"
            )


_HELP: Mapping[CellType, str] = {
    "text": ": write a text in quotes",
    "integer": ": write a whole number without quotes",
    "real": ": write a number without quotes",
    "boolean": ": write true or false without quotes",
    "json": ": put compared values into another column",
}


def _hierarchy(document: PolicyDocument, path: str, part: str) -> People:
    people = document.people
    if people is None or getattr(people, part) is None:
        raise FaultError(
            path, f"needs the hierarchy: say under `people` which source and {part} field has it"
        )
    return people


def _check_join(path: str, part: Right | Fact, source: str, around: Surroundings) -> None:
    if part.source not in around.tables:
        raise FaultError(f"{path}.source", _no_source(part.source, around))
    for here, there in part.on.items():
        _check_field(here, f"{path}.on.{here}", source, around)
        _check_field(there, f"{path}.on.{here}", part.source, around)
        _check_types(source, here, part.source, there, f"{path}.on.{here}", around)


def _check_field(column: str, path: str, source: str, around: Surroundings) -> None:
    columns = around.tables[source].columns
    if column not in columns:
        raise FaultError(path, f"{source} has no field {column!r}: {names_instead(column, columns)}")


def _check_id(column: str, path: str, source: str, around: Surroundings) -> None:
    _check_field(column, path, source, around)
    kind = _type(column, source, around)
    if kind not in ("text", "integer"):
        raise FaultError(path, f"{source}.{column} is {kind} and holds no id of a person")


def _check_types(source: str, here: str, other: str, there: str, path: str, around: Surroundings) -> None:
    kinds = _type(here, source, around), _type(there, other, around)
    if not _comparable(*kinds):
        raise FaultError(
            path, f"{source}.{here} is {kinds[0]} and {other}.{there} is {kinds[1]}: they are never equal"
        )


def _type(column: str, source: str, around: Surroundings) -> CellType:
    return around.tables[source].type_of(column)


def _comparable(one: CellType, other: CellType) -> bool:
    return (one == other != "json") or (one in NUMBERS and other in NUMBERS)


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
