"""A small world in which the tests of goals draw tasks."""

from __future__ import annotations

from pathlib import Path

from worksmith.evals.kinds.enterprise.facts import Facts
from worksmith.evals.kinds.enterprise.filling.claims import Claims
from worksmith.evals.kinds.enterprise.filling.filler import Filler
from worksmith.evals.kinds.enterprise.filling.quotas import Cell, Place
from worksmith.evals.kinds.enterprise.goals.goal import Goal
from worksmith.evals.kinds.enterprise.goals.registry import goals
from worksmith.evals.kinds.enterprise.suites import build_world
from worksmith.evals.tasks.task import Task
from worksmith.tools.environment import Environment
from worksmith.tools.episode import Episode

GOALS = {goal.id: goal for goal in goals()}


class Ground:
    """A small world with all that filling takes.

    Args:
        out: the folder of the world.
        seed: that of the world.
        draws: the seed of the draws.
    """

    def __init__(self, out: Path, seed: int, draws: int = 0) -> None:
        world, built = build_world(out, seed=seed, scale=0.02)
        self.facts = Facts(built, world.manifest.now)
        self.env = Environment(world, sandboxes=1)
        self._seed = draws

    def filler(self, goal: Goal) -> Filler:
        """A filler of the test split alone, with one goal."""
        claims = Claims(self.facts, self._seed, {"test": 1})
        return Filler(self.env, self.facts, self._seed, claims, (goal,))

    def tasks(self, name: str, count: int = 3, *, empty: bool = False) -> list[Task]:
        """Some tasks of a goal, as many as the world has."""
        goal = GOALS[name]
        filler = self.filler(goal)
        place = Place(Cell(goal.area, goal.subarea, goal.type), goal.steps, empty=empty)
        return [task for task in (filler.fill("test", place) for _ in range(count)) if task is not None]

    def denied(self, name: str, reason: str) -> list[Task]:
        """A task of a goal in the hands of somebody who is denied, and its twin."""
        goal = GOALS[name]
        cell = Cell(goal.area, goal.subarea, "unanswerable")
        return self.filler(goal).denied("test", Place(cell, 0, denial=reason, writes=goal.type == "crud"))

    def carried_out(self, task: Task) -> Episode:
        """The gold plan, carried out."""
        episode = self.env.episode(persona=task.persona)
        for step in task.gold_plan or ():
            episode.call(step.tool, step.arguments)
        return episode
