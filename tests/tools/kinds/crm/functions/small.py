"""A few records, small enough to see what functions make of them, and in either mode."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from tests.tools.kinds.crm.soql.org import Org
from worksmith.tools.kinds.crm.ids import make_id
from worksmith.tools.kinds.crm.schema import OBJECTS

ANN, BOB = make_id("005", 1), make_id("005", 2)
FIRST, SECOND, THIRD = (make_id("500", number) for number in (1, 2, 3))
SHOE, SOCK = make_id("01t", 1), make_id("01t", 2)
ITEM, ITEM_2 = make_id("802", 1), make_id("802", 2)
RETURNS, SIZES = make_id("a1M", 1), make_id("a1M", 2)
TEXAS, OHIO = make_id("001", 1), make_id("001", 2)
CONTACT, ORDER, DRAFT = make_id("003", 1), make_id("801", 1), make_id("801", 2)
JANUARY = ("2022-01-01T00:00:00Z", "2022-02-01T00:00:00Z")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def case(number: int, owner: str, created: str, closed: str | None, **more: Any) -> dict[str, Any]:
    status = "Closed" if closed else "New"
    return {
        "Id": make_id("500", number),
        "OwnerId": owner,
        "CreatedDate": at(created),
        "ClosedDate": closed and at(closed),
        "Status": status,
        "AccountId": TEXAS,
        "OrderItemId__c": ITEM,
        "IssueId__c": RETURNS,
        **more,
    }


def assigned(number: int, case_id: str, old: str | None, new: str, when: str) -> dict[str, Any]:
    ids = {"Id": make_id("a1N", number), "CaseId__c": case_id}
    return {
        **ids,
        "Field__c": "Owner Assignment",
        "OldValue__c": old,
        "NewValue__c": new,
        "CreatedDate": at(when),
    }


GIVEN: dict[str, list[dict[str, Any]]] = {
    "Case": [
        case(1, BOB, "2022-01-10T10:00", "2022-01-10T11:00"),
        case(2, ANN, "2022-01-20T10:00", "2022-01-20T10:30", IssueId__c=SIZES, AccountId=OHIO),
        case(3, ANN, "2022-02-01T00:00", None, OrderItemId__c=ITEM_2),
    ],
    "CaseHistory__c": [
        assigned(1, FIRST, None, ANN, "2022-01-10T10:00"),
        assigned(2, FIRST, ANN, BOB, "2022-02-10T10:30"),  # passed on after January
        assigned(3, SECOND, None, ANN, "2022-01-20T10:00"),
        assigned(4, THIRD, None, ANN, "2022-02-01T00:00"),  # on the very end of January
        assigned(5, SECOND, None, BOB, "2021-12-20T10:00"),  # twice given to somebody, never passed on
    ],
    "Account": [{"Id": TEXAS, "ShippingState": "TX"}, {"Id": OHIO, "ShippingState": None}],
    "Contact": [{"Id": CONTACT, "AccountId": TEXAS}, {"Id": make_id("003", 2)}],
    "Product2": [{"Id": SHOE, "Name": "Red running shoe"}, {"Id": SOCK, "Name": "Sock"}],
    "Order": [
        {"Id": ORDER, "AccountId": TEXAS, "EffectiveDate": date(2022, 1, 3), "Status": "Activated"},
        {"Id": DRAFT, "AccountId": TEXAS, "EffectiveDate": date(2022, 1, 3), "Status": "Draft"},
    ],
    "OrderItem": [
        {"Id": ITEM, "OrderId": ORDER, "Product2Id": SHOE},
        {"Id": ITEM_2, "OrderId": DRAFT, "Product2Id": SHOE},
    ],
    "Issue__c": [{"Id": RETURNS, "Name": "Returns"}, {"Id": SIZES, "Name": "Sizes"}],
    "Knowledge__kav": [
        {"Id": make_id("ka0", 1), "Title": "Returns", "FAQ_Answer__c": "Send it back.", **online}
        for online in ({"PublishStatus": "Online", "Language": "en_US"},)
    ]
    + [{"Id": make_id("ka0", 2), "Title": "Returns, a draft", "PublishStatus": "Draft", "Language": "en_US"}],
    "EmailMessage": [
        {"Id": make_id("02s", 1), "ParentId": FIRST, "Subject": "Re: shoe", "MessageDate": at("2022-01-11")},
        {"Id": make_id("02s", 2), "ParentId": FIRST, "Subject": "shoe", "MessageDate": at("2022-01-10")},
    ],
}
ORG: Org = {
    name: [dict.fromkeys(each.columns) | record for record in GIVEN.get(name, [])]
    for name, each in OBJECTS.items()
}
