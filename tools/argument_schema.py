"""JSON schemas of arguments, within the subset that the function calling of all providers takes.

Only keywords of both OpenAI's and Gemini's schemas are used. Gemini refuses requests with any other, such as
`additionalProperties`, `$ref`, `const`, or enumerations of numbers. Properties that the subset cannot express
(a tuple's order, the values of a free object) are left out. So a schema accepts too much rather than too
little, and the validator of the tool decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

KEYWORDS: Final = frozenset(
    (
        "type",
        "description",
        "default",
        "format",
        "pattern",
        "enum",
        "anyOf",
        "properties",
        "required",
        "items",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
    )
)
"""The keywords of the subset."""

_SCHEMAS = ("anyOf", "oneOf")
_DEEPEST = 12
"""Levels of nested models; a model that holds itself is a free object below them."""


def portable(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema that pydantic made, within the subset, with all definitions in their places."""
    return _plain(schema, schema.get("$defs", {}), 0)


def _plain(schema: Any, named: Mapping[str, Any], depth: int) -> dict[str, Any]:
    if not isinstance(schema, Mapping):  # `true`: any value
        return {}
    if "$ref" in schema:
        meant = named[schema["$ref"].rpartition("/")[2]] if depth < _DEEPEST else {"type": "object"}
        return _plain({**meant, **_without(schema, "$ref")}, named, depth + 1)
    if len(schema.get("allOf", ())) == 1:
        return _plain({**schema["allOf"][0], **_without(schema, "allOf")}, named, depth)
    found = {name: schema[name] for name in KEYWORDS & schema.keys()}
    for name in _SCHEMAS:
        if name in schema:
            found["anyOf"] = [_plain(each, named, depth) for each in schema[name]]
    if "properties" in schema:
        found["properties"] = {n: _plain(each, named, depth) for n, each in schema["properties"].items()}
    if schema.get("type") == "array":
        found["items"] = _items(schema, named, depth)
    if "const" in schema or "enum" in schema:
        found.update(_one_of(found.pop("enum", None) or [schema["const"]]))
    if schema.get("type") == "integer":
        found.update(_bounds(schema))
    return {name: found[name] for name in sorted(found)}


def _items(schema: Mapping[str, Any], named: Mapping[str, Any], depth: int) -> dict[str, Any]:
    """The schema of an array's elements; of a tuple's, in any order."""
    kinds = [_plain(each, named, depth) for each in schema.get("prefixItems", [schema.get("items", True)])]
    distinct = [each for number, each in enumerate(kinds) if each not in kinds[:number]]
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def _one_of(values: Iterable[Any]) -> dict[str, Any]:
    """The keywords by which a value is one of those listed; enumerations are of texts only."""
    texts = [value for value in values if isinstance(value, str)]
    others = [_exactly(value) for value in values if not isinstance(value, str)]
    if texts and not others:
        return {"type": "string", "enum": texts}
    listed = [{"type": "string", "enum": texts}] if texts else []
    return {"anyOf": [*listed, *others]}


def _exactly(value: Any) -> dict[str, Any]:
    if value is None:
        return {"type": "null"}
    if isinstance(value, bool):
        return {"type": "boolean"}
    return {"type": "integer" if isinstance(value, int) else "number", "minimum": value, "maximum": value}


def _bounds(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The bounds of a whole number, themselves included."""
    bounds = {}
    if "exclusiveMinimum" in schema:
        bounds["minimum"] = schema["exclusiveMinimum"] + 1
    if "exclusiveMaximum" in schema:
        bounds["maximum"] = schema["exclusiveMaximum"] - 1
    return bounds


def _without(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != name}
