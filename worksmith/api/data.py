"""From the arguments of the public functions to what jobs take: tasks, programs, models, conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dspy

from worksmith.evals.dspy_programs.digests import strategy_name
from worksmith.evals.progress.screen import on_screen
from worksmith.evals.running.study import StudyArm
from worksmith.evals.suite import Examples, Suite, suite_of_examples
from worksmith.evals.tasks.task import VisibleTask
from worksmith.jobs.measuring.measurement import Measurement
from worksmith.jobs.opening.arguments import opened
from worksmith.jobs.opening.named_judges import check_judged, open_judges
from worksmith.jobs.opening.programs import OpenedProgram
from worksmith.jobs.opening.suites import under_attack, usable_tasks
from worksmith.jobs.settings.groups.measuring import MeasureSettings
from worksmith.optimizers.learning_data import check_given, chosen_by
from worksmith.tools.errors import InputError
from worksmith.tools.world_kind import LIVE

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.optimizers.cost.budget import Budget
    from worksmith.tools.environment import Environment


def measurement(
    tasks: Suite | Sequence[Any],
    *,
    metric: Callable[..., Any] | None = None,
    judge: str | Sequence[str] = (),
    rubric: Path | str | None = None,
    budget: Budget | None = None,
    live: bool = False,
    track: bool | str = False,
    intent: str | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Measurement:
    """The conditions under which programs are measured; arguments as in `evaluate`.

    Raises:
        InputError: the arguments do not suit each other.
    """
    check_given(metric, budget)
    (suite, split, whole), spoken = _whole(tasks, metric, intent), on_screen(progress)
    suite.env.check()
    if live and LIVE not in suite.env.kind.live_systems:
        raise InputError("no tool of this environment reaches outside", where="live", hint="leave it out")
    names = (judge,) if isinstance(judge, str) else tuple(judge)
    given = MeasureSettings(
        suite=suite.path,
        judge=names,
        rubric=None if rubric is None else Path(rubric),
        org=LIVE if live else None,
        track=bool(track),
        experiment=track if isinstance(track, str) else None,
        **settings,
    )
    judges = open_judges(names, given.rubric, suite.env.kind.tables)
    chosen = usable_tasks(suite, split, whole, spoken, judged=bool(judges))
    if given.attack:
        chosen = under_attack(suite, chosen, given.seed, spoken)
    check_judged(chosen, judges)
    scored = chosen_by(metric, suite)
    return Measurement(
        suite=suite,
        tasks=chosen,
        split=split,
        settings=given,
        judges=judges,
        own_scorers=tuple(scored.scorers) if scored else (),
        budget=budget,
        progress=spoken,
    )


def _whole(
    tasks: Suite | Sequence[Any], metric: Callable[..., Any] | None, intent: str | None
) -> tuple[Suite, str, Sequence[Task]]:
    """The suite, the split and the whole tasks, expectations included."""
    if isinstance(tasks, Suite):
        return tasks, "test", tasks.select(split="test")
    if isinstance(tasks, Examples):
        return tasks.suite, tasks.split, tasks.tasks
    if isinstance(tasks, str) or not isinstance(tasks, Sequence) or not all(map(_is_example, tasks)):
        raise InputError(
            f"{type(tasks).__name__} is not a list of tasks",
            where="tasks",
            hint="give suite.test, a suite, or a list of dspy.Example with metric=...",
        )
    if any(isinstance(example.get("task"), VisibleTask) for example in tasks):
        raise InputError(
            "examples of a suite in a list of their own do not know the suite any more",
            where="tasks",
            hint="give suite.test or a slice of it",
        )
    if metric is None:
        raise InputError(
            "plain examples need a metric", where="metric", hint="give metric=..., or tasks of a suite"
        )
    suite = suite_of_examples((), (), tasks, intent=intent)
    return suite, "test", suite.tasks


def _is_example(value: Any) -> bool:
    return isinstance(value, dspy.Example)


def arms_of(
    programs: Mapping[str, Any] | Sequence[Any], env: Environment
) -> tuple[list[StudyArm], dict[str, OpenedProgram]]:
    """The arms of a study, and its programs by the arms' labels.

    Without labels of the user's a program has the name of its strategy or class, and of its optimizer.
    """
    named = isinstance(programs, Mapping)
    if isinstance(programs, str) or not isinstance(programs, Mapping | Sequence) or not programs:
        raise InputError(
            "there are no programs to compare",
            where="programs",
            hint="give a list, or a dict with names",
        )
    given = list(programs.values()) if isinstance(programs, Mapping) else list(programs)
    found = [opened(each, env) for each in given]
    made = [(strategy_name(p.program), p.compiled.optimizer if p.compiled else "none") for p in found]
    labels = list(programs) if named else _labels(made)
    arms = [
        # Two programs of one name would pass for one program with different optimizers.
        StudyArm(label, strategy=name if made.count((name, optimizer)) == 1 else label, optimizer=optimizer)
        for label, (name, optimizer) in zip(labels, made, strict=True)
    ]
    return arms, dict(zip(labels, found, strict=True))


def _labels(made: Sequence[tuple[str, str]]) -> list[str]:
    """Names for all, each once: those that come again are numbered."""
    seen: Counter[str] = Counter()
    labels = []
    for name, optimizer in made:
        label = name if optimizer == "none" else f"{name} + {optimizer}"
        seen[label] += 1
        labels.append(label if seen[label] == 1 else f"{label} {seen[label]}")
    return labels


@contextmanager
def connection_kept(env: Environment) -> Iterator[None]:
    """A block after which tools work again where they worked before."""
    before = env.backend
    try:
        yield
    finally:
        env.connect(before)
