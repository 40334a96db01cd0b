"""Plain typed functions become tools; what is none is refused where it is declared, with the reason."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Optional

import numpy as np
import pytest
from pydantic import BaseModel, BeforeValidator

from tests.tables import each_row
from tests.tools.kinds.own_data.desk import bare, call
from worksmith.tools.errors import InputError, ToolError
from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment


class Item(BaseModel):
    name: str
    count: int = 1


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@pytest.fixture
def env(tmp_path: Path) -> Environment:
    return bare(tmp_path)


def test_the_function_itself_stays_what_it_was(env: Environment) -> None:
    def greet(ctx: Context, name: str) -> str:
        """Greet somebody."""
        return f"Hello {name}"

    assert env.tool(greet) is greet
    assert env.tool(toolkit="more")(greet) is greet
    assert call(env, "tools.greet", name="Bo").text == "Hello Bo"
    assert call(env, "more.greet", name="Bo").text == "Hello Bo"


def test_arguments_are_of_plain_types_and_models(env: Environment) -> None:
    @env.tool
    def order(  # type: ignore[no-untyped-def]
        ctx,
        items: list[Item],
        colour: Colour,
        size: Literal["small", "large"] = "small",
        note: Optional[str] = None,  # noqa: UP045
        discount: float | None = None,
        express: bool = False,
    ) -> Any:
        """Order things.

        Args:
            items: what to order.
        """
        return [items, colour, size, note, discount, express]

    tool = env.episode().toolset["tools.order"]
    assert tool.text == (
        "tools.order(items: list[{\"name\": str, \"count\": int}], colour: 'red' | 'blue', "
        "size: Literal['small', 'large'] = 'small', note: Optional[str] = None, "
        "discount: float | None = None, express=False): Order things.\n  items: what to order."
    )
    given = {"items": [{"name": "pen"}], "colour": "blue", "discount": 1, "express": True}
    found = call(env, "tools.order", **given)
    assert found.value == [[{"name": "pen", "count": 1}], "blue", "small", None, 1.0, True]
    wrong = call(env, "tools.order", items=[{"count": "x"}], colour="green")
    assert wrong.status == "bad_arguments"
    for said in ("items.0.name: Field required", "items.0.count", "colour: Input should be 'red' or 'blue'"):
        assert said in wrong.text


@pytest.mark.parametrize(
    ("declared", "given", "taken"),
    [
        (str, 10001, None),
        (str, True, None),
        (int, "5", None),
        (int, True, None),
        (int, 5.5, None),
        (int, 5.0, 5),
        (float, 5, 5.0),
        (float, "5", None),
        (bool, "true", None),
        (bool, 1, None),
        (list[int], [1, "2"], None),
        (Item, {"name": "pen", "count": "2"}, None),
        (Item, {"name": "pen", "count": 2.0}, Item(name="pen", count=2)),
        (int | None, "5", None),
        (date, 5, None),
        (date, "2026-01-05", date(2026, 1, 5)),
        (tuple[int, str], [1, "a"], (1, "a")),
        (str | int, 5, 5),
        (Annotated[str, BeforeValidator(str)], 10001, "10001"),
        (Any, {"n": 5.0}, {"n": 5.0}),
    ],
)
def test_an_argument_is_of_the_declared_json_type(
    env: Environment, declared: Any, given: Any, taken: Any
) -> None:
    seen = []

    def keep(ctx: Context, value: Any) -> None:
        """Keep it."""
        seen.append(value)

    keep.__annotations__["value"] = declared
    env.tool(keep)
    found = call(env, "tools.keep", value=given)
    if taken is None:
        assert found.status == "bad_arguments"
        for said in ("tools.keep takes value; value", "Input should be a valid", ", not "):
            assert said in found.text
    else:
        assert repr(seen) == repr([taken])


def test_a_tool_knows_the_earlier_calls_of_its_episode_and_cannot_change_them(env: Environment) -> None:
    @env.tool(writes=False)
    def remember(ctx: Context, said: list[str]) -> Any:
        """Remember it."""
        known = [[call.tool, call.arguments, call.value] for call in ctx.calls]
        for earlier in ctx.calls:
            earlier.arguments["said"].clear()
        return known

    episode = env.episode()
    first = ["tools.remember", {"said": ["a"]}, []]
    for expected in ([], [first], [first, ["tools.remember", {"said": ["a"]}, [first]]]):
        assert episode.call("tools.remember", {"said": ["a"]}).value == expected
    assert env.episode().call("tools.remember", {"said": []}).value == []


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "Done."),
        (Item(name="pen"), '{"name": "pen", "count": 1}'),
        ({"rate": float("nan")}, '{"rate": null}'),
        (Colour.RED, "red"),
        ((1, "a"), '[1, "a"]'),
        ({"n": np.int64(3), "of": np.arange(2)}, '{"n": 3, "of": [0, 1]}'),
    ],
)
def test_results_are_shown_as_json(env: Environment, value: Any, shown: str) -> None:
    @env.tool
    def give(ctx: Context) -> Any:
        """Give it."""
        return value

    assert call(env, "tools.give").text == shown


def test_a_result_that_cannot_be_shown_is_a_crash_of_the_tool(env: Environment) -> None:
    @env.tool
    def give(ctx: Context) -> Any:
        """Give it."""
        return object()

    assert call(env, "tools.give").status == "tool_crash"


def test_a_tool_refuses_with_a_message_for_the_agent(env: Environment) -> None:
    @env.tool
    def refuse(ctx: Context) -> None:
        """Refuse."""
        raise ToolError("Not on Mondays.")

    found = call(env, "tools.refuse")
    assert (found.status, found.text) == ("tool_error", "Not on Mondays.")


def no_context() -> str:
    """Nothing."""
    return ""


def forgotten_context(ticket_id: str) -> str:
    """Close."""
    return ""


def no_docstring(ctx: Context) -> str:
    return ""


def no_type(ctx: Context, ticket_id) -> str:  # type: ignore[no-untyped-def]
    """Close."""
    return ""


def any_number(ctx: Context, *ids: str) -> str:
    """Close."""
    return ""


def any_names(ctx: Context, **fields: str) -> str:
    """Close."""
    return ""


def by_position(ctx: Context, ticket_id: str, /) -> str:
    """Close."""
    return ""


def hidden(ctx: Context, _id: str) -> str:
    """Close."""
    return ""


def of_a_method(ctx: Context, self: str) -> str:
    """Close it."""
    return self


def of_pydantic(ctx: Context, model_config: str) -> str:
    """Close it."""
    return model_config


def strange_type(ctx: Context, call: Callable[[], int]) -> str:
    """Close."""
    return ""


def unknown_type(ctx: Context, item: NoSuchType) -> str:  # type: ignore[name-defined]  # noqa: F821
    """Close."""
    return ""


async def waits(ctx: Context) -> str:
    """Close."""
    await asyncio.sleep(0)
    return ""


def yields(ctx: Context) -> Iterator[str]:
    """Close."""
    yield ""


def finish(ctx: Context) -> str:
    """Close."""
    return ""


class Closer:
    """Closes."""

    def __call__(self, ctx: Context) -> str:
        """Close."""
        return ""


@each_row(
    ("function", "said"),
    [
        (no_context, "the first argument of a tool is its context (write `def no_context(ctx)`)"),
        (forgotten_context, "is its context (write `def forgotten_context(ctx, ticket_id: 'str')`)"),
        (no_docstring, "the docstring is missing"),
        (no_type, "the argument ticket_id has no type (write `ticket_id: str`)"),
        (any_number, "*ids is no argument of a tool"),
        (any_names, "*fields is no argument of a tool"),
        (by_position, "ticket_id cannot be given by name"),
        (hidden, "the argument _id begins with _"),
        (of_a_method, "no argument can be called self (write another name, such as `self_`)"),
        (of_pydantic, "no argument can be called model_config"),
        (strange_type, "the type of an argument cannot be that of a tool"),
        (unknown_type, "a type cannot be read: name 'NoSuchType' is not defined"),
        (waits, "a tool cannot be async"),
        (yields, "a tool cannot yield"),
        (finish, "no tool can be called finish"),
        (lambda ctx: "", "a tool is a plain function"),
        (Closer(), "a tool is a plain function"),
        ("close", "a tool is a plain function"),
    ],
)
def test_what_is_no_tool_is_named_with_its_fault(env: Environment, function: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        env.tool(function)

    assert said in str(caught.value)
    assert getattr(function, "__name__", "") in str(caught.value)
    if hasattr(function, "__code__"):
        assert f"test_tools.py:{function.__code__.co_firstlineno})" in str(caught.value)


def test_a_name_belongs_to_one_tool(env: Environment) -> None:
    def close(ctx: Context) -> str:
        """Close."""
        return ""

    env.tool(close)
    with pytest.raises(InputError, match=r"there is a tool tools\.close already"):
        env.tool(close)
    for toolkit in ("help__desk", "help_"):  # chat APIs could not tell help__desk.close from help.desk__close
        with pytest.raises(InputError, match="is no name of a toolkit"):
            env.tool(toolkit=toolkit)(close)
    with pytest.raises(InputError, match="'help desk' is no name of a toolkit"):
        env.tool(toolkit="help desk")(close)
