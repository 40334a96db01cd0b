"""A generated world is sound, and the verifier notices when one is not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from operator import methodcaller

import pytest

from tests.tools.kinds.enterprise.generate.checks.verify import verify
from tests.tools.kinds.enterprise.generate.worlds import full, small
from worksmith.tools.kinds.enterprise.generate import Built, build
from worksmith.tools.kinds.enterprise.schema import TABLES

Cells = dict[str, str | None]


@cache
def tiny() -> Built:
    return build(7, 0.005)


def broken(source: str, change: Callable[[Cells], None], place: int = 0, world: Built | None = None) -> Built:
    """The world, the tiny one by default, with one record of `source` changed."""
    columns = next(table.columns for table in TABLES if table.name == source)
    rows = dict((world or tiny()).rows)
    record = dict(zip(columns, rows[source][place], strict=True))
    change(record)
    rows[source] = list(rows[source])
    rows[source][place] = tuple(record[column] for column in columns)
    return Built(rows, tiny().latents, tiny().documents)


def test_small_worlds_are_sound() -> None:
    assert verify(small()) == []


@pytest.mark.slow
def test_small_worlds_with_few_seniors_are_sound() -> None:
    assert verify(small(hierarchy="measured")) == []


@pytest.mark.slow
def test_a_full_world_is_sound() -> None:
    assert verify(full()) == []


FAULTS: list[tuple[str, Cells, str]] = [
    ("sales", {"emp_id": "emp_9999"}, "is not in employees"),
    ("sales", {"product_id": "PRD-9999"}, "is not in products"),
    ("sales", {"discount_percentage": "99"}, "discount does not fit"),
    ("sales", {"quantity": "77"}, "lists other items than were sold"),
    ("sales", {"date_of_purchase": "2011-01-01"}, "was not employed"),
    ("orders", {"total": "1"}, "the total is not"),
    ("sentiments", {"review_date": "2010-01-01"}, "not after a purchase"),
    ("sentiments", {"review_content": "It is fine."}, "the opinion is"),
    ("sentiments", {"review_id": "REV-00002"}, "stands 2 times in review_id"),
    ("support_chats", {"interaction_date": "2023-01-05"}, "was not employed"),
    ("support_chats", {"text": "Customer: Hello?"}, "^support_chats/.*the text says"),
    ("support_chats", {"emp_id": "emp_0001"}, "not done by Sales"),
    ("employees", {"email": None}, "stands 1 times in email"),
    ("employees", {"reports_to": None, "department": "EN"}, "reports to nobody"),
    ("employees", {"remaining_sick_leaves": "99"}, "leaves are not those of the policy"),
    ("employees", {"description": "A fine person."}, "^employees/.*the text says"),
    ("clients", {"engagement_description": "We like them."}, "^clients/.*the text says"),
    ("vendors", {"vendor_id": "VEN-0002"}, "stands 2 times in vendor_id"),
    ("products", {"about_product": "A thing."}, "^products/.*the text says"),
    ("resumes", {"content": "Hire me."}, "^resumes/.*the text says"),
    ("repositories", {"code": "def count_shelves():\n    return 1\n"}, "about something else than its topic"),
]


STAGES = (" times in ", " is not in ", "")
"""What faults say that end the search for others."""


@pytest.mark.parametrize("stage", STAGES)
def test_faults_are_found(stage: str) -> None:
    """Each in another record of one world."""
    world, places, wanted = tiny(), Counter[str](), []
    for source, fault, expected in FAULTS:
        if stage == next(each for each in STAGES if each in f" {expected} "):
            world = broken(source, methodcaller("update", fault), places[source], world)
            places[source] += 1
            wanted.append(expected)
    found = "\n".join(verify(world))

    assert [expected for expected in wanted if not re.search(expected, found, re.MULTILINE)] == []
