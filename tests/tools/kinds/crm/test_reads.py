"""What a call notes of the records that it reads, and whom that concerns."""

from __future__ import annotations

import json

import pytest

from tests.tools.kinds.crm.generate.orgs import small
from tests.tools.kinds.crm.worlds import call, env, episode, written
from worksmith.tools.kinds.crm.access.roles import packaged_policy


def reads(role: str, query: str) -> frozenset[str]:
    mine = episode(["query"], role)
    call(mine, "query.soql", query=query)
    return frozenset(mine.calls[-1].reads)


def test_a_call_notes_what_it_has_read_and_for_whom_that_is() -> None:
    shop = env()
    account = reads("service_agent", "SELECT Id, ShippingState FROM Account LIMIT 1")
    named = reads("service_agent", "SELECT Id, Name FROM Account LIMIT 1")
    filtered = reads("service_agent", "SELECT Id FROM Case WHERE account.lastname LIKE 'A%'")
    everything = reads("service_agent", "SELECT FIELDS(ALL) FROM Account LIMIT 1")
    found = reads("service_agent", "FIND {an*} RETURNING Account")
    (only,) = account
    assert only.startswith("Account/001")
    assert named == {only.replace("Account/", "Account#private/")} == everything
    assert "Account#private/*" in filtered
    analyst, agent, manager = (
        shop.persona(role) for role in ("service_analyst", "service_agent", "service_manager")
    )
    assert not shop.unreadable(analyst, account)
    for private in (named, everything, filtered, found):
        assert not shop.unreadable(agent, private)
        assert shop.unreadable(analyst, private)
    assert shop.unreadable(manager, account) == account


@pytest.mark.parametrize(
    "query",
    [
        "SELECT Contact.Id FROM Case LIMIT 1",
        "SELECT Id FROM Case WHERE contact.Name != null LIMIT 1",
        "SELECT Id, (SELECT Id FROM Cases) FROM Contact LIMIT 1",
        "SELECT Id FROM Contact WHERE Id IN (SELECT ContactId FROM Case) LIMIT 1",
    ],
)
def test_to_follow_a_private_reference_is_to_read_it(query: str) -> None:
    """Whoever may read cases and contacts, but not which contact a case is of, must not learn it."""
    document = json.loads(packaged_policy())
    apart = {"title": "an auditor", "objects": ["Case", "Contact"], "hidden": {"Case": ["ContactId"]}}
    document["roles"]["auditor"] = apart
    shop = written(small().rows, policy=json.dumps(document))
    mine = episode(["query"], "service_agent", shop)
    assert call(mine, "query.soql", query=query)["total"] == 1
    read = frozenset(mine.calls[-1].reads)
    assert {each.split("/")[0] for each in shop.unreadable(shop.persona("auditor"), read)} == {"Case#private"}


def test_what_is_counted_or_only_used_to_find_is_noted_as_a_whole() -> None:
    assert reads("service_analyst", "SELECT COUNT() FROM Case") == {"Case/*"}
    states = "SELECT Account.ShippingState, COUNT(Id) FROM Case GROUP BY Account.ShippingState"
    assert reads("service_analyst", states) == {"Case/*", "Account/*"}
    assert "Product2/*" in reads("service_analyst", "SELECT Id FROM OrderItem WHERE Product2.Name LIKE 'A%'")
    found = reads("service_agent", "SELECT Id, (SELECT Id FROM Contacts) FROM Account LIMIT 1")
    assert {each.split("/")[0] for each in found} == {"Account", "Contact"}
    assert not any(each.endswith("*") for each in found)


def test_functions_note_what_they_have_read() -> None:
    mine = episode(["functions"], "service_analyst")
    call(mine, "functions.get_cases", statuses=["Closed"])
    call(mine, "functions.get_shipping_state", cases="#1")
    cases, states = (set(each.reads) for each in mine.calls)
    assert len(cases) == len(mine.calls[0].observation.value)
    assert all(each.startswith("Case/500") for each in cases)
    assert all(each.startswith("Account/001") and each.count("#") == 0 for each in states)


def test_very_many_records_are_noted_as_a_whole() -> None:
    assert reads("service_agent", "SELECT Id FROM PricebookEntry") == {"PricebookEntry/*"}
