"""Same seed, same org; sizes; truths beside the org."""

from __future__ import annotations

import pytest

from tests.tools.kinds.crm.generate.checks.verify import verify
from tests.tools.kinds.crm.generate.orgs import SMALL, full, small
from worksmith.tools.errors import InputError
from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.crm.generate import build

PUBLISHED = {
    "User": 100,
    "Account": 196,
    "Contact": 196,
    "ProductCategory": 12,
    "Product2": 500,
    "ProductCategoryProduct": 762,
    "Pricebook2": 44,
    "PricebookEntry": 22_000,
    "Order": 2_071,
    "OrderItem": 7_100,
    "Case": 977,
    "Issue__c": 10,
    "Knowledge__kav": 45,
    "EmailMessage": 3_234,
    "LiveChatTranscript": 387,
}


def test_the_same_seed_gives_the_same_org_and_another_seed_another() -> None:
    assert build(7, SMALL) == small()
    for name, rows in small(8).rows.items():
        assert rows != small().rows[name], name


@pytest.mark.parametrize("scale", [0, -1, 51, float("nan")])
def test_scales_out_of_range_are_refused(scale: float) -> None:
    with pytest.raises(InputError, match="scale"):
        build(7, scale)


def test_the_smallest_orgs_are_sound() -> None:
    assert verify(build(3, 0.001)) == []


def test_truths_survive_being_written() -> None:
    latents = [Latent.from_json(line) for line in small().latent_lines()]
    assert latents == small().latents
    assert {latent.kind for latent in latents} == {
        "agent", "customer", "product", "region", "issue", "case", "conversation", "rules", "advice",
    }  # fmt: skip


def test_truths_are_not_in_the_org() -> None:
    cells = {cell for rows in small().rows.values() for row in rows for cell in row}
    hidden = {"unlisted", "excess", "skipped_step", "late", "promise"}
    hidden |= {
        latent.facts["lacks"]
        for latent in small().latents_of("agent").values()
        if ";" in latent.facts["lacks"]
    }
    assert not cells & hidden


@pytest.mark.slow
def test_an_org_of_the_published_size_has_the_published_counts() -> None:
    sizes = {name: len(rows) for name, rows in full().rows.items()}
    history = sizes.pop("CaseHistory__c")
    assert sizes == PUBLISHED
    violations = [talk for talk in full().latents_of("conversation").values() if talk.facts["violation"]]
    assert len(violations) == 170
    closed = sum(record["Status"] == "Closed" for record in full().records("Case"))
    assert closed == 918
    assert history == 977 * 2 + closed + sum(case.transferred is not None for case in full().cases)


@pytest.mark.slow
def test_an_org_of_the_published_size_is_sound_and_within_bounds() -> None:
    assert verify(full()) == []
