"""Sources of candidates, and the standing of a race that they are asked with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, Protocol

from worksmith.evals.records.groups import intent_or_task
from worksmith.evals.records.record import PRIMARY, EpisodeRecord
from worksmith.optimizers.candidates.candidate import AS_IT_IS, Candidate
from worksmith.optimizers.demos.trace_bank import TraceBank
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.tools.seeding import rng

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.tasks.task import Task


@dataclass(frozen=True)
class Standing:
    """A race between two rounds, on the tasks that proposals may be made from.

    Attributes:
        program: as it is.
        best: the candidate that leads; without any part while the program as it is leads.
        best_program: made of it.
        tried: the candidates so far by name, in order.
        scores: by the name of a candidate, or `INCUMBENT`, its score by task id.
        records: by the same names, the episodes.
        tasks: by id.
        bank: has the demonstrations that candidates name, and may be empty.
        undo: takes the parts off that the program as it is was compiled with before.
    """

    program: dspy.Module
    best: Candidate
    best_program: dspy.Module
    tried: Mapping[str, Candidate]
    scores: Mapping[str, Mapping[str, float]]
    records: Mapping[str, Sequence[EpisodeRecord]]
    tasks: Mapping[str, Task]
    bank: TraceBank
    undo: Candidate = AS_IT_IS
    seed: int = 0
    round: int = 0

    @cached_property
    def failures(self) -> list[EpisodeRecord]:
        """The graded episodes of the best program that are not right, in an order drawn for this round."""
        leader = next((name for name, each in self.tried.items() if each == self.best), INCUMBENT)
        found = [
            record
            for record in self.records.get(leader, ())
            if record.graded and record.scores.get(PRIMARY, 1.0) < 1 and record.task_id in self.tasks
        ]
        rng(self.seed, "failures", self.round).shuffle(found)
        return found

    def gain(self, name: str) -> float:
        """The mean difference of a candidate to the program as it is, each intent counted the same."""
        ours, theirs = self.scores.get(name, {}), self.scores.get(INCUMBENT, {})
        by_intent: dict[tuple[str, str], list[float]] = defaultdict(list)
        for task_id in ours.keys() & theirs.keys():
            intent = intent_or_task(self.tasks[task_id].intent, task_id)
            by_intent[intent].append(ours[task_id] - theirs[task_id])
        return fmean(map(fmean, by_intent.values())) if by_intent else 0.0

    @cached_property
    def own_instructions(self) -> dict[str, str]:
        """The instructions of the program as it is, by predictor."""
        return {name: each.signature.instructions for name, each in self.program.named_predictors()}

    @cached_property
    def predictors(self) -> dict[str, dspy.Predict]:
        """The predictors of the best program by name."""
        return dict(self.best_program.named_predictors())

    def predictor_with(self, outputs: Sequence[str]) -> str:
        """The name of the first of them that gives one of the outputs; empty without one."""
        fitting = (
            name for name, each in self.predictors.items() if {*outputs} & each.signature.output_fields.keys()
        )
        return next(fitting, "")


class Source(Protocol):
    """Proposes candidates.

    Attributes:
        adaptive: whether it looks at episodes on the tasks that programs are chosen by.
        failed: how many proposals of a model gave no candidate, so far.
    """

    @property
    def name(self) -> str: ...

    @property
    def adaptive(self) -> bool: ...

    @property
    def failed(self) -> int: ...

    def propose(self, standing: Standing, count: int) -> list[Candidate]:
        """At most `count` untried candidates."""
        ...
