"""JSON schemas of foreign tools as Python types, from which `worksmith.tools.tool.Tool` makes a schema.

A type accepts too much rather than too little, because the server validates again. What no type can express
(conditions between properties, patterns) is left out or only shown.
"""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, Required, Union, cast

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from worksmith.tools.errors import InputError
from worksmith.tools.tool import is_reserved

_MOST = 4_000
"""Parts of a schema with all references in their places; each value of a choice is one."""

_LONGEST_CHAIN = 100
"""References from one to the next."""
_LONGEST_FAULT = 300
"""Characters of a message, in which a schema can be quoted."""

_NULL = type(None)
_PLAIN: Mapping[str, Any] = {"integer": int, "number": float, "boolean": bool, "null": _NULL}
_LENGTHS = {"minLength": "min_length", "maxLength": "max_length"}
_SIZES = {"minItems": "min_length", "maxItems": "max_length"}
_BOUNDS = {"minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt"}


class Parameters:
    """The arguments of a tool as parameters of a Python function.

    Attributes:
        all: the parameters. One that may be left out has its default, else None.
        names: the names of the tool's own arguments by those of the parameters.

    Args:
        schema: of the arguments.
        where: names the tool in messages.

    Raises:
        InputError: it is not a schema of an object, or no provider of models takes it.
    """

    def __init__(self, schema: Mapping[str, Any], where: str) -> None:
        self.names: dict[str, str] = {}
        self.all: list[inspect.Parameter] = []
        types = _Types(schema, where)
        try:
            self._read(schema, types)
        except (ArithmeticError, RecursionError, TypeError, ValueError) as error:
            raise types.refused(f"its schema is none: {type(error).__name__}: {str(error)[:100]}") from error

    def _read(self, schema: Mapping[str, Any], types: _Types) -> None:
        whole = types.resolved(schema)
        if whole.get("type", "object") != "object":
            raise types.refused(f"its arguments are {whole.get('type')!r} and no object")
        needed = types.required(whole)
        for own, each in types.properties(whole).items():
            name = python_name(own)
            if name in self.names:
                raise types.refused(f"its arguments {self.names[name]!r} and {own!r} have one name, {name}")
            self.names[name] = own
            described = each if isinstance(each, Mapping) else {}
            default = inspect.Parameter.empty if own in needed else described.get("default")
            annotation = types.noted(each, or_none=default is None)
            kind = inspect.Parameter.KEYWORD_ONLY
            self.all.append(inspect.Parameter(name, kind, default=default, annotation=annotation))

    def given(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments under the tool's own names, without those that have their default."""
        default = {each.name: each.default for each in self.all}
        return {self.names[name]: value for name, value in arguments.items() if value != default[name]}


def python_name(name: str) -> str:
    """A name as Python has them, which is the same one if it can be."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII).lstrip("_") or "argument"
    plain = f"n{plain}" if plain[0].isdigit() else plain
    return f"{plain}_" if keyword.iskeyword(plain) or plain == "ctx" or is_reserved(plain) else plain


class _Types:
    def __init__(self, root: Mapping[str, Any], where: str) -> None:
        self._root, self._where = root, where
        self._left = _MOST

    def refused(self, fault: str) -> InputError:
        return InputError(fault[:_LONGEST_FAULT], where=self._where, hint="leave the tool out with only=")

    def _take(self, parts: int = 1) -> None:
        self._left -= parts
        if self._left < 0:
            raise self.refused(f"its schema has more than {_MOST:,} parts")

    def noted(self, schema: Any, path: tuple[str, ...] = (), *, or_none: bool = False) -> Any:
        """The type with its description."""
        found = self.type_of(schema, path)
        note: Any = schema.get("description") if isinstance(schema, Mapping) else None
        found = Union[found, None] if or_none else found  # noqa: UP007
        return Annotated[found, Field(description=" ".join(note.split()))] if _text(note) else found

    def type_of(self, schema: Any, path: tuple[str, ...]) -> Any:
        """The type.

        Args:
            path: the references that led here; one that leads to itself is a free value.
        """
        self._take()
        if schema is True or schema == {}:
            return Any
        if not isinstance(schema, Mapping):
            raise self.refused(f"{schema!r} is no schema of an argument")
        if "$ref" in schema:
            reference = str(schema["$ref"])
            if reference in path:
                return dict[str, Any] if self._found(reference).get("type") == "object" else Any
            return self.type_of(self.resolved(schema), (*path, reference))
        schema = self.resolved(schema)
        if "const" in schema or "enum" in schema:
            return self._one_of(schema.get("enum", [schema.get("const")]))
        kind = schema.get("type")
        if isinstance(kind, list):
            return self._any_of([{**schema, "type": each} for each in kind], path)
        if kind is None and "properties" not in schema:
            for name in ("anyOf", "oneOf"):
                if name in schema:
                    return self._any_of(schema[name], path)
        return self._typed(kind or self._meant(schema), schema, path)

    def resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """The schema with its reference and with `allOf` put together."""
        for _ in range(_LONGEST_CHAIN):
            self._take()
            if "$ref" in schema:
                rest = {name: value for name, value in schema.items() if name != "$ref"}
                schema = {**self._found(str(schema["$ref"])), **rest}
            elif isinstance(schema.get("allOf"), list):
                parts = [part for part in schema["allOf"] if isinstance(part, Mapping)]
                schema = self._together([{n: v for n, v in schema.items() if n != "allOf"}, *parts])
            else:
                return schema
        raise self.refused("its schema refers to itself and to nothing else")

    def properties(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        found = schema.get("properties", {})
        if not isinstance(found, Mapping):
            raise self.refused(f"its properties are {found!r}")
        return found

    def required(self, schema: Mapping[str, Any]) -> set[str]:
        names = schema.get("required", [])
        return {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()

    def _found(self, reference: str) -> Mapping[str, Any]:
        found: Any = self._root
        for step in reference.split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            found = found.get(step) if isinstance(found, Mapping) else None
        if not reference.startswith("#") or not isinstance(found, Mapping):
            raise self.refused(f"its schema refers to {reference!r}, which is not in it")
        return found

    def _together(self, parts: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        merged: dict[str, Any] = {}
        for part in (self.resolved(part) for part in parts):
            properties = {**self.properties(merged), **self.properties(part)}
            required = sorted(self.required(merged) | self.required(part))
            merged = {**merged, **part}
            merged |= {"properties": properties} if properties else {}
            merged |= {"required": required} if required else {}
        return merged

    def _any_of(self, options: Any, path: tuple[str, ...]) -> Any:
        if not isinstance(options, list) or not options:
            raise self.refused(f"{options!r} is no choice of schemas")
        return Union[tuple(self.type_of(each, path) for each in options)]  # noqa: UP007

    def _one_of(self, values: Any) -> Any:
        if not isinstance(values, list) or not values:
            raise self.refused(f"{values!r} is no list of values")
        self._take(len(values))
        if all(value is None or isinstance(value, str | int) for value in values):
            return Literal[tuple(values)]
        return Union[tuple(type(value) for value in values)]  # noqa: UP007

    def _meant(self, schema: Mapping[str, Any]) -> str:
        """The type of a schema that does not name it."""
        if "properties" in schema or "additionalProperties" in schema:
            return "object"
        return "array" if "items" in schema or "prefixItems" in schema else ""

    def _typed(self, kind: Any, schema: Mapping[str, Any], path: tuple[str, ...]) -> Any:
        if kind == "":
            return Any
        if kind == "string":
            shown = {n: schema[n] for n in ("format", "pattern") if _text(schema.get(n))}
            return _limited(str, schema, _LENGTHS, **({"json_schema_extra": shown} if shown else {}))
        if kind == "array":
            items = schema.get("prefixItems", schema.get("items", True))
            options = items if isinstance(items, list) else [items]
            held = self._any_of(options, path) if options else Any
            return _limited(list[held], schema, _SIZES)  # type: ignore[valid-type]
        if kind == "object":
            return self._object(schema, path)
        if kind not in _PLAIN:
            raise self.refused(f"{kind!r} is no type of an argument")
        return _limited(_PLAIN[kind], schema, _BOUNDS) if kind in ("integer", "number") else _PLAIN[kind]

    def _object(self, schema: Mapping[str, Any], path: tuple[str, ...]) -> Any:
        more = schema.get("additionalProperties", True)
        if not (properties := self.properties(schema)):
            held = self.type_of(more, path) if isinstance(more, Mapping) else Any
            return dict[str, held]  # type: ignore[valid-type]
        needed, fields = self.required(schema), {}
        for name, each in properties.items():
            found = self.noted(each, path)
            fields[str(name)] = Required[found] if name in needed else NotRequired[found]
        made = cast(Any, TypedDict)("object", fields)
        made.__pydantic_config__ = ConfigDict(extra="forbid" if more is False else "allow")
        return made


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _limited(plain: Any, schema: Mapping[str, Any], limits: Mapping[str, str], **more: Any) -> Any:
    """A type with those of the limits that the schema has as numbers."""
    found = {ours: schema[theirs] for theirs, ours in limits.items() if _is_number(schema.get(theirs))}
    lengths = {name: max(0, int(number)) for name, number in found.items() if name.endswith("length")}
    kept = {**found, **lengths, **more}
    return Annotated[plain, Field(**kept)] if kept else plain


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
