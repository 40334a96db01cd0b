"""Engines: where programs run.

The runner gives each episode to the engine of its settings, else runs it in a thread of this process:

    with processes(4) as engine:
        evaluate(program, tasks, EvalSettings(env=env, lm=lm, workers=16, engine=engine), log=log)

An engine brings the worker (program, environment, scorers) to another process, runs episodes there, and
sends the requests to models back here, because counting, budget and replies are in one place.
`worksmith.evals.running.engines` has one for processes and one for a Ray cluster.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from worksmith.evals.lm.metering import Meter
    from worksmith.evals.records.record import EpisodeRecord, WorkUnit
    from worksmith.evals.running.episode_worker import EpisodeWorker
    from worksmith.evals.tasks.task import Task


class EpisodeEngine(AbstractContextManager[Any], Protocol):
    """Runs episodes in other processes, which last as long as its block.

    Called from many threads, one for each episode in flight.
    """

    def wait_ready(self) -> None:
        """Wait until episodes can be run, which takes no time of theirs."""
        ...

    def run(self, work: EpisodeWorker, unit: WorkUnit, task: Task, used: Meter) -> EpisodeRecord:
        """The record of one episode, as `EpisodeWorker.run` gives it; errors as well.

        Args:
            used: the meter of the block; requests of the program are counted in it.
        """
        ...
