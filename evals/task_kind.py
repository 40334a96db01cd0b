"""Task kinds: how the suites of a kind are made, scored, and shown in reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tools.errors import InputError
from tools.registry import Registry

if TYPE_CHECKING:
    from evals.scoring.baselines import Baseline
    from evals.scoring.outcomes import GroundTruth
    from evals.scoring.scorer import Scorer
    from evals.tasks.building import Importer, SuiteBuilder
    from evals.tasks.task import Task
    from tools.environment import Environment
    from tools.world import World


@dataclass(frozen=True, kw_only=True)
class TaskKind:
    """All that the harness knows about one kind of suite. Every field but the name has a default.

    Attributes:
        name: that of its `WorldKind`.
        suites: gives the builder of its suites; None where suites are only imported or written by hand.
        importers: readers of published systems, by name of the system.
        scorer: scores episodes over an environment. By default that is an `AnswerScorer` where the world
            kind judges answers, else an `EpisodeScorer`.
        baselines: gives programs without a model, by name; by default those of `evals.scoring.baselines`.
        further_scores: names of scores that tables show beside the primary one.
        facts: takes the world, the tasks and the facts that `worksmith suite info` shows of every suite;
            gives them as they are to be shown for this kind.
        commands: commands of its own on the command line, by their words (`org`, `serve crm`); each is the
            address `module:attribute` of a `typer.Typer`.
    """

    name: str
    suites: Callable[[], SuiteBuilder[Any]] | None = None
    importers: Mapping[str, Importer] = field(default_factory=dict, hash=False)
    scorer: Callable[[Environment, GroundTruth], Scorer] | None = None
    baselines: Callable[[], Mapping[str, Baseline]] | None = None
    further_scores: tuple[str, ...] = ()
    facts: Callable[[World, Sequence[Task], dict[str, Any]], dict[str, Any]] | None = None
    commands: Mapping[str, str] = field(default_factory=dict, hash=False)


TASK_KINDS = Registry("worksmith.task_kinds", TaskKind, "task kind")
"""Entry points of this group name the `TaskKind` objects of installed packages."""


def task_kind(name: str) -> TaskKind:
    """The kind called `name`; one with all defaults where no package offers it.

    Raises:
        InputError: the package that offers it is broken.
    """
    return TASK_KINDS.get(name) if name in TASK_KINDS else TaskKind(name=name)


def buildable_kinds() -> tuple[str, ...]:
    """The kinds whose suites can be built."""
    return tuple(name for name in TASK_KINDS.names() if TASK_KINDS.get(name).suites is not None)


def suite_builder(name: str) -> SuiteBuilder[Any]:
    """The builder of suites of a kind.

    Raises:
        InputError: there is no such kind, or its suites cannot be built.
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
        raise InputError(f"no importer {system!r}", hint=f"there are {', '.join(sorted(found))}")
    return found[system]


def _importers() -> dict[str, Importer]:
    return {
        system: read for name in TASK_KINDS.names() for system, read in TASK_KINDS.get(name).importers.items()
    }


def scorers_for(env: Environment, ground_truth: GroundTruth = "published") -> tuple[Scorer, ...]:
    """The scorers of episodes over an environment, as its kind has them."""
    kind = task_kind(env.kind.name)
    if kind.scorer is not None:
        return (kind.scorer(env, ground_truth),)
    if env.kind.judges_answers:
        from evals.scoring.answer_scorer import AnswerScorer

        return (AnswerScorer(env, ground_truth),)
    from evals.scoring.episode_scorer import EpisodeScorer

    return (EpisodeScorer(env, ground_truth),)


def baselines_of(env: Environment) -> Mapping[str, Baseline]:
    """The baselines of an environment's kind, by name."""
    kind = task_kind(env.kind.name)
    if kind.baselines is not None:
        return kind.baselines()
    from evals.scoring.baselines import OF_ANSWERS, OF_STATE

    return OF_ANSWERS if env.kind.judges_answers else OF_STATE
