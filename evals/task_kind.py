"""Task kinds: how the suites of a kind are made, scored, and shown in reports.

A package that adds a kind writes one object and names it in its `pyproject.toml`:

    LENDING = TaskKind(name="lending", suites=lambda: SuiteBuilder(Options, build, forecast))

    [project.entry-points."worksmith.task_kinds"]
    lending = "lending.tasks:LENDING"

Each suite names its kind. The command line reads `suites`, `importers` and `commands`; the runner `call`,
`scorer` and `facets`; the reports `report` and `published`. A field is needed only for what the kind
offers. The same name has a `worksmith.tools.world_kind.WorldKind`. docs/how-to/add-a-world.md builds both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from worksmith.tools.errors import InputError, unknown
from worksmith.tools.registry import Registry
from worksmith.tools.statuses import INFRASTRUCTURE

if TYPE_CHECKING:
    from pathlib import Path

    from worksmith.evals.records.predictions import PlacedPrediction
    from worksmith.evals.records.program_records import ProgramRecords
    from worksmith.evals.records.record import EpisodeRecord, TaskLabels
    from worksmith.evals.records.run_card import LoadedRun
    from worksmith.evals.scoring.baselines import Baseline
    from worksmith.evals.scoring.outcomes import GroundTruth
    from worksmith.evals.scoring.scorer import Scorer
    from worksmith.evals.statistics import Interval
    from worksmith.evals.table import Grid
    from worksmith.evals.tasks.building import Importer, SuiteBuilder
    from worksmith.evals.tasks.facets import Facets
    from worksmith.evals.tasks.task import Task
    from worksmith.evals.tasks.transcript import Transcript
    from worksmith.tools.environment import Environment
    from worksmith.tools.world import World


@dataclass(frozen=True)
class PublishedMistakes:
    """Mistakes in predictions that a published system counts by name.

    Attributes:
        faults: the kind of fault (`worksmith.evals.failure_modes`) for each mistake.
        find: takes the texts of the actions and of the expected ones, and whether the prediction is correct;
            gives which mistakes were made.
    """

    faults: Mapping[str, str] = field(default_factory=dict)
    find: Callable[[Sequence[str], Sequence[str], bool], dict[str, bool]] = lambda *_: {}


@dataclass(frozen=True)
class Drafting:
    """The settings of drafts of tasks.

    Attributes:
        count: the most tasks.
        seed: of all random choices.
        progress: is called with the number of tasks so far.
        reword: gives tasks with other queries that ask for the same; None for the queries of templates.
    """

    count: int
    seed: int = 0
    progress: Callable[[int], None] = lambda _: None
    reword: Callable[[Sequence[Task]], Sequence[Task]] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskKind:
    """The builders, scorers, facets and tables of a kind of suite. Every field except the name has a default.

    Attributes:
        name: the name of its `WorldKind`.
        read_tasks: reads a file of tasks that people write for an environment, or its lines as dicts; by
            default each line of a file is a whole `Task`.
        open_project: gives the suite (`worksmith.evals.suite.Suite`) of a project, see
            `worksmith.tools.files.project_file`.
        open_environment: gives the environment of a project, which may have no tasks yet.
        call: runs a program on a whole task and gives its prediction, with an `.episode`. By default the
            program gets the task's visible part as `task=`.
        from_examples: makes a suite of the examples of a plain DSPy program, see
            `worksmith.evals.suite.suite_of_examples`.
        draft_tasks: drafts lines of a task file for the environment of a project, see `Drafting`.
        write_environment: writes the environment of a new project: takes a folder of data, and that of the
            project.
        suites: gives the builder of its suites; None if suites are only imported or written by hand.
        importers: readers of published systems, by name of the system.
        record_files: those importers whose records come in another file (`records=`).
        scorer: scores episodes over an environment. By default that is an `AnswerScorer` where the world
            kind judges answers, else an `EpisodeScorer`.
        baselines: gives programs without a model, by name; by default those of
            `worksmith.evals.scoring.baselines`.
        published_score: name of the published system's metric, where that is not the primary score;
            ablations and comparisons show it as well.
        further_scores: names of other scores that the data of `worksmith eval` list by episode.
        facets: properties of tasks that are kept with their episodes, by name, and that `--where` can ask
            for; None for those of `worksmith.evals.tasks.facets`.
        field_of_work: the field of work of a task, each of which counts the same in a macro mean; empty
            for the task's domain.
        closed_intents: whether the intents of tasks are the whole list of intents. If not, they count as a
            sample of more, which intervals and tests allow for.
        mistakes: counted by the published system in predictions.
        open_predictions: opens files of the published system's predictions for a suite, as runs.
        published_runs: reads a JSON file of the published system's runs as predictions for some tasks.
        report: gives tables and figures of this kind, in addition to those of every kind.
        facts: takes the world, the tasks and the facts that `worksmith suite info` shows of every suite;
            gives the facts to show for this kind.
        published: package with `published.toml`, the tables of papers that reports can show beside the
            suite's; empty without.
        value_readers: readers of values that answers name, by type of value. Each takes a text and gives the
            values of the type in it, each in one spelling; `local/rubric` finds wrong values with them.
        transcripts: readers of recorded runs that models can replay, by the ending of their files.
        quickstart: the world of `worksmith quickstart`; the first kind that has one is taken.
        commands: further commands on the command line, by their words (such as `serve NAME`); each is the
            address `module:attribute` of a function for typer, or of a `typer.Typer`.
    """

    name: str
    read_tasks: Callable[[Environment, Path | Sequence[Mapping[str, Any]]], Sequence[Task]] | None = None
    open_project: Callable[[Path], Any] | None = None
    open_environment: Callable[[Path], Environment] | None = None
    call: Callable[[Any, Task], Any] | None = None
    from_examples: Callable[[Sequence[Sequence[Any]], str | None], Any] | None = None
    draft_tasks: Callable[[Path, Drafting], Sequence[dict[str, Any]]] | None = None
    write_environment: Callable[[Path, Path, Mapping[str, Sequence[str]], Sequence[str]], None] | None = None
    suites: Callable[[], SuiteBuilder[Any]] | None = None
    importers: Mapping[str, Importer] = field(default_factory=dict)
    record_files: tuple[str, ...] = ()
    scorer: Callable[[Environment, GroundTruth], Scorer] | None = None
    baselines: Callable[[], Mapping[str, Baseline]] | None = None
    published_score: str = ""
    further_scores: tuple[str, ...] = ()
    facets: Facets | None = None
    field_of_work: Callable[[Task], str] = lambda task: task.area
    closed_intents: bool = False
    mistakes: Callable[[], PublishedMistakes] = lambda: PublishedMistakes()
    open_predictions: Callable[[Any, Sequence[Path]], list[LoadedRun]] | None = None
    published_runs: Callable[[Sequence[Task], Path], Iterable[PlacedPrediction]] | None = None
    report: Callable[[], KindReport] = lambda: KindReport()
    facts: Callable[[World, Sequence[Task], dict[str, Any]], dict[str, Any]] | None = None
    published: str = ""
    value_readers: Mapping[str, Callable[[str], frozenset[str]]] = field(default_factory=dict)
    transcripts: Mapping[str, Callable[[Path], Sequence[Transcript]]] = field(default_factory=dict)
    quickstart: Quickstart | None = None
    commands: Mapping[str, str] = field(default_factory=dict)

    @property
    def task_facets(self) -> Facets:
        """Its own facets, else those of `worksmith.evals.tasks.facets`."""
        from worksmith.evals.tasks.facets import FACETS

        return FACETS if self.facets is None else self.facets

    def labels(self, task: Task) -> TaskLabels:
        """The labels of a task's episodes."""
        from worksmith.evals.records.record import TaskLabels

        values = {name: value for name, of in self.task_facets.items() if (value := of(task))}
        values |= task.attack.facets if task.attack is not None else {}
        return TaskLabels(
            kind=self.name,
            facets=values,
            field=self.field_of_work(task),
            closed_intents=self.closed_intents,
            words_only=not task.checkable,
        )


@dataclass(frozen=True, kw_only=True)
class Quickstart:
    """The world that `worksmith quickstart` builds.

    Attributes:
        sentence: what is built.
        options: settings of the build, without the seed; see `SuiteBuilder.options`.
        tools: columns of the table of what people may read, each with the tool whose records are counted;
            it takes `limit` and returns a `total`.
        where: the tasks that the agent does, as `--where` takes them.
    """

    sentence: str
    options: Mapping[str, Any]
    tools: Mapping[str, str]
    where: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class KindReport:
    """Tables and figures of a kind, in addition to those of every kind; by default nothing.

    Attributes:
        breakdown: facets by which scores are shown; None for area, type, difficulty and
            department where tasks have areas, else for domain and number of actions.
        comparison: tables of several programs.
        program: tables of one program.
        paper: tables of the published system's paper, for programs on its own imported tasks.
        figures: intervals of one program by name, for JSON.
        metrics: figures of one program for tracking.
        counted_attempts: the episodes whose outcome is yes or no, which the chances of several attempts
            count.
        attempts_note: the note below those chances.
    """

    breakdown: tuple[str, ...] | None = None
    comparison: Callable[[Sequence[ProgramRecords]], Sequence[Grid]] = lambda _: ()
    program: Callable[[ProgramRecords], Sequence[Grid]] = lambda _: ()
    paper: Callable[[Sequence[ProgramRecords]], Sequence[Grid]] = lambda _: ()
    figures: Callable[[ProgramRecords], Mapping[str, Mapping[str, Interval]]] = lambda _: {}
    metrics: Callable[[ProgramRecords], Mapping[str, float]] = lambda _: {}
    counted_attempts: Callable[[EpisodeRecord], bool] = lambda _: True
    attempts_note: str = ""


TASK_KINDS = Registry("worksmith.task_kinds", TaskKind, "task kind")
"""Entry points of this group name the `TaskKind` objects of installed packages."""


def task_kind(name: str) -> TaskKind:
    """The kind called `name`; a kind with all defaults if no package offers one.

    Raises:
        InputError: the package that offers it is broken.
    """
    return TASK_KINDS.get(name) if name in TASK_KINDS else TaskKind(name=name)


def run_program(program: Any, task: Task, env: Environment) -> Any:
    """Run a program on a task, in the way of the environment's kind.

    A program with `sees_truth = True` gets the whole task. Baselines and wrappers of programs have it: they
    need the gold plan, and show it to no model.

    An episode is lost if the infrastructure failed at the last request to a model: its work without the reply
        does not count.

    Returns:
        Its prediction; the `.episode` refers to the program's own result.

    Raises:
        InputError: a thread of the program asked a model without DSPy's settings.
    """
    from worksmith.evals.dspy_programs.event_loop import called
    from worksmith.evals.lm.escapes import watching
    from worksmith.evals.lm.failures import failure_of
    from worksmith.tools.planting import planting

    call = task_kind(env.kind.name).call
    with watching() as watch, planting(None if task.attack is None else task.attack.planted):
        if getattr(program, "sees_truth", False):
            prediction = called(program, task=task)
        elif call is not None:
            prediction = call(program, task)
        else:
            prediction = called(program, task=task.visible())
    episode = getattr(prediction, "episode", None)
    if episode is None:
        return prediction
    if watch.failure is not None and episode.status not in INFRASTRUCTURE:
        ended = failure_of(watch.failure)
        if ended.status in INFRASTRUCTURE:
            prediction.episode = episode = replace(episode, status=ended.status, error=ended.error)
    if episode.prediction is None:
        episode.prediction = prediction
    return prediction


def kind_of(records: Iterable[EpisodeRecord]) -> TaskKind:
    """The kind of episodes; a kind with all defaults if they are of several kinds or of no kind."""
    names = {record.labels.kind for record in records}
    return task_kind(names.pop() if len(names) == 1 else "")


def buildable_kinds() -> tuple[str, ...]:
    """The kinds whose suites can be built."""
    return tuple(kind.name for kind in TASK_KINDS.all() if kind.suites is not None)


def value_readers() -> Mapping[str, Callable[[str], frozenset[str]]]:
    """The value readers of all kinds, by type of value."""
    return {name: read for kind in TASK_KINDS.all() for name, read in kind.value_readers.items()}


def transcript_readers() -> Mapping[str, Callable[[Path], Sequence[Transcript]]]:
    """The readers of recorded runs of all kinds, by the ending of their files."""
    return {ending: read for kind in TASK_KINDS.all() for ending, read in kind.transcripts.items()}


def quickstart_kind() -> tuple[str, Quickstart]:
    """The name of the kind of world that `worksmith quickstart` builds, and its `Quickstart`.

    Raises:
        InputError: no installed kind has one.
    """
    return TASK_KINDS.first(
        lambda kind: None if kind.quickstart is None else (kind.name, kind.quickstart), "has a quickstart"
    )


def suite_builder(name: str) -> SuiteBuilder[Any]:
    """The builder of suites of a kind.

    Raises:
        InputError: the kind is unknown, or its suites cannot be built.
    """
    kind = TASK_KINDS.get(name)
    if kind.suites is None:
        raise InputError(
            f"suites of kind {name} are not built", hint=f"there are {', '.join(buildable_kinds())}"
        )
    return kind.suites()


def importer_names() -> tuple[str, ...]:
    """The published systems that can be imported, of all kinds."""
    return tuple(sorted(_importers()))


def importer(system: str) -> Importer:
    """The reader of a published system's files.

    Raises:
        InputError: no kind has one.
    """
    found = _importers()
    if system not in found:
        raise unknown("no importer", system, sorted(found))
    return found[system]


def record_files() -> frozenset[str]:
    """The published systems whose records come in another file."""
    return frozenset(name for kind in TASK_KINDS.all() for name in kind.record_files)


def _importers() -> dict[str, Importer]:
    return {system: read for kind in TASK_KINDS.all() for system, read in kind.importers.items()}


def scorers_for(env: Environment, ground_truth: GroundTruth = "published") -> tuple[Scorer, ...]:
    """The scorers of episodes over an environment: of its kind or the default one, then those of all."""
    from worksmith.evals.scoring.attacks import AttackScorer
    from worksmith.evals.scoring.procedure import ProcedureScorer

    return _scorer(env, ground_truth), ProcedureScorer(env.kind.procedure), AttackScorer()


def _scorer(env: Environment, ground_truth: GroundTruth) -> Scorer:
    kind = task_kind(env.kind.name)
    if kind.scorer is not None:
        return kind.scorer(env, ground_truth)
    if env.kind.judges_answers:
        from worksmith.evals.scoring.answer_scorer import AnswerScorer

        return AnswerScorer(env, ground_truth)
    from worksmith.evals.scoring.episode_scorer import EpisodeScorer

    return EpisodeScorer(env, ground_truth)


def baselines_of(env: Environment) -> Mapping[str, Baseline]:
    """The baselines of an environment's kind, by name."""
    kind = task_kind(env.kind.name)
    if kind.baselines is not None:
        return kind.baselines()
    from worksmith.evals.scoring.baselines import OF_ANSWERS, OF_STATE

    return OF_ANSWERS if env.kind.judges_answers else OF_STATE
