"""Generation of enterprise tasks: places by quota, filled with goals that come out right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worksmith.evals.authoring.sizes import SplitSizes
from worksmith.evals.kinds.enterprise.facts import Facts
from worksmith.evals.kinds.enterprise.filling.claims import Claims
from worksmith.evals.kinds.enterprise.filling.filler import Filler
from worksmith.evals.kinds.enterprise.filling.quotas import Cell, Place, answerable_places, denied_places
from worksmith.evals.kinds.enterprise.goals.goal import Goal
from worksmith.evals.kinds.enterprise.goals.registry import goals
from worksmith.evals.tasks.task import Split, Task
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.enterprise.generate.latent import Built
from worksmith.tools.world import World


@dataclass(frozen=True)
class Sizes(SplitSizes):
    """How many tasks each split is to have. The paired split follows from the test split."""

    test: int = 500
    train: int = 1000
    dev: int = 200
    growth = 0.54


def generate(
    world: World,
    built: Built,
    seed: int,
    *,
    sizes: Sizes | None = None,
    only: Sequence[Goal] | None = None,
) -> list[Task]:
    """The tasks of a suite over `world`: test, train and dev by quota, and twins of what cannot be done.

    Splits share no persona, no record that a task is about, and no phrasing. Where a world is too small for a
    place, another number of steps is taken, or the place stays empty.

    Args:
        built: the parts that the world was made from.
        seed: decides everything, together with the world.
        sizes: by default those that fit the world's scale.
        only: the goals to use; all of them by default.

    Raises:
        InputError: not one task fits the world.
    """
    usual = Sizes.of_scale(world.manifest.scale or 1.0)
    wanted = {split: size for split, size in (sizes or usual).by_split().items() if size}
    # More train tasks than usual have the usual people, else none would be left for test.
    people = {split: size for split, size in usual.by_split().items() if split in wanted}
    facts = Facts(built, world.manifest.now)
    filler = Filler(
        Environment(world, sandboxes=1),
        facts,
        seed,
        Claims(facts, seed, people),
        tuple(goals() if only is None else only),
    )
    tasks: dict[Split, list[Task]] = {"test": [], "train": [], "dev": [], "paired": []}
    for split, place in _interleaved({split: denied_places(size) for split, size in wanted.items()}):
        for task in filler.denied(split, place):
            tasks[task.split].append(task)
    offers = offered(filler.goals)
    places = {
        split: answerable_places(size, _spent(tasks[split]), offers, _able_to_be_empty(filler.goals))
        for split, size in wanted.items()
    }
    for split, place in _interleaved(places):
        if (found := filler.fill(split, place)) is not None:
            tasks[split].append(found)
    if not any(tasks.values()):
        raise InputError("no task fits this world", where="world", hint="build a larger one")
    return [task for split in tasks.values() for task in sorted(split, key=lambda task: task.id)]


def offered(goals: Sequence[Goal]) -> dict[Cell, dict[int, int]]:
    """How many goals each cell has, by their number of steps."""
    found: dict[Cell, dict[int, int]] = {}
    for goal in goals:
        counts = found.setdefault(Cell(goal.area, goal.subarea, goal.type), {})
        counts[goal.steps] = counts.get(goal.steps, 0) + 1
    return found


def _able_to_be_empty(goals: Sequence[Goal]) -> list[Place]:
    return [Place(Cell(goal.area, goal.subarea, goal.type), goal.steps) for goal in goals if goal.empty]


def _spent(tasks: Sequence[Task]) -> Counter[int]:
    return Counter(len(task.gold_plan or ()) for task in tasks)


def _interleaved(places: Mapping[Split, Sequence[Place]]) -> list[tuple[Split, Place]]:
    """The places of all splits, so mixed that each comes to its share of what is scarce."""
    order = [
        ((number + 0.5) / len(wanted), turn, split, place)
        for turn, (split, wanted) in enumerate(places.items())
        for number, place in enumerate(wanted)
    ]
    return [(split, place) for _, _, split, place in sorted(order, key=lambda item: item[:2])]
