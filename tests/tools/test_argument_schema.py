"""Schemas of arguments say what the validators take, in the words that all providers know."""

from __future__ import annotations

import enum
import json
from datetime import date
from functools import cache
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker
from pydantic import BaseModel, Field
from pydantic_core import to_jsonable_python

from worksmith.tools.argument_schema import KEYWORDS, portable
from worksmith.tools.tool import BadArgumentsError, Tool, tool
from worksmith.tools.tool_context import ToolContext
from worksmith.tools.world_kind import world_kind


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


class Money(BaseModel):
    amount: float
    unit: Literal["EUR", "USD"]


class Line(BaseModel):
    name: str
    price: Money
    sizes: list[Size]


class Node(BaseModel):
    name: str
    inner: list[Node] = []


@tool()
def order(
    _ctx: ToolContext,
    title: Annotated[str, Field(min_length=1, max_length=5)],
    count: int,
    ratio: float = 0.5,
    urgent: bool = False,
    day: date | None = None,
    size: Size = Size.SMALL,
    level: Literal[1, 2, 3] = 1,
    mode: Literal["fast"] = "fast",
    either: int | Literal["all", 0] = 0,
    share: Annotated[int, Field(gt=0, lt=10)] = 1,
    tags: list[str] | None = None,
    first: Annotated[list[int], Field(max_length=2)] = [],  # noqa: B006
    line: Line | None = None,
    lines: list[Line] | None = None,
    note: str | None = None,
) -> str:
    """Order something.

    Args:
        title: of the order.
        size: how large it is.
    """
    return title


ORDER = Tool("shop", order)
TEXTS = st.sampled_from(["", "a", "all", "fast", "small", "EUR", "1", "true", "2024-02-30", "2024-02-29"])
NUMBERS = st.integers(-2, 12) | st.sampled_from([0.0, 1.0, 1.5, 2.0])
ANY = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
MONEY = st.fixed_dictionaries({"amount": NUMBERS | ANY, "unit": st.sampled_from(["EUR", "USD"]) | ANY})
SIZES = st.lists(st.sampled_from(["small", "large"]) | ANY, max_size=2)
LINE = st.fixed_dictionaries({"name": TEXTS, "price": MONEY | ANY, "sizes": SIZES | ANY}, optional={"x": ANY})
OPTIONAL = {
    **dict.fromkeys(ORDER.arguments[2:], ANY),
    "tags": st.lists(TEXTS, max_size=2),
    "first": st.lists(NUMBERS, max_size=3),
    "line": LINE | ANY,
    "lines": st.lists(LINE, max_size=2),
    "share": NUMBERS,
    "level": NUMBERS,
    "no such argument": ANY,
}
ARGUMENTS = st.lists(st.sampled_from(sorted(OPTIONAL)), max_size=3).flatmap(
    lambda names: st.fixed_dictionaries(
        {"count": NUMBERS, **{name: OPTIONAL[name] for name in names}}, optional={"title": TEXTS}
    )
)


def closed(schema: Any) -> Any:
    """The schema; objects have no names but those of their properties. Gemini takes no such words."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(value) for name, value in schema.items()}
    return found | ({"additionalProperties": False} if found.get("type") == "object" else {})


@cache
def validator(checked: Tool) -> Draft202012Validator:
    return Draft202012Validator(closed(checked.parameters), format_checker=FormatChecker())


def alike(value: Any) -> str:
    """Data as JSON writes it; `1.0` is the whole number that it is for JSON Schema."""
    if isinstance(value, list):
        return f"[{','.join(map(alike, value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{name!r}:{alike(each)}' for name, each in sorted(value.items()))}}}"
    return json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value)


def taken(checked: Tool, arguments: dict[str, Any]) -> bool:
    """Whether a validator takes the arguments as they are, without reading a text as a number."""
    try:
        found = to_jsonable_python(checked.validate(arguments))
    except BadArgumentsError:
        return False
    return alike({name: found[name] for name in arguments}) == alike(arguments)


@given(ARGUMENTS)
def test_a_schema_accepts_what_the_validator_takes_as_it_is(arguments: dict[str, Any]) -> None:
    assert validator(ORDER).is_valid(arguments) == taken(ORDER, arguments)


@given(ARGUMENTS)
def test_what_a_schema_accepts_no_validator_refuses(arguments: dict[str, Any]) -> None:
    if validator(ORDER).is_valid(arguments):
        ORDER.validate(arguments)


def test_choices_bounds_and_descriptions_are_said() -> None:
    shown = ORDER.parameters["properties"]

    assert shown["title"] == {
        "type": "string",
        "description": "of the order.",
        "minLength": 1,
        "maxLength": 5,
    }
    assert shown["size"] == {
        "type": "string",
        "description": "how large it is.",
        "enum": ["small", "large"],
        "default": "small",
    }
    assert (shown["share"]["minimum"], shown["share"]["maximum"]) == (1, 9)
    assert shown["day"]["anyOf"] == [{"type": "string", "format": "date"}, {"type": "null"}]
    assert ORDER.parameters["required"] == ["title", "count"]


def test_a_model_that_holds_itself_ends_in_a_free_object() -> None:
    text = json.dumps(portable(Node.model_json_schema()))

    assert text.count('"name"') > 3
    assert "$ref" not in text
    assert words(json.loads(text)) <= KEYWORDS


def words(schema: Any) -> set[str]:
    """All keywords of a schema."""
    if isinstance(schema, list):
        return set().union(*map(words, schema))
    if not isinstance(schema, dict):
        return set()
    below = {name: value for name, value in schema.items() if name not in ("properties", "default", "enum")}
    return {*schema, *words([*below.values(), *schema.get("properties", {}).values()])}


@pytest.mark.parametrize("name", ["office", "enterprise", "crm"])
def test_the_schemas_of_all_tools_are_valid_and_portable(name: str) -> None:
    tools = [each for kit in world_kind(name).toolkits for each in kit.tools]

    for each in [ORDER, *tools]:
        Draft202012Validator.check_schema(each.parameters)
        assert words(each.parameters) <= KEYWORDS
        assert each.parameters["type"] == "object"
        assert set(each.parameters["properties"]) == set(each.arguments)
