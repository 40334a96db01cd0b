"""What a role may not read does not exist for it, and there is no way to tell what it is."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from tests.tools.kinds.crm.functions.orgs import connect, draw
from tests.tools.kinds.crm.soql.model import soql
from tests.tools.kinds.crm.soql.org import WORDS, Org, random_day, random_value
from tests.tools.kinds.crm.soql.queries import Chooser
from tests.tools.kinds.crm.worlds import ROLES, call, env, episode, written
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.crm.access.policy import CrmPolicy
from worksmith.tools.kinds.crm.access.roles import packaged_policy, packaged_roles
from worksmith.tools.kinds.crm.ids import make_id
from worksmith.tools.kinds.crm.orgs.org import WorldOrg
from worksmith.tools.kinds.crm.schema import OBJECTS, Links, Schema, crm_schema
from worksmith.tools.kinds.crm.settings import OrgSettings
from worksmith.tools.kinds.crm.soql.errors import QueryError
from worksmith.tools.kinds.crm.sosl.tables import searchable
from worksmith.tools.persona import Persona
from worksmith.tools.seeding import rng

CONTACTS = "SELECT AccountId FROM Contact"
HISTORY = "SELECT CaseId__c FROM CaseHistory__c"


def policy(links: Links = "text") -> CrmPolicy:
    return CrmPolicy(packaged_roles(), OrgSettings(links=links))


def changed(chooser: Random, org: Org, schema: Schema) -> Org:
    """The same org to somebody who knows `schema` only; everything else is different."""
    other = draw(chooser, 15)
    found: Org = {}
    for name, each in OBJECTS.items():
        seen = schema.object(name)
        if seen is None:
            found[name] = other[name]
            continue
        hidden = [field for field in each.queryable if seen.field(field.name) is None]
        found[name] = [
            record | {field.name: random_value(chooser, field) for field in hidden} for record in org[name]
        ]
    return found


def search(chooser: Random, schema: Schema) -> str:
    """Any search, valid or not."""

    def unit() -> str:
        return chooser.choice((*WORDS[:5], "alp*", "b?ta", '"Beta x"', "ela*", "zzz"))

    term = unit()
    for _ in range(chooser.randint(0, 2)):
        term += f" {chooser.choice(('AND', 'OR', 'AND NOT', ''))} {unit()}"
    group = chooser.choice(("ALL", "ALL", "NAME", "EMAIL", "PHONE", "SIDEBAR"))
    objects = chooser.sample([each.name for each in searchable(schema)], 2)
    fields = [chooser.choice(OBJECTS[name].columns) for name in objects]
    returning = ", ".join(f"{name}(Id, {field})" for name, field in zip(objects, fields, strict=True))
    text = f"FIND {{{term}}} IN {group} FIELDS"
    return f"{text} RETURNING {returning}" if chooser.random() < 0.8 else text


def answer(org: WorldOrg, statement: str) -> Any:
    try:
        if statement.startswith("FIND"):
            return org.search(statement).records
        return org.query(statement).body()
    except QueryError as error:
        return str(error)


def difference(seed: int, role: str, links: Links) -> str:
    """A statement that two worlds answer differently which differ only in what a role may not read.

    Empty if there is none among a few dozens, most of which name what the role may read, and are answered.
    """
    chooser = rng(seed, "hidden")
    whole, seen = crm_schema(links), policy(links).schema_for(role)
    org, today = draw(chooser), random_day(chooser)
    worlds = (org, changed(chooser, org, seen))
    one, other = (WorldOrg(connect(world), today, schema=seen) for world in worlds)
    answered = 0
    for _ in range(15):
        schema = chooser.choice((seen, seen, whole))
        for statement in (soql(Chooser(chooser, schema, org).query()), search(chooser, schema)):
            found = answer(one, statement)
            if found != answer(other, statement):
                return statement
            answered += not isinstance(found, str)
    return "" if answered > 5 else "hardly any statement was answered"


@pytest.mark.parametrize("role", ROLES)
def test_worlds_that_differ_in_what_a_role_may_not_read_are_the_same_to_it(role: str) -> None:
    assert difference(1, role, "lookup") == ""


@pytest.mark.slow
@given(st.integers(0, 2**32), st.sampled_from(ROLES), st.sampled_from(["text", "lookup"]))
def test_they_are_the_same_whatever_is_asked(seed: int, role: str, links: Links) -> None:
    assert difference(seed, role, links) == ""


@each_row(
    ("role", "statement", "code"),
    [
        ("service_agent", "SELECT Id FROM CaseHistory__c", "INVALID_TYPE"),
        ("service_agent", "SELECT Id, (SELECT Id FROM CaseHistories__r) FROM Case", "INVALID_TYPE"),
        ("service_agent", f"SELECT Id FROM Case WHERE Id IN ({HISTORY})", "INVALID_TYPE"),
        ("service_agent", "SELECT Phone FROM User", "INVALID_FIELD"),
        ("service_agent", "SELECT Id FROM User WHERE Phone LIKE '555%'", "INVALID_FIELD"),
        ("service_agent", "SELECT Id FROM User ORDER BY Alias", "INVALID_FIELD"),
        ("service_agent", "SELECT COUNT(Id) FROM User GROUP BY Username", "INVALID_FIELD"),
        ("service_agent", "SELECT Id FROM Case WHERE Owner.Phone != null", "INVALID_FIELD"),
        ("service_agent", "FIND {x1} RETURNING CaseHistory__c", "INVALID_TYPE"),
        ("service_agent", "FIND {x1} RETURNING User(Id WHERE Phone != null)", "INVALID_FIELD"),
        ("service_analyst", "SELECT Account.Name FROM Case", "INVALID_FIELD"),
        ("service_analyst", "SELECT Owner.Name FROM Case", "INVALID_FIELD"),
        ("service_analyst", "SELECT MIN(Order.Account.LastName) FROM OrderItem", "INVALID_FIELD"),
        ("service_analyst", f"SELECT Id FROM Account WHERE Id IN ({CONTACTS})", "INVALID_TYPE"),
        ("service_manager", "SELECT Id FROM EmailMessage", "INVALID_TYPE"),
        ("service_manager", "SELECT Account.ShippingState FROM Case", "INVALID_FIELD"),
    ],
)
def test_what_a_role_may_not_read_does_not_exist(role: str, statement: str, code: str) -> None:
    found = episode(["query"], role).call("query.soql", {"query": statement})
    assert found.status == "tool_error"
    assert found.text.startswith(code)
    open_to_all = json.loads(packaged_policy())
    open_to_all["roles"][role] |= {"objects": list(OBJECTS), "hidden": {}}
    whole = written({}, policy=json.dumps(open_to_all))
    assert episode(["query"], role, whole).call("query.soql", {"query": statement}).status == "ok"


def test_functions_on_what_a_role_may_not_read_are_denied_by_rule() -> None:
    mine = episode(["functions"])
    found = mine.call("functions.get_non_transferred_case_ids", {"start_date": "2022", "end_date": "x"})
    assert found.text == (
        "Access denied (role service_agent). get_non_transferred_case_ids needs CaseHistory__c, "
        "which a service agent may not read."
    )
    assert call(mine, "functions.get_period", period_name="May", year=2022)


def test_nobody_without_a_role_may_do_anything() -> None:
    shop = env()
    for who in (Persona(id="ceo", name="CEO"), Persona(id="service_agent", name="Left", active=False)):
        mine = shop.episode(["functions", "query"], persona=who)
        assert mine.call("query.soql", {"query": "SELECT Id FROM Case"}).status == "denied"
        assert mine.call("functions.get_issues", {}).status == "denied"
        assert shop.unreadable(who, frozenset({"Case/1"})) == {"Case/1"}
    assert not policy().decide(Persona(id="service_agent", name="x"), "query.delete", {}).allow
    with pytest.raises(InputError, match="no role 'ceo'"):
        shop.persona("ceo")


def test_how_many_hidden_words_fit_a_wildcard_cannot_be_told() -> None:
    columns = OBJECTS["User"].columns
    users = [dict.fromkeys(columns) | {"Id": make_id("005", n), "Phone": f"555{n}"} for n in range(600)]
    shop = written({"User": [tuple(user[column] for column in columns) for user in users]})
    query = "FIND {555*} RETURNING User"
    assert call(episode(["query"], "service_agent", shop), "query.soql", query=query)["total"] == 0
    refused = episode(["query"], "service_manager", shop).call("query.soql", {"query": query})
    assert "more than 500 words" in refused.text


@pytest.mark.parametrize(("role", "same"), [("service_agent", True), ("service_manager", False)])
def test_the_order_of_a_search_says_nothing_of_the_length_of_hidden_texts(role: str, same: bool) -> None:
    columns = OBJECTS["User"].columns
    orders = []
    for wordy in (0, 1):
        users = [dict.fromkeys(columns) | {"Id": make_id("005", n), "LastName": "Roe"} for n in range(2)]
        users[wordy]["Username"] = "a b c d e f g h i j"
        shop = written({"User": [tuple(user[column] for column in columns) for user in users]})
        found = call(episode(["query"], role, shop), "query.soql", query="FIND {roe} RETURNING User")
        orders.append([record["Id"] for record in found["records"]])
    assert (orders[0] == orders[1]) == same
