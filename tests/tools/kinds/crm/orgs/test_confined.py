"""A live org in place of the world: it is asked for nothing that a role may not read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date

import pytest

from tests.tools.kinds.crm.functions.orgs import connect
from tests.tools.kinds.crm.functions.small import ORG, RETURNS
from tests.tools.kinds.crm.worlds import call, episode, written
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.crm.access.roles import packaged_policy
from worksmith.tools.kinds.crm.orgs.opening import Confined
from worksmith.tools.kinds.crm.orgs.org import WorldOrg
from worksmith.tools.kinds.crm.schema import OBJECTS, crm_schema
from worksmith.tools.kinds.crm.soql.errors import QueryError
from worksmith.tools.kinds.crm.soql.soql_engine import QueryResult
from worksmith.tools.kinds.crm.sosl.sosl_engine import SearchResult


@pytest.fixture
def shop() -> Iterator[Environment]:
    """An empty world whose episodes work on another org, which hides nothing."""
    found = written({})
    found.connect(WorldOrg(connect(ORG), date(2023, 1, 1)))
    yield found
    found.connect(None)


def test_functions_and_queries_work_on_the_live_org(shop: Environment) -> None:
    mine = episode(["functions", "query"], "service_manager", shop)
    assert call(mine, "functions.get_issues")[0] == {"Id": RETURNS, "Name": "Returns"}
    assert call(mine, "query.soql", query="SELECT COUNT() FROM CaseHistory__c") == 5
    assert call(mine, "query.sosl", query="FIND {shoe} RETURNING Product2(Name)")["total"] == 1
    assert {each.split("/")[0] for made in mine.calls for each in made.reads} == {
        "Issue__c",
        "CaseHistory__c",
        "Product2",
    }


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT Id FROM CaseHistory__c",
        "SELECT Id FROM Case WHERE Owner.Phone != null",
        "SELECT Id, (SELECT Id FROM CaseHistories__r) FROM Case",
        "FIND {shoe}",
        "FIND {shoe} RETURNING CaseHistory__c",
        "FIND {shoe} RETURNING Product2(Id), User(Id)",  # may match a number that is hidden
        "SELECT FIELDS(ALL) FROM User LIMIT 5",
        "SELECT Id, (SELECT FIELDS(STANDARD) FROM Contacts) FROM Account",
        "SELECT owner.Id FROM Case Owner",  # which of the two is meant, others may see otherwise
        "SELECT Id, (SELECT CreatedBy.Id FROM Cases CreatedBy) FROM Contact WHERE Id != null",
        "SELECT Id FROM Contact WHERE Id IN (SELECT ContactId FROM Case Account WHERE Account.Id != null)",
    ],
)
def test_a_live_org_is_not_asked_for_what_is_hidden(shop: Environment, statement: str) -> None:
    found = episode(["query"], "service_agent", shop).call("query.soql", {"query": statement})
    assert found.status == "tool_error"
    assert found.text.startswith(("INVALID_TYPE", "INVALID_FIELD", "MALFORMED_"))


def test_who_may_read_everything_asks_the_live_org_whatever_it_understands() -> None:
    document = json.loads(packaged_policy())
    document["roles"]["service_agent"] |= {"objects": list(OBJECTS), "hidden": {}}
    shop = written({}, policy=json.dumps(document))
    shop.connect(WorldOrg(connect(ORG), date(2023, 1, 1)))
    mine = episode(["query"], "service_agent", shop)
    assert call(mine, "query.soql", query="FIND {shoe}")["total"] > 0
    refused = mine.call("query.soql", {"query": "SELECT Lead FROM Case"})
    assert refused.text.startswith("INVALID_FIELD")  # by the org itself
    call(mine, "query.soql", query="SELECT COUNT() FROM CaseHistory__c WHERE CaseId__r.Status = 'New'")
    assert set(mine.calls[-1].reads) == {"CaseHistory__c/*", "Case/*"}


class Patient:
    """An org that takes any statement, and knows what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def query(self, soql: str) -> QueryResult:
        self.asked.append(soql)
        return QueryResult(0, [])

    def search(self, sosl: str) -> SearchResult:
        self.asked.append(sosl)
        return SearchResult([])


def test_giant_statements_go_nowhere_even_for_who_may_read_everything() -> None:
    org = Patient()
    confined = Confined(org, crm_schema(), date(2023, 1, 1))
    giant = "x" * 10_000_000
    with pytest.raises(QueryError, match="100000 characters"):
        confined.query(f"SELECT Lead FROM Case WHERE Subject = '{giant}'")
    with pytest.raises(QueryError, match="100000 characters"):
        confined.search(f"FIND {{{giant}}} RETURNING Lead")
    confined.query("SELECT Lead FROM Case")
    assert org.asked == ["SELECT Lead FROM Case"]
