"""The functions against loops over records, whatever text an agent gives them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.kinds.crm.functions.model import Model
from tests.tools.kinds.crm.functions.orgs import connect, draw, opened
from tests.tools.kinds.crm.soql.org import moment
from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.crm.functions import NAMES, Functions
from worksmith.tools.kinds.crm.orgs.org import WorldOrg
from worksmith.tools.kinds.crm.schema import Links, crm_schema
from worksmith.tools.kinds.crm.settings import Mode
from worksmith.tools.seeding import rng

MODES: list[Mode] = ["clean", "faithful"]
ATTACKS = (
    "' OR Id != '",
    "') OR (Id != '",
    "\\' OR Id != '",
    "x\\",
    "' LIMIT 0 --",
    '\'; DROP TABLE "Case"; --',
    "shoe} RETURNING Account(Id, Name) LIMIT 10 {",
    "shoe\\} RETURNING User",
    '"',
    "((((",
    "*",
    "a* OR b*",
    "AND AND",
    "alpha OR NOT",
    "\x00",
    "al\x00pha",
    "%",
    "_",
    "FIND {x}",
    "&#39; OR Id != &#39;",
    "ALPHA",
    "Alpha beta x",
    "O'Brien",
    "élan",
)
ANY_TEXT = st.one_of(st.sampled_from(ATTACKS), st.text(max_size=40))


def text(point: datetime) -> str:
    return f"{point:%Y-%m-%dT%H:%M:%SZ}"


def window(chooser: Random, org: Any) -> tuple[datetime, datetime]:
    """Two points in time, often those of records."""
    own = [r["CreatedDate"] for name in ("Case", "CaseHistory__c") for r in org[name] if r["CreatedDate"]]
    ends = [chooser.choice(own) if own and chooser.random() < 0.6 else moment(chooser) for _ in range(2)]
    return min(ends), max(ends)


def some(chooser: Random, org: Any, name: str) -> list[str] | None:
    """Ids of some records, none of them, or nothing."""
    if chooser.random() < 0.4:
        return None
    ids = [record["Id"] for record in org[name]]
    return chooser.choices(ids, k=chooser.randint(0, 4))  # with repetitions


@pytest.mark.parametrize("mode", MODES)
def test_functions_agree_with_loops_over_records(mode: Mode) -> None:
    compare(1, mode, "text")
    compare(2, mode, "lookup")


@pytest.mark.slow
@given(st.integers(0, 2**32), st.sampled_from(MODES), st.sampled_from(["text", "lookup"]))
def test_they_agree_on_very_many(seed: int, mode: Mode, links: Links) -> None:
    compare(seed, mode, links)


def compare(seed: int, mode: Mode, links: Links) -> None:
    """See that the functions of a random org return what loops over its records find."""
    chooser = rng(seed, "functions")
    org = draw(chooser)
    functions, model = Functions(opened(org, crm_schema(links)), mode), Model(org, mode == "clean")
    for _ in range(5):
        start, end = window(chooser, org)
        span = (text(start), text(end))
        assert functions.get_agent_handled_cases_by_period(*span) == model.handled(start, end)
        assert set(functions.get_non_transferred_case_ids(*span)) == model.never_transferred(start, end)
        agents = some(chooser, org, "User")
        found = functions.get_agent_transferred_cases_by_period(*span, agents)
        assert found == model.transferred(start, end, agents)
        _check_cases(chooser, org, functions, model)
        items = some(chooser, org, "OrderItem") or [org["OrderItem"][0]["Id"]]
        assert functions.get_issue_counts(*span, items) == model.issue_counts(start, end, items)
        _check_purchases(chooser, org, functions, model)


def _check_cases(chooser: Random, org: Any, functions: Functions, model: Model) -> None:
    start, end = window(chooser, org)
    given_start = start if chooser.random() < 0.6 else None
    given_end = end if chooser.random() < 0.6 else None
    lists = {
        "agent_ids": some(chooser, org, "User"),
        "case_ids": some(chooser, org, "Case"),
        "order_item_ids": some(chooser, org, "OrderItem"),
        "issue_ids": some(chooser, org, "Issue__c"),
        "statuses": chooser.choice([None, ["closed"], ["New", "Escalated", "Closed"], []]),
    }
    fields = ("OwnerId", "Id", "OrderItemId__c", "IssueId__c", "Status")
    named = dict(zip(fields, lists.values(), strict=True))
    arguments: dict[str, Any] = {
        "start_date": given_start and text(given_start),
        "end_date": given_end and text(given_end),
        **lists,
    }
    if not any(value for value in arguments.values()) and not (model.clean and [] in lists.values()):
        with pytest.raises(ToolError):
            functions.get_cases(**arguments)
        return
    found = functions.get_cases(**arguments)
    if model.clean:
        assert all(record.pop("Id") for record in found)
    assert _sorted(found) == _sorted(model.cases(given_start, given_end, **named))


def _check_purchases(chooser: Random, org: Any, functions: Functions, model: Model) -> None:
    order = chooser.choice(org["Order"])
    day = order["EffectiveDate"] or moment(chooser).date()
    point = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(hours=chooser.randrange(24))
    account = order["AccountId"] or org["Account"][0]["Id"]
    products = some(chooser, org, "Product2") or [record["Id"] for record in org["Product2"]]
    found = functions.get_purchase_history(account, text(point), products)
    assert _sorted(found) == _sorted(model.bought(account, point, products))


def _sorted(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(records, key=lambda record: sorted((key, str(value)) for key, value in record.items()))


def _attempts(functions: Functions, model: Model, given_text: str) -> list[tuple[Callable[[], Any], Any]]:
    """Calls with an arbitrary text in a place where an agent writes one, and what they should return."""
    start, end = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
    span = (text(start), text(end))
    bare = {"OwnerId": None, "Id": None, "OrderItemId__c": None, "IssueId__c": None, "Status": None}
    cases: list[dict[str, Any]] = [{"AccountId": given_text}, {"AccountId": None}]
    mails = ("Subject", "TextBody", "FromAddress", "ToAddress", "MessageDate")
    f, m = functions, model
    return [
        (lambda: f.get_order_item_ids_by_product(given_text), lambda: m.order_items(given_text)),
        (lambda: f.get_account_id_by_contact_id(given_text), lambda: m.account(given_text)),
        (
            lambda: f.get_email_messages_by_case_id(given_text),
            lambda: m.about("EmailMessage", "ParentId", given_text, *mails),
        ),
        (
            lambda: f.get_livechat_transcript_by_case_id(given_text),
            lambda: m.about("LiveChatTranscript", "CaseId", given_text, "Body", "EndTime"),
        ),
        (
            lambda: [_without_id(r) for r in f.get_cases(statuses=[given_text])],
            lambda: m.cases(None, None, **{**bare, "Status": [given_text]}),
        ),
        (
            lambda: [_without_id(r) for r in f.get_cases(agent_ids=[given_text, "x"])],
            lambda: m.cases(None, None, **{**bare, "OwnerId": [given_text]}),
        ),
        (lambda: f.get_issue_counts(*span, [given_text]), lambda: m.issue_counts(start, end, [given_text])),
        (
            lambda: [record["ShippingState"] for record in f.get_shipping_state(cases)],
            lambda: m.states([given_text, None]),
        ),
        (
            lambda: f.get_purchase_history(given_text, text(start), ["x"]),
            lambda: m.bought(given_text, start, []),
        ),
        (
            lambda: {r if isinstance(r, str) else r["Id"] for r in f.search_products(given_text)},
            lambda: m.search("Product2", given_text, all),
        ),
        (
            lambda: {r["Id"] for r in f.search_knowledge_articles(given_text)},
            lambda: {
                r["Id"]
                for r in m.org["Knowledge__kav"]
                if r["Id"] in m.search("Knowledge__kav", given_text, any)
                and (r["PublishStatus"], r["Language"]) == ("Online", "en_US")
            },
        ),
        (lambda: f.get_cases(start_date=given_text), list),
        (lambda: f.get_start_date(given_text, "day", 1), str),
        (lambda: f.get_period(given_text, 2022), dict),
    ]


def _without_id(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != "Id"}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("given_text", ["' OR Id != '", "\\", "shoe} RETURNING User {", "", "Alpha O'Brien"])
def test_no_attack_does_more_than_it_says(given_text: str, mode: Mode) -> None:
    attack(given_text, 0, mode)


@pytest.mark.slow
@given(ANY_TEXT, st.integers(0, 50), st.sampled_from(MODES))
def test_no_text_does_more_than_it_says(given_text: str, seed: int, mode: Mode) -> None:
    attack(given_text, seed, mode)


def attack(given_text: str, seed: int, mode: Mode) -> None:
    """See that a text is a value and nothing else: results are those of plain filters, or it is refused."""
    org = draw(rng(seed, "attacks"), 8)
    connection = connect(org)
    before = connection.serialize("main")
    functions = Functions(WorldOrg(connection, datetime(2023, 1, 1).date()), mode)
    for call, expected in _attempts(functions, Model(org, mode == "clean"), given_text):
        try:
            found = call()
        except (ToolError, UnicodeEncodeError):
            continue
        wanted = expected()
        if isinstance(expected, type):  # of a point in time that can be read, whatever
            assert isinstance(found, expected)
        elif isinstance(wanted, list) and wanted and isinstance(wanted[0], dict):
            assert _sorted(found) == _sorted(wanted)
        else:
            assert (set(found) if isinstance(wanted, set) else found) == wanted
    assert connection.serialize("main") == before


def test_every_function_has_been_given_something() -> None:
    assert len(NAMES) == len(set(NAMES)) == 24
    assert all(callable(getattr(Functions, name)) for name in NAMES)
