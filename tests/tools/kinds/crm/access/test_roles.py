"""Documents of roles, and what functions need of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.tables import each_row, tables_of
from tests.tools.kinds.crm.worlds import episode, written
from worksmith.programs.parts.rules import rules_text
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.crm.access.policy import function_needs
from worksmith.tools.kinds.crm.access.roles import packaged_policy
from worksmith.tools.kinds.crm.crm_world import CRM
from worksmith.tools.kinds.crm.schema import OBJECTS

TABLES = tables_of(__file__)

ARGUMENTS: dict[str, dict[str, Any]] = TABLES["arguments"]


def limited(objects: dict[str, list[str]]) -> str:
    """A policy with one role that may read just these fields."""
    hidden = {name: [f for f in OBJECTS[name].columns if f not in fields] for name, fields in objects.items()}
    role = {"title": "a clerk", "objects": list(objects), "hidden": hidden}
    return json.dumps({"format": "worksmith-crm-roles/1", "roles": {"service_agent": role}})


def test_functions_say_what_they_need() -> None:
    assert set(function_needs()) == {name for names in CRM.categories.values() for name in names}
    assert {name for name, needs in function_needs().items() if needs} == set(ARGUMENTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", ARGUMENTS)
def test_functions_need_what_they_say_and_no_more(name: str) -> None:
    needs = {each: list(fields) for each, fields in function_needs()[name].items()}
    shop = written({}, policy=limited(needs))
    assert episode(["plain"], shop=shop).call(f"plain.{name}", ARGUMENTS[name]).status == "ok"
    for each, fields in needs.items():
        for field in [field for field in fields if field != "Id"]:
            fewer = needs | {each: [other for other in fields if other != field]}
            mine = episode(["plain", "functions"], shop=written({}, policy=limited(fewer)))
            for tool in (f"plain.{name}", f"functions.{name}"):
                found = mine.call(tool, ARGUMENTS[name])
                assert found.status == "denied"
                assert f"{each}.{field}" in found.text


def agent(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = document["roles"]["service_agent"]
    return found


@each_row(
    ("change", "says"),
    [
        (lambda roles: roles.pop("format"), "format"),
        (lambda roles: roles.update(roles={}), "roles"),
        (lambda roles: agent(roles).update(may="all"), "roles.service_agent.may"),
        (lambda roles: agent(roles)["objects"].append("Cases"), "objects[15]: no object"),
        (lambda roles: agent(roles).update(hidden={"Lead": []}), "hidden.Lead"),
        (lambda roles: agent(roles).update(hidden={"User": ["Fax"]}), "User[0]: no field"),
        (lambda roles: agent(roles).update(hidden={"User": ["Id"]}), "ids cannot be hidden"),
    ],
)
def test_faulty_roles_are_refused_with_their_place(change: Any, says: str) -> None:
    document = json.loads(packaged_policy())
    change(document)
    with pytest.raises(InputError) as raised:
        written({}, policy=json.dumps(document))
    assert "policy.json" in str(raised.value)
    assert says in f"{raised.value.where}: {raised.value.message}"


def test_roles_that_are_no_json_and_settings_that_are_none_are_refused() -> None:
    with pytest.raises(InputError, match="not the roles"):
        written({}, policy="{")
    shop = written({})
    (shop.world.path / "org.json").write_text('{"mode": "sane"}')
    with pytest.raises(InputError, match="mode: Input should be"):
        type(shop).open(shop.world.path)


def test_roles_and_settings_are_part_of_the_digest() -> None:
    document = json.loads(packaged_policy())
    document["roles"]["service_agent"]["objects"].remove("Order")
    shops = [written({}), written({}, "faithful"), written({}, links="lookup")]
    shops.append(written({}, policy=json.dumps(document)))
    assert len({shop.digest for shop in shops}) == 4
    assert written({}).digest == shops[0].digest


def test_the_rules_can_be_said_in_words() -> None:
    policy = written({}).policy
    assert rules_text(policy, "functions.get_shipping_state").splitlines() == [
        "- a service agent may use it.",
        "- a service manager may not use it: it needs Account.",
        "- a service analyst may use it.",
        "- Nobody else may use it.",
    ]
    asked = rules_text(policy, "query.soql")
    assert "User (but not Phone, Username, Alias)" in asked
    assert asked == rules_text(policy, "query.sosl")
    assert rules_text(policy, "query.delete") == "No rule mentions query.delete: nobody may use it."
