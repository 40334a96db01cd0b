"""Large worlds: seconds, memory and exponents of growth, and search among many passages.

Goals: search p95 under 50 ms at 500,000 passages, with recall of at least 0.99 among what the filter allows;
32 open episodes at scale 10 under 3 GB. Each stage is a process of its own, so that its peak of memory is its
own, and is kept in the folder of `--work`: `--only world/10x` does that stage and what it needs.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.speed.scale.passages import chroma, passages, search
from benchmarks.speed.scale.peak import mib, peak
from benchmarks.support.stages import At, Stage, Work
from worksmith.tools.world import WORLD_FILE, World

DESCRIPTION = "large worlds: world, tasks, index, search, memory at several scales, with exponents of growth"

_SEED = 7
_OPEN = 32
"""Episodes that are open at once."""


@dataclass(frozen=True)
class Form:
    """What is measured.

    Attributes:
        scales: of worlds with tasks, an index and open episodes.
        bare: of worlds alone.
        passages: numbers of passages to search, ascending.
        stored: so many of them go into Chroma, whose search is measured beside.
        queries: searches of each filter.
    """

    scales: tuple[float, ...]
    bare: tuple[float, ...]
    passages: tuple[int, ...]
    stored: int
    queries: int


WHOLE = Form((1, 2, 10), (100,), (50_000, 500_000), 100_000, 60)
QUICK = Form((0.02,), (0.006,), (20_000,), 200, 4)


def run(
    quick: bool, *, work: Path | None = None, plan: bool = False, only: str | None = None
) -> dict[str, Any]:
    """Do the stages that are left, and give all figures that there are.

    Args:
        work: the folder of the stages; a temporary one by default.
        plan: give the stages with the minutes that are expected, and do none.
        only: do only stages whose names have this text, and those that they need.
    """
    form = QUICK if quick else WHOLE
    with Work.within(work, _stages(form)) as stages:
        if plan:
            return {"stages": stages.plan(only)}
        for name in stages.left(only):
            _do(stages, name, apart=not quick)
        results = stages.results()
    hidden = ("inputs", "digest", "each")
    figures = {name: {k: v for k, v in found.items() if k not in hidden} for name, found in results.items()}
    return {**figures, "exponents": _exponents(form, figures), "goals": _goals(form, figures)}


def _do(stages: Work, name: str, *, apart: bool) -> None:
    if not apart:
        stages.do(name)
        return
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        pool.submit(stages.do, name).result()


def _stages(form: Form) -> Iterator[Stage]:
    for scale in form.scales:
        yield Stage(f"world/{scale:g}x", _world, {"scale": scale}, amount=scale, pace="world", each=100)
        world = [f"world/{scale:g}x"]
        yield Stage(f"index/{scale:g}x", _index, needs=world, amount=scale, pace="index", each=60)
        index = [*world, f"index/{scale:g}x"]
        yield Stage(f"episodes/{scale:g}x", _episodes, needs=index, amount=scale, pace="open", each=20)
    for scale in form.bare:
        yield Stage(
            f"bare world/{scale:g}x", _bare_world, {"scale": scale}, amount=scale, pace="bare", each=10
        )
    for count in form.passages:
        made = f"passages/{count:,}"
        yield Stage(made, passages, {"count": count}, amount=count, pace="passages", each=3e-4)
        settings = {"count": count, "queries": form.queries}
        yield Stage(f"search/{count:,}", search, settings, [made], amount=count, pace="search", each=2e-4)
    most = f"passages/{form.passages[-1]:,}"
    settings = {"count": form.stored, "queries": form.queries}
    yield Stage("chroma", chroma, settings, [most], amount=form.stored, pace="chroma", each=2e-3)


def _world(at: At) -> dict[str, Any]:
    """A world and its tasks, whose gold plans are executed while they are drawn."""
    from worksmith.evals.authoring.suite_building import build_suite

    times: list[float] = []
    suite = build_suite(
        "enterprise",
        at.folder / "suite",
        progress=lambda _: times.append(time.perf_counter()),
        seed=_SEED,
        scale=at.settings["scale"],
    )
    times.append(time.perf_counter())
    tasks_s = round(times[-1] - times[1], 2)
    return {**_sizes(suite.world, times[1] - times[0]), "tasks": len(suite.tasks), "tasks_s": tasks_s}


def _bare_world(at: At) -> dict[str, Any]:
    from worksmith.evals.kinds.enterprise.suites import build_world

    started = time.perf_counter()
    world, _ = build_world(at.folder / "world", _SEED, at.settings["scale"])
    return _sizes(world, time.perf_counter() - started)


def _sizes(world: World, seconds: float) -> dict[str, Any]:
    counts = world.manifest.counts
    return {
        "digest": world.manifest.digest,
        "people": counts["employees"],
        "records": sum(counts.values()),
        "world_mib": mib((world.path / WORLD_FILE).stat().st_size),
        "world_s": round(seconds, 2),
        "peak_mib": peak(),
    }


def _index(at: At) -> dict[str, Any]:
    """Making the search index."""
    from worksmith.retrievers.index.building import build_index
    from worksmith.tools.kinds.enterprise.documents import open_library

    (folder,) = at.folders.values()
    world = World.open(folder / "suite")
    library = open_library(world)
    assert library.directory is not None
    version, started = world.manifest.digest, time.perf_counter()
    made = build_index(library.directory, library.documents, embedder="static", version=version)
    seconds = round(time.perf_counter() - started, 1)
    return {"digest": version, "seconds": seconds, "indexed": made.documents, "index_peak_mib": peak()}


def _episodes(at: At) -> dict[str, Any]:
    """32 episodes of different people on as many threads, each with a write and searches of every source."""
    from worksmith.evals.suite import Suite

    suite = Suite.open(next(iter(at.folders.values())) / "suite")
    asking = (task.persona for task in suite.tasks if task.persona and task.persona.active)
    people = list({persona.id: persona for persona in asking}.values())
    together = threading.Barrier(_OPEN)

    def work(number: int) -> Any:
        episode = suite.env.episode(persona=people[number % len(people)])
        together.wait()
        episode.call("social_platform.create", {"title": f"Note {number}", "body": "Written in an episode."})
        for name, tool in episode.toolset.items():
            if not tool.writes and "query" in tool.arguments:
                episode.call(name, {"query": f"note {number} on leave"})
        return episode

    before = peak()
    with ThreadPoolExecutor(_OPEN) as pool:
        episodes = list(pool.map(work, range(_OPEN)))
    assert all(episode.changeset for episode in episodes)
    statuses = [call.observation.status for episode in episodes for call in episode.calls]
    return {
        "digest": "",
        "open_searches": statuses.count("ok") - _OPEN,
        "open_searches_denied": statuses.count("denied"),
        "open_start_mib": before,
        "open_peak_mib": peak(),
        "open_changeset_bytes": max(len(episode.changeset) for episode in episodes),
    }


def _exponents(form: Form, figures: dict[str, Any]) -> dict[str, float]:
    """The exponent of each cost between the smallest and the largest size that were measured."""
    found: dict[str, float] = {}
    for stage, costs in (("world", ("world_s", "tasks_s", "world_mib", "peak_mib")), ("index", ("seconds",))):
        sizes = [scale for scale in form.scales if f"{stage}/{scale:g}x" in figures]
        for cost in costs if len(sizes) > 1 else ():
            first, last = (figures[f"{stage}/{size:g}x"][cost] for size in (sizes[0], sizes[-1]))
            if min(first, last) > 0:
                found[f"{stage}.{cost}"] = round(math.log(last / first) / math.log(sizes[-1] / sizes[0]), 2)
    return found


def _goals(form: Form, figures: dict[str, Any]) -> dict[str, bool | None]:
    found = figures.get(f"search/{form.passages[-1]:,}")
    filters = [found[name] for name in ("participant", "team", "broad", "all")] if found else []
    episodes = figures.get(f"episodes/{form.scales[-1]:g}x")
    return {
        "search_p95_under_50_ms": all(each["hybrid"]["p95_ms"] < 50 for each in filters) if filters else None,
        "recall_at_least_0.99": all(each["recall"] >= 0.99 for each in filters) if filters else None,
        "32_episodes_under_3_gb": episodes["open_peak_mib"] * 2**20 < 3e9 if episodes else None,
    }
