"""Generated orgs have no problems, and a spoiled one does."""

from __future__ import annotations

import pytest

from tests.tools.kinds.crm.generate.checks.verify import verify
from tests.tools.kinds.crm.generate.orgs import SMALL, place_of, small, spoiled
from worksmith.tools.kinds.crm.generate import build


@pytest.mark.parametrize("seed", [7, 8])
def test_generated_orgs_have_no_problems(seed: int) -> None:
    assert verify(small(seed)) == []


def test_another_limit_in_an_article_changes_verdicts() -> None:
    built = small()
    policy = next(policy for policy in built.policies if policy.key == "billing")
    place = place_of(built, "Knowledge__kav", Id=policy.article)
    text = str(built.records("Knowledge__kav")[place]["FAQ_Answer__c"])
    found = verify(
        spoiled(built, "Knowledge__kav", place, FAQ_Answer__c=text.replace("10 percent", "1 percent"))
    )
    assert any(problem.startswith("Knowledge__kav/") for problem in found)
    assert any("breaks" in problem for problem in found)


@pytest.mark.slow
def test_many_seeds_and_sizes_are_sound() -> None:
    for seed in range(3, 9):
        scale = (0.01, SMALL, 0.13)[seed % 3]
        assert verify(build(seed, scale)) == [], (seed, scale)
