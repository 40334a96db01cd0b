"""What is asked of a generated suite as a whole, over a small one that is indexed.

The rest of the seven acceptance tests stands elsewhere: sameness (1) in `test_suites`, `test_generating` and
`tests/tools/kinds/enterprise/generate/test_build.py`, soundness (2) in `test_verify.py` there, the quotas (4)
in `test_task_mix`, and questions that are nearly the same (7) in `test_generating`. At full size all are
`python -m benchmarks enterprise`.
"""

from __future__ import annotations

import shutil

import pytest

from benchmarks.soundness.enterprise import acceptance
from benchmarks.soundness.enterprise.plans import Plans
from tests.evals.kinds.enterprise.small_suite import small_suite
from worksmith.evals.suite import Suite
from worksmith.retrievers.index.building import build_index
from worksmith.tools.kinds.enterprise.documents import open_library

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Plans:
    folder = tmp_path_factory.mktemp("acceptance") / "indexed"
    suite = Suite.open(shutil.copytree(small_suite().path, folder))
    library = open_library(suite.world)
    assert library.directory is not None
    build_index(library.directory, library.documents, embedder="static", version=suite.world.manifest.digest)
    return Plans(suite)


def test_every_gold_plan_comes_out_over_an_index(plans: Plans) -> None:
    """Acceptance 3: suites are generated before they are indexed, and searched by words only until then."""
    assert plans.env.library is not None
    assert plans.env.library.mode == "hybrid"
    found = acceptance.gold(plans, list(plans.suite.tasks))
    assert found["wrong"] == []
    assert found["reproduced"] == len(plans.suite.tasks)


def test_somebody_else_seldom_gets_the_same_answer_and_state(plans: Plans) -> None:
    """Acceptance 3: with whole teams of two or three, colleagues are more of a company than at full size."""
    found = acceptance.others(plans, plans.suite.select(split="test"))
    assert found["tasks"] > 30
    assert found["anybody_cannot"] >= 0.85
    assert found["other_department_cannot"] >= 0.9


def test_what_does_not_think_scores_little_and_who_knows_scores_all(plans: Plans) -> None:
    """Acceptance 5."""
    scores = acceptance.floors(plans.suite)
    assert scores.pop("oracle") == 1
    assert set(scores) == {"always_refuse", "keyword_only"}
    assert max(scores.values()) <= 0.15


def test_without_the_policy_what_is_forbidden_is_told_and_with_it_is_not(plans: Plans) -> None:
    """Acceptance 6, for the naive executor that carries out the plan of who may."""
    found = acceptance.unanswerable(plans, list(plans.suite.tasks))
    assert found["tasks"] == sum(task.type == "unanswerable" for task in plans.suite.select(split="test"))
    assert found["disclosed_without_policy"] == found["forbidding"] > 0
    assert found["changed_without_policy"] == found["asking_for_changes"] > 0
    assert found["disclosed_with_policy"] == found["changed_with_policy"] == found["done_with_policy"] == 0
