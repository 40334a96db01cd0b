"""Suites: an environment and its tasks, often in a directory with their manifest."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, overload

from pydantic import BaseModel, ConfigDict

from worksmith.evals.records.record import PRIMARY
from worksmith.evals.scoring.metric import Metric, episode_metric
from worksmith.evals.task_kind import TASK_KINDS, scorers_for, task_kind
from worksmith.evals.tasks.task import Split, SplitScheme, Task
from worksmith.evals.tasks.task_file import read_tasks, write_tasks
from worksmith.evals.tasks.task_filter import Condition, those_where
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError, did_you_mean, unknown
from worksmith.tools.files import PROJECT_FILE
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.directories import bring_back
from worksmith.tools.files.json_files import read_model, read_models
from worksmith.tools.files.unicode import writable
from worksmith.tools.seeding import digest
from worksmith.tools.view import Tabular, View
from worksmith.tools.world import World, WorldManifest

if TYPE_CHECKING:
    import dspy

MANIFEST_FILE = "manifest.json"

_COLUMNS = tuple(
    (name, lambda task, name=name: task.row()[name])
    for name in ("task", "split", "intent", "persona", "query")
)
"""What a short table shows of each task."""

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


class Suite(Tabular):
    """An environment and tasks over its world. Immutable, shared by reference.

    Args:
        env: opens episodes.
        tasks: tasks, or a file, or the lines of one as dicts, that the environment's kind reads (see
            `TaskKind.read_tasks`).
        path: the folder; default is that of the file, or of the environment.
        rules: digest of the access rules that the tasks were made under; default is those of `env`.

    Raises:
        InputError: the file is missing or damaged, or two tasks have the same id.

    Example:
        >>> suite.counts()
        {'dev': 8, 'test': 16, 'train': 16}
        >>> suite.test[0].task.query
        "Close ticket T-115 with the resolution 'fuse changed'."
    """

    def __init__(
        self,
        env: Environment,
        tasks: Sequence[Task] | Sequence[Mapping[str, Any]] | Path | str,
        *,
        path: Path | None = None,
        rules: str | None = None,
    ) -> None:
        if not isinstance(env, Environment):
            hint = 'write Suite(environment, "tasks.jsonl"), or Suite.open(folder)'
            raise InputError(f"no environment but {type(env).__name__}", where="env", hint=hint)
        self.env = env
        read = task_kind(env.kind.name).read_tasks
        if isinstance(tasks, (Path, str)):
            file = Path(tasks)
            self.path = path or file.absolute().parent
            self.tasks = tuple(read(env, file) if read else read_models(file, Task, "a task"))
        else:
            self.path = path or env.folder
            whole = [task for task in tasks if isinstance(task, Task)]
            lines = [task for task in tasks if not isinstance(task, Task)]
            if lines and (whole or read is None):
                raise InputError("tasks are all of one form: tasks, or dicts as the lines of a task file")
            self.tasks = tuple(read(env, lines) if read and lines else whole)
        self._rules = rules
        self._manifest: SuiteManifest | None = None
        self._by_id = {task.id: task for task in self.tasks}
        if len(self._by_id) < len(self.tasks):
            twice = Counter(task.id for task in self.tasks).most_common(1)[0][0]
            raise InputError(
                f"two tasks have the id {twice!r}", where=str(self.path), hint="give each its own"
            )

    @classmethod
    def open(cls, directory: Path | str, *, named_by: str = "") -> Suite:
        """Read the suite in `directory`, or that of the project there.

        Args:
            named_by: the file that names the directory, if the user does not. A project is code, and a file
                chooses none: only the project of the working directory is then opened.

        Raises:
            InputError: the suite is missing or damaged, or its parts do not belong together.
        """
        directory = Path(directory)
        if writable(str(directory.absolute())) != str(directory.absolute()):
            raise InputError(
                "the name of the folder is not UTF-8, so that no record can hold it",
                where=writable(str(directory)),
                hint="rename it",
            )
        file = directory / MANIFEST_FILE
        if not os.path.lexists(file):
            bring_back(directory)
        if not os.path.lexists(file):
            return _open_project(directory, named_by)
        manifest = read_model(file, SuiteManifest, "the manifest of a suite", hint=_AGAIN)
        world = World.open(directory)
        suite = cls(Environment(world), read_tasks(directory), path=directory, rules=manifest.rules)
        if suite.manifest != manifest:
            raise InputError("the suite differs from its manifest", where=str(file), hint=_AGAIN)
        return suite

    @property
    def reopens(self) -> bool:
        """Whether `open` makes it again from its folder."""
        return (self.path / MANIFEST_FILE).is_file() or (self.path / PROJECT_FILE).is_file()

    @property
    def world(self) -> World:
        """The world of the environment."""
        return self.env.world

    @property
    def manifest(self) -> SuiteManifest:
        """The facts about the suite without its tasks."""
        world = self.world.manifest
        if self._manifest is None or self._manifest.world_digest != world.digest:
            self._manifest = self._described(world)
        return self._manifest

    def _described(self, world: WorldManifest) -> SuiteManifest:
        rules = self.env.policy.digest if self._rules is None else self._rules
        tasks = digest([task.digest for task in self.tasks])
        return SuiteManifest(
            kind=world.kind,
            origin=world.origin,
            tasks=len(self.tasks),
            world_digest=world.digest,
            tasks_digest=tasks,
            digest=digest([world.digest, tasks, rules]),
            rules=rules,
        )

    @property
    def digest(self) -> str:
        """Content address of world, tasks, and the access rules that they were made under."""
        return self.manifest.digest

    @cached_property
    def train(self) -> Examples:
        """The tasks to learn from, as examples for DSPy."""
        return self.examples("train")

    @cached_property
    def dev(self) -> Examples:
        """The tasks to choose between programs by, as examples for DSPy."""
        return self.examples("dev")

    @cached_property
    def test(self) -> Examples:
        """The tasks to measure on, as examples for DSPy."""
        return self.examples("test")

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
        only: Collection[str] | None = None,
    ) -> list[Task]:
        """The tasks of a split, in order; at most `limit`, spread evenly over all kinds of tasks.

        Args:
            split: without a default, which would mix up training and test tasks.
            where: conditions that all hold for each task.
            only: ids to choose from; None for all.

        Raises:
            InputError: the limit is below 1, or no task of the split has a value that a condition allows.
        """
        chosen = [t for t in self.tasks if split == "all" or t.in_split(scheme) == split]
        if only is not None:
            chosen = [task for task in chosen if task.id in only]
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
    ) -> Examples:
        """The tasks of `select` as examples for DSPy: each holds a `VisibleTask`, its only input.

        Optimizers print, quote and save examples. So gold plans and expectations are not in them; `metric`
        looks them up.
        """
        chosen = self.select(split=split, scheme=scheme, limit=limit, where=where)
        return Examples(as_examples(chosen), self, split)

    def metric(self, score: str = PRIMARY) -> Metric:
        """A metric for DSPy's optimizers and `dspy.Evaluate`: one score of an agent's episode.

        An episode that the model or the harness failed at raises, because 0 would pass for a wrong answer.
        """
        return episode_metric(scorers_for(self.env), self.tasks, score)

    def task(self, task_id: str) -> Task:
        """The task with the id `task_id`.

        Raises:
            InputError: the suite has no such task.
        """
        if (found := self._by_id.get(task_id)) is not None:
            return found
        raise unknown("no task", task_id, self._by_id, str(self.path))

    def counts(self) -> dict[str, int]:
        """Tasks by split of the standard scheme."""
        return dict(sorted(Counter(task.split for task in self.tasks).items()))

    def _view(self) -> View:
        facts = {"tasks": self.counts(), "environment": repr(self.env)}
        return View(
            f"Suite({str(self.path)!r}: {len(self.tasks)} tasks)", facts, self.tasks, _COLUMNS, Task.row
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Suite:
        return self


class Examples(Tabular, list["dspy.Example"]):
    """Tasks of a suite as examples for DSPy, with what evaluates them: a part of it knows as much.

    Attributes:
        suite: holds the tasks, the scorers and the environment.
        split: the split that they were taken from.
    """

    def __init__(self, examples: Iterable[dspy.Example], suite: Suite, split: Split | Literal["all"]) -> None:
        super().__init__(examples)
        self.suite = suite
        self.split: Split | Literal["all"] = split

    @property
    def tasks(self) -> list[Task]:
        """The whole tasks, expectations included, in the order of the examples."""
        return [self.suite.task(example.task.id) for example in self]

    @overload
    def __getitem__(self, place: SupportsIndex) -> dspy.Example: ...
    @overload
    def __getitem__(self, place: slice) -> Examples: ...
    def __getitem__(self, place: SupportsIndex | slice) -> dspy.Example | Examples:
        found = super().__getitem__(place)
        return Examples(found, self.suite, self.split) if isinstance(place, slice) else found

    def copy(self) -> Examples:
        return self[:]

    def _view(self) -> View:
        return View(
            f"Examples({self.split}: {len(self)} tasks of {self.suite!r})", {}, self.tasks, _COLUMNS, Task.row
        )


def suite_of_examples(
    train: Sequence[Any], dev: Sequence[Any] = (), test: Sequence[Any] = (), *, intent: str | None = None
) -> Suite:
    """The suite of a plain DSPy program's examples: each is a task, without tools.

    Args:
        intent: the field of an example that names its kind; None for the input `intent`, if there is one.

    Raises:
        InputError: an example has no inputs, no example has the field, or a value has no lasting content.
    """
    suite: Suite = TASK_KINDS.first(lambda kind: kind.from_examples, "takes plain examples")(
        (train, dev, test), intent
    )
    return suite


def as_examples(tasks: Iterable[Task]) -> list[dspy.Example]:
    """The visible parts of tasks, as examples with the one input `task`; of an example's task the example."""
    import dspy

    return [
        getattr(task, "example", None) or dspy.Example(task=task.visible()).with_inputs("task")
        for task in tasks
    ]


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
    write_tasks(world.path, tasks)
    suite = Suite(Environment(world), tasks)
    manifest = suite.manifest.model_dump_json(indent=2).encode() + b"\n"
    write_atomically(world.path / MANIFEST_FILE, manifest)
    return suite


def _open_project(directory: Path, named_by: str) -> Suite:
    if (directory / PROJECT_FILE).is_file():
        if named_by and directory.resolve() != Path.cwd():
            raise InputError(
                f"{directory} is a project, whose code is not run because a file names it",
                where=named_by,
                hint=f"if you trust its code, name it yourself: --suite {directory}",
            )
        suite: Suite = TASK_KINDS.first(lambda kind: kind.open_project, "opens projects")(directory)
        return suite
    files = (MANIFEST_FILE, PROJECT_FILE)
    beside = [str(found.parent) for file in files for found in directory.parent.glob(f"*/{file}")]
    hint = f"{did_you_mean(str(directory), beside)}make one with: worksmith new {directory}"
    raise InputError("no suite here", where=str(directory), hint=hint)
