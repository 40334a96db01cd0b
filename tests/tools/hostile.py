"""Arguments that nobody would write on purpose, for the tools of any world."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

from worksmith.tools.episode import Episode
from worksmith.tools.tool import Tool

_SQL = [
    "SELECT X'ff' AS b",
    "SELECT CAST(X'ff' AS TEXT)",
    "SELECT 9e999, -9e999, 1e308 * 10 - 1e308 * 10",
    "SELECT 9223372036854775807 + 1, -9223372036854775808",
    "SELECT 'a\x00b'",
    "SELECT name FROM employees WHERE name LIKE '%' || char(0)",
    "SELECT group_concat(X'00ff')",
    "SELECT substr(X'ffff', 1, 1), upper(X'ff'), replace(X'ff', X'ff', 'a')",
    "SELECT * FROM employees e, mail m, sales s ORDER BY e.name || m.body || s.sale_id",
    "SELECT count(*) FROM (SELECT DISTINCT a.name || b.name FROM employees a, employees b)",
    "SELECT Id FROM Case WHERE Subject LIKE '%" + "a%" * 300 + "'",
    "SELECT Id FROM Case WHERE CreatedDate > 99999-12-31T00:00:00Z",
    "SELECT Id FROM Case LIMIT 99999999999999999999",
    "SELECT " + "COUNT(" * 500 + "Id" + ")" * 500 + " FROM Case",
    "FIND {" + "a* OR " * 400 + "b} RETURNING Case(Id)",
    'FIND {"\ud800"} RETURNING Case(Id)',
]

_TEXTS = [
    "",
    " ",
    "\x00",
    "a\x00b",
    "\ud800",
    "\udfff\ud800",
    "\U0010ffff",
    "\u202e\u200b\ufeff",
    "e\u0301" * 2_000,
    "ﷺ" * 500,
    "\u0130\u0131\u017f\u212a",
    "word " * 1_000,
    "x" * 100_000,
    "%" * 5_000,
    "*" * 5_000,
    '"' * 999,
    "(" * 5_000,
    "'; DROP TABLE mail; --",
    "../../../../etc/passwd",
    "#1",
    "#999999999999999999999",
    "#1.#2[0]",
    "{{7*7}}",
    "9" * 400,
    "-" + "9" * 400,
    "1e999",
    "-0.0",
    "NaN",
    "Infinity",
    "٣",
    "²",
    "1_000",
    "0x10",
    "10000-01-01",
    "0000-00-00",
    "-2022-06-07",
    "2022-06-07T25:61:61",
    "2022-06-07 00:00:00+99:99",
    "9999-12-31 23:59:59",
    "0001-01-01 00:00:00",
    "2022-06-07,2022-06-07",
    "null",
    "true",
    "[]",
    "{}",
    "a,b" * 3_000,
]

_OTHERS: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    2**31,
    2**63,
    2**64,
    -(2**200),
    10**400,
    1.5,
    1e308,
    float("inf"),
    float("-inf"),
    float("nan"),
    [],
    {},
    [[[[]]]],
    ["a"] * 5_000,
    [None],
    [{"a": "b"}] * 100,
    {"$in": ["a"]},
    {"\ud800": "\ud800"},
    b"\xff",
    json.loads("[" * 150 + "]" * 150),
]


def hostile_calls(
    tools: Sequence[Tool], known: Sequence[str], count: int, seed: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """So many calls, the same for a seed.

    Args:
        known: values that mean something in the world, so that calls get past the first check.
    """
    lot = random.Random(seed)
    for number in range(count):
        tool = tools[number % len(tools)]
        arguments = {
            name: value
            for name in tool.arguments
            if (value := _value(lot, known)) is not None or lot.random() < 0.5
        }
        if lot.random() < 0.05:
            arguments[lot.choice(["", "\ud800", "self", "desk", "x" * 1_000])] = "x"
        yield tool.name, arguments


def crashes(episode: Episode, calls: Iterator[tuple[str, dict[str, Any]]]) -> list[str]:
    """What calls were answered by a defect of the tool, or by what no log can hold."""
    found = []
    for name, arguments in calls:
        observation = episode.call(name, arguments)
        if observation.status == "tool_crash":
            found.append(f"{name}({ascii(arguments)[:300]}): {observation.text}")
        json.dumps(observation.value, allow_nan=False).encode()
        observation.text.encode()
    return found


def _value(lot: random.Random, known: Sequence[str]) -> Any:
    kind = lot.random()
    if kind < 0.45:
        return lot.choice(known)
    if kind < 0.8:
        return lot.choice(_TEXTS)
    if kind < 0.9:
        return lot.choice(_SQL)
    return lot.choice(_OTHERS)
