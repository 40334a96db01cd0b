"""Sources of training data: suites, trace banks and runs, with their tasks of the train split."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from worksmith.evals.records.record import LEAK, PRIMARY
from worksmith.evals.suite import MANIFEST_FILE, Suite
from worksmith.evals.tasks.task_filter import conditions
from worksmith.evals.tasks.transcript import GOLD, Transcript, TranscriptStep
from worksmith.jobs.opening.bank_sources import transcript_of
from worksmith.optimizers.demos.trace_bank import TraceBank
from worksmith.tools.errors import InputError
from worksmith.tools.files import PROJECT_FILE
from worksmith.tools.seeding import digest
from worksmith.tools.tool import FINISH

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.records.run_card import LoadedRun
    from worksmith.evals.tasks.task import Task
    from worksmith.jobs.settings.exports import TrainingDataSettings
    from worksmith.optimizers.demos.demonstration import Demonstration

Made = TypeVar("Made", "Demonstration", "EpisodeRecord")

SourceKind = Literal["suite", "bank", "run"]

_NAMED = 5
"""Tasks named in a refusal."""

LEAKED = "leak"
"""A trajectory's fault: it revealed something that its persona may not read."""

_SIDE_EFFECTS = "unwanted_side_effects"


@dataclass(frozen=True)
class Told:
    """A trajectory of a source, to be run again.

    Attributes:
        script: the calls; None for the task's gold plan.
        origin: its name in the source, such as the key of a record.
        succeeded: whether it is known to have done the task.
        ended: whether the agent ended it; otherwise its last reply is not known.
    """

    suite: Suite
    task: Task
    script: Transcript | None = None
    origin: str = ""
    succeeded: bool = True
    ended: bool = True

    @property
    def place(self) -> tuple[str, str]:
        """The digest of its suite, and the id of its task."""
        return self.suite.digest, self.task.id


@dataclass(frozen=True)
class Source:
    """A source as it was named.

    Attributes:
        digest: its content address.
        model: name of the model that made the trajectories.
    """

    name: str
    kind: SourceKind
    digest: str
    model: str
    told: Sequence[Told]


@dataclass
class Suites:
    """The suites that tasks come from, each once, with their tasks of the train split.

    Args:
        settings: name the scheme of splits and the conditions on tasks.
    """

    settings: TrainingDataSettings
    opened: list[Suite] = field(default_factory=list)
    _by_task: dict[tuple[str, str], tuple[Suite, Task]] = field(default_factory=dict)
    _chosen: dict[str, list[Task]] = field(default_factory=dict)

    def add(self, path: Path) -> Suite:
        """Open a suite."""
        suite = Suite.open(path)
        known = next((each for each in self.opened if each.digest == suite.digest), None)
        if known is not None:
            return known
        suite.env.check()
        self.opened.append(suite)
        for task in suite.tasks:
            self._by_task[suite.env.digest, task.digest] = suite, task
            self._by_task[suite.world.manifest.digest, task.id] = suite, task
        where = conditions(self.settings.where)
        chosen = suite.select(split="train", scheme=self.settings.scheme, where=where)
        self._chosen[suite.digest] = [task for task in chosen if task.checkable and not task.judged]
        return suite

    def train(self, suite: Suite) -> list[Task]:
        """The tasks of the train split that settings choose and that can be scored without a judge."""
        return self._chosen[suite.digest]

    def held_back(self, task: Task) -> bool:
        return task.in_split(self.settings.scheme) != "train"

    def find(self, world: str, task: str) -> tuple[Suite, Task] | None:
        """The task with an id in the world with a digest, or with a digest in such an environment."""
        return self._by_task.get((world, task))

    def chooses(self, suite: Suite, task: Task) -> bool:
        return task in self._chosen[suite.digest]


def open_sources(settings: TrainingDataSettings) -> tuple[Suites, list[Source]]:
    """Open all sources.

    Raises:
        InputError: a source cannot be opened, is named twice, is of no suite that is named, or has a
            trajectory of a task that is held back.
    """
    suites = Suites(settings)
    names = settings.source
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"{twice[0]} is named twice", where="SOURCE")
    folders = {name: suites.add(Path(name)) for name in names if _is_suite(Path(name))}
    for path in settings.tasks_of:
        suites.add(path)
    if not suites.opened:
        raise InputError(
            "no suite is named, so the held-back tasks are unknown",
            where=names[0],
            hint="add the suite of the bank or run with --tasks-of",
        )
    sources = []
    for name in names:
        if name in folders:
            sources.append(_gold(name, folders[name], suites))
        elif _is_bank(Path(name)):
            sources.append(_bank(name, suites))
        else:
            sources.extend(_runs(name, suites))
    return suites, sources


def _is_suite(path: Path) -> bool:
    return (path / MANIFEST_FILE).is_file() or (path / PROJECT_FILE).is_file()


def _is_bank(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        try:
            head = json.loads(file.readline())
        except ValueError:
            return False
    return isinstance(head, dict) and str(head.get("format", "")).startswith("worksmith-bank/")


def _gold(name: str, suite: Suite, suites: Suites) -> Source:
    told = [Told(suite, task, origin=task.id) for task in suites.train(suite) if task.gold_plan is not None]
    return Source(name, "suite", suite.digest, GOLD, told)


def _bank(name: str, suites: Suites) -> Source:
    bank = TraceBank.read(Path(name))
    found = _chosen(name, bank.demonstrations, lambda each: _task_of(each, bank, suites), suites)
    told = [Told(suite, task, _script_of(each, task), each.key) for each, suite, task in found]
    models = sorted({each.teacher for each in bank.demonstrations})
    return Source(name, "bank", bank.digest, ", ".join(models), told)


def _task_of(demonstration: Demonstration, bank: TraceBank, suites: Suites) -> tuple[Suite, Task] | None:
    if demonstration.provenance is not None and demonstration.provenance.world:
        return suites.find(demonstration.provenance.world, demonstration.task_id)
    of = bank.card.suite if bank.card else ""
    suite = next((each for each in suites.opened if each.digest == of), None)
    return suites.find(suite.world.manifest.digest, demonstration.task_id) if suite else None


def _script_of(demonstration: Demonstration, task: Task) -> Transcript:
    """The calls of a demonstration's longest part: the steps before its last reply, and that reply."""
    parts = [fields for fields in demonstration.parts.values() if "tool" in fields or "calls" in fields]
    if not parts:
        raise InputError(f"the demonstration of {task.id} has no calls", where="the trace bank")
    last = parts[-1]
    calls = [call for step in last.get("trajectory") or () for call in _calls_in(step)] + _calls_in(last)
    steps = [call for call in calls if call.get("tool") != FINISH]
    end: dict[str, Any] = next((call["arguments"] for call in calls if call.get("tool") == FINISH), {})
    return Transcript(
        task.query,
        tuple(
            TranscriptStep(str(call["tool"]), call["arguments"], str(call.get("thought") or ""))
            for call in steps
        ),
        final=str(end.get("answer", "")),
        status=str(end.get("status", "")),
        who=task.persona.id if task.persona else "",
    )


def _calls_in(step: dict[str, Any]) -> list[dict[str, Any]]:
    if "calls" in step:
        return list(step["calls"])
    return [step] if "tool" in step else []


def _runs(name: str, suites: Suites) -> Iterator[Source]:
    from worksmith.evals.tracking.run_loading import open_runs

    for run in open_runs([name], tracking_uri=suites.settings.tracking_uri):
        yield _run(name, run, suites)


def _run(name: str, run: LoadedRun, suites: Suites) -> Source:
    records = [record for record in run.records if record.graded]
    found = _chosen(name, records, lambda each: suites.find(each.digests.world, each.digests.task), suites)
    told = [_told(suite, task, record) for record, suite, task in found]
    model = str(run.card.settings.get("lm") or run.card.lm or f"unnamed ({run.card.label})")
    where = name if Path(name).is_file() else f"{name}: {run.card.label}"
    return Source(where, "run", digest([record.key for record in records]), model, told)


def _told(suite: Suite, task: Task, record: EpisodeRecord) -> Told:
    ended = record.status == "finished"
    return Told(suite, task, transcript_of(task, record), record.key, not fault_of(record), ended)


def fault_of(record: EpisodeRecord) -> str:
    """The fault of an episode; empty if it did the task."""
    if record.scores.get(LEAK, 0.0) > 0:
        return LEAKED
    if record.status != "finished":
        return record.status.replace("_", " ")
    if record.scores.get(PRIMARY, 0.0) >= 1:
        return ""
    return "unwanted side effects" if record.scores.get(_SIDE_EFFECTS, 0.0) > 0 else "wrong outcome"


def _chosen(
    name: str, found: Sequence[Made], place_of: Callable[[Made], tuple[Suite, Task] | None], suites: Suites
) -> list[tuple[Made, Suite, Task]]:
    """The episodes of the tasks to train on in a bank or run, with these tasks.

    Raises:
        InputError: an episode is of a task of no named suite, or of one that is held back.
    """
    known: list[tuple[Made, Suite, Task]] = []
    strange, held = [], []
    for each in found:
        place: tuple[Suite, Task] | None = place_of(each)
        if place is None or place[1].query != each.query:
            strange.append(each.task_id)
        elif suites.held_back(place[1]):
            held.append(f"{each.task_id} ({place[1].in_split(suites.settings.scheme)})")
        else:
            known.append((each, place[0], place[1]))
    if held:
        raise InputError(
            f"{len(held)} of its trajectories are of tasks held back: {_some(held)}",
            where=name,
            hint="take a run or a bank of train tasks; nothing was written",
        )
    if strange:
        raise InputError(
            f"{len(strange)} of its tasks are in no suite that is named: {_some(strange)}",
            where=name,
            hint="name their suite with --tasks-of, as it was when they were run",
        )
    return [(each, suite, task) for each, suite, task in known if suites.chooses(suite, task)]


def _some(names: Sequence[str]) -> str:
    named = list(dict.fromkeys(names))
    return ", ".join(named[:_NAMED]) + (" ..." if len(named) > _NAMED else "")
