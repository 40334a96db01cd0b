"""The enterprise suite at full size, against what is asked of it.

Targets: the published counts, and no fault that `verify` knows of; the quota table exact, with 3.0 tool calls
a task (within 0.05); every gold plan comes out over the built index; somebody else cannot reproduce 95 % of
what is not public; trivial agents get 15 % at most and an oracle all; without the policy a naive executor
discloses what is forbidden, with it nothing; under 2 % of the questions are nearly the same.

`--work DIR` builds the suite there, or takes the one that is there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.soundness.enterprise import acceptance

DESCRIPTION = "the enterprise suite: counts, quotas, gold plans, floors, denials"

_SEED, _QUICK_SCALE = 7, 0.05

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
    "overflow": 5000,
    "posts": 1000,
    "clients": 400,
    "vendors": 400,
    "resumes": 1013,
}
"""Records by source, as the published system counts them."""


def run(quick: bool, *, work: Path | None = None) -> dict[str, Any]:
    """Build, index and measure; a smaller world where it has to be quick."""
    with ExitStack() as stack:
        suite = (work or Path(stack.enter_context(tempfile.TemporaryDirectory()))) / "suite"
        if not suite.exists():
            from worksmith.jobs.building import build
            from worksmith.jobs.settings.suites import BuildSettings

            scale, index = (_QUICK_SCALE, "static") if quick else (1.0, "minilm")
            build(BuildSettings(kind="enterprise", out=suite, seed=_SEED, scale=scale, index=index))
        return _measured(suite)


def _measured(directory: Path) -> dict[str, Any]:
    from benchmarks.soundness.enterprise.plans import Plans
    from tests.tools.kinds.enterprise.generate.checks.verify import verify
    from worksmith.evals.kinds.enterprise.generate import Sizes
    from worksmith.evals.suite import Suite
    from worksmith.tools.kinds.enterprise.generate.build import build_again

    suite = Suite.open(directory)
    plans, manifest = Plans(suite), suite.world.manifest
    test, every = suite.select(split="test"), list(suite.tasks)
    assert suite.env.library is not None
    return {
        "searches": suite.env.library.mode,
        "counts_off": _off(manifest.counts) if manifest.scale == 1.0 else None,
        "problems": len(verify(build_again(manifest))),
        "splits": suite.counts(),
        "quotas": acceptance.quotas(test, Sizes.of_scale(manifest.scale or 1.0).test),
        "gold_plans": acceptance.gold(plans, every),
        "others": acceptance.others(plans, test),
        "scores": acceptance.floors(suite),
        "unanswerable": acceptance.unanswerable(plans, every),
        **acceptance.near_duplicates(test),
    }


def _off(counts: Mapping[str, int]) -> dict[str, list[int]]:
    """The sources with other counts than the published system: theirs here, and there."""
    return {name: [counts.get(name, 0), n] for name, n in PUBLISHED.items() if counts.get(name) != n}
