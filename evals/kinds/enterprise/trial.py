"""Trying goals out while they are written: their texts, their plans, and the reasons of refused draws.

    python -m worksmith.evals.kinds.enterprise.trial SUITE GOAL [GOAL ...]

SUITE is the directory of an enterprise world or suite, which is generated again to know the truth.
A GOAL is an id or the beginning of one.
"""

from __future__ import annotations

import sys

from worksmith.evals.kinds.enterprise.facts import Facts
from worksmith.evals.kinds.enterprise.filling.claims import Claims
from worksmith.evals.kinds.enterprise.filling.filler import Filler
from worksmith.evals.kinds.enterprise.filling.quotas import Cell, Place
from worksmith.evals.kinds.enterprise.goals.goal import Goal
from worksmith.evals.kinds.enterprise.goals.registry import goals
from worksmith.evals.tasks.task import Split, Task
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.enterprise.generate.build import build_again
from worksmith.tools.world import World

_REASONS = 5
_SIZES: dict[Split, int] = {"test": 3}


def main(arguments: list[str]) -> None:
    """Show three tasks of each goal, and one for each of its denials."""
    directory, *wanted = arguments
    world = World.open(directory)
    built = build_again(world.manifest)
    facts, env = Facts(built, world.manifest.now), Environment(world, sandboxes=1)
    for goal in goals():
        if goal.id.startswith(tuple(wanted)):
            filler = Filler(env, facts, 0, Claims(facts, 0, _SIZES), (goal,))
            _say(f"== {goal.id}: {goal.area}, {goal.subarea}, {goal.type}, {goal.steps} steps")
            for task in _tasks(filler, goal):
                _show(task)
            for reason, times in filler.unfit[goal.id].most_common(_REASONS):
                _say(f"   {times} times: {reason}")


def _tasks(filler: Filler, goal: Goal) -> list[Task]:
    cell = Cell(goal.area, goal.subarea, goal.type)
    found: list[Task | None] = []
    for reason in goal.denials:
        place = Place(
            Cell(goal.area, goal.subarea, "unanswerable"), 0, denial=reason, writes=goal.type == "crud"
        )
        refused = filler.denied("test", place)
        found.extend(refused[:1])
        if not refused:
            _say(f"   nobody is denied for {reason}")
    found += [filler.fill("test", Place(cell, goal.steps)) for _ in range(3)]
    if goal.empty:
        found.append(filler.fill("test", Place(cell, goal.steps, empty=True)))
    return [task for task in found if task is not None]


def _show(task: Task) -> None:
    assert task.persona is not None
    assert task.answer is not None
    _say(f"{task.id} {task.persona.id} {task.persona.department}{task.persona.level}: {task.query}")
    for number, step in enumerate(task.gold_plan or ()):
        _say(f"   {number} {step.tool} {step.arguments} after {list(step.after)}: {step.why}")
    values = task.answer.text or task.answer.rule
    _say(f"   -> {task.answer.kind}: {values} | {task.answer.reference} | {list(task.mentions)}")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
