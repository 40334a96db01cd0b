"""From the names of judges to judges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from worksmith.evals.dspy_programs.own_models import with_models
from worksmith.evals.judging.local import NAME as LOCAL
from worksmith.evals.judging.local import LocalRubric
from worksmith.evals.judging.panel import Panel
from worksmith.evals.judging.rubric import Rubrics, default_rubrics, read_rubrics
from worksmith.evals.lm.named import is_own
from worksmith.evals.running.asked_judges import Judge
from worksmith.jobs.opening.budgets import counted
from worksmith.jobs.opening.suites import LOGS
from worksmith.models.named import is_named, parted
from worksmith.models.resolve import resolve
from worksmith.tools.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from worksmith.evals.judging.calibration.calibrate import Comparing
    from worksmith.evals.tasks.task import Task
    from worksmith.optimizers.cost.budget import Budget
    from worksmith.tools.sqlite.schema import Table

GATES = LOGS.parent / "judges"
"""The folder of the gate's verdicts, unless a file is named; each is under the digest of its judge."""

MEDIAN, UNAIDED = "median:", "unaided:"
"""The prefixes of judges that vote, and of judges that do not see the right response."""

_HINT = f"{LOCAL}, any DSPy model name, package.module:lm, {UNAIDED}NAME, or {MEDIAN}NAME,NAME,NAME"


def open_judges(names: Sequence[str], rubric: Path | None, tables: Sequence[Table] = ()) -> tuple[Judge, ...]:
    """The judges called so; none without names.

    Args:
        rubric: a file of the user; None for the rubrics that come with worksmith.
        tables: of the world that they judge in.
    """
    if rubric is not None and not names:
        raise InputError("rubrics are for judges", where="--rubric", hint="name one with --judge")
    twice = next((name for name in names if list(names).count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{twice} is named twice", where="--judge")
    rubrics = default_rubrics() if rubric is None else read_rubrics(rubric)
    judges: list[Judge] = []
    for name in names:
        voting = [_judge(each, rubrics, tables) for each in _voting(name)]
        judges.append(Panel(voting) if name.startswith(MEDIAN) else voting[0])
    return tuple(judges)


def check_judged(tasks: Iterable[Task], judges: Sequence[Judge]) -> None:
    """Check that tasks with rubrics get a verdict by them.

    Raises:
        InputError: such tasks have no language model as judge.
    """
    judged = [task for task in tasks if task.judged]
    if judged and all(isinstance(judge, LocalRubric) for judge in judges):
        raise InputError(
            f"{len(judged)} tasks have rubrics of their own, by which only a language model can judge",
            where=f"task {judged[0].id}",
            hint="name one with --judge",
        )


def asked_models(judges: Sequence[Judge]) -> int:
    """How many questions to models one episode takes, if all replies can be read."""
    return sum(
        asked_models(judge.judges) if isinstance(judge, Panel) else judge.name != LOCAL for judge in judges
    )


def uncached(judge: Judge) -> Judge:
    """The same judge without a cache of replies, to see whether it repeats its verdict."""
    return with_models(judge, lambda lm: lm.copy(cache=False))


def counted_judges(judges: Sequence[Judge], budget: Budget | None) -> tuple[Judge, ...]:
    """The same judges; their requests are counted where there is a budget."""
    return tuple(with_models(judge, lambda lm: counted(lm, budget)) for judge in judges)


def comparing(judge: Judge) -> Comparing | None:
    """The judge's model as a judge of pairs; None for judges without a single model."""
    from worksmith.evals.judging.rubric_judge import PairwiseJudge, RubricJudge

    return PairwiseJudge(judge.lm, judge.rubrics) if isinstance(judge, RubricJudge) else None


def _voting(name: str) -> list[str]:
    """The names of the judges that vote under a name; another one stands for itself."""
    if not name.startswith(MEDIAN):
        return [name]
    names = [part.strip() for part in name.removeprefix(MEDIAN).split(",") if part.strip()]
    if len(names) < 2 or len(set(names)) < len(names):
        raise InputError(f"{name!r} does not name several judges", where="--judge", hint=_HINT)
    return names


def _judge(name: str, rubrics: Rubrics, tables: Sequence[Table]) -> Judge:
    if name == LOCAL:
        return LocalRubric(rubrics, tables)
    model = name.removeprefix(UNAIDED)
    known = "/" in model or is_own(model) or is_named(parted(model)[0])
    if model.startswith(("local/", "replay:")) or not known:
        hint = f"{did_you_mean(name, (LOCAL,))}{_HINT}"
        raise InputError(f"no judge {name!r}", where="--judge", hint=hint)
    from worksmith.evals.judging.rubric_judge import RubricJudge

    return RubricJudge(resolve(model), rubrics, name=name, reference=model == name)
