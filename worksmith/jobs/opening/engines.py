"""The engine of a job: where its episodes run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from worksmith.tools.errors import InputError, names_instead

if TYPE_CHECKING:
    from worksmith.evals.running.episode_engine import EpisodeEngine
    from worksmith.jobs.settings.groups.episodes import EngineSettings

THREADS, PROCESSES, RAY = "threads", "processes", "ray"

_ADDRESS = "ray://"


def open_engine(settings: EngineSettings) -> EpisodeEngine | None:
    """The engine that settings name, which starts with its block; None for threads of this process.

    Raises:
        InputError: there is none of this name, or it is not installed.
    """
    name = settings.engine or (PROCESSES if settings.processes else THREADS)
    if settings.suite_store and name in (THREADS, PROCESSES):
        raise InputError(
            "only workers of other machines get their suite from a store",
            where="--suite-store",
            hint="leave it out, or give --engine ray",
        )
    if name == THREADS:
        if settings.processes:
            raise InputError("threads need no processes", where="--processes", hint="leave it out")
        return None
    if name == PROCESSES:
        from worksmith.evals.running.engines.processes import processes

        return processes(settings.processes or min(settings.workers, os.cpu_count() or 1))
    if name == RAY or name.startswith(_ADDRESS):
        from worksmith.evals.running.engines.ray_cluster import RayCluster
        from worksmith.evals.running.engines.store import SuiteStore

        return RayCluster(
            settings.processes,
            most=settings.workers,
            address=None if name == RAY else name,
            store=SuiteStore(settings.suite_store) if settings.suite_store else None,
        )
    known = (THREADS, PROCESSES, RAY)
    raise InputError(f"no engine {name!r}", where="--engine", hint=names_instead(name, known))
