"""The plans behind generated tasks, carried out anew by whomever, under whichever rules.

A goal's program is given the words of a task and calls tools; what it finds is worked out from what they
show, and from nothing that the task knows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from worksmith.evals.authoring.value_forms import tells
from worksmith.evals.kinds.enterprise.facts import Facts
from worksmith.evals.kinds.enterprise.goals.draw_context import UnfitError
from worksmith.evals.kinds.enterprise.goals.goal import Goal
from worksmith.evals.kinds.enterprise.goals.plan_recorder import DeniedError, PlanRecorder
from worksmith.evals.kinds.enterprise.goals.registry import goals
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Task
from worksmith.tools.access.access_policy import load_policy
from worksmith.tools.environment import Environment
from worksmith.tools.episode import Episode
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.kinds.enterprise.access import packaged_policy
from worksmith.tools.kinds.enterprise.generate.build import build_again
from worksmith.tools.kinds.enterprise.schema import TABLES
from worksmith.tools.persona import Persona


@dataclass(frozen=True)
class CarriedOut:
    """A plan carried out.

    Attributes:
        values: what was found; None where the plan was denied or did not come out.
        denied: by which rule it ended, if by one.
    """

    episode: Episode
    values: tuple[str, ...] | None
    denied: str = ""

    def result(self, status: str = "answered") -> EpisodeResult:
        """What an agent leaves that gives just this answer."""
        answer = "; ".join(self.values or ())
        return EpisodeResult(
            "finished", self.episode.outcome(), self.episode.calls, answer=answer, answer_status=status
        )

    def told(self, value: str) -> bool:
        """Whether `value` was found, or stands in what the calls showed."""
        shown = (call.observation.text for call in self.episode.calls if call.observation.status == "ok")
        return value in (self.values or ()) or any(tells(text, value) for text in shown)


class Plans:
    """Carries out the plans of one generated suite.

    Attributes:
        env: with the suite's own rules.
    """

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self.env = suite.env

    def carry_out(self, task: Task, persona: Persona, env: Environment | None = None) -> CarriedOut:
        """The plan of a task's goal, carried out by `persona`, up to where it is denied."""
        episode = (env or self.env).episode(persona=persona, now=task.now)
        script = PlanRecorder(episode, self.facts, task.query)
        try:
            return CarriedOut(episode, self._goals[task.intent or ""].solve(task.slots, script))
        except DeniedError as denial:
            return CarriedOut(episode, None, denial.rule)
        except (UnfitError, LookupError, ValueError, StopIteration):
            # All but the first: a program looks into what its own persona is sure to be shown.
            return CarriedOut(episode, None)

    def insist(self, task: Task, persona: Persona) -> CarriedOut:
        """The calls of a gold plan by `persona`, all of them, whatever is denied on the way."""
        episode = self.env.episode(persona=persona, now=task.now)
        for step in task.gold_plan or ():
            episode.call(step.tool, step.arguments)
        return CarriedOut(episode, None)

    @cached_property
    def facts(self) -> Facts:
        """The truth: the world is made once more from its seed."""
        manifest = self.suite.world.manifest
        return Facts(build_again(manifest), manifest.now)

    @cached_property
    def without_policy(self) -> Environment:
        """The same world, where everybody who works there may do everything."""
        env = Environment(self.suite.world)
        env._snapshot.policy = load_policy(json.dumps(_everything_allowed()), TABLES)
        return env

    @cached_property
    def _goals(self) -> dict[str, Goal]:
        return {goal.id: goal for goal in goals()}


def _everything_allowed() -> dict[str, Any]:
    """The packaged rules, with every one of them open to everybody."""
    document: dict[str, Any] = json.loads(packaged_policy())
    operations = ["read", "create", "update", "delete"]
    for name, source in document["sources"].items():
        source["rules"] = [{"id": f"any-{name}", "operations": operations, "when": {"always": True}}]
        if "private" in source:
            source["private"]["rule"]["when"] = {"always": True}
    return document
