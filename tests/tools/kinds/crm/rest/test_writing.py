"""Records made, changed and deleted by simple-salesforce."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from simple_salesforce import Salesforce
from simple_salesforce.exceptions import SalesforceMalformedRequest, SalesforceResourceNotFound

from tests.tools.kinds.crm.generate.orgs import small
from tests.tools.kinds.crm.rest.running import Served, empty_world, served
from worksmith.tools.kinds.crm.ids import canonical
from worksmith.tools.kinds.crm.schema import crm_schema
from worksmith.tools.world import World

BUILT = small()


def one(name: str, place: int = 0) -> dict[str, Any]:
    """A record of the generated world."""
    return dict(BUILT.records(name)[place])


def refused(call: Any, *arguments: Any) -> tuple[str, str]:
    """Code and message with which a call is refused."""
    with pytest.raises(SalesforceMalformedRequest) as met:
        call(*arguments)
    error = met.value.content[0]
    return error["errorCode"], error["message"]


def test_a_record_is_made_read_changed_found_and_deleted(writable: Served) -> None:
    client = writable.client()
    given = {"Title": "How to zorble a boot", "UrlName": "zorble", "FAQ_Answer__c": "Twice a week.\nZoë"}

    made = client.Knowledge__kav.create(given)
    assert made["success"] is True
    record_id = made["id"]
    assert canonical(record_id) == record_id
    assert record_id.startswith("ka0")
    assert given.items() <= client.Knowledge__kav.get(record_id).items()
    found = client.search("FIND {zorble} RETURNING Knowledge__kav(Id)")["searchRecords"]
    assert [each["Id"] for each in found] == [record_id]

    assert client.Knowledge__kav.update(record_id, {"Title": "How to wax a boot", "Summary": None}) == 204
    assert client.query(f"SELECT Title FROM Knowledge__kav WHERE Id = '{record_id}'")["records"][0][
        "Title"
    ] == ("How to wax a boot")
    assert client.search("FIND {zorble} IN NAME FIELDS RETURNING Knowledge__kav(Id WHERE Title LIKE 'How%')")

    assert client.Knowledge__kav.delete(record_id) == 204
    with pytest.raises(SalesforceResourceNotFound):
        client.Knowledge__kav.get(record_id)
    with pytest.raises(SalesforceResourceNotFound) as met:
        client.Knowledge__kav.delete(record_id)
    assert met.value.content[0]["errorCode"] == "NOT_FOUND"
    with pytest.raises(SalesforceResourceNotFound):
        client.Knowledge__kav.update(record_id, {"Title": "x"})


def test_the_platform_fills_in_what_is_its_own(writable: Served) -> None:
    client = writable.client()
    contact = one("Contact")

    case = client.Case.get(client.Case.create({"Subject": "Lace", "ContactId": contact["Id"]})["id"])

    last = max(record["CaseNumber"] or "" for record in BUILT.records("Case"))
    assert case["CaseNumber"] == str(int(last) + 1).zfill(8)
    assert (case["Status"], case["Priority"], case["IsClosed"]) == ("New", "Medium", False)
    assert case["CreatedDate"] == f"{writable.store.now:%Y-%m-%dT%H:%M:%S}.000+0000"
    assert case["ClosedDate"] is None
    client.Case.update(case["Id"], {"Status": "Closed"})
    closed = client.Case.get(case["Id"])
    assert (closed["IsClosed"], closed["ClosedDate"]) == (True, case["CreatedDate"])
    client.Case.update(case["Id"], {"Status": "Working"})
    assert client.Case.get(case["Id"])["ClosedDate"] is None


def test_names_prices_and_totals_follow_their_parts(writable: Served) -> None:
    client = writable.client()
    product = one("Product2")
    client.Product2.update(product["Id"], {"Name": "Boot 2"})
    item = one("OrderItem")
    client.OrderItem.update(item["Id"], {"Quantity": 3, "UnitPrice": 0.5})
    user = one("User")
    client.User.update(user["Id"], {"LastName": "Nguyễn"})

    assert client.OrderItem.get(item["Id"])["TotalPrice"] == 1.5
    assert client.User.get(user["Id"])["Name"] == f"{user['FirstName']} Nguyễn"
    book = client.Pricebook2.create({"Name": "Autumn"})["id"]
    entry = {"Pricebook2Id": book, "Product2Id": product["Id"], "UnitPrice": 9.99}
    made = client.PricebookEntry.get(client.PricebookEntry.create(entry)["id"])
    assert (made["Name"], made["IsActive"], made["UnitPrice"]) == ("Boot 2", False, 9.99)


def test_a_person_account_brings_its_contact(writable: Served) -> None:
    client = writable.client()

    account_id = client.Account.create({"LastName": "Ade", "PersonEmail": "ade@example.com"})["id"]

    account = client.Account.get(account_id)
    contact = client.Contact.get(account["PersonContactId"])
    assert (account["Name"], account["IsPersonAccount"]) == ("Ade", True)
    assert (contact["AccountId"], contact["Email"], contact["Name"]) == (account_id, "ade@example.com", "Ade")
    assert refused(client.Contact.delete, contact["Id"])[0] == "DELETE_FAILED"
    assert client.Account.delete(account_id) == 204
    with pytest.raises(SalesforceResourceNotFound):
        client.Contact.get(contact["Id"])


BAD_RECORDS: list[tuple[str, dict[str, Any], str]] = [
    ("Account", {}, "REQUIRED_FIELD_MISSING"),
    ("Account", {"LastName": ""}, "REQUIRED_FIELD_MISSING"),
    ("Account", {"LastName": "A", "Colour": "red"}, "INVALID_FIELD"),
    ("Account", {"LastName": "A", 'Id" = 1; --': "x"}, "INVALID_FIELD"),
    ("Account", {"LastName": "A", "Id": "001wK0000000001AAA"}, "INVALID_FIELD_FOR_INSERT_UPDATE"),
    ("Account", {"LastName": "A", "Name": "B"}, "INVALID_FIELD_FOR_INSERT_UPDATE"),
    ("Case", {"CaseNumber": "1"}, "INVALID_FIELD_FOR_INSERT_UPDATE"),
    ("Case", {"CreatedDate": "2020-01-01T00:00:00Z"}, "INVALID_FIELD_FOR_INSERT_UPDATE"),
    ("Case", {"Status": "Lost"}, "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST"),
    ("Case", {"Subject": 5}, "JSON_PARSER_ERROR"),
    ("Case", {"AccountId": "x"}, "MALFORMED_ID"),
    ("Case", {"AccountId": "001wK0000000001AAA"}, "INVALID_CROSS_REFERENCE_KEY"),
    ("Case", {"AccountId": one("Contact")["Id"]}, "FIELD_INTEGRITY_EXCEPTION"),
    ("Case", {"OwnerId": "00GwK0000000001AAA"}, "FIELD_INTEGRITY_EXCEPTION"),
    ("EmailMessage", {"FromAddress": "nobody"}, "INVALID_EMAIL_ADDRESS"),
    ("Issue__c", {"Name": "x" * 256}, "STRING_TOO_LONG"),
    ("OrderItem", {"Quantity": 1}, "REQUIRED_FIELD_MISSING"),
]


@pytest.mark.parametrize(("name", "values", "code"), BAD_RECORDS)
def test_a_record_that_cannot_be_is_not_made(
    writable: Served, name: str, values: dict[str, Any], code: str
) -> None:
    client = writable.client()
    count = client.query(f"SELECT COUNT() FROM {name}")["totalSize"]

    assert refused(getattr(client, name).create, values)[0] == code
    assert client.query(f"SELECT COUNT() FROM {name}")["totalSize"] == count
    assert not writable.store.changed


def test_a_change_that_cannot_be_changes_nothing(writable: Served) -> None:
    client = writable.client()
    product = client.Product2.get(one("Product2")["Id"])

    assert refused(client.Product2.update, product["Id"], {"Family": "Footwear", "Name": None})[0] == (
        "REQUIRED_FIELD_MISSING"
    )
    assert (
        refused(client.Product2.update, product["Id"], {"Description": "x", "Nope": 1})[0] == "INVALID_FIELD"
    )
    assert client.Product2.get(product["Id"]) == product


def test_what_others_refer_to_stays(writable: Served) -> None:
    client = writable.client()
    order = one("Order")

    code, message = refused(client.Order.delete, order["Id"])

    assert code == "DELETE_FAILED"
    assert "OrderItem 802" in message
    assert client.Order.get(order["Id"])["Id"] == order["Id"]


def test_no_id_is_given_twice(writable: Served) -> None:
    client = writable.client()
    first = client.Issue__c.create({"Name": "One"})["id"]
    client.Issue__c.delete(first)
    second = client.Issue__c.create({"Name": "Two"})["id"]

    assert second != first
    assert second not in {record["Id"] for record in BUILT.records("Issue__c")}


def test_many_clients_write_and_read_at_once(writable: Served) -> None:
    client = writable.client()
    before = client.query("SELECT COUNT() FROM Issue__c")["totalSize"]

    def work(number: int) -> str:
        made: str = client.Issue__c.create({"Name": f"Issue {number}"})["id"]
        assert client.Issue__c.get(made)["Name"] == f"Issue {number}"
        return made

    with ThreadPoolExecutor(8) as threads:
        ids = list(threads.map(work, range(40)))

    assert len(set(ids)) == 40
    assert client.query("SELECT COUNT() FROM Issue__c")["totalSize"] == before + 40


def many(client: Salesforce, records: list[dict[str, Any]], **options: Any) -> list[dict[str, Any]]:
    body = {"records": records, **options}
    found: Any = client.restful("composite/sobjects", method="POST", json=body)
    return list(found)


def issue(name: Any) -> dict[str, Any]:
    return {"attributes": {"type": "Issue__c"}, "Name": name}


def test_several_records_are_made_in_one_request(writable: Served) -> None:
    client = writable.client()
    count = client.query("SELECT COUNT() FROM Issue__c")["totalSize"]

    outcomes = many(client, [issue("A"), issue(None), {"Name": "no type"}, issue("B")])

    assert [each["success"] for each in outcomes] == [True, False, False, True]
    assert outcomes[1]["errors"][0]["statusCode"] == "REQUIRED_FIELD_MISSING"
    assert client.query("SELECT COUNT() FROM Issue__c")["totalSize"] == count + 2
    assert client.Issue__c.get(outcomes[3]["id"])["Name"] == "B"


def test_all_of_them_or_none(writable: Served) -> None:
    client = writable.client()
    count = client.query("SELECT COUNT() FROM Issue__c")["totalSize"]

    outcomes = many(client, [issue("A"), issue(None), issue("B")], allOrNone=True)

    codes = [each["errors"][0]["statusCode"] for each in outcomes]
    undone = "ALL_OR_NONE_OPERATION_ROLLED_BACK"
    assert codes == [undone, "REQUIRED_FIELD_MISSING", undone]
    assert client.query("SELECT COUNT() FROM Issue__c")["totalSize"] == count
    assert not writable.store.changed


def test_several_records_are_changed_in_one_request(writable: Served) -> None:
    client = writable.client()
    ids = [record["Id"] for record in BUILT.records("Issue__c")[:3]]

    def change(records: list[dict[str, Any]], **options: Any) -> Any:
        body = {"records": records, **options}
        return client.restful("composite/sobjects", method="PATCH", json=body)

    outcomes = change([{**issue("A"), "id": ids[0]}, {**issue(None), "id": ids[1]}, issue("no id")])
    assert [each["success"] for each in outcomes] == [True, False, False]
    assert client.Issue__c.get(ids[0])["Name"] == "A"
    outcomes = change([{**issue("B"), "id": ids[0]}, {**issue(None), "id": ids[1]}], allOrNone=True)
    assert not any(each["success"] for each in outcomes)
    assert client.Issue__c.get(ids[0])["Name"] == "A"


@pytest.mark.parametrize("records", [None, "x", [issue("A")] * 201])
def test_a_request_holds_at_most_200_records(writable: Served, records: Any) -> None:
    assert refused(many, writable.client(), records)[0] == "INVALID_INPUT"


def test_articles_are_drafts_until_they_are_published(writable: Served) -> None:
    client = writable.client()
    article = client.Knowledge__kav.create({"Title": "T", "UrlName": "t"})["id"]
    made = client.Knowledge__kav.get(article)
    assert (made["PublishStatus"], made["Language"]) == ("Draft", "en_US")
    assert refused(client.Knowledge__kav.update, article, {"PublishStatus": "Online"})[0] == (
        "INVALID_FIELD_FOR_INSERT_UPDATE"
    )
    path = f"knowledgeManagement/articleVersions/masterVersions/{article}"

    assert client.restful(path, method="PATCH", json={"publishStatus": "Online"}) is None

    assert client.Knowledge__kav.get(article)["PublishStatus"] == "Online"
    with pytest.raises(SalesforceMalformedRequest):
        client.restful(path, method="PATCH", json={"publishStatus": "Lost"})


def test_a_product_has_a_standard_price_first(tmp_path: Path) -> None:
    with served(empty_world(tmp_path), writable=True) as org:
        client = org.client()
        product = client.Product2.create({"Name": "Boot"})["id"]
        book = client.Pricebook2.create({"Name": "Sale"})["id"]
        standard = client.query("SELECT Id FROM Pricebook2 WHERE IsStandard = true")["records"][0]["Id"]
        entry = {"Pricebook2Id": book, "Product2Id": product, "UnitPrice": 5}

        assert refused(client.PricebookEntry.create, entry)[0] == "STANDARD_PRICE_NOT_DEFINED"
        client.PricebookEntry.create({**entry, "Pricebook2Id": standard})
        assert client.PricebookEntry.create(entry)["success"]


def test_dates_can_be_given_where_the_org_lets_them(world: World) -> None:
    dates = {"CreatedDate": "2020-01-01T10:00:00Z", "ClosedDate": "2020-01-02T10:00:00Z"}
    with served(world, writable=True, audit=True) as org:
        client = org.client()
        fields = {field["name"]: field for field in client.Case.describe()["fields"]}
        assert (fields["CreatedDate"]["createable"], fields["CreatedDate"]["updateable"]) == (True, False)

        case = client.Case.get(client.Case.create({"Subject": "x", "Status": "Closed", **dates})["id"])

        assert case["CreatedDate"] == "2020-01-01T10:00:00.000+0000"
        assert case["ClosedDate"] == "2020-01-02T10:00:00.000+0000"
        assert refused(client.Case.update, case["Id"], dates)[0] == "INVALID_FIELD_FOR_INSERT_UPDATE"


def test_what_describe_says_can_be_set_is_what_can(writable: Served) -> None:
    client = writable.client()
    for entity in crm_schema().objects:
        described = getattr(client, entity.name).describe()
        assert described["createable"]
        for field in described["fields"]:
            if field["createable"]:
                continue
            code, message = refused(getattr(client, entity.name).create, {field["name"]: "x"})
            assert code == "INVALID_FIELD_FOR_INSERT_UPDATE"
            assert field["name"] in message


def test_what_is_changed_can_be_saved_as_a_world(writable: Served, place: Path) -> None:
    client = writable.client()
    for number in range(3):
        many(client, [issue(f"zorble {number} {each} {'x' * 200}") for each in range(200)])
    kept = client.Issue__c.create({"Name": "last of all"})["id"]
    assert len(client.search("FIND {zorble} RETURNING Issue__c(Id LIMIT 2000)")["searchRecords"]) == 600
    expected = client.query_all("SELECT Id, Name FROM Issue__c")["records"]

    saved = writable.store.save(place)

    assert saved.manifest.kind == "crm"
    assert saved.manifest.counts["Issue__c"] == len(BUILT.rows["Issue__c"]) + 601
    with served(saved) as org:
        again = org.client()
        assert again.query_all("SELECT Id, Name FROM Issue__c")["records"] == expected
        found = again.search("FIND {last} RETURNING Issue__c(Id)")["searchRecords"]
        assert kept in [each["Id"] for each in found]
