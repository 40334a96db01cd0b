"""What a call returns is made up by the declared type of its result, whatever it contains."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import Enum
from random import Random
from typing import Annotated, Any, Literal, TypedDict

from pydantic import BaseModel

from tests.tables import each_row
from worksmith.evals.tasks.transcript import Transcript
from worksmith.optimizers.demos.results import MadeUpResults
from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment


class Colour(Enum):
    RED = "red"


class Node(BaseModel):
    name: str
    children: list[Node]
    parent: Node | None


class Found(TypedDict):
    total: int
    records: list[dict[str, Any]]


@dataclass
class Point:
    amount: float
    urgent: bool


ROW = {"id": str, "title": str, "amount": int, "ratio": float, "urgent": bool, "opened_date": str}


@each_row(
    ("declared", "shape", "nothing"),
    [
        (dict[str, Any], ROW, str),
        (Mapping[str, object], ROW, str),
        (Any, ROW, str),
        (list[dict[str, Any]], [ROW], []),
        (Annotated[list[Any] | None, "x"], [ROW], None),
        (Found, {"total": int, "records": [ROW]}, {"total": int, "records": []}),
        (Point, {"amount": int, "urgent": bool}, {"amount": int, "urgent": bool}),
        (Node, {"name": str, "children": [dict], "parent": dict}, dict),
        (Literal["open", "closed"], str, str),
        (Colour, str, str),
        (date, str, str),
        (str, str, str),
        (int, int, int),
        (float, float, int),
        (bool, bool, bool),
        (None, str, str),
    ],
)
def test_a_result_has_the_declared_type(declared: Any, shape: Any, nothing: Any) -> None:
    row = {"id": "T-1", "title": "a", "amount": 1, "ratio": 0.5, "urgent": True, "opened_date": "2026-01-01"}
    env = Environment.from_tables({"tickets": [row]}, now="2026-01-05 09:00", sandboxes=1)

    def read(ctx: Context, id: str) -> Any:
        """Read one of the tickets."""
        return ctx["tickets"].get(id)

    read.__annotations__["return"] = declared
    env.tool(writes=False)(read)
    step = {"thought": "", "tool": "tools.read", "arguments": {"id": "T-9"}}

    def made(status: str) -> Any:
        results = MadeUpResults(env, Random(0), lambda random: f"w{random.random()}")
        (text,) = results.of([step], "Read T-9.", [("text", "gold")], Transcript("", status=status))
        try:
            return json.loads(text)
        except ValueError:
            return text

    assert _fits(made("answered"), shape), made("answered")
    assert _fits(made("not_found"), nothing), made("not_found")


def _fits(value: Any, shape: Any) -> bool:
    if isinstance(shape, dict):
        return value.keys() == shape.keys() and all(_fits(value[name], part) for name, part in shape.items())
    if isinstance(shape, list):
        return len(value) == len(shape) and all(map(_fits, value, shape))
    return value is None if shape is None else type(value) is shape
