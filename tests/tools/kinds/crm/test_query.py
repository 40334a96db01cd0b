from __future__ import annotations

import json
import re

import pytest

from tests.tools.kinds.crm.worlds import call, env, episode, written
from worksmith.tools.kinds.crm.ids import make_id
from worksmith.tools.kinds.crm.query import LONGEST, TOOLKIT
from worksmith.tools.kinds.crm.schema import OBJECTS, crm_schema

CASES = "SELECT Id, Owner.Name FROM Case ORDER BY CreatedDate LIMIT 2"


def text(query: str, tool: str = "query.soql", mode: str = "clean", role: str = "service_agent") -> str:
    return episode(["query"], role, mode=mode).call(tool, {"query": query}).text


def test_records_come_without_trimmings_and_with_their_number() -> None:
    found = json.loads(text(CASES))
    assert found["total"] == 2
    assert [record.keys() for record in found["records"]] == [{"Id", "Owner"}] * 2
    assert found["records"][0]["Owner"].keys() == {"Name"}
    child = json.loads(text("SELECT Id, (SELECT Id FROM Cases LIMIT 1) FROM Contact LIMIT 1"))
    assert child["records"][0]["Cases"] is None or "Id" in child["records"][0]["Cases"][0]


@pytest.mark.parametrize("mode", ["clean", "faithful"])
def test_a_bare_count_is_a_number(mode: str) -> None:
    whole = int(text("SELECT COUNT() FROM Case", mode=mode))
    assert whole == json.loads(text("SELECT COUNT(Id) n FROM Case"))["records"][0]["n"] > 0
    assert text("select  count ( ) from Case where Subject = 'nothing'", mode=mode) == "0"
    assert json.loads(text("SELECT Id FROM Case WHERE Subject = 'nothing'", mode=mode)) == {
        "total": 0,
        "records": [],
    }


@pytest.mark.parametrize("mode", ["clean", "faithful"])
@pytest.mark.parametrize(
    "around",
    ["```{}```", "```sql\n{}\n```", "``` soql\n{}\n```\n", "  {}\n", "```\n\n{}\n\n```", "```SOQL {} ```"],
)
def test_fences_around_a_query_do_not_count(around: str, mode: str) -> None:
    assert text(around.format(CASES), mode=mode) == text(CASES, mode=mode)


def test_only_fences_are_taken_away() -> None:
    assert "MALFORMED_QUERY" in text("```")
    assert "MALFORMED_QUERY" in text("``````")
    assert "MALFORMED_QUERY" in text(f"```{CASES}")
    assert "MALFORMED_QUERY" in text(f"{CASES};")


def test_either_tool_takes_either_language() -> None:
    search = "FIND {shoe} RETURNING Product2(Name LIMIT 2)"
    found = text(search, "query.sosl")
    assert json.loads(found)["total"] == 2
    assert text(search, "query.soql") == text(f"```\nfind{search[4:]}\n```", "query.soql") == found
    assert text(CASES, "query.sosl") == text(CASES)
    assert "MALFORMED_QUERY" in text("FINDING {shoe}")


def test_the_published_system_knows_capitals_only() -> None:
    assert json.loads(text("FIND {shoe} RETURNING Product2", mode="faithful"))["total"] > 0
    assert text("find {shoe} RETURNING Product2", mode="faithful").startswith("MALFORMED_QUERY")


def test_the_published_system_leaves_out_empty_columns_and_keeps_attributes_of_parents() -> None:
    query = "SELECT Id, ClosedDate, Owner.Name FROM Case WHERE ClosedDate = null LIMIT 2"
    clean, faithful = (json.loads(text(query, mode=mode)) for mode in ("clean", "faithful"))
    assert clean["records"][0].keys() == {"Id", "ClosedDate", "Owner"}
    assert faithful["records"][0].keys() == {"Id", "Owner"}
    assert faithful["records"][0]["Owner"]["attributes"]["type"] == "User"


def test_what_is_too_long_to_be_read_is_cut_and_says_so() -> None:
    found = episode(["query"]).call(
        "query.soql", {"query": "SELECT Id, Pricebook2.Name, UnitPrice FROM PricebookEntry"}
    )
    shown = json.loads(found.text)
    assert len(found.text) < LONGEST + 200
    assert len(found.value["records"]) == found.value["total"] == shown["total"]
    left_out = int(re.match(r"\d+", shown["left out"])[0])  # type: ignore[index]
    assert shown["records"] == found.value["records"][:-left_out]
    assert "LIMIT" in shown["left out"]


def test_one_record_that_is_too_long_is_cut_as_well() -> None:
    columns = OBJECTS["Case"].columns
    case = dict.fromkeys(columns) | {"Id": make_id("500", 1), "Description": "x" * 3 * LONGEST}
    shop = written({"Case": [tuple(case[column] for column in columns)] * 2})
    found = episode(["query"], shop=shop).call("query.soql", {"query": "SELECT Description FROM Case"})
    assert len(found.text) < LONGEST + 200
    assert '(cut)], "left out": "1 record; use' in found.text
    assert found.value["records"][1]["Description"] == case["Description"]


def test_agents_that_write_queries_are_told_of_all_objects() -> None:
    listed = TOOLKIT.tools[0].text
    for each in crm_schema().objects:
        assert f"\n{each.name} (" in listed
        for field in each.queryable:
            if field.shown and field.type != "id":
                assert field.name in listed
    assert "ProfileId" not in listed  # of the published listing, but no field
    assert TOOLKIT.tools[0].summary.count("\n") == len(OBJECTS)


def test_the_words_of_the_languages_are_told() -> None:
    """Who makes up values in demonstrations keeps the words that tools tell, and so the queries."""
    told = set(re.findall(r"[A-Z]{2,}", "\n".join(tool.text for tool in TOOLKIT.tools)))
    assert told >= {"SELECT", "FROM", "WHERE", "AND", "OR", "NOT", "IN", "LIKE", "GROUP", "BY", "HAVING"}
    assert told >= {"ORDER", "ASC", "DESC", "NULLS", "LAST", "LIMIT", "OFFSET", "COUNT", "AVG", "MIN", "MAX"}
    assert told >= {"FIND", "ALL", "FIELDS", "RETURNING"}


def test_dates_are_those_of_the_episode() -> None:
    shop = env()
    mine = shop.episode(["query"], now=shop.world.manifest.now.replace(year=2022))
    count = "SELECT COUNT() FROM Case WHERE CreatedDate = THIS_YEAR"
    assert call(mine, "query.soql", query=count) == call(
        episode(["query"]),
        "query.soql",
        query="SELECT COUNT() FROM Case WHERE CALENDAR_YEAR(CreatedDate) = 2022",
    )
