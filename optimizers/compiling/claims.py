"""The claims that a compile can make with the intents of its dev split."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from worksmith.evals.records.groups import intent_or_task
from worksmith.evals.statistics.power import discordance_of
from worksmith.evals.statistics.sequential import fewest_intents
from worksmith.evals.statistics.spread import Spread
from worksmith.optimizers.racing.power import Field, smallest_race_difference
from worksmith.optimizers.racing.rules import INCUMBENT, fewest_to_seal
from worksmith.optimizers.trial import episode_score

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.optimizers.optimizer import Optimizer
    from worksmith.optimizers.settings import Settings
    from worksmith.optimizers.trial import Trial


def intents_in(tasks: Sequence[Task]) -> int:
    """The number of intents of tasks; a task without an intent counts as its own."""
    return len({intent_or_task(task.intent, task.id) for task in tasks})


def counted_intents(tasks: Sequence[Task]) -> str:
    """The number of intents that statistics count; empty if each task is its own."""
    intents = intents_in(tasks)
    return "" if intents == len(tasks) else f"the statistics count {intents} intents in {len(tasks)} tasks"


def too_few_intents(optimizer: Optimizer, dev: Sequence[Task], *, race: bool = False) -> str:
    """The warning that the dev tasks have too few intents for any claim; empty if they suffice.

    Args:
        race: whether its candidates are raced, by any optimizer.
    """
    settings, intents = optimizer.settings, intents_in(dev)
    adaptive, most = optimizer.adaptive, settings.candidates
    fewest = fewest_to_seal(settings.alpha) if adaptive else fewest_intents(settings.alpha, most)
    tested = race or (optimizer.races and settings.accept == "tested")
    if intents >= fewest or not tested:
        return ""
    many, fewer = ("s", ", fewer --candidates") if most > 1 else ("", "")
    return (
        f"with {intents} dev intents a race of {most} candidate{many} can accept none, not "
        f"even one that wins every task: that takes {fewest} at least; take more dev intents{fewer}"
        f"{'' if race else ', or --accept best'} (`worksmith power --race` plans a race)"
    )


def power_left(trials: Sequence[Trial], settings: Settings, dev: Sequence[Task]) -> dict[str, Any]:
    """The difference that a race over the dev tasks finds 8 times of 10; empty if nothing was measured.

    Args:
        trials: of the race, the program as it is among them. Their differences are the race's assumption.
    """
    plain = next((trial for trial in trials if trial.name == INCUMBENT and trial.result), None)
    if plain is None:
        return {}
    intents = intents_in(dev)
    per_intent = max(1, round(len(dev) / intents))
    leads = [lead for trial in trials if trial is not plain and (lead := _leads(trial, plain, settings))]
    differ = [sum(value != 0 for value in lead.values()) / len(lead) for lead in leads]
    measured = sum(differ) / len(differ) if differ else 0.0
    groups = {record.task_id: intent_or_task(record.intent, record.task_id) for record in _records(plain)}
    alike = [_alike(lead, groups) for lead in leads]
    field = Field(
        intents,
        per_intent,
        settings.candidates,
        alike=min(per_intent, max(1.0, sum(alike) / len(alike))) if alike else 1.0,
        alpha=settings.alpha,
        margin=settings.margin,
        adaptive=bool((plain.race or {}).get("sealed")),
    )
    rate = plain.strict.value

    def differing(size: float) -> float:
        return max(size, measured or discordance_of(rate, min(1.0, rate + size)))

    points = smallest_race_difference(field, differing, largest=max(0.01, 1 - rate))
    found = None if math.isnan(points) else round(100 * points, 1)
    what = "no difference that there is room for" if found is None else f"a difference of {found:g} points"
    return {
        "intents": intents,
        "per_intent": per_intent,
        "points": found,
        "said": (
            f"with {intents} dev intents of {per_intent} tasks and {settings.candidates} candidates a race "
            f"finds {what} 8 times of 10; more dev intents show more, `worksmith power --race` says how much"
        ),
    }


def _records(trial: Trial) -> Sequence[Any]:
    return trial.result.records if trial.result else ()


def _leads(trial: Trial, plain: Trial, settings: Settings) -> dict[str, float]:
    """A candidate's lead on each task that both have met."""
    ours, theirs = (
        {record.task_id: episode_score(record, settings.maximize) or 0.0 for record in _records(each)}
        for each in (trial, plain)
    )
    return {task: score - theirs[task] for task, score in ours.items() if task in theirs}


def _alike(lead: dict[str, float], groups: dict[str, tuple[str, str]]) -> float:
    """The factor on the variance of the mean difference because tasks of one intent are alike."""
    values = {task: [value] for task, value in lead.items()}
    alone = Spread.of(values, None).variance
    return Spread.of(values, groups).variance / alone if alone else 1.0
