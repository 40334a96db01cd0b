"""Mail with the contact people of clients and vendors: who reads it, who writes it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.soundness.canary.rules import Company, may_read
from tests.tools.access.memory_lookup import MemoryLookup
from tests.tools.kinds.enterprise.calls import call, change
from tests.tools.kinds.enterprise.conftest import Open
from tests.tools.kinds.enterprise.small_world import (
    CEO,
    COO,
    DEVELOPER,
    DIRECTOR,
    GITA,
    HR_MANAGER,
    LEAD,
    PEOPLE,
    SALES_MANAGER,
    VENDOR_MANAGER,
)
from worksmith.tools.access.access_policy import load_policy
from worksmith.tools.kinds.enterprise.access import packaged_policy
from worksmith.tools.kinds.enterprise.schema import TABLES
from worksmith.tools.persona import Persona

POLICY = load_policy(packaged_policy(), TABLES)
LOOKUP = MemoryLookup(
    {
        "clients": [{"client_id": "CLI-0001", "contact_email": "rohan@zenith.example", "emp_id": DEVELOPER}],
        "vendors": [
            {"vendor_id": "VEN-0001", "contact_email": "uma@copper.example", "emp_id": VENDOR_MANAGER}
        ],
    }
)
WHERE = ("EN", "HR", "BU", "MA", "CE", "CO")
READ, CREATE = "enterprise_mail_system.read", "enterprise_mail_system.create"
FROM_CLIENT, TO_VENDOR = "EM-000004", "EM-000005"
CLIENT, VENDOR = "rohan@zenith.example", "uma@copper.example"
LETTER = {"subject": "Kettles", "body": "They leave on Monday."}


def _ids(as_: Open, who: str, **arguments: Any) -> list[str]:
    return [mail["email_id"] for mail in call(as_(who), READ, limit=50, **arguments)["records"]]


@pytest.mark.parametrize(
    ("mail", "readers"),
    [
        (FROM_CLIENT, {CEO, COO, "emp_0002", DEVELOPER, DIRECTOR}),
        (TO_VENDOR, {CEO, COO, "emp_0002", VENDOR_MANAGER, DIRECTOR}),
    ],
)
def test_mail_with_a_partner_is_open_to_those_who_may_read_its_record(
    as_: Open, mail: str, readers: set[str]
) -> None:
    found = set()
    for who in PEOPLE:
        observation = as_(who).call(READ, {"email_id": mail})
        if observation.status == "ok" and observation.value["total"]:
            found.add(who)
        elif observation.status == "ok":
            pytest.fail(f"{who} sees that {mail} is not there")
    assert found == readers


def test_mail_is_found_by_partner_and_by_contact(as_: Open) -> None:
    for wanted in ({"partner": "CLI-0001"}, {"partner": "zenith"}, {"sender": CLIENT.upper()}):
        assert _ids(as_, DEVELOPER, **wanted) == [FROM_CLIENT]
    assert _ids(as_, DEVELOPER, sender="Rohan Zacharia") == [FROM_CLIENT]
    assert _ids(as_, DEVELOPER, sender="somebody@zenith.example") == []
    assert _ids(as_, DEVELOPER, query="kettles by the end of January") == [FROM_CLIENT]
    assert _ids(as_, VENDOR_MANAGER, partner="Copper Works", sender="me") == [TO_VENDOR]
    assert _ids(as_, CEO, partner="VEN-0001") == [TO_VENDOR]


def test_who_may_not_read_a_partner_finds_none_of_its_mail(as_: Open) -> None:
    assert as_(GITA).call(READ, {"partner": "CLI-0001"}).status == "denied"
    assert as_(GITA).call(READ, {"partner": "Zenith"}).text == "No client or vendor matches 'Zenith'."
    assert _ids(as_, GITA, query="kettles by the end of January") != [FROM_CLIENT]
    assert FROM_CLIENT not in _ids(as_, VENDOR_MANAGER)
    assert TO_VENDOR not in _ids(as_, DEVELOPER)


@pytest.mark.parametrize(("who", "address"), [(DEVELOPER, CLIENT), (VENDOR_MANAGER, VENDOR)])
def test_who_is_responsible_writes_to_a_partner(as_: Open, who: str, address: str) -> None:
    _, _, mail = change(as_, who, CREATE, recipient=address.upper(), **LETTER)

    assert (mail["recipient_emp_id"], mail["recipient_email"]) == (None, address)
    assert mail["recipient_name"] in ("Rohan Zacharia", "Uma Trivedi")
    assert (mail["sender_emp_id"], mail["category"]) == (who, "EXTERNAL")


@pytest.mark.parametrize(
    ("who", "address"),
    [
        (GITA, CLIENT),
        (CEO, CLIENT),
        (SALES_MANAGER, CLIENT),
        (VENDOR_MANAGER, CLIENT),
        (DEVELOPER, VENDOR),
        (HR_MANAGER, VENDOR),
        (DEVELOPER, "rohan@elsewhere.example"),
        (VENDOR_MANAGER, "uma@copper.example.elsewhere"),
    ],
)
def test_others_and_other_addresses_are_denied_without_a_difference(
    as_: Open, who: str, address: str
) -> None:
    episode = as_(who)
    observation = episode.call(CREATE, {"recipient": address, **LETTER})

    assert observation.status == "denied"
    assert episode.outcome().empty
    nobody = as_(who).call(CREATE, {"recipient": "nobody@nowhere.example", **LETTER})
    assert observation.text == nobody.text


def test_what_went_outside_is_neither_changed_nor_deleted(as_: Open) -> None:
    episode = as_(VENDOR_MANAGER)
    for tool, more in (("update", {"body": "Never mind."}), ("delete", {})):
        call_ = episode.call(f"enterprise_mail_system.{tool}", {"email_id": TO_VENDOR, **more})
        assert call_.status == "denied", tool
    assert as_(DEVELOPER).call("enterprise_mail_system.delete", {"email_id": FROM_CLIENT}).status == "denied"
    assert episode.outcome().empty


ENDS = st.sampled_from(
    [
        (GITA, "gita.sharma@example.com"),
        (DEVELOPER, "d@example.com"),
        (None, CLIENT),
        (None, VENDOR),
        (None, None),
    ]
)


@given(
    ENDS, ENDS, st.sampled_from([GITA, DEVELOPER, VENDOR_MANAGER]), st.sampled_from(WHERE), st.integers(9, 14)
)
def test_the_rules_of_reading_are_those_in_plain_python(
    sender: tuple[str | None, str | None],
    recipient: tuple[str | None, str | None],
    who: str,
    department: str,
    level: int,
) -> None:
    mail = dict(zip(("sender_emp_id", "sender_email"), sender, strict=True))
    mail |= dict(zip(("recipient_emp_id", "recipient_email"), recipient, strict=True))
    persona = Persona(id=who, name="Somebody", department=department, level=level)
    keepers = {"clients": {CLIENT: frozenset({DEVELOPER})}, "vendors": {VENDOR: frozenset({VENDOR_MANAGER})}}
    company = Company(manager={}, owners={}, **keepers)

    assert POLICY.allows(persona, "mail", "read", mail, LOOKUP).allow == may_read(
        persona, "mail", mail, company
    )


def test_a_reply_to_a_partner_stays_in_its_thread(as_: Open) -> None:
    _, _, mail = change(as_, DEVELOPER, CREATE, recipient=CLIENT, thread_id="THR-000003", body="Gladly.")

    assert (mail["thread_id"], mail["subject"]) == ("THR-000003", "Re: Order of kettles")


def test_a_misspelt_colleague_is_no_partner(as_: Open) -> None:
    observation = as_(GITA).call(CREATE, {"recipient": "gita.sharm@example.com", **LETTER})

    assert observation.status == "tool_error"
    assert as_(GITA).call(CREATE, {"recipient": LEAD, **LETTER}).status == "ok"
