"""Schemas of an MCP server's tools become arguments that every provider of models takes, or are refused."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from tests.tools.kinds.own_data.desk import bare, call
from worksmith.tools.argument_schema import KEYWORDS
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.mcp_servers.schemas import Parameters
from worksmith.tools.tool import BadArgumentsError, Tool, tool


def listed(folder: Path, *tools: dict[str, Any]) -> Path:
    file = folder / "listing.json"
    file.write_text(json.dumps({"tools": tools}))
    return file


def of(schema: dict[str, Any], **settings: Any) -> dict[str, Any]:
    return {"name": "ask", "description": "Ask.", "input_schema": schema, **settings}


def made(schema: dict[str, Any]) -> Tool:
    """The tool of a schema, as an environment makes it."""
    parameters = Parameters(schema, "ask")

    def ask(ctx: Any, **arguments: Any) -> Any:
        """Ask."""

    first = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    ask.__signature__ = inspect.Signature([first, *parameters.all])  # type: ignore[attr-defined]
    ask.__annotations__ = {each.name: each.annotation for each in parameters.all}
    return Tool("web", tool()(ask))


def taking(value: Any, *needed: str) -> dict[str, Any]:
    return {"type": "object", "properties": value, "required": list(needed)}


NESTED = taking(
    {
        "filter": {
            "type": "object",
            "description": "Which ones.",
            "properties": {"from": {"type": "string", "format": "date"}, "tags": {"$ref": "#/$defs/tags"}},
            "required": ["from"],
            "additionalProperties": False,
        }
    },
    "filter",
) | {"$defs": {"tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3}}}

TREE = taking({"tree": {"$ref": "#/definitions/node"}}, "tree") | {
    "definitions": {"node": {"type": "object", "properties": {"left": {"$ref": "#/definitions/node"}}}}
}


@each_row(
    ("schema", "shown", "right", "wrong"),
    [
        ({}, "web.ask(): Ask.", {}, {"a": 1}),
        (taking({"n": {"type": "integer", "maximum": 5}}, "n"), "web.ask(n: int): Ask.", {"n": 5}, {"n": 6}),
        (taking({"n": {"type": "integer", "default": 3}}), "web.ask(n=3): Ask.", {}, {"n": "three"}),
        (
            taking({"a": {"type": ["string", "null"]}}),
            "web.ask(a: Optional[str] = None): Ask.",
            {"a": None},
            {"a": []},
        ),
        (
            taking({"u": {"enum": ["C", "F"]}}, "u"),
            "web.ask(u: Literal['C', 'F']): Ask.",
            {"u": "C"},
            {"u": "K"},
        ),
        (
            taking(
                {"to": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}}, "to"
            ),
            "web.ask(to: Union[str, list[str]]): Ask.",
            {"to": ["a"]},
            {"to": {}},
        ),
        (
            NESTED,
            'web.ask(filter: {"from": str, "tags": list[str]}): Ask.\n  filter: Which ones.',
            {"filter": {"from": "2026-01-05", "tags": ["a"]}},
            {"filter": {"tags": ["a"]}},
        ),
        (TREE, None, {"tree": {"left": {"left": {}}}}, {"tree": "x"}),
        (
            taking({"a": {"allOf": [{"type": "string"}, {"minLength": 2}]}}, "a"),
            "web.ask(a: str): Ask.",
            {"a": "ab"},
            {"a": "a"},
        ),
        (taking({"a": True}, "a"), "web.ask(a: Any): Ask.", {"a": [{}]}, {}),
    ],
)
def test_schemas_become_types(schema: dict[str, Any], shown: str | None, right: Any, wrong: Any) -> None:
    tool = made(schema)

    assert shown in (None, tool.text)
    assert {**tool.validate(right), **right} == tool.validate(right)
    with pytest.raises(BadArgumentsError):
        tool.validate(wrong)


@each_row(
    ("schema", "said"),
    [
        ({"type": "array"}, "its arguments are 'array' and no object"),
        (taking({"a": {"$ref": "#/$defs/gone"}}), "refers to '#/\\$defs/gone', which is not in it"),
        (taking({"a": {"$ref": "https://example.org/a.json"}}), "which is not in it"),
        (taking({"a": {"type": "file"}}), "'file' is no type"),
        (taking({"a": {"enum": []}}), "is no list of values"),
        (taking({"a": False}), "False is no schema"),
        (taking({"a-b": {}, "a_b": {}}), "'a-b' and 'a_b' have one name, a_b"),
        (taking({"a": {"$ref": "#/properties/a"}}), "refers to itself"),
        (
            taking({"a": {"$ref": "#/$defs/n0"}})
            | {
                "$defs": {f"n{i}": {"items": [{"$ref": f"#/$defs/n{i + 1}"}] * 9} for i in range(9)}
                | {"n9": {}}
            },
            "more than 4,000 parts",
        ),
        (
            taking({"a": {"$ref": "#/$defs/n0"}})
            | {
                "$defs": {f"n{i}": {"allOf": [{"$ref": f"#/$defs/n{i + 1}"}] * 9} for i in range(9)}
                | {"n9": {}}
            },
            "more than 4,000 parts",
        ),
        (taking({"a": {"enum": [str(n) for n in range(5_000)]}}), "more than 4,000 parts"),
        ({"type": "object", "allOf": [{"$ref": "#"}]}, "RecursionError"),
        (taking({"a": {"type": {"x": 1}}}), "TypeError"),
        (taking({"a": {"$ref": f"#{'/a' * 9_000}"}}), "refers to .{0,300} .leave the tool out[^/]*$"),
        (taking({"a": {"type": "string", "minLength": 3, "default": {"x": [1]}}}), None),
    ],
)
def test_schemas_that_no_provider_takes_are_refused_by_name(
    tmp_path: Path, schema: dict[str, Any], said: str | None
) -> None:
    env = bare(tmp_path)
    if said is None:
        env.add_mcp("no-such-command", toolkit="web", listing=listed(tmp_path, of(schema)))
        return
    with pytest.raises(InputError, match=f"the tool ask of the MCP server web: .*{said}"):
        env.add_mcp("no-such-command", toolkit="web", listing=listed(tmp_path, of(schema)))


def test_names_that_python_has_not_are_the_servers_own_again_in_calls() -> None:
    names = {"from": {}, "to-date": {}, "_meta": {}, "ctx": {}, "2nd": {}, "ok": {"default": 7}}
    parameters = Parameters(taking(names, "from"), "ask")

    assert list(parameters.names) == ["from_", "to_date", "meta", "ctx_", "n2nd", "ok"]
    given = {"from_": 1, "to_date": 2, "meta": None, "ctx_": 0, "n2nd": 3, "ok": 7}
    assert parameters.given(given) == {"from": 1, "to-date": 2, "ctx": 0, "2nd": 3}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=3),
    lambda x: st.lists(x, max_size=3),
)
WORDS = st.sampled_from(["type", "enum", "const", "default", "minimum", "maxLength", "pattern", "required"])
KINDS = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object", "any"])


def _larger(schemas: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    held = st.dictionaries(st.sampled_from(["a", "b-c", "from", "_d"]), schemas, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": KINDS | st.lists(KINDS, max_size=2),
            "properties": held,
            "required": st.lists(st.sampled_from(["a", "from"])),
            "items": schemas,
            "prefixItems": st.lists(schemas, max_size=2),
            "anyOf": st.lists(schemas, max_size=3),
            "allOf": st.lists(schemas, max_size=2),
            "additionalProperties": schemas,
            "description": st.text(max_size=5),
            "default": VALUES,
            "$ref": st.sampled_from(["#", "#/properties/a", "#/properties", "x"]),
        },
    )


SCHEMAS = st.recursive(st.booleans() | st.dictionaries(WORDS, VALUES, max_size=3), _larger, max_leaves=12)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(["a", "b-c", "from", "_d"]), SCHEMAS, max_size=4))
def test_any_schema_is_taken_or_refused(properties: dict[str, Any]) -> None:
    try:
        tool = made({"type": "object", "properties": properties})
    except InputError:
        return

    def keywords(schema: dict[str, Any]) -> set[str]:
        below = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
        below += [schema["items"]] if "items" in schema else []
        return set(schema).union(*map(keywords, below))

    assert keywords(tool.parameters) <= KEYWORDS
    assert tool.text.startswith("web.ask(")
    tool.validate({})


def test_a_tool_in_a_list_is_rehearsed_without_a_server(tmp_path: Path) -> None:
    def ask(ctx: Any, from_: str, to: str | None) -> str:
        return f"{from_} to {to}"

    env = bare(tmp_path)
    schema = taking({"from": {"type": "string"}, "to": {"type": "string"}}, "from")
    env.add_mcp("no-such-command", toolkit="web", listing=listed(tmp_path, of(schema)), twins={"ask": ask})

    assert call(env, "web.ask", from_="Rome").text == "Rome to None"
