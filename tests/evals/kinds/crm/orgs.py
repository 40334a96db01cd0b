"""Small generated CRM suites for the tests."""

from __future__ import annotations

from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from unittest.mock import patch

from tests.made_once import made_once, shared
from worksmith.evals.authoring.suite_building import build_suite
from worksmith.evals.kinds.crm.generate import Sizes, _Writer, generate
from worksmith.evals.kinds.crm.questions.family import Question
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.kinds.crm.suites import build_world
from worksmith.evals.suite import Suite, write_suite
from worksmith.evals.tasks.task import Step
from worksmith.tools.kinds.crm.generate import Built
from worksmith.tools.kinds.crm.settings import Mode
from worksmith.tools.world import World

SCALE = 0.1
FULL_SEED = 3
FULL = Sizes(test=130, train=6, dev=3)
"""All test tasks of the published size; of the others a tenth."""
_FOLDER = TemporaryDirectory()


@cache
def org(mode: Mode = "clean", scale: float = SCALE, seed: int = 7) -> tuple[World, Built]:
    """An org on disk; shared, so it is not to be changed."""
    return build_world(Path(mkdtemp(dir=_FOLDER.name)), seed, scale, mode)


@cache
def org_records(scale: float = SCALE) -> OrgRecords:
    """Its records."""
    return OrgRecords(org(scale=scale)[1])


@cache
def small_suite(mode: Mode) -> Suite:
    """A small suite; shared, so it is not to be changed."""
    folder = shared(f"crm-{mode}")

    def make() -> None:
        build_suite("crm", folder, scale=SCALE, mode=mode)

    made_once(folder.name, make)
    return Suite.open(folder)


@cache
def full_suite() -> tuple[Suite, dict[str, int]]:
    """A suite over an org of the published size, and the places that stayed empty. Takes seconds.

    One of four questions is solved by tools, those of small suites all.
    """
    folder = shared("full-crm")
    solve, numbers = _Writer._solve, count()

    def seldom(writer: _Writer, question: Question, *, by_queries: bool) -> tuple[Step, ...]:
        # Each question comes twice, for functions and for queries.
        return () if next(numbers) % 8 > 1 else solve(writer, question, by_queries=by_queries)

    def make() -> dict[str, int]:
        with patch.object(_Writer, "_solve", seldom):
            generated = generate(*build_world(folder, FULL_SEED, 1.0), "clean", FULL_SEED, sizes=FULL)
        write_suite(World.open(folder), generated.tasks)
        return generated.unfilled

    unfilled = made_once(folder.name, make)
    return Suite.open(folder), unfilled
