"""Building a trace bank from several sources: models that teach, and runs made elsewhere.

A run made elsewhere comes as a model that gives its replies again, so it passes through the program's own
signatures in a sandbox and is scored anew: a success that does not hold here becomes no demonstration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from worksmith.optimizers.demos.collection import collect
from worksmith.optimizers.demos.demonstration import Demonstration, Provenance
from worksmith.optimizers.demos.trace_bank import Gap, TraceBank

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.tasks.task import Task
    from worksmith.optimizers.demos.trace_bank import BankCard
    from worksmith.optimizers.rollouts import Rollouts

NOTHING_THERE = "no trajectory in the source"
"""The reason of a task that no source has a run of."""


@dataclass(frozen=True)
class TeacherRun:
    """One run of a source, or one model that is asked afresh.

    Attributes:
        source: as it was named.
        model: name of the model that made the trajectories.
        lm: gives the replies; None without an episode.
        run: of the source, see `Provenance`; with `source` it tells attempts apart.
        episodes: the source's names of its trajectories, by task id; None for a model, which can be asked
            about any task.
        failures: by task id, the reason against the source's own record as an example.
        lacking: part of the reason for a task without a trajectory; empty without one.
        asks: whether running it asks a model, which may cost money.
    """

    source: str
    model: str
    lm: dspy.LM | None
    run: str = ""
    episodes: Mapping[str, str] | None = None
    failures: Mapping[str, str] = field(default_factory=dict)
    lacking: str = ""
    asks: bool = False

    @property
    def label(self) -> str:
        return f"{self.source} ({self.run})" if self.run else self.source

    def covers(self, task: Task) -> bool:
        return self.lm is not None and (self.episodes is None or task.id in self.episodes)

    def provenance(self, task_id: str, world: str) -> Provenance:
        """The origin of its trajectory for a task, and the world that it was run in here."""
        episode = (self.episodes or {}).get(task_id, "")
        return Provenance(source=self.source, world=world, run=self.run, episode=episode)


def build_bank(
    program: dspy.Module,
    tasks: Sequence[Task],
    attempts: Sequence[TeacherRun],
    rollouts: Callable[[int, TeacherRun], Rollouts],
    card: BankCard | None = None,
) -> TraceBank:
    """Build a bank: one demonstration a task, of the first attempt that succeeds.

    Later attempts run the tasks that are still missing.

    Args:
        rollouts: runs programs with an attempt's model; given the attempt's number, so that each can have its
            own folder.

    Raises:
        InputError: the runner refuses.
    """
    found: dict[str, Demonstration] = {}
    tried: dict[str, dict[str, str]] = {task.id: {} for task in tasks}
    for number, attempt in enumerate(attempts):
        missing = [task for task in tasks if task.id not in found]
        for task in missing:
            if task.id in attempt.failures:
                tried[task.id][attempt.label] = attempt.failures[task.id]
        covered = [task for task in missing if attempt.covers(task)]
        if not covered:
            continue
        runs = rollouts(number, attempt)
        world = runs.env.world.manifest.digest
        bank = collect(program, covered, runs)
        for demonstration in bank.demonstrations:
            provenance = attempt.provenance(demonstration.task_id, world)
            found[demonstration.task_id] = demonstration.model_copy(
                update={"teacher": attempt.model, "provenance": provenance}
            )
        for gap in bank.gaps:
            if not attempt.lacking or attempt.lacking not in gap.reason:
                tried[gap.task_id][attempt.label] = gap.reason
    gaps = tuple(_gap(task, tried[task.id]) for task in tasks if task.id not in found)
    return TraceBank(tuple(found[task.id] for task in tasks if task.id in found), gaps, card)


def _gap(task: Task, tried: Mapping[str, str]) -> Gap:
    """A gap with the reason of the last source that had a run of the task."""
    reason = list(tried.values())[-1] if tried else NOTHING_THERE
    return Gap(
        task_id=task.id, reason=reason, intent=task.intent, tried=dict(tried) if len(tried) > 1 else {}
    )
