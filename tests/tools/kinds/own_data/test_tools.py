"""Plain typed functions become tools; what is none is refused where it is declared, with the reason."""

from __future__ import annotations

from collections.abc import Callable
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


class Closer:
    """Closes."""

    def __call__(self, ctx: Context) -> str:
        """Close."""
        return ""


NO_TOOLS = {
    "def close(): 'Close.'": "the first argument of a tool is its context (write `def close(ctx)`)",
    "def close(ticket_id: str): 'Close.'": "is its context (write `def close(ctx, ticket_id: 'str')`)",
    "def close(ctx): pass": "the docstring is missing",
    "def close(ctx, ticket_id): 'Close.'": "the argument ticket_id has no type (write `ticket_id: str`)",
    "def close(ctx, *ids: str): 'Close.'": "*ids is no argument of a tool",
    "def close(ctx, **fields: str): 'Close.'": "*fields is no argument of a tool",
    "def close(ctx, ticket_id: str, /): 'Close.'": "ticket_id cannot be given by name",
    "def close(ctx, _id: str): 'Close.'": "the argument _id begins with _",
    "def close(ctx, self: str): 'Close.'": "no argument can be called self (write another name, such as",
    "def close(ctx, model_config: str): 'Close.'": "no argument can be called model_config",
    "def close(ctx, call: Callable[[], int]): 'Close.'": "the type of an argument cannot be that of a tool",
    "def close(ctx, item: NoSuchType): 'Close.'": "a type cannot be read: name 'NoSuchType' is not defined",
    "async def close(ctx): 'Close.'": "a tool cannot be async",
    "def close(ctx):\n 'Close.'\n yield ''": "a tool cannot yield",
    "def finish(ctx): 'Close.'": "no tool can be called finish",
}


def defined(source: str) -> Callable[..., Any]:
    """The function that a source defines, as if it stood in this file."""
    found: dict[str, Callable[..., Any]] = {}
    exec(compile(source, __file__, "exec"), globals(), found)  # noqa: S102
    return next(iter(found.values()))


@each_row(
    ("function", "said"),
    [
        *((defined(source), said) for source, said in NO_TOOLS.items()),
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
