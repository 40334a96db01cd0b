"""A generated world is sound, and the verifier notices when one is not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from operator import methodcaller

import pytest

from tests.tools.kinds.enterprise.generate.checks.verify import verify
from tests.tools.kinds.enterprise.generate.worlds import full, small
from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate import Built, build
from worksmith.tools.kinds.enterprise.schema import KEYS, TABLES

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


@pytest.mark.slow
def test_a_second_opinion_in_a_review_is_found() -> None:
    said = str(tiny().records("sentiments")[0]["review_content"])
    others = (str(record["review_content"]) for record in tiny().records("sentiments")[1:])
    more = f"{said} {next(others)}"

    assert any(
        "the opinion is" in p for p in verify(broken("sentiments", lambda r: r.update(review_content=more)))
    )


def test_truths_about_missing_records_are_found() -> None:
    lost = Latent("mail/EM-999999", "news", {}, ("tickets/0",))
    found = verify(Built(tiny().rows, [*tiny().latents[:1], lost], tiny().documents))

    assert any("mail/EM-999999" in problem and "not there" in problem for problem in found)


def test_every_source_has_a_key() -> None:
    assert all(record[KEYS[source]] for source in KEYS for record in tiny().records(source))


def tampered(built: Built, source: str, column: str, old: str, new: str) -> Built:
    """A world with a piece of text of one record changed."""
    columns = next(table.columns for table in TABLES if table.name == source)
    at = columns.index(column)
    rows = list(built.rows[source])
    place = next(n for n, row in enumerate(rows) if re.search(old, row[at] or ""))
    changed = re.sub(old, new, rows[place][at] or "", count=1)
    rows[place] = (*rows[place][:at], changed, *rows[place][at + 1 :])
    return Built({**built.rows, source: rows}, built.latents, built.documents)


_CAUSE = r"caused by .*?\.|came down to .*?\.|Diagnosis: .*?\.|reason: .*?\.|was .*?\."
CHANGED = [
    ("conversations", "text", r"\d+ percent", "most"),
    ("mail", "body", r"\d+ \w+ 20\d\d", "1 April 2001"),
    ("issues", "description", r"everity (is|as|: )?", "everything "),
    ("repositories", "code", r"def \w+", "def renamed"),
    ("tickets", "resolution", _CAUSE, "."),
    ("overflow", "body", r"[A-Z]{3}-\d{4}", "XXX-0000"),
    ("posts", "body", r"\d+ \w+ 20\d\d", "1 April 2001"),
    ("policies", "text", r"12 days", "13 days"),
]
ALSO_CHANGED = [
    ("conversations", "text", r"\d+ \w+ 20\d\d", "1 April 2001"),
    ("mail", "subject", r"\(.*\)", "(Nothing)"),
    ("issues", "description", r"`", ""),
    ("tickets", "closed_date", r"20\d\d", "2099"),
]


@pytest.mark.slow
@pytest.mark.parametrize("changes", [CHANGED, ALSO_CHANGED])
def test_the_verifier_misses_no_changed_text(changes: list[tuple[str, str, str, str]]) -> None:
    world = small()
    for change in changes:
        world = tampered(world, *change)
    found = "\n".join(verify(world))
    missed = [
        source for source, *_ in changes if not re.search(rf"^{source.rstrip('s')}", found, re.MULTILINE)
    ]
    assert missed == []


def test_a_fact_stated_twice_for_one_key_is_found() -> None:
    latents = list(small().latents)
    place = next(n for n, one in enumerate(latents) if one.ref.startswith("mail/"))
    latents.append(replace(latents[place], facts={**latents[place].facts, "thread": "THR-999999"}))
    assert any("about the same" in one for one in verify(Built(small().rows, latents, small().documents)))
