"""The enterprise suite at full size, against what is asked of it.

Targets: the same seed gives the same bytes in another process and another seed others; world and tasks in
under 2 minutes and with the index in under 6, on two cores; the published counts, and no fault that
`verify` knows of; the quota table exact, with 3.0 tool calls a task (within 0.05); every gold plan comes out
over the built index; somebody else cannot reproduce 95 % of what is not public; trivial agents get 15 % at
most and an oracle all; without the policy a naive executor discloses what is forbidden, with it nothing;
under 2 % of the questions are nearly the same.

`BENCHMARK_SUITE` may name the directory of a built and indexed suite; then nothing is built.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from worksmith.evals.building import build_suite

NAME = "enterprise"
DESCRIPTION = "the enterprise suite: seconds to build, sameness, counts, quotas, gold plans, floors, denials"

SEED, OTHER_SEED = 7, 8
QUICK_SCALE = 0.05
SUITE_VARIABLE = "BENCHMARK_SUITE"

DRAWN = ("world.sqlite", "world.json", "latent.jsonl", "tasks.jsonl", "manifest.json")
"""Files that a seed decides on; access rules and policy documents are the same in every world."""

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


def run(quick: bool) -> dict[str, Any]:
    """Build, index and measure; a smaller world where it has to be quick."""
    given = os.environ.get(SUITE_VARIABLE)
    if given:
        return _measured(Path(given))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        figures = _built(place, QUICK_SCALE, "static") if quick else _built(place, 1.0, "minilm")
        return figures | _measured(place / "suite")


def _built(place: Path, scale: float, embedder: str) -> dict[str, Any]:
    """Seconds of every stage; the same seed again in a process with another order of hashes, and another."""
    times = [time.perf_counter()]
    build_suite(
        "enterprise",
        place / "suite",
        progress=lambda _: times.append(time.perf_counter()),
        seed=SEED,
        scale=scale,
    )
    times.append(time.perf_counter())
    once = contents(place / "suite")
    for name, seed, hashes in (("again", SEED, "1"), ("other", OTHER_SEED, "2")):
        command = ["suite", "build", "enterprise", "--out", str(place / name), "--index", "none"]
        _worksmith(*command, "--scale", str(scale), "--seed", str(seed), hashes=hashes)
    same, other = contents(place / "again"), contents(place / "other")
    index = json.loads(_worksmith("index", str(place / "suite"), "--embedder", embedder, "--json"))
    seconds = {"world_s": times[2] - times[1], "tasks_s": times[3] - times[2], "index_s": index["seconds"]}
    return {
        "scale": scale,
        "embedder": embedder,
        **{name: round(value, 1) for name, value in seconds.items()},
        "total_s": round(sum(seconds.values()), 1),
        "index": {name: index[name] for name in ("documents", "passages", "precision", "agreement")},
        "same_seed_same_bytes": same == once,
        "other_seed_other_bytes": all(other[name] != once[name] for name in DRAWN),
    }


def _measured(directory: Path) -> dict[str, Any]:
    """All that is asked of a suite that stands, indexed if it is."""
    from benchmarks import _acceptance
    from benchmarks._plans import open_plans
    from tests.tools.kinds.enterprise.generate.checks.verify import verify
    from worksmith.evals.kinds.enterprise.generate import Sizes
    from worksmith.tools.kinds.enterprise.generate.build import build_again

    plans = open_plans(directory)
    manifest = plans.suite.world.manifest
    scale = manifest.scale or 1.0
    test, every = plans.suite.select(split="test"), list(plans.suite.tasks)
    assert plans.env.library is not None
    return {
        "searches": plans.env.library.mode,
        "counts_off": counts_off(manifest.counts) if scale == 1.0 else None,
        "documents": len(list(directory.rglob("*.pdf"))),
        "problems": len(verify(build_again(manifest))),
        "splits": plans.suite.counts(),
        "quotas": _acceptance.quotas(test, Sizes.of_scale(scale).test),
        "gold_plans": _acceptance.gold(plans, every),
        "others": _acceptance.others(plans, test),
        "scores": _acceptance.floors(plans.suite),
        "unanswerable": _acceptance.unanswerable(plans, every),
        **_acceptance.near_duplicates(test),
    }


def counts_off(counts: dict[str, int]) -> dict[str, list[int]]:
    """The sources with other counts than the published system: theirs here, and there."""
    return {name: [counts.get(name, 0), n] for name, n in PUBLISHED.items() if counts.get(name) != n}


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder by its path in it."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def _worksmith(*arguments: str, hashes: str = "0") -> str:
    environment = {**os.environ, "PYTHONHASHSEED": hashes}
    command = [sys.executable, "-m", "worksmith.cli", *arguments]
    return subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
