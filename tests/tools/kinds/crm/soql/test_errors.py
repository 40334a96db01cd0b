from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tools.kinds.crm.soql.model import soql
from tests.tools.kinds.crm.soql.org import connect, random_org, refusals
from tests.tools.kinds.crm.soql.queries import Chooser
from worksmith.tools.kinds.crm.schema import crm_schema
from worksmith.tools.kinds.crm.soql.cursor import MAX_LISTED
from worksmith.tools.kinds.crm.soql.errors import QueryError
from worksmith.tools.kinds.crm.soql.filters import MAX_CONDITIONS
from worksmith.tools.kinds.crm.soql.scope import MAX_PARENTS
from worksmith.tools.kinds.crm.soql.soql_engine import Limits, Soql
from worksmith.tools.seeding import rng

ORG = random_org(rng(1, "errors"), 6)
CONNECTION = connect(ORG)
MARK = "¦"


def refused(query: str, limits: Limits | None = None) -> QueryError:
    with pytest.raises(QueryError) as caught:
        Soql(CONNECTION, date(2022, 6, 1), limits=limits).query(query)
    return caught.value


@pytest.mark.parametrize(("before", "after"), [("", ""), ("\n\n  ", ""), (" ", " \n")])
def test_malformed_queries_are_refused_with_code_message_and_place(before: str, after: str) -> None:
    for code, message, query in refusals(Path(__file__).with_name("malformed.txt")):
        marked = before + query + after
        error = refused(marked.replace(MARK, ""))
        place = marked.index(MARK)
        assert (error.code, error.offset) == (code, place), query
        assert message in error.message, query
        line, column = marked[:place].count("\n") + 1, place - marked.rfind("\n", 0, place)
        assert f"ERROR at Row:{line}:Column:{column}\n{error.message}" in str(error), query


def test_the_pointer_stands_below_the_token() -> None:
    lines = str(refused("SELECT Id, Status, Subject, Description, Wrong FROM Case")).splitlines()
    assert lines[0] == "INVALID_FIELD: "
    assert lines[1][lines[2].index("^") :].startswith("Wrong FROM")
    assert lines[2].index("^") == 32


@given(st.randoms(use_true_random=False), st.data())
@settings(suppress_health_check=list(HealthCheck))
def test_garbled_queries_give_a_result_or_an_error_with_a_place(
    chooser: random.Random, data: st.DataObject
) -> None:
    words = re.findall(r"'(?:\\.|[^'])*'|\w+|\s+|.", soql(Chooser(chooser, crm_schema(), ORG).query()))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(words) - 1))
        new = data.draw(
            st.sampled_from(["", "(", ")", ",", "'", "SELECT", "FROM", "null", "1", "Id", "\\", "\x00", "é"])
        )
        words[at : at + data.draw(st.integers(0, 2))] = [new]
    statement = "".join(words)
    place: int | None = 0
    try:
        Soql(CONNECTION, date(2022, 6, 1)).query(statement)
    except QueryError as error:
        place = error.offset
    assert place is not None
    assert 0 <= place <= len(statement)


def test_many_conditions_run_and_too_many_are_refused() -> None:
    engine = Soql(CONNECTION, date(2022, 6, 1))
    for connector in (" OR ", " AND "):
        condition = connector.join(["Status != 'x'"] * MAX_CONDITIONS)
        assert engine.query(f"SELECT Id FROM Case WHERE {condition}").total_size == len(ORG["Case"])
        error = refused(f"SELECT Id FROM Case WHERE {condition}{connector}Status = 'y'")
        assert error.code == "QUERY_TOO_COMPLICATED"


def test_more_than_sqlite_takes_is_refused() -> None:
    engine = Soql(CONNECTION, date(2022, 6, 1))
    sums = [f"COUNT(Id) n{number}" for number in range(MAX_LISTED + 1)]
    assert engine.query(f"SELECT {', '.join(sums[:-1])} FROM Case").total_size == 1
    assert "can be listed" in refused(f"SELECT {', '.join(sums)} FROM Case").message
    keys = ", ".join(["Id"] * (MAX_LISTED + 1))
    assert "can be listed" in refused(f"SELECT Id FROM Case ORDER BY {keys}").message


@pytest.mark.parametrize("name", ["LiveChatTranscript", "OrderItem", "CaseHistory__c"])
def test_all_relationships_of_an_object_can_be_followed_at_once(name: str) -> None:
    paths = list(_paths(name, MAX_PARENTS))  # no more than SQLite joins
    fields = ", ".join(f"{path}.Id" for path in paths)
    engine = Soql(CONNECTION, date(2022, 6, 1), schema=crm_schema("lookup"))
    assert engine.query(f"SELECT {fields} FROM {name}").total_size == len(ORG[name])


def _paths(name: str, depth: int) -> Iterator[str]:
    found = crm_schema("lookup").object(name)
    assert found is not None
    for field in found.queryable:
        if field.parent:
            yield field.parent
            if depth > 1 and not field.polymorphic:
                yield from (f"{field.parent}.{path}" for path in _paths(field.targets[0], depth - 1))


def test_paths_of_more_than_five_relationships_are_refused() -> None:
    path = ".".join(["Case", "Account", "PersonContact", "Account", "PersonContact", "Account", "Name"])
    assert "more than 5 relationships" in refused(f"SELECT {path} FROM LiveChatTranscript").message


def test_results_of_too_many_records_are_refused() -> None:
    few = Limits(rows=len(ORG["Case"]) - 1)
    assert refused("SELECT Id FROM Case", few).code == "OPERATION_TOO_LARGE"
    engine = Soql(CONNECTION, date(2022, 6, 1), limits=few)
    assert engine.query("SELECT Id FROM Case LIMIT 1").total_size == 1
    assert engine.query("SELECT COUNT() FROM Case").total_size == len(ORG["Case"])


def test_results_of_too_many_values_are_refused() -> None:
    count = len(ORG["Case"])
    assert refused("SELECT Id, Subject FROM Case", Limits(values=2 * count - 1)).code == "OPERATION_TOO_LARGE"
    assert refused("SELECT Id, COUNT(Subject) FROM Case GROUP BY Id", Limits(values=count)).code == (
        "OPERATION_TOO_LARGE"
    )
    enough = Soql(CONNECTION, date(2022, 6, 1), limits=Limits(values=2 * count))
    assert enough.query("SELECT Id, Subject FROM Case").total_size == count


def test_children_that_are_not_shown_do_not_count() -> None:
    cases = [{**case, "AccountId": ORG["Account"][0]["Id"]} for case in ORG["Case"]]
    limits = Limits(rows=len(ORG["Account"]) + 1)
    engine = Soql(connect({**ORG, "Case": cases}), date(2022, 6, 1), limits=limits)
    found = engine.query("SELECT Id, (SELECT Id FROM Cases LIMIT 1) FROM Account")
    assert [len(r["Cases"]["records"]) for r in found.records if r["Cases"]] == [1]
    with pytest.raises(QueryError, match="OPERATION_TOO_LARGE"):
        engine.query("SELECT Id, (SELECT Id FROM Cases) FROM Account")


def test_children_count_towards_the_size_of_a_result() -> None:
    engine = Soql(CONNECTION, date(2022, 6, 1))
    query = "SELECT Id, (SELECT Id FROM Contacts) FROM Account"
    whole = engine.query(query)
    children = sum(len((r["Contacts"] or {"records": []})["records"]) for r in whole.records)
    assert children > 0
    assert Soql(CONNECTION, date(2022, 6, 1), limits=Limits(whole.total_size + children)).query(query)
    assert refused(query, Limits(whole.total_size + children - 1)).code == "OPERATION_TOO_LARGE"


@pytest.mark.slow
def test_queries_that_take_too_long_are_stopped() -> None:
    big = connect(random_org(rng(2, "time"), 3000))
    with pytest.raises(QueryError, match="QUERY_TIMEOUT"):
        Soql(big, date(2022, 6, 1), limits=Limits(seconds=0)).query(
            "SELECT Account.Name, COUNT(Id) FROM Case GROUP BY Account.Name"
        )
    assert Soql(big, date(2022, 6, 1)).query("SELECT COUNT() FROM Case").total_size > 0
