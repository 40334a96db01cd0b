"""A live org that is asked: here one that our own server plays, and one that plays up."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simple_salesforce import SalesforceLogin

from tests.tables import each_row
from tests.tools.kinds.crm.generate.orgs import small
from tests.tools.kinds.crm.live.conftest import name_org
from tests.tools.kinds.crm.live.failing import failing
from tests.tools.kinds.crm.rest.running import TOKEN, Served, served, world_of
from tests.tools.kinds.crm.rest.running import local as local_org
from worksmith.tools.errors import InfrastructureError, InputError
from worksmith.tools.kinds.crm.ids import make_id
from worksmith.tools.kinds.crm.live.login import Credentials, failure
from worksmith.tools.kinds.crm.live.org import SalesforceOrg
from worksmith.tools.kinds.crm.orgs.org import WorldOrg
from worksmith.tools.kinds.crm.schema import OBJECTS
from worksmith.tools.kinds.crm.soql.errors import QueryError
from worksmith.tools.kinds.crm.soql.soql_engine import Limits
from worksmith.tools.world import World

pytestmark = pytest.mark.usefixtures("trusting")


@pytest.fixture
def live(server: Served, monkeypatch: pytest.MonkeyPatch) -> SalesforceOrg:
    """The served world as a live org, named by the environment."""
    name_org(monkeypatch, server)
    return SalesforceOrg.from_env()


@pytest.fixture(scope="module")
def local(world: World) -> WorldOrg:
    """The same world without a network."""
    return local_org(world)


QUERIES = [
    "SELECT COUNT() FROM PricebookEntry",
    "SELECT Id, Name, UnitPrice FROM PricebookEntry",
    "SELECT Id, Owner.Name, IsClosed, ClosedDate FROM Case WHERE Status != 'New' ORDER BY CreatedDate",
    "SELECT OwnerId, COUNT(Id) FROM Case GROUP BY OwnerId",
    "SELECT Id, (SELECT Id, Quantity FROM OrderItems) FROM Order",
    "SELECT Id FROM Case WHERE Subject = 'nothing'",
]
ENTRIES = "', '".join(str(row[0]) for row in small().rows["PricebookEntry"])
QUERIES.append(f"SELECT Id FROM PricebookEntry WHERE Id IN ('{ENTRIES}')")


@pytest.mark.parametrize("soql", QUERIES, ids=lambda soql: soql[:40])
def test_it_finds_what_the_world_has_in_the_same_shape(
    live: SalesforceOrg, local: WorldOrg, soql: str
) -> None:
    assert live.query(soql) == local.query(soql)


@pytest.mark.parametrize(
    "statement",
    ["SELECT Foo FROM Case", "SELECT * FROM Case", "SELECT Id FROM Nope", "SELECT Id FROM Case LIMIT x", "?"],
)
def test_a_refused_query_reads_the_same(live: SalesforceOrg, local: WorldOrg, statement: str) -> None:
    with pytest.raises(QueryError) as expected:
        local.query(statement)
    with pytest.raises(QueryError) as met:
        live.query(statement)

    assert str(met.value) == str(expected.value)
    assert met.value.code == expected.value.code


def test_children_of_many_pages_come_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    account = make_id("001", 1)
    contacts = [
        tuple(
            {"Id": make_id("003", number), "AccountId": account}.get(name)
            for name in OBJECTS["Contact"].columns
        )
        for number in range(4500)
    ]
    parent = tuple({"Id": account}.get(name) for name in OBJECTS["Account"].columns)
    world = world_of(tmp_path, {"Account": [parent], "Contact": contacts})
    with served(world) as running:
        name_org(monkeypatch, running)
        live = SalesforceOrg.from_env()
        found = live.query("SELECT Id, (SELECT Id FROM Contacts) FROM Account").records

    children = found[0]["Contacts"]
    assert (children["totalSize"], children["done"], set(children)) == (
        4500,
        True,
        {"totalSize", "done", "records"},
    )
    assert [each["Id"] for each in children["records"]] == [row[0] for row in contacts]


def test_more_than_the_engine_would_give_is_refused_the_same_way(
    live: SalesforceOrg, server: Served, local: WorldOrg
) -> None:
    small_org = SalesforceOrg(
        Credentials(server.url.removeprefix("https://"), TOKEN), limits=Limits(rows=100)
    )

    with pytest.raises(QueryError) as met:
        small_org.query("SELECT Id FROM PricebookEntry")

    assert met.value.code == "OPERATION_TOO_LARGE"
    assert small_org.query("SELECT Id FROM Issue__c").total_size == 10
    assert small_org.query("SELECT COUNT() FROM User").total_size < 100


def test_one_can_log_in_with_a_password(
    server: Served, monkeypatch: pytest.MonkeyPatch, local: WorldOrg
) -> None:
    name_org(monkeypatch, server)
    environment = {
        "SALESFORCE_INSTANCE_URL": server.url,
        "SALESFORCE_USERNAME": "ann@example.com",
        "SALESFORCE_PASSWORD": "any <&> one",
        "SALESFORCE_SECURITY_TOKEN": TOKEN,
    }
    live = SalesforceOrg.from_env(environment)
    assert live.query("SELECT COUNT() FROM User") == local.query("SELECT COUNT() FROM User")
    assert str(live) == f"Salesforce org at {server.url.removeprefix('https://')}"

    with pytest.raises(InputError, match="Invalid username, password, security token"):
        SalesforceOrg.from_env({**environment, "SALESFORCE_SECURITY_TOKEN": "wrong"})


@pytest.mark.slow
def test_a_session_that_has_run_out_is_renewed(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    name_org(monkeypatch, server)
    host = server.url.removeprefix("https://")
    live = SalesforceOrg(Credentials(host, username="a", password="b", security_token=TOKEN))
    session = server.session()
    for _ in range(200):  # as many as the server remembers, so that it forgets the idle ones
        SalesforceLogin(
            username="b", password="c", security_token=TOKEN, scratch_url=server.url, session=session
        )

    assert live.query("SELECT COUNT() FROM Issue__c").total_size == 10


@each_row(
    ("environment", "said"),
    [
        ({}, "no live org is named"),
        ({"SALESFORCE_SESSION_ID": "x"}, "only SALESFORCE_SESSION_ID is set"),
        ({"SALESFORCE_USERNAME": "x"}, "SALESFORCE_PASSWORD and SALESFORCE_SECURITY_TOKEN not set"),
        ({"SALESFORCE_USERNAME": "x", "SALESFORCE_PASSWORD": "y"}, "SALESFORCE_SECURITY_TOKEN not set"),
        ({"SALESFORCE_INSTANCE_URL": "http://a.example", "SALESFORCE_SESSION_ID": "x"}, "not the address"),
        ({"SALESFORCE_INSTANCE_URL": "https://a.example/x", "SALESFORCE_SESSION_ID": "x"}, "not the address"),
        (
            {"SALESFORCE_INSTANCE_URL": "https://a:b@a.example", "SALESFORCE_SESSION_ID": "x"},
            "not the address",
        ),
        ({"SALESFORCE_INSTANCE_URL": "https://a.example:x", "SALESFORCE_SESSION_ID": "x"}, "not an address"),
        ({"SALESFORCE_INSTANCE_URL": "a.example", "SALESFORCE_SESSION_ID": "x"}, "not the address"),
    ],
)
def test_what_is_missing_is_told(environment: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        SalesforceOrg.from_env(environment)


@pytest.mark.parametrize("package", ["simple_salesforce", "tenacity"])
def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    environment = {"SALESFORCE_INSTANCE_URL": "https://a.example", "SALESFORCE_SESSION_ID": "x"}

    with pytest.raises(InputError, match=r"pip install .*\[salesforce\]"):
        SalesforceOrg.from_env(environment)


def test_secrets_are_not_shown() -> None:
    shown = repr(Credentials("a.example", session_id="sss", password="ppp", security_token="ttt"))

    assert not {"sss", "ppp", "ttt"} & set(shown.replace("'", " ").split())


def test_a_wrong_session_is_the_users_to_mend(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    name_org(monkeypatch, server)
    monkeypatch.setenv("SALESFORCE_SESSION_ID", "wrong")

    with pytest.raises(InputError, match="SALESFORCE_SESSION_ID"):
        SalesforceOrg.from_env()


def test_a_certificate_that_is_not_trusted_is_not_tried_again(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_org(monkeypatch, server)
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    monkeypatch.delenv("CURL_CA_BUNDLE", raising=False)
    waited: list[float] = []
    org = SalesforceOrg(Credentials(server.url.removeprefix("https://"), TOKEN), sleep=waited.append)

    with pytest.raises(InfrastructureError, match="certificate"):
        org.query("SELECT Id FROM Case")

    assert waited == []


FOUND = {"totalSize": 1, "done": True, "records": [{"Id": "x"}]}


def error(code: str, message: str = "m") -> list[dict[str, str]]:
    return [{"errorCode": code, "message": message}]


PASSING: list[tuple[int, Any]] = [
    (500, error("UNKNOWN_EXCEPTION")),
    (503, b"<html>down for maintenance</html>"),
    (403, error("REQUEST_LIMIT_EXCEEDED", "ConcurrentRequests (Concurrent API Requests) Limit exceeded.")),
    (200, b"<html>log in here</html>"),
    (0, None),
]


@pytest.mark.parametrize("bad", PASSING)
def test_a_failure_that_passes_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: tuple[int, Any]
) -> None:
    waited: list[float] = []
    with failing(tmp_path, [bad, bad, (200, FOUND)]) as script:
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(script.certificate))
        org = SalesforceOrg(Credentials(script.url.removeprefix("https://"), "s"), sleep=waited.append)

        assert org.query("SELECT Id FROM Case").records == [{"Id": "x"}]

    assert len(script.asked) == 3
    assert len(waited) == 2


@pytest.mark.parametrize(
    ("answer", "times"),
    [
        *((answer, 4) for answer in PASSING),
        ((401, error("INVALID_SESSION_ID")), 1),
        ((403, error("REQUEST_LIMIT_EXCEEDED", "TotalRequests Limit exceeded.")), 1),
        ((403, error("API_DISABLED_FOR_ORG")), 1),
        ((400, error("INVALID_QUERY_LOCATOR")), 1),
        ((400, b"something else"), 1),
        ((404, error("NOT_FOUND")), 1),
        ((200, []), 1),
        ((200, {"records": []}), 1),
        ((200, None), 1),
        ((200, {"totalSize": 5, "done": False, "records": [], "nextRecordsUrl": 7}), 1),
        ((302, b""), 1),
    ],
)
def test_a_failure_ends_it_at_once_or_after_some_attempts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: tuple[int, Any], times: int
) -> None:
    with failing(tmp_path, [answer]) as script:
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(script.certificate))
        org = SalesforceOrg(Credentials(script.url.removeprefix("https://"), "s"), sleep=lambda _: None)

        with pytest.raises(InfrastructureError):
            org.query("SELECT Id FROM Case")

    assert len(script.asked) == times


def test_a_bundle_of_certificates_that_is_gone_is_no_defect(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_org(monkeypatch, server)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nowhere/at/all.pem")
    org = SalesforceOrg(Credentials(server.url.removeprefix("https://"), TOKEN))

    with pytest.raises(InfrastructureError, match="cannot be reached"):
        org.query("SELECT Id FROM Case")


def test_nobody_there_is_a_failure_of_the_infrastructure(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    org = SalesforceOrg(Credentials("127.0.0.1:9", "s"), sleep=waited.append)

    with pytest.raises(InfrastructureError, match="cannot be reached"):
        org.query("SELECT Id FROM Case")

    assert len(waited) == 3


@given(
    st.integers(300, 599),
    st.none()
    | st.text(max_size=20)
    | st.binary(max_size=5)
    | st.lists(
        st.dictionaries(
            st.sampled_from(["errorCode", "message", "x"]), st.text(max_size=9) | st.integers() | st.none()
        ),
        max_size=2,
    ),
)
def test_any_error_answer_is_one_or_the_other(status: int, content: Any) -> None:
    found = failure(status, content)

    assert isinstance(found, QueryError | InfrastructureError)
    assert status < 500 or isinstance(found, InfrastructureError)
