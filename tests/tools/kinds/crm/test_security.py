"""Writing, injections, sizes and depths are refused in words; nothing is written."""

from __future__ import annotations

import time
from typing import Any

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tables import each_row, tables_of
from tests.tools.kinds.crm.functions.orgs import TODAY, connect, draw
from tests.tools.kinds.crm.soql.model import soql
from tests.tools.kinds.crm.soql.queries import Chooser
from tests.tools.kinds.crm.worlds import call, episode
from worksmith.tools.dispatch import Observation
from worksmith.tools.episode import Episode
from worksmith.tools.kinds.crm.ids import make_id
from worksmith.tools.kinds.crm.orgs.org import WorldOrg
from worksmith.tools.kinds.crm.schema import crm_schema
from worksmith.tools.seeding import rng

TABLES = tables_of(__file__)

BOTH = ("query.soql", "query.sosl")
QUIETLY = ("ok", "tool_error", "bad_arguments")
"""How a call may end: never in a crash of a tool."""


def ask(query: str, tool: str = "query.soql", role: str = "service_manager") -> Observation:
    return episode(["query"], role).call(tool, {"query": query})


def everything(given: Episode) -> list[Any]:
    """What an episode can see of the org: how much there is, and the first records of each object."""
    found = []
    for name in ("User", "Case", "CaseHistory__c", "Issue__c", "Knowledge__kav", "Product2"):
        found.append(call(given, "query.soql", query=f"SELECT COUNT() FROM {name}"))
        found.append(call(given, "query.soql", query=f"SELECT FIELDS(ALL) FROM {name} LIMIT 200"))
        found.append(call(given, "query.sosl", query=f"FIND {{re* OR a* OR sho*}} RETURNING {name}(Id)"))
    return found


@each_row(
    "statement",
    TABLES["what_is_no_query_is_refused_in_either_language"],
)  # fmt: skip
def test_what_is_no_query_is_refused_in_either_language(statement: str) -> None:
    for tool in BOTH:
        found = ask(statement, tool)
        assert found.status == "tool_error"
        assert found.text.split(":")[0] in (
            "MALFORMED_QUERY",
            "MALFORMED_SEARCH",
            "INVALID_TYPE",
            "INVALID_FIELD",
        )


@pytest.mark.parametrize("seed", range(3))
def test_queries_need_no_right_to_write(seed: int) -> None:
    """They do all they do on a database that refuses to be changed."""
    chooser = rng(seed, "rights")
    org = draw(chooser)
    connection, reference = connect(org), WorldOrg(connect(org), TODAY)
    allowed = {apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_FUNCTION, apsw.SQLITE_SAVEPOINT}
    connection.authorizer = lambda action, *_: apsw.SQLITE_OK if action in allowed else apsw.SQLITE_DENY
    guarded = WorldOrg(connection, TODAY)
    for _ in range(20):
        query = soql(Chooser(chooser, crm_schema(), org).query())
        assert guarded.query(query).records == reference.query(query).records
    connection.authorizer = None  # the search index reads its own tables by statements of its own
    before = connection.serialize("main")
    for term in ("alpha", "al*", "beta OR gamma", "alpha AND NOT beta"):
        assert guarded.search(f"FIND {{{term}}}").records == reference.search(f"FIND {{{term}}}").records
    assert connection.serialize("main") == before


def test_nothing_that_an_agent_tries_leaves_a_trace() -> None:
    mine, tools = episode(["functions", "plain", "query"], "service_manager"), BOTH
    before = everything(mine)
    for text in (
        "' OR Id != '",
        "\\",
        '\'; DELETE FROM "Case"; --',
        "x} RETURNING User {",
        "\x00",
        "%",
        "\ud800",
    ):
        for tool in tools:
            for query in (text, f"SELECT Id FROM Case WHERE Subject = '{text}'", f"FIND {{{text}}}"):
                assert mine.call(tool, {"query": query}).status in QUIETLY
        for tool, argument in (
            ("search_products", "search_term"),
            ("search_knowledge_articles", "search_term"),
            ("get_order_item_ids_by_product", "product_id"),
        ):
            for toolkit in ("functions", "plain"):
                assert mine.call(f"{toolkit}.{tool}", {argument: text}).status in QUIETLY
        for toolkit in ("functions", "plain"):
            lists = {"agent_ids": [text], "statuses": [text, text]}
            assert mine.call(f"{toolkit}.get_cases", lists).status in QUIETLY
            span = {"start_date": text, "end_date": text}
            assert mine.call(f"{toolkit}.get_non_transferred_case_ids", span).status in QUIETLY
    assert mine.outcome().empty
    assert mine.changeset == b""
    assert everything(mine) == before == everything(episode(["query"], "service_manager"))


SURROGATES = st.text(st.characters(exclude_categories=()), max_size=60)
VOCABULARY = """SELECT Id FROM Case User WHERE FIND {shoe} RETURNING Product2 ( ) ' " \\ , . = != LIKE IN NOT
    AND OR LIMIT 1 COUNT() ORDER BY NULLS GROUP HAVING Account.Name null TODAY LAST_N_DAYS:3 : % * ?"""
PIECES = st.lists(st.sampled_from(VOCABULARY.split()), max_size=14).map(" ".join)


@given(SURROGATES | PIECES, st.sampled_from(BOTH))
@example("\ud800", "query.soql")
@example("SELECT \udfff FROM Case", "query.soql")
@example("FIND {\udfff\ud800}", "query.sosl")
@example("SELECT Id FROM Case WHERE Subject = '\x00'", "query.soql")
@example("FIND {a\x00b}", "query.sosl")
def test_any_text_is_answered_in_words_that_can_be_written_down(text: str, tool: str) -> None:
    found = ask(text, tool)
    assert found.status in QUIETLY
    found.text.encode()


def quickly(query: str, tool: str = "query.soql") -> Observation:
    """The answer, within a time that no agent waits for in vain."""
    start = time.perf_counter()
    found = ask(query, tool)
    assert time.perf_counter() - start < 5
    assert len(found.text) < 25_000
    return found


@each_row(
    "query",
    [
        "SELECT Id FROM Case WHERE Subject = '" + "x" * 10_000_000 + "'",
        "FIND {" + "x " * 5_000_000 + "}",
        "```" * 3_000_000,
        " " * 10_000_000,
        "SELECT Id FROM Case WHERE " + "(" * 10_000 + "Id = null" + ")" * 10_000,
        "SELECT Id FROM Case WHERE " + "NOT " * 10_000 + "Id = null",
        "SELECT Id FROM Case WHERE " + "NOT (" * 10_000 + "Id = null" + ")" * 10_000,
        "SELECT " + "(SELECT " * 5_000 + "Id FROM Cases" + ")" * 5_000 + " FROM Account",
        "FIND {" + "(" * 10_000 + "shoe" + ")" * 10_000 + "}",
        "SELECT " + "Owner." * 10_000 + "Name FROM Case",
        "SELECT Id FROM Case WHERE " + " OR ".join(["Subject LIKE '%a%b%c%'"] * 3_900),
        "SELECT Id, " * 5_000 + "Id FROM Case",
    ],
)  # fmt: skip
def test_what_is_too_long_or_too_deep_is_refused_in_good_time(query: str) -> None:
    for tool in BOTH:
        found = quickly(query, tool)
        assert found.status == "tool_error"
        assert found.text.startswith(("MALFORMED", "INVALID_FIELD", "QUERY_TIMEOUT"))


def test_long_lists_work_up_to_the_length_of_a_statement() -> None:
    owner = call(episode(["query"]), "query.soql", query="SELECT OwnerId FROM Case LIMIT 1")
    listed = ", ".join(f"'{make_id('005', number)[:15]}'" for number in range(100_000, 104_998))
    query = f"SELECT COUNT() FROM Case WHERE OwnerId IN ({listed}, '{owner['records'][0]['OwnerId']}')"
    assert len(query) < 100_000
    assert quickly(query).value > 0
    longer = ", ".join(f"'{make_id('005', number)}'" for number in range(5_000))
    assert "100000 characters" in quickly(f"SELECT Id FROM Case WHERE OwnerId IN ({longer})").text


def test_functions_refuse_giant_texts() -> None:
    mine = episode(["functions", "plain"], "service_agent")
    giant = "x" * 10_000_000
    start = time.perf_counter()
    for tool, argument in (
        ("search_products", "search_term"),
        ("get_order_item_ids_by_product", "product_id"),
        ("get_cases", "start_date"),
    ):
        found = mine.call(f"functions.{tool}", {argument: giant})
        assert (found.status, len(found.text) < 1_000) == ("tool_error", True)
    assert time.perf_counter() - start < 10
