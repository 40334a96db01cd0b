from __future__ import annotations

import pytest

from tests.tools.kinds.crm.worlds import ROLES, env
from worksmith.tools.kinds.crm.functions.toolkits import functions_toolkit
from worksmith.tools.tool import WITHOUT_ANSWER, BadArgumentsError, toolset
from worksmith.tools.world_kind import world_kind

CRM = world_kind("crm")
NAMES = [tool.name.partition(".")[2] for tool in functions_toolkit().tools]


def test_both_toolkits_have_all_functions_as_published() -> None:
    named = {toolkit.name: [tool.name for tool in toolkit.tools] for toolkit in CRM.toolkits}
    assert named == {
        "functions": [f"functions.{name}" for name in NAMES],
        "plain": [f"plain.{name}" for name in NAMES],
        "query": ["query.soql", "query.sosl"],
    }
    assert not any(name.startswith("plain.") for name in toolset(CRM.toolkits))


def test_every_function_is_of_one_category() -> None:
    assert sorted(name for names in CRM.categories.values() for name in names) == sorted(NAMES)
    assert len(CRM.categories) == 4
    without = CRM.toolset(["functions"], ["calculation-dependent"])
    assert "functions.find_id_with_max_value" not in without
    assert "functions.get_cases" in without
    assert "query.soql" in without


def test_agents_that_call_functions_get_functions_and_others_write_queries() -> None:
    assert CRM.toolset_for == {"function_calling": "functions", "": "query"}


def test_answers_are_judged_and_roles_are_people() -> None:
    assert CRM.judges_answers
    assert CRM.finish != WITHOUT_ANSWER
    people = [env().persona(role) for role in ROLES]
    assert [(each.id, each.name) for each in people] == [
        ("service_agent", "a service agent"),
        ("service_manager", "a service manager"),
        ("service_analyst", "a service analyst"),
    ]


def test_arguments_are_typed() -> None:
    tools = toolset(CRM.toolkits, ["functions", "plain"])
    start = tools["functions.get_start_date"]
    given = {"end_date": "2022-01-01T00:00:00Z", "interval_count": "2"}
    assert start.validate(given | {"period": "week"})["interval_count"] == 2
    for period in ("weeks", "Week", "", None):
        with pytest.raises(BadArgumentsError, match="'day', 'week', 'month', 'quarter' or 'year'"):
            start.validate(given | {"period": period})
    assert tools["functions.get_cases"].validate({"agent_ids": "#3"})["agent_ids"] == "#3"
    assert tools["functions.get_cases"].validate({"agent_ids": None})["agent_ids"] is None
    with pytest.raises(BadArgumentsError, match="agent_ids"):
        tools["plain.get_cases"].validate({"agent_ids": "#3"})
    with pytest.raises(BadArgumentsError, match="keywords: no such argument"):
        tools["plain.search_products"].validate({"keywords": "shoe"})
    with pytest.raises(BadArgumentsError, match="values_by_id"):
        tools["plain.find_id_with_max_value"].validate({"values_by_id": {"a": "much"}})
