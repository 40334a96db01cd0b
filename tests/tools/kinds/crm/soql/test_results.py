from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from tests.tables import each_row
from tests.tools.kinds.crm.soql.org import Org, connect
from worksmith.tools.kinds.crm.ids import make_id
from worksmith.tools.kinds.crm.schema import TABLES, Links, crm_schema
from worksmith.tools.kinds.crm.soql.errors import QueryError
from worksmith.tools.kinds.crm.soql.results import plain
from worksmith.tools.kinds.crm.soql.soql_engine import Soql

AGENT, OTHER = make_id("005", 1), make_id("005", 2)
ANN, CASE, OPEN = make_id("001", 1), make_id("500", 1), make_id("500", 2)
ISSUE = make_id("a1M", 1)


def org() -> Org:
    given: Org = {
        "User": [{"Id": AGENT, "Name": "Eva Roth", "IsActive": True}, {"Id": OTHER, "Name": "Max Lund"}],
        "Account": [{"Id": ANN, "Name": "Ann O'Brien", "ShippingState": "CA"}],
        "Contact": [{"Id": make_id("003", 1), "Name": "Ann O'Brien", "AccountId": ANN, "OwnerId": AGENT}],
        "Issue__c": [{"Id": ISSUE, "Name": "Returns"}],
        "Case": [
            {
                "Id": CASE,
                "Status": "Closed",
                "OwnerId": AGENT,
                "AccountId": ANN,
                "IsClosed": True,
                "IssueId__c": ISSUE,
                "CreatedDate": "2023-01-31T23:59:59.000+0000",
                "ClosedDate": "2023-02-01T00:20:00.000+0000",
            },
            {"Id": OPEN, "Status": "New", "OwnerId": OTHER, "CreatedDate": "2023-02-01T00:00:00.000+0000"},
        ],
        "OrderItem": [{"Id": make_id("802", 1), "Quantity": 2.0, "UnitPrice": 79.99}],
    }
    return {
        table.name: [{c: record.get(c) for c in table.columns} for record in given.get(table.name, [])]
        for table in TABLES
    }


CONNECTION = connect(org())


def ask(query: str, links: Links = "text", today: date = date(2023, 2, 10)) -> Any:
    return Soql(CONNECTION, today, schema=crm_schema(links)).query(query)


def rows(query: str, links: Links = "text") -> Any:
    return plain(ask(query, links).records)


def test_records_say_what_they_are_and_keep_the_order_of_the_fields() -> None:
    [record, _] = ask("select STATUS, owner.NAME, id from CASE order by createddate").records
    assert list(record) == ["attributes", "Status", "Owner", "Id"]
    assert record["attributes"] == {"type": "Case", "url": f"/services/data/v59.0/sobjects/Case/{CASE}"}
    assert record["Owner"] == {
        "attributes": {"type": "User", "url": f"/services/data/v59.0/sobjects/User/{AGENT}"},
        "Name": "Eva Roth",
    }


def test_a_parent_that_is_not_there_is_null_and_so_is_what_it_would_say() -> None:
    assert rows("SELECT Account.Name FROM Case ORDER BY CreatedDate") == [
        {"Account": {"Name": "Ann O'Brien"}},
        {"Account": None},
    ]
    assert rows("SELECT Id FROM Case WHERE Account.Name = null") == [{"Id": OPEN}]


def test_children_are_results_within_the_record() -> None:
    result = ask("SELECT Id, (SELECT Status, Owner.Name FROM Cases), (SELECT Id FROM Orders) FROM Account")
    [record] = result.records
    assert result.total_size == 1
    assert record["Orders"] is None
    assert record["Cases"]["totalSize"] == 1
    assert record["Cases"]["done"] is True
    assert plain(record["Cases"]) == [{"Status": "Closed", "Owner": {"Name": "Eva Roth"}}]


def test_cells_are_typed() -> None:
    assert rows("SELECT Quantity, UnitPrice, OrderId FROM OrderItem") == [
        {"Quantity": 2.0, "UnitPrice": 79.99, "OrderId": None}
    ]
    assert rows("SELECT IsClosed FROM Case ORDER BY Id") == [{"IsClosed": True}, {"IsClosed": None}]


def test_aggregates_are_named_by_alias_field_or_number() -> None:
    query = "SELECT Owner.Name, COUNT(Id) n, MAX(CreatedDate), CALENDAR_MONTH(CreatedDate) FROM Case "
    query += "GROUP BY Owner.Name, CALENDAR_MONTH(CreatedDate) ORDER BY Owner.Name"
    assert ask(query).records[0] == {
        "attributes": {"type": "AggregateResult"},
        "Name": "Eva Roth",
        "n": 1,
        "expr0": "2023-01-31T23:59:59.000+0000",
        "expr1": 1,
    }


def test_aggregates_of_nothing() -> None:
    assert rows("SELECT COUNT(Id), SUM(Quantity) FROM OrderItem WHERE Quantity > 5") == [
        {"expr0": 0, "expr1": None}
    ]
    assert rows("SELECT OrderId, COUNT(Id) FROM OrderItem WHERE Quantity > 5 GROUP BY OrderId") == []


@each_row(
    ("condition", "found"),
    [
        ("CreatedDate < 2023-02-01T00:00:00Z", [CASE]),
        ("CreatedDate >= 2023-02-01T01:00:00+01:00", [OPEN]),
        ("CreatedDate >= 2023-02-01T01:00:00.000+0100", [OPEN]),
        ("CreatedDate = LAST_MONTH", [CASE]),
        ("CreatedDate = THIS_MONTH", [OPEN]),
        ("CreatedDate != THIS_MONTH", [CASE]),
        ("CreatedDate > LAST_MONTH", [OPEN]),
        ("CreatedDate <= LAST_MONTH", [CASE]),
        ("ClosedDate != 2023-02-01T00:20:00Z", [OPEN]),
        ("NOT (ClosedDate = 2023-02-01T00:20:00Z)", [OPEN]),
        ("ClosedDate < TODAY", [CASE]),
        ("IsClosed = false", [OPEN]),
        ("IsClosed != true", [OPEN]),
        ("Account.IsPersonAccount = false", [CASE, OPEN]),
        ("Status = 'CLOSED'", [CASE]),
        ("Status <> 'closed'", [OPEN]),
        ("Status LIKE 'n_w'", [OPEN]),
        ("Subject = ''", [CASE, OPEN]),
        (f"OwnerId = '{AGENT[:15]}'", [CASE]),
        (f"OwnerId = '{AGENT.lower()}'", [CASE]),
        (f"OwnerId NOT IN (('{AGENT}'))", [OPEN]),
        ("OwnerId = '005000000000001'", []),
        (f"Case.OwnerId = '{AGENT}'", [CASE]),
        ("Case.Account.ShippingState = 'CA'", [CASE]),
        ("Id IN (SELECT CaseId__c FROM CaseHistory__c)", []),
        ("AccountId IN (SELECT Id FROM Account WHERE ShippingState = 'ca')", [CASE]),
        ("AccountId NOT IN (SELECT Id FROM Account WHERE ShippingState = 'ca')", [OPEN]),
    ],
)
def test_conditions(condition: str, found: list[str]) -> None:
    assert [row["Id"] for row in rows(f"SELECT Id FROM Case WHERE {condition} ORDER BY Id")] == found


def test_date_literals_refer_to_the_day_that_is_given() -> None:
    query = "SELECT COUNT() FROM Case WHERE CreatedDate = TODAY"
    assert ask(query, today=date(2023, 2, 1)).total_size == 1
    assert ask(query, today=date(2023, 2, 2)).total_size == 0


def test_text_that_holds_ids_can_be_linked() -> None:
    query = "SELECT IssueId__r.Name FROM Case WHERE IssueId__c IN (SELECT Id FROM Issue__c)"
    with pytest.raises(QueryError, match="should be an id field"):
        ask(query)
    assert rows(query, "lookup") == [{"IssueId__r": {"Name": "Returns"}}]
    assert rows("SELECT (SELECT Id FROM Cases__r) FROM Issue__c", "lookup") == [{"Cases__r": [{"Id": CASE}]}]


def test_all_fields_standard_fields_custom_fields() -> None:
    every, standard, custom = (
        set(rows(f"SELECT FIELDS({which}) FROM Case LIMIT 1")[0]) for which in ("ALL", "STANDARD", "CUSTOM")
    )
    assert custom == {"OrderItemId__c", "IssueId__c"}
    assert standard | custom == every
    assert not standard & custom


@each_row(
    ("query", "size"),
    [
        ("SELECT COUNT() FROM Case", 2),
        ("SELECT COUNT(Id) FROM Case", 1),
        ("SELECT COUNT_DISTINCT(OwnerId) FROM Case", 1),
        ("SELECT c.Id FROM Case c", 2),
        ("SELECT Id FROM Case FOR VIEW", 2),
        ("SELECT Id FROM Case WHERE CreatedDate = LAST_N_DAYS:30", 2),
        ("SELECT Id FROM Case WHERE Id NOT IN ('500000000000001')", 2),
        ("SELECT Id FROM Case WHERE NOT (Status = 'Closed' OR Status = 'New')", 0),
        (
            "SELECT Id FROM Case WHERE OwnerId != null ORDER BY CreatedDate DESC NULLS LAST LIMIT 9 OFFSET 1",
            1,
        ),
        (
            "SELECT OwnerId, COUNT(Id) cnt FROM Case WHERE Status = 'Closed' "
            "GROUP BY OwnerId ORDER BY COUNT(Id) DESC LIMIT 5",
            1,
        ),
    ],
)
def test_forms_on_which_other_parsers_fail_silently(query: str, size: int) -> None:
    assert ask(query).total_size == size
