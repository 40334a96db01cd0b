"""The verifier notices mails that tell of something else, or go to somebody whom it does not concern."""

from __future__ import annotations

import re

from tests.tables import each_row
from tests.tools.kinds.enterprise.generate.checks.coherence.mail import incoherent_mail
from tests.tools.kinds.enterprise.generate.worlds import small
from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.tools.kinds.enterprise.generate.company import DEFAULT_NOW
from worksmith.tools.kinds.enterprise.generate.industry import packaged
from worksmith.tools.kinds.enterprise.generate.topics import details

FACTS = Facts(small(), DEFAULT_NOW)
INSIDE = next(mail for mail in FACTS.all("mail") if mail["sender_emp_id"] and mail["recipient_emp_id"])
TO_PARTNER = next(mail for mail in FACTS.all("mail") if not mail["recipient_emp_id"])
STRANGER = next(one for one in FACTS.all("employees") if one["department"] == "EN" and one["level"] == "09")
FOREIGN = next(form for form in details(packaged(), "moving weekend").done if "{" not in form)


def _found(mail: Record, **cells: str) -> list[str]:
    return list(incoherent_mail({**mail, **cells}, FACTS))


def test_mails_as_they_are_make_sense() -> None:
    assert _found(INSIDE) == []
    assert _found(TO_PARTNER) == []


@each_row(
    ("mail", "cells", "reason"),
    [
        (INSIDE, {"body": "Dear all,\n\nplease read this and act."}, "it says nothing about"),
        (INSIDE, {"body": f"{FOREIGN} {INSIDE['body']}"}, "is about the moving weekend"),
        (INSIDE, {"subject": "Deadline for the moon landing (Amber Heron)"}, "names no topic"),
        (TO_PARTNER, {"recipient_email": "nobody@nowhere.example"}, "address of 0 contacts"),
        (TO_PARTNER, {"recipient_name": "Nobody"}, "address of 0 contacts"),
        (TO_PARTNER, {"sender_emp_id": STRANGER["emp_id"]}, "is not responsible for"),
        (TO_PARTNER, {"date": "2009-01-01T08:00:00"}, "was no partner then"),
        (TO_PARTNER, {"subject": "Order for the Moon Rocket: price"}, "nothing to do with that"),
    ],
)
def test_a_planted_fault_is_found(mail: Record, cells: dict[str, str], reason: str) -> None:
    assert any(re.search(reason, one) for one in _found(mail, **cells))
