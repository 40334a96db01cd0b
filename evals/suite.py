"""Suites: a directory that holds a world, its tasks and their manifest."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

from evals.records.record import PRIMARY
from evals.scoring.metric import Metric, episode_metric
from evals.task_kind import scorers_for, task_kind
from evals.tasks.task import Split, SplitScheme, Task
from evals.tasks.task_file import read_tasks, write_tasks
from evals.tasks.task_filter import Condition, those_where
from tools.environment import Environment
from tools.errors import InputError
from tools.files.atomic import write_atomically
from tools.files.directories import bring_back
from tools.files.json_files import read_model
from tools.seeding import digest
from tools.world import World
from tools.world_kind import world_kind

if TYPE_CHECKING:
    import dspy

MANIFEST_FILE = "manifest.json"

_AGAIN = "build or import the suite again"


class SuiteManifest(BaseModel):
    """The manifest of a suite.

    Attributes:
        digest: of world, tasks and `rules`; two suites with the same digest are the same suite.
        rules: digest of the access rules that the tasks were made under.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal["worksmith-suite/1"] = "worksmith-suite/1"
    kind: str
    origin: str
    tasks: int
    world_digest: str
    tasks_digest: str
    digest: str
    rules: str = ""


@dataclass(frozen=True)
class Suite:
    """An opened suite."""

    path: Path
    manifest: SuiteManifest
    world: World
    tasks: tuple[Task, ...]

    @classmethod
    def open(cls, directory: Path | str) -> Suite:
        """Read the suite in `directory`.

        Raises:
            InputError: the suite is missing or damaged, or its parts do not belong together.
        """
        directory = Path(directory)
        file = directory / MANIFEST_FILE
        if not os.path.lexists(file):
            bring_back(directory)
        if not os.path.lexists(file):
            raise InputError(
                "no suite here", where=str(directory), hint="make one with `worksmith suite build`"
            )
        manifest = read_model(file, SuiteManifest, "the manifest of a suite", hint=_AGAIN)
        world = World.open(directory)
        tasks = read_tasks(directory)
        suite = cls(directory, _manifest(world, tasks, manifest.rules), world, tasks)
        if suite.manifest != manifest:
            raise InputError("the suite differs from its manifest", where=str(file), hint=_AGAIN)
        return suite

    @property
    def digest(self) -> str:
        """Content address of world, tasks, and the access rules that they were made under."""
        return self.manifest.digest

    @cached_property
    def env(self) -> Environment:
        """Opens episodes over the suite's world."""
        return Environment(self.world)

    @property
    def rules_changed(self) -> bool:
        """Whether the access rules have changed since the tasks were made; expectations may then be wrong."""
        return self.manifest.rules != self.env.policy.digest

    def select(
        self,
        *,
        split: Split | Literal["all"],
        scheme: SplitScheme = "standard",
        limit: int | None = None,
        where: Sequence[Condition] = (),
    ) -> list[Task]:
        """The tasks of a split, in order; at most `limit`, spread evenly over all kinds of tasks.

        Args:
            split: without a default, which would mix up training and test tasks.
            where: conditions that all hold for each task.

        Raises:
            InputError: the limit is below 1, or no task of the split has a value that a condition allows.
        """
        chosen = [t for t in self.tasks if split == "all" or t.in_split(scheme) == split]
        chosen = those_where(chosen, where, task_kind(self.world.manifest.kind).task_facets)
        if limit is None or limit >= len(chosen):
            return chosen
        if limit < 1:
            raise InputError("the limit must be at least 1", where="--limit")
        return _spread(chosen, limit)

    def examples(
        self,
        split: Split | Literal["all"],
        *,
        scheme: SplitScheme = "standard",
        limit: int | None = None,
        where: Sequence[Condition] = (),
    ) -> list[dspy.Example]:
        """The tasks of `select` as examples for DSPy: each holds a `VisibleTask`, its only input.

        Optimizers print, quote and save examples. So gold plans and expectations are not in them; `metric`
        looks them up.
        """
        return as_examples(self.select(split=split, scheme=scheme, limit=limit, where=where))

    def metric(self, score: str = PRIMARY) -> Metric:
        """A metric for DSPy's optimizers and `dspy.Evaluate`: one score of an agent's episode.

        See `evals.scoring.metric.episode_metric`.
        """
        return episode_metric(scorers_for(self.env), self.tasks, score)

    def task(self, task_id: str) -> Task:
        """The task with the id `task_id`.

        Raises:
            InputError: there is none.
        """
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise InputError(
            f"no task {task_id!r}",
            where=str(self.path),
            hint=f"ids look like {self.tasks[0].id!r}" if self.tasks else "the suite has no tasks",
        )

    def counts(self) -> dict[str, int]:
        """Tasks by split of the standard scheme."""
        return dict(sorted(Counter(task.split for task in self.tasks).items()))


def as_examples(tasks: Iterable[Task]) -> list[dspy.Example]:
    """The visible parts of tasks, as examples with the one input `task`."""
    import dspy

    return [dspy.Example(task=task.visible()).with_inputs("task") for task in tasks]


def _spread(tasks: Sequence[Task], count: int) -> list[Task]:
    """`count` of the tasks, with the same share of each kind as among all.

    Tasks are sorted by kind, at random within each, and taken at equal distances. Their own order would be
    biased: generators lay out kinds of answers at regular distances.
    """
    by_kind = sorted(tasks, key=lambda task: (*_kind(task), digest(task.id)))
    chosen = {by_kind[place * len(tasks) // count].id for place in range(count)}
    return [task for task in tasks if task.id in chosen]


def _kind(task: Task) -> tuple[str, ...]:
    answer = task.answer.kind if task.answer else ""
    return (task.area, ",".join(task.domains), task.type or "", task.intent or "", answer)


def write_suite(world: World, tasks: Sequence[Task]) -> Suite:
    """Write tasks and manifest beside `world`; the manifest last, so that a partial suite never opens."""
    directory = world.path
    write_tasks(directory, tasks)
    rules = world_kind(world.manifest.kind).open_policy(world).digest
    suite = Suite(directory, _manifest(world, tasks, rules), world, tuple(tasks))
    write_atomically(directory / MANIFEST_FILE, suite.manifest.model_dump_json(indent=2).encode() + b"\n")
    return suite


def _manifest(world: World, tasks: Sequence[Task], rules: str) -> SuiteManifest:
    tasks_digest = digest([task.digest for task in tasks])
    return SuiteManifest(
        kind=world.manifest.kind,
        origin=world.manifest.origin,
        tasks=len(tasks),
        world_digest=world.manifest.digest,
        tasks_digest=tasks_digest,
        digest=digest([world.manifest.digest, tasks_digest, rules]),
        rules=rules,
    )
