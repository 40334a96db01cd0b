"""Same seed, same world; sizes; independence of sources."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.tools.kinds.enterprise.generate.worlds import SMALL, full, small
from worksmith.tools.errors import InputError
from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate import Built, build
from worksmith.tools.kinds.enterprise.generate.business.customers import add_customers
from worksmith.tools.kinds.enterprise.generate.business.products import add_products
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.industry import packaged
from worksmith.tools.kinds.enterprise.generate.people.employees import add_employees
from worksmith.tools.seeding import digest, digest_bytes

PUBLISHED = {
    "employees": 1260,
    "conversations": 3000,
    "mail": 4500,
    "repositories": 1000,
    "issues": 1000,
    "tickets": 163,
    "products": 1352,
    "customers": 832,
    "sales": 13511,
    "sentiments": 13500,
    "support_chats": 1000,
    "orders": 3 * 832,
    "overflow": 5000,
    "posts": 1000,
    "clients": 400,
    "vendors": 400,
    "resumes": 1013,
}


def sizes(built: Built) -> dict[str, int]:
    return {source: len(rows) for source, rows in built.rows.items() if source != "policies"}


def test_the_same_seed_gives_the_same_world_and_another_seed_another() -> None:
    again, other = build(7, SMALL), small(seed=8)

    assert again == small()
    for source, rows in other.rows.items():
        assert source == "policies" or rows != small().rows[source], source


@pytest.mark.parametrize(
    ("industry", "content"), [("retail", "cf4b5dd92dcc3dba"), ("garden", "1568f67b6d1400cc")]
)
def test_the_worlds_of_a_seed_stay_as_they_are(industry: str, content: str) -> None:
    """Texts are drawn by code and tables: whoever changes one on purpose writes the new digest here."""
    built = build(7, 0.005, industry=packaged(industry))
    documents = {path: digest_bytes(data) for path, data in built.documents.items()}
    assert digest([built.rows, [*built.latent_lines()], documents]) == content


@pytest.mark.slow
def test_teams_that_have_said_everything_leave_the_rest_to_others() -> None:
    assert len(build(0, 0.15).rows["conversations"]) == 450


def test_sizes_in_between_are_rounded() -> None:
    draft = Draft(0, 0.3)

    assert (draft.counts.employees, draft.counts.sales, draft.counts.tickets) == (378, 4053, 49)


@pytest.mark.slow
def test_a_full_world_has_the_published_counts() -> None:
    assert sizes(full()) == PUBLISHED
    assert len(full().documents) == 24


@pytest.mark.parametrize("scale", [0.0, 0.004, 101.0])
def test_scales_out_of_range_are_refused(scale: float) -> None:
    with pytest.raises(InputError, match="scale"):
        build(7, scale)


def test_sources_draw_from_streams_of_their_own() -> None:
    def customers(*before: Callable[[Draft], None]) -> list[dict[str, str | None]]:
        draft = Draft(7, SMALL)
        for step in (add_employees, *before, add_customers):
            step(draft)
        return draft.records("customers")

    assert customers(add_products) == customers()


def test_truths_survive_their_file() -> None:
    lines = list(small().latent_lines())

    assert [Latent.from_json(line) for line in lines] == small().latents


def test_drafts_refuse_unknown_columns_and_taken_keys() -> None:
    draft = Draft(7, SMALL)
    draft.add("posts", post_id="POST-1")

    with pytest.raises(ValueError, match="no column"):
        draft.add("posts", post_id="POST-2", colour="red")
    with pytest.raises(ValueError, match="not taken"):
        draft.add("posts", post_id="POST-1")
    with pytest.raises(ValueError, match="needs a key"):
        draft.add("posts", title="Nothing")
