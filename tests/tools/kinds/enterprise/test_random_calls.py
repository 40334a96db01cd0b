"""Whatever anybody calls in whatever order: no tool fails, and nothing changes that the rules forbid."""

from __future__ import annotations

from functools import partial
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tools.kinds.enterprise.small_world import PEOPLE, small_rows
from worksmith.tools.access.access_policy import AccessPolicy
from worksmith.tools.access.lookup import DatabaseLookup
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.enterprise.schema import KEYS, TABLES
from worksmith.tools.persona import Persona
from worksmith.tools.sqlite.sandbox import Sandbox
from worksmith.tools.tool import Tool
from worksmith.tools.world_kind import world_kind

TOOLS = [tool for toolkit in world_kind("enterprise").toolkits for tool in toolkit.tools]
WRITERS = [tool for tool in TOOLS if tool.writes]
IDS = sorted({str(row[0]) for rows in small_rows().values() for row in rows})
NAMES = [
    "me",
    "Sharma",
    "Gita Sharma",
    "gita.sharma@example.com",
    "nimbus kettle",
    "Anand Stores",
    "pay/parser",
]
WORDS = ["high", "open", "resolved", "closed", "answer", "EN", "Executive", "09", "12", "src/parse.py", "mit"]
ODD = [
    "",
    " ",
    "'",
    "%",
    "a\x00b",
    "\ud800",
    "₹1,50,000.50",
    "-1",
    "1e9",
    "2022-06-07",
    "2022-02-30",
    "null",
    "é" * 400,
]
QUERIES = [
    "SELECT * FROM employees",
    "SELECT salary FROM employees",
    "SELECT * FROM mail m JOIN sales",
    "DROP TABLE mail",
]
VALUES = st.one_of(
    st.sampled_from(IDS), st.sampled_from([*NAMES, *WORDS, *ODD, *QUERIES]), st.text(max_size=5)
)

RIGHT = {
    "recipient": ["Farid", "emp_0008", "rohan@zenith.example", "uma@copper.example"],
    "partner": ["CLI-0001", "Copper Works"],
    "reports_to": ["emp_0004", "me"],
    "resolver": ["Jay Bose"],
    "thread_id": ["THR-000001", "THR-000002", "THR-000003"],
    "repo_name": ["pay/parser", "ops/probes"],
    "path": ["src/parse.py", "probe.py", "new.py"],
    "parent_id": ["Q-00001", "A-00002"],
    "answer_id": ["A-00002"],
    "status": ["open", "closed", "resolved"],
    "priority": ["low", "High"],
    "importance": ["Low"],
    "department": ["EN", "Sales"],
    "level": ["09", "12"],
    "_price": ["500", "₹1,500"],
    "quantity": ["2"],
    "salary": ["70000"],
    "rating": ["5"],
    "_leaves": ["3"],
    "_date": ["2022-06-07"],
    "sql": QUERIES,
}
"""Values that make sense, by how the argument's name ends."""

State = dict[str, dict[int, dict[str, Any]]]


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, str, dict[str, Any]]:
    """Somebody's call with arguments that often make sense."""
    tool = draw(st.one_of(st.sampled_from(WRITERS), st.sampled_from(TOOLS)))
    needed = [name for name in tool.arguments if _required(tool, name)]
    others = [name for name in tool.arguments if name not in needed]
    named = needed + (draw(st.lists(st.sampled_from(others), unique=True, max_size=3)) if others else [])
    arguments = {name: draw(_values(name)) for name in named}
    return draw(st.sampled_from(sorted(PEOPLE))), tool.name, arguments


def _values(argument: str) -> st.SearchStrategy[Any]:
    """Values of the right kind more often than not."""
    if argument == "limit":
        return st.integers(-1, 300)
    right = [key for table in TABLES if KEYS[table.name] == argument for key in _keys(table.name)]
    right += next((values for end, values in RIGHT.items() if argument.endswith(end)), [])
    return st.one_of(*[st.sampled_from(right)] * 3, VALUES) if right else VALUES


def _keys(source: str) -> list[str]:
    return [str(row[0]) for row in small_rows()[source]]


def _required(tool: Tool, argument: str) -> bool:
    return argument in tool.parameters.get("required", [])


@pytest.fixture(scope="module")
def sandbox(small: Environment) -> Sandbox:
    return Sandbox(small.world.image, TABLES)


@pytest.mark.slow
@settings(max_examples=60, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(calls(), min_size=1, max_size=8))
def test_no_call_fails_or_breaks_a_rule(
    small: Environment, sandbox: Sandbox, sequence: list[tuple[str, str, dict[str, Any]]]
) -> None:
    changeset = b""
    for who, tool, arguments in sequence:
        episode = small.episode(persona=small.persona(who))
        episode.changeset = changeset

        observation = episode.call(tool, arguments)

        assert observation.status != "tool_crash", (who, tool, arguments, observation.text)
        if observation.status != "ok":
            assert episode.changeset == changeset
        elif episode.changeset != changeset:
            after = sandbox.read(episode.changeset, _state)
            check = partial(_forbidden, persona=episode.persona, policy=small.policy, after=after)
            broken = sandbox.read(changeset, check)
            assert not broken, (who, tool, arguments)
        changeset = episode.changeset


def _state(connection: apsw.Connection) -> State:
    return {
        table.name: {
            row[0]: dict(zip(table.columns, row[1:], strict=True))
            for row in connection.execute(f"SELECT * FROM {table.name}")
        }
        for table in TABLES
    }


def _forbidden(connection: apsw.Connection, persona: Persona, policy: Any, after: State) -> list[str]:
    """The changes between the database and `after` that the persona may not make."""
    assert isinstance(policy, AccessPolicy)
    lookup = DatabaseLookup(connection)
    before = _state(connection)
    broken = []
    for source in before:
        for row in before[source].keys() | after[source].keys():
            old, new = before[source].get(row), after[source].get(row)
            if old == new:
                continue
            if old is None or new is None:
                operation, fields = ("create" if old is None else "delete"), frozenset[str]()
            else:
                fields = frozenset(name for name in old if old[name] != new[name])
                operation = "delete" if fields == {"is_valid", "dol"} else "update"
                fields = frozenset() if operation == "delete" else fields
            record = old if old is not None else new
            assert record is not None
            if not policy.allows(persona, source, operation, record, lookup, fields).allow:
                broken.append(f"{operation} {source}/{record[KEYS[source]]} {sorted(fields)}")
    return broken


def test_the_check_above_can_fail(small: Environment, sandbox: Sandbox) -> None:
    def tamper(connection: apsw.Connection) -> State:
        connection.execute("UPDATE employees SET salary = '1' WHERE emp_id = 'emp_0007'")
        return _state(connection)

    after = sandbox.read(b"", tamper)
    persona = small.persona("emp_0008")

    assert sandbox.read(b"", lambda c: _forbidden(c, persona, small.policy, after)) == [
        "update employees/emp_0007 ['salary']"
    ]
