"""What simple-salesforce reads is what the engine finds."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest
from simple_salesforce import Salesforce
from simple_salesforce.exceptions import (
    SalesforceAuthenticationFailed,
    SalesforceError,
    SalesforceGeneralError,
    SalesforceMalformedRequest,
    SalesforceResourceNotFound,
)
from simple_salesforce.login import SalesforceLogin, token_login

from tests.tables import each_row
from tests.tools.kinds.crm.generate.orgs import small
from tests.tools.kinds.crm.rest.running import TOKEN, Served, local
from worksmith.tools.kinds.crm.orgs.org import WorldOrg
from worksmith.tools.kinds.crm.schema import OBJECTS
from worksmith.tools.world import World


@pytest.fixture(scope="module")
def client(org: Served) -> Salesforce:
    return org.client()


@pytest.fixture(scope="module")
def engine(world: World) -> WorldOrg:
    return local(world)


@pytest.mark.parametrize("statement", ["", "FIND {x}", "FIND {}", "FIND shoes"])
def test_a_bad_search_is_told(client: Salesforce, statement: str) -> None:
    with pytest.raises(SalesforceMalformedRequest) as met:
        client.search(statement)

    assert met.value.content[0]["errorCode"] in ("MALFORMED_SEARCH", "INVALID_SEARCH")


def test_a_page_has_as_many_records_as_asked_for_within_bounds(client: Salesforce) -> None:
    def page(batch: str) -> dict[str, Any]:
        options = {"Sforce-Query-Options": batch}
        return dict(client.query("SELECT Id FROM PricebookEntry", headers=options))

    total = len(small().rows["PricebookEntry"])
    assert len(page("batchSize=500")["records"]) == 500
    assert len(page("batchSize=1")["records"]) == 200
    assert len(page("batchSize=many")["records"]) == total
    first = page("batchSize=700")
    assert (first["totalSize"], first["done"]) == (total, False)
    locator = first["nextRecordsUrl"].rpartition("/")[2]
    second = client.query_more(locator)
    assert len(second["records"]) == 700
    assert second["records"][0] not in first["records"]


def test_a_locator_belongs_to_the_session_that_got_it(org: Served, client: Salesforce) -> None:
    options = {"Sforce-Query-Options": "batchSize=200"}
    first = client.query("SELECT Id FROM PricebookEntry", headers=options)

    with pytest.raises(SalesforceMalformedRequest) as met:
        org.client().query_more(first["nextRecordsUrl"], identifier_is_url=True)

    assert met.value.content[0]["errorCode"] == "INVALID_QUERY_LOCATOR"
    assert client.query_more(first["nextRecordsUrl"], identifier_is_url=True)["records"]


@each_row("locator", ["x", "01g-", "01g-5", "-1", "01g-²", "01g--200", "01g" + "9" * 50])
def test_there_is_no_other_locator(client: Salesforce, locator: str) -> None:
    with pytest.raises(SalesforceMalformedRequest) as met:
        client.query_more(locator)

    assert met.value.content[0]["errorCode"] == "INVALID_QUERY_LOCATOR"


def test_every_object_is_described(client: Salesforce) -> None:
    listed = client.describe()
    assert listed is not None
    assert [each["name"] for each in listed["sobjects"]] == list(OBJECTS)
    for name, entity in OBJECTS.items():
        described = getattr(client, name).describe()
        assert [field["name"] for field in described["fields"]] == list(entity.columns)
        assert {field["type"] for field in described["fields"]} == {f.type for f in entity.queryable}
        assert not described["createable"]
        assert getattr(client, name).metadata()["objectDescribe"]["keyPrefix"] == entity.prefix


def test_references_and_children_are_described(client: Salesforce) -> None:
    case = client.Case.describe()
    owner = next(field for field in case["fields"] if field["name"] == "OwnerId")
    assert (owner["referenceTo"], owner["relationshipName"]) == (["User", "Group"], "Owner")
    assert {"childSObject": "EmailMessage", "field": "ParentId", "relationshipName": "EmailMessages"} in case[
        "childRelationships"
    ]


def test_a_record_is_read_by_its_id(client: Salesforce) -> None:
    product = {name: str(value) for name, value in small().records("Product2")[0].items()}

    whole = client.Product2.get(product["Id"])
    short = client.Product2.get(product["Id"][:15])
    some = client.restful(f"sobjects/Product2/{product['Id']}", {"fields": "name, Id,Name"})

    assert whole == short
    assert whole["Name"] == product["Name"]
    assert set(whole) == {"attributes", *OBJECTS["Product2"].columns}
    assert some is not None
    assert set(some) == {"attributes", "Id", "Name"}


def test_versions_resources_and_limits(org: Served, client: Salesforce) -> None:
    versions = org.get("/services/data").json()
    assert [each["version"] for each in versions] == [client.sf_version]
    assert org.get(versions[0]["url"]).json()["query"] == versions[0]["url"] + "/query"
    assert client.limits()["DailyApiRequests"]["Max"] > 0


@pytest.mark.parametrize(
    "path", ["composite/tree/Case", "parameterizedSearch", "sobjects/Foo", "sobjects/Case/describe/layouts"]
)
def test_what_is_not_there_answers_in_the_platforms_manner(client: Salesforce, path: str) -> None:
    with pytest.raises(SalesforceResourceNotFound) as met:
        client.restful(path)

    assert met.value.content == [
        {"message": "The requested resource does not exist", "errorCode": "NOT_FOUND"}
    ]


def test_an_api_that_is_not_served_is_named(client: Salesforce) -> None:
    with pytest.raises(SalesforceResourceNotFound, match="Bulk API is not served"):
        client.bulk.Case.query("SELECT Id FROM Case")
    for path, name in (("jobs/ingest", "Bulk"), ("tooling/query", "Tooling")):
        with pytest.raises(SalesforceResourceNotFound, match=f"{name} API is not served"):
            client.restful(path)


def test_a_method_that_does_not_fit_is_told_which_do(client: Salesforce) -> None:
    with pytest.raises(SalesforceGeneralError) as met:
        client.restful("query", method="PUT")

    assert met.value.status == 405
    assert met.value.content[0]["errorCode"] == "METHOD_NOT_ALLOWED"
    assert "GET" in met.value.content[0]["message"]


def test_long_queries_go_in_the_body_of_a_composite_request(client: Salesforce, engine: WorldOrg) -> None:
    ids = "', '".join(str(row[0]) for row in small().rows["PricebookEntry"])
    soql = f"SELECT Id FROM PricebookEntry WHERE Id IN ('{ids}') ORDER BY Id LIMIT 3"
    with pytest.raises(SalesforceError) as met:
        client.query(soql)
    assert met.value.status in (414, 431, 400)

    part = {
        "method": "GET",
        "url": f"/services/data/v{client.sf_version}/query?{urlencode({'q': soql})}",
        "referenceId": "one",
    }
    bad = {**part, "url": f"/services/data/v{client.sf_version}/query?q=SELECT", "referenceId": "two"}
    body = client.restful("composite", method="POST", json={"compositeRequest": [part, bad]})

    assert body is not None
    one, two = body["compositeResponse"]
    assert (one["httpStatusCode"], one["body"]) == (200, engine.query(soql).body())
    assert (two["httpStatusCode"], two["body"][0]["errorCode"]) == (400, "MALFORMED_QUERY")


def test_oauth_gives_a_session_too(org: Served) -> None:
    form = {
        "grant_type": "password",
        "client_id": "any",
        "client_secret": "any",
        "username": "ann@example.com",
        "password": f"whatever{TOKEN}",
    }
    session = org.session()
    session_id, instance = token_login(
        f"{org.url}/services/oauth2/token", form, "login", "any", None, {}, session
    )

    client = Salesforce(session_id=session_id, instance=instance, session=session)

    assert client.query("SELECT COUNT() FROM User")["totalSize"] == len(small().rows["User"])


@each_row("security_token", ["", "wrong", TOKEN[:-1], TOKEN + "x", TOKEN.upper()])
def test_a_login_needs_the_token(org: Served, security_token: str) -> None:
    with pytest.raises(SalesforceAuthenticationFailed) as met:
        SalesforceLogin(
            username="ann@example.com",
            password="pw",
            security_token=security_token,
            scratch_url=org.url,
            session=org.session(),
        )

    assert met.value.code == "INVALID_LOGIN"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"password": "wrong"}, "invalid_grant"),
        ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
        ({"username": ["ann", "bo"]}, "invalid_request"),
    ],
)
def test_oauth_refuses_in_its_own_words(org: Served, change: dict[str, str], code: str) -> None:
    form = {"grant_type": "password", "username": "ann", "password": TOKEN, **change}

    with pytest.raises(SalesforceAuthenticationFailed) as met:
        token_login(f"{org.url}/services/oauth2/token", form, "login", "any", None, {}, org.session())

    assert met.value.code == code
